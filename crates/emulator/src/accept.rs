//! Findings that a kernel may go on from, and rules that accept them.
//!
//! ```text
//! finding ─► Acceptable::of ─► none: the kernel has no value to go on with, and ends
//!                           └► a rule matches kind, place and kernel ─► counted, the kernel goes on
//! ```
//!
//! Law: a kernel goes on from a finding as the hardware would: an uninitialised byte or register reads as it is, of two
//! accesses that race each happens where it stands in the emulator's order, an access of another variable or buffer than its
//! address comes from happens there. What is accepted is counted by rule and told with
//! its reason; a rule that matched nothing has the count 0.

use std::fmt;
use std::str::FromStr;

use crate::fault::{Fault, FaultKind};
use crate::place::Inlined;

/// A kind of finding that does not keep the kernel from going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Acceptable {
    /// [`FaultKind::Uninitialised`].
    Uninitialised,
    /// [`FaultKind::UninitialisedRegister`].
    UninitialisedRegister,
    /// [`FaultKind::Provenance`].
    Provenance,
    /// [`FaultKind::Race`], in shared memory.
    Race,
    /// [`FaultKind::GlobalRace`].
    GlobalRace,
    /// [`FaultKind::AsyncCopyPending`].
    AsyncCopyPending,
    /// [`FaultKind::WriteConflict`].
    WriteConflict,
}

/// Names of the findings that end a kernel whatever is accepted.
const NEVER: [&str; 12] = [
    "out-of-bounds",
    "unmapped",
    "use-after-free",
    "misaligned",
    "read-only",
    "local-memory",
    "divergent",
    "deadlock",
    "barrier",
    "budget",
    "stack-overflow",
    "trap",
];

impl Acceptable {
    /// Every kind.
    pub const ALL: [Acceptable; 7] = [
        Acceptable::Uninitialised,
        Acceptable::UninitialisedRegister,
        Acceptable::Provenance,
        Acceptable::Race,
        Acceptable::GlobalRace,
        Acceptable::AsyncCopyPending,
        Acceptable::WriteConflict,
    ];

    /// The kind of a finding; none where the kernel cannot go on from it.
    #[must_use]
    pub fn of(what: &FaultKind) -> Option<Acceptable> {
        Some(match what {
            FaultKind::Uninitialised { .. } => Acceptable::Uninitialised,
            FaultKind::UninitialisedRegister { .. } => Acceptable::UninitialisedRegister,
            FaultKind::Provenance { .. } => Acceptable::Provenance,
            FaultKind::Race { .. } => Acceptable::Race,
            FaultKind::GlobalRace { .. } => Acceptable::GlobalRace,
            FaultKind::AsyncCopyPending { .. } => Acceptable::AsyncCopyPending,
            FaultKind::WriteConflict { .. } => Acceptable::WriteConflict,
            _ => return None,
        })
    }

    /// Its name in a launch file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Acceptable::Uninitialised => "uninitialised",
            Acceptable::UninitialisedRegister => "uninitialised-register",
            Acceptable::Provenance => "provenance",
            Acceptable::Race => "race",
            Acceptable::GlobalRace => "global-race",
            Acceptable::AsyncCopyPending => "async-copy-pending",
            Acceptable::WriteConflict => "write-conflict",
        }
    }
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
            exists: NEVER.contains(&name),
        })
    }
}

/// A name that is no kind of finding that can be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}; what can be accepted are {}", problem(name, *exists), names())]
pub struct NotAcceptable {
    /// The name.
    pub name: String,
    /// Whether there is such a finding.
    pub exists: bool,
}

fn problem(name: &str, exists: bool) -> String {
    if exists {
        format!("`{name}` cannot be accepted: the kernel cannot go on from it")
    } else {
        format!("`{name}` is no kind of finding")
    }
}

fn names() -> String {
    Acceptable::ALL.map(Acceptable::name).join(", ")
}

/// A line that findings are accepted at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptedLine {
    /// A line of the PTX, from 1.
    Ptx(usize),
    /// A line of the source: the end of its path, `kernel.cu` or `src/kernel.cu`, and the line. A call that was inlined
    /// around the instruction counts too.
    Source(String, u32),
}

impl FromStr for AcceptedLine {
    type Err = ();

    /// `kernel.cu:12`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (file, line) = text.rsplit_once(':').ok_or(())?;
        match line.parse() {
            Ok(line) if !file.is_empty() => Ok(AcceptedLine::Source(file.to_owned(), line)),
            _ => Err(()),
        }
    }
}

/// A rule: findings of this kind, at this line, by this instruction, in this kernel are accepted. What is `None` is
/// not asked about; one of kind, line and instruction must be there.
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
    /// How the opcode of the access, or of a conflict's earlier access, begins: `ld.shared`; or the whole instruction.
    pub instruction: Option<String>,
    /// The kernel that is launched.
    pub kernel: Option<String>,
    /// Why; it must not be empty.
    pub reason: String,
}

impl Acceptance {
    /// A rule with that reason, which still asks about nothing.
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

    /// What is wrong with the rule itself.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        if self.reason.trim().is_empty() {
            Some("it has no reason")
        } else if self.kind.is_none() && self.line.is_none() && self.instruction.is_none() {
            Some("it names no kind, line or instruction")
        } else {
            None
        }
    }

    /// Whether the rule is about such a finding, as far as its place goes.
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

    /// Whether the finding is accepted by the rule.
    pub(crate) fn accepts(&self, fault: &Fault) -> bool {
        let kind = Acceptable::of(&fault.what);
        kind.is_some() && (self.kind.is_none() || self.kind == kind) && self.is_about(fault)
    }
}

impl fmt::Display for Acceptance {
    /// What the rule asks about: `kind uninitialised, instruction ld.shared`.
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

/// Whether a name is meant, as the PTX has it or as it was written.
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

/// Whether an instruction, behind its guard, begins with that opcode or is that text.
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
