//! Lowered code: what the executor runs.
//!
//! ```text
//! Image ── Function ── code: [Inst { guard, op }]     rows: 0..constants | registers
//!       └─ Variable (.global, .const, .shared)
//! ```
//!
//! Law: no names and no types are left; an operand is the index of a row of its frame, a branch target the index of an
//! instruction, and every index is within its function (the lowering made them, nothing changes them).

use crate::error::{NotEmulated, PtxError};
use crate::frame::{Alu, Args};
use crate::program::{Signature, Target};
use crate::texture::ArrayShape;
use crate::types::Type;

/// A row that an instruction does not have.
pub(crate) const NONE: u32 = u32::MAX;

/// A lowered module.
#[derive(Debug)]
pub(crate) struct Image {
    /// Tells modules apart on a device.
    pub id: u64,
    pub target: Target,
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
    /// The kernels' signatures and which function each one is.
    pub kernels: Vec<(Signature, Kernel)>,
    /// Names that are declared, used and nowhere defined.
    pub undefined: Vec<String>,
    /// `.file` names by number.
    pub files: Vec<(u32, String)>,
    /// The `.loc` directives.
    pub locations: Vec<Location>,
}

/// A `.loc` directive.
#[derive(Debug)]
pub(crate) struct Location {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// The function that was inlined, as the compiler names it.
    pub function: Option<String>,
    /// Where it was inlined: an index of an earlier location.
    pub inlined_at: Option<u32>,
}

/// What a launch needs to know about a kernel beyond its signature.
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
    /// What it reaches that the emulator does not know: no launch then.
    pub not_emulated: Option<Box<NotEmulated>>,
    /// Whether it reaches a bulk copy or `wgmma`: what a schedule moves.
    pub asynchronous: bool,
    /// Whether it reaches a `griddepcontrol.launch_dependents`.
    pub releases_dependents: bool,
    /// Offset of each shared variable of the module that the kernel reaches, by variable.
    pub shared: Vec<Option<u32>>,
    /// Whether it asks where the system's part of shared memory is.
    pub system_shared: bool,
    /// Blocks can see each other's effects during the launch (atomics, volatile or ordered accesses of global
    /// memory), so that they run in order on one thread.
    pub communicates: bool,
    /// The smallest access of shared memory in bytes.
    pub granule: u32,
    /// The smallest access of global memory in bytes, at most 16.
    pub global_granule: u32,
    /// Bytes of all parameters.
    pub parameter_bytes: usize,
    /// Offset of each parameter.
    pub parameter_offsets: Vec<usize>,
}

/// A variable of the module.
#[derive(Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub kind: VariableKind,
    pub size: usize,
    pub align: usize,
    /// Its initial value where that is not 0: runs of bytes, none behind `size`. A declared size takes no memory here.
    pub runs: Vec<Run>,
    /// Why the emulator cannot have it: of a type that it does not know.
    pub condemned: Option<Box<PtxError>>,
    /// Addresses to be put over `runs`: offset, width and whose.
    pub relocations: Vec<Relocation>,
}

/// Bytes of a variable's initial value, one behind the other.
#[derive(Debug)]
pub(crate) struct Run {
    /// Offset of the first one in the variable.
    pub offset: usize,
    pub bytes: Vec<u8>,
}

/// Where a variable lives.
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
    /// Right shift and mask to apply: `0xFF00(name)` takes one byte.
    pub shift: u32,
}

