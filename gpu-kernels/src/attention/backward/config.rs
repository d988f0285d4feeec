//! A configuration of a gradient kernel. It is a configuration of an attention kernel whose Q are
//! the resident tensors, whose K are the streamed tensors, and whose V are the streamed tensors
//! transposed.

use super::super::config::{MultistageAttention, MultistageAttentionKernel, With};
use super::super::score::DifferentiableScore;
use super::gradients::ScoreGradients;
use super::sequences::GradientTiles;
use crate::gemm::mainloop::Operand;
use core::marker::PhantomData;
use layout_types::layout::LayoutFn;

/// The configuration of the table's kernels of dK and dV, with tiles of `M` keys and blocks of `N`
/// queries.
pub struct KeyGradientTile<T, const D: u32, const M: u32, const N: u32, const STAGES: u32>(
    PhantomData<T>,
);
/// The configuration of the table's kernels of dQ, with tiles of `M` queries and blocks of `N`
/// keys.
pub struct QueryGradientTile<T, const D: u32, const M: u32, const N: u32, const STAGES: u32>(
    PhantomData<T>,
);

/// A configuration.
pub trait MultistageGradient:
    MultistageAttention<Score: DifferentiableScore, Sequences: GradientTiles>
{
    /// Maps a coordinate (M,N) of a tile to the place of its query's value.
    type TileValues: LayoutFn;
    /// [`Mma`](MultistageAttention::Mma), as the type that computes P and dS from a thread's
    /// scores.
    type Gradients: ScoreGradients<Self::TileValues, Self::Scores>;
    /// Whether tiles are of keys. Such a kernel has two results.
    const OF_KEYS: bool;
    /// Whether dV and dK are computed one after the other, each by a pass over the blocks, because
    /// both together need more registers than a thread has.
    const APART: bool;

    /// Offset of the first streamed tensor's stages in shared memory, after both resident tensors.
    const STREAMED_OFFSET: u32 = 2 * Self::Q::BYTES;
    /// Bytes of shared memory.
    const GRADIENT_SHARED_BYTES: u32 = Self::STREAMED_OFFSET + 2 * Self::K::BYTES;
}

/// A configuration of a kernel, with the operations of its types as bounds.
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

/// The largest number of a thread's registers for results and scores. Operands and addresses need
/// registers too: if results and scores have more than this, `ptxas` spills.
const MOST_REGISTERS: u32 = 192;

/// Returns how many registers a thread needs for both results and for four tiles of scores: scores,
/// derivatives, their factors, and the rounded operands.
const fn registers_with_scores<C: MultistageGradient>() -> u32 {
    let [rows, streamed] = C::TILE;
    (2 * C::DIM + 4 * streamed) * rows / (32 * C::WARPS)
}
impl<C: MultistageGradientKernel, F: DifferentiableScore, S: GradientTiles> MultistageGradientKernel
    for With<C, F, S>
{
}
