//! Score functions of Hopper's kernels: a configuration with another one.
//!
//! ```text
//!   With<Bf16D128, SoftCap>      the configuration, and what becomes of a score
//! ```
//!
//! Law: that of [`ScoreFunction`].

use super::config::AttentionConfig;
use core::marker::PhantomData;

pub use gpu_kernels::attention::score::*;

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
/// and its launch is planned by `AttentionConfiguration { kernel: "attention_soft_cap", ..Bf16D128::CONFIGURATION }`.
pub struct With<C, F>(PhantomData<(C, F)>);

impl<C: AttentionConfig, F: ScoreFunction> AttentionConfig for With<C, F> {
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
    type Sequences = C::Sequences;
    const TILE: [u32; 2] = C::TILE;
    const DIM: u32 = C::DIM;
    const Q_STAGES: u32 = C::Q_STAGES;
    const STAGES: u32 = C::STAGES;
    const LAZY: bool = C::LAZY;
    const PROMOTES: bool = C::PROMOTES;
}
