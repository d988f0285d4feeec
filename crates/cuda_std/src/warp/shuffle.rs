//! Shuffles: every lane reads the value of another lane.
//!
//! ```text
//!   width 8:  | 0 1 2 3 4 5 6 7 | 8 9 ...          a lane reads within its own segment of `width` lanes;
//!   up 2      | 0 1 0 1 2 3 4 5 | 8 9 8 9 ...      where the source would lie outside, it keeps its own value
//!                                                  and the bool is false
//! ```
//!
//! Law: let `base = lane - lane % width`, and let `s` be the source lane of the mode (`lane - b`,
//! `lane + b`, `lane ^ b`, `base + b % width`). The result is `(value of s, true)` if `s` lies in
//! the segment (for `xor` also in an earlier segment), else `(own value, false)`. Reading a lane
//! outside `mask` gives an unspecified value.
//!
//! The hardware moves 32 bits. Values of 8 and 16 bits are extended to 32 bits, and wider values
//! take several shuffles. Upstream (Rust-CUDA) passes the clamp of `down` for `up` too, which makes
//! `warp_shuffle_up` the identity. Here `warp_shuffle_up` follows the law.
//!
//! Source: PTX ISA, *shfl.sync*.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

macro_rules! shuffle {
    ($(#[$doc:meta])* $name:ident, $b:ident, $mode:ident) => {
        $(#[$doc])*
        ///
        /// # Panics
        /// Panics if `width` is not a power of two from 1 to 32. With a constant `width` the
        /// compiler removes the check.
        ///
        /// # Safety
        /// The calling lane is in `mask`, all lanes in `mask` make this call with the same mask,
        /// and none of them has exited.
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, $b: u32, width: u32) -> (T, bool) {
            // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of
            // `mask` make this call with the same mask, and none of them has exited.
            unsafe { T::shuffle(WarpShuffleMode::$mode, mask, value, $b, width) }
        }
    };
}

shuffle!(
    /// Returns the value of lane `lane + delta`, and whether that lane lies in the segment.
    warp_shuffle_down, delta, Down
);
shuffle!(
    /// Returns the value of lane `lane - delta`, and whether that lane lies in the segment.
    warp_shuffle_up, delta, Up
);
shuffle!(
    /// Returns the value of lane `idx % width` of the segment, and `true`.
    warp_shuffle_idx, idx, Idx
);
shuffle!(
    /// Returns the value of lane `lane ^ lane_mask`, and whether that lane lies in this segment or
    /// an earlier segment.
    warp_shuffle_xor, lane_mask, Xor
);

/// The lane that a shuffle reads.
#[doc(hidden)]
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarpShuffleMode {
    /// `lane - b`.
    Up,
    /// `lane + b`.
    Down,
    /// `b`, within the segment.
    Idx,
    /// `lane ^ b`.
    Xor,
}

/// A value that can be shuffled.
pub trait WarpShuffleValue: Sized {
    /// Performs the shuffle that `mode` names. `mode` should be a constant.
    ///
    /// # Safety
    /// The conditions of [`warp_shuffle_idx`] hold.
    unsafe fn shuffle(
        mode: WarpShuffleMode,
        mask: u32,
        value: Self,
        b: u32,
        width: u32,
    ) -> (Self, bool);
}

/// Does one 32-bit shuffle. Returns the value, and whether the source lane was in range.
///
/// The instruction returns the second result as a predicate. LLVM's intrinsic for both returns a
/// pair, which rustc cannot declare. The predicate is therefore computed by the PTX ISA's
/// definition. If it is not used, the compiler removes the computation.
///
/// # Safety
/// The conditions of [`warp_shuffle_idx`] hold.
#[gpu_only]
#[inline(always)]
unsafe fn shuffle_32(
    mode: WarpShuffleMode,
    mask: u32,
    value: u32,
    b: u32,
    width: u32,
) -> (u32, bool) {
    assert!(
        width.is_power_of_two() && width <= 32,
        "the width of a shuffle is a power of two from 1 to 32"
    );
    let segment = 32 - width;
    // Bits 8 to 12 of `c` select the bits of the lane that name the segment; bits 0 to 4 are the
    // lane at which the source is clamped.
    let c = segment << 8 | if mode == WarpShuffleMode::Up { 0 } else { 31 };
    let lane = super::lane_id();
    let base = lane & segment;
    let last = base | (width - 1);
    let b = b & 31;
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask, and none of them has exited.
    unsafe {
        match mode {
            WarpShuffleMode::Up => (intrinsics::shfl_up(mask, value, b, c), lane >= base + b),
            WarpShuffleMode::Down => (intrinsics::shfl_down(mask, value, b, c), lane + b <= last),
            WarpShuffleMode::Idx => (intrinsics::shfl_idx(mask, value, b, c), true),
            WarpShuffleMode::Xor => (intrinsics::shfl_bfly(mask, value, b, c), lane ^ b <= last),
        }
    }
}

macro_rules! shuffle_in_32 {
    ($($type:ty: $value:ident => $to:expr, $bits:ident => $from:expr);+ $(;)?) => {$(
        impl WarpShuffleValue for $type {
            #[inline(always)]
            unsafe fn shuffle(mode: WarpShuffleMode, mask: u32, $value: Self, b: u32, width: u32) -> (Self, bool) {
                // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of
                // `mask` make this call with the same mask, and none of them has exited.
                let ($bits, in_range) = unsafe { shuffle_32(mode, mask, $to, b, width) };
                ($from, in_range)
            }
        }
    )+};
}

shuffle_in_32! {
    u8: value => u32::from(value), bits => bits as u8;
    i8: value => u32::from(value.cast_unsigned()), bits => bits as i8;
    u16: value => u32::from(value), bits => bits as u16;
    i16: value => u32::from(value.cast_unsigned()), bits => bits as i16;
    u32: value => value, bits => bits;
    i32: value => value.cast_unsigned(), bits => bits.cast_signed();
    f32: value => value.to_bits(), bits => f32::from_bits(bits);
}

macro_rules! shuffle_in_halves {
    ($($type:ty as $wide:ty, $half:ty: $value:ident => $to:expr, $bits:ident => $from:expr);+ $(;)?) => {$(
        impl WarpShuffleValue for $type {
            #[inline(always)]
            unsafe fn shuffle(mode: WarpShuffleMode, mask: u32, $value: Self, b: u32, width: u32) -> (Self, bool) {
                let whole: $wide = $to;
                // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of
                // `mask` make this call with the same mask, and none of them has exited. All of
                // them shuffle both halves.
                let (low, in_range) = unsafe { <$half>::shuffle(mode, mask, whole as $half, b, width) };
                // SAFETY: all lanes of `mask`, which have shuffled the low half, make this call
                // next, and none of them exits in between.
                let (high, _) = unsafe { <$half>::shuffle(mode, mask, (whole >> <$half>::BITS) as $half, b, width) };
                let $bits = (high as $wide) << <$half>::BITS | low as $wide;
                ($from, in_range)
            }
        }
    )+};
}

shuffle_in_halves! {
    u64 as u64, u32: value => value, bits => bits;
    i64 as u64, u32: value => value.cast_unsigned(), bits => bits.cast_signed();
    f64 as u64, u32: value => value.to_bits(), bits => f64::from_bits(bits);
    u128 as u128, u64: value => value, bits => bits;
    i128 as u128, u64: value => value.cast_unsigned(), bits => bits.cast_signed();
}
