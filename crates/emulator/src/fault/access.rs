//! What a fault says of an access: where it was, what it did, and what another one had done before.
//!
//! ```text
//! race on shared memory: [write] after thread (5,0,0) [read it]        misaligned [shared] access
//! ```

use std::fmt;

/// A state space, as a fault names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Memory of the device, seen by every thread.
    Global,
    /// Read-only variables of a module.
    Const,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters of a kernel or function.
    Param,
    /// Arrays behind textures and surfaces.
    Array,
    /// An address that is in no window of the above.
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
    /// A read and write in one (`atom`, `red`).
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

/// What another thread had done to the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Earlier {
    /// It read it.
    Read,
    /// It wrote it.
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
