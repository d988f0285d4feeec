//! A configuration that is made from another one, with a score function, with other sequences, or
//! with both.
//!
//! ```text
//!   With<Bf16D128, SoftCap>                  the configuration with a function of each score
//!   Packed<Bf16D128>                         the configuration with the first row of each sequence
//!   With<Packed<Bf16D128, true>, SoftCap>    both; it takes sequences of one length, too
//! ```
//!
//! Law: everything else is unchanged. Work that overlaps with the products needs registers, but a
//! score function's value and the starts of sequences occupy them. So a composition with either of
//! the two does this work after the products.

use super::config::AttentionConfig;
use super::score::ScoreFunction;
use super::sequences::{PackedSequences, Sequences};
use core::marker::PhantomData;

/// The configuration `C` with the score function `F` and the sequences `S`.
pub struct Composed<C, F, S>(PhantomData<(C, F, S)>);

/// The configuration `C` with the score function `F`.
///
/// A kernel of this configuration, in a crate that depends on this one without its default
/// features, is
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

/// The configuration `C` for packed sequences. With `OR_UNIFORM` it takes sequences of one length,
/// too.
pub type Packed<C, const OR_UNIFORM: bool = false> =
    Composed<C, <C as AttentionConfig>::Score, PackedSequences<OR_UNIFORM>>;

impl<C: AttentionConfig, F: ScoreFunction, S: Sequences> Composed<C, F, S> {
    /// Whether the composition needs no more registers than the kernel of `C`.
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
