//! What the configuration of a split kernel has besides that of a kernel of tiles.

use super::super::super::composed::Composed;
use super::super::super::config::AttentionConfig;
use super::super::super::score::DifferentiableScore;
use super::super::config::GradientConfig;
use super::super::gradients::SecondResult;
use super::super::sequences::GradientSequences;
use super::exchange::{Exchange, ExchangedScores};
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};

/// A configuration of tiles of 64 keys, of which each of two consumer groups has one result.
pub trait SplitConfig: GradientConfig + AttentionConfig<Scores: ExchangedScores> {
    /// Bytes of shared memory: P on its way between the groups is behind all else.
    const SPLIT_SHARED_BYTES: u32 = Self::GRADIENT_SHARED_BYTES + Exchange::BYTES;
}

impl<C, F, S> SplitConfig for Composed<C, F, S>
where
    C: SplitConfig + GradientConfig<Second: SecondResult<Self>>,
    F: DifferentiableScore,
    S: GradientSequences,
{
}

/// Leaves the producer's warp group 40 registers a thread.
///
/// # Safety
/// The whole warp group executes it, once.
#[inline(always)]
pub unsafe fn give_up_registers() {
    // SAFETY: `kernel::run` branches by `thread < 128`, which is the whole first warp group.
    unsafe { warpgroup_reg_dealloc::<40>() };
}

/// Gives each of the two consumer groups 232 registers a thread: with the producer's 64,512.
///
/// # Safety
/// The whole warp group executes it, once, and the producer's [`give_up_registers`].
#[inline(always)]
pub unsafe fn take_registers() {
    // SAFETY: `kernel::run` branches by whole warp groups, and the first of them gives up the
    // registers that the others take.
    unsafe { warpgroup_reg_alloc::<232>() };
}

/// Checks that a configuration is run with its own numbers.
pub const fn is_run_by<C: SplitConfig>(warps: u32) {
    super::super::config::has_values::<C>();
    assert!(
        C::TILE[0] == 64 && C::OF_KEYS && warps == 8,
        "a tile has the 64 keys of a consumer group, and two groups have its results"
    );
}
