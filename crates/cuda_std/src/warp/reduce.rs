//! Reductions in one instruction. The instruction combines the lanes' values and returns the result
//! to every lane.
//!
//! ```text
//!   value  3 1 4 1   ──►   Add: 9 9 9 9      Min: 1 1 1 1      Xor: 7 7 7 7
//! ```
//!
//! Law: the result is the operation folded over the values of the lanes in `mask`. Addition wraps.
//!
//! Source: PTX ISA, *redux.sync*, which exists from compute capability 8.0 on.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

/// The operation by which [`warp_reduce`] combines values.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarpReductionOp {
    /// The sum, wrapping.
    Add,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Combines the `value`s of the lanes of `mask` by `op`; every one of these lanes gets the result.
/// The instruction needs compute capability 8.0 or newer.
///
/// `op` should be a constant, because the compiler then keeps only one instruction.
///
/// # Safety
/// The calling lane is in `mask`, all lanes in `mask` make this call with the same mask and `op`,
/// and none of them has exited.
#[inline(always)]
#[must_use]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask and `op`, and none of them has exited.
    unsafe { T::reduce(mask, value, op) }
}

/// A value that [`warp_reduce`] can combine.
pub trait WarpReduceValue: Sized {
    /// Implements [`warp_reduce`].
    ///
    /// # Safety
    /// The conditions of [`warp_reduce`] hold.
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self;
}

/// Executes `redux.sync` on unsigned numbers.
///
/// # Safety
/// The conditions of [`warp_reduce`] hold.
#[gpu_only]
#[inline(always)]
unsafe fn reduce_u32(mask: u32, value: u32, op: WarpReductionOp) -> u32 {
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask and `op`, and none of them has exited.
    unsafe {
        match op {
            WarpReductionOp::Add => intrinsics::redux_add(value, mask),
            WarpReductionOp::Min => intrinsics::redux_umin(value, mask),
            WarpReductionOp::Max => intrinsics::redux_umax(value, mask),
            WarpReductionOp::And => intrinsics::redux_and(value, mask),
            WarpReductionOp::Or => intrinsics::redux_or(value, mask),
            WarpReductionOp::Xor => intrinsics::redux_xor(value, mask),
        }
    }
}

/// Executes `redux.sync` on signed numbers.
///
/// # Safety
/// The conditions of [`warp_reduce`] hold.
#[gpu_only]
#[inline(always)]
unsafe fn reduce_i32(mask: u32, value: i32, op: WarpReductionOp) -> i32 {
    let bits = value.cast_unsigned();
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask and `op`, and none of them has exited.
    let result = unsafe {
        match op {
            WarpReductionOp::Min => intrinsics::redux_min(bits, mask),
            WarpReductionOp::Max => intrinsics::redux_max(bits, mask),
            // The other operations do not depend on the sign.
            _ => reduce_u32(mask, bits, op),
        }
    };
    result.cast_signed()
}

impl WarpReduceValue for u32 {
    #[inline(always)]
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
        // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask`
        // make this call with the same mask and `op`, and none of them has exited.
        unsafe { reduce_u32(mask, value, op) }
    }
}

impl WarpReduceValue for i32 {
    #[inline(always)]
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
        // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask`
        // make this call with the same mask and `op`, and none of them has exited.
        unsafe { reduce_i32(mask, value, op) }
    }
}
