//! Checks that the architecture for which PTX is built has every instruction. For a missing
//! instruction, names the architecture that has it.
//!
//! ```text
//!   .target sm_75      cp.async.ca.shared.global [..], [..], 4;      compute capability 8.0 and later have it
//!   .target sm_90      wgmma.fence.sync.aligned;                     only 9.0a has it
//! ```
//!
//! Law: ptxas refuses every instruction that [`check`] reports for a target. Instructions that are
//! not in the table pass. rustc copies inline PTX into the file without reading it, so without this
//! check the first error would come from a GPU's driver. LLVM knows which instructions an
//! architecture has, and its error for an instruction that it cannot write is replaced by the same
//! sentence.
//!
//! Source: PTX ISA, *Target ISA Notes* of each instruction; ptxas, with which the tests compare.

use std::collections::HashSet;
use std::fmt;

use crate::arch::NvvmArch;
use crate::convergence::place;
use crate::convergence::program::{Program, Statement};

/// The architectures that have an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// This compute capability, in tenths, and all later ones.
    From(u32),
    /// Only 9.0a has the instruction.
    Hopper,
    /// The variants, `a` or `f`, of this compute capability and of later ones.
    Variant(u32),
    /// These architectures, as text and by name. Messages suggest the first architecture.
    OneOf(&'static str, &'static [NvvmArch]),
}

/// Tensor memory. The families of data-centre GPUs and of Thor have it, and the families of desktop
/// GPUs (12.x) do not.
const TENSOR: Needs = OneOf(
    "the variants a and f of compute capabilities 10.x and 11.0",
    &[
        Compute100a,
        Compute100f,
        Compute101a,
        Compute101f,
        Compute103a,
        Compute103f,
        Compute110a,
        Compute110f,
    ],
);
/// The tensor-memory instructions that only architecture-specific targets have, and no family
/// target has.
const TENSOR_OWN: Needs = OneOf(
    "compute capabilities 10.0a, 10.1a, 10.3a and 11.0a",
    &[Compute100a, Compute101a, Compute103a, Compute110a],
);
/// Instructions with integers in tensor memory.
const TENSOR_INTEGERS: Needs = OneOf(
    "compute capabilities 10.0a, 10.1a and 11.0a",
    &[Compute100a, Compute101a, Compute110a],
);
/// Loads from tensor memory that also reduce the loaded values.
const TENSOR_REDUCTIONS: Needs = OneOf(
    "the variants of compute capabilities 10.1, 10.3 and 11.0",
    &[
        Compute103a,
        Compute103f,
        Compute101a,
        Compute101f,
        Compute110a,
        Compute110f,
    ],
);

/// Reductions of floats over a warp.
const FLOAT_REDUCTIONS: Needs = OneOf(
    "the variants a and f of compute capabilities 10.0 and 10.3",
    &[Compute100a, Compute100f, Compute103a, Compute103f],
);
/// Conversions that round by random bits.
const RANDOM_ROUNDING: Needs = OneOf(
    "compute capabilities 10.0a and 10.3a",
    &[Compute100a, Compute103a],
);
/// Products of a warp of narrow floats, also with scale factors.
const DESKTOP: Needs = OneOf(
    "the variants a and f of compute capabilities 12.x",
    &[Compute120a, Compute120f, Compute121a, Compute121f],
);

/// Matches instructions that begin with `start` and have each part of `with`.
struct Rule {
    start: &'static str,
    with: &'static [&'static str],
    needs: Needs,
}

macro_rules! rules {
    ($($needs:expr => $($start:literal $(with $($part:literal)+)?),+;)*) => {
        &[$($(Rule { start: $start, with: &[$($($part),+)?], needs: $needs }),+),*]
    };
}

use Needs::{From, Hopper, OneOf, Variant};
use NvvmArch::{
    Compute100a, Compute100f, Compute101a, Compute101f, Compute103a, Compute103f, Compute110a,
    Compute110f, Compute120a, Compute120f, Compute121a, Compute121f,
};