/// Something with an address.
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
    /// Whether it has a body. A builtin has none.
    pub defined: bool,
    pub builtin: Option<Builtin>,
    pub code: Vec<Inst>,
    pub places: Vec<Place>,
    /// Rows that are constants, first in each file.
    pub constants32: Vec<Constant>,
    pub constants64: Vec<Constant>,
    /// Rows of each file, constants included.
    pub rows32: u32,
    pub rows64: u32,
    pub predicates: u32,
    /// Bytes of `.local` variables.
    pub local: usize,
    /// Bytes of parameters, results and `.param` variables of calls, for each lane.
    pub param_bytes: usize,
    /// Offset and size of each parameter and result in those bytes (of an entry: parameters of the launch).
    pub parameters: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    /// Its first instruction or declaration that the emulator does not know; its code ends there.
    pub condemned: Option<Box<PtxError>>,
    /// Functions it calls by name.
    pub calls: Vec<u32>,
    /// Whether it calls through pointers.
    pub calls_indirectly: bool,
    /// Whether it asks where the system's part of shared memory is.
    pub system_shared: bool,
    /// Symbols that it takes the address of.
    pub uses: Vec<Symbol>,
    pub communicates: bool,
    pub granule: u32,
    pub global_granule: u32,
    /// Registers that may be read before they are written, if there are any.
    pub registers: Option<Box<Registers>>,
    /// Names of the registers that a `wgmma` uses, and what other instructions do with them, in their order.
    pub warpgroup_registers: Vec<String>,
    pub touches: Vec<Touch>,
    /// What addresses of its accesses come from: each access names one of these sets.
    pub root_sets: Vec<Vec<Root>>,
}

/// Registers of a function that may be read before they are written.
#[derive(Debug)]
pub(crate) struct Registers {
    /// Their names; empty for one that the text does not name.
    pub names: Vec<String>,
    /// By instruction.
    pub uses: Vec<RegisterUse>,
}

/// What an instruction does with such registers, by their index.
#[derive(Debug)]
pub(crate) struct RegisterUse {
    pub pc: u32,
    /// The register of its guard.
    pub guard: Option<u32>,
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
}

impl Registers {
    /// What the instruction at `pc` does with them.
    pub fn at(&self, pc: u32) -> Option<&RegisterUse> {
        let found = self.uses.binary_search_by_key(&pc, |found| found.pc);
        found.ok().map(|i| &self.uses[i])
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

/// Where an instruction came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    pub line: u32,
    pub text: Box<str>,
    /// The opcode with its modifiers.
    pub opcode: Box<str>,
    /// `.loc` in force, in `Image::locations`.
    pub source: Option<u32>,
}

/// What a constant row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Value(u64),
    /// Address of a `.global` or `.const` variable, or of a function.
    Address(Symbol, i64),
    /// Address in shared memory.
    Shared(u32, i64),
    /// Address in local memory: an offset in the frame.
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
    Zero,
    /// The same number on every device.
    Known(u32),
    /// The shared address of that byte of the system's part.
    SystemShared(u32),
}

/// An instruction.
#[derive(Debug)]
pub(crate) struct Inst {
    /// `NONE`, or the predicate's row times 2 plus 1 for `@!`.
    pub guard: u32,
    pub op: Op,
}

