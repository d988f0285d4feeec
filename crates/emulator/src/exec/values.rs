//! The values that a warp writes.

use crate::frame::Row32;

/// Elements of one size for each lane.
pub(crate) trait Values {
    /// Returns the bytes of an element: 1, 2, 4 or 8.
    fn bytes(&self) -> usize;
    /// Returns element `k` of a lane.
    fn element(&self, lane: usize, k: usize) -> u64;
    /// Returns element `k` of all lanes, if elements are words of 32-bit registers.
    fn words(&self, k: usize) -> Option<&Row32>;

    /// Returns a byte of a lane, by its place in the access.
    #[inline(always)]
    fn byte(&self, lane: usize, at: usize) -> u8 {
        let bytes = self.bytes();
        (self.element(lane, at / bytes) >> (at % bytes * 8)) as u8
    }
}
