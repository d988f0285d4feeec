//! A configuration of the collective: everything that distinguishes one kernel from another, as
//! types.
//!
//! ```text
//!   global ─ PartA, PartB ─► SmemA, SmemB: stages ─ Atom ─► Accumulators: two, in tensor memory ─ Load ─► registers ─► staged D ─► global
//!                 Products: what issues the Atom, and the scale factors that a stage holds, if any
//! ```
//!
//! Law: the law of Hopper's configurations holds. Their [`CollectiveConfig`] has everything that
//! does not concern `tcgen05`.

use super::products::Products;
use gpu_kernels_sm90::gemm::config::{AccumulatorPairs, CollectiveConfig};
use gpu_kernels_sm90::gemm::tile_scheduler::TileScheduler;
use kernel_abi::gemm::{AccumulatorType, InputType};
use layout_types::atom::RegisterArray;
use layout_types::atom::mma::{MmaAtom, UmmaOp};
use layout_types::atom::tmem::allocation::TmemColumns;
use layout_types::atom::tmem::fragment::CtaGroup;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::Nat;
use layout_types::typenum::Unsigned;

/// The number of accumulators in tensor memory: the epilogue stores one while the MMA warp fills
/// the other.
pub const ACCUMULATORS: u32 = 2;
/// The number of warps in the epilogue, one for each quarter of the lanes.
pub const EPILOGUE_WARPS: u32 = 4;
/// The number of threads in a CTA: four warps with at most one role each, and the epilogue's warps.
pub const THREADS: u32 = 32 * (4 + EPILOGUE_WARPS);

/// A thread's values in 16 lanes and 64 columns of tensor memory, made from the registers of a
/// load.
pub trait FromRegisters: AccumulatorPairs + RegisterArray {
    /// Returns the values that the registers hold.
    fn from_registers(registers: [u32; 32]) -> Self;
}
impl FromRegisters for [f32; 32] {
    #[inline(always)]
    fn from_registers(registers: [u32; 32]) -> Self {
        registers.map(f32::from_bits)
    }
}
impl FromRegisters for [i32; 32] {
    #[inline(always)]
    fn from_registers(registers: [u32; 32]) -> Self {
        registers.map(|bits| bits as i32)
    }
}

/// A configuration of Blackwell's collective. The tile of [`CollectiveConfig`] is the tile of one
/// CTA.
///
/// [`Collective`](super::collective::Collective) implements it for each description of a kernel,
/// and [`ScaledCollective`](super::scaled::ScaledCollective) for those with scale factors.
pub trait GemmConfig: CollectiveConfig<Registers: FromRegisters> + Sized {
    /// The CTAs that multiply together.
    type Group: CtaGroup;
    /// The number of B's rows that one CTA of the group loads.
    type RowsB: Nat;
    /// The instruction.
    type Atom: UmmaOp;
    /// How the products of a k tile are issued, without scale factors or with them.
    type Products: Products<Self>;
    /// The accumulators in a CTA's tensor memory: (MMA, MMA_M, MMA_N, accumulators).
    type Accumulators: LayoutFn + Reflect;
    /// The columns that are allocated: for the accumulators, and for scale factors after them.
    type Columns: TmemColumns;
    /// The type of A and B in the kernel's plan; of products with scale factors, D's type.
    const INPUT: InputType;
    /// The type of the accumulator.
    const ACCUMULATOR: AccumulatorType;

    /// The binary logarithms of a cluster's extents in CTAs, along m and n.
    const CLUSTER_LOG: [u32; 2] = [Self::CLUSTER[0].ilog2(), Self::CLUSTER[1].ilog2()];
    /// The number of chunks of 64 columns in a tile.
    const COLUMN_CHUNKS: u32 = Self::TILE[1] / Self::CHUNK;
    /// The offset of the stages of scale factors.
    const SCALES_OFFSET: u32 = Self::D_OFFSET + Self::STAGED_BYTES;
    /// The bytes of scale factors in a stage.
    const SCALE_BYTES: u32 = <Self::Products as Products<Self>>::SCALE_BYTES;
    /// The offset of the operands' barriers. The accumulators' barriers follow, then the word for
    /// the address of tensor memory.
    const BARRIER_OFFSET: u32 = Self::SCALES_OFFSET + Self::STAGES * Self::SCALE_BYTES;
    /// The offset of the accumulators' barriers.
    const ACCUMULATOR_BARRIERS: u32 = Self::BARRIER_OFFSET + 16 * Self::STAGES;
    /// The offset of the word for the address of tensor memory.
    const ADDRESS_OFFSET: u32 = Self::ACCUMULATOR_BARRIERS + 16 * ACCUMULATORS;
    /// The number of bytes of shared memory.
    const SHARED_BYTES: u32 = Self::ADDRESS_OFFSET + 8;
}

/// The elements of a configuration's accumulators.
pub type SumOf<C> = <<C as GemmConfig>::Atom as MmaAtom>::ValTypeD;

/// Checks that the parts of a configuration fit each other.
pub const fn check<C: GemmConfig>() {
    assert!(
        C::TILE[0] == 128,
        "a CTA has 128 rows, one in each lane of tensor memory"
    );
    assert!(
        C::CLUSTER[0] == <<C::Group as CtaGroup>::Size as Unsigned>::U32 && C::CLUSTER[1] == 1,
        "a cluster is the CTAs that multiply together, along m"
    );
    assert!(
        C::CHUNK == 64 && C::TILE[1].is_multiple_of(64) && C::CHUNK_COUNT == 1,
        "a load of tensor memory has 64 columns, those of a chunk of D"
    );
    assert!(
        !(C::SWAPPED || C::CLUSTER_SPLIT || C::Tiles::GROUPED || C::Tiles::STREAM_K),
        "tiles are of one matrix, stored as they are, by the CTA that has all of their k"
    );
    assert!(
        C::SHARED_BYTES <= 227 * 1024,
        "the stages and the staged D exceed a CTA's 232448 bytes of shared memory"
    );
}
