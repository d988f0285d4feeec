//! A configuration of the collective: everything that distinguishes one kernel from another, as
//! types.
//!
//! ```text
//!   global ─ PartA, PartB: a CTA's boxes ─► SmemA, SmemB: stages ─ Atom ─► accumulator ─► staged D ─► global
//! ```
//!
//! Law: boxes, expected bytes, descriptors and offsets in shared memory follow from the associated
//! types. Each configuration names concrete types, which are checked at its definition.

use super::collective::ProductKind;
use super::mainloop::MainloopParts;
use super::staged::{STAGED_BYTES, StagedD};
use super::tile_scheduler::TileScheduler;
use gpu_kernels::gemm::epilogue::element::ElementAccumulator;
use gpu_kernels::gemm::epilogue::op::EpilogueOp;
use kernel_abi::gemm::{Majors, OperationReads};
use layout_types::arch::mma_sm90_gmma::FenceOperand;
use layout_types::atom::mma::{Major, WgmmaOp};
use layout_types::atom::smem_operand::{GmmaDescriptor, TmaTile};
use layout_types::atom::{Element, RegisterArray};
use layout_types::check::{Reflect, TmaBox};
use layout_types::layout::LayoutFn;
use layout_types::num::Nat;
use layout_types::typenum::{U64, Unsigned};
use layout_types::unroll::Unroll;

/// The common part of the collectives for Hopper and for Blackwell. TMA copies their operands to
/// stages in shared memory. The epilogue takes 64 rows of accumulators in the fragments of `wgmma`;
/// each warp has 16 of these rows.
pub trait CollectiveConfig: 'static {
    /// The elements of A and B.
    type Element: Element;
    /// The element type of a D that does not have 32-bit elements.
    type D: StagedD;
    /// The contiguous mode of A.
    type MajorA: Major;
    /// The contiguous mode of B.
    type MajorB: Major;
    /// A thread's registers of the accumulators of 64 rows.
    type Registers: AccumulatorPairs;
    /// A's tiles in shared memory: (M, K, stages).
    type SmemA: LayoutFn + Reflect;
    /// B's tiles in shared memory: (N, K, stages).
    type SmemB: LayoutFn + Reflect;
    /// The part of a tile of A that a CTA loads: the whole tile, or its share if the CTAs of a
    /// cluster use the same tile.
    type PartA: LayoutFn + Reflect;
    /// The part of a tile of B that a CTA loads.
    type PartB: LayoutFn + Reflect;
    /// Sets of 64 rows that the epilogue stores at once.
    type Atoms: Unroll + Unsigned;
    /// Chunks of [`CHUNK`](Self::CHUNK) columns that the epilogue stores at once.
    type Chunks: Unroll + Unsigned;
    /// The scheduler that chooses a CTA's tiles, such as
    /// [`ClusterTiles`](super::tile_scheduler::ClusterTiles) or one for groups.
    type Tiles: TileScheduler;
    /// The operation that the epilogue applies to the accumulator.
    type Operation: EpilogueOp;
    /// The tile's extents along m, n and k.
    const TILE: [u32; 3];
    /// CTAs of a cluster along m and n.
    const CLUSTER: [u32; 2];
    /// Stages of the pipeline.
    const STAGES: u32;
    /// Whether the CTAs of a cluster can split the k tiles of one tile among themselves.
    const CLUSTER_SPLIT: bool;
    /// The orders of the product's A and B.
    const MAJORS: Majors;
    /// The tensors that the epilogue reads besides the accumulator, or `None` if the parameters say
    /// which.
    const READS: Option<OperationReads> = None;
    /// Whether the operands are swapped: this configuration's A is the product's B, its B is the
    /// product's A, and its tiles are tiles of D transposed. M and N of the parameters and of the
    /// tensor maps are those of this configuration.
    const SWAPPED: bool = false;
    /// The number of columns of a tile that are staged at a time: 64, or fewer if the tile's
    /// columns are not a multiple of 64 or the operands are swapped.
    const CHUNK: u32;
    /// Bytes of a stage of A.
    const BYTES_A: u32;
    /// Bytes of a stage of B.
    const BYTES_B: u32;

    /// The box of A's tensor map, contiguous extent first.
    const BOX_A: [u32; 2] = inner_first(TmaTile::<Self::PartA, Self::Element>::BOX);
    /// The box of B's tensor map.
    const BOX_B: [u32; 2] = inner_first(TmaTile::<Self::PartB, Self::Element>::BOX);
    /// Offset of B's stages in shared memory; A's are at 0.
    const B_OFFSET: u32 = Self::STAGES * Self::BYTES_A;
    /// Offset of the staged D.
    const D_OFFSET: u32 = Self::STAGES * (Self::BYTES_A + Self::BYTES_B);
    /// Bytes of a warp group's staged D: two buffers of 64 rows of 128 bytes or, if swapped, one
    /// chunk with 64 16-bit elements for each of its columns.
    const STAGED_BYTES: u32 = if Self::SWAPPED {
        128 * Self::CHUNK
    } else {
        STAGED_BYTES
    };
    /// Chunks that the epilogue stores at once.
    const CHUNK_COUNT: usize = <Self::Chunks as Unsigned>::USIZE;
    /// Registers of a chunk of columns.
    const CHUNK_REGISTERS: usize = Self::Registers::OF_CHUNK * Self::CHUNK as usize / 64;
}

