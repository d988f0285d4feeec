//! Findings after which a kernel may continue, and rules that accept them.
//!
//! ```text
//! finding ─► Acceptable::of ─► none: the kernel cannot continue, and ends
//!                           └► a rule matches kind, place and kernel ─► counted, the kernel goes on
//! ```
//!
//! Law: a kernel continues after an accepted finding as the hardware would; [`Acceptable`]
//! describes how for each kind. A finding cannot be accepted if the hardware would not continue, or
//! if the instruction has no defined result; the message then gives the reason. Accepted findings
//! are counted by rule (0 for a rule that matched no finding) and shown with the rule's reason.

use std::fmt;
use std::str::FromStr;

use crate::fault::{Fault, FaultKind};
use crate::place::Inlined;

/// A kind of finding after which a kernel may continue, and how it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Acceptable {
    /// [`FaultKind::Uninitialised`]: the bytes are read as they are.
    Uninitialised,
    /// [`FaultKind::UninitialisedRegister`] and [`FaultKind::Undefined`]: the register is read as
    /// it is.
    UninitialisedRegister,
    /// [`FaultKind::Provenance`]: the access happens at its address.
    Provenance,
    /// [`FaultKind::Race`], in shared memory: each access happens at its place in the emulator's
    /// order.
    Race,
    /// [`FaultKind::GlobalRace`]: each access happens at its place in the emulator's order.
    GlobalRace,
    /// [`FaultKind::ThreadRace`]: each access happens at its place in the emulator's order.
    ThreadRace,
    /// [`FaultKind::Race`] and [`FaultKind::ThreadRace`] between lanes of one warp: each access
    /// happens at its place in the emulator's order.
    WarpSynchronous,
    /// [`FaultKind::ExitedThread`]: the barrier opens for the threads that have not exited.
    ExitedThread,
    /// [`FaultKind::TensorMapUnfenced`]: the map is used as it was written.
    TensorMapUnfenced,
    /// [`FaultKind::NonCoherent`]: the read gets the bytes that are in memory when it executes.
    NonCoherent,
    /// [`FaultKind::AsyncCopyPending`]: the copy's bytes have already been written.
    AsyncCopyPending,
    /// [`FaultKind::WriteConflict`]: the last lane's value stays.
    WriteConflict,
    /// [`FaultKind::LocalMemory`]: the access happens.
    LocalMemory,
    /// [`FaultKind::OthersLocal`]: the thread's own local memory at that offset is used, as on
    /// a device.
    OthersLocal,
    /// [`FaultKind::DependentUnwaited`]: the access happens after the end of the previous launch.
    DependentUnwaited,
    /// [`FaultKind::BulkUnwaited`]: the access finds the bytes that have arrived by then, as the
    /// schedule decides.
    BulkUnwaited,
    /// [`FaultKind::BeingRead`]: the write happens before or after the read, as the schedule
    /// decides.
    BeingRead,
    /// [`FaultKind::Unfenced`]: the operation uses the bytes that were written.
    Unfenced,
    /// [`FaultKind::Swizzle`] and [`FaultKind::OtherSwizzle`]: the bytes at the address are read.
    Swizzle,
    /// [`FaultKind::WgmmaRegister`]: the register has its value from before or after the product,
    /// as the schedule decides.
    WgmmaRegister,
    /// [`FaultKind::TensorMemory`]: the access happens.
    TensorMemory,
    /// [`FaultKind::TensorFence`]: the access happens.
    TensorFence,
    /// [`FaultKind::LeftBehind`]: the operation completes all the same.
    LeftBehind,
    /// [`FaultKind::PeerEnded`]: the memory of the block that has ended is used as it is.
    PeerEnded,
    /// [`FaultKind::Mbarrier`] and [`FaultKind::NoMbarrier`]: the instruction is executed as
    /// written. If there is no object, an arrival has no effect, and a wait ends at once.
    Mbarrier,
}

/// The reasons why a kernel cannot continue after a kind of finding.
const NO_PLACE: &str = "there is no memory at the address";
const NO_HARDWARE: &str = "the hardware ends the kernel there";
const NO_MEANING: &str = "the instruction has no result that is defined";
const NO_PROGRESS: &str = "nothing in the kernel could happen next";
const NO_WISH: &str = "the kernel says itself that it ends";

