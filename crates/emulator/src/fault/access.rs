//! The terms by which a fault describes an access: the memory, the kind of access, and the earlier
//! access.
//!
//! ```text
//! race on shared memory: [write] after thread (5,0,0) [read it]        misaligned [shared] access
//! ```

use super::Slot;
use std::fmt;

/// A state space, as a fault names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Memory of the device, visible to every thread.
    Global,
    /// Read-only variables of a module.
    Const,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters of a kernel or function.
    Param,
    /// Arrays of textures and surfaces.
    Array,
    /// A generic address that is in no window of the other spaces.
    Generic,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Const => "const",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
            Space::Array => "array",
            Space::Generic => "generic",
        })
    }
}

/// A read or a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A read and a write together (`atom`, `red`).
    Atomic,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic operation",
        })
    }
}

/// The use of a value that depends on a register which was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reached {
    /// The address of an access.
    Address,
    /// An operand of an operation on memory.
    Memory,
    /// A branch, a guard, or the choice of the threads that meet at a barrier.
    Branch,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Reached::Address => "an address",
            Reached::Memory => "a value on its way to memory",
            Reached::Branch => "a branch or guard",
        })
    }
}

/// The earlier access of another thread to the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Earlier {
    /// The other thread read the place.
    Read,
    /// The other thread wrote the place.
    Wrote,
}

impl fmt::Display for Earlier {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Earlier::Read => "read it",
            Earlier::Wrote => "wrote it",
        })
    }
}

/// The later writer of a place of shared memory that a thread read before anything wrote it, as the
/// rest of the block's execution shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Later {
    /// Another thread writes the place, and nothing orders the two accesses.
    Unordered([u32; 3]),
    /// A `cp.async`, or another asynchronous operation, writes the place.
    Asynchronous {
        /// The operation's opcode.
        operation: String,
        /// The memory that the operation writes, and the event that completes the operation, if
        /// they are known.
        slot: Option<Slot>,
    },
    /// The reading thread itself writes the place.
    Own,
    /// Another thread writes the place after a barrier, or with the value that was there.
    Ordered([u32; 3]),
    /// No thread of the block writes the place.
    Nobody,
    /// No thread had written the place by the block's next fault, whose sentence this is.
    Fault(String),
    /// The block could not continue.
    Unknown,
}

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = |[x, y, z]: &[u32; 3]| format!("thread ({x},{y},{z})");
        match self {
            Later::Unordered(thread) => write!(
                f,
                ", which {} writes later, and no barrier lies between",
                name(thread)
            ),
            Later::Asynchronous { operation, slot } => {
                write!(f, ", which a `{operation}` writes later, and no wait for ")?;
                match slot {
                    Some(slot) => write!(f, "{} lies between", slot.completes),
                    None => f.write_str("it lies between"),
                }
            }
            Later::Own => {
                f.write_str(", which this thread writes later: it reads before it writes")
            }
            Later::Ordered(thread) => write!(
                f,
                ", which {} writes later: what it reads is never there in time",
                name(thread)
            ),
            Later::Nobody => f.write_str(", which no thread of the block writes"),
            Later::Fault(sentence) => write!(
                f,
                ", which nothing has written by the block's next fault: {sentence}"
            ),
            Later::Unknown => {
                f.write_str("; where another thread writes it, no barrier lies between")
            }
        }
    }
}
