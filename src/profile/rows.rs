//! The rows of a profile: counters of an instruction, of a line of the source, and of the launch.
//!
//! Law: a row of the source is the sum of its instructions, the totals the sum of all.

use emulator::profile::AsyncCounts;
use emulator::{Acceptable, Acceptance, LineReport, MemoryCounts, Noted, Profile, SourceReport};
use serde::{Serialize, Serializer};

/// The counters of an instruction, a line or a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Costs {
    /// The warp instructions that were executed.
    pub executed: u64,
    /// The lanes that reached these instructions.
    pub active_lanes: u64,
    /// The lanes that executed them because their guards were true.
    pub executing_lanes: u64,
    /// The branches whose lanes went different ways.
    pub diverged: u64,
    /// The accesses of shared memory.
    pub shared_requests: u64,
    /// The wavefronts of shared memory.
    pub shared_wavefronts: u64,
    /// The wavefronts that are bank conflicts.
    pub bank_conflicts: u64,
    /// The bytes of shared memory.
    pub shared_bytes: u64,
    /// The accesses of global memory.
    pub global_requests: u64,
    /// The sectors of global memory.
    pub global_sectors: u64,
    /// The bytes of global memory.
    pub global_bytes: u64,
    /// The accesses of local memory.
    pub local_requests: u64,
    /// The floating-point operations.
    pub flops: u64,
    /// The groups of `cp.async` in flight, if the launch has any.
    pub cp_async: Option<Async>,
    /// The bulk copies, `wgmma`, and waits at mbarrier objects, or `None` if there are none.
    #[serde(serialize_with = "by_name")]
    pub asynchronous: Option<AsyncCounts>,
}

/// Writes the counters as a map from their names.
fn by_name<S: Serializer>(counts: &Option<AsyncCounts>, to: S) -> Result<S::Ok, S::Error> {
    match counts {
        Some(counts) => to.collect_map(counts.named()),
        None => to.serialize_none(),
    }
}

/// The groups of `cp.async` in flight, per warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Async {
    /// The largest number at once.
    pub most: u64,
    /// The number of waits.
    pub waits: u64,
    /// The average number when a warp reaches a wait.
    pub before: f64,
    /// The average number that is still in flight after the wait.
    pub after: f64,
}

impl Costs {
    fn new(
        executed: u64,
        memory: &MemoryCounts,
        asynchronous: &AsyncCounts,
        profile: Option<&Profile>,
        flops: u64,
    ) -> Self {
        let groups = profile.and_then(|profile| profile.groups);
        let average = |sum: u64, count: u64| {
            if count == 0 {
                0.0
            } else {
                sum as f64 / count as f64
            }
        };
        Self {
            executed,
            active_lanes: profile.map_or(0, |profile| profile.active_lanes),
            executing_lanes: profile.map_or(0, |profile| profile.executing_lanes),
            diverged: profile.map_or(0, |profile| profile.diverged),
            shared_requests: memory.shared_requests,
            shared_wavefronts: memory.shared_wavefronts,
            bank_conflicts: memory.bank_conflicts,
            shared_bytes: memory.shared_bytes,
            global_requests: memory.global_requests,
            global_sectors: memory.global_sectors,
            global_bytes: memory.global_bytes,
            local_requests: memory.local_requests,
            flops,
            cp_async: groups.map(|groups| Async {
                most: groups.most,
                waits: groups.waits,
                before: average(groups.before, groups.waits),
                after: average(groups.after, groups.waits),
            }),
            asynchronous: (!asynchronous.is_zero()).then_some(*asynchronous),
        }
    }

    /// Adds the counters of another row.
    pub fn add(&mut self, other: &Self) {
        self.executed += other.executed;
        self.active_lanes += other.active_lanes;
        self.executing_lanes += other.executing_lanes;
        self.diverged += other.diverged;
        self.shared_requests += other.shared_requests;
        self.shared_wavefronts += other.shared_wavefronts;
        self.bank_conflicts += other.bank_conflicts;
        self.shared_bytes += other.shared_bytes;
        self.global_requests += other.global_requests;
        self.global_sectors += other.global_sectors;
        self.global_bytes += other.global_bytes;
        self.local_requests += other.local_requests;
        self.flops += other.flops;
        if let Some(other) = other.asynchronous {
            *self.asynchronous.get_or_insert_default() += other;
        }
        if let Some(other) = other.cp_async {
            let mine = self.cp_async.get_or_insert_default();
            let waits = mine.waits + other.waits;
            let mean = |a: f64, b: f64| {
                if waits == 0 {
                    0.0
                } else {
                    (a * mine.waits as f64 + b * other.waits as f64) / waits as f64
                }
            };
            *mine = Async {
                most: mine.most.max(other.most),
                waits,
                before: mean(mine.before, other.before),
                after: mean(mine.after, other.after),
            };
        }
    }

