//! Stream-K's workspace on Hopper: counters, then partial tiles.
//!
//! ```text
//!   a counter of 32 bits for each warp of each tile: the k tiles saved      two partial accumulator tiles of each CTA
//! ```
//!
//! Law: the counters are zero before a launch, and it leaves them zero.

/// Warps of a CTA that multiply.
pub const STREAM_K_WARPS: u32 = 8;
/// The most CTAs that share a tile on average. Each saves a partial tile; the last one to save its
/// part reads all of them.
pub const MOST_PARTS: u32 = 8;

/// Bytes of the counters of `tiles` tiles: a multiple of 256.
///
/// ```
/// use kernel_abi::gemm::stream_k_counter_bytes;
/// assert_eq!([1, 8, 9].map(stream_k_counter_bytes), [256, 256, 512]);
/// ```
#[must_use]
pub const fn stream_k_counter_bytes(tiles: u32) -> u64 {
    (4 * STREAM_K_WARPS as u64 * tiles as u64).next_multiple_of(256)
}
