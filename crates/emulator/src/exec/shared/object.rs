//! The 8 bytes of an mbarrier object.
//!
//! Law: [`write`](ObjectPlace::write) writes bytes that are not an object's state, and informs the
//! shadow first. Arrivals and completions change an object; their instructions check these changes
//! by the object's own rules (`exec/mbarrier.rs`). This file only writes the object's state to its
//! bytes, and returns whether the bytes hold it.

use super::super::Outcome;
use super::super::mbarrier::table::Object;
use super::super::run::Context;
use super::bytes::Shared;

/// The number of bytes of an object.
pub(crate) const OBJECT_BYTES: usize = 8;

/// A place where an object may lie: aligned and in bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ObjectPlace {
    address: u64,
    at: usize,
}

impl ObjectPlace {
    /// Returns the first 8 of the `bytes` bytes of a place whose validity was checked.
    pub(super) fn new(address: u64, at: usize, bytes: usize) -> ObjectPlace {
        assert!(bytes >= OBJECT_BYTES);
        ObjectPlace { address, at }
    }

    /// Returns the place's address, as in the instruction.
    pub fn address(self) -> u64 {
        self.address
    }

    /// Returns the place's offset in the cluster's shared memory.
    pub fn at(self) -> usize {
        self.at
    }

    /// Returns the same place in the block of another rank.
    pub fn in_block(self, shared: &Shared, rank: usize) -> ObjectPlace {
        let at = shared.in_block(self.at, rank);
        ObjectPlace {
            address: shared.address(at),
            at,
        }
    }

    /// Whether the bytes hold the object's state, that is, no write has overwritten them.
    pub fn holds(self, shared: &Shared, object: &Object) -> bool {
        shared.load(self.at, OBJECT_BYTES) == object.state()
    }

    /// Writes the object's state to its bytes.
    pub fn keep(self, shared: &mut Shared, object: &Object) {
        shared.store(self.at, OBJECT_BYTES, object.state());
    }

    /// Writes these bytes for a lane, after the checks of the shadow.
    pub fn write(self, cx: &mut Context, lane: usize, bytes: u64, atomic: bool) -> Outcome {
        let new = |byte: usize| (bytes >> ((byte - self.at) * 8)) as u8;
        cx.shadow_write(
            lane,
            self.address,
            (self.at, OBJECT_BYTES),
            atomic,
            None,
            new,
        )?;
        cx.shared.store(self.at, OBJECT_BYTES, bytes);
        Ok(())
    }

    /// Reports an arrival of a lane to the shadow, as an atomic write of the object's bytes.
    pub fn arrive(self, cx: &mut Context, lane: usize) -> Outcome {
        cx.shadow_write(
            lane,
            self.address,
            (self.at, OBJECT_BYTES),
            true,
            None,
            |_| 0,
        )
    }
}
