//! What can go wrong, each kind with what tells of it.
//!
//! ```text
//! [out of bounds: offset 400 in 400 bytes]      without the place, which the fault has
//! ```

use super::{Access, Completion, Earlier, Later, Reached, Slot, Space};
use crate::counted::counted;
use crate::names::demangle;

/// What happened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of every allocation.
    #[error(
        "{space} access of {} outside of every allocation{}",
        counted(size, "byte"),
        near(nearest, *derived)
    )]
    Unmapped {
        /// The state space of the instruction.
        space: Space,
        /// Bytes of the access.
        size: usize,
        /// The nearest allocation: its start, its size and the distance of the access to it.
        nearest: Option<(u64, usize, u64)>,
        /// Whether that allocation is the one that the address was computed from.
        derived: bool,
    },
    /// An access that begins inside an allocation and leaves it, or to shared or local memory
    /// beyond its end.
    #[error(
        "{space} access of {} out of bounds: offset {offset} in {}",
        counted(size, "byte"),
        counted(length, "byte")
    )]
    OutOfBounds {
        /// The state space of the access.
        space: Space,
        /// Bytes of the access.
        size: usize,
        /// Offset of its first byte in the memory.
        offset: i64,
        /// Bytes of that memory.
        length: usize,
    },
    /// An access inside memory, but of another variable or buffer than the ones that its address
    /// was computed from.
    #[error(
        "{space} access of {size} bytes beyond what its address comes from: offset {offset} in {of} of {length} bytes{}",
        hit.as_ref().map_or(String::new(), |hit| format!(", which is in {hit}"))
    )]
    Provenance {
        /// The state space of the access.
        space: Space,
        /// Bytes of the access.
        size: usize,
        /// Offset of its first byte in the object that its address comes from; of several the
        /// nearest.
        offset: i64,
        /// Bytes of that object.
        length: usize,
        /// That object: "`tile`", "the buffer of parameter `p0`".
        of: String,
        /// The shared variable that was hit; `Fault::buffer` has it for global memory.
        hit: Option<String>,
    },
    /// An access to memory that was freed.
    #[error(
        "access of {} to freed memory: offset {offset} in an allocation of {}",
        counted(size, "byte"),
        counted(length, "byte")
    )]
    UseAfterFree {
        /// Bytes of the access.
        size: usize,
        /// Offset of its first byte in the allocation.
        offset: u64,
        /// Bytes of that allocation.
        length: usize,
    },
    /// An access at an address that is not a multiple of its size.
    #[error(
        "misaligned {space} access: {alignment} bytes need an address that is a multiple of {alignment}"
    )]
    Misaligned {
        /// The state space of the access.
        space: Space,
        /// The alignment that the access needs.
        alignment: usize,
    },
    /// A read of bytes that nothing wrote.
    #[error(
        "read of uninitialised {space} memory: byte {offset} of {length}{}",
        later.as_ref().map_or(String::new(), ToString::to_string)
    )]
    Uninitialised {
        /// The state space of the access.
        space: Space,
        /// Offset of the first such byte in its memory.
        offset: u64,
        /// Bytes of that memory.
        length: usize,
        /// Of shared memory, who writes it afterwards.
        later: Option<Later>,
    },
    /// A read of a register that nothing wrote.
    #[error("read of uninitialised register {register}")]
    UninitialisedRegister {
        /// The register's name.
        register: String,
    },
    /// What a thread does depends on a register that nothing wrote.
    #[error("{reached} depends on register {register}, which nothing wrote")]
    Undefined {
        /// The register's name.
        register: String,
        /// What depends on it.
        reached: Reached,
    },
    /// A handle that is no texture, or no surface, of the instruction's kind.
    #[error("{handle:#x} is no {wanted} for this instruction: {problem}")]
    NoTexture {
        /// "texture" or "surface".
        wanted: &'static str,
        /// The handle.
        handle: u64,
        /// What it is.
        problem: String,
    },
    /// A `.trap` access outside of its surface.
    #[error(
        "{access} of {} outside of surface {handle:#x}: x = {} (bytes), y = {}, z or layer = {} in {} x {} x {}",
        counted(size, "byte"), coordinates[0], coordinates[1], coordinates[2], extents[0], extents[1], extents[2]
    )]
    OutsideSurface {
        /// The surface.
        handle: u64,
        /// A read or a write.
        access: Access,
        /// Bytes of the access.
        size: usize,
        /// Where it begins: x in bytes, y, and z or the layer.
        coordinates: [i64; 3],
        /// The surface's row in bytes, its rows, its slices or layers.
        extents: [u64; 3],
    },
    /// A write to constant memory or to a parameter.
    #[error("write to read-only {0} memory")]
    ReadOnly(Space),
    /// Two threads used one place in shared memory with no barrier between, at least one of them
    /// writing.
    #[error(
        "race on shared memory: {} after {} {earlier}, and no barrier orders the two{}",
        by(*access, slot), thread(*other, *block),
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    Race {
        /// What this instruction did: "read" or "write".
        access: Access,
        /// What the other thread had done.
        earlier: Earlier,
        /// The other thread.
        other: [u32; 3],
        /// Its block, where that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// What this instruction uses, and what says that it is done, where it is an asynchronous
        /// operation.
        slot: Option<Slot>,
        /// What keeps atomic or ordered accesses from being ordered.
        note: Option<String>,
        /// Both are lanes of one warp, which is a kind of its own.
        within_warp: bool,
    },
    /// An access of local memory, where `Config::allow_local_memory` is off.
    #[error(
        "access of local memory, which the launch does not allow: {} a thread",
        counted(bytes, "byte")
    )]
    LocalMemory {
        /// Bytes of local memory that a thread has here.
        bytes: usize,
    },
    /// Local memory of another thread was used by its address.
    #[error(
        "access of the local memory of thread ({},{},{}): a thread has no other's local variables, on a device its own lie there",
        owner[0], owner[1], owner[2]
    )]
    OthersLocal {
        /// The thread whose address it is.
        owner: [u32; 3],
    },
    /// What a launch reads through `ld.global.nc` it writes too.
    #[error(
        "{access} of global memory that this launch {}: ld.global.nc may read only what no thread of the launch writes",
        match earlier { Earlier::Read => "reads through ld.global.nc", Earlier::Wrote => "writes, through ld.global.nc" }
    )]
    NonCoherent {
        /// What this instruction did.
        access: Access,
        /// What was done to it before: read through `ld.global.nc`, or written.
        earlier: Earlier,
    },
    /// Two blocks used one place in global memory with no atomic between, at least one of them
    /// writing.
    #[error(
        "race on global memory: {access} after block ({},{},{}) {earlier}, and no atomic orders the two blocks{}",
        other[0], other[1], other[2],
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    GlobalRace {
        /// What this instruction did.
        access: Access,
        /// What the other block had done.
        earlier: Earlier,
        /// The other block.
        other: [u32; 3],
        /// What keeps strong accesses from being ordered, or that a bulk copy is not waited for.
        note: Option<String>,
    },
    /// Two threads of one block, or of one cluster, used one place in global memory with nothing
    /// between that orders them, at least one of them writing.
    #[error(
        "race on global memory: {access} after {} {earlier}, and nothing orders the two{}",
        neighbour(*other, *block),
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    ThreadRace {
        /// What this instruction did.
        access: Access,
        /// What the other thread had done.
        earlier: Earlier,
        /// The other thread.
        other: [u32; 3],
        /// Its block, where that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// What keeps strong accesses from being ordered, or that a bulk copy is not waited for.
        note: Option<String>,
        /// Both are lanes of one warp, which is a kind of its own.
        within_warp: bool,
    },
    /// An operation used a tensor map that threads of the launch wrote, with no
    /// `fence.proxy.tensormap` between.
    #[error(
        "use of a tensor map that {} wrote, and no fence.proxy.tensormap::generic.acquire of the map stands between",
        thread(*other, *block)
    )]
    TensorMapUnfenced {
        /// The thread that wrote.
        other: [u32; 3],
        /// Its block, where that is another one than the fault's.
        block: Option<[u32; 3]>,
    },
    /// A programmatic dependent launch used global memory that a launch before it uses, and had not
    /// waited for that one.
    #[error(
        "{access} of global memory before griddepcontrol.wait: kernel `{}`, which may not have ended yet, {earlier}",
        demangle(before)
    )]
    DependentUnwaited {
        /// What this instruction did.
        access: Access,
        /// The kernel of the launch before.
        before: String,
        /// What that launch did.
        earlier: Earlier,
    },
    /// Bytes that a `cp.async` writes were used before the thread that issued it waited for it.
    #[error(
        "{access} of shared memory that a cp.async of thread ({},{},{}) writes, before that thread waited for it \
         (cp.async.wait_group or wait_all)",
        issuer[0], issuer[1], issuer[2]
    )]
    AsyncCopyPending {
        /// What this instruction did.
        access: Access,
        /// The thread that issued the copy.
        issuer: [u32; 3],
    },
    /// Lanes of one warp wrote different values to one place in one instruction.
    #[error("two lanes of the warp write different values to one place: this thread and thread ({},{},{})",
        other[0], other[1], other[2])]
    WriteConflict {
        /// The other thread.
        other: [u32; 3],
    },
    /// An instruction that the whole warp must execute together was executed by a part of it.
    #[error(
        "`.aligned` instruction in divergent code: lanes {active:#010x} execute it, {required:#010x} must"
    )]
    Divergent {
        /// Lanes that execute it together.
        active: u32,
        /// Lanes that must.
        required: u32,
    },
    /// A lane executes a `.sync` instruction whose mask does not name it.
    #[error("the mask {mask:#010x} does not name the executing lane {lane}")]
    MaskWithoutSelf {
        /// The membership mask.
        mask: u32,
        /// The lane.
        lane: u32,
    },
    /// The mask of a `.sync` instruction names lanes that never come.
    #[error(
        "the mask {mask:#010x} names lanes {missing:#010x}, which do not come here{}",
        place(line)
    )]
    MissingLanes {
        /// The membership mask.
        mask: u32,
        /// Those that are missing.
        missing: u32,
        /// PTX line where one of them is.
        line: Option<usize>,
    },
    /// A lane that executes a `.sync` instruction has another mask than the rest.
    #[error(
        "lanes that execute one `.sync` instruction have different masks: {first:#010x} and {second:#010x}"
    )]
    DifferentMasks {
        /// The mask of the first lane.
        first: u32,
        /// The mask that differs.
        second: u32,
    },
    /// A `shfl` reads a lane that does not take part.
    #[error("shfl reads lane {lane}, which does not take part (lanes {active:#010x} do)")]
    InactiveSource {
        /// The lane read.
        lane: u32,
        /// Lanes that take part.
        active: u32,
    },
    /// No warp of the block can go on.
    #[error("deadlock: no warp of the block can go on; {0}")]
    Deadlock(String),
    /// A barrier for all threads of the block was left to those that have not exited.
    #[error(
        "barrier {barrier} is for all threads of the block, and thread ({},{},{}) has exited: PTX waits for it, the hardware does not",
        exited[0], exited[1], exited[2]
    )]
    ExitedThread {
        /// The barrier's number.
        barrier: u32,
        /// The first thread that has exited.
        exited: [u32; 3],
    },
    /// A barrier was used wrongly.
    #[error("barrier {barrier}: {problem}")]
    Barrier {
        /// The barrier's number.
        barrier: u32,
        /// What is wrong.
        problem: String,
    },
    /// Bytes that a bulk copy writes were used, and no wait at its mbarrier object orders the two.
    #[error("{access} of shared memory that a `{operation}` writes{}", match slot {
        Some(slot) => format!(" ({slot}), and no wait for {} orders the two", slot.completes),
        None => ", and no wait for the phase of its mbarrier orders the two".to_owned(),
    })]
    BulkUnwaited {
        /// What this instruction did.
        access: Access,
        /// The copy's opcode.
        operation: String,
        /// What the copy writes, and the phase that it completes, where they are known.
        slot: Option<Slot>,
    },
    /// Bytes that an asynchronous operation reads were written before its issuer waited for it.
    #[error(
        "{access} of {space} memory that a `{operation}` of {} reads{}, before that thread waited for it",
        thread(*issuer, *block),
        slot.map_or(String::new(), |slot| format!(" ({slot}, {})", slot.completes))
    )]
    BeingRead {
        /// Shared memory, or global.
        space: Space,
        /// What this instruction did.
        access: Access,
        /// The operation's opcode.
        operation: String,
        /// The thread that issued it.
        issuer: [u32; 3],
        /// Its block, where that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// What it reads, and what says that it is done, where they are known.
        slot: Option<Slot>,
    },
    /// An asynchronous operation uses what a thread wrote, and no fence of the proxies orders the
    /// two.
    #[error(
        "{} of {space} memory that {} wrote, and no fence.proxy.async orders the two",
        by(*access, slot), thread(*other, *block)
    )]
    Unfenced {
        /// Shared memory, or global.
        space: Space,
        /// What the operation does.
        access: Access,
        /// The thread that wrote.
        other: [u32; 3],
        /// Its block, where that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// What the operation uses, and what says that it is done.
        slot: Option<Slot>,
    },
    /// A `wgmma` reads with another swizzle than that of the tensor map by which the bytes came.
    #[error(
        "an operand of wgmma is read with {}, and came by a tensor map with {}{}",
        swizzle(*read),
        swizzle(*written),
        slot.map_or(String::new(), |slot| format!(" ({slot}, {})", slot.completes))
    )]
    Swizzle {
        /// Bytes of the tensor map's swizzle; 0 for none.
        written: usize,
        /// Those of the descriptor's.
        read: usize,
        /// What the copy wrote, and the phase that it completed, where they are known.
        slot: Option<Slot>,
    },
    /// Shared memory is read through another swizzle than the one that it was written through, and
    /// holds something else there.
    #[error(
        "shared memory is read through {read}, and {} wrote it through {written}",
        other.map_or("a tensor map".to_owned(), |[x, y, z]| format!("thread ({x},{y},{z})"))
    )]
    OtherSwizzle {
        /// The swizzle of the tensor that is read, of offsets in bytes.
        read: String,
        /// That of the tensor that was written.
        written: String,
        /// The thread that wrote; none where a tensor map's box came.
        other: Option<[u32; 3]>,
    },
    /// A register of a `wgmma` is used while it is under way, or by a `wgmma` without a fence
    /// before.
    #[error("{}", match *.in_flight {
        true => format!("register {register} is used while a wgmma has it: no wgmma.wait_group has reached that one"),
        false => format!("register {register} was used since the last wgmma.fence, or there was none: the wgmma needs one before it"),
    })]
    WgmmaRegister {
        /// The register's name.
        register: String,
        /// Whether a `wgmma` has it.
        in_flight: bool,
    },
    /// The warps of a group of four, or the lanes of one, do not issue the same `wgmma`.
    #[error("wgmma: {problem}")]
    Warpgroup {
        /// What differs.
        problem: String,
    },
    /// Tensor memory is used wrongly, or without what would order two accesses.
    #[error("tensor memory: {problem}")]
    TensorMemory {
        /// What is wrong.
        problem: String,
    },
    /// Two accesses of tensor memory by different threads, between which the threads synchronise
    /// and a `tcgen05.fence` is missing.
    #[error("tensor memory: {problem}")]
    TensorFence {
        /// Which fence is missing, and where.
        problem: String,
    },
    /// A block ends while an asynchronous operation still uses its shared memory.
    #[error("the block ends, and nothing in it has waited for this `{operation}`, which {}", left(*reads, slot.as_ref()))]
    LeftBehind {
        /// The operation's opcode.
        operation: String,
        /// Whether it reads, else writes.
        reads: bool,
        /// What it uses, and what would have said that it is done, where they are known.
        slot: Option<Slot>,
    },
    /// A block uses the shared memory of a block of its cluster that may have ended.
    #[error("{access} of shared memory of the cluster's block {rank}, {}", match *.ended {
        true => "which has ended",
        false => "which does not wait for it before it ends: a barrier of the cluster is missing",
    })]
    PeerEnded {
        /// What the instruction did.
        access: Access,
        /// The rank of the other block.
        rank: u32,
        /// Whether it had ended already.
        ended: bool,
    },
    /// No mbarrier object lies where one is used.
    #[error("no mbarrier object lies here: none was made by mbarrier.init, or it was invalidated")]
    NoMbarrier {
        /// The address.
        barrier: u64,
    },
    /// An mbarrier object was used wrongly.
    #[error("mbarrier at {barrier:#x}, phase {phase}: {problem}")]
    Mbarrier {
        /// Its address.
        barrier: u64,
        /// Its phase, counted from 0.
        phase: u64,
        /// What is wrong.
        problem: String,
    },
    /// The block executed more instructions than its budget.
    #[error(
        "the block executed {} (Config::max_instructions_per_block): an endless loop?",
        counted(budget, "warp instruction")
    )]
    Budget {
        /// The budget.
        budget: u64,
    },
    /// The block printed more than a launch may.
    #[error("the block printed more than {limit} bytes (Config::max_output)")]
    Output {
        /// The most bytes.
        limit: usize,
    },
    /// Calls nested too deeply or local variables too large.
    #[error(
        "stack overflow: {} of local memory, a thread has {limit}",
        counted(bytes, "byte")
    )]
    StackOverflow {
        /// Bytes needed.
        bytes: usize,
        /// Bytes a thread has.
        limit: usize,
    },
    /// `trap`, which is also how a panic ends.
    #[error("trap")]
    Trap,
    /// `brkpt`.
    #[error("breakpoint")]
    Breakpoint,
    /// A call through a pointer that is no function.
    #[error("call of {target:#x}, which is no function{}", if *.mismatch { " with this signature" } else { "" })]
    BadCall {
        /// The pointer.
        target: u64,
        /// Whether it is a function, with other parameters.
        mismatch: bool,
    },
    /// `__assertfail`.
    #[error("assertion failed: {message}, {file}:{line} in {function}")]
    Assertion {
        /// The condition.
        message: String,
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The function.
        function: String,
    },
    /// Operands that the instruction does not allow, known at run time only.
    #[error("{0}")]
    Operand(String),
}

