//! Why a problem has no launch.
//!
//! ```text
//!   problem ──► Ok(LaunchSpec)  or  ProblemError: which number, the value given, the values allowed
//! ```

/// Why a problem has no launch.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// The kernel's epilogue operation reads what the problem has not.
    NoBuffer {
        /// The kernel's name.
        kernel: &'static str,
        /// What it reads.
        what: &'static str,
        /// The setting of the problem's epilogue that gives it a buffer.
        setting: &'static str,
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
    /// Two parts that no kernel has together.
    NotTogether {
        /// The first.
        first: &'static str,
        /// The second.
        second: &'static str,
    },
    /// A number is no multiple of another.
    NotMultiple {
        /// What is counted.
        what: &'static str,
        /// The value given.
        given: u64,
        /// What it has to be a multiple of.
        of: u64,
    },
    /// A number is not the one that follows from others.
    OtherThan {
        /// What is counted.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The one value allowed.
        allowed: u64,
    },
    /// A number is no power of two.
    NotPowerOfTwo {
        /// What is counted.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The least value allowed.
        min: u64,
    },
    /// Weights are packed otherwise than the kernel reads them.
    Packed {
        /// The kernel's name.
        kernel: &'static str,
        /// How they are packed.
        found: &'static crate::weights::PackedLayout,
        /// How the kernel reads them.
        reads: &'static crate::weights::PackedLayout,
    },
    /// A factor is not above 0, or not finite.
    NotPositive {
        /// The factor's name.
        what: &'static str,
        /// The bits of the f32 given.
        bits: u32,
    },
    /// A factor of scores whose exponents f32 has no digits for.
    BeyondDigits {
        /// The factor's name.
        what: &'static str,
        /// The bits of the f32 given.
        bits: u32,
        /// The bits of the largest one.
        max_bits: u32,
    },
}

/// As `Display`: a test that ends with this error prints its sentence.
impl core::fmt::Debug for ProblemError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
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
            Self::NotTogether { first, second } => write!(
                f,
                "{first} and {second} are not computed together: no kernel has both"
            ),
            Self::NoBuffer {
                kernel,
                what,
                setting,
            } => write!(
                f,
                "the epilogue operation of {kernel} reads {what}, and the problem has none: its `Epilogue` needs {setting}"
            ),
            Self::Overlapping { stride, given, min } => {
                write!(f, "{stride} is {given}; it must be at least {min}")
            }
            Self::NotMultiple { what, given, of } => {
                write!(f, "{what} is {given}; it must be a multiple of {of}")
            }
            Self::OtherThan {
                what,
                given,
                allowed,
            } => write!(f, "{what} is {given}; it must be {allowed}"),
            Self::NotPowerOfTwo { what, given, min } => {
                write!(
                    f,
                    "{what} is {given}; it must be a power of two of at least {min}"
                )
            }
            Self::Packed {
                kernel,
                found,
                reads,
            } => write!(
                f,
                "{kernel} reads weights packed as {reads}; these are packed as {found}"
            ),
            Self::NotPositive { what, bits } => {
                let given = f32::from_bits(*bits);
                write!(f, "{what} is {given}; it must be above 0 and finite")
            }
            Self::BeyondDigits {
                what,
                bits,
                max_bits,
            } => {
                let [given, max] = [*bits, *max_bits].map(f32::from_bits);
                write!(
                    f,
                    "{what} is {given}; it must be at most {max} here: beyond that exponents of scores have too few digits in f32"
                )
            }
        }
    }
}

impl core::error::Error for ProblemError {}
