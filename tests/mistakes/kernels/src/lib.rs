//! Kernels that are wrong on purpose: `NAME`, and its right twin `NAME_right`. The header of each file says what the mistake is.

#![cfg_attr(feature = "refused", allow(unused_macros))]

/// Defines the kernels of a module's `body`: the mistake, and its right twin.
macro_rules! twins {
    ($wrong:ident, $right:ident) => {
        twins!($wrong, $right: d: *mut f32, a: *const f32, n: u32);
    };
    ($wrong:ident, $right:ident: $($parameter:ident: $type:ty),*) => {
        /// Runs the mistake.
        ///
        /// # Safety
        /// The conditions are those of `body`.
        #[cuda_std::kernel]
        pub unsafe fn $wrong($($parameter: $type),*) {
            // SAFETY: the conditions need not hold: this is the mistake.
            unsafe { body::<false>($($parameter),*) };
        }
        /// Runs the right twin.
        ///
        /// # Safety
        /// The conditions are those of `body`.
        #[cuda_std::kernel]
        pub unsafe fn $right($($parameter: $type),*) {
            // SAFETY: the launch is as `body` requires, by the contract.
            unsafe { body::<true>($($parameter),*) };
        }
    };
}

/// Defines the mistake, which the build refuses, with the feature `refused`, or else its twin.
macro_rules! refused_twins {
    ($wrong:ident, $right:ident) => {
        /// Runs the mistake.
        ///
        /// # Safety
        /// The conditions are those of `body`.
        #[cfg(feature = "refused")]
        #[cuda_std::kernel]
        pub unsafe fn $wrong(d: *mut f32, a: *const f32, n: u32) {
            // SAFETY: the conditions need not hold: this is the mistake.
            unsafe { body::<false>(d, a, n) };
        }
        /// Runs the right twin.
        ///
        /// # Safety
        /// The conditions are those of `body`.
        #[cfg(not(feature = "refused"))]
        #[cuda_std::kernel]
        pub unsafe fn $right(d: *mut f32, a: *const f32, n: u32) {
            // SAFETY: the launch is as `body` requires, by the contract.
            unsafe { body::<true>(d, a, n) };
        }
    };
}

#[cfg(not(feature = "refused"))]
pub mod accumulator_carries_over;
pub mod barrier_in_branch;
#[cfg(not(feature = "refused"))]
pub mod bf16_cut_off;
#[cfg(not(feature = "refused"))]
pub mod bf16_sum_stands_still;
#[cfg(not(feature = "refused"))]
pub mod bulk_store_left_behind;
#[cfg(not(feature = "refused"))]
pub mod bulk_store_no_fence;
#[cfg(not(feature = "refused"))]
pub mod bulk_store_overwritten;
#[cfg(not(feature = "refused"))]
pub mod cluster_peer_ended;
#[cfg(not(feature = "refused"))]
pub mod cp_async_commit_in_condition;
#[cfg(not(feature = "refused"))]
pub mod cp_async_misaligned;
#[cfg(not(feature = "refused"))]
pub mod cp_async_no_barrier;
#[cfg(not(feature = "refused"))]
pub mod cp_async_no_wait;
#[cfg(not(feature = "refused"))]
pub mod cp_async_no_zero_fill;
#[cfg(not(feature = "refused"))]
pub mod cp_async_wait_too_early;
#[cfg(not(feature = "refused"))]
pub mod epilogue_in_a_stage;
#[cfg(not(feature = "refused"))]
pub mod extents_swapped;
#[cfg(not(feature = "refused"))]
pub mod f16_sum_overflows;
#[cfg(not(feature = "refused"))]
pub mod group_of_another_size;
#[cfg(not(feature = "refused"))]
pub mod halo_off_by_one;
#[cfg(not(feature = "refused"))]
pub mod largest_begins_with_zero;
#[cfg(not(feature = "refused"))]
pub mod last_block_is_last;
pub mod ldmatrix_in_branch;
#[cfg(not(feature = "refused"))]
pub mod mbarrier_arrivals;
#[cfg(not(feature = "refused"))]
pub mod mbarrier_no_barrier;
#[cfg(not(feature = "refused"))]
pub mod mbarrier_no_fence;
#[cfg(not(feature = "refused"))]
pub mod mbarrier_wrong_phase;
#[cfg(not(feature = "refused"))]
pub mod missing_barrier;
#[cfg(not(feature = "refused"))]
pub mod missing_second_barrier;
pub mod mma_in_branch;
#[cfg(not(feature = "refused"))]
pub mod no_predicate_on_d;
pub mod return_before_barrier;
#[cfg(not(feature = "refused"))]
pub mod s8_product_wraps;
#[cfg(not(feature = "refused"))]
pub mod shared_counters;
#[cfg(not(feature = "refused"))]
pub mod shared_not_zeroed;
#[cfg(not(feature = "refused"))]
pub mod shared_past_the_end;
#[cfg(not(feature = "refused"))]
pub mod shuffle_in_branch;
#[cfg(not(feature = "refused"))]
pub mod softmax_of_a_masked_row;
#[cfg(not(feature = "refused"))]
pub mod softmax_overflows;
#[cfg(not(feature = "refused"))]
pub mod stencil_in_place;
#[cfg(not(feature = "refused"))]
pub mod store_past_the_end;
#[cfg(not(feature = "refused"))]
pub mod sum_over_blocks;
#[cfg(not(feature = "refused"))]
pub mod swizzle_on_one_side;
#[cfg(not(feature = "refused"))]
pub mod tma_by_every_thread;
#[cfg(not(feature = "refused"))]
pub mod tma_expects_too_little;
#[cfg(not(feature = "refused"))]
pub mod tma_expects_too_much;
#[cfg(not(feature = "refused"))]
pub mod tma_no_arrival;
#[cfg(not(feature = "refused"))]
pub mod tma_no_wait;
#[cfg(not(feature = "refused"))]
pub mod variance_cancels;
#[cfg(not(feature = "refused"))]
pub mod vector_of_an_odd_offset;
#[cfg(not(feature = "refused"))]
pub mod warp_synchronous;