impl FaultKind {
    /// Whether it is a read of shared memory that nothing wrote: what the block does next says what
    /// is missing.
    pub(crate) fn waits_for_a_write(&self) -> bool {
        matches!(
            self,
            FaultKind::Uninitialised {
                space: Space::Shared,
                ..
            }
        )
    }

    /// Whether chance says which of two accesses it is found at, where blocks run at the same time.
    pub(crate) fn is_by_chance(&self) -> bool {
        matches!(
            self,
            FaultKind::GlobalRace { .. } | FaultKind::NonCoherent { .. }
        )
    }

    /// Whether the address of the fault is one of global memory.
    pub(crate) fn is_global(&self) -> bool {
        let global = |space: &Space| matches!(space, Space::Global | Space::Const);
        match self {
            FaultKind::UseAfterFree { .. }
            | FaultKind::GlobalRace { .. }
            | FaultKind::ThreadRace { .. }
            | FaultKind::TensorMapUnfenced { .. }
            | FaultKind::NonCoherent { .. }
            | FaultKind::DependentUnwaited { .. } => true,
            FaultKind::Unmapped { space, .. }
            | FaultKind::OutOfBounds { space, .. }
            | FaultKind::Misaligned { space, .. }
            | FaultKind::Uninitialised { space, .. }
            | FaultKind::Provenance { space, .. }
            | FaultKind::ReadOnly(space) => global(space),
            _ => false,
        }
    }
}

