//! Converts an accumulator's pairs of neighbours to vectors of eight, by exchanges among the four
//! threads of a row.
//!
//! ```text
//!   words of two columns of a row, blocks a to d          after the exchange
//!   thread 0   a0 b0 c0 d0                                 a0 a1 a2 a3      block a: eight neighbouring columns, 16 bytes
//!   thread 1   a1 b1 c1 d1                                 b0 b1 b2 b3
//!   thread 2   a2 b2 c2 d2                                 c0 c1 c2 c3
//!   thread 3   a3 b3 c3 d3                                 d0 d1 d2 d3
//! ```
//!
//! Law: in each group of four threads, word `i` of thread `j` becomes word `j` of thread `i`.

use cuda_std::warp::warp_shuffle_xor;

/// Exchanges words with the thread whose lane differs in bit `mask`: the thread with the bit set
/// gives word `i`, the other thread gives word `j`.
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
    // this call.
    let taken = unsafe { warp_shuffle_xor(u32::MAX, given, mask, 32).0 };
    if has_bit() {
        words[i] = taken;
    } else {
        words[j] = taken;
    }
}

/// Transposes the words of each group of four threads. `lane` returns the thread's lane in its
/// warp.
///
/// The compiler should not know that two calls of `lane` return the same value. Otherwise it copies
/// the shuffles into both arms of a branch on it.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn transpose(mut words: [u32; 4], lane: impl Fn() -> u32) -> [u32; 4] {
    // SAFETY: the whole warp is here: the epilogue stores with whole warps, without a branch around
    // this call.
    unsafe {
        exchange(&mut words, (0, 1), 1, &lane);
        exchange(&mut words, (2, 3), 1, &lane);
        exchange(&mut words, (0, 2), 2, &lane);
        exchange(&mut words, (1, 3), 2, &lane);
    }
    words
}
