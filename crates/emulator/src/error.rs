//! The errors that the emulator reports before a kernel starts.
//!
//! ```text
//! text ──parse──► PtxError      program ──load──► LoadError      launch ──► LaunchError (── Fault, see `fault`)
//!                               buffers ───────► MemoryError
//! ```
//!
//! Law: each error carries the value found and, if there is one, the value that would have been
//! correct.

use crate::counted::counted;
use crate::excerpt::{BEFORE, ELLIPSIS, excerpt, shown};
use crate::fault::Fault;

/// An error in a PTX module: text that cannot be read, or a construct that the emulator does not
/// know.
///
/// `Display` prints `line:column: message` and the line of text itself with a caret below the
/// place.
///
/// ```
/// let error = emulator::Program::parse(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bra L; }")
///     .unwrap_err();
/// assert_eq!((error.line, error.column), (4, 18));
/// assert!(error.to_string().contains("`L` is not a label"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {}\n{}", shown(&kind.to_string()), self.picture())]
pub struct PtxError {
    /// The line of the text, from 1.
    pub line: usize,
    /// The column in the line, from 1, in characters.
    pub column: usize,
    /// The line's text. If the line has more than 400 bytes, this is only the part around the
    /// place, with `...` for the rest.
    pub excerpt: String,
    /// The problem.
    pub kind: PtxErrorKind,
}

impl PtxError {
    /// Creates an error at byte `offset` of `source`.
    pub(crate) fn at(source: &str, offset: usize, kind: PtxErrorKind) -> Self {
        let offset = offset.min(source.len());
        let start = source[..offset].rfind('\n').map_or(0, |i| i + 1);
        let end = source[offset..]
            .find('\n')
            .map_or(source.len(), |i| offset + i);
        PtxError {
            line: source[..start].matches('\n').count() + 1,
            column: source[start..offset].chars().count() + 1,
            excerpt: excerpt(source[start..end].trim_end(), offset - start),
            kind,
        }
    }

    fn picture(&self) -> String {
        // Tabs stay tabs, so that the caret is below its character in any terminal.
        let cut = self.excerpt.starts_with(ELLIPSIS);
        let column = if cut {
            BEFORE + ELLIPSIS.len()
        } else {
            self.column - 1
        };
        let indent: String = self
            .excerpt
            .chars()
            .take(column)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        format!("    {}\n    {indent}^", self.excerpt)
    }
}

/// The kind of problem of a PTX module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PtxErrorKind {
    /// The text at this place is not PTX.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The text that the grammar allows here.
        expected: String,
        /// The text that was found.
        found: String,
    },
    /// An opcode, possibly with modifiers, that the emulator does not know in this combination.
    #[error("unknown instruction `{0}`")]
    UnknownInstruction(String),
    /// A known opcode with a modifier that the opcode does not have, or that is not emulated.
    #[error("`{instruction}`: unknown modifier `.{modifier}`")]
    UnknownModifier {
        /// The whole opcode.
        instruction: String,
        /// The modifier, without its dot.
        modifier: String,
    },
    /// A known opcode that lacks a modifier.
    #[error("`{instruction}`: {missing} is missing")]
    MissingModifier {
        /// The whole opcode.
        instruction: String,
        /// A description of the modifier that is missing.
        missing: &'static str,
    },
    /// An operand of the wrong kind, type or number.
    #[error("`{instruction}`: {problem}")]
    Operand {
        /// The whole opcode.
        instruction: String,
        /// A description of the problem, such as what was expected and what was found.
        problem: String,
    },
    /// A name that nothing declares.
    #[error("`{0}` is not declared")]
    Undeclared(String),
    /// A name declared twice in one scope.
    #[error("`{0}` is declared twice")]
    Redeclared(String),
    /// More memory than PTX permits for this purpose.
    #[error("{what}: {bytes} bytes, more than {limit}")]
    TooLarge {
        /// The name of the variable or memory that is too large.
        what: String,
        /// The number of bytes found.
        bytes: usize,
        /// The largest permitted number of bytes.
        limit: usize,
    },
    /// PTX that is well formed but not emulated.
    #[error("not emulated: {0}")]
    Unsupported(String),
}

impl PtxErrorKind {
    /// Whether the text may be correct PTX that the emulator does not know. Such a text condemns
    /// the function that contains it, and the kernels that reach the function, but not the module.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(
            self,
            Self::UnknownInstruction(_)
                | Self::UnknownModifier { .. }
                | Self::MissingModifier { .. }
                | Self::Unsupported(_)
        )
    }
}