/// The names of the findings that end a kernel whatever is accepted, with the reasons.
pub(crate) const NEVER: [(&str, &str); 23] = [
    ("unmapped", NO_PLACE),
    ("out-of-bounds", NO_PLACE),
    ("use-after-free", NO_PLACE),
    ("no-texture", NO_PLACE),
    ("outside-surface", NO_HARDWARE),
    ("misaligned", NO_HARDWARE),
    ("read-only", NO_HARDWARE),
    ("stack-overflow", NO_HARDWARE),
    ("bad-call", NO_HARDWARE),
    ("divergent", NO_MEANING),
    ("mask-without-self", NO_MEANING),
    ("missing-lanes", NO_MEANING),
    ("different-masks", NO_MEANING),
    ("inactive-source", NO_MEANING),
    ("warpgroup", NO_MEANING),
    ("barrier", NO_MEANING),
    ("operand", NO_MEANING),
    ("deadlock", NO_PROGRESS),
    ("budget", NO_PROGRESS),
    ("output", NO_PROGRESS),
    ("trap", NO_WISH),
    ("breakpoint", NO_WISH),
    ("assertion", NO_WISH),
];

impl Acceptable {
    /// Every kind.
    pub const ALL: [Acceptable; 25] = [
        Acceptable::Uninitialised,
        Acceptable::UninitialisedRegister,
        Acceptable::Provenance,
        Acceptable::Race,
        Acceptable::GlobalRace,
        Acceptable::ThreadRace,
        Acceptable::WarpSynchronous,
        Acceptable::ExitedThread,
        Acceptable::TensorMapUnfenced,
        Acceptable::NonCoherent,
        Acceptable::AsyncCopyPending,
        Acceptable::WriteConflict,
        Acceptable::LocalMemory,
        Acceptable::OthersLocal,
        Acceptable::DependentUnwaited,
        Acceptable::BulkUnwaited,
        Acceptable::BeingRead,
        Acceptable::Unfenced,
        Acceptable::Swizzle,
        Acceptable::WgmmaRegister,
        Acceptable::TensorMemory,
        Acceptable::TensorFence,
        Acceptable::LeftBehind,
        Acceptable::PeerEnded,
        Acceptable::Mbarrier,
    ];

    /// Returns the kind of a finding, or `None` if the kernel cannot continue after it.
    #[must_use]
    pub fn of(what: &FaultKind) -> Option<Acceptable> {
        Acceptable::verdict(what).ok()
    }

