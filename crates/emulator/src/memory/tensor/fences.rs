//! `tcgen05.fence`: the order between accesses of tensor memory by different threads.
//!
//! ```text
//! warp 0   st ─ wait::st ─ before_thread_sync ─ arrive ─┐
//! warp 1                                                └─► wait ─ after_thread_sync ─ ld
//!                                                                  keeps what warp 1 is behind by now
//! ```
//!
//! Law: accesses of two warps that synchronise need two fences. A `before_thread_sync` comes
//! between the earlier access and the synchronisation, and an `after_thread_sync` between the
//! synchronisation and the later access. A `tcgen05.commit` counts as a `before_thread_sync`. After
//! a wait for its own commit, a thread needs the `after_thread_sync` too, except for products,
//! which are in order. A fence by one lane counts for its whole warp. PTX grants less, but so a
//! right program is never accused. Source: PTX ISA, "tcgen05.fence", "Memory Consistency Model for
//! tcgen05", "Canonical synchronization patterns".

use super::Mark;
use crate::frame::{WARP, lanes};
use crate::memory::clocks::Clocks;
use crate::memory::objects::Message;

/// The fences that a cluster's warps have executed.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    /// For each warp, the events that it was ordered after at its last `after_thread_sync`.
    after: Vec<Message>,
    /// For each warp, the lanes that executed a `before_thread_sync` together, and the time that
    /// their accesses carried then. The oldest entry is the first.
    before: Vec<Vec<(u32, u32)>>,
}

/// The kind of `tcgen05.fence` that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Before,
    After,
}

/// Returns a warp's element, and first adds it if it is missing.
fn of_warp<T: Default>(all: &mut Vec<T>, warp: usize) -> &mut T {
    if all.len() <= warp {
        all.resize_with(warp + 1, T::default);
    }
    &mut all[warp]
}

impl Fences {
    /// Forgets all fences.
    pub fn clear(&mut self) {
        self.after.clear();
        self.before.clear();
    }

    /// Notes a `fence::before_thread_sync` by lanes of a warp.
    pub fn before(&mut self, clocks: &Clocks, warp: usize, mask: u32) {
        let since = clocks.of_warp(warp);
        let fences = of_warp(&mut self.before, warp);
        let mut rest = mask;
        while rest != 0 {
            let time = since[rest.trailing_zeros() as usize];
            let alike = lanes(rest).filter(|&lane| since[lane] == time);
            let together = alike.fold(0, |together, lane| together | 1 << lane);
            fences.push((together, time));
            rest &= !together;
        }
    }

    /// Notes a `fence::after_thread_sync` by lanes of a warp.
    pub fn after(&mut self, clocks: &Clocks, warp: usize) {
        clocks.send(warp, clocks.base, of_warp(&mut self.after, warp));
    }

    /// Returns the number of `before_thread_sync` entries that a warp has noted.
    fn count(&self, warp: usize) -> usize {
        self.before.get(warp).map_or(0, Vec::len)
    }
}

/// The order of a cluster's threads, and their fences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub clocks: &'a Clocks,
    pub fences: &'a Fences,
    /// Whether the products and copies of a thread are only in the order that PTX states.
    pub strict: bool,
}

impl Order<'_> {
    /// Returns the number of `before_thread_sync` entries that the warp of a thread has noted.
    pub(super) fn fences_of(self, thread: u32) -> usize {
        self.fences.count(thread as usize / WARP)
    }

    /// Returns the fence that is missing between `earlier` and a later access by `thread`, or
    /// `None` if no fence is missing.
    pub(super) fn missing(self, thread: u32, earlier: &Mark) -> Option<Missing> {
        let Order { clocks, fences, .. } = self;
        let (warp, by) = (thread as usize / WARP, earlier.by as usize / WARP);
        if by == warp || earlier.time <= clocks.base {
            return None;
        }
        let after = fences.after.get(warp);
        if let Some(column) = clocks.column_of(earlier.by) {
            let known = after.is_some_and(|after| after.knows_object(column, earlier.time));
            return (!known).then_some(Missing::After);
        }
        let all = fences.before.get(by);
        let behind_it = all.and_then(|all| all.get(earlier.fences..)).unwrap_or(&[]);
        let is_fenced = |knows: &dyn Fn(u32, u32) -> bool| {
            behind_it
                .iter()
                .any(|&(mask, time)| lanes(mask).any(|lane| knows((by * WARP + lane) as u32, time)))
        };
        if !is_fenced(&|other, time| clocks.ordered(thread, other, time)) {
            return Some(Missing::Before);
        }
        let known = after.is_some_and(|after| {
            after.knows(earlier.by, earlier.time)
                && is_fenced(&|other, time| after.knows(other, time))
        });
        (!known).then_some(Missing::After)
    }
}