/// What an instruction does.
#[derive(Debug)]
pub(crate) enum Op {
    /// Lane by lane, registers to registers.
    Alu {
        run: Alu,
        args: Args,
    },
    /// `bra`; `reconverge` is where the lanes meet again, `NONE` where they do not.
    Branch {
        target: u32,
        reconverge: u32,
    },
    /// `brx.idx`.
    Table {
        index: u32,
        targets: Box<[u32]>,
        reconverge: u32,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Load(Box<Transfer>),
    Store(Box<Transfer>),
    Atomic(Box<Atomic>),
    CopyAsync(Box<CopyAsync>),
    CommitAsync,
    /// All but the last `keep` groups have arrived; `NONE` for `wait_all`.
    WaitAsync {
        keep: u32,
    },
    /// `cp.async.bulk`, `cp.reduce.async.bulk`, of tensors too.
    Bulk(Box<Bulk>),
    CommitBulk,
    /// `cp.async.bulk.wait_group`.
    WaitBulk {
        keep: u32,
    },
    Barrier(Box<Barrier>),
    Mbarrier(Box<Mbarrier>),
    /// `barrier.cluster.arrive`, else `.wait`.
    ClusterBarrier {
        arrive: bool,
        aligned: bool,
    },
    /// `bar.warp.sync`.
    WarpBarrier {
        mask: u32,
    },
    Shuffle(Box<Shuffle>),
    Vote(Box<Vote>),
    Match(Box<Match>),
    /// `redux.sync`.
    Reduce(Box<Reduce>),
    Elect {
        lane: u32,
        predicate: u32,
        mask: u32,
    },
    ActiveMask {
        result: u32,
    },
    LoadMatrix(Box<Matrix>),
    StoreMatrix(Box<Matrix>),
    MoveMatrix {
        result: u32,
        source: u32,
    },
    Mma(Box<Mma>),
    /// `wgmma.mma_async`.
    Wgmma(Box<Wgmma>),
    WgmmaFence,
    WgmmaCommit,
    /// `wgmma.wait_group`.
    WgmmaWait {
        keep: u32,
    },
    /// `tex`, `suld`, `sust`.
    Texel(Box<Texel>),
    /// `discard`: 128 bytes of global memory become undetermined.
    Discard(Address),
    /// `alloca`.
    Allocate(Box<Allocate>),
    /// `stacksave`: the end of the frame's local memory.
    SaveStack {
        result: u32,
        wide: bool,
    },
    /// `stackrestore`: back to where it ended then.
    RestoreStack {
        end: u32,
        wide: bool,
    },
    /// The head of `wmma.load` and `wmma.store`: the whole warp is here and names one matrix.
    Tile(Box<Tile>),
    /// `membar`, `fence`: blocks run their accesses in order, so nothing is to be done.
    Fence,
    /// `griddepcontrol.wait`.
    WaitForLaunchBefore,
    /// `griddepcontrol.launch_dependents`.
    ReleaseDependents,
    /// `fence.proxy.async`, for shared memory too.
    ProxyFence,
    /// `fence.mbarrier_init`.
    InitFence,
    /// `setmaxnreg`.
    SetRegisters {
        increase: bool,
        count: u32,
    },
    /// `nanosleep`: lets others go first.
    Sleep,
    Prefetch,
    Trap,
    Breakpoint,
    /// `%clock`, `%clock64`, `%globaltimer`: the warp's instruction count.
    Clock {
        result: u32,
        wide: bool,
        high: bool,
    },
}

/// The memory that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    Generic,
    Global,
    Const,
    Shared,
    /// Shared memory of any block of the cluster: the address carries the block's rank.
    Cluster,
    Local,
    /// Parameters of the launch.
    EntryParam,
    /// Parameters, results and call variables of a function.
    FrameParam,
}

/// Where an address comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub base: u32,
    /// Whether `base` is a 64-bit row.
    pub wide: bool,
    pub offset: i64,
    pub window: Window,
    /// Index in the function's `root_sets`; `NONE` where it may be any address.
    pub roots: u32,
}

/// An object that an address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable of the module.
    Variable(u32),
    /// What the 8 bytes at this offset of the launch's parameters point to.
    Parameter(u32),
}

/// `ld`, `st`.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub address: Address,
    /// Bytes of an element.
    pub bytes: u8,
    /// Elements: 1, 2, 4 or 8.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    /// Bits to which a narrow element is sign-extended; 0 for zero extension.
    pub sign_bits: u8,
    /// Ordered or volatile: may be used to talk to other threads.
    pub ordered: bool,
    /// The first guess of a loop around `atom.cas` on the same place: whatever it reads, the loop is right.
    pub guess: bool,
    pub registers: [u32; 8],
}

/// `atom`, `red`.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub address: Address,
    pub bytes: u8,
    /// Old value and operands to new value, as bits.
    pub apply: fn(u64, u64, u64) -> u64,
    /// The same in global memory, where `add.f32` flushes subnormals.
    pub apply_global: fn(u64, u64, u64) -> u64,
    pub result: u32,
    pub a: u32,
    pub b: u32,
    /// `exch` whose result nobody reads: a write that needs no value to be there before.
    pub overwrites: bool,
}

