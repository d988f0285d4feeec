//! A configuration made of another one: with a score function, of other sequences, or both.
//!
//! ```text
//!   With<Bf16D128, SoftCap>                  the configuration, and what becomes of a score
//!   Packed<Bf16D128>                         the configuration, and where each sequence begins
//!   With<Packed<Bf16D128, true>, SoftCap>    both; sequences of one length, too
//! ```
//!
//! Law: everything else is the configuration's own. What is done under the products needs
//! registers, which a score function's value and the starts of sequences take: a composition with
//! either does it behind them.

use super::config::AttentionConfig;
use super::score::ScoreFunction;
use super::sequences::{PackedSequences, Sequences};
use core::marker::PhantomData;

/// The configuration `C` with the score function `F`, of sequences `S`.
pub struct Composed<C, F, S>(PhantomData<(C, F, S)>);

/// The configuration `C` with the score function `F`.
///
/// A kernel of it, in a crate of its own that depends on this one without its default features, is
///
/// ```text
/// #[kernel(threads = 384, min_blocks = 1)]
/// pub unsafe fn attention_soft_cap(o: *mut bf16, lse: *mut f32, params: AttentionParams, #[grid_constant] map_q: &TensorMap,
///     #[grid_constant] map_k: &TensorMap, #[grid_constant] map_v: &TensorMap, score: SoftCap) {
///     unsafe { run::<With<Bf16D128, SoftCap>, 2, 8, 2>((o, lse), &params, [map_q, map_k, map_v], (score, Uniform)) }
/// }
/// ```
///
/// and its launch is planned by
/// `AttentionConfiguration { kernel: "attention_soft_cap", ..Bf16D128::CONFIGURATION }`.
pub type With<C, F> = Composed<C, F, <C as AttentionConfig>::Sequences>;

/// The configuration `C` of packed sequences, or, with `OR_UNIFORM`, of either kind.
pub type Packed<C, const OR_UNIFORM: bool = false> =
    Composed<C, <C as AttentionConfig>::Score, PackedSequences<OR_UNIFORM>>;

impl<C: AttentionConfig, F: ScoreFunction, S: Sequences> Composed<C, F, S> {
    /// Whether it leaves the registers that the configuration's kernel has.
    const LEAVES_REGISTERS: bool = F::IDENTITY && S::LOCATES;
}

impl<C: AttentionConfig, F: ScoreFunction, S: Sequences> AttentionConfig for Composed<C, F, S> {
    type Element = C::Element;
    type OutputElement = C::OutputElement;
    type QkAtom = C::QkAtom;
    type PvAtom = C::PvAtom;
    type Qk = C::Qk;
    type Pv = C::Pv;
    type SmemQ = C::SmemQ;
    type SmemK = C::SmemK;
    type SmemV = C::SmemV;
    type TileS = C::TileS;
    type Scores = C::Scores;
    type Probabilities = C::Probabilities;
    type Output = C::Output;
    type BlocksOf32 = C::BlocksOf32;
    type Score = F;
    type Sequences = S;
    const TILE: [u32; 2] = C::TILE;
    const DIM: u32 = C::DIM;
    const DIM_V: u32 = C::DIM_V;
    const Q_STAGES: u32 = C::Q_STAGES;
    const STAGES: u32 = C::STAGES;
    const LAZY: bool = C::LAZY;
    const CORRECTS_UNDER_SCORES: bool = C::CORRECTS_UNDER_SCORES && Self::LEAVES_REGISTERS;
    const LOCATES_UNDER_PRODUCTS: bool = C::LOCATES_UNDER_PRODUCTS && Self::LEAVES_REGISTERS;
    const HALVES: bool = C::HALVES;
    const PROMOTES: bool = C::PROMOTES;
}
