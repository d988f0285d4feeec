//! Computes the gradient of the sinks: `d sink = -Σ e^(sink - LSE) δ`, summed over the rows of a
//! head.
//!
//! ```text
//!   512 threads     row t, t + 512, .. of each batch of the head ─► sum per thread ─► sum per warp ─► shared memory ─► one sum
//! ```
//!
//! Law: the result is the one that [`kernel_abi::attention::SinkGradientConfiguration`] defines.
//! The kernel of the rows has written LSE log2(e) and δ; δ is 0 in rows that see no key and in rows
//! that pad a head. The head dimension, the element type and the packing of sequences do not matter
//! here.

use crate::gemm::tile_scheduler::divide;
use cuda_std::float::GpuFloat;
use cuda_std::float::approx::exp2_ftz;
#[cfg(all(feature = "attention-score-parts", target_arch = "nvptx64"))]
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_xor;
use kernel_abi::attention::{AttentionBackwardParams, SINK_THREADS, SinkGradientConfiguration};
use layout_types::prelude::*;
use layout_types::tensor::{Shared, Tensor};
use layout_types::unroll::unroll;

/// The number of warps in a CTA.
const WARPS: u32 = SINK_THREADS / 32;

/// The kernel's row of a table.
pub const CONFIGURATION: SinkGradientConfiguration = SinkGradientConfiguration {
    kernel: "attention_backward_sinks",
    shared_bytes: 4 * WARPS,
};

/// Adds one number of each thread of a warp, in a fixed order, and returns the sum in all threads.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn sum_of_warp(mut sum: f32) -> f32 {
    unroll::<5>(|i| {
        // SAFETY: the whole warp is here by the function's contract.
        sum += unsafe { warp_shuffle_xor(u32::MAX, sum, 1 << i, 32).0 };
    });
    sum
}

/// Runs the kernel of the sinks.
///
/// # Safety
/// The launch is the plan's: it has 512 threads; `sinks` and the values are readable and the
/// gradient is writable as its parameters say.
#[inline(always)]
pub unsafe fn run(
    d_sinks: *mut f32,
    sinks: *const f32,
    values: *const f32,
    params: &AttentionBackwardParams,
) {
    const {
        assert!(WARPS <= 32, "a warp adds the sums of all");
    }
    let (head, thread) = (block_idx_x(), thread_idx_x());
    let (batches, _) = divide(params.value_heads, params.of.heads);
    // SAFETY: the grid has one CTA per head. Each head has a sink, a gradient, and values of
    // `value_rows` rows in each batch. The CTA's shared memory has one number for each warp; all
    // are written before the barrier and read after it. Whole warps execute the shuffles.
    unsafe {
        let sink = *sinks.wrapping_add(head as usize) * core::f32::consts::LOG2_E;
        let mut sum = 0.0;
        let mut batch = 0;
        while batch < batches {
            let mut row = thread;
            while row < params.value_rows {
                let value =
                    |which| *values.wrapping_add(params.value_at(which, (head, batch), row));
                let (lse, delta) = (value(0), value(1));
                sum = GpuFloat::mul_add(exp2_ftz(sink - lse), -delta, sum);
                row += SINK_THREADS;
            }
            batch += 1;
        }
        let sum = sum_of_warp(sum);
        let of_warps = Tensor::<Shared<f32>, layout!((16))>::shared(dynamic_shared_offset()); // (warp)
        if thread.is_multiple_of(32) {
            of_warps.set(thread / 32, sum);
        }
        sync_threads();
        if thread < 32 {
            let sum = if thread < WARPS {
                of_warps.get(thread)
            } else {
                0.0
            };
            let sum = sum_of_warp(sum);
            if thread == 0 {
                *d_sinks.wrapping_add(head as usize) = sum;
            }
        }
    }
}

/// Computes the gradient of the sinks as [`kernel_abi::attention`] defines it, on every GPU from
/// Ampere on.
///
/// # Safety
/// The launch is the plan's.
#[cfg(all(feature = "attention-score-parts", target_arch = "nvptx64"))]
#[kernel(name = "attention_backward_sinks", threads = 512)]
pub unsafe fn attention_backward_sinks(
    d_sinks: *mut f32,
    sinks: *const f32,
    values: *const f32,
    params: AttentionBackwardParams,
) {
    const {
        assert!(SINK_THREADS == 512, "the launch has the kernel's threads");
    }
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe { run(d_sinks, sinks, values, &params) }
}