/// `cp.async`.
#[derive(Debug)]
pub(crate) struct CopyAsync {
    pub destination: Address,
    pub source: Address,
    pub bytes: u8,
    /// `.cg`: past the first level cache.
    pub bypass: bool,
    /// Row of the source size, or `NONE`.
    pub source_size: u32,
    /// Predicate that makes the copy write zeros, or `NONE`.
    pub ignore: u32,
}

/// `wgmma.mma_async`.
#[derive(Debug)]
pub(crate) struct Wgmma {
    /// As an `mma.sync` of 16 rows and 8 columns.
    pub what: crate::numerics::mma::Mma,
    /// Columns.
    pub n: u32,
    /// Accumulators, and their index in `Function::warpgroup_registers`.
    pub d: Vec<u32>,
    pub sums: Vec<u32>,
    pub left: WgmmaLeft,
    /// Row of B's descriptor.
    pub right: u32,
    /// Predicate: whether the accumulators are added.
    pub scale: u32,
    /// Whether A's, and B's, elements change their sign; whether rows of A, columns of B, lie together.
    pub negate: [bool; 2],
    pub transpose: [bool; 2],
}

/// Where A is.
#[derive(Debug)]
pub(crate) enum WgmmaLeft {
    /// Row of its descriptor.
    Descriptor(u32),
    /// Registers, and their index in `Function::warpgroup_registers`.
    Registers { rows: [u32; 4], used: Vec<u32> },
}

