//! The error for a problem that has no launch.
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
        /// The name of the number.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The largest value allowed.
        max: u64,
    },
    /// The kernel does not compute the problem: the two differ in a property.
    Mismatch {
        /// The kernel's name.
        kernel: &'static str,
        /// The property in which kernel and problem differ.
        what: &'static str,
    },
    /// The kernel's epilogue operation reads a buffer that the problem does not have.
    NoBuffer {
        /// The kernel's name.
        kernel: &'static str,
        /// The buffer that the operation reads.
        what: &'static str,
        /// The setting of the problem's epilogue that adds the buffer.
        setting: &'static str,
    },
    /// A stride is less than the extent that it must span: rows would overlap.
    Overlapping {
        /// The stride's name.
        stride: &'static str,
        /// The value given, in elements.
        given: u64,
        /// The least value allowed, in elements.
        min: u64,
    },
    /// No kernel supports two properties together.
    NotTogether {
        /// The first property.
        first: &'static str,
        /// The second property.
        second: &'static str,
    },
    /// A number is not a multiple of another.
    NotMultiple {
        /// The name of the number.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The number that must divide it.
        of: u64,
    },
    /// A number differs from the value that other numbers determine.
    OtherThan {
        /// The name of the number.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The only value allowed.
        allowed: u64,
    },
    /// A number is not a power of two.
    NotPowerOfTwo {
        /// The name of the number.
        what: &'static str,
        /// The value given.
        given: u64,
        /// The least value allowed.
        min: u64,
    },
    /// Weights have a packing that the kernel does not read.
    Packed {
        /// The kernel's name.
        kernel: &'static str,
        /// The packing of the weights.
        found: &'static crate::weights::PackedLayout,
        /// The packing that the kernel reads.
        reads: &'static crate::weights::PackedLayout,
    },
    /// A factor is not above 0, or not finite.
    NotPositive {
        /// The factor's name.
        what: &'static str,
        /// The bits of the f32 given.
        bits: u32,
    },
    /// With this factor the exponents of the scores need more digits than f32 has.
    BeyondDigits {
        /// The factor's name.
        what: &'static str,
        /// The bits of the f32 given.
        bits: u32,
        /// The bits of the largest factor allowed.
        max_bits: u32,
    },
}

/// Same as `Display`: a test that ends with this error prints its sentence.
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
