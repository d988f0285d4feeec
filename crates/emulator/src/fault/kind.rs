//! The kinds of faults, each with the values that its message needs.
//!
//! ```text
//! [out of bounds: offset 400 in 400 bytes]      without the place, which the fault has
//! ```

use super::{Access, Completion, Earlier, Later, Reached, Slot, Space};
use crate::counted::counted;
use crate::names::demangle;

/// The kind of a fault.
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
        /// The number of bytes of the access.
        size: usize,
        /// The nearest allocation: its start, its size, and the distance from the allocation to the
        /// access.
        nearest: Option<(u64, usize, u64)>,
        /// Whether the address was computed from that allocation.
        derived: bool,
    },
    /// An access that begins inside an allocation and leaves it, or an access to shared or local
    /// memory beyond its end.
    #[error(
        "{space} access of {} out of bounds: offset {offset} in {}",
        counted(size, "byte"),
        counted(length, "byte")
    )]
    OutOfBounds {
        /// The state space of the access.
        space: Space,
        /// The number of bytes of the access.
        size: usize,
        /// The offset of the access's first byte in the memory.
        offset: i64,
        /// The number of bytes of that memory.
        length: usize,
    },
    /// An access inside memory, but of another variable or buffer than those from which its address
    /// was computed.
    #[error(
        "{space} access of {size} bytes beyond what its address comes from: offset {offset} in {of} of {length} bytes{}",
        hit.as_ref().map_or(String::new(), |hit| format!(", which is in {hit}"))
    )]
    Provenance {
        /// The state space of the access.
        space: Space,
        /// The number of bytes of the access.
        size: usize,
        /// The offset of the access's first byte in the object from which the access's address
        /// derives; if there are several objects, in the nearest one.
        offset: i64,
        /// The number of bytes of that object.
        length: usize,
        /// The name of that object: "`tile`", "the buffer of parameter `p0`".
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
        /// The number of bytes of the access.
        size: usize,
        /// The offset of the access's first byte in the allocation.
        offset: u64,
        /// The number of bytes of that allocation.
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
    /// A read of bytes that were not written.
    #[error(
        "read of uninitialised {space} memory: byte {offset} of {length}{}",
        later.as_ref().map_or(String::new(), ToString::to_string)
    )]
    Uninitialised {
        /// The state space of the access.
        space: Space,
        /// The offset of the first uninitialised byte in the memory.
        offset: u64,
        /// The number of bytes of that memory.
        length: usize,
        /// For shared memory, the thread or operation that writes the byte afterwards.
        later: Option<Later>,
    },
    /// A read of a register that was not written.
    #[error("read of uninitialised register {register}")]
    UninitialisedRegister {
        /// The register's name.
        register: String,
    },
    /// The behaviour of a thread depends on a register that was not written.
    #[error("{reached} depends on register {register}, which nothing wrote")]
    Undefined {
        /// The register's name.
        register: String,
        /// The use of the value that depends on the register.
        reached: Reached,
    },
    /// A handle that is not a texture, or not a surface, of the instruction's kind.
    #[error("{handle:#x} is no {wanted} for this instruction: {problem}")]
    NoTexture {
        /// "texture" or "surface".
        wanted: &'static str,
        /// The handle.
        handle: u64,
        /// A description of what the handle is.
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
        /// The number of bytes of the access.
        size: usize,
        /// The place at which it begins: x in bytes, y, and z or the layer.
        coordinates: [i64; 3],
        /// The extents of the surface: bytes of a row, rows, and slices or layers.
        extents: [u64; 3],
    },
    /// A write to constant memory or to a parameter.
    #[error("write to read-only {0} memory")]
    ReadOnly(Space),
    /// Two threads used one place in shared memory without a barrier between the two accesses, and
    /// at least one of the threads wrote.
    #[error(
        "race on shared memory: {} after {} {earlier}, and no barrier orders the two{}",
        by(*access, slot), thread(*other, *block),
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    Race {
        /// The access of this instruction.
        access: Access,
        /// The earlier access of the other thread.
        earlier: Earlier,
        /// The other thread.
        other: [u32; 3],
        /// The other thread's block, if that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// The memory that this instruction uses and the event that completes it, if it is an
        /// asynchronous operation.
        slot: Option<Slot>,
        /// The reason why atomic or ordered accesses are not ordered.
        note: Option<String>,
        /// Whether both threads are lanes of one warp. Such a race is a separate kind of finding.
        within_warp: bool,
    },
    /// An access of local memory although `Config::allow_local_memory` is off.
    #[error(
        "access of local memory, which the launch does not allow: {} a thread",
        counted(bytes, "byte")
    )]
    LocalMemory {
        /// The bytes of local memory that a thread has here.
        bytes: usize,
    },
    /// An access of local memory of another thread by its address.
    #[error(
        "access of the local memory of thread ({},{},{}): a thread has no other's local variables, on a device its own lie there",
        owner[0], owner[1], owner[2]
    )]
    OthersLocal {
        /// The thread to which the address belongs.
        owner: [u32; 3],
    },
    /// A launch reads bytes through `ld.global.nc` and writes them too.
    #[error(
        "{access} of global memory that this launch {}: ld.global.nc may read only what no thread of the launch writes",
        match earlier { Earlier::Read => "reads through ld.global.nc", Earlier::Wrote => "writes, through ld.global.nc" }
    )]
    NonCoherent {
        /// The access of this instruction.
        access: Access,
        /// The earlier access: a read through `ld.global.nc`, or a write.
        earlier: Earlier,
    },
    /// Two blocks used one place in global memory without an atomic that orders the two accesses,
    /// and at least one of the blocks wrote.
    #[error(
        "race on global memory: {access} after block ({},{},{}) {earlier}, and no atomic orders the two blocks{}",
        other[0], other[1], other[2],
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    GlobalRace {
        /// The access of this instruction.
        access: Access,
        /// The earlier access of the other block.
        earlier: Earlier,
        /// The other block.
        other: [u32; 3],
        /// The reason why strong accesses are not ordered, or a note that a bulk copy is not waited
        /// for.
        note: Option<String>,
    },
    /// Two threads of one block, or of one cluster, used one place in global memory, nothing orders
    /// the two accesses, and at least one of them is a write.
    #[error(
        "race on global memory: {access} after {} {earlier}, and nothing orders the two{}",
        neighbour(*other, *block),
        note.as_ref().map_or(String::new(), |note| format!(": {note}"))
    )]
    ThreadRace {
        /// The access of this instruction.
        access: Access,
        /// The earlier access of the other thread.
        earlier: Earlier,
        /// The other thread.
        other: [u32; 3],
        /// The other thread's block, if that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// The reason why strong accesses are not ordered, or a note that a bulk copy is not waited
        /// for.
        note: Option<String>,
        /// Whether both threads are lanes of one warp. Such a race is a separate kind of finding.
        within_warp: bool,
    },
    /// An operation used a tensor map that threads of the launch wrote, without a
    /// `fence.proxy.tensormap` between the write and the use.
    #[error(
        "use of a tensor map that {} wrote, and no fence.proxy.tensormap::generic.acquire of the map stands between",
        thread(*other, *block)
    )]
    TensorMapUnfenced {
        /// The thread that wrote.
        other: [u32; 3],
        /// The thread's block, if that is not the fault's block.
        block: Option<[u32; 3]>,
    },
    /// A programmatic dependent launch used global memory that an earlier launch uses, and had not
    /// waited for that launch.
    #[error(
        "{access} of global memory before griddepcontrol.wait: kernel `{}`, which may not have ended yet, {earlier}",
        demangle(before)
    )]
    DependentUnwaited {
        /// The access of this instruction.
        access: Access,
        /// The kernel of the earlier launch.
        before: String,
        /// The access of that launch.
        earlier: Earlier,
    },
    /// A use of bytes that a `cp.async` writes, before the thread that issued the copy waited for
    /// it.
    #[error(
        "{access} of shared memory that a cp.async of thread ({},{},{}) writes, before that thread waited for it \
         (cp.async.wait_group or wait_all)",
        issuer[0], issuer[1], issuer[2]
    )]
    AsyncCopyPending {
        /// The access of this instruction.
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
    /// Only a part of the warp executed an instruction that the whole warp must execute together.
    #[error(
        "`.aligned` instruction in divergent code: lanes {active:#010x} execute it, {required:#010x} must"
    )]
    Divergent {
        /// The lanes that execute it together.
        active: u32,
        /// The lanes that must execute it.
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
    /// The mask of a `.sync` instruction names lanes that never arrive.
    #[error(
        "the mask {mask:#010x} names lanes {missing:#010x}, which do not come here{}",
        place(line)
    )]
    MissingLanes {
        /// The membership mask.
        mask: u32,
        /// The lanes that are missing.
        missing: u32,
        /// The PTX line where one of the missing lanes is.
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
        /// The lanes that take part.
        active: u32,
    },
    /// No warp of the block can continue.
    #[error("deadlock: no warp of the block can go on; {0}")]
    Deadlock(String),
    /// A barrier for all threads of the block opened without the threads that have exited.
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
        /// The problem.
        problem: String,
    },
    /// A use of bytes that a bulk copy writes, without a wait at the copy's mbarrier object that
    /// orders the two.
    #[error("{access} of shared memory that a `{operation}` writes{}", match slot {
        Some(slot) => format!(" ({slot}), and no wait for {} orders the two", slot.completes),
        None => ", and no wait for the phase of its mbarrier orders the two".to_owned(),
    })]
    BulkUnwaited {
        /// The access of this instruction.
        access: Access,
        /// The copy's opcode.
        operation: String,
        /// The memory that the copy writes, and the phase that it completes, if they are known.
        slot: Option<Slot>,
    },
    /// A write of bytes that an asynchronous operation reads, before the thread that issued the
    /// operation waited for it.
    #[error(
        "{access} of {space} memory that a `{operation}` of {} reads{}, before that thread waited for it",
        thread(*issuer, *block),
        slot.map_or(String::new(), |slot| format!(" ({slot}, {})", slot.completes))
    )]
    BeingRead {
        /// The space of the bytes: shared memory, or global memory.
        space: Space,
        /// The access of this instruction.
        access: Access,
        /// The operation's opcode.
        operation: String,
        /// The thread that issued the operation.
        issuer: [u32; 3],
        /// The issuer's block, if that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// The memory that the operation reads, and the event that completes it, if they are known.
        slot: Option<Slot>,
    },
    /// An asynchronous operation uses bytes that a thread wrote, and no fence of the proxies orders
    /// the two.
    #[error(
        "{} of {space} memory that {} wrote, and no fence.proxy.async orders the two",
        by(*access, slot), thread(*other, *block)
    )]
    Unfenced {
        /// The space of the bytes: shared memory, or global memory.
        space: Space,
        /// The access of the operation.
        access: Access,
        /// The thread that wrote.
        other: [u32; 3],
        /// The thread's block, if that is another one of the cluster.
        block: Option<[u32; 3]>,
        /// The memory that the operation uses, and the event that completes it.
        slot: Option<Slot>,
    },
    /// A `wgmma` reads with another swizzle than that of the tensor map by which the bytes were
    /// written.
    #[error(
        "an operand of wgmma is read with {}, and came by a tensor map with {}{}",
        swizzle(*read),
        swizzle(*written),
        slot.map_or(String::new(), |slot| format!(" ({slot}, {})", slot.completes))
    )]
    Swizzle {
        /// The bytes of the tensor map's swizzle, or 0 if it has no swizzle.
        written: usize,
        /// The bytes of the descriptor's swizzle, or 0 if it has no swizzle.
        read: usize,
        /// The memory that the copy wrote, and the phase that it completed, if they are known.
        slot: Option<Slot>,
    },
    /// Shared memory is read through another swizzle than the one through which it was written, and
    /// the bytes there differ from the expected ones.
    #[error(
        "shared memory is read through {read}, and {} wrote it through {written}",
        other.map_or("a tensor map".to_owned(), |[x, y, z]| format!("thread ({x},{y},{z})"))
    )]
    OtherSwizzle {
        /// The swizzle through which the bytes are read; it applies to offsets in bytes.
        read: String,
        /// The swizzle through which the bytes were written.
        written: String,
        /// The thread that wrote, or `None` if a copy by a tensor map wrote.
        other: Option<[u32; 3]>,
    },
    /// A register of a `wgmma` is used while the `wgmma` is under way, or a `wgmma` uses a register
    /// without a preceding fence.
    #[error("{}", match *.in_flight {
        true => format!("register {register} is used while a wgmma has it: no wgmma.wait_group has reached that one"),
        false => format!("register {register} was used since the last wgmma.fence, or there was none: the wgmma needs one before it"),
    })]
    WgmmaRegister {
        /// The register's name.
        register: String,
        /// Whether a `wgmma` that is under way uses the register.
        in_flight: bool,
    },
    /// The warps of a group of four, or the lanes of one, do not issue the same `wgmma`.
    #[error("wgmma: {problem}")]
    Warpgroup {
        /// The difference.
        problem: String,
    },
    /// Tensor memory is used wrongly, or without the order that two accesses need.
    #[error("tensor memory: {problem}")]
    TensorMemory {
        /// The problem.
        problem: String,
    },
    /// Two accesses of tensor memory by different threads, between which the threads synchronise
    /// and a `tcgen05.fence` is missing.
    #[error("tensor memory: {problem}")]
    TensorFence {
        /// Which fence is missing, and where.
        problem: String,
    },
    /// A block ends while an asynchronous operation still uses the block's shared memory.
    #[error("the block ends, and nothing in it has waited for this `{operation}`, which {}", left(*reads, slot.as_ref()))]
    LeftBehind {
        /// The operation's opcode.
        operation: String,
        /// Whether the operation reads; otherwise it writes.
        reads: bool,
        /// The memory that the operation uses, and the event that would have completed it, if they
        /// are known.
        slot: Option<Slot>,
    },
    /// A block uses the shared memory of a block of its cluster that may have ended.
    #[error("{access} of shared memory of the cluster's block {rank}, {}", match *.ended {
        true => "which has ended",
        false => "which does not wait for it before it ends: a barrier of the cluster is missing",
    })]
    PeerEnded {
        /// The access of this instruction.
        access: Access,
        /// The rank of the other block.
        rank: u32,
        /// Whether the other block had already ended.
        ended: bool,
    },
    /// There is no mbarrier object at the place where one is used.
    #[error("no mbarrier object lies here: none was made by mbarrier.init, or it was invalidated")]
    NoMbarrier {
        /// The address of the place.
        barrier: u64,
    },
    /// An mbarrier object was used wrongly.
    #[error("mbarrier at {barrier:#x}, phase {phase}: {problem}")]
    Mbarrier {
        /// The object's address.
        barrier: u64,
        /// The object's phase, counted from 0.
        phase: u64,
        /// The problem.
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
    /// The block printed more than a launch may print.
    #[error("the block printed more than {limit} bytes (Config::max_output)")]
    Output {
        /// The most bytes that a launch may print.
        limit: usize,
    },
    /// Calls are nested too deeply, or local variables are too large.
    #[error(
        "stack overflow: {} of local memory, a thread has {limit}",
        counted(bytes, "byte")
    )]
    StackOverflow {
        /// The number of bytes needed.
        bytes: usize,
        /// The number of bytes that a thread has.
        limit: usize,
    },
    /// `trap`, by which a panic also ends.
    #[error("trap")]
    Trap,
    /// `brkpt`.
    #[error("breakpoint")]
    Breakpoint,
    /// A call through a pointer that is not the address of a function with the call's parameters.
    #[error("call of {target:#x}, which is no function{}", if *.mismatch { " with this signature" } else { "" })]
    BadCall {
        /// The pointer.
        target: u64,
        /// Whether the pointer is that of a function with other parameters.
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
    /// Operand values that the instruction does not allow; values are only known at run time.
    #[error("{0}")]
    Operand(String),
}

