//! Compares the whole configuration of a multistage half-precision GEMM, with every intermediate
//! tensor, with CuTe's: three tiled copies, the tiled MMA, the retiles and the swizzled shared
//! memory. Where CuTe's strides are run-time numbers, each thread's offsets are compared.

use half::f16;
use layout_types::atom::copy::*;
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tiled::*;
use std::collections::HashMap;

/// A case's claims: its name, the print if CuTe prints static strides, and a function that returns
/// element `i` of a thread.
type Case = (
    &'static str,
    Option<String>,
    Option<fn(usize, usize) -> usize>,
);

fn show<L: LayoutFn>() -> Option<String> {
    Some(L::default().to_string())
}
/// Returns the offset of element `i` in thread `thread`'s part of `L`, whose base is `BASE`.
fn element<L: LayoutFn, T: LayoutFn, P: LayoutFn, const BASE: usize>(
    thread: usize,
    i: usize,
) -> usize {
    L::swizzled(BASE + thread_offset::<T, usize>(thread) + thread_offset::<P, usize>(i))
}

fn tile_shape<Mma: TiledMmaTraits>() -> String {
    use typenum::Unsigned;
    format!(
        "({},{},{})",
        Mma::TileM::U64,
        Mma::TileN::U64,
        Mma::TileK::U64
    )
}

type ThreadsG2s = layout!((32,4):(4,1));
type ValuesG2s = layout!((1, 8));

macro_rules! hgemm {
    ($atom:ty, k = $k:literal, stages = $stages:literal, global $($global:tt)*) => {{
        type SmemAtom = Composition<Swizzle<3, 3, 3>, layout!((8,$k):($k,1))>;
        type Smem = TileToShape<SmemAtom, shape!((128,$k,$stages))>;
        type SmemAtomC = Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>;
        type SmemC = TileToShape<SmemAtomC, shape!((32,32,2))>;
        type Mma = TiledMma<$atom, layout!((2,2,1)), tile!(32, 32, 16)>;
        type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, ThreadsG2s, ValuesG2s>;
        type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>;
        type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>;
        type R2s = MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>;
        type S2g = MakeTiledCopy<UniversalCopy<u128>, f16, ThreadsG2s, ValuesG2s>;
        type G = layout!($($global)*);
        type GTile = Slice<G, coord!(_, _, 0)>;
        type D = layout!((128,128):(256,1));
        type FrgA = PartitionFragmentOf<Mma, OperandA, GTile>;
        type FrgB = PartitionFragmentOf<Mma, OperandB, GTile>;
        type FrgD = PartitionFragmentOf<Mma, OperandC, D>;
        type Part<C, Side, L> = CopyPartitionOf<C, Side, L>;
        type Thread<C, Side, L> = CopyThreadOf<C, Side, L>;
        type Tv<C> = <C as TiledCopyTraits>::LayoutTv;
        // gA and gB are block 1 of a matrix with rows of 256, gD is block (1,1).
        const BLOCK: usize = 128 * 256;
        fn part<C, Side, L, const BASE: usize>() -> Option<fn(usize, usize) -> usize>
        where
            C: TidFrg<Side, L>,
            L: LayoutFn,
        {
            Some(element::<L, Thread<C, Side, L>, Part<C, Side, L>, BASE>)
        }
        let cases: Vec<Case> = vec![
            ("SmemLayoutAtom", show::<SmemAtom>(), None),
            ("SmemLayoutA", show::<Smem>(), None),
            ("SmemLayoutB", show::<Smem>(), None),
            ("SmemLayoutAtomC", show::<SmemAtomC>(), None),
            ("SmemLayoutC", show::<SmemC>(), None),
            ("TiledMMA.thr_layout_vmnk", show::<<Mma as TiledMmaTraits>::ThrLayoutVmnk>(), None),
            ("TiledMMA.tile_shape", Some(tile_shape::<Mma>()), None),
            ("gA", show::<G>(), None),
            ("gB", show::<G>(), None),
            ("gD", show::<D>(), None),
            ("tCrA", show::<FrgA>(), None),
            ("tCrB", show::<FrgB>(), None),
            ("tCrD", show::<FrgD>(), None),
            ("s2r_a.Tiler_MN", Some(<S2rA as TiledCopyTraits>::TilerMn::default().to_string()), None),
            ("s2r_a.TiledLayout_TV", show::<Tv<S2rA>>(), None),
            ("s2r_b.TiledLayout_TV", show::<Tv<S2rB>>(), None),
            ("tAsA", None, part::<S2rA, Source, Smem, 0>()),
            ("tCrA_view", show::<RetileOf<S2rA, FrgA>>(), None),
            ("tBsB", None, part::<S2rB, Source, Smem, 0>()),
            ("tCrB_view", show::<RetileOf<S2rB, FrgB>>(), None),
            ("g2s.Tiler_MN", Some(<G2s as TiledCopyTraits>::TilerMn::default().to_string()), None),
            ("g2s.TiledLayout_TV", show::<Tv<G2s>>(), None),
            ("tAgA_copy", show::<Part<G2s, Source, G>>(), part::<G2s, Source, G, BLOCK>()),
            ("tAsA_copy", None, part::<G2s, Destination, Smem, 0>()),
            ("tBgB_copy", show::<Part<G2s, Source, G>>(), part::<G2s, Source, G, BLOCK>()),
            ("tBsB_copy", None, part::<G2s, Destination, Smem, 0>()),
            ("r2s_c.TiledLayout_TV", show::<Tv<R2s>>(), None),
            ("tCrC_r2s", show::<RetileOf<R2s, FrgD>>(), None),
            ("tCsC_r2s", None, part::<R2s, Destination, SmemC, 0>()),
            ("tCsC_s2g", None, part::<S2g, Source, SmemC, 0>()),
            ("tCgC_s2g", show::<Part<S2g, Destination, D>>(), part::<S2g, Destination, D, { BLOCK + 128 }>()),
            ("tCgC_s2gx", show::<Group<Part<S2g, Destination, D>, int!(1), int!(3)>>(), None),
            ("tCrC_r2sx", show::<Group<RetileOf<R2s, FrgD>, int!(1), int!(3)>>(), None),
        ];
        cases
    }};
}

