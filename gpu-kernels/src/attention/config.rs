//! A configuration of attention by `mma.sync`: everything that distinguishes one kernel from
//! another, as types.
//!
//! ```text
//!   Q, K, V ─ cp.async ─► Q::Stages, K::Stages ─ S2rQ, S2rK ─► Mma ─► Scores ─ softmax, Retile ─► Probabilities ─ S2rV, Mma ─► Output
//! ```
//!
//! Law: each configuration names concrete associated types, which are checked at its definition. K
//! and V are copied to shared memory in the same way, as rows of their own head dimension. `SmemV`
//! is the same bytes as V's stages, as operand B (D,N) of the second product.

use super::fragments::{AccumulatorAtoms, RetileToA};
use super::score::ScoreFunction;
use super::sequences::{SequenceTiles, Uniform};
use super::value::{AttentionValue, ScoreCoordinates};
use crate::gemm::mainloop::{LoadedOperand, Operand, StagesOf};
use core::marker::PhantomData;
use layout_types::algorithm::k_block::{LoadKBlock, MultiplyKBlock};
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout, Shared, Tensor};
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledCopyTraits, TiledMmaTraits};
use layout_types::unroll::Unroll;
use typenum::Unsigned;

/// A configuration: the types and constants that distinguish one kernel from another.
pub trait MultistageAttention: Sized + 'static {
    /// The element type of Q, K, V and O.
    type Value: AttentionValue;
    /// How a tile of queries is copied to shared memory: (M,D,1).
    type Q: Operand<Bits = u16>;
    /// How a block of K is copied to shared memory: (N,D,stages).
    type K: Operand<Bits = u16>;
    /// How a block of V is copied to shared memory: (N,D,stages). It is the same type as `K` if the
    /// head dimensions are equal.
    type V: Operand<Bits = u16>;
    /// Stages of V as operand B: (D,N,stages), the transpose of the stages of `V`.
    type SmemV: LayoutFn;
    /// The tiled MMA of S (M,N) = Q (M,D) K (N,D)ᵀ and of O (M,D) += P (M,N) V (D,N)ᵀ.
    type Mma: TiledMmaTraits;
    /// The tiled copy from shared memory to Q's fragments.
    type S2rQ: TiledCopyTraits;
    /// The tiled copy from shared memory to K's fragments.
    type S2rK: TiledCopyTraits;
    /// The tiled copy from shared memory to V's fragments, transposed.
    type S2rV: TiledCopyTraits;
    /// A thread's fragment of Q, (MMA,MMA_M,D/16).
    type FragmentQ: FragmentLayout;
    /// A thread's fragment of K, (MMA,N/8,D/16).
    type FragmentK: FragmentLayout;
    /// A thread's fragment of V, (MMA,D/8,N/16).
    type FragmentV: FragmentLayout;
    /// The coordinates (query, key) of a tile of scores: (M,N).
    type TileS: LayoutFn;
    /// A thread's scores, (MMA,MMA_M,N/8).
    type Scores: FragmentLayout;
    /// The scores in the order of the probabilities.
    type Retile;
    /// A thread's probabilities, (MMA,MMA_M,N/16).
    type Probabilities: FragmentLayout;
    /// A thread's part of O, (MMA,MMA_M,D/8).
    type Output: FragmentLayout;
    /// K blocks of the first product: D/16.
    type BlocksOfD: Unroll + Unsigned;
    /// K blocks of the second product: N/16.
    type BlocksOfN: Unroll + Unsigned;
    /// O in blocks of 32 columns.
    type BlocksOf32: Unroll;
    /// The function that is applied to a score before the softmax.
    type Score: ScoreFunction;
    /// The division of the tensors into sequences: [`Uniform`], or packed.
    type Sequences: SequenceTiles;
    /// Queries and keys of a tile: M and N.
    const TILE: [u32; 2];
    /// The head dimension D of Q and K.
    const DIM: u32;
    /// The head dimension of V and O.
    const DIM_V: u32 = Self::DIM;
    /// The number of warps in a CTA. Each warp has 16 queries in each atom along M.
    const WARPS: u32;
    /// Stages of K and of V. With one stage, the copy of K's next block overlaps with the softmax;
    /// with two, the copies of K and V overlap with both products.
    const STAGES: u32;
    /// Whether Q's fragments stay in registers. Otherwise they are loaded for each block of keys.
    const Q_IN_REGISTERS: bool;
    /// Whether O is corrected lazily: see [`Softmax::raise`](super::softmax::Softmax::raise). This
    /// is faster if O has many columns.
    const LAZY: bool;

    /// The number of threads in a CTA.
    const THREADS: u32 = 32 * Self::WARPS;
    /// Atoms along M: a warp's tiles of 16 queries.
    const ATOMS: u32 = Self::TILE[0] / (16 * Self::WARPS);
    /// Offset of K's stages in shared memory; Q is at 0.
    const K_OFFSET: u32 = Self::Q::BYTES;
    /// Offset of V's stages.
    const V_OFFSET: u32 = Self::K_OFFSET + Self::K::BYTES;
    /// Bytes of shared memory.
    const SHARED_BYTES: u32 = Self::V_OFFSET + Self::V::BYTES;
}

