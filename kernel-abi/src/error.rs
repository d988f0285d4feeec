//! Why a problem has no launch.
//!
//! ```text
//!   problem ──► Ok(LaunchSpec)  or  ProblemError: which number, the value given, the values allowed
//! ```

/// Why a problem has no launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemError {
    /// An extent is 0.
    Empty {
        /// The extent's name.
        extent: &'static str,
    },
    /// A number is beyond what a launch covers.
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The largest value allowed.
        max: u64,
    },
    /// The kernel computes something else than the problem.
    Mismatch {
        /// The kernel's name.
        kernel: &'static str,
        /// The property in which kernel and problem differ.
        what: &'static str,
    },
    /// A stride is less than the length of what it separates: rows would overlap.
    Overlapping {
        /// The stride's name.
        stride: &'static str,
        /// The value given, in elements.
        given: u64,
        /// The least value allowed, in elements.
        min: u64,
    },
}

impl core::fmt::Display for ProblemError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty { extent } => write!(f, "{extent} is 0; it must be at least 1"),
            Self::TooLarge { what, given, max } => {
                write!(f, "{what} is {given}; a launch covers at most {max}")
            }
            Self::Mismatch { kernel, what } => {
                write!(f, "{kernel} is not for this product: {what} differs")
            }
            Self::Overlapping { stride, given, min } => {
                write!(f, "{stride} is {given}; it must be at least {min}")
            }
        }
    }
}

impl core::error::Error for ProblemError {}