/// A configuration of Hopper's collective.
///
/// [`Collective`](super::collective::Collective) implements it for each description of a kernel.
pub trait GemmConfig: CollectiveConfig<Registers: RegisterArray + FenceOperand> {
    /// The types as a host names them.
    type Kind: ProductKind;
    /// Columns of a consumer group: all columns of the tile, or half of them.
    type N: Nat;
    /// The instruction.
    type Atom: WgmmaOp<
            Accumulator = Self::Registers,
            AOperand = GmmaDescriptor<Self::Element, Self::MajorA, U64>,
            BOperand = GmmaDescriptor<Self::Element, Self::MajorB, Self::N>,
        >;
    /// How a consumer group multiplies: [`Products`](super::mainloop::Products), or a mainloop with
    /// block scales.
    type Mainloop: MainloopParts;
    /// Whether each consumer group has tiles of its own.
    const PINGPONG: bool;
    /// Whether the launch sets the number of tiles of a cluster along m and n. Otherwise
    /// [`CLUSTER`](CollectiveConfig::CLUSTER) sets it.
    const ANY_CLUSTER: bool;

    /// Whether each consumer group of a tile has half of the tile's columns and all of its rows.
    /// Otherwise each group has half of the rows.
    const GROUPS_ALONG_N: bool = <Self::N as Unsigned>::U32 < Self::TILE[1];
    /// Consumer groups that multiply a tile.
    const GROUPS: u32 = if Self::PINGPONG { 1 } else { CONSUMER_GROUPS };
    /// Warps that free a stage: all warps that read it, in each CTA of the configuration's cluster.
    const ARRIVALS: u32 = 4 * Self::GROUPS * Self::CTAS;
    /// Atoms of a consumer group.
    const ATOMS: usize = <Self::Atoms as Unsigned>::USIZE;
    /// CTAs of a cluster.
    const CTAS: u32 = Self::CLUSTER[0] * Self::CLUSTER[1];
    /// Offset of the pipeline's barriers.
    const BARRIER_OFFSET: u32 = Self::D_OFFSET + CONSUMER_GROUPS * Self::STAGED_BYTES;
    /// Bytes of shared memory.
    const SHARED_BYTES: u32 = Self::BARRIER_OFFSET + 16 * Self::STAGES;
}

/// Returns a box's extents, the contiguous one first.
const fn inner_first(tma: TmaBox) -> [u32; 2] {
    [tma.extents[tma.inner], tma.extents[1 - tma.inner]]
}

/// The number of consumer warp groups.
pub const CONSUMER_GROUPS: u32 = 2;
/// The number of threads in a CTA: one producer warp group and the consumer warp groups.
pub const THREADS: u32 = 128 * (1 + CONSUMER_GROUPS);

/// Registers of an accumulator as pairs of neighbouring columns.
pub trait AccumulatorPairs {
    /// The elements of the accumulator.
    type Element: ElementAccumulator;
    /// Whether the elements are integers.
    const IS_INTEGER: bool = false;
    /// Registers of 64 columns.
    const OF_CHUNK: usize = 32;
    /// Registers that are all zero.
    const ZERO: Self;
    /// Returns pair `index` as the bits of two f32 or of two integers.
    fn pair(&self, index: usize) -> u64;
    /// Returns the bits of register `index`.
    fn bits(&self, index: usize) -> u32;
    /// Adds the elements of a register to those of register `index`.
    fn add(&mut self, index: usize, bits: u32);
}
impl<const N: usize> AccumulatorPairs for [f32; N] {
    type Element = f32;
    const ZERO: Self = [0.0; N];
    #[inline(always)]
    fn pair(&self, index: usize) -> u64 {
        u64::from(self[2 * index + 1].to_bits()) << 32 | u64::from(self[2 * index].to_bits())
    }
    #[inline(always)]
    fn bits(&self, index: usize) -> u32 {
        self[index].to_bits()
    }
    #[inline(always)]
    fn add(&mut self, index: usize, bits: u32) {
        self[index] += f32::from_bits(bits);
    }
}
impl<const N: usize> AccumulatorPairs for [i32; N] {
    type Element = i32;
    const IS_INTEGER: bool = true;
    const ZERO: Self = [0; N];
    #[inline(always)]
    fn pair(&self, index: usize) -> u64 {
        u64::from(self[2 * index + 1] as u32) << 32 | u64::from(self[2 * index] as u32)
    }
    #[inline(always)]
    fn bits(&self, index: usize) -> u32 {
        self[index] as u32
    }
    #[inline(always)]
    fn add(&mut self, index: usize, bits: u32) {
        self[index] = self[index].wrapping_add(bits as i32);
    }
}
impl<const N: usize> AccumulatorPairs for [u32; N] {
    type Element = half::f16;
    const OF_CHUNK: usize = 16;
    const ZERO: Self = [0; N];
    #[inline(always)]
    fn pair(&self, index: usize) -> u64 {
        <half::f16 as ElementAccumulator>::widen(self[index])
    }
    #[inline(always)]
    fn bits(&self, index: usize) -> u32 {
        self[index]
    }
    #[inline(always)]
    fn add(&mut self, index: usize, bits: u32) {
        self[index] = <half::f16 as ElementAccumulator>::add(self[index], bits);
    }
}
