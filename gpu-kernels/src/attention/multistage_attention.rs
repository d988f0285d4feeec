//! `multistage_attention!`: implements `MultistageAttention` for a row of the tables of attention by `mma.sync`, forward or gradients, and asserts what
//! all rows have to satisfy.
//!
//! ```text
//!   element, atom, d, tile, stages, the three operands ──► multistage_attention! ──► MultistageAttention, and what it asserts
//! ```
//!
//! Law: warps cover the tiled MMA, and every read from shared memory is contiguous and free of bank conflicts.

/// Makes `$name` a configuration: its associated types and constants, and the assertions of every kernel by `mma.sync`.
macro_rules! multistage_attention {
    ($name:ident of $kernel:ident: $element:ident $atom:ident, d $d:literal, tile $m:literal x $n:literal, stages $stages:literal,
     mma $mma:ident, warps $warps:expr, atoms $atoms:literal, q $q:ident, k $k:ident, v $v:ident,
     q in registers $q_in_registers:literal, lazy $lazy:literal) => {
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        impl MultistageAttention for $name {
            type Value = $element;
            type Q = $q;
            type K = $k;
            type SmemV = $v<int!($n), int!($d), int!($stages)>;
            type Mma = $mma<$atom>;
            type S2rQ = RowsA<Self::Mma>;
            type S2rK = RowsB<Self::Mma>;
            type S2rV = ColumnsB<Self::Mma>;
            type FragmentQ = PartitionFragmentOf<Self::Mma, OperandA, layout!(($m, $d))>;
            type FragmentK = PartitionFragmentOf<Self::Mma, OperandB, layout!(($n, $d))>;
            type FragmentV = PartitionFragmentOf<Self::Mma, OperandB, layout!(($d, $n))>;
            type TileS = layout!(($m,$n):(1@0,1@1));
            type Scores = PartitionFragmentOf<Self::Mma, OperandC, Self::TileS>;
            type Retile = CToA<int!($atoms), Self::BlocksOfN>;
            type Probabilities = PartitionFragmentOf<Self::Mma, OperandA, layout!(($m, $n))>;
            type Output = PartitionFragmentOf<Self::Mma, OperandC, layout!(($m,$d):(1@0,1@1))>;
            type BlocksOfD = <int!($d) as Nat>::Over<U16>;
            type BlocksOfN = <int!($n) as Nat>::Over<U16>;
            type BlocksOf32 = <int!($d) as Nat>::Over<U32>;
            type Score = Identity;
            type Sequences = Uniform;
            const TILE: [u32; 2] = [$m, $n];
            const DIM: u32 = $d;
            const WARPS: u32 = $warps;
            const STAGES: u32 = $stages;
            const Q_IN_REGISTERS: bool = $q_in_registers;
            const LAZY: bool = $lazy;
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        impl MultistageAttentionKernel for $name {}
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        const _: () = {
            use layout_types::{assert_bank_conflict_free, assert_contiguous, assert_covers};
            type Of = $name;
            assert_covers!(mma <Of as MultistageAttention>::Mma);
            assert_contiguous!(read of <<Of as MultistageAttention>::Q as Operand>::Stages by <Of as MultistageAttention>::S2rQ);
            assert_contiguous!(read of <<Of as MultistageAttention>::K as Operand>::Stages by <Of as MultistageAttention>::S2rK);
            assert_contiguous!(read of <Of as MultistageAttention>::SmemV by <Of as MultistageAttention>::S2rV);
            assert_bank_conflict_free!(read of <<Of as MultistageAttention>::Q as Operand>::Stages by <Of as MultistageAttention>::S2rQ);
            assert_bank_conflict_free!(read of <<Of as MultistageAttention>::K as Operand>::Stages by <Of as MultistageAttention>::S2rK);
            assert_bank_conflict_free!(read of <Of as MultistageAttention>::SmemV by <Of as MultistageAttention>::S2rV);
        };
    };
}
pub(super) use multistage_attention;
