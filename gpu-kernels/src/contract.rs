//! What a launch must look like for a kernel to be right: plain numbers, for a host that knows no algebra.
//!
//! ```text
//!   gemm::contract(..) ──► Contract { grid, block, shared, buffers } ──► the host checks it, once, and launches
//! ```
//!
//! Law: a launch with this grid, block and shared memory, on buffers at least as long and as aligned as stated
//! that do not overlap where one is written, reads and writes nothing else and computes what the kernel's
//! documentation says.

/// A buffer argument's least length and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Position among the kernel's arguments, from 0.
    pub argument: usize,
    /// What a person would call it: `A`, `C`, `dst`.
    pub name: &'static str,
    /// Least number of elements.
    pub elements: u64,
    /// Alignment of the first element, in bytes.
    pub alignment: usize,
    /// Whether the kernel writes it.
    pub written: bool,
}

/// A launch of one kernel over one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract<const BUFFERS: usize> {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: usize,
    /// Its buffers, in the order of the arguments.
    pub buffers: [Buffer; BUFFERS],
}

/// Why a problem has no launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// An extent is 0.
    Empty {
        /// Its name.
        extent: &'static str,
    },
    /// An extent needs more blocks than a grid may have in that direction.
    TooLarge {
        /// Its name.
        extent: &'static str,
        /// The value given.
        given: u32,
        /// The largest value that a launch can cover.
        most: u32,
    },
    /// The kernel computes something else than what is asked for.
    Unfit {
        /// The kernel's name.
        kernel: &'static str,
        /// In what they differ.
        what: &'static str,
    },
    /// A stride is less than what lies between: rows would overlap.
    Overlapping {
        /// Its name.
        stride: &'static str,
        /// The value given, in elements.
        given: u64,
        /// The least value.
        least: u64,
    },
    /// A number is beyond what a launch can cover.
    Beyond {
        /// What is counted.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The largest value.
        most: u64,
    },
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty { extent } => write!(f, "{extent} is 0; it must be at least 1"),
            Self::TooLarge {
                extent,
                given,
                most,
            } => {
                write!(f, "{extent} is {given}; a launch covers at most {most}")
            }
            Self::Unfit { kernel, what } => {
                write!(f, "{kernel} is not for this product: {what} differs")
            }
            Self::Overlapping {
                stride,
                given,
                least,
            } => write!(f, "{stride} is {given}; it must be at least {least}"),
            Self::Beyond { what, given, most } => {
                write!(f, "{what}: {given}; a launch covers at most {most}")
            }
        }
    }
}

impl core::error::Error for Refused {}

/// The largest extent of any problem: coordinates of a ragged tile's far edge still fit 32 bits.
pub const MOST_EXTENT: u32 = 1 << 31;

/// The most blocks that CUDA allows in a grid's y direction (z is the same).
pub const MOST_BLOCKS_Y: u32 = 65_535;

/// `given` where it lies in `1..=most`.
pub(crate) const fn extent(extent: &'static str, given: u32, most: u32) -> Result<u32, Refused> {
    if given == 0 {
        return Err(Refused::Empty { extent });
    }
    if given > most {
        return Err(Refused::TooLarge {
            extent,
            given,
            most,
        });
    }
    Ok(given)
}

/// `?` for const functions.
macro_rules! const_try {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}
pub(crate) use const_try;