    /// Returns the kind of a finding. The error is the name of a finding after which no kernel
    /// continues.
    fn verdict(what: &FaultKind) -> Result<Acceptable, &'static str> {
        match what {
            FaultKind::Uninitialised { .. } => Ok(Acceptable::Uninitialised),
            FaultKind::UninitialisedRegister { .. } | FaultKind::Undefined { .. } => {
                Ok(Acceptable::UninitialisedRegister)
            }
            FaultKind::Provenance { .. } => Ok(Acceptable::Provenance),
            FaultKind::Race {
                within_warp: true, ..
            }
            | FaultKind::ThreadRace {
                within_warp: true, ..
            } => Ok(Acceptable::WarpSynchronous),
            FaultKind::ExitedThread { .. } => Ok(Acceptable::ExitedThread),
            FaultKind::Race { .. } => Ok(Acceptable::Race),
            FaultKind::GlobalRace { .. } => Ok(Acceptable::GlobalRace),
            FaultKind::ThreadRace { .. } => Ok(Acceptable::ThreadRace),
            FaultKind::TensorMapUnfenced { .. } => Ok(Acceptable::TensorMapUnfenced),
            FaultKind::NonCoherent { .. } => Ok(Acceptable::NonCoherent),
            FaultKind::AsyncCopyPending { .. } => Ok(Acceptable::AsyncCopyPending),
            FaultKind::WriteConflict { .. } => Ok(Acceptable::WriteConflict),
            FaultKind::LocalMemory { .. } => Ok(Acceptable::LocalMemory),
            FaultKind::OthersLocal { .. } => Ok(Acceptable::OthersLocal),
            FaultKind::DependentUnwaited { .. } => Ok(Acceptable::DependentUnwaited),
            FaultKind::BulkUnwaited { .. } => Ok(Acceptable::BulkUnwaited),
            FaultKind::BeingRead { .. } => Ok(Acceptable::BeingRead),
            FaultKind::Unfenced { .. } => Ok(Acceptable::Unfenced),
            FaultKind::WgmmaRegister { .. } => Ok(Acceptable::WgmmaRegister),
            FaultKind::TensorMemory { .. } => Ok(Acceptable::TensorMemory),
            FaultKind::TensorFence { .. } => Ok(Acceptable::TensorFence),
            FaultKind::LeftBehind { .. } => Ok(Acceptable::LeftBehind),
            FaultKind::PeerEnded { .. } => Ok(Acceptable::PeerEnded),
            FaultKind::Swizzle { .. } | FaultKind::OtherSwizzle { .. } => Ok(Acceptable::Swizzle),
            FaultKind::Mbarrier { .. } | FaultKind::NoMbarrier { .. } => Ok(Acceptable::Mbarrier),
            FaultKind::Unmapped { .. } => Err("unmapped"),
            FaultKind::OutOfBounds { .. } => Err("out-of-bounds"),
            FaultKind::UseAfterFree { .. } => Err("use-after-free"),
            FaultKind::NoTexture { .. } => Err("no-texture"),
            FaultKind::OutsideSurface { .. } => Err("outside-surface"),
            FaultKind::Misaligned { .. } => Err("misaligned"),
            FaultKind::ReadOnly(_) => Err("read-only"),
            FaultKind::StackOverflow { .. } => Err("stack-overflow"),
            FaultKind::BadCall { .. } => Err("bad-call"),
            FaultKind::Divergent { .. } => Err("divergent"),
            FaultKind::MaskWithoutSelf { .. } => Err("mask-without-self"),
            FaultKind::MissingLanes { .. } => Err("missing-lanes"),
            FaultKind::DifferentMasks { .. } => Err("different-masks"),
            FaultKind::InactiveSource { .. } => Err("inactive-source"),
            FaultKind::Warpgroup { .. } => Err("warpgroup"),
            FaultKind::Barrier { .. } => Err("barrier"),
            FaultKind::Operand(_) => Err("operand"),
            FaultKind::Deadlock(_) => Err("deadlock"),
            FaultKind::Budget { .. } => Err("budget"),
            FaultKind::Output { .. } => Err("output"),
            FaultKind::Trap => Err("trap"),
            FaultKind::Breakpoint => Err("breakpoint"),
            FaultKind::Assertion { .. } => Err("assertion"),
        }
    }

    /// Describes how a finding is accepted, or why it cannot be.
    pub(crate) fn advice(what: &FaultKind, line: usize) -> String {
        match Acceptable::verdict(what) {
            Ok(kind) => format!(
                "to accept it: [[accept]] with kind = \"{kind}\" or line = {line}, and a reason, in the launch file, or \
                 --accept {kind}"
            ),
            Err(name) => format!("{name} cannot be accepted: {}", why(name)),
        }
    }

    /// Describes how a kernel continues after a finding of the kind.
    #[must_use]
    pub fn goes_on(self) -> &'static str {
        match self {
            Acceptable::Uninitialised => "with the bytes as they are",
            Acceptable::UninitialisedRegister => "with the register as it is",
            Acceptable::Provenance => "with what lies at the address",
            Acceptable::Race
            | Acceptable::GlobalRace
            | Acceptable::ThreadRace
            | Acceptable::WarpSynchronous
            | Acceptable::NonCoherent
            | Acceptable::WriteConflict => "each access where it stands in the emulator's order",
            Acceptable::ExitedThread => "the barrier opens for the threads that have not exited",
            Acceptable::TensorMapUnfenced => "with the map as it was written",
            Acceptable::AsyncCopyPending
            | Acceptable::BulkUnwaited
            | Acceptable::BeingRead
            | Acceptable::Unfenced
            | Acceptable::DependentUnwaited => "with what is there by the schedule",
            Acceptable::Swizzle
            | Acceptable::WgmmaRegister
            | Acceptable::TensorMemory
            | Acceptable::TensorFence => "with what lies there, or is in the register",
            Acceptable::LeftBehind => "the operation comes to its end",
            Acceptable::PeerEnded => "the memory of a block that has ended is used as it is",
            Acceptable::LocalMemory => "with the local memory",
            Acceptable::OthersLocal => "with the thread's own local memory at that offset",
            Acceptable::Mbarrier => {
                "as the instruction says; where no object lies an arrival has no effect, and a wait is over"
            }
        }
    }

    /// Returns the kind's name in a launch file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Acceptable::Uninitialised => "uninitialised",
            Acceptable::UninitialisedRegister => "uninitialised-register",
            Acceptable::Provenance => "provenance",
            Acceptable::Race => "race",
            Acceptable::GlobalRace => "global-race",
            Acceptable::ThreadRace => "thread-race",
            Acceptable::WarpSynchronous => "warp-synchronous",
            Acceptable::ExitedThread => "exited-thread",
            Acceptable::TensorMapUnfenced => "tensor-map-unfenced",
            Acceptable::NonCoherent => "non-coherent",
            Acceptable::AsyncCopyPending => "async-copy-pending",
            Acceptable::WriteConflict => "write-conflict",
            Acceptable::LocalMemory => "local-memory",
            Acceptable::OthersLocal => "others-local",
            Acceptable::DependentUnwaited => "dependent-unwaited",
            Acceptable::BulkUnwaited => "bulk-unwaited",
            Acceptable::BeingRead => "being-read",
            Acceptable::Unfenced => "unfenced",
            Acceptable::Swizzle => "swizzle",
            Acceptable::WgmmaRegister => "wgmma-register",
            Acceptable::TensorMemory => "tensor-memory",
            Acceptable::TensorFence => "tensor-fence",
            Acceptable::LeftBehind => "left-behind",
            Acceptable::PeerEnded => "peer-ended",
            Acceptable::Mbarrier => "mbarrier",
        }
    }
}

