//! Lowered code, which the executor runs.
//!
//! ```text
//! Image ── Function ── code: [Inst { guard, op }]     rows: 0..constants | registers
//!       └─ Variable (.global, .const, .shared)
//! ```
//!
//! Law: the code contains no names and no types. An operand is the index of a row of its frame, a
//! branch target is the index of an instruction, and every index is valid in its function (the
//! lowering creates the indices, and nothing changes them).

mod asynchronous;
mod memory;
mod operation;
mod places;
mod reduction;
mod registers;
mod tensor_memory;
mod warp;

use crate::error::{NotEmulated, PtxError};
use crate::fault::Reached;
use crate::signature::{Signature, Target};
use crate::swizzles::{SmemSwizzle, Swizzles};
use crate::types::Class;

pub(crate) use asynchronous::{
    Bulk, BulkKind, BulkReduction, CommitBulk, CopyMap, Mbarrier, MbarrierAct, ReplaceInMap,
    StoreAsync, TensorMode, Touch, WaitBulk, Wgmma, WgmmaCommit, WgmmaFence, WgmmaLeft, WgmmaWait,
};
pub(crate) use memory::{
    Address, Apply, Atomic, CommitAsync, CopyAsync, Discard, Fence, InitFence, MapFence, Multimem,
    MultimemAct, Outside, ProxyFence, Root, Scope, Strength, Texel, TexelAct, Transfer, WaitAsync,
    Window,
};
pub(crate) use operation::{Asynchrony, Call, NamedRow, Op, Origin, values};
pub(crate) use reduction::{operation, reduction};
pub(crate) use registers::registers;
pub(crate) use tensor_memory::{
    CopyShape, Elements, ProductKind, ProductLeft, ProductScales, ProductShape, ScaleFields,
    Tcgen05, TensorAccess, TensorCopy, TensorProduct, TensorShape,
};
pub(crate) use warp::{
    ActiveMask, Barrier, BarrierKind, Clock, ClusterSync, Elect, Match, Matrix, Mma, MoveMatrix,
    NoEffect, Reduce, ReleaseDependents, SetRegisters, Shuffle, ShuffleMode, Sleep, Stopped, Tile,
    Vote, VoteMode, WaitForLaunchBefore, WarpBarrier,
};

/// The index of an absent operand, which is no row of registers.
pub(crate) const NONE: u32 = u32::MAX;

/// A lowered module.
#[derive(Debug)]
pub(crate) struct Image {
    /// A number that distinguishes modules on a device.
    pub id: u64,
    pub target: Target,
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
    /// The kernels' signatures, and the properties of each kernel.
    pub kernels: Vec<(Signature, Kernel)>,
    /// Names that are declared and used but not defined.
    pub undefined: Vec<String>,
    /// The names of `.file` directives, by number.
    pub files: Vec<(u32, String)>,
    /// The `.loc` directives.
    pub locations: Vec<Location>,
    /// The path of the PTX file, if the last line of the PTX names it.
    pub path: Option<String>,
    /// Whether LLVM wrote the PTX without line tables, which an option of `cuda_builder` turns on.
    pub lacks_lines: bool,
    /// The swizzles of accesses of shared memory.
    pub swizzles: Swizzles,
}

/// A `.loc` directive.
#[derive(Debug)]
pub(crate) struct Location {
    pub file: u32,
    /// The file's name in the comment after the directive. A location that is only a comment has no
    /// file number.
    pub name: Option<String>,
    pub line: u32,
    pub column: u32,
    /// The function that was inlined, as the compiler names it.
    pub function: Option<String>,
    /// The place at which the function was inlined: an index of an earlier location.
    pub inlined_at: Option<u32>,
}

