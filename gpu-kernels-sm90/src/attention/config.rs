//! A configuration of attention: everything that distinguishes one kernel from another, as types.
//!
//! ```text
//!   Q, K, V ─ boxes ─► SmemQ, SmemK, SmemV ─ Qk ─► Scores ─ softmax ─► Probabilities ─ Pv ─► Output
//! ```
//!
//! Law: boxes, expected bytes, descriptors and offsets in shared memory follow from the associated
//! types. Each configuration names concrete types, which are checked at its definition.

use super::fragments::{
    AccumulatorLayout, DescriptorsOf, OperandElement, OutputProduct, ScoresProduct,
};
use super::score::ScoreFunction;
use super::sequences::Sequences;
use super::smem_tile::SmemTile;
use super::tiles::OperandTiles;
use super::value::AttentionValue;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::mma::WgmmaOp;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout};
use layout_types::tiled::{OperandA, OperandB};
use layout_types::unroll::Unroll;

/// The number of stages that K and V have each, unless a configuration says otherwise.
pub const STAGES: u32 = 2;

pub use super::tiles::{LoadK, LoadQ, LoadV, Smem};

/// A configuration: the types and constants that distinguish one kernel from another.
pub trait AttentionConfig: 'static {
    /// The element of Q, K and V, and of the probabilities.
    type Element: OperandElement;
    /// The element of O.
    type OutputElement: AttentionValue;
    /// The instruction of S = Q Kᵀ, with both operands in shared memory.
    type QkAtom: WgmmaOp<ValTypeC = f32>;
    /// The instruction of O += P V, with P in registers.
    type PvAtom: WgmmaOp<ValTypeC = f32>;
    /// The product S (M,N) = Q (M,D) K (N,D)ᵀ.
    type Qk: ScoresProduct<
            Self::QkAtom,
            Self::Element,
            Self::SmemQ,
            Self::SmemK,
            Self::TileS,
            Self::Scores,
        >;
    /// The product O (M,D) += P (M,N) V (D,N)ᵀ.
    type Pv: OutputProduct<
            Self::PvAtom,
            Self::Element,
            Self::SmemV,
            Self::Scores,
            Self::Probabilities,
            Self::Output,
        >;
    /// Q in shared memory: (M, D, stages).
    type SmemQ: SmemTile;
    /// K in shared memory: (N, D, stages).
    type SmemK: SmemTile;
    /// V in shared memory: (D, N, stages).
    type SmemV: SmemTile;
    /// The coordinates (query, key) of a tile of scores: (M, N).
    type TileS: LayoutFn;
    /// A thread's scores.
    type Scores: AccumulatorLayout<Self::QkAtom>;
    /// A thread's probabilities.
    type Probabilities: FragmentLayout<Length: Unroll>;
    /// A thread's part of O.
    type Output: AccumulatorLayout<Self::PvAtom>;
    /// O in blocks of 32 columns.
    type BlocksOf32: Unroll;
    /// The function that is applied to a score before the softmax:
    /// [`Identity`](super::score::Identity), or a function of the configuration.
    type Score: ScoreFunction;
    /// The division of the tensors into sequences: [`Uniform`](super::sequences::Uniform), or
    /// packed.
    type Sequences: Sequences;
    /// The numbers of queries and keys in a tile: M and N.
    const TILE: [u32; 2];
    /// The head dimension D of Q and K.
    const DIM: u32;
    /// The head dimension of V and O.
    const DIM_V: u32 = Self::DIM;
    /// The number of stages of Q: two if they fit shared memory, so that a tile's Q is loaded while
    /// the previous tile's Q is read.
    const Q_STAGES: u32;
    /// The number of stages that K and V have each.
    const STAGES: u32 = STAGES;
    /// Whether O is corrected lazily: see [`Softmax::raise`](super::softmax::Softmax::raise). This
    /// is faster if O has many columns, and in long sequences.
    const LAZY: bool;
    /// Whether O is corrected while the scores of the next block are computed, and not after the
    /// product of the previous block.
    const CORRECTS_UNDER_SCORES: bool = false;
    /// Whether the place of the next tile is computed during the products: [`Sequences::locate`].
    const LOCATES_UNDER_PRODUCTS: bool = false;
    /// Whether a tile's first masked block is masked by halves. If O has more than 128 columns,
    /// there are no registers for the branches.
    const HALVES: bool = Self::DIM_V <= 128;
    /// Whether O is summed in f32 registers, block by block. For 8-bit elements the tensor core's
    /// accumulator keeps only 13 bits, which a long sum uses up: no bit is left for a further
    /// product.
    const PROMOTES: bool = false;

    /// The number of consumer groups, of 64 queries each.
    const GROUPS: u32 = Self::TILE[0] / 64;
    /// The offset of the barriers, two for each stage.
    const BARRIERS: u32 = <Self as OperandTiles>::TILE_BYTES;
    /// Bytes of shared memory.
    const SHARED_BYTES: u32 = Self::BARRIERS + 16 * (Self::Q_STAGES + 2 * Self::STAGES);
}