/// The element type of a configuration.
type Value<C> = <C as MultistageAttention>::Value;
/// The fragments' layouts of a configuration.
type FragmentQ<C> = <C as MultistageAttention>::FragmentQ;
type FragmentK<C> = <C as MultistageAttention>::FragmentK;
type FragmentV<C> = <C as MultistageAttention>::FragmentV;
type Scores<C> = <C as MultistageAttention>::Scores;
type Probabilities<C> = <C as MultistageAttention>::Probabilities;
type Output<C> = <C as MultistageAttention>::Output;
type SmemQ<C> = <<C as MultistageAttention>::Q as Operand>::Stages;
type SmemK<C> = <<C as MultistageAttention>::K as Operand>::Stages;

/// A configuration of a kernel, with the operations of its types as bounds. These are bounds of one
/// trait and not of each type, so the compiler proves them for a configuration in one environment
/// and computes the layouts once.
pub trait MultistageAttentionKernel:
    MultistageAttention<
        Q: LoadedOperand,
        K: LoadedOperand,
        V: LoadedOperand,
        Mma: MultiplyKBlock<
            Value<Self>,
            FragmentQ<Self>,
            Value<Self>,
            FragmentK<Self>,
            f32,
            Scores<Self>,
        > + MultiplyKBlock<
            Value<Self>,
            Probabilities<Self>,
            Value<Self>,
            FragmentV<Self>,
            f32,
            Output<Self>,
        > + ScoreCoordinates<<Self as MultistageAttention>::TileS, Scores<Self>>,
        S2rQ: LoadKBlock<u16, SmemQ<Self>, Value<Self>, FragmentQ<Self>, OperandA>,
        S2rK: LoadKBlock<u16, SmemK<Self>, Value<Self>, FragmentK<Self>, OperandB>,
        S2rV: LoadKBlock<
            u16,
            <Self as MultistageAttention>::SmemV,
            Value<Self>,
            FragmentV<Self>,
            OperandB,
        >,
        Scores: AccumulatorAtoms
                    + RetileToA<<Self as MultistageAttention>::Retile, Probabilities<Self>>,
        Output: AccumulatorAtoms,
    >
{
}

/// The configuration of the table's kernels for elements `T` and head dimension `D`, with tiles of
/// `M` queries and `N` keys.
pub struct ForwardTile<T, const D: u32, const M: u32, const N: u32, const STAGES: u32>(
    PhantomData<T>,
);

/// The options of a configuration besides its tile. Each option has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Whether Q's fragments stay in registers: [`MultistageAttention::Q_IN_REGISTERS`].
    pub q_in_registers: bool,
    /// Whether O is corrected lazily: [`MultistageAttention::LAZY`].
    pub lazy: bool,
    /// Whether the kernel of dK and dV computes one after the other:
    /// [`MultistageGradient::APART`](super::backward::config::MultistageGradient::APART).
    pub apart: bool,
    /// Scores per second, relative to the other tiles of the head dimension.
    pub speed: u32,
}

impl Tuning {
    /// The defaults: Q's fragments are loaded from shared memory, O is corrected whenever a maximum
    /// grows, and both gradients are computed at once.
    pub const DEFAULT: Self = Self {
        q_in_registers: false,
        lazy: false,
        apart: false,
        speed: 100,
    };

