//! The part of shared memory that an asynchronous operation uses, and the event that completes it.
//!
//! ```text
//! cp.async.bulk.tensor.2d [0x800], [map, ..], [0x400]      8192 bytes from 0x800 ─► phase 3 of the mbarrier at 0x400
//! cp.async.bulk.global.shared::cta [p], [0x800], 512       512 bytes from 0x800  ─► bulk group 1 of its thread
//! ```

use std::fmt;

use crate::counted::counted;

/// The part of shared memory that an asynchronous operation uses: usually a stage of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes from the first to the last.
    pub bytes: usize,
    /// The event that completes the operation.
    pub completes: Completion,
}

/// The event that completes an asynchronous operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Completion {
    /// A phase of an mbarrier object, which counts the operation's bytes.
    Phase {
        /// The object's address.
        barrier: u64,
        /// The phase, counted from 0.
        phase: u64,
    },
    /// A bulk group of the thread that issued the operation, counted from 0.
    BulkGroup(u32),
    /// A `wgmma` group of the four warps that issued the operation.
    WgmmaGroup,
    /// A `tcgen05.commit` of the thread that issued the operation.
    TensorCommit,
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} from {:#x}",
            counted(self.bytes, "byte"),
            self.address
        )
    }
}

impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Completion::Phase { barrier, phase } => {
                write!(f, "phase {phase} of the mbarrier at {barrier:#x}")
            }
            Completion::BulkGroup(group) => write!(f, "bulk group {group} of its thread"),
            Completion::TensorCommit => f.write_str("a tcgen05.commit of its thread"),
            Completion::WgmmaGroup => f.write_str("a group of wgmma of its four warps"),
        }
    }
}