/// The descriptors of Q: (1,MMA_M,MMA_K,stages).
pub type DescriptorsQ<C> = DescriptorsOf<
    <C as AttentionConfig>::Qk,
    OperandA,
    <C as AttentionConfig>::Element,
    <C as AttentionConfig>::SmemQ,
>;
/// The descriptors of K: (1,MMA_N,MMA_K,stages).
pub type DescriptorsK<C> = DescriptorsOf<
    <C as AttentionConfig>::Qk,
    OperandB,
    <C as AttentionConfig>::Element,
    <C as AttentionConfig>::SmemK,
>;
/// The descriptors of V: (1,MMA_N,MMA_K,stages).
pub type DescriptorsV<C> = DescriptorsOf<
    <C as AttentionConfig>::Pv,
    OperandB,
    <C as AttentionConfig>::Element,
    <C as AttentionConfig>::SmemV,
>;

/// The pointers to a kernel's results: O and the log-sum-exp.
pub type Results<C> = (*mut <C as AttentionConfig>::OutputElement, *mut f32);
/// A thread's probabilities.
pub type ProbabilitiesOf<C> =
    Fragment<<C as AttentionConfig>::Element, <C as AttentionConfig>::Probabilities, OperandA>;

/// Leaves the producer's warp group 40 registers per thread if there are two consumer groups, or 56
/// if their loads are wide, and 32 if there are three groups. If there is one consumer group, there
/// are enough registers and nothing changes.
///
/// # Safety
/// The whole warp group executes it, once.
#[inline(always)]
pub unsafe fn give_up_registers<C: AttentionConfig>() {
    // SAFETY: `kernel::run` branches by `thread < 128`, which is the whole first warp group.
    unsafe {
        if const { C::GROUPS == 2 && <C::Sequences as Sequences>::WIDE_LOADS } {
            warpgroup_reg_dealloc::<56>();
        } else if const { C::GROUPS == 2 } {
            warpgroup_reg_dealloc::<40>();
        } else if const { C::GROUPS == 3 } {
            warpgroup_reg_dealloc::<32>();
        }
    }
}

/// Gives each thread of two consumer groups 232 registers, or 224 if loads are wide, and each
/// thread of three groups 160. Together with the producer's these are at most 65,536 registers.
///
/// # Safety
/// The whole warp group executes it, once, and the producer's warp group executes
/// [`give_up_registers`].
#[inline(always)]
pub unsafe fn take_registers<C: AttentionConfig>() {
    // SAFETY: `kernel::run` branches by whole warp groups, and the first of them gives up the
    // registers that the others take.
    unsafe {
        if const { C::GROUPS == 2 && <C::Sequences as Sequences>::WIDE_LOADS } {
            warpgroup_reg_alloc::<224>();
        } else if const { C::GROUPS == 2 } {
            warpgroup_reg_alloc::<232>();
        } else if const { C::GROUPS == 3 } {
            warpgroup_reg_alloc::<160>();
        }
    }
}

/// Checks that a configuration is run with its own numbers.
pub const fn is_run_by<C: AttentionConfig>([q_stages, stages]: [u32; 2], warps: u32) {
    assert!(
        q_stages == C::Q_STAGES && stages == C::STAGES,
        "the stages are the configuration's"
    );
    assert!(
        C::TILE[0] == 64 * C::GROUPS && warps == 4 * C::GROUPS,
        "each consumer group has 64 queries, and four warps"
    );
    assert!(
        !(C::LAZY && C::CORRECTS_UNDER_SCORES),
        "a lazy correction is a branch, and no wgmma may be in flight across a branch"
    );
    assert!(
        <C::Sequences as Sequences>::LOCATES || !C::LOCATES_UNDER_PRODUCTS,
        "sequences whose tiles are searched for have no place before that"
    );
    assert!(
        C::GROUPS > 0 && C::GROUPS <= 3,
        "the registers are those of one, two or three consumer groups"
    );
}
