//! The configuration of a split kernel. It adds the exchange of P to the configuration of a kernel
//! of tiles.

use super::super::super::composed::Composed;
use super::super::super::config::AttentionConfig;
use super::super::super::score::DifferentiableScore;
use super::super::config::GradientConfig;
use super::super::gradients::SecondResult;
use super::super::sequences::GradientSequences;
use super::exchange::{Exchange, ExchangedScores};
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};

/// A configuration with tiles of 64 keys. Each of the two consumer groups computes one result of a
/// tile.
pub trait SplitConfig: GradientConfig + AttentionConfig<Scores: ExchangedScores> {
    /// Bytes of shared memory. The exchange of P between the groups follows everything else.
    const SPLIT_SHARED_BYTES: u32 = Self::GRADIENT_SHARED_BYTES + Exchange::BYTES;
}

impl<C, F, S> SplitConfig for Composed<C, F, S>
where
    C: SplitConfig + GradientConfig<Second: SecondResult<Self>>,
    F: DifferentiableScore,
    S: GradientSequences,
{
}

/// Leaves each thread of the producer's warp group 40 registers.
///
/// # Safety
/// The whole warp group executes it, once.
#[inline(always)]
pub unsafe fn give_up_registers() {
    // SAFETY: `kernel::run` branches by `thread < 128`, which is the whole first warp group.
    unsafe { warpgroup_reg_dealloc::<40>() };
}

/// Gives each thread of the two consumer groups 232 registers. With the producer's registers that
/// makes 64,512.
///
/// # Safety
/// The whole warp group executes it, once, and the producer's warp group executes
/// [`give_up_registers`].
#[inline(always)]
pub unsafe fn take_registers() {
    // SAFETY: `kernel::run` branches by whole warp groups, and the first warp group gives up the
    // registers that the others take.
    unsafe { warpgroup_reg_alloc::<232>() };
}

/// Checks that the numbers with which a configuration is run are the configuration's own.
pub const fn is_run_by<C: SplitConfig>(warps: u32) {
    super::super::config::has_values::<C>();
    assert!(
        C::TILE[0] == 64 && C::OF_KEYS && warps == 8,
        "a tile has the 64 keys of a consumer group, and two groups have its results"
    );
}