/// The reason why a kernel of a module that was read cannot be launched: it reaches a construct
/// that the emulator does not know.
///
/// ```
/// let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n\
///            .entry new() { frob.u32 %r1; }\n.entry old() { ret; }";
/// let program = emulator::Program::parse(ptx)?;
/// let refusal = program.not_emulated("new").unwrap();
/// assert_eq!((refusal.error.line, program.not_emulated("old")), (4, None));
/// assert!(refusal.to_string().contains("kernel `new` cannot be launched"));
/// # Ok::<(), emulator::PtxError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}` cannot be launched on the emulator: {}{error}", self.way())]
pub struct NotEmulated {
    /// The kernel.
    pub kernel: String,
    /// The function or variable that contains the unknown construct: the kernel itself, a function
    /// that it may call, directly or through a pointer, or a variable that it uses.
    pub holder: String,
    /// The instruction or declaration with its line.
    pub error: PtxError,
}

impl NotEmulated {
    /// Describes how the kernel reaches the unknown construct.
    fn way(&self) -> String {
        if self.holder == self.kernel {
            String::new()
        } else {
            format!("it reaches `{}`, ", self.holder)
        }
    }
}

/// A device address or size that names no usable memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The device does not have enough memory left.
    #[error(
        "out of device memory: {} requested, {free} of {total} free",
        counted(requested, "byte")
    )]
    OutOfMemory {
        /// The number of bytes requested.
        requested: usize,
        /// The number of bytes that are free.
        free: usize,
        /// The device's memory in bytes.
        total: usize,
    },
    /// The device has enough memory, but the machine that emulates it does not.
    #[error("the host has no memory for {requested} bytes of the emulated device")]
    Host {
        /// The number of bytes requested.
        requested: usize,
    },
    /// An allocation of no bytes.
    #[error("an allocation must have at least 1 byte")]
    Empty,
    /// The address belongs to no allocation.
    #[error("{address:#x} belongs to no allocation")]
    Unmapped {
        /// The address given.
        address: u64,
    },
    /// The address belongs to an allocation that was freed.
    #[error(
        "{address:#x} is in an allocation that was freed ({base:#x}, {})",
        counted(size, "byte")
    )]
    Freed {
        /// The address given.
        address: u64,
        /// The allocation's first address.
        base: u64,
        /// The allocation's size in bytes.
        size: usize,
    },
    /// A `free` of an address that is not the first of its allocation.
    #[error(
        "{address:#x} is not the start of its allocation ({base:#x}, {})",
        counted(size, "byte")
    )]
    NotTheStart {
        /// The address given.
        address: u64,
        /// The allocation's first address.
        base: u64,
        /// The allocation's size in bytes.
        size: usize,
    },
    /// An access that leaves its allocation.
    #[error(
        "{} at {address:#x} leave the allocation ({base:#x}, {})",
        counted(length, "byte"),
        counted(size, "byte")
    )]
    OutOfBounds {
        /// The first address of the access.
        address: u64,
        /// The number of bytes of the access.
        length: usize,
        /// The allocation's first address.
        base: u64,
        /// The allocation's size in bytes.
        size: usize,
    },
    /// A write to a module's constant, or `free` of a module's variable.
    #[error("{address:#x} belongs to a variable of a module, which cannot be {operation}")]
    ModuleVariable {
        /// The address given.
        address: u64,
        /// The operation that was refused.
        operation: &'static str,
    },
}