impl FaultKind {
    /// Whether the fault is a read of shared memory that was not written. Then the block continues,
    /// because its next actions show what is missing.
    pub(crate) fn waits_for_a_write(&self) -> bool {
        matches!(
            self,
            FaultKind::Uninitialised {
                space: Space::Shared,
                ..
            }
        )
    }

    /// Whether chance decides at which of two accesses the fault is found, if blocks run at the
    /// same time.
    pub(crate) fn is_by_chance(&self) -> bool {
        matches!(
            self,
            FaultKind::GlobalRace { .. } | FaultKind::NonCoherent { .. }
        )
    }

    /// Whether the address of the fault is an address of global memory.
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

/// Names a thread, with its block if that is not the fault's block.
fn thread([x, y, z]: [u32; 3], block: Option<[u32; 3]>) -> String {
    match block {
        None => format!("thread ({x},{y},{z})"),
        Some([i, j, k]) => format!("thread ({x},{y},{z}) of block ({i},{j},{k})"),
    }
}

/// Names a thread of the same block, or of another block of the cluster.
fn neighbour([x, y, z]: [u32; 3], block: Option<[u32; 3]>) -> String {
    match block {
        None => format!("thread ({x},{y},{z}) of the same block"),
        Some([i, j, k]) => format!("thread ({x},{y},{z}) of the cluster's block ({i},{j},{k})"),
    }
}

/// Names an access; for an asynchronous operation with the memory that it uses.
fn by(access: Access, slot: &Option<Slot>) -> String {
    match slot {
        Some(slot) => format!("asynchronous {access} ({slot}, {})", slot.completes),
        None => access.to_string(),
    }
}

/// Names a swizzle: `a 64-byte swizzle`, or `no swizzle`.
fn swizzle(bytes: usize) -> String {
    match bytes {
        0 => "no swizzle".to_owned(),
        bytes => format!("a {bytes}-byte swizzle"),
    }
}

/// Returns the allocation that an access outside of all allocations was meant for: the one from
/// which the access's address derives, or otherwise a near one.
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

/// Describes the access of an operation that still uses the shared memory of a block that has
/// ended.
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
