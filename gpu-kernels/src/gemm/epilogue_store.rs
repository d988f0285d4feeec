//! From sums to D: through shared memory, so that what goes to global memory is 16 bytes of a row at a time.
//!
//! ```text
//!   plain     sums ─ round ─► R2s, 32 bits or stmatrix ─► Sw<2,3,3> o (32,32), some chunks at a time ─► S2g, 128 bits ─► D
//!   general   sums ─────────► R2s, 64 bits ─► Sw<2,3,2> o (32,32) of 32-bit elements ─► act(alpha sum + beta C + bias) ─► D
//! ```
//!
//! Law: each element of the tile that lies inside D is written once; nothing else is. Where D's rows are not aligned, elements
//! are written one by one, neighbours by neighbouring threads.

/// The body of `GemmConfig::store`, for chunks that all threads of a block store together.
macro_rules! epilogue {
    (
        $self:ident, $outputs:ident, $parameters:ident, $tile:ident, $shared:ident,
        $mma:ty, $sum:ty, $narrow:ty, [$($pairs:ident)?], $m:literal, $n:literal,
        narrow $smem16:ty, pipe $pipe16:literal of $steps16:literal,
        wide $smem32:ty, pipe $pipe32:literal of $steps32:literal,
        rows $rows:literal, columns $columns:literal, threads $threads:ty, values $values:ty, single $single:ty
    ) => {{
        type NarrowBits = <$narrow as Narrow>::Bits;
        let (thread, set) = (thread_here(), $parameters.epilogue);
        let (vectors, extents) = (set & flags::VECTORS != 0, [$parameters.m, $parameters.n]);
        let at = ($tile[0], $tile[1]);
        // At most 2^31: a distance in 32 bits is multiplied in one instruction.
        let strides_d = [u64::from($parameters.ldd as u32), 1];
        $(
            let $pairs = $crate::gemm::config::plain($parameters);
            if $pairs {
                type R2s = MakeTiledCopyC<StorePairs, u16, $mma>;
                type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, $threads, $values>;
                let r2s = R2s::get_slice(thread);
                let rounded = Fragment::<u16, SumsOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
                transform(
                    &$self.sums.view().recast::<<$sum as Sum>::Pair>(),
                    &rounded.view().recast::<u32>(),
                    <$sum as RoundPairs<$narrow>>::round,
                );
                let from = r2s.retile_s(&rounded.view()).group_modes::<int!(1), int!(3)>();
                // SAFETY: the caller's contract; a barrier stands between a chunk's writers and its readers, both ways;
                // each block has a tile of D of its own.
                unsafe {
                    let s_c = Tensor::<Shared<u16>, $smem16>::shared($shared);
                    let to = r2s.partition_d(&s_c);
                    let d = Tensor::global_mut($outputs.d.cast::<u16>(), extents, strides_d)
                        .local_tile::<tile!($m, $n), _>(at);
                    let s2g = S2g::get_slice(thread);
                    let t_sc = s2g.partition_s(&s_c);
                    let t_gd = s2g.partition_d(&d).group_modes::<int!(1), int!(3)>().from_here();
                    unroll::<$steps16>(|step| {
                        if step != 0 {
                            sync_threads();
                        }
                        unroll::<$pipe16>(|j| {
                            let chunk = (step * $pipe16 + j) as u32;
                            copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                        sync_threads();
                        unroll::<$pipe16>(|j| {
                            let target = t_gd.slice((__, (step * $pipe16 + j) as u32));
                            let source = t_sc.slice((__, 0u32, 0u32, j as u32));
                            // Whatever is inside, shared memory can be read.
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
        // Eight sums a thread and chunk, side by side.
        type Values = layout!(((4,2)):((1,4)));
        type NarrowValues = <NarrowBits as EightOf>::Values;
        type S2r = MakeTiledCopy<UniversalCopy<u128>, u32, $threads, $values>;
        type NarrowVectors = MakeTiledCopy<UniversalCopy<<NarrowBits as EightOf>::Vector>, NarrowBits, $threads, $values>;
        type Pairs = MakeTiledCopyC<UniversalCopy<<$sum as Sum>::Pair>, <$sum as Sum>::Bits, $mma>;
        let r2s = R2s::get_slice(thread);
        let from = Pairs::get_slice(thread).retile_s(&$self.sums.view().recast::<<$sum as Sum>::Bits>());
        let from = from.group_modes::<int!(1), int!(3)>();
        // How a chunk's sums lie once they are 32 bits wide.
        let staged = Fragment::<u32, SumsOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
        let staged = r2s.retile_s(&staged.view()).group_modes::<int!(1), int!(3)>();
        let wide = set & flags::WIDE != 0 || size_of::<NarrowBits>() == 4;
        let finish = |x: f32| {
            let x = if set & flags::RELU != 0 { x.max(0.0) } else { x };
            if set & flags::GELU != 0 { gelu(x) } else { x }
        };
        // SAFETY: as above; what the flags do not name is not read.
        unsafe {
            type Tile = tile!($m, $n);
            let strides_c = [$parameters.ldc, 1];
            let s_c = Tensor::<Shared<u32>, $smem32>::shared($shared);
            let to = r2s.partition_d(&s_c);
            let wide_d = Tensor::global_mut($outputs.d.cast::<u32>(), extents, strides_d).local_tile::<Tile, _>(at);
            let wide_c = Tensor::global($outputs.c.cast::<u32>(), extents, strides_c).local_tile::<Tile, _>(at);
            let narrow_d = Tensor::global_mut($outputs.d.cast::<NarrowBits>(), extents, strides_d).local_tile::<Tile, _>(at);
            let narrow_c = Tensor::global($outputs.c.cast::<NarrowBits>(), extents, strides_c).local_tile::<Tile, _>(at);
            // The same for all rows.
            let bias = Tensor::global($outputs.bias.cast::<u32>(), extents, [0, 1]).local_tile::<Tile, _>(at);
            let (s2r, vector) = (S2r::get_slice(thread), NarrowVectors::get_slice(thread));
            let t_sc = s2r.partition_s(&s_c);
            let t_gb = s2r.partition_s(&bias).group_modes::<int!(1), int!(3)>();
            let t_gd = s2r.partition_d(&wide_d).group_modes::<int!(1), int!(3)>();
            let t_gc = s2r.partition_s(&wide_c).group_modes::<int!(1), int!(3)>();
            let n_gd = vector.partition_d(&narrow_d).group_modes::<int!(1), int!(3)>();
            let n_gc = vector.partition_s(&narrow_c).group_modes::<int!(1), int!(3)>();
            let mut step = 0;
            while step < opaque($steps32) {
                // Registers have no run-time index.
                unroll::<$steps32>(|this| {
                    if this as u32 == step {
                        unroll::<$pipe32>(|j| {
                            let chunk = (this * $pipe32 + j) as u32;
                            let part = make_fragment_like(&staged.slice((__, chunk)));
                            transform(
                                &from.slice((__, chunk)).recast::<<$sum as Sum>::Pair>(),
                                &part.view().recast::<u64>(),
                                <$sum as Sum>::staged,
                            );
                            copy(R2s::default(), &part.view(), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                    }
                });
                sync_threads();
                let mut j = 0;
                while j < opaque($pipe32) {
                    let chunk = step * $pipe32 + j;
                    if vectors {
                        let sums = Fragment::<u32, Values>::new();
                        copy(S2r::default(), &t_sc.slice((__, 0u32, 0u32, j)), &sums.view());
                        if set & flags::INTEGER == 0 {
                            let values = Fragment::<f32, Values>::new();
                            transform(&sums.view(), &values.view(), |bits| <$sum as Sum>::value(bits) * $parameters.alpha);
                            if set & flags::C != 0 {
                                let c = Fragment::<f32, Values>::new();
                                if wide {
                                    let source = t_gc.slice((__, chunk));
                                    copy_if(S2r::default(), source.atoms_inside(), &source, &c.view().recast::<u32>());
                                } else {
                                    let bits = Fragment::<NarrowBits, NarrowValues>::new();
                                    let source = n_gc.slice((__, chunk));
                                    copy_if(NarrowVectors::default(), source.atoms_inside(), &source, &bits.view());
                                    transform(&bits.view(), &c.view(), <$narrow as Narrow>::value);
                                }
                                transform_with(&values.view(), &c.view(), &values.view(), |x, c| x + $parameters.beta * c);
                            }
                            if set & flags::BIAS != 0 {
                                let of_bias = Fragment::<u32, Values>::new();
                                let source = t_gb.slice((__, chunk));
                                copy_if(S2r::default(), source.atoms_inside(), &source, &of_bias.view());
                                transform_with(&values.view(), &of_bias.view(), &values.view(), |x, b| x + f32::from_bits(b));
                            }
                            transform(&values.view(), &values.view(), finish);
                            transform(&values.view(), &sums.view(), f32::to_bits);
                        }
                        if wide || set & flags::INTEGER != 0 {
                            let target = t_gd.slice((__, chunk));
                            copy_if(S2r::default(), target.atoms_inside(), &sums.view(), &target);
                        } else {
                            let bits = Fragment::<NarrowBits, NarrowValues>::new();
                            transform(&sums.view(), &bits.view(), |x| <$narrow as Narrow>::round(f32::from_bits(x)));
                            let target = n_gd.slice((__, chunk));
                            copy_if(NarrowVectors::default(), target.atoms_inside(), &bits.view(), &target);
                        }
                    } else {
                        // Element by element, neighbours by neighbours.
                        let mut turn = 0;
                        while turn < opaque(8) {
                            let [row, column] = <$single>::coordinate::<u32, _, 2>((thread, turn));
                            let (down, across) = (chunk % ($m / $rows), chunk / ($m / $rows));
                            let place = (down * $rows + row, across * $columns + column);
                            let bits = s_c.get((row, column, j));
                            if wide_d.inside(place) {
                                let mut bits = bits;
                                if set & flags::INTEGER == 0 {
                                    let mut x = <$sum as Sum>::value(bits) * $parameters.alpha;
                                    if set & flags::C != 0 {
                                        let c = if wide {
                                            f32::from_bits(wide_c.get(place))
                                        } else {
                                            <$narrow as Narrow>::value(narrow_c.get(place))
                                        };
                                        x += $parameters.beta * c;
                                    }
                                    if set & flags::BIAS != 0 {
                                        x += f32::from_bits(bias.get(place));
                                    }
                                    bits = finish(x).to_bits();
                                }
                                if wide || set & flags::INTEGER != 0 {
                                    wide_d.set(place, bits);
                                } else {
                                    narrow_d.set(place, <$narrow as Narrow>::round(f32::from_bits(bits)));
                                }
                            }
                            turn += 1;
                        }
                    }
                    j += 1;
                }
                sync_threads();
                step += 1;
            }
        }
    }};
}
pub(super) use epilogue;

/// Chunks of (32, 32) by 128 threads.
macro_rules! chunk_32x32 {
    ($pipe16:literal of $steps16:literal, $pipe32:literal of $steps32:literal; $($rest:tt)*) => {
        $crate::gemm::epilogue_store::epilogue! {
            $($rest)*,
            narrow Chunks32x32<int!($pipe16)>,
            pipe $pipe16 of $steps16,
            wide TileToShape<Composition<Swizzle<2, 3, 2>, layout!((32,32):(32,1))>, shape!((32,32,$pipe32))>,
            pipe $pipe32 of $steps32,
            rows 32, columns 32, threads layout!((32,4):(4,1)), values layout!((1,8)),
            single layout!(((32,4),8):((1@1,1@0),4@0))
        }
    };
}
pub(super) use chunk_32x32;

/// Chunks of (32, 64) by 256 threads.
macro_rules! chunk_32x64 {
    ($pipe16:literal of $steps16:literal, $pipe32:literal of $steps32:literal; $($rest:tt)*) => {
        $crate::gemm::epilogue_store::epilogue! {
            $($rest)*,
            narrow Chunks32x64<int!($pipe16)>,
            pipe $pipe16 of $steps16,
            wide TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,64):(64,1))>, shape!((32,64,$pipe32))>,
            pipe $pipe32 of $steps32,
            rows 32, columns 64, threads layout!((32,8):(8,1)), values layout!((1,8)),
            single layout!(((64,4),8):((1@1,1@0),4@0))
        }
    };
}
pub(super) use chunk_32x64;
