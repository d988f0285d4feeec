//! The epilogue of any operation and any D: accumulator to shared memory to D, in vectors of 16 bytes along D's rows.
//!
//! ```text
//!   identity  accumulator ─ round ─► R2s, 32 bits or stmatrix ─► Sw<2,3,3> o (32,32), chunk after chunk ─► S2g, 128 bits ─► D
//!   general   accumulator ─────────► R2s, 64 bits ─► Sw<2,3,2> o (32,32) of 32-bit elements
//!                                      ─► S2r, 128 bits ─► act(alpha accumulator + beta C + bias) ─► D
//! ```
//!
//! Law: each element of the tile that is in bounds of D is written once, and nothing else is. Where D's rows are not aligned,
//! elements are written one by one, neighbours by neighbouring threads.

/// The body of `GemmConfig::store`, for chunks that all threads of a CTA store together.
#[doc(hidden)]
#[macro_export]
macro_rules! store_epilogue {
    // Chunks of (32, 32) by 128 threads.
    (chunk_32x32 $chunks16:literal of $passes16:literal, $chunks32:literal of $passes32:literal; $($rest:tt)*) => {
        $crate::store_epilogue! {
            $($rest)*,
            identity Chunks32x32<int!($chunks16)>, $chunks16 chunks in $passes16 passes,
            general TileToShape<Composition<Swizzle<2, 3, 2>, layout!((32,32):(32,1))>, shape!((32,32,$chunks32))>, $chunks32 chunks in $passes32 passes,
            rows 32, columns 32, threads layout!((32,4):(4,1)), values layout!((1,8)),
            narrow layout!(((4,32),8):((256,1),32)), wide layout!(((4,32),(4,2)):((128,1),(32,512))),
            element_wise layout!(((32,4),8):((1@1,1@0),4@0))
        }
    };
    // Chunks of (32, 64) by 256 threads.
    (chunk_32x64 $chunks16:literal of $passes16:literal, $chunks32:literal of $passes32:literal; $($rest:tt)*) => {
        $crate::store_epilogue! {
            $($rest)*,
            identity Chunks32x64<int!($chunks16)>, $chunks16 chunks in $passes16 passes,
            general TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,64):(64,1))>, shape!((32,64,$chunks32))>, $chunks32 chunks in $passes32 passes,
            rows 32, columns 64, threads layout!((32,8):(8,1)), values layout!((1,8)),
            narrow layout!(((8,32),8):((256,1),32)), wide layout!(((8,32),(4,2)):((128,1),(32,1024))),
            element_wise layout!(((64,4),8):((1@1,1@0),4@0))
        }
    };
    (
        $self:ident, $pointers:ident, $params:ident, $tile:ident, $shared:ident, $operation:ty,
        $mma:ty, $accumulator:ty, $element_d:ty, [$($pairs:ident)?], $m:literal, $n:literal,
        identity $smem16:ty, $chunks16:literal chunks in $passes16:literal passes,
        general $smem32:ty, $chunks32:literal chunks in $passes32:literal passes,
        rows $rows:literal, columns $columns:literal, threads $threads:ty, values $values:ty, narrow $narrow:ty, wide $wide:ty, element_wise $element_wise:ty
    ) => {{
        type BitsD = <$element_d as ElementD>::Bits;
        let (thread, set) = (thread_here(), $params.epilogue);
        let (vectors, extents) = (set & flags::VECTORS != 0, [$params.m, $params.n]);
        let at = ($tile[0], $tile[1]);
        // Leading dimensions are at most 2^31: a distance in 32 bits is multiplied in one instruction.
        let strides_d = (u64::from($params.ldd as u32), Int::<1>);
        $(
            let $pairs = $crate::gemm::epilogue::is_identity::<$operation>($params);
            if $pairs {
                type R2s = MakeTiledCopyC<StorePairs, u16, $mma>;
                type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, $threads, $values>;
                let r2s = R2s::get_slice(thread);
                let rounded = Fragment::<u16, AccumulatorOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
                transform(
                    &$self.accumulator.view().recast::<<$accumulator as ElementAccumulator>::Pair>(),
                    &rounded.view().recast::<u32>(),
                    <$accumulator as RoundPairs<$element_d>>::round,
                );
                let from = r2s.retile_s(&rounded.view()).group_modes::<int!(1), int!(3)>(); // (CPY, chunk)
                // SAFETY: by the plan D is writable within its extents, and shared memory from the driver's `shared` on holds the
                // chunks; by the tile scheduler no other CTA stores the tile. Barriers stand between a chunk's writers and readers.
                unsafe {
                    let s_c = Tensor::<Shared<u16>, $smem16>::shared($shared); // (rows, columns, chunk)
                    let to = r2s.partition_d(&s_c); // (CPY, CPY_M, CPY_N, chunk)
                    let d = Tensor::global_mut($pointers.d.cast::<u16>(), extents, strides_d)
                        .local_tile::<tile!($m, $n), _>(at);
                    let s2g = S2g::get_slice(thread);
                    let t_sc = s2g.partition_s(&s_c); // (CPY, CPY_M, CPY_N, chunk)
                    let t_gd = s2g.partition_d(&d).group_modes::<int!(1), int!(3)>().from_here(); // (CPY, chunk)
                    unroll::<$passes16>(|pass| {
                        if pass != 0 {
                            sync_threads();
                        }
                        unroll::<$chunks16>(|j| {
                            let chunk = (pass * $chunks16 + j) as u32;
                            copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                        sync_threads();
                        unroll::<$chunks16>(|j| {
                            let target = t_gd.slice((__, (pass * $chunks16 + j) as u32));
                            let source = t_sc.slice((__, 0u32, 0u32, j as u32));
                            // Shared memory holds all of the chunk: only the store is predicated.
                            let vector = make_fragment_like(&source);
                            copy(S2g::default(), &source, &vector.view());
                            copy_if(S2g::default(), target.atoms_inside(), &vector.view(), &target);
                        });
                    });
                }
                return;
            }
        )?
        type R2s = MakeTiledCopyC<UniversalCopy<u64>, u32, $mma>;
        // A thread has eight neighbouring elements of a chunk; of a D of 32 bits, and of integers that stay 32 bits wide, two vectors
        // of four, so that neighbouring threads fill the sectors of D together.
        type Values = layout!(((4,2)):((1,4)));
        type ValuesD = <BitsD as EightOf>::Values;
        type Places = <BitsD as EightOf>::Places<$narrow, $wide>;
        type S2r = TiledCopy<UniversalCopy<u128>, u32, Places, tile!($rows, $columns)>;
        type Wide = TiledCopy<UniversalCopy<u128>, u32, $wide, tile!($rows, $columns)>;
        type VectorsD = TiledCopy<UniversalCopy<<BitsD as EightOf>::Vector>, BitsD, Places, tile!($rows, $columns)>;
        type Pairs = MakeTiledCopyC<UniversalCopy<<$accumulator as ElementAccumulator>::Pair>, <$accumulator as ElementAccumulator>::Bits, $mma>;
        let r2s = R2s::get_slice(thread);
        let from = Pairs::get_slice(thread).retile_s(&$self.accumulator.view().recast::<<$accumulator as ElementAccumulator>::Bits>());
        let from = from.group_modes::<int!(1), int!(3)>(); // (CPY, chunk)
        // The layout of a chunk's elements once they are 32 bits wide.
        let widened = Fragment::<u32, AccumulatorOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
        let widened = r2s.retile_s(&widened.view()).group_modes::<int!(1), int!(3)>();
        let integers = vectors && size_of::<BitsD>() == 1 && set & flags::INTEGER != 0;
        let wide = set & flags::WIDE != 0 || size_of::<BitsD>() == 4;
        // SAFETY: by the plan D is writable, and what the flags name of C and the bias readable, within the extents, and shared memory
        // from the driver's `shared` on holds the chunks; by the tile scheduler no other CTA stores the tile. Barriers stand between a
        // chunk's writers and its readers.
        unsafe {
            type Tile = tile!($m, $n);
            let strides_c = ($params.ldc, Int::<1>);
            let s_c = Tensor::<Shared<u32>, $smem32>::shared($shared); // (rows, columns, chunk)
            let to = r2s.partition_d(&s_c); // (CPY, CPY_M, CPY_N, chunk)
            let wide_d = Tensor::global_mut($pointers.d.cast::<u32>(), extents, strides_d).local_tile::<Tile, _>(at);
            let wide_c = Tensor::global($pointers.c.cast::<u32>(), extents, strides_c).local_tile::<Tile, _>(at);
            let narrow_d = Tensor::global_mut($pointers.d.cast::<BitsD>(), extents, strides_d).local_tile::<Tile, _>(at);
            let narrow_c = Tensor::global($pointers.c.cast::<BitsD>(), extents, strides_c).local_tile::<Tile, _>(at);
            // One row, which all rows of D share.
            let bias = Tensor::global($pointers.bias.cast::<u32>(), extents, (0, Int::<1>)).local_tile::<Tile, _>(at);
            let (s2r, vectors_d) = (S2r::get_slice(thread), VectorsD::get_slice(thread));
            let t_sc = s2r.partition_s(&s_c); // (CPY, CPY_M, CPY_N, chunk)
            // (CPY, chunk), each.
            let t_gb = s2r.partition_s(&bias).group_modes::<int!(1), int!(3)>();
            let t_gd = s2r.partition_d(&wide_d).group_modes::<int!(1), int!(3)>();
            let t_sw = Wide::get_slice(thread).partition_s(&s_c); // (CPY, CPY_M, CPY_N, chunk)
            let t_gw = Wide::get_slice(thread).partition_d(&wide_d).group_modes::<int!(1), int!(3)>();
            let t_gc = s2r.partition_s(&wide_c).group_modes::<int!(1), int!(3)>();
            let t_gd_narrow = vectors_d.partition_d(&narrow_d).group_modes::<int!(1), int!(3)>();
            let t_gc_narrow = vectors_d.partition_s(&narrow_c).group_modes::<int!(1), int!(3)>();
            let mut pass = 0;
            while pass < opaque($passes32) {
                // Registers have no run-time index: each pass is a case of its own.
                unroll::<$passes32>(|this| {
                    if this as u32 == pass {
                        unroll::<$chunks32>(|j| {
                            let chunk = (this * $chunks32 + j) as u32;
                            let fragment = make_fragment_like(&widened.slice((__, chunk)));
                            transform(
                                &from.slice((__, chunk)).recast::<<$accumulator as ElementAccumulator>::Pair>(),
                                &fragment.view().recast::<u64>(),
                                <$accumulator as ElementAccumulator>::widen,
                            );
                            copy(R2s::default(), &fragment.view(), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                    }
                });
                sync_threads();
                let mut j = if integers {
                    unroll::<$chunks32>(|j| {
                        let integers = Fragment::<u32, Values>::new();
                        copy(Wide::default(), &t_sw.slice((__, 0u32, 0u32, j as u32)), &integers.view());
                        let target = t_gw.slice((__, pass * $chunks32 + j as u32));
                        copy_if(Wide::default(), target.atoms_inside(), &integers.view(), &target);
                    });
                    $chunks32
                } else {
                    0
                };
                while j < opaque($chunks32) {
                    let chunk = pass * $chunks32 + j;
                    if vectors {
                        let accumulator = Fragment::<u32, Values>::new();
                        copy(S2r::default(), &t_sc.slice((__, 0u32, 0u32, j)), &accumulator.view());
                        if set & flags::INTEGER == 0 {
                            let values = Fragment::<f32, Values>::new();
                            transform(&accumulator.view(), &values.view(), <$accumulator as ElementAccumulator>::value);
                            let load_c = || {
                                let c = Fragment::<f32, Values>::new();
                                if wide {
                                    let source = t_gc.slice((__, chunk));
                                    copy_if(S2r::default(), source.atoms_inside(), &source, &c.view().recast::<u32>());
                                } else {
                                    let bits = Fragment::<BitsD, ValuesD>::new();
                                    let source = t_gc_narrow.slice((__, chunk));
                                    copy_if(VectorsD::default(), source.atoms_inside(), &source, &bits.view());
                                    transform(&bits.view(), &c.view(), <$element_d as ElementD>::value);
                                }
                                c
                            };
                            let load_bias = || {
                                let bias = Fragment::<u32, Values>::new();
                                let source = t_gb.slice((__, chunk));
                                copy_if(S2r::default(), source.atoms_inside(), &source, &bias.view());
                                bias
                            };
                            let mut values = VectorValues { values, load_c, load_bias };
                            <$operation as EpilogueOp>::apply(&mut values, $params);
                            transform(&values.values.view(), &accumulator.view(), f32::to_bits);
                        }
                        if wide || set & flags::INTEGER != 0 {
                            let target = t_gd.slice((__, chunk));
                            copy_if(S2r::default(), target.atoms_inside(), &accumulator.view(), &target);
                        } else {
                            let bits = Fragment::<BitsD, ValuesD>::new();
                            transform(&accumulator.view(), &bits.view(), |x| <$element_d as ElementD>::round(f32::from_bits(x)));
                            let target = t_gd_narrow.slice((__, chunk));
                            copy_if(VectorsD::default(), target.atoms_inside(), &bits.view(), &target);
                        }
                    } else {
                        // Element by element, neighbours by neighbouring threads.
                        let mut element = 0;
                        while element < opaque(8) {
                            let [row, column] = <$element_wise>::coordinate::<u32, _, 2>((thread, element));
                            let (down, across) = (chunk % ($m / $rows), chunk / ($m / $rows));
                            let place = (down * $rows + row, across * $columns + column);
                            let bits = s_c.get((row, column, j));
                            if wide_d.inside(place) {
                                let mut bits = bits;
                                if set & flags::INTEGER == 0 {
                                    let load_c = || if wide {
                                        f32::from_bits(wide_c.get(place))
                                    } else {
                                        <$element_d as ElementD>::value(narrow_c.get(place))
                                    };
                                    let load_bias = || f32::from_bits(bias.get(place));
                                    let value = <$accumulator as ElementAccumulator>::value(bits);
                                    let mut value = ElementValue { value, load_c, load_bias };
                                    <$operation as EpilogueOp>::apply(&mut value, $params);
                                    bits = value.value.to_bits();
                                }
                                if wide || set & flags::INTEGER != 0 {
                                    wide_d.set(place, bits);
                                } else {
                                    narrow_d.set(place, <$element_d as ElementD>::round(f32::from_bits(bits)));
                                }
                            }
                            element += 1;
                        }
                    }
                    j += 1;
                }
                sync_threads();
                pass += 1;
            }
        }
    }};
}