/// Returns the reason why no kernel continues after the findings of a name.
fn why(name: &str) -> &'static str {
    let mut never = NEVER.iter();
    never
        .find(|(known, _)| *known == name)
        .map_or(NO_MEANING, |(_, why)| why)
}

impl fmt::Display for Acceptable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Acceptable {
    type Err = NotAcceptable;

    fn from_str(name: &str) -> Result<Self, NotAcceptable> {
        let found = Acceptable::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| NotAcceptable {
            name: name.to_owned(),
            exists: NEVER.iter().any(|(known, _)| *known == name),
        })
    }
}

/// The error for a name that is not one of [`Acceptable`]'s.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}; what can be accepted are {}", problem(name, *exists), names())]
pub struct NotAcceptable {
    /// The name.
    pub name: String,
    /// Whether findings of this name exist.
    pub exists: bool,
}

fn problem(name: &str, exists: bool) -> String {
    if exists {
        format!("`{name}` cannot be accepted: {}", why(name))
    } else {
        format!("`{name}` is no kind of finding")
    }
}

fn names() -> String {
    Acceptable::ALL.map(Acceptable::name).join(", ")
}

/// A line at which findings are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptedLine {
    /// A line of the PTX, from 1.
    Ptx(usize),
    /// A line of a source file: the end of the file's path, `kernel.cu` or `src/kernel.cu`, and the
    /// line. A call that was inlined around the instruction counts too.
    Source(String, u32),
}

impl FromStr for AcceptedLine {
    type Err = ();

    /// Parses a line of the source such as `kernel.cu:12`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (file, line) = text.rsplit_once(':').ok_or(())?;
        match line.parse() {
            Ok(line) if !file.is_empty() => Ok(AcceptedLine::Source(file.to_owned(), line)),
            _ => Err(()),
        }
    }
}

/// A rule that accepts findings of this kind, at this line, by this instruction, in this kernel. A
/// condition that is `None` always holds; a rule has at least a kind, a line or an instruction.
///
/// ```
/// use emulator::{Acceptable, Acceptance, Config};
///
/// let mut rule = Acceptance::new("ragged tiles are read whole, what is beyond is never stored");
/// rule.kind = Some(Acceptable::Uninitialised);
/// rule.instruction = Some("ld.shared".into());
/// let config = Config { accept: vec![rule], ..Config::default() };
/// # let _ = config;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The kind of finding.
    pub kind: Option<Acceptable>,
    /// The line of the access, or of a conflict's earlier access.
    pub line: Option<AcceptedLine>,
    /// The beginning of an opcode, such as `ld.shared`, or a whole instruction: that of the access
    /// or of a conflict's earlier access.
    pub instruction: Option<String>,
    /// The kernel that is launched.
    pub kernel: Option<String>,
    /// The reason why such findings are accepted; it must not be empty.
    pub reason: String,
}