    /// Returns the average number of lanes, of 32, that executed.
    #[must_use]
    pub fn lanes(&self) -> f64 {
        if self.executed == 0 {
            0.0
        } else {
            self.executing_lanes as f64 / self.executed as f64
        }
    }
}

/// The counters of an instruction.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InstructionRow {
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The function that contains the instruction.
    pub function: String,
    /// The instruction.
    pub instruction: String,
    /// The instruction's opcode.
    pub opcode: String,
    /// The file and the line of the source.
    pub source: Option<(String, u32)>,
    /// The calls that were inlined around the instruction, the innermost first, such as ``
    /// `load(float*)` inlined at kernel.cu:20:7 ``.
    pub inlined: Vec<String>,
    /// The instruction's counters.
    #[serde(flatten)]
    pub costs: Costs,
    /// The words that each bank of shared memory served. For an atomic instruction they are lanes.
    pub banks: Option<Vec<u64>>,
    /// The phases in which each bank served at least one word.
    pub bank_phases: Option<Vec<u64>>,
    /// The narrow accesses of the instruction and of those after it that could have been one
    /// vector.
    pub narrow: Option<NarrowRow>,
}

/// Consecutive accesses of a thread that could have been one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NarrowRow {
    /// The number of accesses that make up one vector.
    pub accesses: u64,
    /// The bytes of one access.
    pub bytes: u64,
    /// The bytes of the vector.
    pub possible: u64,
    /// The number of times that a warp executed such accesses.
    pub times: u64,
}

impl NarrowRow {
    fn of(profile: &Profile) -> Option<Self> {
        let (possible, times) = profile.narrow.widest()?;
        let bytes = profile.narrow.bytes;
        Some(Self {
            accesses: possible / bytes,
            bytes,
            possible,
            times,
        })
    }
}

/// Writes a text such as `4 accesses of 4 bytes where 16 are possible`.
impl std::fmt::Display for NarrowRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            accesses,
            bytes,
            possible,
            ..
        } = self;
        let bytes = emulator::counted(bytes, "byte");
        write!(
            f,
            "{accesses} accesses of {bytes} where {possible} are possible"
        )
    }
}

impl InstructionRow {
    /// Returns the row of an instruction.
    #[must_use]
    pub fn new(line: &LineReport) -> Self {
        let flops = line.flops().total();
        let profile = line.profile.as_ref();
        Self {
            line: line.line,
            function: line.function.clone(),
            instruction: line.instruction.clone(),
            opcode: line.opcode.clone(),
            source: line.source_line.clone(),
            inlined: line.inlined.iter().map(ToString::to_string).collect(),
            costs: Costs::new(
                line.executed,
                &line.memory,
                &line.asynchronous,
                profile,
                flops,
            ),
            banks: profile
                .and_then(|profile| profile.banks.as_ref())
                .map(|banks| banks.to_vec()),
            bank_phases: profile
                .and_then(|profile| profile.bank_phases.as_ref())
                .map(|phases| phases.to_vec()),
            narrow: profile.and_then(NarrowRow::of),
        }
    }
}

/// A finding after which the launch continued.
#[derive(Clone, Debug, Serialize)]
pub struct FindingRow {
    /// The kind of the finding, as a launch file names it: `uninitialised`, `race`, ...
    pub kind: &'static str,
    /// The number of accesses by lanes that have the finding.
    pub count: u64,
    /// The reason for which the finding is accepted, if it is.
    pub accepted: Option<String>,
    /// The message of the first of these accesses, with its place.
    pub message: String,
}

impl FindingRow {
    /// Returns the row of a finding under these rules.
    #[must_use]
    pub fn new(noted: &Noted, rules: &[Acceptance]) -> Self {
        let rule = noted.accepted.and_then(|rule| rules.get(rule));
        Self {
            kind: Acceptable::of(&noted.fault.what).map_or("", Acceptable::name),
            count: noted.count,
            accepted: rule.map(|rule| rule.reason.clone()),
            message: noted.fault.to_string(),
        }
    }

    /// Returns a heading such as `12 times, accepted: why`.
    #[must_use]
    pub fn heading(&self) -> String {
        let times = emulator::counted(self.count, "time");
        match &self.accepted {
            Some(reason) => format!("{times}, accepted: {reason}"),
            None => times,
        }
    }
}

/// The counters of a line of the source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceRow {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text, if the file can be read.
    pub text: Option<String>,
    /// The widest vector that accesses of the line could have been.
    pub narrow: Option<NarrowRow>,
    /// The line's counters.
    #[serde(flatten)]
    pub costs: Costs,
}

impl SourceRow {
    /// Returns the row of a line.
    #[must_use]
    pub fn new(line: &SourceReport) -> Self {
        Self {
            file: line.file.clone(),
            line: line.line,
            text: None,
            narrow: None,
            costs: Costs::new(
                line.executed,
                &line.memory,
                &line.asynchronous,
                line.profile.as_ref(),
                line.flops.total(),
            ),
        }
    }
}
