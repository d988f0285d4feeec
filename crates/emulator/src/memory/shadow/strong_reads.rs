//! Atomic and ordered reads of shared memory, with which later writes may race.
//!
//! ```text
//! thread 5    ld.relaxed.cta x
//! thread 70   st x                of another block, or plain: a race, unless it is behind the read
//! ```
//!
//! Law: such a read and an atomic or ordered write of the same bytes do not race if each one's
//! scope includes the other's thread. A read and any other write have to be in order. Only the last
//! of a thread's reads of a place is kept. Read-modify-writes are kept only as writes. Source: PTX
//! ISA, "Morally strong operations".

use super::{Problem, Shadow};
use crate::fault::Earlier;
use crate::frame::{WARP, lanes};
use crate::ir::{Scope, Strength};

/// Reads of a granule by lanes of a warp.
#[derive(Debug)]
pub(super) struct StrongRead {
    warp: usize,
    lanes: u32,
    time: u32,
    site: u32,
    /// Whether the scope of the reads is only their own block.
    narrow: bool,
    /// The bytes of an element of the reads, or 0 if they count as reads of any size.
    bytes: u8,
}

impl Shadow {
    /// Notes that a thread reads granules, as part of an atomic or ordered access.
    pub(super) fn note_strong_read(
        &mut self,
        thread: u32,
        granules: std::ops::Range<usize>,
        strength: Strength,
    ) {
        let (warp, lane) = (thread as usize / WARP, 1 << (thread as usize % WARP));
        let (time, site) = (self.clocks.since(thread), self.site);
        let (narrow, bytes) = (strength.scope == Scope::Block, strength.bytes);
        for granule in granules {
            let last = &mut self.writes[granule].last_read;
            *last = (*last).max(time);
            let all = self.strong_reads.entry(granule).or_default();
            let alike =
                |one: &StrongRead| (one.warp, one.narrow, one.bytes) == (warp, narrow, bytes);
            all.iter_mut()
                .filter(|one| alike(one))
                .for_each(|one| one.lanes &= !lane);
            let same = |one: &&mut StrongRead| alike(one) && (one.time, one.site) == (time, site);
            if let Some(known) = all.iter_mut().find(same) {
                known.lanes |= lane;
                continue;
            }
            all.retain(|one| one.lanes != 0);
            all.push(StrongRead {
                warp,
                lanes: lane,
                time,
                site,
                narrow,
                bytes,
            });
        }
    }

    /// Checks that a write of a granule is ordered after the atomic and ordered reads with which it
    /// may race.
    pub(super) fn check_strong_readers(
        &self,
        thread: u32,
        granule: usize,
        atomic: bool,
        same: &impl Fn(usize, usize) -> bool,
    ) -> Result<(), (usize, Problem)> {
        let Some(all) = self.strong_reads.get(&granule) else {
            return Ok(());
        };
        let at = granule << self.shift;
        let block = |warp: usize| warp as u32 / self.block_warps.max(1);
        for one in all {
            let one_block = block(one.warp) == block(thread as usize / WARP);
            let reach = one_block || !(self.narrow || one.narrow);
            let sizes = self.element == one.bytes || self.element == 0 || one.bytes == 0;
            if atomic && reach && sizes {
                continue;
            }
            for lane in lanes(one.lanes) {
                let other = (one.warp * WARP + lane) as u32;
                if !self.clocks.ordered(thread, other, one.time) && !same(at, 1 << self.shift) {
                    let problem = Problem::Race {
                        earlier: Earlier::Read,
                        other,
                        site: one.site,
                    };
                    return Err((at, problem));
                }
            }
        }
        Ok(())
    }

    /// Returns the time at which a thread read a granule by an atomic or ordered access, or `None`
    /// if no such read is kept.
    pub(super) fn strong_read_of(&self, granule: usize, thread: u32) -> Option<u32> {
        let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
        let by = |one: &&StrongRead| one.warp == warp && one.lanes >> lane & 1 == 1;
        let mut all = self.strong_reads.get(&granule)?.iter();
        all.find(by).map(|one| one.time)
    }
}
