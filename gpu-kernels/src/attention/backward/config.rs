//! A configuration of a kernel of gradients: that of an attention kernel, whose Q is the tensors
//! that stay, whose K those that are streamed, and whose V the same transposed.

use super::super::config::{MultistageAttention, MultistageAttentionKernel, With};
use super::super::score::DifferentiableScore;
use super::gradients::ScoreGradients;
use super::sequences::GradientTiles;
use crate::gemm::mainloop::Operand;
use core::marker::PhantomData;
use layout_types::layout::LayoutFn;

/// The configuration of the table's kernels of dK and dV: tiles of `M` keys, blocks of `N` queries.
pub struct KeyGradientTile<T, const D: u32, const M: u32, const N: u32, const STAGES: u32>(
    PhantomData<T>,
);
/// The configuration of the table's kernels of dQ: tiles of `M` queries, blocks of `N` keys.
pub struct QueryGradientTile<T, const D: u32, const M: u32, const N: u32, const STAGES: u32>(
    PhantomData<T>,
);

/// A configuration.
pub trait MultistageGradient:
    MultistageAttention<Score: DifferentiableScore, Sequences: GradientTiles>
{
    /// From a tile's coordinate to the place of its query's value: (M,N).
    type TileValues: LayoutFn;
    /// [`Mma`](MultistageAttention::Mma), as what makes P and dS of a thread's scores.
    type Gradients: ScoreGradients<Self::TileValues, Self::Scores>;
    /// Whether the tile is of keys: then there are two results.
    const OF_KEYS: bool;
    /// Whether dV and dK are made one after the other, each by a pass over the blocks: where both
    /// are more registers than there are.
    const APART: bool;

    /// Offset of the first streamed tensor's stages in shared memory, behind both that stay.
    const STREAMED_OFFSET: u32 = 2 * Self::Q::BYTES;
    /// Bytes of shared memory.
    const GRADIENT_SHARED_BYTES: u32 = Self::STREAMED_OFFSET + 2 * Self::K::BYTES;
}

/// A configuration of a kernel: what its types do.
pub trait MultistageGradientKernel: MultistageGradient + MultistageAttentionKernel {}

impl<C: MultistageGradient, F: DifferentiableScore, S: GradientTiles> MultistageGradient
    for With<C, F, S>
{
    type TileValues = C::TileValues;
    type Gradients = C::Gradients;
    const OF_KEYS: bool = C::OF_KEYS;
    const APART: bool =
        C::APART || (C::OF_KEYS && !F::IDENTITY && registers_with_scores::<C>() > MOST_REGISTERS);
}

/// The most registers of a thread for results and scores, beside which operands and addresses have
/// theirs: with more, `ptxas` spills.
const MOST_REGISTERS: u32 = 192;

/// A thread's registers of both results and of four tiles of scores: scores, derivatives, what they
/// are multiplied with, and what is rounded.
const fn registers_with_scores<C: MultistageGradient>() -> u32 {
    let [rows, streamed] = C::TILE;
    (2 * C::DIM + 4 * streamed) * rows / (32 * C::WARPS)
}
impl<C: MultistageGradientKernel, F: DifferentiableScore, S: GradientTiles> MultistageGradientKernel
    for With<C, F, S>
{
}
