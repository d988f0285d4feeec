//! Compares the reference configuration's own types with CuTe's, for every tensor that the
//! walk-through prints.

use gpu_kernels::gemm::config::GemmConfig;
use gpu_kernels::gemm::configurations::{Reference, ReferenceS2rA as S2rA, ReferenceS2rB as S2rB};
use gpu_kernels::gemm::mainloop::Operand;
use layout_types::algorithm::chunk_shape::{Chunk32x32, ChunkShape, ChunksOf};
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tiled::{
    MakeTiledCopyC, OperandA, OperandB, OperandC, PartitionFragmentOf, RetileOf, TiledCopyTraits,
    TiledMmaTraits,
};

type Mma = <Reference as GemmConfig>::Mma;
type SmemA = <<Reference as GemmConfig>::A as Operand>::Stages;
type SmemB = <<Reference as GemmConfig>::B as Operand>::Stages;
type FragmentA = PartitionFragmentOf<Mma, OperandA, Slice<SmemA, coord!(_, _, 0)>>;
type FragmentB = PartitionFragmentOf<Mma, OperandB, Slice<SmemB, coord!(_, _, 0)>>;
type FragmentD = PartitionFragmentOf<Mma, OperandC, layout!((128,128):(1@0,1@1))>;
type R2s = MakeTiledCopyC<UniversalCopy<u32>, u16, Mma>;

fn show<L: LayoutFn>() -> String {
    L::default().to_string()
}
fn tv<C: TiledCopyTraits>() -> String {
    C::LayoutTv::default().to_string()
}

#[test]
fn the_reference_configuration_is_the_walk_throughs() {
    let ours = [
        ("SmemLayoutA", show::<SmemA>()),
        ("SmemLayoutB", show::<SmemB>()),
        (
            "SmemLayoutC",
            show::<ChunksOf<Chunk32x32, <Chunk32x32 as ChunkShape>::Halves, int!(2)>>(),
        ),
        (
            "TiledMMA.thr_layout_vmnk",
            show::<<Mma as TiledMmaTraits>::ThrLayoutVmnk>(),
        ),
        ("tCrA", show::<FragmentA>()),
        ("tCrB", show::<FragmentB>()),
        ("tCrD", show::<FragmentD>()),
        ("s2r_a.TiledLayout_TV", tv::<S2rA>()),
        ("s2r_b.TiledLayout_TV", tv::<S2rB>()),
        ("tCrA_view", show::<RetileOf<S2rA, FragmentA>>()),
        ("tCrB_view", show::<RetileOf<S2rB, FragmentB>>()),
        ("r2s_c.TiledLayout_TV", tv::<R2s>()),
        ("tCrC_r2s", show::<RetileOf<R2s, FragmentD>>()),
        (
            "tCrC_r2sx",
            show::<Group<RetileOf<R2s, FragmentD>, int!(1), int!(3)>>(),
        ),
    ];
    let records = include_str!("../../layout-types/tests/data/atoms_hgemm.jsonl");
    for (name, ours) in ours {
        let what = format!("\"what\":\"hgemm.{name}\",\"cfg\":\"reed 128x128x32 s3 f16acc\"");
        let record = records.lines().find(|line| line.contains(&what)).unwrap();
        let out = record.split("\"out\":\"").nth(1).unwrap();
        assert_eq!(ours, out.split('"').next().unwrap(), "{name}");
    }
    let of = Reference::CONFIGURATION;
    assert_eq!((of.stages, of.threads, of.shared_bytes), (3, 128, 49_152));
}
