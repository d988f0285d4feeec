//! Operands of cooperative operations: barriers, exchanges between lanes, matrices of a warp.

use super::Address;

/// `bar`, `barrier`.
#[derive(Debug)]
pub(crate) struct Barrier {
    pub kind: BarrierKind,
    pub aligned: bool,
    pub barrier: u32,
    /// The row of the thread count, or `NONE` for the whole block.
    pub threads: u32,
    /// The source predicate of a reduction.
    pub predicate: u32,
    /// The row of the result: a 32-bit row for `popc`, a predicate for the other reductions.
    pub result: u32,
}

/// The effect of a barrier.
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
    /// The predicate of the result, or `NONE`.
    pub valid: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub mask: u32,
}

/// Selects the lane that `shfl` reads.
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

/// The condition that `vote` computes.
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
    /// Whether the instruction is `.all`; otherwise it is `.any`.
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
    /// Whether the values are floats. A value by itself then counts as applied to itself, which
    /// makes a NaN canonical and takes the magnitude with `.abs`.
    pub float: bool,
    pub result: u32,
    pub a: u32,
    pub mask: u32,
}

/// `ldmatrix`, `stmatrix`.
#[derive(Debug)]
pub(crate) struct Matrix {
    /// Whether the instruction is `stmatrix`.
    pub stores: bool,
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

/// The requirements of `wmma.load` and `wmma.store` on their matrix.
#[derive(Debug)]
pub(crate) struct Tile {
    pub address: Address,
    /// The row of the stride in elements.
    pub stride: u32,
    /// The number of bits of an element.
    pub bits: u32,
    /// The alignment in bytes of each row (or column).
    pub alignment: u32,
}

/// `movmatrix`.
#[derive(Debug)]
pub(crate) struct MoveMatrix {
    pub result: u32,
    pub source: u32,
}

/// `bar.warp.sync`.
#[derive(Debug)]
pub(crate) struct WarpBarrier {
    pub mask: u32,
}

/// `barrier.cluster.arrive`, which `releases` unless it is `.relaxed`, or `barrier.cluster.wait`.
#[derive(Debug)]
pub(crate) struct ClusterSync {
    pub arrive: bool,
    pub releases: bool,
    pub aligned: bool,
}

/// `elect.sync`.
#[derive(Debug)]
pub(crate) struct Elect {
    pub lane: u32,
    pub predicate: u32,
    pub mask: u32,
}

/// `activemask`.
#[derive(Debug)]
pub(crate) struct ActiveMask {
    pub result: u32,
}

/// `griddepcontrol.wait`.
#[derive(Debug)]
pub(crate) struct WaitForLaunchBefore;

/// `griddepcontrol.launch_dependents`.
#[derive(Debug)]
pub(crate) struct ReleaseDependents;

/// `setmaxnreg`.
#[derive(Debug)]
pub(crate) struct SetRegisters {
    pub increase: bool,
    pub count: u32,
}

/// `trap` and `brkpt`, which end the launch.
#[derive(Debug)]
pub(crate) enum Stopped {
    Trap,
    Breakpoint,
}

/// `nanosleep`: lets other lanes and warps run first.
#[derive(Debug)]
pub(crate) struct Sleep;

/// Instructions that have no effect here: `prefetch`, `applypriority`, `pmevent`, and fences of
/// proxies that the emulator does not model.
#[derive(Debug)]
pub(crate) struct NoEffect;

/// `%clock`, `%clock64` and `%globaltimer`, which return the warp's instruction count.
#[derive(Debug)]
pub(crate) struct Clock {
    pub result: u32,
    pub wide: bool,
    /// Whether the instruction returns the upper half of 64 bits.
    pub high: bool,
}