/// A thread, with its block where that is another one than the fault's.
fn thread([x, y, z]: [u32; 3], block: Option<[u32; 3]>) -> String {
    match block {
        None => format!("thread ({x},{y},{z})"),
        Some([i, j, k]) => format!("thread ({x},{y},{z}) of block ({i},{j},{k})"),
    }
}

/// A thread of the same block, or of another one of the cluster.
fn neighbour([x, y, z]: [u32; 3], block: Option<[u32; 3]>) -> String {
    match block {
        None => format!("thread ({x},{y},{z}) of the same block"),
        Some([i, j, k]) => format!("thread ({x},{y},{z}) of the cluster's block ({i},{j},{k})"),
    }
}

/// An access, of an asynchronous operation with what it uses.
fn by(access: Access, slot: &Option<Slot>) -> String {
    match slot {
        Some(slot) => format!("asynchronous {access} ({slot}, {})", slot.completes),
        None => access.to_string(),
    }
}

/// `a 64-byte swizzle`, or `no swizzle`.
fn swizzle(bytes: usize) -> String {
    match bytes {
        0 => "no swizzle".to_owned(),
        bytes => format!("a {bytes}-byte swizzle"),
    }
}

/// The allocation that an access outside of all is meant for: the one that its address comes from,
/// or else one that is near.
pub(crate) fn meant(
    nearest: &Option<(u64, usize, u64)>,
    derived: bool,
) -> Option<(u64, usize, u64)> {
    const NEAR: u64 = 4096;
    nearest.filter(|&(_, size, distance)| derived || distance <= NEAR.max(size as u64))
}

fn near(nearest: &Option<(u64, usize, u64)>, derived: bool) -> String {
    match meant(nearest, derived) {
        Some((base, size, distance)) => {
            let (size, distance) = (counted(size, "byte"), counted(distance, "byte"));
            let which = if derived {
                "its address comes from"
            } else {
                "the nearest is"
            };
            format!("; {which} {base:#x} of {size}, {distance} away")
        }
        None if nearest.is_some() => "; none is near".to_owned(),
        None => "; there is none".to_owned(),
    }
}

fn place(line: &Option<usize>) -> String {
    line.map_or(String::new(), |line| {
        format!(" (one is at PTX line {line})")
    })
}

/// What an operation that is left behind does to shared memory.
fn left(reads: bool, slot: Option<&Slot>) -> String {
    let what = if reads { "reads" } else { "writes" };
    let Some(slot) = slot else {
        return format!("{what} its shared memory");
    };
    let completes = match slot.completes {
        phase @ Completion::Phase { .. } => format!(" and completes {phase}"),
        group => format!(", in {group}"),
    };
    format!("{what} {slot} of its shared memory{completes}")
}
