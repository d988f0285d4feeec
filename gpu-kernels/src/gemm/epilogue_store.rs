//! From sums to D: through shared memory, so that what goes to global memory is 16 bytes of a row at a time.
//!
//! ```text
//!   plain     sums ─ round ─► R2s, 32 bits ─► Sw<2,3,3> o (32,32), some chunks at a time ─► S2g, 128 bits ─► D
//!   wide      sums ─────────► R2s, 64 bits ─► Sw<2,3,2> o (32,32) of 32-bit elements    ─► S2g, 128 bits ─► D
//!   general   as wide, and on the way from shared memory: act(alpha sum + beta C + bias), rounded
//! ```
//!
//! Law: each element of the tile that lies inside D is written once; nothing else is. Where D's rows are not aligned, elements
//! are written one by one by the threads that else write the vectors.

/// The body of `GemmConfig::store`, for chunks of `chunk` that all threads of a block store together.
macro_rules! epilogue {
    (
        $self:ident, $outputs:ident, $parameters:ident, $tile:ident, $shared:ident,
        $mma:ty, $sum:ty, $narrow:ty, [$($pairs:ident)?], $m:literal, $n:literal,
        narrow $smem16:ty, pipe $pipe16:literal of $steps16:literal, threads $thr16:ty, values $val16:ty,
        wide $smem32:ty, pipe $pipe32:literal of $steps32:literal, threads $thr32:ty, values $val32:ty
    ) => {{
        type NarrowBits = <$narrow as Narrow>::Bits;
        let (thread, set) = ($self.thread, $parameters.epilogue);
        let (vectors, extents) = (set & flags::VECTORS != 0, [$parameters.m, $parameters.n]);
        let at = ($tile[0], $tile[1]);
        let strides_d = [$parameters.ldd, 1];
        $(
            let $pairs = set;
            if $pairs & (flags::WIDE | flags::GENERAL) == 0 {
                type R2s = MakeTiledCopyC<UniversalCopy<u32>, u16, $mma>;
                type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, $thr16, $val16>;
                type Singles = MakeTiledCopy<UniversalCopy<u16>, u16, $thr16, $val16>;
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
                    let (s2g, singles) = (S2g::get_slice(thread), Singles::get_slice(thread));
                    let (t_sc, t_sc1) = (s2g.partition_s(&s_c), singles.partition_s(&s_c));
                    let t_gd = s2g.partition_d(&d).group_modes::<int!(1), int!(3)>();
                    let t_gd1 = singles.partition_d(&d).group_modes::<int!(1), int!(3)>();
                    unroll::<$steps16>(|step| {
                        if step != 0 {
                            sync_threads();
                        }
                        unroll::<$pipe16>(|j| {
                            let chunk = (step * $pipe16 + j) as u32;
                            copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                        sync_threads();
                        if vectors {
                            unroll::<$pipe16>(|j| {
                                let target = t_gd.slice((__, (step * $pipe16 + j) as u32));
                                let source = t_sc.slice((__, 0u32, 0u32, j as u32));
                                copy_if(S2g::default(), target.atoms_inside(), &source, &target);
                            });
                        } else {
                            let mut j = 0;
                            while j < opaque($pipe16) {
                                let target = t_gd1.slice((__, step as u32 * $pipe16 + j));
                                let source = t_sc1.slice((__, 0u32, 0u32, j));
                                copy_if(Singles::default(), target.atoms_inside(), &source, &target);
                                j += 1;
                            }
                        }
                    });
                }
                return;
            }
        )?
        type R2s = MakeTiledCopyC<UniversalCopy<u64>, u32, $mma>;
        let r2s = R2s::get_slice(thread);
        let staged = Fragment::<u32, SumsOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
        transform(
            &$self.sums.view().recast::<<$sum as Sum>::Pair>(),
            &staged.view().recast::<u64>(),
            <$sum as Sum>::staged,
        );
        let from = r2s.retile_s(&staged.view()).group_modes::<int!(1), int!(3)>();
        // SAFETY: the caller's contract; a barrier stands between a chunk's writers and its readers, both ways.
        let s_c = unsafe { Tensor::<Shared<u32>, $smem32>::shared($shared) };
        let to = r2s.partition_d(&s_c);
        if set & flags::GENERAL == 0 {
            type S2g = MakeTiledCopy<UniversalCopy<u128>, u32, $thr32, $val32>;
            type Singles = MakeTiledCopy<UniversalCopy<u32>, u32, $thr32, $val32>;
            // SAFETY: as above; each block has a tile of D of its own.
            unsafe {
                let d = Tensor::global_mut($outputs.d.cast::<u32>(), extents, strides_d)
                    .local_tile::<tile!($m, $n), _>(at);
                let (s2g, singles) = (S2g::get_slice(thread), Singles::get_slice(thread));
                let (t_sc, t_sc1) = (s2g.partition_s(&s_c), singles.partition_s(&s_c));
                let t_gd = s2g.partition_d(&d).group_modes::<int!(1), int!(3)>();
                let t_gd1 = singles.partition_d(&d).group_modes::<int!(1), int!(3)>();
                unroll::<$steps32>(|step| {
                    unroll::<$pipe32>(|j| {
                        let chunk = (step * $pipe32 + j) as u32;
                        copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, j as u32)));
                    });
                    sync_threads();
                    let mut j = 0;
                    while j < opaque($pipe32) {
                        let chunk = step as u32 * $pipe32 + j;
                        if vectors {
                            let target = t_gd.slice((__, chunk));
                            copy_if(S2g::default(), target.atoms_inside(), &t_sc.slice((__, 0u32, 0u32, j)), &target);
                        } else {
                            let target = t_gd1.slice((__, chunk));
                            copy_if(Singles::default(), target.atoms_inside(), &t_sc1.slice((__, 0u32, 0u32, j)), &target);
                        }
                        j += 1;
                    }
                    sync_threads();
                });
            }
            return;
        }
        // Eight sums a thread and chunk, side by side.
        type Values = layout!(((4,2)):((1,4)));
        type OneByOne = layout!(((1,8)):((0,1)));
        type S2r = MakeTiledCopy<UniversalCopy<u128>, u32, $thr16, $val16>;
        type Singles = MakeTiledCopy<UniversalCopy<u32>, u32, $thr16, $val16>;
        type NarrowValues = <NarrowBits as EightOf>::Values;
        type NarrowVectors = MakeTiledCopy<UniversalCopy<<NarrowBits as EightOf>::Vector>, NarrowBits, $thr16, $val16>;
        type NarrowSingles = MakeTiledCopy<UniversalCopy<NarrowBits>, NarrowBits, $thr16, $val16>;
        // SAFETY: as above; what the flags do not name is not read.
        unsafe {
            type Tile = tile!($m, $n);
            let strides_c = [$parameters.ldc, 1];
            let (s2r, singles) = (S2r::get_slice(thread), Singles::get_slice(thread));
            let (n_vectors, n_singles) = (NarrowVectors::get_slice(thread), NarrowSingles::get_slice(thread));
            let t_sc = s2r.partition_s(&s_c);
            let wide_d = Tensor::global_mut($outputs.d.cast::<u32>(), extents, strides_d).local_tile::<Tile, _>(at);
            let wide_c = Tensor::global($outputs.c.cast::<u32>(), extents, strides_c).local_tile::<Tile, _>(at);
            let narrow_d = Tensor::global_mut($outputs.d.cast::<NarrowBits>(), extents, strides_d).local_tile::<Tile, _>(at);
            let narrow_c = Tensor::global($outputs.c.cast::<NarrowBits>(), extents, strides_c).local_tile::<Tile, _>(at);
            // The same for all rows.
            let bias = Tensor::global($outputs.bias.cast::<u32>(), extents, [0, 1]).local_tile::<Tile, _>(at);
            let t_gb = singles.partition_s(&bias).group_modes::<int!(1), int!(3)>();
            let t_gd = s2r.partition_d(&wide_d).group_modes::<int!(1), int!(3)>();
            let t_gd1 = singles.partition_d(&wide_d).group_modes::<int!(1), int!(3)>();
            let t_gc = s2r.partition_s(&wide_c).group_modes::<int!(1), int!(3)>();
            let t_gc1 = singles.partition_s(&wide_c).group_modes::<int!(1), int!(3)>();
            let n_gd = n_vectors.partition_d(&narrow_d).group_modes::<int!(1), int!(3)>();
            let n_gd1 = n_singles.partition_d(&narrow_d).group_modes::<int!(1), int!(3)>();
            let n_gc = n_vectors.partition_s(&narrow_c).group_modes::<int!(1), int!(3)>();
            let n_gc1 = n_singles.partition_s(&narrow_c).group_modes::<int!(1), int!(3)>();
            let mut step = 0;
            while step < opaque($steps32) {
                // Registers have no run-time index.
                unroll::<$steps32>(|this| {
                    if this as u32 == step {
                        unroll::<$pipe32>(|j| {
                            let chunk = (this * $pipe32 + j) as u32;
                            copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, j as u32)));
                        });
                    }
                });
                sync_threads();
                let mut j = 0;
                while j < opaque($pipe32) {
                    let chunk = step * $pipe32 + j;
                    let sums = Fragment::<u32, Values>::new();
                    copy(S2r::default(), &t_sc.slice((__, 0u32, 0u32, j)), &sums.view());
                    let values = Fragment::<f32, Values>::new();
                    transform(&sums.view(), &values.view(), |bits| <$sum as Sum>::value(bits) * $parameters.alpha);
                    if set & flags::C != 0 {
                        let c = Fragment::<f32, Values>::new();
                        if set & flags::WIDE != 0 || size_of::<NarrowBits>() == 4 {
                            let c = c.view().recast::<u32>();
                            if vectors {
                                let source = t_gc.slice((__, chunk));
                                copy_if(S2r::default(), source.atoms_inside(), &source, &c);
                            } else {
                                let source = t_gc1.slice((__, chunk));
                                copy_if(Singles::default(), source.atoms_inside(), &source, &c.compose::<OneByOne>());
                            }
                        } else {
                            let bits = Fragment::<NarrowBits, NarrowValues>::new();
                            if vectors {
                                let source = n_gc.slice((__, chunk));
                                copy_if(NarrowVectors::default(), source.atoms_inside(), &source, &bits.view());
                            } else {
                                let source = n_gc1.slice((__, chunk));
                                copy_if(NarrowSingles::default(), source.atoms_inside(), &source, &bits.view().compose::<OneByOne>());
                            }
                            transform(&bits.view(), &c.view(), <$narrow as Narrow>::value);
                        }
                        transform_with(&values.view(), &c.view(), &values.view(), |x, c| x + $parameters.beta * c);
                    }
                    if set & flags::BIAS != 0 {
                        let of_bias = Fragment::<u32, Values>::new();
                        let source = t_gb.slice((__, chunk));
                        copy_if(Singles::default(), source.atoms_inside(), &source, &of_bias.view().compose::<OneByOne>());
                        transform_with(&values.view(), &of_bias.view(), &values.view(), |x, b| x + f32::from_bits(b));
                    }
                    if set & flags::RELU != 0 {
                        transform(&values.view(), &values.view(), |x| x.max(0.0));
                    }
                    if set & flags::GELU != 0 {
                        transform(&values.view(), &values.view(), gelu);
                    }
                    if set & flags::WIDE != 0 || size_of::<NarrowBits>() == 4 {
                        let values = values.view().recast::<u32>();
                        if vectors {
                            let target = t_gd.slice((__, chunk));
                            copy_if(S2r::default(), target.atoms_inside(), &values, &target);
                        } else {
                            let target = t_gd1.slice((__, chunk));
                            copy_if(Singles::default(), target.atoms_inside(), &values.compose::<OneByOne>(), &target);
                        }
                    } else {
                        let bits = Fragment::<NarrowBits, NarrowValues>::new();
                        transform(&values.view(), &bits.view(), <$narrow as Narrow>::round);
                        if vectors {
                            let target = n_gd.slice((__, chunk));
                            copy_if(NarrowVectors::default(), target.atoms_inside(), &bits.view(), &target);
                        } else {
                            let target = n_gd1.slice((__, chunk));
                            copy_if(NarrowSingles::default(), target.atoms_inside(), &bits.view().compose::<OneByOne>(), &target);
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
            narrow TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32,32,$pipe16))>,
            pipe $pipe16 of $steps16, threads layout!((32,4):(4,1)), values layout!((1,8)),
            wide TileToShape<Composition<Swizzle<2, 3, 2>, layout!((32,32):(32,1))>, shape!((32,32,$pipe32))>,
            pipe $pipe32 of $steps32, threads layout!((16,8):(8,1)), values layout!((2,4):(4,1))
        }
    };
}
pub(super) use chunk_32x32;

