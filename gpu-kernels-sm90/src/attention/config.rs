//! A configuration of attention: everything that distinguishes one kernel from another, as types.
//!
//! ```text
//!   Q, K, V ─ boxes ─► SmemQ, SmemK, SmemV ─ Qk ─► Scores ─ softmax ─► Probabilities ─ Pv ─► Output
//! ```
//!
//! Law: boxes, bytes expected, descriptors and the shared memory's offsets come from the associated
//! types, which are concrete where a configuration is defined and are checked there.

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

/// Stages of K and of V, where a configuration does not say otherwise.
pub const STAGES: u32 = 2;

pub use super::tiles::{LoadK, LoadQ, LoadV, Smem};

/// A configuration.
pub trait AttentionConfig: 'static {
    /// The element of Q, K and V, and of the probabilities.
    type Element: OperandElement;
    /// The element of O.
    type OutputElement: AttentionValue;
    /// The instruction of S = Q Kᵀ, both operands in shared memory.
    type QkAtom: WgmmaOp<ValTypeC = f32>;
    /// The instruction of O += P V, P in registers.
    type PvAtom: WgmmaOp<ValTypeC = f32>;
    /// S (M,N) = Q (M,D) K (N,D)ᵀ.
    type Qk: ScoresProduct<
            Self::QkAtom,
            Self::Element,
            Self::SmemQ,
            Self::SmemK,
            Self::TileS,
            Self::Scores,
        >;
    /// O (M,D) += P (M,N) V (D,N)ᵀ.
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
    /// K: (N, D, stages).
    type SmemK: SmemTile;
    /// V: (D, N, stages).
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
    /// What becomes of a score before the softmax: [`Identity`](super::score::Identity), or a
    /// function of its own.
    type Score: ScoreFunction;
    /// How the tensors are made of sequences: [`Uniform`](super::sequences::Uniform), or packed.
    type Sequences: Sequences;
    /// Queries and keys of a tile: M and N.
    const TILE: [u32; 2];
    /// The head dimension D of Q and K.
    const DIM: u32;
    /// The head dimension of V and O.
    const DIM_V: u32 = Self::DIM;
    /// Stages of Q: two where there is room, so that a tile's Q is loaded while the one before is
    /// read.
    const Q_STAGES: u32;
    /// Stages of K and of V.
    const STAGES: u32 = STAGES;
    /// Whether O is corrected lazily: see [`Softmax::raise`](super::softmax::Softmax::raise). It
    /// pays where O has many columns, and in long sequences.
    const LAZY: bool;
    /// Whether O is corrected under the scores of the next block, and not behind the product of the
    /// block before.
    const CORRECTS_UNDER_SCORES: bool = false;
    /// Whether the place of the next tile is computed under the products: [`Sequences::locate`].
    const LOCATES_UNDER_PRODUCTS: bool = false;
    /// Whether a tile's first masked block is masked by halves: O of more columns leaves the
    /// branches no registers.
    const HALVES: bool = Self::DIM_V <= 128;
    /// Whether O's sums are made in f32 registers, block by block: of 8-bit elements the tensor
    /// core's keep 13 bits alone, of which a long sum leaves none to a product.
    const PROMOTES: bool = false;

    /// Consumer groups, of 64 queries each.
    const GROUPS: u32 = Self::TILE[0] / 64;
    /// Offset of the barriers: two of each stage.
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

/// Where a kernel writes: O, and the log-sum-exp.
pub type Results<C> = (*mut <C as AttentionConfig>::OutputElement, *mut f32);
/// A thread's probabilities.
pub type ProbabilitiesOf<C> =
    Fragment<<C as AttentionConfig>::Element, <C as AttentionConfig>::Probabilities, OperandA>;

/// Leaves the producer's warp group 40 registers a thread, 56 of wide loads, or 32 beside three
/// consumer groups; beside one there are registers enough.
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

/// Gives each of two consumer groups 232 registers a thread, 224 beside wide loads, or each of
/// three 160: with the producer's at most 65,536.
///
/// # Safety
/// The whole warp group executes it, once, and the producer's [`give_up_registers`].
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
