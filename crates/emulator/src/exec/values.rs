//! What a warp writes.

use crate::frame::Row32;

/// Elements of one size for each lane.
pub(crate) trait Values {
    /// Bytes of an element: 1, 2, 4 or 8.
    fn bytes(&self) -> usize;
    /// An element of a lane.
    fn element(&self, lane: usize, k: usize) -> u64;
    /// That element of all lanes, where elements are words of 32-bit registers.
    fn words(&self, k: usize) -> Option<&Row32>;

    /// A byte of a lane, by its place in the access.
    #[inline(always)]
    fn byte(&self, lane: usize, at: usize) -> u8 {
        let bytes = self.bytes();
        (self.element(lane, at / bytes) >> (at % bytes * 8)) as u8
    }
}