const RULES: &[Rule] = rules! {
    From(75) => "ldmatrix", "movmatrix", "tanh", "mma" with "m16n8k8", "mma" with "m8n8k16", "mma" with "m8n8k32", "mma" with "m8n8k128";
    From(80) => "cp.async", "mbarrier", "redux", "createpolicy", "discard", "applypriority", "mma" with "m16n8k4", "mma" with "m16n8k16",
        "mma" with "m16n8k32", "mma" with "m16n8k64", "mma" with "m16n8k128", "mma" with "m16n8k256", "mma" with "bf16", "mma" with "tf32",
        "mma" with "f64", "mma" with "and" "popc", "mma.sp", "wmma" with "bf16", "wmma" with "tf32", "wmma" with "f64", "cvt" with "bf16x2",
        "cvt" with "tf32", "fma" with "bf16", "fma" with "bf16x2", "ld" with "L2::cache_hint", "st" with "L2::cache_hint";
    From(89) => "mma" with "e4m3", "mma" with "e5m2", "cvt" with "e4m3x2", "cvt" with "e5m2x2";
    From(90) => "cp.async.bulk", "cp.reduce.async.bulk", "mbarrier.try_wait", "mbarrier" with "expect_tx", "fence.proxy.async",
        "fence.mbarrier_init", "barrier.cluster", "fence" with "cluster", "mapa", "getctarank", "ld" with "shared::cluster",
        "st" with "shared::cluster", "atom" with "shared::cluster", "stmatrix", "elect", "griddepcontrol", "multimem", "st.async",
        "red.async", "add" with "bf16x2", "sub" with "bf16x2", "mul" with "bf16x2", "add" with "bf16", "sub" with "bf16", "mul" with "bf16",
        "ex2" with "bf16", "tanh" with "bf16", "atom.add" with "bf16", "red.add" with "bf16", "prefetch.tensormap",
        "mma" with "f64" "m16n8k4", "mma" with "f64" "m16n8k8", "mma" with "f64" "m16n8k16";
    Hopper => "wgmma";
    Variant(90) => "setmaxnreg", "tensormap.replace";
    From(100) => "clusterlaunchcontrol", "fma" with "f32x2", "add" with "f32x2", "sub" with "f32x2", "mul" with "f32x2",
        "ld" with "v8", "st" with "v8", "st.bulk", "cp.async.bulk.tensor" with "tile::gather4", "cp.async.bulk.tensor" with "im2col::w";
    Variant(100) => "clusterlaunchcontrol" with "multicast::cluster::all", "cvt" with "e2m1x2", "cvt" with "e2m3x2", "cvt" with "e3m2x2",
        "cvt" with "ue8m0x2", "ldmatrix" with "m16n16", "ldmatrix" with "m8n16", "stmatrix" with "m16n8";
    TENSOR => "tcgen05", "cp.async.bulk.tensor" with "cta_group::1", "cp.async.bulk.tensor" with "cta_group::2",
        "cp.async.bulk.tensor" with "tile::gather4" "shared::cluster", "cp.async.bulk.tensor" with "im2col::w" "shared::cluster",
        "cp.async.bulk.tensor" with "im2col::w::128", "cp.async.bulk.tensor" with "tile::scatter4",
        "cp.reduce.async.bulk.tensor" with "tile::scatter4", "cp.async.bulk.prefetch.tensor" with "tile::gather4";
    FLOAT_REDUCTIONS => "redux" with "f32";
    RANDOM_ROUNDING => "cvt" with "rs";
    DESKTOP => "mma" with "kind::f8f6f4", "mma" with "kind::mxf8f6f4", "mma" with "kind::mxf4", "mma" with "kind::mxf4nvf4";
    TENSOR_OWN => "tcgen05.shift", "tcgen05.mma" with "scale_vec::1X", "tcgen05.mma" with "scale_vec::2X", "tcgen05.mma" with "scale_vec::4X";
    TENSOR_INTEGERS => "tcgen05.mma" with "kind::i8";
    TENSOR_REDUCTIONS => "tcgen05.ld.red";
};

impl Rule {
    fn is_of(&self, instruction: &str) -> bool {
        let rest = instruction.strip_prefix(self.start);
        let whole = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        whole
            && self
                .with
                .iter()
                .all(|part| instruction.split('.').any(|other| other == *part))
    }
}

impl Needs {
    fn has(self, arch: NvvmArch) -> bool {
        match self {
            From(capability) => arch.capability_value() >= capability,
            Hopper => arch == NvvmArch::Compute90a,
            Variant(capability) => {
                arch.capability_value() >= capability && arch != arch.base_architecture()
            }
            OneOf(_, all) => all.contains(&arch),
        }
    }

