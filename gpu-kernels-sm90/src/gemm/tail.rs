//! Clears the last k tile of a group beyond the end of the group's K, in A's stage and in B's.
//!
//! ```text
//!   K of the group 40, k tiles of 64      a row of the stage, 128 bytes      0 .. 80   loaded
//!                                                                           80 .. 128  another group's, or no group's: cleared
//! ```
//!
//! Law: after [`clear`](Tail::clear) the products of the k tile are those of only the group's
//! columns, even if NaN was loaded after these columns.

use super::config::{CONSUMER_GROUPS, GemmConfig};
use super::kernel::TAIL_BARRIER;
use crate::warp_group::{consumer_group, thread_in_group};
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::arch::copy::{load_shared_b128, store_shared_b128};
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::prelude::*;

/// The layout of a K-major stage in bytes: eight rows of 128, swizzled.
type Rows = LayoutKSw128Atom<i8>;
/// The number of bytes in a row.
const ROW_BYTES: u32 = 128;
/// The number of rows in the swizzle's pattern.
const PATTERN: u32 = 8;
/// The number of bytes in a vector.
const VECTOR: u32 = 16;

/// The part of a tile's last k tile that belongs to the tile's group.
#[derive(Clone, Copy)]
pub struct Tail {
    /// The number of bytes of a row that belong to the group, or 0 if all bytes do or if TMA wrote
    /// the zeros after them.
    bytes: u32,
}

impl Tail {
    /// The tail if the whole k tile belongs to the group.
    pub const NONE: Self = Self { bytes: 0 };

    /// Returns the tail of a group with `depth` columns of A, where A has `most` columns.
    #[inline(always)]
    pub fn of<C: GemmConfig>(depth: u32, most: u32) -> Self {
        let bytes = const { ROW_BYTES / C::TILE[2] } * (depth % C::TILE[2]);
        Self {
            bytes: if depth < most { bytes } else { 0 },
        }
    }

    /// Clears the bytes of a stage that do not belong to the group: in rows `64 ATOMS block ..` of
    /// A, and in this consumer group's part of the rows of B.
    ///
    /// # Safety
    /// All warps of the consumer groups that multiply the tile execute it, after the wait for the
    /// stage and before its products. `shared` is the CTA's dynamic shared memory of
    /// `SHARED_BYTES`.
    #[inline(always)]
    pub unsafe fn clear<C: GemmConfig>(self, shared: u32, block: u32, stage: u32) {
        const {
            assert!(
                C::BYTES_A == C::TILE[0] * ROW_BYTES && C::BYTES_B == C::TILE[1] * ROW_BYTES,
                "a k tile is a line of 128 bytes of each row"
            );
        }
        if self.bytes == 0 {
            return;
        }
        let groups = const { if C::PINGPONG { 1 } else { CONSUMER_GROUPS } };
        let [of_a, of_b] = const {
            let groups = if C::PINGPONG { 1 } else { CONSUMER_GROUPS };
            [C::TILE[0] / groups, C::TILE[1] / groups]
        };
        let a = shared + stage * C::BYTES_A + block * of_a * ROW_BYTES;
        let b = shared + C::B_OFFSET + stage * C::BYTES_B + block * of_b * ROW_BYTES;
        // SAFETY: the rows are in the stage, and each consumer group clears its own part of them.
        // After the barrier all groups have written their parts and made them visible to the
        // products.
        unsafe {
            self.clear_rows(a, of_a);
            self.clear_rows(b, of_b);
            fence_proxy_async_shared();
            let own = if const { C::PINGPONG } {
                consumer_group()
            } else {
                0
            };
            named_barrier_sync(TAIL_BARRIER + own, 128 * groups);
        }
    }

    /// Clears the bytes after the group's bytes in `rows` rows from `address` on. Each thread
    /// clears one vector at a time.
    ///
    /// # Safety
    /// A warp group executes it, and nothing else accesses the rows. The rows are full and begin at
    /// the start of a swizzle pattern.
    #[inline(always)]
    unsafe fn clear_rows(self, address: u32, rows: u32) {
        let mut i = thread_in_group();
        while i < rows * (ROW_BYTES / VECTOR) {
            let (row, byte) = (i / (ROW_BYTES / VECTOR), i % (ROW_BYTES / VECTOR) * VECTOR);
            if byte + VECTOR > self.bytes {
                let within: u32 = Rows::at((row % PATTERN, byte));
                let at = address + row / PATTERN * (PATTERN * ROW_BYTES) + within;
                let kept = self.bytes.saturating_sub(byte);
                // SAFETY: the place is in the rows and aligned to 16 bytes, and only this thread
                // accesses it.
                unsafe {
                    let words = load_shared_b128(at);
                    let of_group = [0, 1, 2, 3]
                        .map(|i| words[i as usize] & low_bytes(kept.saturating_sub(4 * i)));
                    store_shared_b128(at, of_group);
                }
            }
            i += 128;
        }
    }
}

/// Returns a mask of the lowest `count` bytes of a word. If `count` is four or more, the mask has
/// all bytes.
#[inline(always)]
const fn low_bytes(count: u32) -> u32 {
    if count < 4 {
        (1 << (8 * count)) - 1
    } else {
        u32::MAX
    }
}
