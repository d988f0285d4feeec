//! A configuration of latent attention, as types.
//!
//! ```text
//!   columns of K     0 ────── 256 ────── 512 ─ 576
//!                    part 0   │ part 1   │ RoPE
//!
//!   shared memory    Q: 2 parts │ Q: RoPE │ K: 2 stages of 2 parts │ K: 2 stages of RoPE │ exchange │ barriers
//! ```
//!
//! Law: K's parts and V's parts are the same bytes: K is (keys, columns) with the columns
//! contiguous, V is (columns, keys). Part `p` of stage `s` has the index `2 s + p`.

use super::super::super::fragments::{
    AccumulatorLayout, DescriptorsOf, OutputProduct, RoundScores, ScoresProduct,
};
use super::super::super::smem_tile::SmemTile;
use super::super::super::value::{AttentionValue, ScoreCoordinates};
use super::exchange::{Exchange, ExchangedProbabilities};
use gpu_kernels::gemm::epilogue::element::ElementD;
use layout_types::atom::copy::Sm90_TMA_LOAD;
use layout_types::atom::mma::WgmmaOp;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout, Shared, Tensor};
use layout_types::tiled::{OperandA, OperandB};
use layout_types::typenum::Unsigned;
use layout_types::unroll::Unroll;

/// The number of rows, and of keys, in a tile.
pub const TILE: u32 = 64;
/// The number of columns in a part of K. A group's half of O has as many.
pub const PART: u32 = 256;
/// The number of columns of V and O.
pub const DIM_V: u32 = 2 * PART;
/// The number of columns of RoPE.
pub const ROPE: u32 = 64;
/// The number of columns of Q and K.
pub const DIM: u32 = DIM_V + ROPE;
/// The number of stages of K: one for the even blocks and one for the odd blocks.
pub const STAGES: u32 = 2;
/// The number of warps in both consumer groups together.
pub const WARPS: u32 = 8;

/// A configuration: the types that distinguish one kernel from another.
pub trait LatentAttention: 'static {
    /// The element of Q, K, V and O.
    type Element: AttentionValue
        + ElementD<Bits = u16>
        + RoundScores<Self::Scores, Self::Probabilities>;
    /// The instruction of S = Q Kᵀ, with both operands in shared memory.
    type QkAtom: WgmmaOp<ValTypeC = f32>;
    /// The instruction of O += P V, with P in registers.
    type PvAtom: WgmmaOp<ValTypeC = f32>;
    /// The product S (64,64) of a group, for the parts of Q and K and for their columns of RoPE.
    type Qk: ScoresProduct<
            Self::QkAtom,
            Self::Element,
            Self::SmemQ,
            Self::SmemK,
            Self::TileS,
            Self::Scores,
        > + ScoresProduct<
            Self::QkAtom,
            Self::Element,
            Self::SmemRopeQ,
            Self::SmemRopeK,
            Self::TileS,
            Self::Scores,
        > + ScoreCoordinates<Self::TileS, Self::Scores>;
    /// The product O (64,256) += P (64,64) V (256,64)ᵀ of a group.
    type Pv: OutputProduct<
            Self::PvAtom,
            Self::Element,
            Self::SmemV,
            Self::Scores,
            Self::Probabilities,
            Self::Output,
        >;
    /// Q: (64, 256, parts).
    type SmemQ: SmemTile;
    /// Q's columns of RoPE: (64, 64, 1).
    type SmemRopeQ: SmemTile;
    /// K: (64, 256, parts of all stages).
    type SmemK: SmemTile;
    /// K's columns of RoPE: (64, 64, stages).
    type SmemRopeK: SmemTile;
    /// V: (256, 64, parts of all stages).
    type SmemV: SmemTile;
    /// The coordinates (row, key) of a block's scores: (64, 64).
    type TileS: LayoutFn;
    /// A thread's scores: ((2,2,8),1,1).
    type Scores: AccumulatorLayout<Self::QkAtom>;
    /// A thread's probabilities: ((2,2,2),1,4).
    type Probabilities: ExchangedProbabilities + FragmentLayout<Length: Unroll>;
    /// A thread's part of its group's half of O: ((2,2,32),1,1).
    type Output: AccumulatorLayout<Self::PvAtom>;
    /// A group's half of O in blocks of 32 columns.
    type BlocksOf32: Unroll + Unsigned;
}

/// The load of a part of a tile of Q.
pub type LoadQ<C> = Sm90_TMA_LOAD<<C as LatentAttention>::SmemQ, <C as LatentAttention>::Element>;
/// The load of Q's columns of RoPE.
pub type LoadRopeQ<C> =
    Sm90_TMA_LOAD<<C as LatentAttention>::SmemRopeQ, <C as LatentAttention>::Element>;
