//! Reports accesses to the shadow, and handles the problems that it finds.
//!
//! ```text
//! all lanes at once ─► no problem?  else lane by lane ─► a problem ─► accepted: noted anyway, on with the rest
//! ```
//!
//! Law: an access is reported to the shadow before it happens.

use super::super::access::Addresses;
use super::super::run::Context;
use super::super::{Outcome, Trap, lanes};
use super::problem::name_conflict;
use crate::fault::{Access, FaultKind};
use crate::ir::{Scope, Strength};
use crate::memory::releases::{Does, Home};
use crate::memory::shadow::Problem;

impl Context<'_> {
    /// Reports plain reads of all lanes to the shadow. If the result is false, each lane has to be
    /// reported separately.
    #[inline(always)]
    pub(super) fn shadow_reads(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) => shadow.read_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// Reports plain writes of all lanes to the shadow, as [`shadow_reads`](Self::shadow_reads)
    /// does for reads.
    #[inline(always)]
    pub(super) fn shadow_writes(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) if !shadow.reading.is_empty() => false,
            Some(shadow) => shadow.write_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// Reports a read at offset `at` to the shadow; `address` is for the fault.
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

    /// Begins an atomic or ordered access: the accesses that follow have its scope, up to
    /// [`shadow_strong`](Self::shadow_strong).
    #[inline]
    pub(super) fn shadow_scope(&mut self, strength: Option<Strength>) {
        if let (Some(strength), Some(shadow)) = (strength, &mut self.shadow) {
            shadow.narrow = strength.scope == Scope::Block;
            shadow.element = strength.bytes;
        }
    }

    /// Performs the acquire and the release of a lane's atomic or ordered access, after the access
    /// was reported to the shadow.
    #[inline]
    pub(super) fn shadow_strong(
        &mut self,
        lane: usize,
        place: (usize, usize),
        how: (Does, Strength),
    ) {
        let home = Home {
            unit: self.linear,
            rank: self.warp / self.launch.warps,
        };
        if let Some(shadow) = &mut self.shadow {
            shadow.strong((self.warp as usize, lane), home, place, how);
            (shadow.narrow, shadow.element) = (false, 0);
        }
    }

    /// Handles the problems that the shadow finds in a read, place after place.
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

    /// Reports a write at offset `at` to the shadow. `new` returns each byte of it. `others` are
    /// the offsets and the lanes of the instruction's accesses, if two of these accesses may be to
    /// the same place.
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

    /// Handles the problems that the shadow finds in a write, place after place.
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

    /// Checks the bytes that an instruction reads through a swizzle: each was written through the
    /// same swizzle, or is equal to the byte at the place to which the writer's swizzle would have
    /// moved it.
    #[inline(always)]
    pub(super) fn swizzled_alike(
        &mut self,
        all: &Addresses,
        offsets: &Addresses,
        mask: u32,
        bytes: usize,
    ) -> Outcome {
        let swizzles = &self.launch.image.swizzles;
        if swizzles.is_empty() {
            return Ok(());
        }
        let Some(shadow) = &self.shadow else {
            return Ok(());
        };
        let own = swizzles.number(shadow.site);
        if own == 0 {
            return Ok(());
        }
        let mut apart = 0u32;
        for lane in lanes(mask) {
            let at = offsets[lane] as usize;
            let alike = shadow.written_alike(swizzles, own, (at, bytes));
            apart |= u32::from(!alike) << lane;
        }
        for lane in lanes(apart) {
            let at = offsets[lane] as usize;
            self.swizzled_apart(lane, all[lane], (at, bytes), own)?;
        }
        Ok(())
    }

    /// Reports the first byte of a lane's read that differs from the byte that was written for it
    /// through another swizzle.
    #[cold]
    fn swizzled_apart(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        own: u8,
    ) -> Outcome {
        let image = &self.launch.image;
        let (Some(shadow), Some(read)) = (&self.shadow, image.swizzles.get(own)) else {
            return Ok(());
        };
        for byte in at..at + bytes {
            let (site, thread, written) = shadow.written_through(&image.swizzles, byte);
            let Some(written) = written.filter(|&written| written != read) else {
                continue;
            };
            // The offset that the lane asked for, and the place at which the writer put that byte.
            let within = self.shared.within(byte);
            let place = written.apply(read.apply(within)) as usize;
            let place = byte - within as usize + place;
            let inside = place < self.shared.len();
            if inside && self.shared.load(place, 1) == self.shared.load(byte, 1) {
                continue;
            }
            let trap = Box::new(Trap {
                earlier: site,
                lanes: 0,
                lane: Some(lane),
                address: Some(address),
                what: FaultKind::OtherSwizzle {
                    read: read.to_string(),
                    written: written.to_string(),
                    other: thread.map(|thread| self.launch.thread(thread)),
                },
            });
            return self.found(trap);
        }
        Ok(())
    }

    /// Reports to the shadow that a `cp.async` to offset `at` is issued.
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