#[test]
fn every_intermediate_tensor_is_cutes() {
    let configurations = HashMap::from([
        (
            "reed 128x128x32 s3 f16acc",
            hgemm!(Sm80_16x8x16_F16F16F16F16_TN, k = 32, stages = 3, global (128,32,8):(256,1,32)),
        ),
        (
            "reed 128x128x32 s5 f16acc",
            hgemm!(Sm80_16x8x16_F16F16F16F16_TN, k = 32, stages = 5, global (128,32,8):(256,1,32)),
        ),
        (
            "128x128x64 s3 f32acc",
            hgemm!(Sm80_16x8x16_F32F16F16F32_TN, k = 64, stages = 3, global (128,64,4):(256,1,64)),
        ),
    ]);
    let (mut printed, mut compared) = (0, 0);
    for line in include_str!("data/atoms_hgemm.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (what, cfg) = (
            record["what"].as_str().unwrap(),
            record["cfg"].as_str().unwrap(),
        );
        let name = what.strip_prefix("hgemm.").unwrap();
        let (_, print, element) = configurations[cfg]
            .iter()
            .find(|case| case.0 == name)
            .unwrap();
        if let Some(print) = print {
            assert_eq!(record["out"], *print, "{what} of {cfg}");
            printed += 1;
        }
        if let Some(elements) = record["elements"].as_object() {
            for (thread, offsets) in elements {
                for (i, offset) in offsets.as_array().unwrap().iter().enumerate() {
                    let ours = element.unwrap()(thread.parse().unwrap(), i);
                    assert_eq!(
                        ours as u64,
                        offset.as_u64().unwrap(),
                        "{what} of {cfg}: thread {thread} element {i}"
                    );
                }
            }
            compared += 1;
        }
    }
    assert_eq!((printed, compared), (3 * 27, 3 * 9));
}
