//! What the shadow is told of accesses, and what becomes of its objections.
//!
//! ```text
//! all lanes at once ─► nothing to object to?  else lane by lane ─► a problem ─► accepted: told anyway, on with the rest
//! ```
//!
//! Law: the shadow is told of an access before it happens.

use super::super::Outcome;
use super::super::access::Addresses;
use super::super::run::Context;
use super::problem::name_conflict;
use crate::fault::Access;
use crate::memory::shadow::Problem;

impl Context<'_> {
    /// Tells the shadow of plain reads of all lanes; where it answers false, each lane is to be told of by itself.
    #[inline(always)]
    pub(super) fn shadow_reads(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) => shadow.read_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// As [`shadow_reads`](Self::shadow_reads), of plain writes.
    #[inline(always)]
    pub(super) fn shadow_writes(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) if !shadow.reading.is_empty() => false,
            Some(shadow) => shadow.write_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// Tells the shadow of a read at offset `at`; `address` is for the fault.
    #[inline(always)]
    pub(super) fn shadow_read(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
    ) -> Outcome {
        let Some(shadow) = &mut self.shadow else {
            return Ok(());
        };
        match shadow.read(self.warp * 32 + lane as u32, at, bytes, atomic) {
            Ok(()) => Ok(()),
            Err(objection) => self.read_on(lane, address, (at, bytes), atomic, objection),
        }
    }

    /// What the shadow objects to in a read, place after place.
    #[cold]
    fn read_on(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
        mut objection: (usize, Problem),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let access = if atomic { Access::Atomic } else { Access::Read };
        loop {
            let (byte, problem) = objection;
            let trap = self.shadow_trap(lane, address, byte, problem, access);
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                return Ok(());
            };
            let from = shadow.read_anyway(thread, byte, atomic);
            if from >= end {
                return Ok(());
            }
            match shadow.read(thread, from, end - from, atomic) {
                Ok(()) => return Ok(()),
                Err(next) => objection = next,
            }
        }
    }

    /// Tells the shadow of a write at offset `at`; `new` gives each byte of it, and `others` the offsets and the lanes of
    /// the instruction's accesses, where two of these may be to one place.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn shadow_write(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
        others: Option<(&Addresses, u32)>,
        new: impl Fn(usize) -> u8,
    ) -> Outcome {
        let Some(shadow) = &mut self.shadow else {
            return Ok(());
        };
        let memory = &self.shared;
        let same = |from: usize, length: usize| {
            !atomic && (from..from + length).all(|byte| memory.load(byte, 1) as u8 == new(byte))
        };
        match shadow.write(self.warp * 32 + lane as u32, at, bytes, atomic, same) {
            Ok(()) => Ok(()),
            Err(objection) => {
                let access = if atomic {
                    Access::Atomic
                } else {
                    Access::Write
                };
                self.write_on(lane, address, (at, bytes), access, others, &new, objection)
            }
        }
    }

    /// What the shadow objects to in a write, place after place.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn write_on(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        access: Access,
        others: Option<(&Addresses, u32)>,
        new: &dyn Fn(usize) -> u8,
        mut objection: (usize, Problem),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let atomic = access == Access::Atomic;
        loop {
            let (byte, problem) = objection;
            let mut trap = self.shadow_trap(lane, address, byte, problem, access);
            if let Some((offsets, mask)) = others {
                name_conflict(self, &mut trap, offsets, mask, bytes);
            }
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                return Ok(());
            };
            let from = shadow.write_anyway(thread, byte, atomic, false);
            if from >= end {
                return Ok(());
            }
            let memory = &self.shared;
            let same = |from: usize, length: usize| {
                !atomic && (from..from + length).all(|byte| memory.load(byte, 1) as u8 == new(byte))
            };
            match shadow.write(thread, from, end - from, atomic, same) {
                Ok(()) => return Ok(()),
                Err(next) => objection = next,
            }
        }
    }

    /// Tells the shadow that a `cp.async` to offset `at` is issued.
    #[inline]
    pub(super) fn shadow_issue(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let mut from = at;
        while let Some(shadow) = &mut self.shadow
            && let Err((byte, problem)) = shadow.issue(thread, from, end - from)
        {
            let trap = self.shadow_trap(lane, address, byte, problem, Access::Write);
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                break;
            };
            from = shadow.write_anyway(thread, byte, false, true);
            if from >= end {
                break;
            }
        }
        Ok(())
    }
}
