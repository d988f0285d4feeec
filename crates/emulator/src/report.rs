//! The counters and findings of a launch.
//!
//! ```text
//! Report ── instructions, blocks, opcodes, memory, asynchronous (sums)
//!        ├─ lines      one for each instruction of the PTX that was executed
//!        └─ sources()  one for each line of the source, where the PTX has `.loc`
//! ```
//!
//! Law: each total is the sum over the lines, and no counter depends on the number of CPU threads.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::findings::Noted;
use crate::place::Inlined;
use crate::profile::{AsyncCounts, Flops, Profile};

/// The counters of a launch: in total, per opcode and per instruction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The number of warp instructions executed.
    pub instructions: u64,
    /// The number of blocks executed.
    pub blocks: u64,
    /// The number of warps of a block.
    pub warps_per_block: u32,
    /// The number of warp instructions by opcode with its modifiers: `ld.global.v4.b32`.
    pub opcodes: BTreeMap<String, u64>,
    /// The sum over all instructions of the counters of memory accesses.
    pub memory: MemoryCounts,
    /// The sum over all instructions of the counters of bulk copies, `wgmma`, and waits at mbarrier
    /// objects.
    pub asynchronous: AsyncCounts,
    /// Every instruction that was executed, in the order of the PTX.
    pub lines: Vec<LineReport>,
    /// The text that the kernel printed, block after block.
    pub output: String,
    /// Findings after which the kernel continued, in the order of the PTX; races within a warp come
    /// last.
    pub findings: Vec<Noted>,
    /// The number of findings that each rule of `Config::accept` accepted.
    pub accepted: Vec<u64>,
}

/// The counters of one instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReport {
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The instruction as written in that line.
    pub instruction: String,
    /// The opcode with its modifiers.
    pub opcode: String,
    /// The kernel or function that contains the instruction.
    pub function: String,
    /// The file and line of the source, if the PTX has them.
    pub source_line: Option<(String, u32)>,
    /// The calls that were inlined around the instruction, the innermost first.
    pub inlined: Vec<Inlined>,
    /// The number of warps that executed the instruction.
    pub executed: u64,
    /// The counters of the instruction's memory accesses.
    pub memory: MemoryCounts,
    /// The counters of the instruction as part of a bulk copy, a `wgmma`, or a wait at an mbarrier
    /// object.
    pub asynchronous: AsyncCounts,
    /// The lanes, divergence and more, if `Config::profile` is on.
    pub profile: Option<Profile>,
}

/// The counters of one line of the source: the sums over its instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceReport {
    /// The file as `.file` names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The number of executed warp instructions of the line.
    pub executed: u64,
    /// The counters of the line's memory accesses.
    pub memory: MemoryCounts,
    /// The counters of the line's bulk copies, `wgmma`, and waits at mbarrier objects.
    pub asynchronous: AsyncCounts,
    /// The lanes, divergence and more, if `Config::profile` is on.
    pub profile: Option<Profile>,
    /// The floating-point operations, by the unit that executes them; zero without
    /// `Config::profile`.
    pub flops: Flops,
}

/// The cost of memory accesses. All counters are zero if `Config::count_memory` is off.
///
/// A name in brackets is the counter of Nsight Compute that has the same value on a device of
/// compute capability 9.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryCounts {
    /// Accesses of shared memory by a warp.
    pub shared_requests: u64,
    /// Wavefronts of shared memory (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*`).
    pub shared_wavefronts: u64,
    /// Wavefronts beyond one per phase (`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*`).
    pub bank_conflicts: u64,
    /// Bytes of shared memory that lanes read and wrote, summed over the lanes.
    pub shared_bytes: u64,
    /// Accesses of global memory by a warp (`l1tex__t_requests_pipe_lsu_mem_global_op_*`).
    pub global_requests: u64,
    /// Sectors of 32 bytes of global memory (`l1tex__t_sectors_pipe_lsu_mem_global_op_*`).
    pub global_sectors: u64,
    /// Bytes of global memory that lanes read and wrote, summed over the lanes.
    pub global_bytes: u64,
    /// Accesses of local memory by a warp: to arrays that are indexed at run time, or to spilled
    /// registers.
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
    /// Returns the floating-point operations, by the unit that executes them; zero without
    /// `Config::profile`.
    pub fn flops(&self) -> Flops {
        let mut all = Flops::default();
        for line in &self.lines {
            all += line.flops();
        }
        all
    }

    /// Returns the counters by line of the source, in the order of files and lines. Instructions
    /// without `.loc` are not included.
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
    /// Returns the floating-point operations, by the unit that executes them; zero without
    /// `Config::profile`.
    pub fn flops(&self) -> Flops {
        self.profile.as_ref().map_or(Flops::default(), |profile| {
            Flops::of(&self.opcode, self.executed, profile.executing_lanes)
        })
    }
}
