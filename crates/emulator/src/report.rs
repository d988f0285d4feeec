//! What a launch did, counted.
//!
//! ```text
//! Report ── instructions, blocks, opcodes, memory, asynchronous (sums)
//!        ├─ lines      one for each instruction of the PTX that was executed
//!        └─ sources()  one for each line of the source, where the PTX has `.loc`
//! ```
//!
//! Law: a sum is the sum of its lines, and no counter depends on the number of CPU threads.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::exec::banks::Heat;
use crate::exec::grid::LaunchState;
use crate::exec::run::Site;
use crate::findings::{Findings, Noted};
use crate::place::Inlined;
use crate::profile::{AsyncCounts, Flops, NarrowAccess, Profile, Runs};

/// Counters of a launch: for the whole, for each opcode and for each instruction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Warp instructions executed.
    pub instructions: u64,
    /// Blocks executed.
    pub blocks: u64,
    /// Warps of a block.
    pub warps_per_block: u32,
    /// Warp instructions by opcode with its modifiers: `ld.global.v4.b32`.
    pub opcodes: BTreeMap<String, u64>,
    /// Sum over all instructions.
    pub memory: MemoryCounts,
    /// Sum over all instructions: bulk copies, `wgmma`, waits at mbarrier objects.
    pub asynchronous: AsyncCounts,
    /// Every instruction that was executed, in the order of the PTX.
    pub lines: Vec<LineReport>,
    /// What the kernel printed, block after block.
    pub output: String,
    /// Findings that the kernel went on from, in the order of the PTX, races within a warp behind
    /// all others.
    pub findings: Vec<Noted>,
    /// How many findings each rule of `Config::accept` accepted.
    pub accepted: Vec<u64>,
}

/// Counters of one instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReport {
    /// Line of the PTX, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// Its opcode with its modifiers.
    pub opcode: String,
    /// The kernel or function that it is in.
    pub function: String,
    /// File and line of the source, where the PTX has them.
    pub source_line: Option<(String, u32)>,
    /// The calls that were inlined around it, the innermost first.
    pub inlined: Vec<Inlined>,
    /// How many warps executed it.
    pub executed: u64,
    /// Its accesses.
    pub memory: MemoryCounts,
    /// What it did of a bulk copy, a `wgmma`, or a wait at an mbarrier object.
    pub asynchronous: AsyncCounts,
    /// Lanes, divergence and more, with `Config::profile`.
    pub profile: Option<Profile>,
}

/// Counters of one line of the source: the sums over its instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceReport {
    /// The file as `.file` names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// How many warp instructions of the line were executed.
    pub executed: u64,
    /// Their accesses.
    pub memory: MemoryCounts,
    /// Their bulk copies, `wgmma`, waits at mbarrier objects.
    pub asynchronous: AsyncCounts,
    /// Lanes, divergence and more, with `Config::profile`.
    pub profile: Option<Profile>,
    /// Floating-point operations, by the unit that does them; none without `Config::profile`.
    pub flops: Flops,
}

/// What accesses of memory cost. All zero where `Config::count_memory` is off.
///
/// The names in brackets are the counters of a device of compute capability 9.0 that have the same
/// value, in the sections of Nsight Compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryCounts {
    /// Accesses of shared memory by a warp.
    pub shared_requests: u64,
    /// Wavefronts of shared memory (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*`).
    pub shared_wavefronts: u64,
    /// Wavefronts beyond one for each phase
    /// (`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*`).
    pub bank_conflicts: u64,
    /// Bytes of shared memory that lanes read and wrote, each lane's own.
    pub shared_bytes: u64,
    /// Accesses of global memory by a warp (`l1tex__t_requests_pipe_lsu_mem_global_op_*`).
    pub global_requests: u64,
    /// Sectors of 32 bytes of global memory (`l1tex__t_sectors_pipe_lsu_mem_global_op_*`).
    pub global_sectors: u64,
    /// Bytes of global memory that lanes read and wrote, each lane's own.
    pub global_bytes: u64,
    /// Accesses of local memory by a warp: of arrays that are indexed at run time, or of what
    /// registers do not hold.
    pub local_requests: u64,
}

impl AddAssign for MemoryCounts {
    fn add_assign(&mut self, other: Self) {
        self.shared_requests += other.shared_requests;
        self.shared_wavefronts += other.shared_wavefronts;
        self.bank_conflicts += other.bank_conflicts;
        self.shared_bytes += other.shared_bytes;
        self.global_requests += other.global_requests;
        self.global_sectors += other.global_sectors;
        self.global_bytes += other.global_bytes;
        self.local_requests += other.local_requests;
    }
}

impl Report {
    /// Floating-point operations, by the unit that does them; none without `Config::profile`.
    pub fn flops(&self) -> Flops {
        let mut all = Flops::default();
        for line in &self.lines {
            all += line.flops();
        }
        all
    }

    /// The counters by line of the source, in the order of files and lines; instructions without
    /// `.loc` are in none.
    pub fn sources(&self) -> Vec<SourceReport> {
        let mut all: BTreeMap<(&str, u32), SourceReport> = BTreeMap::new();
        for line in &self.lines {
            let Some((file, number)) = &line.source_line else {
                continue;
            };
            let sum = all.entry((file, *number)).or_insert_with(|| SourceReport {
                file: file.clone(),
                line: *number,
                executed: 0,
                memory: MemoryCounts::default(),
                asynchronous: AsyncCounts::default(),
                profile: None,
                flops: Flops::default(),
            });
            sum.executed += line.executed;
            sum.memory += line.memory;
            sum.asynchronous += line.asynchronous;
            sum.flops += line.flops();
            if let Some(profile) = &line.profile {
                sum.profile.get_or_insert_default().add(profile);
            }
        }
        all.into_values().collect()
    }
}

impl LineReport {
    /// Floating-point operations, by the unit that does them; none without `Config::profile`.
    pub fn flops(&self) -> Flops {
        self.profile.as_ref().map_or(Flops::default(), |profile| {
            Flops::of(&self.opcode, self.executed, profile.executing_lanes)
        })
    }
}

/// Counters of one CPU thread.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// By function and instruction.
    pub executed: Vec<Vec<u64>>,
    memory: Vec<Vec<MemoryCounts>>,
    /// Of the instructions that have such counts, which are few.
    asynchronous: BTreeMap<(u32, u32), AsyncCounts>,
    /// Empty without `Config::profile`.
    details: Vec<Vec<Profile>>,
    /// Accesses that may become a vector, where there are details.
    runs: Runs,
    /// What the launch went on from.
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

    /// The counters of a bulk copy, a `wgmma`, or an instruction on mbarrier objects.
    pub fn asynchronous(&mut self, site: Site) -> &mut AsyncCounts {
        self.asynchronous
            .entry((site.function, site.pc))
            .or_default()
    }

    /// The counters of an access of shared memory, and of its banks where those are counted.
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

    /// What `Config::profile` counts; only where there are details.
    #[inline]
    pub fn detail(&mut self, site: Site) -> &mut Profile {
        &mut self.details[site.function as usize][site.pc as usize]
    }

    /// Notes an access of a warp of a block, for what one vector could have been.
    pub fn note_access(&mut self, warp: (u32, u32), site: Site, access: &NarrowAccess) {
        let details = &mut self.details;
        self.runs.note(warp, site, access, |site| {
            &mut details[site.function as usize][site.pc as usize].narrow
        });
    }

    /// A warp of a block comes to a barrier.
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

    /// The report on `blocks` blocks of a launch.
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
                // Parts of an instruction that the lowering made several operations of have no
                // opcode; their accesses are the instruction's, which comes before them.
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
