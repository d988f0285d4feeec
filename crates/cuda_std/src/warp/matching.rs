//! Matches: functions that find the lanes with the same value.
//!
//! ```text
//!   value  7 3 7 3   ──►   match_any:  0b0101 0b1010 0b0101 0b1010     match_all: None
//! ```
//!
//! Law: in lane `i`, bit `j` of `match_any` is set exactly if lane `j` is in `mask` and has the
//! same value as lane `i`. `match_all` is `Some(mask)` exactly if `match_any` is `mask`.
//!
//! `match_all` is computed by that law, because rustc cannot declare the LLVM intrinsic that
//! returns a pair, and `asm!` is not convergent. Floats match if their bits are equal (upstream
//! converts them to integers).
//!
//! Source: PTX ISA, *match.sync*, which exists from compute capability 7.0 on.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

/// Returns the mask of the lanes in `mask` that hold the same `value` as the calling lane.
///
/// # Safety
/// The calling lane is in `mask`, all lanes in `mask` make this call with the same mask, and none
/// of them has exited.
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask`
    // makes this call with the same mask, and none of them has exited.
    unsafe { T::match_any(mask, value) }
}

/// Returns `Some(mask)` if all lanes of `mask` hold the same `value`, or `None` if they do not.
///
/// # Safety
/// The conditions of [`warp_match_any`] hold.
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_all<T: WarpMatchValue>(mask: u32, value: T) -> Option<u32> {
    // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask`
    // makes this call with the same mask, and none of them has exited.
    unsafe { T::match_all(mask, value) }
}

/// A value of 32 or 64 bits that lanes can compare.
pub trait WarpMatchValue: Sized {
    /// Implements [`warp_match_any`].
    ///
    /// # Safety
    /// The conditions of [`warp_match_any`] hold.
    unsafe fn match_any(mask: u32, value: Self) -> u32;

    /// Implements [`warp_match_all`].
    ///
    /// # Safety
    /// The conditions of [`warp_match_any`] hold.
    #[inline(always)]
    unsafe fn match_all(mask: u32, value: Self) -> Option<u32> {
        // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask`
        // makes this call with the same mask, and none of them has exited.
        let same = unsafe { Self::match_any(mask, value) };
        (same == mask).then_some(mask)
    }
}

/// Executes `match.any.sync.b32`.
///
/// # Safety
/// The conditions of [`warp_match_any`] hold.
#[gpu_only]
#[inline(always)]
unsafe fn match_any_32(mask: u32, value: u32) -> u32 {
    // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask`
    // makes this call with the same mask, and none of them has exited.
    unsafe { intrinsics::match_any_32(mask, value) }
}

/// Executes `match.any.sync.b64`.
///
/// # Safety
/// The conditions of [`warp_match_any`] hold.
#[gpu_only]
#[inline(always)]
unsafe fn match_any_64(mask: u32, value: u64) -> u32 {
    // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask`
    // makes this call with the same mask, and none of them has exited.
    unsafe { intrinsics::match_any_64(mask, value) }
}

macro_rules! match_value {
    ($($type:ty => $function:ident($value:ident => $bits:expr)),+ $(,)?) => {$(
        impl WarpMatchValue for $type {
            #[inline(always)]
            unsafe fn match_any(mask: u32, $value: Self) -> u32 {
                // SAFETY: by this function's contract the calling lane is in `mask`, every lane of
                // `mask` makes this call with the same mask, and none of them has exited.
                unsafe { $function(mask, $bits) }
            }
        }
    )+};
}

match_value! {
    u32 => match_any_32(value => value),
    i32 => match_any_32(value => value.cast_unsigned()),
    f32 => match_any_32(value => value.to_bits()),
    u64 => match_any_64(value => value),
    i64 => match_any_64(value => value.cast_unsigned()),
    f64 => match_any_64(value => value.to_bits()),
}
