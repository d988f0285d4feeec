//! [`GpuFloat`]: `std`'s floating-point methods in kernels.
//!
//! ```text
//!   nvptx64:  core's hardware operations, otherwise libm           host:  std itself
//! ```
//!
//! Law: a method has the same meaning as `std`'s method with the same name. The operations that
//! IEEE 754 rounds exactly have the same bits (`floor`, `ceil`, `round`, `trunc`, `fract`, `abs`,
//! `signum`, `copysign`, `mul_add`, `sqrt`).
//!
//! Source: the documentation of `f32` and `f64`; Rust-CUDA's `GpuFloat`.

use super::private::Sealed;
#[cfg(target_arch = "nvptx64")]
use core::{f32::math as math32, f64::math as math64};

macro_rules! methods {
    ($($(#[$doc:meta])* fn $name:ident($self:ident $(, $argument:ident: $type:ty)*) -> $out:ty = $f32:expr, $f64:expr;)+) => {
        /// `std`'s methods of `f32` and `f64`, in kernels too.
        pub trait GpuFloat: Copy + PartialOrd + Sealed {
            $(
                $(#[$doc])*
                #[must_use = "the result is a new number"]
                fn $name(self $(, $argument: $type)*) -> $out;
            )+
        }
        methods!(@impl f32 [$(fn $name($self $(, $argument: $type)*) -> $out = $f32;)+]);
        methods!(@impl f64 [$(fn $name($self $(, $argument: $type)*) -> $out = $f64;)+]);
    };
    (@impl $float:ident [$(fn $name:ident($self:ident $(, $argument:ident: $type:ty)*) -> $out:ty = $gpu:expr;)+]) => {
        impl GpuFloat for $float {
            $(
                #[inline(always)]
                fn $name($self $(, $argument: $type)*) -> $out {
                    #[cfg(target_arch = "nvptx64")]
                    return $gpu;
                    #[cfg(not(target_arch = "nvptx64"))]
                    <$float>::$name($self $(, $argument)*)
                }
            )+
        }
    };
}

methods! {
    /// Returns the largest integer not above `self`.
    fn floor(self) -> Self = math32::floor(self), math64::floor(self);
    /// Returns the smallest integer not below `self`.
    fn ceil(self) -> Self = math32::ceil(self), math64::ceil(self);
    /// Returns the nearest integer, and rounds halves away from zero.
    fn round(self) -> Self = math32::round(self), math64::round(self);
    /// Returns the integer part.
    fn trunc(self) -> Self = math32::trunc(self), math64::trunc(self);
    /// Returns the fractional part, `self - self.trunc()`.
    fn fract(self) -> Self = math32::fract(self), math64::fract(self);
    /// Returns the absolute value.
    fn abs(self) -> Self = f32::abs(self), f64::abs(self);
    /// Returns 1 with the sign of `self`, or NaN if `self` is NaN.
    fn signum(self) -> Self = f32::signum(self), f64::signum(self);
    /// Returns the magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self = f32::copysign(self, sign), f64::copysign(self, sign);
    /// Returns `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self = math32::mul_add(self, a, b), math64::mul_add(self, a, b);
    /// Returns the integer `n` with `self = n * rhs + self.rem_euclid(rhs)`.
    fn div_euclid(self, rhs: Self) -> Self = div_euclid!(self, rhs, math32, libm::fmodf), div_euclid!(self, rhs, math64, libm::fmod);
    /// Returns the remainder, in `0..|rhs|`.
    fn rem_euclid(self, rhs: Self) -> Self = rem_euclid!(self, rhs, libm::fmodf), rem_euclid!(self, rhs, libm::fmod);
    /// Returns `self` to an integer power, by squaring.
    fn powi(self, n: i32) -> Self = powi!(self, n, f32), powi!(self, n, f64);
    /// Returns `self` to a power.
    fn powf(self, n: Self) -> Self = libm::powf(self, n), libm::pow(self, n);
    /// Returns the square root.
    fn sqrt(self) -> Self = math32::sqrt(self), math64::sqrt(self);
    /// Returns e to the power of `self`.
    fn exp(self) -> Self = libm::expf(self), libm::exp(self);
    /// Returns 2 to the power of `self`.
    fn exp2(self) -> Self = libm::exp2f(self), libm::exp2(self);
    /// Returns the natural logarithm.
    fn ln(self) -> Self = libm::logf(self), libm::log(self);
    /// Returns the logarithm to a base, as `ln(self) / ln(base)`.
    fn log(self, base: Self) -> Self = libm::logf(self) / libm::logf(base), libm::log(self) / libm::log(base);
    /// Returns the logarithm to base 2.
    fn log2(self) -> Self = libm::log2f(self), libm::log2(self);
    /// Returns the logarithm to base 10.
    fn log10(self) -> Self = libm::log10f(self), libm::log10(self);
    /// Returns the cube root.
    fn cbrt(self) -> Self = libm::cbrtf(self), libm::cbrt(self);
    /// Returns `sqrt(self² + other²)`, without overflow of the squares.
    fn hypot(self, other: Self) -> Self = libm::hypotf(self, other), libm::hypot(self, other);
    /// Returns the sine.
    fn sin(self) -> Self = libm::sinf(self), libm::sin(self);
    /// Returns the cosine.
    fn cos(self) -> Self = libm::cosf(self), libm::cos(self);
    /// Returns the tangent.
    fn tan(self) -> Self = libm::tanf(self), libm::tan(self);
    /// Returns the arcsine.
    fn asin(self) -> Self = libm::asinf(self), libm::asin(self);
    /// Returns the arccosine.
    fn acos(self) -> Self = libm::acosf(self), libm::acos(self);
    /// Returns the arctangent.
    fn atan(self) -> Self = libm::atanf(self), libm::atan(self);
    /// Returns the angle of the point `(other, self)`.
    fn atan2(self, other: Self) -> Self = libm::atan2f(self, other), libm::atan2(self, other);
    /// Returns the sine and the cosine.
    fn sin_cos(self) -> (Self, Self) = libm::sincosf(self), libm::sincos(self);
    /// Returns `exp(self) - 1`, accurate near zero.
    fn exp_m1(self) -> Self = libm::expm1f(self), libm::expm1(self);
    /// Returns `ln(1 + self)`, accurate near zero.
    fn ln_1p(self) -> Self = libm::log1pf(self), libm::log1p(self);
    /// Returns the hyperbolic sine.
    fn sinh(self) -> Self = libm::sinhf(self), libm::sinh(self);
    /// Returns the hyperbolic cosine.
    fn cosh(self) -> Self = libm::coshf(self), libm::cosh(self);
    /// Returns the hyperbolic tangent.
    fn tanh(self) -> Self = libm::tanhf(self), libm::tanh(self);
    /// Returns the inverse hyperbolic sine.
    fn asinh(self) -> Self = libm::asinhf(self), libm::asinh(self);
    /// Returns the inverse hyperbolic cosine.
    fn acosh(self) -> Self = libm::acoshf(self), libm::acosh(self);
    /// Returns the inverse hyperbolic tangent.
    fn atanh(self) -> Self = libm::atanhf(self), libm::atanh(self);
}

#[cfg(target_arch = "nvptx64")]
macro_rules! div_euclid {
    ($x:expr, $y:expr, $math:ident, $fmod:path) => {{
        let quotient = $math::trunc($x / $y);
        if $fmod($x, $y) < 0.0 {
            if $y > 0.0 {
                quotient - 1.0
            } else {
                quotient + 1.0
            }
        } else {
            quotient
        }
    }};
}
#[cfg(target_arch = "nvptx64")]
use div_euclid;

#[cfg(target_arch = "nvptx64")]
macro_rules! rem_euclid {
    ($x:expr, $y:expr, $fmod:path) => {{
        let remainder = $fmod($x, $y);
        if remainder < 0.0 {
            remainder + $y.abs()
        } else {
            remainder
        }
    }};
}
#[cfg(target_arch = "nvptx64")]
use rem_euclid;

#[cfg(target_arch = "nvptx64")]
macro_rules! powi {
    ($x:expr, $n:expr, $float:ident) => {{
        let (mut square, mut left, mut power): ($float, u32, $float) = ($x, $n.unsigned_abs(), 1.0);
        while left != 0 {
            if left & 1 == 1 {
                power *= square;
            }
            square *= square;
            left >>= 1;
        }
        if $n < 0 { 1.0 / power } else { power }
    }};
}
#[cfg(target_arch = "nvptx64")]
use powi;
