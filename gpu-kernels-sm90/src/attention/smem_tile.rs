//! A tile in shared memory as a place for parts of it: boxes of its lines, and elements.
//!
//! ```text
//!   (M,K,stages)      address(tile, (m, k, stage)): where the line begins that a box of fewer rows than the tile's fills
//! ```
//!
//! Law: the address is the layout's, swizzle included; at a multiple of the swizzle's period the
//! swizzle changes nothing.

use super::config::AttentionConfig;
use crate::warp_group::{WARP_GROUP, consumer_thread, thread_in_group};
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::check::Reflect;
use layout_types::coord::Coord;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Plain, Shared, Tensor};

/// A layout of three modes, the last the stages.
pub trait SmemTile: LayoutFn + Reflect {
    /// The address of an element in the CTA's window of shared memory.
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

/// The named barrier behind the clearing of V.
const CLEARED_BARRIER: u32 = 1;

/// Clears V's rows from `first` on in a stage: the weights of rows behind the last key are 0, but 0
/// times what is no number is none.
///
/// # Safety
/// All consumer groups execute it whole, behind their waits for the stage and before the first
/// product with it.
#[inline(always)]
pub unsafe fn clear_from<C: AttentionConfig>(
    s_v: &Tensor<Shared<C::Element>, C::SmemV>, // (D,N,stages)
    first: u32,
    stage: u32,
) {
    // All consumers of several groups: each column is one thread's.
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
    // SAFETY: the stage is full behind the caller's wait, and nobody else writes it before its
    // release; the fence and the barrier of all consumers order the zeros before the products.
    unsafe {
        fence_proxy_async_shared();
        named_barrier_sync(CLEARED_BARRIER, threads);
    }
}
