//! The rows of a profile: counters of an instruction, of a line, of everything.
//!
//! Law: a row of the source is the sum of its instructions, the totals the sum of all.

use emulator::profile::AsyncCounts;
use emulator::{Acceptable, Acceptance, LineReport, MemoryCounts, Noted, Profile, SourceReport};
use serde::{Serialize, Serializer};

/// Counters, the same for an instruction, a line and a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Costs {
    /// Warp instructions executed.
    pub executed: u64,
    /// Lanes that came to them.
    pub active_lanes: u64,
    /// Lanes that their guards let through.
    pub executing_lanes: u64,
    /// Branches whose lanes went different ways.
    pub diverged: u64,
    /// Accesses of shared memory.
    pub shared_requests: u64,
    /// Wavefronts of shared memory.
    pub shared_wavefronts: u64,
    /// Of these bank conflicts.
    pub bank_conflicts: u64,
    /// Bytes of shared memory.
    pub shared_bytes: u64,
    /// Accesses of global memory.
    pub global_requests: u64,
    /// Sectors of global memory.
    pub global_sectors: u64,
    /// Bytes of global memory.
    pub global_bytes: u64,
    /// Accesses of local memory.
    pub local_requests: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Groups of `cp.async` in flight.
    pub cp_async: Option<Async>,
    /// Bulk copies, `wgmma`, waits at mbarrier objects; none where there are none.
    #[serde(serialize_with = "by_name")]
    pub asynchronous: Option<AsyncCounts>,
}

/// The counters as a map from their names.
fn by_name<S: Serializer>(counts: &Option<AsyncCounts>, to: S) -> Result<S::Ok, S::Error> {
    match counts {
        Some(counts) => to.collect_map(counts.named()),
        None => to.serialize_none(),
    }
}

/// Groups of `cp.async` in flight, by warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Async {
    /// The most at once.
    pub most: u64,
    /// Waits.
    pub waits: u64,
    /// On average when a warp comes to a wait.
    pub before: f64,
    /// On average of those that are in flight after it.
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

    /// Adds another row.
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

    /// Lanes that executed, of 32.
    #[must_use]
    pub fn lanes(&self) -> f64 {
        if self.executed == 0 {
            0.0
        } else {
            self.executing_lanes as f64 / self.executed as f64
        }
    }
}

/// Counters of an instruction.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InstructionRow {
    /// Line of the PTX, from 1.
    pub line: usize,
    /// The function that it is in.
    pub function: String,
    /// The instruction.
    pub instruction: String,
    /// Its opcode.
    pub opcode: String,
    /// File and line of the source.
    pub source: Option<(String, u32)>,
    /// The calls that were inlined around it, the innermost first: `` `load(float*)` inlined at
    /// kernel.cu:20:7 ``.
    pub inlined: Vec<String>,
    /// What was counted.
    #[serde(flatten)]
    pub costs: Costs,
    /// What each bank of shared memory served: words, of an atomic lanes.
    pub banks: Option<Vec<u64>>,
    /// Phases in which each bank served anything.
    pub bank_phases: Option<Vec<u64>>,
    /// Where its accesses and those behind it could have been one vector.
    pub narrow: Option<NarrowRow>,
}

/// Accesses of a thread, one behind the other, that one vector could have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NarrowRow {
    /// How many there are to a vector.
    pub accesses: u64,
    /// Bytes of one.
    pub bytes: u64,
    /// Bytes of the vector.
    pub possible: u64,
    /// How often a warp executed such.
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

/// `4 accesses of 4 bytes where 16 are possible`.
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
    /// The row of an instruction.
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

/// A finding that the launch went on from.
#[derive(Clone, Debug, Serialize)]
pub struct FindingRow {
    /// The kind, as a launch file accepts it: `uninitialised`, `race`, ...
    pub kind: &'static str,
    /// Accesses of lanes for which it was found.
    pub count: u64,
    /// The reason for which it is accepted, if it is.
    pub accepted: Option<String>,
    /// The first of them, with its place.
    pub message: String,
}

impl FindingRow {
    /// The row of a finding under these rules.
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

    /// `12 times, accepted: why`.
    #[must_use]
    pub fn heading(&self) -> String {
        let times = emulator::counted(self.count, "time");
        match &self.accepted {
            Some(reason) => format!("{times}, accepted: {reason}"),
            None => times,
        }
    }
}

/// Counters of a line of the source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceRow {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text, where the file can be read.
    pub text: Option<String>,
    /// The widest vector that accesses of the line could have been.
    pub narrow: Option<NarrowRow>,
    /// What was counted.
    #[serde(flatten)]
    pub costs: Costs,
}

impl SourceRow {
    /// The row of a line.
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
