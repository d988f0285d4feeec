//! c = a + b, element by element.
//!
//! ```text
//!   thread t of CTA b:  elements 4(256 b + t) .. + 4       one 128-bit load of a, one of b, one store
//! ```
//!
//! Law: `c[i] == a[i] + b[i]` in f32, rounded to nearest, for every i below n; nothing else is
//! written.

use cuda_std::kernel;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use kernel_abi::{
    KernelArguments, LaunchSpec, MAX_EXTENT, ProblemError, argument_names, arguments,
    checked_extent,
};
use layout_types::prelude::*;

/// The number of threads in a CTA.
pub const THREADS: u32 = 256;
/// The number of elements that a CTA adds.
pub const TILE: u32 = 1024;

/// Maps (thread, value) to an element of the CTA's tile. A thread has four neighbouring elements.
type FourPerThread = layout!((256,4):(4,1));

argument_names! {
    /// An argument of [`vecadd`].
    pub enum VecaddArgument {
        /// a.
        A = "a", "a";
        /// b.
        B = "b", "b";
        /// c.
        C = "c", "c";
        /// The number of elements.
        N = "n", "n";
    }
}

/// The arguments of [`vecadd`], in their order.
pub const ARGUMENTS: KernelArguments<VecaddArgument> = KernelArguments::new(
    arguments!(VecaddArgument { A: [*const f32], B: [*const f32], C: [*mut f32], N: [u32] }),
    "f32",
);

/// Returns the launch that adds `n` elements.
///
/// # Errors
/// Returns a [`ProblemError`] if `n` is 0 or above 2^31.
///
/// ```
/// let spec = gpu_kernels::vecadd::launch_spec(1025)?;
/// assert_eq!(spec.grid, [2, 1, 1]);
/// # Ok::<(), kernel_abi::ProblemError>(())
/// ```
pub fn launch_spec(n: u32) -> Result<LaunchSpec<3>, ProblemError> {
    let elements = checked_extent("n", n, MAX_EXTENT)?.into();
    let buffer = |argument| ARGUMENTS.buffer(argument, elements, 16).of_bytes(4);
    Ok(LaunchSpec {
        kernel: "vecadd",
        grid: [n.div_ceil(TILE), 1, 1],
        block: [THREADS, 1, 1],
        cluster: [1; 3],
        shared_bytes: 0,
        buffers: [VecaddArgument::A, VecaddArgument::B, VecaddArgument::C].map(buffer),
    })
}

/// Four elements that move as one 128-bit access.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Four([f32; 4]);

/// Computes c = a + b.
///
/// # Safety
/// The launch is as [`launch_spec`] says.
#[kernel]
pub unsafe fn vecadd(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
    let first = block_idx_x() * TILE + FourPerThread::at((thread_idx_x(), 0));
    // SAFETY: every access is below n, the length of the buffers by `launch_spec`; `first` is a
    // multiple of 4, so the 128-bit accesses are aligned as the buffers are.
    unsafe {
        if first < n && n - first >= 4 {
            let (a, b) = (
                *a.add(first as usize).cast::<Four>(),
                *b.add(first as usize).cast::<Four>(),
            );
            let mut sum = Four([0.0; 4]);
            unroll::<4>(|i| sum.0[i] = a.0[i] + b.0[i]);
            *c.add(first as usize).cast::<Four>() = sum;
        } else {
            unroll::<4>(|i| {
                let at = first + i as u32;
                if at < n {
                    *c.add(at as usize) = *a.add(at as usize) + *b.add(at as usize);
                }
            });
        }
    }
}
