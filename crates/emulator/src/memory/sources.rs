//! Global memory that bulk loads of a cluster read, until every warp of the cluster knows that they
//! have completed.
//!
//! ```text
//! issue ──► under way ──► complete at an object, at a time ──► a wait learns the time
//! ```
//!
//! Law: a write is ordered after a load by its own cluster if the writer's warp knows that the load
//! has completed, at one of the load's objects. The [`history`](super::history) handles loads by
//! other clusters. If there are more than [`MOST`] loads of one allocation, the oldest are
//! forgotten. Source: PTX ISA, "Async proxy", "Async operations".

use std::collections::HashMap;
use std::ops::Range;

use super::clocks::Clocks;

/// If an allocation has at least this many loads, the loads that every warp knows are dropped.
const SOME: usize = 64;
const MOST: usize = 1024;

/// The bytes of an allocation that one load reads.
#[derive(Debug)]
struct Source {
    /// The load's number, or `None` until it has one.
    id: Option<u64>,
    issuer: u32,
    site: u32,
    /// The runs of bytes that the load reads, as offsets. `extent` is the range of all runs.
    runs: Vec<Range<usize>>,
    extent: Range<usize>,
    /// The columns of the objects at which the load completed, each with the time.
    completed: Vec<(usize, u32)>,
}

impl Source {
    fn is_known(&self, warp: usize, clocks: &Clocks) -> bool {
        let mut completed = self.completed.iter();
        completed.any(|&(column, time)| clocks.objects.known(warp, column) >= time)
    }
}

/// The loads of a cluster, by the allocation that they read.
#[derive(Debug, Default)]
pub(crate) struct Sources(HashMap<usize, Vec<Source>>);

impl Sources {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a load reads the given allocation, or any allocation if none is given.
    #[inline]
    pub fn has(&self, allocation: Option<usize>) -> bool {
        !self.0.is_empty() && allocation.is_none_or(|index| self.0.contains_key(&index))
    }

    /// Notes that a load is about to be issued that reads bytes of an allocation.
    pub fn read(
        &mut self,
        allocation: usize,
        bytes: Range<usize>,
        (issuer, site): (u32, u32),
        clocks: &Clocks,
        warps: usize,
    ) {
        let sources = self.0.entry(allocation).or_default();
        if let Some(last) = sources.last_mut().filter(|last| last.id.is_none()) {
            last.extent = last.extent.start.min(bytes.start)..last.extent.end.max(bytes.end);
            last.runs.push(bytes);
            return;
        }
        if sources.len() >= SOME && sources.len().is_multiple_of(SOME) {
            sources.retain(|source| !(0..warps).all(|warp| source.is_known(warp, clocks)));
        }
        if sources.len() >= MOST {
            sources.drain(..SOME);
        }
        sources.push(Source {
            id: None,
            issuer,
            site,
            extent: bytes.clone(),
            runs: vec![bytes],
            completed: Vec::new(),
        });
    }

    /// Notes the number of the load that has been issued.
    pub fn issued(&mut self, id: u64) {
        for sources in self.0.values_mut() {
            if let Some(last) = sources.last_mut().filter(|last| last.id.is_none()) {
                last.id = Some(id);
            }
        }
    }

    /// Notes that a load has completed, at `time`, at an object with column `column`.
    pub fn complete(&mut self, id: u64, column: usize, time: u32) {
        for sources in self.0.values_mut() {
            let mut sources = sources.iter_mut().rev();
            if let Some(source) = sources.find(|source| source.id == Some(id)) {
                source.completed.push((column, time));
            }
        }
    }

    /// Returns the thread and the instruction of a load of these bytes that a warp does not know to
    /// have completed.
    pub fn reading(
        &self,
        allocation: usize,
        bytes: &Range<usize>,
        warp: usize,
        clocks: &Clocks,
    ) -> Option<(u32, u32)> {
        let meets = |run: &Range<usize>| run.start < bytes.end && bytes.start < run.end;
        let found = self.0.get(&allocation)?.iter().find(|source| {
            meets(&source.extent)
                && source.id.is_some()
                && source.runs.iter().any(meets)
                && !source.is_known(warp, clocks)
        })?;
        Some((found.issuer, found.site))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_reads_until_the_writer_knows_that_it_completed() {
        let mut clocks = Clocks::default();
        clocks.reset(2);
        let mut sources = Sources::default();
        sources.read(3, 0..64, (5, 9), &clocks, 2);
        sources.read(3, 128..192, (5, 9), &clocks, 2);
        sources.issued(1);
        let reading = |sources: &Sources, clocks: &Clocks, at: usize, warp: usize| {
            sources.reading(3, &(at..at + 4), warp, clocks)
        };
        assert_eq!(reading(&sources, &clocks, 60, 0), Some((5, 9)));
        assert_eq!(reading(&sources, &clocks, 64, 0), None);
        assert_eq!(reading(&sources, &clocks, 128, 1), Some((5, 9)));
        let time = clocks.advance();
        sources.complete(1, 2, time);
        assert_eq!(reading(&sources, &clocks, 60, 0), Some((5, 9)));
        clocks.objects.set(0, 2, time);
        assert_eq!(reading(&sources, &clocks, 60, 0), None);
        assert_eq!(reading(&sources, &clocks, 60, 1), Some((5, 9)));
        assert!(sources.has(Some(3)) && sources.has(None) && !sources.has(Some(2)));
        for id in 2..200 {
            sources.read(3, 0..4, (1, 1), &clocks, 2);
            sources.issued(id);
            let time = clocks.advance();
            sources.complete(id, 2, time);
            (0..2).for_each(|warp| clocks.objects.set(warp, 2, time));
        }
        assert!(sources.0[&3].len() <= 2 * SOME);
    }
}