    /// Keeps Q's fragments in registers.
    #[must_use]
    pub const fn q_in_registers(self) -> Self {
        Self {
            q_in_registers: true,
            ..self
        }
    }
    /// Corrects O lazily.
    #[must_use]
    pub const fn lazy(self) -> Self {
        Self { lazy: true, ..self }
    }
    /// Computes dV and dK one after the other.
    #[must_use]
    pub const fn apart(self) -> Self {
        Self {
            apart: true,
            ..self
        }
    }
    /// Sets the speed relative to the other tiles of the head dimension, which have 100 by default.
    #[must_use]
    pub const fn speed(self, speed: u32) -> Self {
        Self { speed, ..self }
    }
}

/// The configuration `C` with the score function `F` and the sequences `S`.
pub struct With<C, F, S = Uniform>(PhantomData<(C, F, S)>);

impl<C: MultistageAttention, F: ScoreFunction, S: SequenceTiles> MultistageAttention
    for With<C, F, S>
{
    type Value = C::Value;
    type Q = C::Q;
    type K = C::K;
    type V = C::V;
    type SmemV = C::SmemV;
    type Mma = C::Mma;
    type S2rQ = C::S2rQ;
    type S2rK = C::S2rK;
    type S2rV = C::S2rV;
    type FragmentQ = C::FragmentQ;
    type FragmentK = C::FragmentK;
    type FragmentV = C::FragmentV;
    type TileS = C::TileS;
    type Scores = C::Scores;
    type Retile = C::Retile;
    type Probabilities = C::Probabilities;
    type Output = C::Output;
    type BlocksOfD = C::BlocksOfD;
    type BlocksOfN = C::BlocksOfN;
    type BlocksOf32 = C::BlocksOf32;
    type Score = F;
    type Sequences = S;
    const TILE: [u32; 2] = C::TILE;
    const DIM: u32 = C::DIM;
    const DIM_V: u32 = C::DIM_V;
    const WARPS: u32 = C::WARPS;
    const STAGES: u32 = C::STAGES;
    const Q_IN_REGISTERS: bool = C::Q_IN_REGISTERS;
    const LAZY: bool = C::LAZY;
}
impl<C: MultistageAttentionKernel, F: ScoreFunction, S: SequenceTiles> MultistageAttentionKernel
    for With<C, F, S>
{
}

/// A thread's fragment of Q.
pub type QueryFragment<C> = Fragment<Value<C>, FragmentQ<C>, OperandA>;
/// A thread's fragment of K.
pub type KeyFragment<C> = Fragment<Value<C>, FragmentK<C>, OperandB>;
/// A thread's fragment of V.
pub type ValueFragment<C> = Fragment<Value<C>, FragmentV<C>, OperandB>;
/// A thread's scores.
pub type ScoreFragment<C> = Fragment<f32, Scores<C>, OperandC>;
/// A thread's probabilities.
pub type ProbabilityFragment<C> = Fragment<Value<C>, Probabilities<C>, OperandA>;
/// A thread's part of O.
pub type OutputFragment<C> = Fragment<f32, Output<C>, OperandC>;
/// A thread's part of a tile of Q in shared memory: (CPY,CPY_M,CPY_K,1).
pub type QuerySource<C> = Tensor<
    Shared<u16>,
    <<C as MultistageAttention>::S2rQ as LoadKBlock<
        u16,
        SmemQ<C>,
        Value<C>,
        FragmentQ<C>,
        OperandA,
    >>::Source,
>;
/// A thread's part of the stages of K: (CPY,CPY_N,CPY_K,stages).
pub type KeySource<C> = Tensor<
    Shared<u16>,
    <<C as MultistageAttention>::S2rK as LoadKBlock<
        u16,
        SmemK<C>,
        Value<C>,
        FragmentK<C>,
        OperandB,
    >>::Source,
>;
/// A thread's part of the stages of V: (CPY,CPY_N,CPY_K,stages).
pub type ValueSource<C> = Tensor<
    Shared<u16>,
    <<C as MultistageAttention>::S2rV as LoadKBlock<
        u16,
        <C as MultistageAttention>::SmemV,
        Value<C>,
        FragmentV<C>,
        OperandB,
    >>::Source,
>;
/// The stages of Q.
pub type QueryStages<C> = StagesOf<<C as MultistageAttention>::Q>;
/// The stages of K.
pub type KeyStages<C> = StagesOf<<C as MultistageAttention>::K>;
/// The stages of V, in the layout in which they are filled.
pub type FilledStages<C> = StagesOf<<C as MultistageAttention>::V>;
/// The stages of V, in the layout in which they are read.
pub type ValueStages<C> = Tensor<Shared<u16>, <C as MultistageAttention>::SmemV>;
