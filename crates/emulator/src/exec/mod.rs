//! Execution.
//!
//! ```text
//! grid      what all blocks of a launch know, and where its faults are
//! dispatch  blocks over CPU threads, counters, the first fault
//! block     warps in turn, barriers, deadlock
//! warp      groups of lanes that go together, where they part and meet
//! run       one warp, instruction after instruction
//! shared    accesses of shared memory: its bytes and all checks before them
//! global    the same for global memory
//! memory, atomics, copies, exchange, tensor    what the instructions do that are not lane-wise
//! ```

pub(crate) mod access;
mod account;
mod arrive;
pub(crate) mod atomics;
pub(crate) mod banks;
mod barrier;
pub(crate) mod block;
pub(crate) mod bulk;
pub(crate) mod call;
pub(crate) mod cluster;
pub(crate) mod copies;
mod counters;
pub(crate) mod dependents;
pub(crate) mod dispatch;
pub(crate) mod engine;
pub(crate) mod exchange;
mod fence;
mod findings;
pub(crate) mod format;
pub(crate) mod gather;
pub(crate) mod global;
pub(crate) mod grid;
mod instruction;
mod later;
pub(crate) mod mbarrier;
pub(crate) mod memory;
mod non_coherent;
pub(crate) mod place;
pub(crate) mod provenance;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod shape;
pub(crate) mod shared;
mod step;
mod store_async;
pub(crate) mod tcgen05;
pub(crate) mod tensor;
mod tensor_map;
mod texture;
mod time;
pub(crate) mod values;
pub(crate) mod warp;
pub(crate) mod wgmma;

pub(crate) use crate::fault::{Outcome, Trap};
pub(crate) use crate::frame::lanes;
pub(crate) use instruction::{Instruction, LaneStep, Stop};
pub(crate) use run::Context;
