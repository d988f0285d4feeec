//! Consecutive accesses of one thread that a single vector access could replace.
//!
//! ```text
//!   ld.f32 [a]   ld.f32 [a+4]   ld.f32 [a+8]   ld.f32 [a+12]      a is a multiple of 16 in every lane:
//!                                                                 4 accesses of 4 bytes, where one of 16 is possible
//! ```
//!
//! Law: the accesses of a run are counted if each has the same lanes, and the bytes of each lane
//! follow each other in order without a gap, from an address that is a multiple of their number.
//! Between the accesses the warp must not reach a barrier or write bytes that later accesses of the
//! run use. A run is counted at its first access, with the widest vector.

use std::collections::HashMap;

use crate::frame::WARP;
use crate::ir::Site;

/// The widest vector, in bytes.
const WIDEST: usize = 16;
/// The most runs of a warp that may be open at once; a loop that copies several tensors side by
/// side has one run for each tensor.
const OPEN: usize = 8;
/// The number of warps whose runs are kept; if there are more, the runs so far are forgotten.
const WARPS: usize = 1 << 12;

/// Executions of an access that begin a run which one vector could replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Narrow {
    /// The bytes of one access of a thread.
    pub bytes: u64,
    /// The number of executions for each size of the vector in bytes: 2, 4, 8, 16.
    times: [u64; 4],
}

impl Narrow {
    /// Returns the widest vector that was possible, in bytes, and how often it was possible, or
    /// `None` if no vector was possible.
    #[must_use]
    pub fn widest(&self) -> Option<(u64, u64)> {
        let at = self.times.iter().rposition(|&times| times > 0)?;
        Some((2 << at, self.times[at]))
    }

    fn count(&mut self, bytes: usize, vector: usize) -> &mut u64 {
        self.bytes = self.bytes.max(bytes as u64);
        &mut self.times[vector.trailing_zeros() as usize - 1]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.bytes = self.bytes.max(other.bytes);
        for (mine, theirs) in self.times.iter_mut().zip(other.times) {
            *mine += theirs;
        }
    }
}

/// The kind of an access and its memory: all accesses of a run have the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    LoadGlobal,
    StoreGlobal,
    LoadShared,
    StoreShared,
    /// `cp.async`, by its source in global memory and its place in shared memory.
    Copy,
}

impl Doing {
    /// Whether this access writes what the other one reads.
    fn writes_what_is_read_by(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::StoreGlobal, Self::LoadGlobal) | (Self::StoreShared, Self::LoadShared)
        )
    }
}

/// An access of a warp: the addresses of its lanes, and for a copy both addresses.
pub(crate) struct Access<'a> {
    pub doing: Doing,
    pub all: &'a [u64; WARP],
    /// The second addresses of a copy.
    pub beside: Option<&'a [u64; WARP]>,
    pub mask: u32,
    pub bytes: usize,
}

/// A run: the accesses so far that may become a vector.
#[derive(Debug)]
struct Run {
    site: Site,
    doing: Doing,
    first: [u64; WARP],
    beside: [u64; WARP],
    mask: u32,
    bytes: usize,
    /// The bytes of all accesses of a lane.
    length: usize,
}

/// The open runs of every warp.
#[derive(Debug, Default)]
pub(crate) struct Runs(HashMap<(u32, u32), Vec<Run>>);

impl Runs {
    /// Notes that the warp reaches a barrier: later accesses are not moved before it.
    pub fn forget(&mut self, warp: (u32, u32)) {
        self.0.remove(&warp);
    }

    /// Notes an access of a warp; `at` returns the counters of a site.
    pub fn note<'c>(
        &mut self,
        warp: (u32, u32),
        site: Site,
        access: &Access,
        at: impl FnOnce(Site) -> &'c mut Narrow,
    ) {
        if access.bytes >= WIDEST || access.mask == 0 {
            return;
        }
        if self.0.len() >= WARPS && !self.0.contains_key(&warp) {
            self.0.clear();
        }
        let runs = self.0.entry(warp).or_default();
        runs.retain(|run| !access.doing.writes_what_is_read_by(run.doing) || !run.awaits(access));
        let Some(i) = runs.iter().position(|run| run.goes_on(access)) else {
            if runs.len() == OPEN {
                runs.remove(0);
            }
            runs.push(Run {
                site,
                doing: access.doing,
                first: *access.all,
                beside: access.beside.copied().unwrap_or_default(),
                mask: access.mask,
                bytes: access.bytes,
                length: access.bytes,
            });
            return;
        };
        let run = &mut runs[i];
        run.length += run.bytes;
        if !run.length.is_power_of_two() {
            return;
        }
        let before = run.length / 2;
        if !run.begins_a_vector() {
            // The second half is a vector too, as the first half was.
            if before > run.bytes {
                *at(run.site).count(run.bytes, before) += 1;
            }
            runs.remove(i);
            return;
        }
        let narrow = at(run.site);
        *narrow.count(run.bytes, run.length) += 1;
        if before > run.bytes {
            *narrow.count(run.bytes, before) -= 1;
        }
        if run.length == WIDEST {
            runs.remove(i);
        }
    }
}

