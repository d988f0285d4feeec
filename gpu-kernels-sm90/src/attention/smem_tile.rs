//! Addresses parts of a tile in shared memory: boxes of its rows, and elements.
//!
//! ```text
//!   (M,K,stages)      address(tile, (m, k, stage)): the first byte that a box with fewer rows than the tile fills
//! ```
//!
//! Law: the address is the layout's, including the swizzle. At a multiple of its period, the
//! swizzle does not change the address.

use super::config::AttentionConfig;
use crate::warp_group::{WARP_GROUP, consumer_thread, thread_in_group};
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::check::Reflect;
use layout_types::coord::Coord;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Plain, Shared, Tensor};

/// A layout of three modes. The last mode is the stages.
pub trait SmemTile: LayoutFn + Reflect {
    /// Returns the address of an element in the CTA's window of shared memory.
    fn address<T: Plain>(of: &Tensor<Shared<T>, Self>, at: (u32, u32, u32)) -> u32;
    /// Writes 0 into an element.
    fn clear<T: Plain>(of: &Tensor<Shared<T>, Self>, at: (u32, u32, u32));
}
impl<L: LayoutFn + Reflect> SmemTile for L
where
    (u32, u32, u32): Coord<L::Modes, u32>,
{
    #[inline(always)]
    fn address<T: Plain>(of: &Tensor<Shared<T>, L>, at: (u32, u32, u32)) -> u32 {
        of.domain_offset(at).engine().address::<L>()
    }
    #[inline(always)]
    fn clear<T: Plain>(of: &Tensor<Shared<T>, L>, at: (u32, u32, u32)) {
        of.set(at, T::default());
    }
}

/// The named barrier after V is cleared.
const CLEARED_BARRIER: u32 = 1;

/// Clears V's rows from `first` on in a stage. The weights of rows after the last key are 0, but 0
/// times a NaN or an infinity would be NaN.
///
/// # Safety
/// All consumer groups execute it as a whole, after their waits for the stage and before the first
/// product with the stage.
#[inline(always)]
pub unsafe fn clear_from<C: AttentionConfig>(
    s_v: &Tensor<Shared<C::Element>, C::SmemV>, // (D,N,stages)
    first: u32,
    stage: u32,
) {
    // With several groups all consumer threads clear together. Each column is cleared by one
    // thread.
    let (mut column, threads) = if const { C::GROUPS == 1 } {
        (thread_in_group(), WARP_GROUP)
    } else {
        (consumer_thread(), C::GROUPS * WARP_GROUP)
    };
    while column < C::DIM_V {
        let mut row = first;
        while row < C::TILE[1] {
            C::SmemV::clear(s_v, (column, row, stage));
            row += 1;
        }
        column += threads;
    }
    // SAFETY: the stage is full after the caller's wait, and nothing else writes it before its
    // release. The fence and the barrier of all consumers order the zeros before the products.
    unsafe {
        fence_proxy_async_shared();
        named_barrier_sync(CLEARED_BARRIER, threads);
    }
}