/// Chunks of (32, 64) by 256 threads.
macro_rules! chunk_32x64 {
    ($pipe16:literal of $steps16:literal, $pipe32:literal of $steps32:literal; $($rest:tt)*) => {
        $crate::gemm::epilogue_store::epilogue! {
            $($rest)*,
            narrow TileToShape<Composition<Swizzle<3, 3, 3>, layout!((32,64):(64,1))>, shape!((32,64,$pipe16))>,
            pipe $pipe16 of $steps16, threads layout!((32,8):(8,1)), values layout!((1,8)),
            wide TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,64):(64,1))>, shape!((32,64,$pipe32))>,
            pipe $pipe32 of $steps32, threads layout!((16,16):(16,1)), values layout!((2,4):(4,1))
        }
    };
}
pub(super) use chunk_32x64;

/// Chunks of (64, 32) by 256 threads.
macro_rules! chunk_64x32 {
    ($pipe16:literal of $steps16:literal, $pipe32:literal of $steps32:literal; $($rest:tt)*) => {
        $crate::gemm::epilogue_store::epilogue! {
            $($rest)*,
            narrow TileToShape<Composition<Swizzle<2, 3, 3>, layout!((64,32):(32,1))>, shape!((64,32,$pipe16))>,
            pipe $pipe16 of $steps16, threads layout!((64,4):(4,1)), values layout!((1,8)),
            wide TileToShape<Composition<Swizzle<2, 3, 2>, layout!((64,32):(32,1))>, shape!((64,32,$pipe32))>,
            pipe $pipe32 of $steps32, threads layout!((32,8):(8,1)), values layout!((2,4):(4,1))
        }
    };
}
pub(super) use chunk_64x32;
