//! The knowledge of a cluster's threads about the threads of other clusters.
//!
//! ```text
//! cluster 0, warp 1 knows    of cluster 3: warps up to [7, 7, 9, 7], thread 64 up to 12
//!                            of cluster 5: warps up to [2, 2]
//! ```
//!
//! Law: knowledge only grows, and warps with the same knowledge share one copy of it. Once a warp
//! would know of more than [`MOST`] clusters, everything counts as known, so that this limit never
//! produces a finding.

use std::sync::Arc;

use crate::frame::WARP;

/// The number of clusters that one warp may know of before it counts as knowing everything.
pub(crate) const MOST: usize = 1 << 12;

/// The times up to which the threads of one cluster are known, in that cluster's times.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Seen {
    /// The time up to which each warp is known.
    pub warps: Vec<u32>,
    /// Threads that are known up to later times.
    pub threads: Vec<(u32, u32)>,
}

impl Seen {
    /// Whether what a thread did at a time is known.
    pub fn knows(&self, thread: u32, time: u32) -> bool {
        let warp = self.warps.get(thread as usize / WARP);
        warp.is_some_and(|&known| known >= time)
            || self
                .threads
                .iter()
                .any(|&(other, known)| other == thread && known >= time)
    }

    /// Returns the time up to which a thread is known, or 0 if nothing of it is known.
    pub fn until(&self, thread: u32) -> u32 {
        let warp = self.warps.get(thread as usize / WARP).copied();
        let own = self.threads.iter().find(|(other, _)| *other == thread);
        warp.unwrap_or(0).max(own.map_or(0, |&(_, known)| known))
    }

    /// Whether anything of that time or later is known.
    pub fn knows_any(&self, time: u32) -> bool {
        let mut threads = self.threads.iter();
        self.warps.iter().any(|&known| known >= time) || threads.any(|&(_, known)| known >= time)
    }

    fn join(&mut self, other: &Seen) {
        if self.warps.len() < other.warps.len() {
            self.warps.resize(other.warps.len(), 0);
        }
        for (mine, &theirs) in self.warps.iter_mut().zip(&other.warps) {
            *mine = (*mine).max(theirs);
        }
        join_threads(&mut self.threads, &other.threads);
        let warps = &self.warps;
        let beyond = |&(thread, time): &(u32, u32)| {
            warps
                .get(thread as usize / WARP)
                .is_none_or(|&known| known < time)
        };
        self.threads.retain(beyond);
    }
}

/// Adds later times of threads.
pub(crate) fn join_threads(threads: &mut Vec<(u32, u32)>, others: &[(u32, u32)]) {
    for &(thread, time) in others {
        match threads.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, known)) => *known = (*known).max(time),
            None => threads.push((thread, time)),
        }
    }
}

/// The knowledge about other clusters, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Foreign {
    of: Vec<(u32, Arc<Seen>)>,
    everything: bool,
}

impl Foreign {
    /// Returns what is known of a cluster.
    pub fn of(&self, unit: u32) -> Option<&Arc<Seen>> {
        let found = self.of.binary_search_by_key(&unit, |(unit, _)| *unit);
        found.ok().map(|i| &self.of[i].1)
    }

    /// Whether everything counts as known.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    fn add(&mut self, unit: u32, seen: &Arc<Seen>) {
        match self.of.binary_search_by_key(&unit, |(unit, _)| *unit) {
            Ok(i) => join_seen(&mut self.of[i].1, seen),
            Err(i) => self.of.insert(i, (unit, seen.clone())),
        }
        if self.of.len() > MOST {
            self.of = Vec::new();
            self.everything = true;
        }
    }
}

/// Adds what `theirs` has seen of a cluster to `mine`.
pub(crate) fn join_seen(mine: &mut Arc<Seen>, theirs: &Arc<Seen>) {
    if !Arc::ptr_eq(mine, theirs) && **mine != **theirs {
        Arc::make_mut(mine).join(theirs);
    }
}

/// Adds what is known of one cluster to `mine`.
pub(crate) fn add(mine: &mut Option<Arc<Foreign>>, unit: u32, seen: &Arc<Seen>) {
    let known = mine.as_ref().and_then(|mine| mine.of(unit));
    let everything = mine.as_ref().is_some_and(|mine| mine.everything);
    if !everything && known.is_none_or(|known| !Arc::ptr_eq(known, seen)) {
        Arc::make_mut(mine.get_or_insert_default()).add(unit, seen);
    }
}

/// Adds all that `theirs` knows to `mine`.
pub(crate) fn join(mine: &mut Option<Arc<Foreign>>, theirs: &Option<Arc<Foreign>>) {
    let Some(other) = theirs else { return };
    let Some(own) = mine else {
        *mine = theirs.clone();
        return;
    };
    if Arc::ptr_eq(own, other) || own.everything {
        return;
    }
    if other.everything {
        *mine = theirs.clone();
        return;
    }
    let own = Arc::make_mut(own);
    // Both are in order: a merge.
    let mut joined = Vec::with_capacity(own.of.len().max(other.of.len()));
    let mut old = std::mem::take(&mut own.of).into_iter().peekable();
    for (unit, seen) in &other.of {
        while let Some(before) = old.next_if(|(known, _)| known < unit) {
            joined.push(before);
        }
        match old.next_if(|(known, _)| known == unit) {
            Some((unit, mut known)) => {
                join_seen(&mut known, seen);
                joined.push((unit, known));
            }
            None => joined.push((*unit, seen.clone())),
        }
    }
    joined.extend(old);
    own.of = joined;
    if own.of.len() > MOST {
        own.of = Vec::new();
        own.everything = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(warps: &[u32], threads: &[(u32, u32)]) -> Arc<Seen> {
        Arc::new(Seen {
            warps: warps.to_vec(),
            threads: threads.to_vec(),
        })
    }

    #[test]
    fn what_is_known_grows_and_is_shared() {
        let mut mine = None;
        add(&mut mine, 4, &seen(&[3, 5], &[(40, 9)]));
        let mut other = None;
        add(&mut other, 2, &seen(&[1], &[]));
        add(&mut other, 4, &seen(&[6, 5], &[(1, 7), (40, 8)]));
        join(&mut mine, &other);
        let known = mine.clone().unwrap();
        let of_four = known.of(4).unwrap();
        assert_eq!((known.of(3).is_none(), known.of(2).is_some()), (true, true));
        assert!(of_four.knows(0, 6) && !of_four.knows(0, 7) && of_four.knows(1, 7));
        assert!(of_four.knows(40, 9) && !of_four.knows(41, 6) && !of_four.knows(70, 1));
        assert!(of_four.knows_any(9) && !of_four.knows_any(10));
        let before = Arc::as_ptr(mine.as_ref().unwrap());
        let same = mine.clone();
        join(&mut mine, &same);
        assert_eq!(before, Arc::as_ptr(mine.as_ref().unwrap()));
    }

    #[test]
    fn too_many_are_everything() {
        let mut mine = None;
        for unit in 0..=MOST as u32 {
            add(&mut mine, unit, &seen(&[1], &[]));
        }
        assert!(mine.unwrap().is_everything());
    }
}
