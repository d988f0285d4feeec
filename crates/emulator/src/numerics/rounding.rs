//! The rounding modes of PTX's floating-point instructions.
//!
//! ```text
//!   value on the number line, between two neighbours of the target format
//!
//!      lo ------|----x-------- hi          x nearer to lo, positive
//!      .rn -> lo   .rz -> lo   .rm -> lo   .rp -> hi   .rna -> lo
//! ```
//!
//! Law: in every mode the result is one of the two neighbours of the exact value, or the exact
//! value itself if the format has it (PTX ISA, "Rounding Modifiers").

/// Selects which of the two neighbouring values of the target format an inexact result becomes.
///
/// ```
/// use emulator::numerics::{rounding::Rounding, soft};
/// let third = |mode| soft::div(soft::F32, 1.0f32.to_bits() as u64, 3.0f32.to_bits() as u64, mode) as u32;
/// assert_eq!(third(Rounding::Up), third(Rounding::Down) + 1);
/// assert_eq!(f32::from_bits(third(Rounding::NearestEven)), 1.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// `.rn` (`.rni`): to the nearer neighbour; a tie goes to the one with an even last digit.
    #[default]
    NearestEven,
    /// `.rz` (`.rzi`): towards zero.
    Zero,
    /// `.rm` (`.rmi`): towards negative infinity.
    Down,
    /// `.rp` (`.rpi`): towards positive infinity.
    Up,
    /// `.rna`: to the nearer neighbour; a tie goes away from zero. PTX has it for `cvt` to `.tf32`
    /// only.
    NearestAway,
}

impl Rounding {
    /// Returns the mode that PTX writes as `.rn`/`.rni`, `.rz`/`.rzi`, `.rm`/`.rmi`, `.rp`/`.rpi`
    /// or `.rna`, without the dot.
    ///
    /// ```
    /// use emulator::numerics::rounding::Rounding;
    /// assert_eq!(Rounding::from_modifier("rzi"), Some(Rounding::Zero));
    /// assert_eq!(Rounding::from_modifier("ftz"), None);
    /// ```
    pub fn from_modifier(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "rn" | "rni" => Self::NearestEven,
            "rz" | "rzi" => Self::Zero,
            "rm" | "rmi" => Self::Down,
            "rp" | "rpi" => Self::Up,
            "rna" => Self::NearestAway,
            _ => return None,
        })
    }

    /// Returns the mode that rounds `-x` as `self` rounds `x`: the two directed modes swap.
    #[inline]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
            other => other,
        }
    }

    /// Whether a magnitude is rounded up to the next one. Its last kept bit is `odd`; `rest`
    /// compares the discarded part with half a unit in the last place: `Less` (but not zero),
    /// `Equal` or `Greater`. The value must not be exact.
    #[inline]
    pub(crate) fn increments(self, negative: bool, odd: bool, rest: core::cmp::Ordering) -> bool {
        use core::cmp::Ordering::{Equal, Less};
        match self {
            Self::NearestEven => rest != Less && (rest != Equal || odd),
            Self::NearestAway => rest != Less,
            Self::Zero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}