impl Acceptance {
    /// Creates a rule with that reason and no condition yet.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Acceptance {
            kind: None,
            line: None,
            instruction: None,
            kernel: None,
            reason: reason.into(),
        }
    }

    /// Returns the problem if the rule itself is invalid.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        if self.reason.trim().is_empty() {
            Some("it has no reason")
        } else if self.kind.is_none() && self.line.is_none() && self.instruction.is_none() {
            Some("it names no kind, line or instruction")
        } else {
            None
        }
    }

    /// Whether the rule's kernel, line and instruction fit the finding; its kind is not compared.
    pub(crate) fn is_about(&self, fault: &Fault) -> bool {
        let kernel = self.kernel.as_ref();
        if kernel.is_some_and(|kernel| !is_name(kernel, &fault.kernel)) {
            return false;
        }
        let mut places = vec![(
            fault.line,
            &fault.instruction,
            fault.source_line.as_ref(),
            &fault.inlined,
        )];
        places.extend(fault.earlier.iter().map(|place| {
            (
                place.line,
                &place.instruction,
                place.source_line.as_ref(),
                &place.inlined,
            )
        }));
        places.into_iter().any(|(line, text, source, inlined)| {
            let line_fits = self.line.as_ref().is_none_or(|wanted| match wanted {
                AcceptedLine::Ptx(wanted) => *wanted == line,
                AcceptedLine::Source(file, number) => is_source(file, *number, source, inlined),
            });
            let instruction = self.instruction.as_ref();
            line_fits && instruction.is_none_or(|wanted| begins_with(text, wanted))
        })
    }

    /// Whether the rule accepts the finding.
    pub(crate) fn accepts(&self, fault: &Fault) -> bool {
        let kind = Acceptable::of(&fault.what);
        kind.is_some() && (self.kind.is_none() || self.kind == kind) && self.is_about(fault)
    }
}

/// The error for a rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; a rule is a kind, or some of kind=, line=, instruction= and kernel= with commas between"
)]
pub struct NotARule(pub String);

impl FromStr for Acceptance {
    type Err = NotARule;

    /// Reads `race`, or `kind=race,line=tile.cuh:40,instruction=ld.shared,kernel=gemm`; a condition
    /// that the text does not name always holds.
    ///
    /// ```
    /// use emulator::{Acceptable, Acceptance};
    /// let rule: Acceptance = "race,line=17".parse()?;
    /// assert_eq!(rule.kind, Some(Acceptable::Race));
    /// assert_eq!(rule.to_string(), "kind race, PTX line 17");
    /// assert!("line=".parse::<Acceptance>().is_err());
    /// # Ok::<(), emulator::NotARule>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, NotARule> {
        let mut rule = Acceptance::new("accepted on the command line");
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or(("kind", part));
            let value = value.trim();
            match key.trim() {
                "kind" => {
                    let kind = value.parse();
                    rule.kind = Some(kind.map_err(|e: NotAcceptable| NotARule(e.to_string()))?);
                }
                "line" => {
                    let ptx = value.parse().ok().filter(|&line| line > 0);
                    let line = ptx.map(AcceptedLine::Ptx).or_else(|| value.parse().ok());
                    let problem = || {
                        NotARule(format!(
                            "`{value}` is no line: 17 of the PTX, or tile.cuh:40"
                        ))
                    };
                    rule.line = Some(line.ok_or_else(problem)?);
                }
                "instruction" => rule.instruction = Some(value.to_owned()),
                "kernel" => rule.kernel = Some(value.to_owned()),
                other => {
                    return Err(NotARule(format!(
                        "`{other}` is nothing that a rule asks about"
                    )));
                }
            }
        }
        match rule.problem() {
            None => Ok(rule),
            Some(problem) => Err(NotARule(format!("`{text}`: {problem}"))),
        }
    }
}

