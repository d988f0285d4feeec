//! From an accumulator's pairs of neighbours to vectors of eight: what the four threads of a row
//! exchange.
//!
//! ```text
//!   16-bit words of a row, eight columns a block          behind the exchange
//!   thread 0   a0 b0 c0 d0                                 a0 a1 a2 a3      block a: eight neighbouring columns, 16 bytes
//!   thread 1   a1 b1 c1 d1                                 b0 b1 b2 b3
//!   thread 2   a2 b2 c2 d2                                 c0 c1 c2 c3
//!   thread 3   a3 b3 c3 d3                                 d0 d1 d2 d3
//! ```
//!
//! Law: word `i` of thread `j` of each four threads becomes word `j` of thread `i`.

use cuda_std::warp::warp_shuffle_xor;

/// Exchanges words `i` and `j` with the thread whose number differs in bit `mask`: the thread with
/// the bit gives its `i`, the other its `j`.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn exchange(
    words: &mut [u32; 4],
    (i, j): (usize, usize),
    mask: u32,
    lane: impl Fn() -> u32,
) {
    let has_bit = || lane() & mask != 0;
    let given = if has_bit() { words[i] } else { words[j] };
    // SAFETY: the whole warp is here: the epilogue stores with whole warps, without a branch around
    // this.
    let taken = unsafe { warp_shuffle_xor(u32::MAX, given, mask, 32).0 };
    if has_bit() {
        words[i] = taken;
    } else {
        words[j] = taken;
    }
}

/// Transposes the words of each four threads; `lane` is the thread's number in its warp.
///
/// A `lane` that the compiler cannot know to be the same twice keeps it from copying the shuffles
/// into both arms of a branch on it.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn transpose(mut words: [u32; 4], lane: impl Fn() -> u32) -> [u32; 4] {
    // SAFETY: the whole warp is here: the epilogue stores with whole warps, without a branch around
    // this.
    unsafe {
        exchange(&mut words, (0, 1), 1, &lane);
        exchange(&mut words, (2, 3), 1, &lane);
        exchange(&mut words, (0, 2), 2, &lane);
        exchange(&mut words, (1, 3), 2, &lane);
    }
    words
}
