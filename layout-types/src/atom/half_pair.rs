//! Two 16-bit floats in one register: sums, products and multiply-adds.
//!
//! ```text
//!   f16::fma_pair(a, b, c)      [ a.high b.high + c.high | a.low b.low + c.low ]      one fma.rn.f16x2
//! ```
//!
//! Law: each half is rounded once, to nearest, ties to even. A GPU, the emulator and a host compute
//! the same bits, except for NaN payloads.
//!
//! Source: PTX ISA, *Half Precision Floating Point Instructions: add, mul, fma*.

use super::Element;
#[cfg(target_arch = "nvptx64")]
use crate::arch::math as arch;
use half::{bf16, f16};

/// A 16-bit float for whose pairs a GPU has instructions.
///
/// ```
/// use half::f16;
/// use layout_types::atom::half_pair::HalfPair;
/// let [two, three] = [2.0, 3.0].map(|x| f16::splat(f16::from_f32(x)));
/// assert_eq!(f16::fma_pair(two, three, f16::pair([f16::ONE, f16::NEG_ONE])), f16::pair([7.0, 5.0].map(f16::from_f32)));
/// ```
#[diagnostic::on_unimplemented(
    message = "no instruction computes with pairs of `{Self}`",
    label = "there are such instructions for `half::f16` and `half::bf16`"
)]
pub trait HalfPair: Element {
    /// Returns the bits of a number.
    #[must_use]
    fn bits(self) -> u16;

    /// Computes `a + b` in both halves.
    #[must_use]
    fn add_pair(a: u32, b: u32) -> u32;

    /// Computes `a b + c` in both halves.
    #[must_use]
    fn fma_pair(a: u32, b: u32, c: u32) -> u32;

    /// Computes `a b` in both halves, as `a b - 0`, which keeps the sign of a zero.
    #[inline(always)]
    #[must_use]
    fn mul_pair(a: u32, b: u32) -> u32 {
        Self::fma_pair(a, b, 0x8000_8000)
    }

    /// Puts two numbers into a register, the first in the lower half.
    #[inline(always)]
    #[must_use]
    fn pair([low, high]: [Self; 2]) -> u32 {
        u32::from(low.bits()) | u32::from(high.bits()) << 16
    }

    /// Puts a number into both halves.
    #[inline(always)]
    #[must_use]
    fn splat(value: Self) -> u32 {
        Self::pair([value; 2])
    }
}

/// Executes the instruction on a GPU, and the same operation on each half in `f64` on a host.
macro_rules! on_gpu {
    ($t:ty, $gpu:expr, |$($x:ident),+| $host:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            $gpu
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let half = |shift: u32| {
                $(let $x = <$t>::from_bits(($x >> shift) as u16).to_f64();)+
                u32::from(<$t>::from_f32($host).to_bits()) << shift
            };
            half(0) | half(16)
        }
    }};
}

impl HalfPair for f16 {
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
    #[inline(always)]
    fn add_pair(a: u32, b: u32) -> u32 {
        on_gpu!(f16, arch::add_f16x2(a, b), |a, b| odd(a, b))
    }
    #[inline(always)]
    fn fma_pair(a: u32, b: u32, c: u32) -> u32 {
        on_gpu!(f16, arch::fma_f16x2(a, b, c), |a, b, c| odd(a * b, c))
    }
}

impl HalfPair for bf16 {
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
    /// Computes `a * 1 + b`, as there is no addition of bf16 before sm_90.
    #[inline(always)]
    fn add_pair(a: u32, b: u32) -> u32 {
        on_gpu!(bf16, arch::fma_bf16x2(a, 0x3f80_3f80, b), |a, b| odd(a, b))
    }
    #[inline(always)]
    fn fma_pair(a: u32, b: u32, c: u32) -> u32 {
        on_gpu!(bf16, arch::fma_bf16x2(a, b, c), |a, b, c| odd(a * b, c))
    }
}

/// Computes the sum in f32, rounded to odd. Then a second rounding, to 16 bits, gives the same
/// result as a single rounding. A product of two 16-bit floats is exact in f64.
#[cfg(not(target_arch = "nvptx64"))]
fn odd(a: f64, b: f64) -> f32 {
    let sum = a + b;
    // The rounding error of the sum in f64 (Knuth's two-sum).
    let of_b = sum - a;
    let lost = (a - (sum - of_b)) + (b - of_b);
    let nearest = sum as f32;
    if !sum.is_finite() || !nearest.is_finite() {
        return nearest;
    }
    let beyond = (sum - f64::from(nearest)) + lost;
    if beyond == 0.0 || nearest.to_bits() & 1 == 1 {
        return nearest;
    }
    // The neighbour on the side of the exact sum is odd.
    let away = (beyond > 0.0) == (nearest.is_sign_positive());
    let bits = nearest.to_bits();
    match (nearest == 0.0, away) {
        (true, _) => f32::from_bits(1 | u32::from(beyond < 0.0) << 31),
        (_, true) => f32::from_bits(bits + 1),
        (_, false) => f32::from_bits(bits - 1),
    }
}
