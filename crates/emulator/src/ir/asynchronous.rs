//! Operands of asynchronous operations: `wgmma`, bulk copies, mbarrier objects.

use super::{Address, Scope};
use crate::tensor_map::MapField;
use crate::types::Type;

/// `wgmma.mma_async`.
#[derive(Debug)]
pub(crate) struct Wgmma {
    /// The product as an `mma.sync` of 16 rows and 8 columns.
    pub what: crate::numerics::mma::Mma,
    /// The number of columns.
    pub n: u32,
    /// Accumulators, and their index in `Function::warpgroup_registers`.
    pub d: Vec<u32>,
    pub sums: Vec<u32>,
    pub left: WgmmaLeft,
    /// Row of B's descriptor.
    pub right: u32,
    /// Predicate: whether the accumulators are added.
    pub scale: u32,
    /// Whether A's and B's elements change their sign; (`transpose`) whether neighbouring rows of A
    /// and neighbouring columns of B are contiguous, instead of neighbours in k.
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

/// What an instruction does with registers that a `wgmma` uses, given by their index.
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
    /// The address in shared memory: the destination of a load, otherwise the source.
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
    /// Whether the object may be in the other block of the destination's pair.
    pub pair: bool,
    /// The operation of a reduction, by the type of its numbers; for a tensor the map determines
    /// the type.
    pub reduction: Option<BulkReduction>,
}

/// `st.async`, `red.async`.
#[derive(Debug)]
pub(crate) struct StoreAsync {
    /// The destination of the value, and (`barrier`) the object at which its bytes complete.
    pub address: Address,
    pub barrier: Address,
    /// Bytes of an element.
    pub bytes: u8,
    /// Elements: 1, 2 or 4.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    pub registers: [u32; 4],
    /// For a reduction: computes the new value from the old value and the operand.
    pub apply: Option<fn(u64, u64, u64) -> u64>,
}

/// `tensormap.replace`.
#[derive(Debug)]
pub(crate) struct ReplaceInMap {
    pub address: Address,
    pub field: MapField,
    /// The dimension, for a field that each dimension has.
    pub dimension: u8,
    /// Row of the new value, and whether it has 64 bits.
    pub value: u32,
    pub wide: bool,
}

/// `tensormap.cp_fenceproxy`.
#[derive(Debug)]
pub(crate) struct CopyMap {
    /// In global memory.
    pub destination: Address,
    /// In shared memory.
    pub source: Address,
}

/// The direction of a bulk copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BulkKind {
    /// Global to shared memory.
    Load,
    /// Shared to global memory.
    Store,
    /// Shared to another block's shared memory.
    Copy,
}

/// A reduction: its name, and its type if the instruction has one.
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

/// What an instruction does with an mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierAct {
    Init,
    Invalidate,
    /// `drop`: later phases wait for this many fewer arrivals. `no_complete`: the arrival must not
    /// complete the phase. `expects`: one arrival, and the operand is a number of bytes for which
    /// the phase also waits. `releases`: the scope, `None` for a `.relaxed` arrival.
    Arrive {
        drop: bool,
        no_complete: bool,
        expects: bool,
        releases: Option<Scope>,
    },
    /// The operand is a number of bytes for which the phase also waits.
    Expect,
    /// The operand is a number of bytes that have arrived.
    Complete,
    /// The thread's copies arrive; `counted` (`.noinc`): as one of the arrivals for which the phase
    /// waits.
    CopiesArrive {
        counted: bool,
    },
    /// Tests whether the phase of a state, or of a parity, is complete. `suspends`: the thread
    /// waits for a while (`try_wait`). `acquires`: the scope, `None` for a `.relaxed` test.
    Test {
        parity: bool,
        suspends: bool,
        acquires: Option<Scope>,
    },
}

/// `cp.async.bulk.commit_group`.
#[derive(Debug)]
pub(crate) struct CommitBulk;

/// `cp.async.bulk.wait_group`; `reads`: only for the groups' reads (`.read`).
#[derive(Debug)]
pub(crate) struct WaitBulk {
    pub keep: u32,
    pub reads: bool,
}

/// `wgmma.fence`.
#[derive(Debug)]
pub(crate) struct WgmmaFence;

/// `wgmma.commit_group`.
#[derive(Debug)]
pub(crate) struct WgmmaCommit;

/// `wgmma.wait_group`.
#[derive(Debug)]
pub(crate) struct WgmmaWait {
    pub keep: u32,
}