impl fmt::Display for Acceptance {
    /// Writes the rule's conditions: `kind uninitialised, instruction ld.shared`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let line = self.line.as_ref().map(|line| match line {
            AcceptedLine::Ptx(line) => format!("PTX line {line}"),
            AcceptedLine::Source(file, line) => format!("line {file}:{line}"),
        });
        let kind = self.kind.map(|kind| format!("kind {kind}"));
        let instruction = self.instruction.as_ref();
        let kernel = self.kernel.as_ref();
        let parts = [
            kind,
            line,
            instruction.map(|text| format!("instruction {text}")),
            kernel.map(|name| format!("kernel {name}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// Whether `wanted` is the name as the PTX has it or as the source wrote it.
fn is_name(wanted: &str, name: &str) -> bool {
    wanted == name || wanted == crate::names::demangle(name)
}

fn is_source(file: &str, line: u32, source: Option<&(String, u32)>, inlined: &[Inlined]) -> bool {
    let ends = |path: &str| {
        path.strip_suffix(file)
            .is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
    };
    source.is_some_and(|(path, number)| *number == line && ends(path))
        || inlined
            .iter()
            .any(|call| call.line == line && ends(&call.file))
}

/// Whether `wanted` is the beginning of an instruction's opcode, or the whole instruction, with its
/// guard or without.
fn begins_with(instruction: &str, wanted: &str) -> bool {
    let unguarded = match instruction.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest),
        None => instruction,
    };
    [instruction, unguarded].iter().any(|text| {
        text.strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ', ';']))
    })
}

impl Fault {
    /// Describes how the finding is accepted, so that the kernel continues after it, or why it
    /// cannot be.
    ///
    /// ```
    /// # use emulator::{Config, Emulator, Launch, LaunchError, Program};
    /// let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { trap; }";
    /// let program = Program::parse(ptx)?;
    /// let device = Emulator::new(Config::default());
    /// device.load(&program)?;
    /// let launch = Launch { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
    /// let Err(LaunchError::Fault(fault)) = device.launch(&program, "k", &launch, &[], None) else { panic!() };
    /// assert_eq!(fault.acceptance(), "trap cannot be accepted: the kernel says itself that it ends");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn acceptance(&self) -> String {
        Acceptable::advice(&self.what, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_named_by_their_opcode_s_parts() {
        let instruction = "@!%p2 ld.shared.v2.u32 {%r1, %r2}, [%d1];";
        for wanted in ["ld", "ld.shared", "ld.shared.v2.u32", instruction] {
            assert!(begins_with(instruction, wanted), "{wanted}");
        }
        for wanted in ["ld.sha", "st", "%p2", "ld.global"] {
            assert!(!begins_with(instruction, wanted), "{wanted}");
        }
    }

    #[test]
    fn files_are_named_by_the_end_of_their_path() {
        let source = ("/home/me/src/kernel.cu".to_owned(), 12);
        let is = |file, line| is_source(file, line, Some(&source), &[]);
        assert!(is("kernel.cu", 12) && is("src/kernel.cu", 12) && is(&source.0, 12));
        assert!(!is("ernel.cu", 12) && !is("kernel.cu", 13) && !is("lib/kernel.cu", 12));
        let call = Inlined {
            function: None,
            file: "outer.cu".into(),
            line: 3,
            column: 0,
        };
        assert!(is_source("outer.cu", 3, Some(&source), &[call]));
    }

    /// Checks that no two kinds of findings share a name, and that each kind which ends a kernel
    /// has its reason.
    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Acceptable::ALL.map(Acceptable::name).to_vec();
        names.extend(NEVER.map(|(name, _)| name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for (name, reason) in NEVER {
            let said = name.parse::<Acceptable>().unwrap_err().to_string();
            assert!(said.contains(reason), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_accepted_is_refused_with_the_reason() {
        for kind in Acceptable::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let refused = "out-of-bounds".parse::<Acceptable>().unwrap_err();
        assert!(
            refused
                .to_string()
                .starts_with("`out-of-bounds` cannot be accepted")
        );
        let refused = "typo".parse::<Acceptable>().unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("is no kind of finding; what can be accepted are uninit")
        );
        assert!(Acceptance::new(" ").problem().is_some());
        assert!(Acceptance::new("why").problem().is_some());
    }
}
