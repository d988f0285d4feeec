//! Chains of calls of one atom, which show that a call compiles to nothing but the instruction.
//!
//! ```text
//!   d ← a b + d ← a b + d ← ..      four steps: the sums never leave their registers
//! ```
//!
//! Law: both kernels compute the same result, and neither has a move instruction: `fma` whose C is
//! a copy of D equals `fma_assign`.

use cuda_std::kernel;
use cuda_std::thread::thread_idx_x;
use layout_types::atom::mma::{MmaOp, Sm80_16x8x16_F32F16F16F32_TN as Op};
use layout_types::prelude::unroll;

/// Loads a lane's registers, runs four steps, and stores the sums.
///
/// # Safety
/// One warp executes it; the registers of 32 lanes lie at `d`, `a` and `b`.
#[inline(always)]
unsafe fn chain(
    d: *mut [f32; 4],
    a: *const [u32; 4],
    b: *const [u32; 2],
    step: impl Fn(&mut [f32; 4], &[u32; 4], &[u32; 2]),
) {
    let lane = thread_idx_x() as usize;
    // SAFETY: the caller guarantees each lane's registers at `d`, `a` and `b`.
    let (mut sums, a, b) = unsafe { (d.add(lane).read(), a.add(lane).read(), b.add(lane).read()) };
    unroll::<4>(|_| step(&mut sums, &a, &b));
    // SAFETY: the caller guarantees each lane's registers at `d`.
    unsafe { d.add(lane).write(sums) };
}

/// Runs four steps by `fma_assign`.
///
/// # Safety
/// The conditions of `chain` hold.
#[kernel]
pub unsafe fn chain_assign(d: *mut [f32; 4], a: *const [u32; 4], b: *const [u32; 2]) {
    // SAFETY: the caller guarantees one warp, whole in every step, and the registers of its 32
    // lanes at `d`, `a` and `b`.
    unsafe { chain(d, a, b, |d, a, b| Op::fma_assign(d, a, b)) }
}

/// Runs four steps by `fma` with C a copy of D.
///
/// # Safety
/// The conditions of `chain` hold.
#[kernel]
pub unsafe fn chain_fma(d: *mut [f32; 4], a: *const [u32; 4], b: *const [u32; 2]) {
    // SAFETY: the caller guarantees one warp, whole in every step, and the registers of its 32
    // lanes at `d`, `a` and `b`.
    unsafe {
        chain(d, a, b, |d, a, b| {
            let c = *d;
            Op::fma(d, a, b, &c);
        })
    }
}