/// What an instruction does with registers that a `wgmma` uses, by their index.
#[derive(Debug)]
pub(crate) struct Touch {
    pub pc: u32,
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    /// Whether it is a plain `mov`.
    pub copies: bool,
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`, of tensors too.
#[derive(Debug)]
pub(crate) struct Bulk {
    pub what: BulkKind,
    /// In shared memory: the destination of a load, the source of all else.
    pub shared: Address,
    /// The global address, the tensor map, or the destination in another block's shared memory.
    pub other: Address,
    /// Row of the number of bytes; `NONE` for a tensor.
    pub size: u32,
    /// Rows of the coordinates of a box.
    pub coordinates: [u32; 5],
    pub dimensions: u8,
    /// The object where bytes complete.
    pub barrier: Option<Address>,
    /// Row of the blocks that get a copy; `NONE` for one.
    pub blocks: u32,
    /// What a reduction does, by type of its numbers; of a tensor the map tells the type.
    pub reduction: Option<BulkReduction>,
}

/// Where a bulk copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BulkKind {
    /// Global to shared memory.
    Load,
    /// Shared to global memory.
    Store,
    /// Shared to another block's shared memory.
    Copy,
}

/// A reduction: its name, and its type where the instruction has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BulkReduction {
    pub name: &'static str,
    pub ty: Option<Type>,
}

/// `mbarrier`, `cp.async.mbarrier.arrive`.
#[derive(Debug)]
pub(crate) struct Mbarrier {
    pub act: MbarrierAct,
    pub address: Address,
    /// Row of the count, of the state or of the parity; `NONE` for one arrival.
    pub operand: u32,
    pub result: u32,
}

/// What is done with an mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierAct {
    Init,
    Invalidate,
    /// `drop`: later phases wait for so many less; `no_complete`: the phase must not complete by it; `expects`: one arrival,
    /// and the operand is bytes that the phase waits for besides.
    Arrive {
        drop: bool,
        no_complete: bool,
        expects: bool,
    },
    /// The operand is bytes that the phase waits for besides.
    Expect,
    /// The operand is bytes that have come.
    Complete,
    /// The thread's copies arrive; `counted` (`.noinc`): as one of the arrivals that the phase waits for.
    CopiesArrive {
        counted: bool,
    },
    /// Whether the phase of a state, or of a parity, is complete; `suspends`: the thread waits a while (`try_wait`).
    Test {
        parity: bool,
        suspends: bool,
    },
}

/// `bar`, `barrier`.
#[derive(Debug)]
pub(crate) struct Barrier {
    pub kind: BarrierKind,
    pub aligned: bool,
    pub barrier: u32,
    /// Row of the thread count, or `NONE` for the whole block.
    pub threads: u32,
    /// Source predicate of a reduction.
    pub predicate: u32,
    /// A 32-bit row for `popc`, a predicate for the rest.
    pub result: u32,
}

/// What a barrier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    And,
    Or,
}

/// `shfl.sync`.
#[derive(Debug)]
pub(crate) struct Shuffle {
    pub mode: ShuffleMode,
    pub result: u32,
    /// Predicate result, or `NONE`.
    pub valid: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub mask: u32,
}

/// Which lane `shfl` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// `vote.sync`.
#[derive(Debug)]
pub(crate) struct Vote {
    pub mode: VoteMode,
    pub result: u32,
    pub predicate: u32,
    pub mask: u32,
}

/// What `vote` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// `match.sync`.
#[derive(Debug)]
pub(crate) struct Match {
    /// `.all`, else `.any`.
    pub all: bool,
    pub wide: bool,
    pub result: u32,
    pub predicate: u32,
    pub a: u32,
    pub mask: u32,
}

/// `redux.sync`.
#[derive(Debug)]
pub(crate) struct Reduce {
    pub apply: fn(u32, u32) -> u32,
    pub result: u32,
    pub a: u32,
    pub mask: u32,
}

/// `ldmatrix`, `stmatrix`.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub address: Address,
    pub count: u8,
    pub transposed: bool,
    pub registers: [u32; 4],
}

/// `mma.sync`: rows of each operand in the order of the instruction.
#[derive(Debug)]
pub(crate) struct Mma {
    pub what: crate::numerics::mma::Mma,
    /// Whether the registers have 64 bits (`.f64`).
    pub wide: bool,
    pub d: Vec<u32>,
    pub a: Vec<u32>,
    pub b: Vec<u32>,
    pub c: Vec<u32>,
}

/// `tex`, `suld`, `sust`.
#[derive(Debug)]
pub(crate) struct Texel {
    pub act: TexelAct,
    pub shape: ArrayShape,
    /// Row of the handle.
    pub object: u32,
    /// Rows of the layer, if there are layers, and of the coordinates; what the shape lacks is any row.
    pub coordinates: [u32; 4],
    /// Bytes of an element; 8 for 64-bit rows.
    pub bytes: u8,
    pub count: u8,
    pub registers: [u32; 4],
    pub outside: Outside,
}

/// What is done with a texture or surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TexelAct {
    /// `tex`: whether it fetches floats, and whether its coordinates are integers.
    Fetch {
        floats: bool,
        integers: bool,
    },
    Load,
    Store,
}

/// What becomes of a surface access outside of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    /// The nearest place.
    Clamp,
    /// Loads give 0, stores do nothing.
    Zero,
}

/// `alloca`: local memory until the function returns.
#[derive(Debug)]
pub(crate) struct Allocate {
    pub result: u32,
    /// Row of the number of bytes.
    pub bytes: u32,
    /// Whether both are 64-bit rows.
    pub wide: bool,
    pub alignment: u32,
}

/// What `wmma.load` and `wmma.store` demand of their matrix.
#[derive(Debug)]
pub(crate) struct Tile {
    pub address: Address,
    /// Row of the stride in elements.
    pub stride: u32,
    /// Bits of an element.
    pub bits: u32,
    /// Each row (or column) begins at a multiple of so many bytes.
    pub alignment: u32,
}

/// `call`.
#[derive(Debug)]
pub(crate) struct Call {
    /// The function, or `NONE` for a call through `pointer`.
    pub function: u32,
    pub pointer: u32,
    /// Offset and size in the caller's parameter bytes.
    pub arguments: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
}