/// A module that cannot be loaded onto the emulated device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The module's `.target` needs another device.
    #[error("the module is for {target}, the device has compute capability {}.{}{}", device.0, device.1,
        if *exact { " (an `a` target runs on that compute capability only)" } else { "" })]
    Target {
        /// The module's `.target`.
        target: crate::signature::Target,
        /// The device's compute capability.
        device: (u32, u32),
        /// Whether the target has the suffix `a`: it then runs only on its own compute capability.
        exact: bool,
    },
    /// A variable or function that is declared `.extern` but not defined.
    #[error("`{0}` is declared .extern and nothing defines it")]
    Undefined(String),
    /// The module's variables do not fit into the device's memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// A launch that was refused, or that ended with a fault.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no entry of that name.
    #[error("no kernel `{name}` in the module; it has {}", list(available))]
    NoSuchKernel {
        /// The requested name.
        name: String,
        /// The module's kernels.
        available: Vec<String>,
    },
    /// The kernel reaches an instruction, a modifier or a declaration that the emulator does not
    /// know.
    #[error(transparent)]
    NotEmulated(Box<NotEmulated>),
    /// The module was not loaded onto this device.
    #[error("the module of kernel `{0}` is not loaded onto this device")]
    NotLoaded(String),
    /// Too many or too few parameters.
    #[error(
        "kernel `{kernel}` takes {}, {found} given",
        counted(expected, "parameter")
    )]
    ParameterCount {
        /// The kernel.
        kernel: String,
        /// The number of parameters of its signature.
        expected: usize,
        /// The number of parameters given.
        found: usize,
    },
    /// A parameter of the wrong size.
    #[error(
        "parameter {index} (`{name}`, {ty}) of kernel `{kernel}` has {}, {found} given",
        counted(expected, "byte")
    )]
    ParameterSize {
        /// The kernel.
        kernel: String,
        /// The position of the parameter, from 0.
        index: usize,
        /// The parameter's name in the PTX.
        name: String,
        /// The parameter's PTX type.
        ty: String,
        /// The parameter's size in bytes.
        expected: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// A grid with an extent of 0 or beyond the device's limit.
    #[error("grid {found:?} is not within 1..={limit:?}")]
    Grid {
        /// The requested grid.
        found: [u32; 3],
        /// The largest extents.
        limit: [u32; 3],
    },
    /// Clusters that the kernel or the device does not permit, or that do not divide the grid.
    #[error("kernel `{kernel}` in clusters of {found:?} blocks: {problem}")]
    Cluster {
        /// The kernel.
        kernel: String,
        /// The requested cluster.
        found: [u32; 3],
        /// The reason why it is refused.
        problem: String,
    },
    /// A block with an extent of 0 or beyond the device's limits.
    #[error("block {found:?} is not within 1..={limit:?}, or has more than {threads} threads")]
    Block {
        /// The requested block.
        found: [u32; 3],
        /// The largest extents.
        limit: [u32; 3],
        /// The most threads.
        threads: u32,
    },
    /// More threads than the kernel's `.maxntid`, or another shape than its `.reqntid`.
    #[error("kernel `{kernel}` is built for {what}, {found:?} given")]
    KernelBlock {
        /// The kernel.
        kernel: String,
        /// A description of the blocks that the kernel accepts.
        what: String,
        /// The requested block.
        found: [u32; 3],
    },
    /// More shared memory than the device has for a block.
    #[error(
        "kernel `{kernel}` needs {fixed} + {dynamic} bytes of shared memory, a block has {limit}"
    )]
    SharedMemory {
        /// The kernel.
        kernel: String,
        /// The number of bytes of the kernel's own variables.
        fixed: usize,
        /// The requested dynamic bytes.
        dynamic: usize,
        /// The device's limit for a block.
        limit: usize,
    },
    /// A rule of `Config::accept` that is not valid.
    #[error("acceptance {number} of the configuration is none: {problem}")]
    Acceptance {
        /// The rule's number, from 1.
        number: usize,
        /// The problem of the rule.
        problem: &'static str,
    },
    /// More local memory for a thread than the device has.
    #[error("kernel `{kernel}` needs {found} bytes of local memory a thread, a thread has {limit}")]
    LocalMemory {
        /// The kernel.
        kernel: String,
        /// The number of bytes of its local variables and of the parameters of its calls.
        found: usize,
        /// The device's limit, `Config::local_per_thread`.
        limit: usize,
    },
    /// The blocks of a launch together executed more instructions than permitted.
    #[error(
        "kernel `{kernel}` executed {budget} warp instructions (Config::max_instructions_per_launch) in {done} of {blocks} \
         blocks and a part of the next"
    )]
    Budget {
        /// The kernel.
        kernel: String,
        /// The most warp instructions.
        budget: u64,
        /// The number of blocks that ended within the budget.
        done: u64,
        /// The number of blocks of the launch.
        blocks: u64,
    },
    /// The blocks of a launch together printed more than permitted.
    #[error(
        "kernel `{kernel}` printed {limit} bytes (Config::max_output) in the first {done} of {blocks} blocks"
    )]
    Output {
        /// The kernel.
        kernel: String,
        /// The most bytes.
        limit: usize,
        /// The number of blocks, in the order of the grid, that ended within the limit.
        done: u64,
        /// The number of blocks of the launch.
        blocks: u64,
    },
    /// The machine that emulates the device has no memory for the records of a check.
    #[error("the host has no memory for {requested} bytes of {what}")]
    Host {
        /// The number of bytes requested.
        requested: usize,
        /// The purpose of the bytes, and how to avoid needing them.
        what: &'static str,
    },
    /// The kernel did something that is not permitted.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
