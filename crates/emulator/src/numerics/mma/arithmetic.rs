//! Selects the device whose floating-point addition `mma.sync` reproduces.
//!
//! ```text
//!   exact     f64 sums, one rounding            closer to the exact sum than any device
//!   f32       fma, fma, fma, ...  in .f32       what a loop over k with plain arithmetic gives
//!   sm80      groups of 16 bytes, 24 bits       from the literature
//!   sm90      groups of 32 bytes, 25 bits       an H200's, to the bit
//! ```
//!
//! Law: an [`Arithmetic`] prints as the name from which it is parsed.

use std::fmt;
use std::str::FromStr;

/// How floating-point sums other than `.f64` are computed.
///
/// ```
/// use emulator::numerics::mma::Arithmetic;
/// assert_eq!("sm90".parse(), Ok(Arithmetic::Sm90));
/// assert_eq!(Arithmetic::F32Chain.to_string(), "f32");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Arithmetic {
    /// The exact products are added in `f64` and rounded once: closer to the exact sum than any
    /// device.
    #[default]
    Exact,
    /// One fused multiply-add in `.f32` per step, from C on in the order of k; for D in `.f16` the
    /// sum is rounded once more.
    F32Chain,
    /// The arithmetic of tensor cores of compute capability 8.0 according to the literature: groups
    /// of 16 bytes of K, terms truncated to 24 bits below the largest exponent, each group's sum
    /// truncated to `.f32`. It was not compared with such a device.
    Sm80,
    /// The arithmetic of an H200, bit by bit: terms truncated to 25 bits below the largest
    /// exponent, the sum truncated to `.f32`.
    Sm90,
}

/// A name that is not the name of an [`Arithmetic`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no arithmetic of tensor cores is called `{found}`; there are exact, f32, sm80 and sm90")]
pub struct UnknownArithmetic {
    /// The name.
    pub found: String,
}

impl Arithmetic {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Exact, Self::F32Chain, Self::Sm80, Self::Sm90];

    /// Returns the arithmetic of a device by its compute capability: [`Arithmetic::Sm80`] below
    /// 9.0, [`Arithmetic::Sm90`] from 9.0 on.
    ///
    /// ```
    /// use emulator::numerics::mma::Arithmetic;
    /// assert_eq!(Arithmetic::of_device((8, 6)), Arithmetic::Sm80);
    /// assert_eq!(Arithmetic::of_device((9, 0)), Arithmetic::Sm90);
    /// ```
    #[must_use]
    pub fn of_device(compute_capability: (u32, u32)) -> Self {
        if compute_capability < (9, 0) {
            Self::Sm80
        } else {
            Self::Sm90
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::F32Chain => "f32",
            Self::Sm80 => "sm80",
            Self::Sm90 => "sm90",
        })
    }
}

impl FromStr for Arithmetic {
    type Err = UnknownArithmetic;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|one| one.to_string() == name);
        found.ok_or_else(|| UnknownArithmetic { found: name.into() })
    }
}
