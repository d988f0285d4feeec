//! The counters of the blocks that one CPU thread runs. Their sums over all threads become the
//! report.
//!
//! ```text
//! executed, memory, details [function][instruction] ── add ──► those of all threads ── report ──► Report
//! ```
//!
//! Law: each counter belongs to one instruction, and no sum depends on which CPU thread counted.

use std::collections::BTreeMap;

use super::banks::Heat;
use super::findings::Findings;
use super::grid::LaunchState;
use crate::ir::Site;
use crate::profile::{AsyncCounts, NarrowAccess, Profile, Runs};
use crate::report::{LineReport, MemoryCounts, Report};

/// The counters of one CPU thread.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// How often each instruction was executed, by function and instruction.
    pub executed: Vec<Vec<u64>>,
    memory: Vec<Vec<MemoryCounts>>,
    /// The counts of asynchronous operations; only the few instructions that have such counts have
    /// an entry.
    asynchronous: BTreeMap<(u32, u32), AsyncCounts>,
    /// The counters of `Config::profile`; empty without that option.
    details: Vec<Vec<Profile>>,
    /// Accesses that may form a vector; used only if `details` is not empty.
    runs: Runs,
    /// The findings after which the launch continued.
    pub findings: Findings,
}

impl Counters {
    pub fn new(launch: &LaunchState) -> Self {
        fn each<T: Clone + Default>(launch: &LaunchState) -> Vec<Vec<T>> {
            let functions = launch.image.functions.iter();
            functions
                .map(|f| vec![T::default(); f.code.len()])
                .collect()
        }
        let config = &launch.config;
        Counters {
            executed: each(launch),
            memory: each(launch),
            asynchronous: BTreeMap::new(),
            runs: Runs::default(),
            findings: Findings::default(),
            details: if config.profile && config.count_memory {
                each(launch)
            } else {
                Vec::new()
            },
        }
    }

    #[inline]
    pub fn at(&mut self, site: Site) -> &mut MemoryCounts {
        &mut self.memory[site.function as usize][site.pc as usize]
    }

    /// Returns the counters of a bulk copy, a `wgmma`, or an instruction on mbarrier objects.
    pub fn asynchronous(&mut self, site: Site) -> &mut AsyncCounts {
        self.asynchronous
            .entry((site.function, site.pc))
            .or_default()
    }

    /// Returns the counters of an access of shared memory, and of its banks if those are counted.
    #[inline]
    pub fn of_shared(&mut self, site: Site) -> (&mut MemoryCounts, Option<Heat<'_>>) {
        let (function, pc) = (site.function as usize, site.pc as usize);
        let banks = self.details.get_mut(function).map(|details| {
            let detail = &mut details[pc];
            Heat {
                words: detail.banks.get_or_insert_default(),
                phases: detail.bank_phases.get_or_insert_default(),
            }
        });
        (&mut self.memory[function][pc], banks)
    }

    pub fn has_details(&self) -> bool {
        !self.details.is_empty()
    }

    /// Returns the counters of `Config::profile`; call it only if there are details.
    #[inline]
    pub fn detail(&mut self, site: Site) -> &mut Profile {
        &mut self.details[site.function as usize][site.pc as usize]
    }

    /// Notes an access of a warp of a block, to find accesses that one vector could replace.
    pub fn note_access(&mut self, warp: (u32, u32), site: Site, access: &NarrowAccess) {
        let details = &mut self.details;
        self.runs.note(warp, site, access, |site| {
            &mut details[site.function as usize][site.pc as usize].narrow
        });
    }

    /// Notes that a warp of a block reaches a barrier: accesses before and after it cannot form a
    /// vector.
    pub fn at_barrier(&mut self, warp: (u32, u32)) {
        self.runs.forget(warp);
    }

    pub fn add(&mut self, mut other: Counters) {
        self.findings.add(std::mem::take(&mut other.findings));
        let executed = self.executed.iter_mut().flatten();
        for (mine, theirs) in executed.zip(other.executed.iter().flatten()) {
            *mine += theirs;
        }
        let memory = self.memory.iter_mut().flatten();
        for (mine, theirs) in memory.zip(other.memory.iter().flatten()) {
            *mine += *theirs;
        }
        for (site, theirs) in other.asynchronous {
            *self.asynchronous.entry(site).or_default() += theirs;
        }
        let details = self.details.iter_mut().flatten();
        for (mine, theirs) in details.zip(other.details.iter().flatten()) {
            mine.add(theirs);
        }
    }

    /// Creates the report on `blocks` blocks of a launch.
    pub fn report(&self, launch: &LaunchState, blocks: u64, output: String) -> Report {
        let mut report = Report {
            blocks,
            warps_per_block: launch.warps,
            output,
            ..Report::default()
        };
        (report.findings, report.accepted) = self.findings.report(launch);
        for (f, function) in launch.image.functions.iter().enumerate() {
            for (pc, place) in function.places.iter().enumerate() {
                let executed = self.executed[f][pc];
                let memory = self.memory[f][pc];
                let asynchronous = self.asynchronous.get(&(f as u32, pc as u32));
                let asynchronous = asynchronous.copied().unwrap_or_default();
                // If the lowering split an instruction into several operations, only the first has
                // an opcode; the accesses of the others are counted for that instruction.
                if place.opcode.is_empty() {
                    if executed != 0
                        && let Some(line) = report.lines.last_mut()
                    {
                        line.memory += memory;
                        report.memory += memory;
                        line.asynchronous += asynchronous;
                        report.asynchronous += asynchronous;
                    }
                    continue;
                }
                if executed == 0 {
                    continue;
                }
                report.instructions += executed;
                *report.opcodes.entry(place.opcode.to_string()).or_default() += executed;
                report.memory += memory;
                report.asynchronous += asynchronous;
                report.lines.push(LineReport {
                    line: place.line as usize,
                    instruction: place.text.to_string(),
                    opcode: place.opcode.to_string(),
                    function: function.name.clone(),
                    source_line: place
                        .source
                        .and_then(|place| launch.image.source_line(place)),
                    inlined: place
                        .source
                        .map_or(Vec::new(), |place| launch.image.inlined(place)),
                    executed,
                    memory,
                    asynchronous,
                    profile: self.details.get(f).map(|details| details[pc].clone()),
                });
            }
        }
        report.lines.sort_by_key(|line| line.line);
        report
    }
}