/// The properties of a kernel that a launch needs beyond its signature.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub function: u32,
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// `.maxnreg`, `.minnctapersm`.
    pub max_registers: Option<u32>,
    pub min_blocks: Option<u32>,
    /// The first construct that the kernel reaches and the emulator does not know. The kernel then
    /// cannot be launched.
    pub not_emulated: Option<Box<NotEmulated>>,
    /// Whether the kernel reaches a bulk copy or `wgmma`, whose time a schedule chooses.
    pub asynchronous: bool,
    /// Whether the kernel reaches both `ld.global.nc` and stores or atomics of global memory.
    pub non_coherent: bool,
    /// Whether the kernel reaches a `griddepcontrol.launch_dependents`.
    pub releases_dependents: bool,
    /// For each variable of the module, its offset in shared memory, or `None` if it is not a
    /// shared variable that the kernel reaches.
    pub shared: Vec<Option<u32>>,
    /// Whether the kernel reads the address of the system's part of shared memory.
    pub system_shared: bool,
    /// Whether blocks can see each other's effects during the launch (atomics, volatile or ordered
    /// accesses of global memory), so that they run in order on one thread.
    pub communicates: bool,
    /// The smallest access of shared memory in bytes.
    pub granule: u32,
    /// The smallest access of global memory in bytes, at most 16.
    pub global_granule: u32,
    /// The number of bytes of all parameters.
    pub parameter_bytes: usize,
    /// The offset of each parameter.
    pub parameter_offsets: Vec<usize>,
}

/// A variable of the module.
#[derive(Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub kind: VariableKind,
    pub size: usize,
    pub align: usize,
    /// The parts of the variable's initial value that are not 0, as runs of bytes, which end within
    /// `size`. The declared size itself takes no memory here.
    pub runs: Vec<Run>,
    /// The reason why the emulator does not support the variable, if its type is not known.
    pub condemned: Option<Box<PtxError>>,
    /// The addresses to write over `runs`: offset, width and symbol.
    pub relocations: Vec<Relocation>,
}

/// Consecutive bytes of a variable's initial value.
#[derive(Debug)]
pub(crate) struct Run {
    /// The offset of the first byte in the variable.
    pub offset: usize,
    pub bytes: Vec<u8>,
}

/// The memory in which a variable lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableKind {
    Global,
    Const,
    Shared,
    /// `.extern .shared x[]`.
    DynamicShared,
}

/// An address in the value of a variable.
#[derive(Debug)]
pub(crate) struct Relocation {
    pub offset: usize,
    pub width: usize,
    pub addend: i64,
    pub to: Symbol,
    /// The right shift and the mask to apply: `0xFF00(name)` takes one byte.
    pub shift: u32,
}

/// A variable or function, which has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    Variable(u32),
    Function(u32),
}

/// A lowered function.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub name: String,
    pub entry: bool,
    /// Whether the function has a body. A builtin has none.
    pub defined: bool,
    pub builtin: Option<Builtin>,
    pub code: Vec<Inst>,
    pub places: Vec<Place>,
    /// The rows that are constants; they come first in each file.
    pub constants32: Vec<Constant>,
    pub constants64: Vec<Constant>,
    /// The number of rows of each file, constants included.
    pub rows32: u32,
    pub rows64: u32,
    pub predicates: u32,
    /// The number of bytes of `.local` variables.
    pub local: usize,
    /// The number of bytes of parameters, results and `.param` variables of calls, for each lane.
    pub param_bytes: usize,
    /// The offset and size of each parameter and result in those bytes (for an entry: the launch's
    /// parameters).
    pub parameters: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    /// The error of the first instruction or declaration that the emulator does not know; the code
    /// ends there.
    pub condemned: Option<Box<PtxError>>,
    /// The functions that the function calls by name.
    pub calls: Vec<u32>,
    /// Whether the function calls through pointers.
    pub calls_indirectly: bool,
    /// Whether the function reads the address of the system's part of shared memory.
    pub system_shared: bool,
    /// The symbols whose address the function takes.
    pub uses: Vec<Symbol>,
    pub communicates: bool,
    /// Whether the function's `tcgen05` instructions work on pairs of blocks, or `None` if the
    /// function has no such instruction.
    pub pairs: Option<bool>,
    pub granule: u32,
    pub global_granule: u32,
    /// The registers that may be read before they are written, if there are any.
    pub registers: Option<Box<Registers>>,
    /// The registers that may be read before they are written, and the registers whose values may
    /// derive from these.
    pub followed: Option<Box<Followed>>,
    /// The most registers of the GPU that the function needs at once.
    pub pressure: Pressure,
    /// The names of the registers that a `wgmma` uses. `touches` lists how other instructions use
    /// these registers, in the order of the instructions.
    pub warpgroup_registers: Vec<String>,
    pub touches: Vec<Touch>,
    /// The sets of objects from which an access's address may derive; each access names one set by
    /// its index.
    pub root_sets: Vec<Vec<Root>>,
}

