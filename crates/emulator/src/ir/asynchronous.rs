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
    /// The rows of the accumulators; `used` is their index in `Function::warpgroup_registers`.
    pub d: Vec<u32>,
    pub sums: Vec<u32>,
    pub left: WgmmaLeft,
    /// The row of B's descriptor.
    pub right: u32,
    /// The predicate that decides whether the product is added to the accumulators.
    pub scale: u32,
    /// Whether A's and B's elements change their sign. `transpose` is whether neighbouring rows of
    /// A and neighbouring columns of B are contiguous, instead of neighbours in k.
    pub negate: [bool; 2],
    pub transpose: [bool; 2],
}

/// The source of A.
#[derive(Debug)]
pub(crate) enum WgmmaLeft {
    /// The row of A's descriptor.
    Descriptor(u32),
    /// The rows of A's registers, and their index in `Function::warpgroup_registers`.
    Registers { rows: [u32; 4], used: Vec<u32> },
}

/// The use of registers of a `wgmma` by another instruction; registers are given by their index.
#[derive(Debug)]
pub(crate) struct Touch {
    pub pc: u32,
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    /// Whether the instruction is a plain `mov`.
    pub copies: bool,
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`, also for tensors.
#[derive(Debug)]
pub(crate) struct Bulk {
    pub what: BulkKind,
    /// The address in shared memory: the destination of a load, otherwise the source.
    pub shared: Address,
    /// The global address, the tensor map, or the destination in another block's shared memory.
    pub other: Address,
    /// The row of the number of bytes, or `NONE` for a tensor.
    pub size: u32,
    /// The rows of the coordinates of a box.
    pub coordinates: [u32; 5],
    pub dimensions: u8,
    /// How a tensor copy goes over its tensor.
    pub mode: TensorMode,
    /// The object at which the bytes complete.
    pub barrier: Option<Address>,
    /// The row of the mask of blocks that get a copy, or `NONE` for one block.
    pub blocks: u32,
    /// Whether the object may be in the other block of the destination's pair.
    pub pair: bool,
    /// The operation of a reduction, by the type of its numbers; for a tensor the map determines
    /// the type.
    pub reduction: Option<BulkReduction>,
}

/// How a tensor copy goes over its tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TensorMode {
    /// A box.
    Tile,
    /// Four rows of a tensor of two dimensions, with a coordinate each: `gather4`, `scatter4`.
    FourRows,
    /// The pixels of a column, with the rows of the offsets of width, height and depth; all `NONE`
    /// without offsets.
    Im2col([u32; 3]),
}

/// `st.async`, `red.async`.
#[derive(Debug)]
pub(crate) struct StoreAsync {
    /// The destination of the value; `barrier` is the object at which the value's bytes complete.
    pub address: Address,
    pub barrier: Address,
    /// The number of bytes of an element.
    pub bytes: u8,
    /// The number of elements: 1, 2 or 4.
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
    /// The row of the new value; `wide` is whether the row has 64 bits.
    pub value: u32,
    pub wide: bool,
}

/// `tensormap.cp_fenceproxy`.
#[derive(Debug)]
pub(crate) struct CopyMap {
    /// The destination, in global memory.
    pub destination: Address,
    /// The source, in shared memory.
    pub source: Address,
}

/// The direction of a bulk copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BulkKind {
    /// From global to shared memory.
    Load,
    /// From shared to global memory.
    Store,
    /// From shared memory to another block's shared memory.
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
    /// The row of the count, of the state or of the parity; `NONE` for one arrival.
    pub operand: u32,
    pub result: u32,
}

/// The operation of an instruction on an mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierAct {
    Init,
    Invalidate,
    /// An arrival. With `drop`, later phases wait for this many fewer arrivals. With `no_complete`,
    /// the arrival must not complete the phase. With `expects`, there is one arrival, and the
    /// operand is a number of bytes for which the phase also waits. `releases` is the scope, or
    /// `None` for a `.relaxed` arrival.
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
    /// The thread's copies arrive. With `counted` (`.noinc`) they count as one of the arrivals for
    /// which the phase waits.
    CopiesArrive {
        counted: bool,
    },
    /// Tests whether the phase of a state, or of a parity, is complete. With `suspends`, the thread
    /// waits for a while (`try_wait`). `acquires` is the scope, or `None` for a `.relaxed` test.
    Test {
        parity: bool,
        suspends: bool,
        acquires: Option<Scope>,
    },
}

/// `cp.async.bulk.commit_group`.
#[derive(Debug)]
pub(crate) struct CommitBulk;

/// `cp.async.bulk.wait_group`; with `reads` it waits only for the groups' reads (`.read`).
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
