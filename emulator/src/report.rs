//! What a launch did, counted.

use std::collections::BTreeMap;

use crate::exec::run::Site;
use crate::ir::Image;

/// Counters of a launch: for the whole, for each opcode and for each instruction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Warp instructions executed.
    pub instructions: u64,
    /// Blocks executed.
    pub blocks: u64,
    /// Warp instructions by opcode with its modifiers: `ld.global.v4.b32`.
    pub opcodes: BTreeMap<String, u64>,
    /// Sum over all instructions.
    pub memory: MemoryCounts,
    /// Every instruction that was executed, in the order of the PTX.
    pub lines: Vec<LineReport>,
    /// What the kernel printed, block after block.
    pub output: String,
}

/// Counters of one instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReport {
    /// Line of the PTX, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// File and line of the source, where the PTX has them.
    pub source_line: Option<(String, u32)>,
    /// How many warps executed it.
    pub executed: u64,
    /// Its accesses.
    pub memory: MemoryCounts,
}

/// What accesses of memory cost. All zero where `Config::count_memory` is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryCounts {
    /// Accesses of shared or global memory by a warp.
    pub requests: u64,
    /// Wavefronts of shared memory.
    pub shared_wavefronts: u64,
    /// Wavefronts beyond one for each phase: bank conflicts.
    pub bank_conflicts: u64,
    /// Sectors of 32 bytes of global memory.
    pub global_sectors: u64,
    /// Accesses of local memory by a warp: of arrays that are indexed at run time, or of what registers do not hold.
    pub local_requests: u64,
}

/// Counters of one instruction while it runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    pub requests: u64,
    pub wavefronts: u64,
    pub conflicts: u64,
    pub sectors: u64,
    pub local: u64,
}

/// Counters of one CPU thread.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// By function and instruction.
    pub executed: Vec<Vec<u64>>,
    memory: Vec<Vec<Count>>,
}

impl Counters {
    pub fn new(image: &Image) -> Self {
        Counters {
            executed: image
                .functions
                .iter()
                .map(|f| vec![0; f.code.len()])
                .collect(),
            memory: image
                .functions
                .iter()
                .map(|f| vec![Count::default(); f.code.len()])
                .collect(),
        }
    }

    #[inline]
    pub fn at(&mut self, site: Site) -> &mut Count {
        &mut self.memory[site.function as usize][site.pc as usize]
    }

    pub fn add(&mut self, other: &Counters) {
        for (mine, theirs) in self
            .executed
            .iter_mut()
            .flatten()
            .zip(other.executed.iter().flatten())
        {
            *mine += theirs;
        }
        for (mine, theirs) in self
            .memory
            .iter_mut()
            .flatten()
            .zip(other.memory.iter().flatten())
        {
            mine.requests += theirs.requests;
            mine.wavefronts += theirs.wavefronts;
            mine.conflicts += theirs.conflicts;
            mine.sectors += theirs.sectors;
            mine.local += theirs.local;
        }
    }

    /// The report on `blocks` blocks of a module.
    pub fn report(&self, image: &Image, blocks: u64, output: String) -> Report {
        let mut report = Report {
            blocks,
            output,
            ..Report::default()
        };
        for (f, function) in image.functions.iter().enumerate() {
            for (pc, place) in function.places.iter().enumerate() {
                let executed = self.executed[f][pc];
                // Parts of an instruction that the lowering made several operations of have no opcode.
                if executed == 0 || place.opcode.is_empty() {
                    continue;
                }
                let count = self.memory[f][pc];
                let memory = MemoryCounts {
                    requests: count.requests,
                    shared_wavefronts: count.wavefronts,
                    bank_conflicts: count.conflicts,
                    global_sectors: count.sectors,
                    local_requests: count.local,
                };
                report.instructions += executed;
                *report.opcodes.entry(place.opcode.to_string()).or_default() += executed;
                report.memory.requests += memory.requests;
                report.memory.shared_wavefronts += memory.shared_wavefronts;
                report.memory.bank_conflicts += memory.bank_conflicts;
                report.memory.global_sectors += memory.global_sectors;
                report.memory.local_requests += memory.local_requests;
                report.lines.push(LineReport {
                    line: place.line as usize,
                    instruction: place.text.to_string(),
                    source_line: place.source.and_then(|place| image.source_line(place)),
                    executed,
                    memory,
                });
            }
        }
        report.lines.sort_by_key(|line| line.line);
        report
    }
}
