//! Texels and elements of surfaces: bytes of an array, at places within its extents.

use super::super::run::Context;
use super::super::{Outcome, Trap};
use crate::fault::{FaultKind, Space};
use crate::memory::allocation::{Allocation, RawBytes};
use crate::memory::texture::Array;

/// Bytes of an array that a lane has read.
pub(crate) struct LoadedTexel<'a> {
    allocation: &'a Allocation,
    place: usize,
    bytes: usize,
}

/// Reads bytes of an array, which must have been written.
pub(crate) fn load_texel<'a>(
    cx: &mut Context,
    lane: usize,
    array: &'a Array,
    place: usize,
    bytes: usize,
) -> Outcome<LoadedTexel<'a>> {
    let allocation = &*array.bytes;
    if cx.launch.config.check_initialised
        && !allocation.is_complete()
        && let Some(offset) = allocation.first_uninitialised(place, bytes)
    {
        let what = FaultKind::Uninitialised {
            space: Space::Array,
            offset: offset as u64,
            length: allocation.size,
            later: None,
        };
        cx.found(Trap::of_lane(lane, what))?;
    }
    Ok(LoadedTexel {
        allocation,
        place,
        bytes,
    })
}

impl LoadedTexel<'_> {
    /// Returns element `k`, where elements have 1, 2, 4 or 8 bytes.
    pub fn element(&self, k: usize, bytes: usize) -> u64 {
        assert!(k * bytes + bytes <= self.bytes);
        self.allocation.load(self.place + k * bytes, bytes)
    }
}

/// Writes an element of an array.
pub(crate) fn store_texel(array: &Array, place: usize, bytes: usize, value: u64) {
    array.bytes.store(place, bytes, value);
    array.bytes.mark(place, bytes);
}