/// The most registers that are live at once.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Pressure {
    /// The number of 32-bit words of these registers.
    pub words: u32,
    /// The instruction after which these registers are live.
    pub pc: u32,
}

/// Registers of a function that may be read before they are written.
#[derive(Debug)]
pub(crate) struct Registers {
    /// The registers' names; empty for a register that the text does not name.
    pub names: Vec<String>,
    /// The uses of the registers, in the order of the instructions.
    pub uses: Vec<RegisterUse>,
}

/// How an instruction uses the registers of [`Registers`], which are given by their index.
#[derive(Debug)]
pub(crate) struct RegisterUse {
    pub pc: u32,
    /// The register of the instruction's guard.
    pub guard: Option<u32>,
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
}

impl Registers {
    /// Returns how the instruction at `pc` uses these registers.
    pub fn at(&self, pc: u32) -> Option<&RegisterUse> {
        let found = self.uses.binary_search_by_key(&pc, |found| found.pc);
        found.ok().map(|i| &self.uses[i])
    }
}

/// Registers of a function whose values may derive from an unwritten register.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The names of the seeds, which are the first registers: those that may be read before they
    /// are written. A name is empty if the text does not name the register.
    pub names: Vec<String>,
    /// The row of each register.
    pub rows: Vec<(Class, u32)>,
    /// For each instruction, its index in `uses`, or `NONE`.
    pub at: Vec<u32>,
    pub uses: Vec<FollowedUse>,
}

/// How an instruction uses the registers of [`Followed`], which are given by their index.
#[derive(Debug)]
pub(crate) struct FollowedUse {
    /// Whether one of the registers is a seed: a register that may be unwritten.
    pub of_seeds: bool,
    pub role: Role,
    /// The register of the instruction's guard.
    pub guard: Option<u32>,
    pub reads: Vec<u32>,
    /// The reads that are addresses.
    pub addresses: Vec<u32>,
    pub writes: Vec<u32>,
}

/// How an instruction uses the values that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The instruction only computes the values of other registers from the values that it reads.
    Computes,
    Reaches(Reached),
    /// The instruction uses some of the values as addresses, and has no other effect that matters
    /// here.
    Address,
}

impl Followed {
    /// Returns how the instruction at `pc` uses these registers.
    #[inline]
    pub fn of(&self, pc: u32) -> Option<&FollowedUse> {
        self.uses.get(self.at[pc as usize] as usize)
    }
}

/// Functions that the emulator itself provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
}

/// The place in the PTX and the source from which an instruction came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    pub line: u32,
    pub text: Box<str>,
    /// The opcode with its modifiers.
    pub opcode: Box<str>,
    /// The `.loc` in force, as an index into `Image::locations`.
    pub source: Option<u32>,
    /// The swizzle through which the instruction accesses shared memory, if a comment of the PTX
    /// names the swizzle.
    pub swizzle: Option<SmemSwizzle>,
}

/// The position of an instruction in the lowered code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub function: u32,
    pub pc: u32,
}

/// The contents of a constant row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Value(u64),
    /// The address of a `.global` or `.const` variable, or of a function.
    Address(Symbol, i64),
    /// An address in shared memory.
    Shared(u32, i64),
    /// An address in local memory, as an offset in the frame.
    Local(i64),
    Special(Special),
}

/// A special register that keeps its value while a warp runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicSharedSize,
    TotalSharedSize,
    AggregateSharedSize,
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterId(u8),
    NClusterId(u8),
    ClusterRank,
    ClusterRanks,
    /// The bits that identify the thread in generic addresses of its local memory.
    LocalOwner,
    /// 1 if the launch or the kernel specifies the size of clusters.
    ExplicitCluster,
    /// A half of the address of a cooperative launch's workspace, or 0 in another launch.
    /// `%envreg1` has the upper half, `%envreg2` the lower.
    GridWorkspace {
        upper: bool,
    },
    Zero,
    /// A number that is the same on every device.
    Known(u32),
    /// The shared address of a byte of the system's part.
    SystemShared(u32),
}

/// An instruction with its guard.
#[derive(Debug)]
pub(crate) struct Inst {
    /// The guard: `NONE`, or the predicate's row times 2, plus 1 for `@!`.
    pub guard: u32,
    pub op: Op,
}