    /// Returns the architecture to select.
    fn arch(self) -> NvvmArch {
        let (capability, variant) = match self {
            From(capability) => (capability, false),
            Hopper => (90, true),
            Variant(capability) => (capability, true),
            OneOf(_, all) => return all.first().copied().unwrap_or(NvvmArch::Compute100a),
        };
        let of = |arch: &&NvvmArch| {
            arch.capability_value() == capability && arch.is_architecture_variant() == variant
        };
        *NvvmArch::ALL
            .iter()
            .find(of)
            .unwrap_or(&NvvmArch::Compute90a)
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = |capability: u32| format!("{}.{}", capability / 10, capability % 10);
        match *self {
            From(capability) => write!(f, "compute capability {} and later", decimal(capability)),
            Hopper => f.write_str("compute capability 9.0a alone"),
            OneOf(words, _) => f.write_str(words),
            Variant(capability) => {
                write!(
                    f,
                    "compute capability {}a and later variants",
                    decimal(capability)
                )
            }
        }
    }
}

/// Returns which architectures have `instruction`, if it is in the table and `arch` does not have
/// it, or `None` otherwise.
fn missing(instruction: &str, arch: NvvmArch) -> Option<Needs> {
    // If several rules match, the last one is the strictest.
    let rules = RULES.iter().filter(|rule| rule.is_of(instruction));
    rules.map(|rule| rule.needs).rfind(|needs| !needs.has(arch))
}

/// An instruction that the architecture does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOfArch {
    /// The instruction with its qualifiers.
    pub instruction: String,
    /// The kernel or function, if it is known.
    pub kernel: Option<String>,
    /// The instruction's line in the PTX, counted from 1. It is `None` if the instruction prevented
    /// the PTX from being written.
    pub line: Option<usize>,
    /// The source line of the instruction, such as `src/lib.rs:12`: the innermost line in the
    /// kernel's own crate. It is `None` without line tables.
    pub source: Option<String>,
    needs: Needs,
}

impl NotOfArch {
    /// Returns the architecture to select.
    #[must_use]
    pub fn needed(&self) -> NvvmArch {
        self.needs.arch()
    }
}

impl fmt::Display for NotOfArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.instruction, self.needs)?;
        if let Some(kernel) = &self.kernel {
            write!(f, " in {kernel}")?;
        }
        match (&self.source, self.line) {
            (Some(source), Some(line)) => write!(f, ", {source} (PTX line {line})"),
            (None, Some(line)) => write!(f, ", PTX line {line}"),
            _ => Ok(()),
        }
    }
}

/// Finds the instructions that `arch` does not have, each once, in the order of the PTX.
///
/// ```
/// use cuda_builder::{NvvmArch, requirements::check};
/// let kernel = ".visible .entry k()\n{\ncp.async.commit_group;\nret;\n}\n";
/// assert_eq!(check(kernel, NvvmArch::Compute80), []);
/// let found = check(kernel, NvvmArch::Compute75);
/// assert_eq!(found[0].to_string(), "cp.async.commit_group (compute capability 8.0 and later) in k, PTX line 3");
/// ```
#[must_use]
pub fn check(ptx: &str, arch: NvvmArch) -> Vec<NotOfArch> {
    within(&Program::read(ptx), ptx, arch)
}

/// Implements [`check`] for a module whose bodies are parsed already.
pub(crate) fn within(programs: &[Program], ptx: &str, arch: NvvmArch) -> Vec<NotOfArch> {
    let mut found = Vec::new();
    // A module has a million instructions, but only a few hundred different names.
    let mut seen = HashSet::new();
    for program in programs {
        for Statement { name, line, .. } in &program.statements {
            if !seen.insert(name.as_str()) {
                continue;
            }
            if let Some(needs) = missing(name, arch) {
                let lines: Vec<&str> = ptx.lines().collect();
                found.push(NotOfArch {
                    instruction: name.clone(),
                    kernel: Some(program.name.clone()),
                    line: Some(*line),
                    source: place::of(&lines, *line),
                    needs,
                });
            }
        }
    }
    found
}

/// Finds the instruction that LLVM cannot write for `arch`, by the error in rustc's output.
#[must_use]
pub(crate) fn selected(rendered: &str, arch: NvvmArch) -> Option<NotOfArch> {
    let (_, rest) = rendered.split_once("Cannot select:")?;
    let (_, name) = rest.split_once("llvm.nvvm.")?;
    let of_name = |c: char| c.is_ascii_alphanumeric() || ['.', '_'].contains(&c);
    let instruction = name.split(|c| !of_name(c)).next()?.to_owned();
    let needs = missing(&instruction, arch)?;
    Some(NotOfArch {
        instruction,
        kernel: None,
        line: None,
        source: None,
        needs,
    })
}
