//! Findings after which a launch continued.
//!
//! ```text
//! Config::accept                    those that a rule accepts
//! Config::continue_past_findings    the others too: they are reported beside the counters
//! ```
//!
//! Law: findings of one kind, by one instruction and with one earlier access, form one entry. The
//! entry's count is the number of accesses of lanes with this finding; the entry's fault is the
//! first one of the lowest block. Neither depends on the number of CPU threads.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use super::grid::LaunchState;
use crate::accept::Acceptable;
use crate::fault::{FaultKind, Trap};
use crate::findings::Noted;
use crate::ir::Site;

/// The most entries that are kept; further accesses are counted for their rule but not listed.
const MOST: usize = 4096;

type Key = (Site, u32, Discriminant<FaultKind>);

#[derive(Debug)]
struct Entry {
    block: u64,
    noted: Noted,
}

/// The findings of one CPU thread.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    entries: HashMap<Key, Entry>,
    /// The number of findings without an entry, by rule.
    more: HashMap<Option<usize>, u64>,
}

impl Findings {
    /// Notes a finding of a block if the kernel may continue after it. Returns whether it may.
    pub fn note(
        &mut self,
        launch: &LaunchState,
        (block, linear): ([u32; 3], u64),
        warp: u32,
        trap: &Trap,
        site: Site,
    ) -> bool {
        let config = &launch.config;
        if config.accept.is_empty() && !config.continue_past_findings
            || Acceptable::of(&trap.what).is_none()
        {
            return false;
        }
        let key = (site, trap.earlier, discriminant(&trap.what));
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.noted.count += 1;
            return true;
        }
        let fault = launch.fault(block, warp as usize, trap.clone(), site);
        let accepted = config.accept.iter().position(|rule| rule.accepts(&fault));
        if accepted.is_none() && !config.continue_past_findings {
            return false;
        }
        if self.entries.len() == MOST {
            *self.more.entry(accepted).or_default() += 1;
            return true;
        }
        let noted = Noted {
            fault,
            count: 1,
            accepted,
        };
        let block = linear;
        self.entries.insert(key, Entry { block, noted });
        true
    }

    /// Adds the findings of another CPU thread.
    pub fn add(&mut self, other: Findings) {
        for (key, theirs) in other.entries {
            match self.entries.get_mut(&key) {
                Some(mine) => {
                    let count = mine.noted.count + theirs.noted.count;
                    if theirs.block < mine.block {
                        *mine = theirs;
                    }
                    mine.noted.count = count;
                }
                None => {
                    self.entries.insert(key, theirs);
                }
            }
        }
        for (rule, count) in other.more {
            *self.more.entry(rule).or_default() += count;
        }
    }

    /// Returns all entries in the order of the PTX, with races within a warp last; and the number
    /// of findings that each rule accepted.
    pub fn report(&self, launch: &LaunchState) -> (Vec<Noted>, Vec<u64>) {
        let mut accepted = vec![0; launch.config.accept.len()];
        for (rule, count) in &self.more {
            if let Some(rule) = rule {
                accepted[*rule] += count;
            }
        }
        for entry in self.entries.values() {
            if let Some(rule) = entry.noted.accepted {
                accepted[rule] += entry.noted.count;
            }
        }
        let mut all: Vec<(&Key, &Entry)> = self.entries.iter().collect();
        all.sort_by_key(|((site, earlier, _), entry)| {
            let fault = &entry.noted.fault;
            let within = fault
                .warp
                .is_some_and(|warp| launch.within_a_warp(warp, &fault.what));
            let kind = Acceptable::of(&fault.what).map(Acceptable::name);
            (within, fault.line, site.function, site.pc, *earlier, kind)
        });
        let noted = all.into_iter().map(|(_, entry)| entry.noted.clone());
        (noted.collect(), accepted)
    }
}