/// The load of a part of a block of K.
pub type LoadK<C> = Sm90_TMA_LOAD<<C as LatentAttention>::SmemK, <C as LatentAttention>::Element>;
/// The load of K's columns of RoPE.
pub type LoadRopeK<C> =
    Sm90_TMA_LOAD<<C as LatentAttention>::SmemRopeK, <C as LatentAttention>::Element>;

/// Descriptors of operand A of S.
pub type DescriptorsQ<C, Smem> =
    DescriptorsOf<<C as LatentAttention>::Qk, OperandA, <C as LatentAttention>::Element, Smem>;
/// Descriptors of operand B of S.
pub type DescriptorsK<C, Smem> =
    DescriptorsOf<<C as LatentAttention>::Qk, OperandB, <C as LatentAttention>::Element, Smem>;
/// Descriptors of V: (1,MMA_N,MMA_K,parts of all stages).
pub type DescriptorsV<C> = DescriptorsOf<
    <C as LatentAttention>::Pv,
    OperandB,
    <C as LatentAttention>::Element,
    <C as LatentAttention>::SmemV,
>;
/// A thread's probabilities.
pub type ProbabilitiesOf<C> =
    Fragment<<C as LatentAttention>::Element, <C as LatentAttention>::Probabilities, OperandA>;
/// The results of a kernel: O and the log-sum-exp.
pub type ResultsOf<C> = (*mut <C as LatentAttention>::Element, *mut f32);

/// Returns the bytes of a tile of 64 rows with `columns` columns of 16-bit elements.
const fn bytes(columns: u32) -> u32 {
    2 * TILE * columns
}

/// The offset of Q's columns of RoPE in shared memory. Q is at 0.
pub const ROPE_Q_OFFSET: u32 = bytes(DIM_V);
/// Offset of K's stages.
pub const K_OFFSET: u32 = bytes(DIM);
/// Offset of K's columns of RoPE.
pub const ROPE_K_OFFSET: u32 = K_OFFSET + STAGES * bytes(DIM_V);
/// Offset of the exchange between the groups.
pub const EXCHANGE_OFFSET: u32 = K_OFFSET + STAGES * bytes(DIM);
/// Offset of the barriers: one for "full" and one for "empty", for Q and for each half of each
/// stage.
pub const BARRIERS: u32 = EXCHANGE_OFFSET + Exchange::BYTES;
/// Bytes of shared memory.
pub const SHARED_BYTES: u32 = BARRIERS + 16 * (1 + 2 * STAGES);

/// The tiles in shared memory.
pub struct LatentSmem<C: LatentAttention> {
    /// (64,256,parts)
    pub q: Tensor<Shared<C::Element>, C::SmemQ>,
    /// (64,64,1)
    pub rope_q: Tensor<Shared<C::Element>, C::SmemRopeQ>,
    /// (64,256,parts of all stages)
    pub k: Tensor<Shared<C::Element>, C::SmemK>,
    /// (64,64,stages)
    pub rope_k: Tensor<Shared<C::Element>, C::SmemRopeK>,
    /// (256,64,parts of all stages): K's bytes.
    pub v: Tensor<Shared<C::Element>, C::SmemV>,
}

impl<C: LatentAttention> LatentSmem<C> {
    /// Returns the tiles, which follow each other from `shared` on.
    ///
    /// # Safety
    /// `shared` is a multiple of 1024 and names [`SHARED_BYTES`] bytes of the CTA's shared memory.
    #[inline(always)]
    pub unsafe fn at(shared: u32) -> Self {
        const {
            assert!(
                2 * LoadQ::<C>::BYTES == ROPE_Q_OFFSET
                    && LoadRopeQ::<C>::BYTES == bytes(ROPE)
                    && LoadK::<C>::BYTES == bytes(PART)
                    && LoadRopeK::<C>::BYTES == bytes(ROPE),
                "the tiles have the bytes that the offsets leave them"
            );
        }
        // SAFETY: by the assertion above the offsets leave each tile its bytes, and all tiles end
        // before the exchange. V is the same bytes as K, and K's barriers order all accesses to
        // them.
        unsafe {
            Self {
                q: Tensor::shared(shared),
                rope_q: Tensor::shared(shared + ROPE_Q_OFFSET),
                k: Tensor::shared(shared + K_OFFSET),
                rope_k: Tensor::shared(shared + ROPE_K_OFFSET),
                v: Tensor::shared(shared + K_OFFSET),
            }
        }
    }
}