impl Run {
    fn lanes(&self) -> impl Iterator<Item = usize> {
        let mask = self.mask;
        (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
    }

    /// Whether the access continues the run.
    fn goes_on(&self, access: &Access) -> bool {
        let same = (self.doing, self.mask, self.bytes) == (access.doing, access.mask, access.bytes);
        let next = |first: u64, now: u64| now == first + self.length as u64;
        same && self.lanes().all(|lane| {
            next(self.first[lane], access.all[lane])
                && access
                    .beside
                    .is_none_or(|beside| next(self.beside[lane], beside[lane]))
        })
    }

    /// Whether the access overlaps bytes that later accesses of the run would use.
    fn awaits(&self, access: &Access) -> bool {
        self.lanes().any(|lane| {
            let (from, to) = (
                self.first[lane] + self.length as u64,
                self.first[lane] + WIDEST as u64,
            );
            access.mask >> lane & 1 == 1
                && access.all[lane] < to
                && access.all[lane] + access.bytes as u64 > from
        })
    }

    fn begins_a_vector(&self) -> bool {
        let bits = self.lanes().fold(0, |bits, lane| {
            let beside = if self.doing == Doing::Copy {
                self.beside[lane]
            } else {
                0
            };
            bits | self.first[lane] | beside
        });
        bits.is_multiple_of(self.length as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Site = Site { function: 0, pc: 3 };

    /// Returns the widest vector for accesses of one lane to these addresses, and how often it
    /// occurs.
    fn of(accesses: &[(Doing, u64, usize)]) -> Option<(u64, u64)> {
        let (mut runs, mut narrow) = (Runs::default(), Narrow::default());
        for &(doing, address, bytes) in accesses {
            let access = Access {
                doing,
                all: &[address; WARP],
                beside: None,
                mask: 1,
                bytes,
            };
            runs.note((0, 0), HERE, &access, |_| &mut narrow);
        }
        narrow.widest()
    }

    fn loads(from: u64, bytes: usize, count: u64) -> Vec<(Doing, u64, usize)> {
        (0..count)
            .map(|i| (Doing::LoadGlobal, from + i * bytes as u64, bytes))
            .collect()
    }

    #[test]
    fn the_widest_vector_counts_once() {
        assert_eq!(of(&loads(64, 4, 4)), Some((16, 1)));
        assert_eq!(of(&loads(64, 4, 8)), Some((16, 2)));
        assert_eq!(of(&loads(64, 4, 3)), Some((8, 1)));
        assert_eq!(of(&loads(64, 4, 1)), None);
        assert_eq!(of(&loads(64, 2, 8)), Some((16, 1)));
        assert_eq!(of(&loads(64, 8, 2)), Some((16, 1)));
        assert_eq!(of(&loads(64, 16, 4)), None, "vectors already");
        assert_eq!(of(&loads(72, 4, 4)), Some((8, 2)), "aligned to 8 alone");
        assert_eq!(
            of(&[(Doing::LoadGlobal, 64, 4), (Doing::LoadGlobal, 72, 4)]),
            None
        );
        assert_eq!(
            of(&[(Doing::LoadGlobal, 68, 4), (Doing::LoadGlobal, 64, 4)]),
            None
        );
    }

    #[test]
    fn copies_side_by_side_are_told_apart_and_what_is_written_between_is_not_loaded_before() {
        let (load, store) = (Doing::LoadGlobal, Doing::StoreGlobal);
        let copy: Vec<_> = (0..4)
            .flat_map(|i| [(load, 64 + 4 * i, 4), (store, 256 + 4 * i, 4)])
            .collect();
        assert_eq!(of(&copy), Some((16, 2)));
        // In place: each element is stored after its load.
        let own: Vec<_> = (0..4)
            .flat_map(|i| [(load, 64 + 4 * i, 4), (store, 64 + 4 * i, 4)])
            .collect();
        assert_eq!(of(&own), Some((16, 2)));
        // Each load reads what was stored just before.
        let sums: Vec<_> = (0..4)
            .flat_map(|i| [(load, 64 + 4 * i, 4), (store, 68 + 4 * i, 4)])
            .collect();
        assert_eq!(of(&sums[..2]), None);
        assert_eq!(of(&sums), None, "the stores begin at 68");
    }
}
