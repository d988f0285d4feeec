//! Stream-K's workspace on Hopper, which has counters, and then partial tiles.
//!
//! ```text
//!   a 32-bit counter for each warp of each tile: saved k tiles      two partial accumulator tiles for each CTA
//! ```
//!
//! Law: the counters are zero before a launch, and are zero again after it.

/// The number of a CTA's warps that multiply.
pub const STREAM_K_WARPS: u32 = 8;
/// The largest mean number of CTAs that share a tile. Each of them adds a partial tile, which one
/// CTA reads.
pub const MOST_PARTS: u32 = 8;

/// Returns the size in bytes of the counters for `tiles` tiles, in multiples of 256.
///
/// ```
/// use kernel_abi::gemm::stream_k_counter_bytes;
/// assert_eq!([1, 8, 9].map(stream_k_counter_bytes), [256, 256, 512]);
/// ```
#[must_use]
pub const fn stream_k_counter_bytes(tiles: u32) -> u64 {
    (4 * STREAM_K_WARPS as u64 * tiles as u64).next_multiple_of(256)
}
