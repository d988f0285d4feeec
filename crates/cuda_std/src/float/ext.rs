//! [`FloatExt`]: functions that `std` does not have, under the names of upstream (Rust-CUDA).
//!
//! ```text
//!   0.3.error_function(), 2.0.ldexp(5), 4.5.gamma(), 0.25.sinpi()
//! ```
//!
//! Law: each method computes what its documentation defines, with the accuracy of `libm`. The same
//! code runs in kernels and on the host.
//!
//! Upstream also has the inverses of the error function and of the normal distribution, and the
//! scaled error function. Upstream takes them from libdevice, so this crate does not have them.
//!
//! Source: Rust-CUDA's `FloatExt`; `libm`.

#![allow(clippy::manual_clamp)] // `clamp` keeps NaN, `saturate` must not.

use super::private::Sealed;

macro_rules! methods {
    ($($(#[$doc:meta])* fn $name:ident($self:ident $(, $argument:ident: $type:ty)*) -> $out:ty = $f32:expr, $f64:expr;)+) => {
        /// Functions of `f32` and `f64` that `std` does not have.
        pub trait FloatExt: Sized + Sealed {
            $(
                $(#[$doc])*
                #[must_use = "the result is a new number"]
                fn $name(self $(, $argument: $type)*) -> $out;
            )+
        }
        impl FloatExt for f32 {
            $(#[inline(always)] fn $name($self $(, $argument: $type)*) -> $out { $f32 })+
        }
        impl FloatExt for f64 {
            $(#[inline(always)] fn $name($self $(, $argument: $type)*) -> $out { $f64 })+
        }
    };
}

methods! {
    /// Returns `sin(π·self)`, exact if `self` is a multiple of a half.
    fn sinpi(self) -> Self = sinpi_f32(self), sinpi_f64(self);
    /// Returns `cos(π·self)`, exact if `self` is a multiple of a half.
    fn cospi(self) -> Self = cospi_f32(self), cospi_f64(self);
    /// Returns both `sinpi` and `cospi` of `self`, in this order.
    fn sincospi(self) -> (Self, Self) = (sinpi_f32(self), cospi_f32(self)), (sinpi_f64(self), cospi_f64(self));
    /// Returns the error function of `self`.
    fn error_function(self) -> Self = libm::erff(self), libm::erf(self);
    /// Returns `1 - error_function(self)`, accurate for large `self`.
    fn complementary_error_function(self) -> Self = libm::erfcf(self), libm::erfc(self);
    /// Returns `(m, e)` with `self = m·2^e` and `|m|` in `[0.5, 1)`. For 0, infinities and NaN, `m`
    /// is `self`.
    fn frexp(self) -> (Self, i32) = libm::frexpf(self), libm::frexp(self);
    /// Returns the exponent `e` for which `|self| = m·2^e`, with `m` in `[1, 2)`.
    fn unbiased_exp(self) -> i32 = libm::ilogbf(self), libm::ilogb(self);
    /// Returns the Bessel function of the first kind of order 0.
    fn j0(self) -> Self = libm::j0f(self), libm::j0(self);
    /// Returns the Bessel function of the first kind of order 1.
    fn j1(self) -> Self = libm::j1f(self), libm::j1(self);
    /// Returns the Bessel function of the first kind of any order.
    fn jn(self, order: i32) -> Self = libm::jnf(order, self), libm::jn(order, self);
    /// Returns the Bessel function of the second kind of order 0.
    fn y0(self) -> Self = libm::y0f(self), libm::y0(self);
    /// Returns the Bessel function of the second kind of order 1.
    fn y1(self) -> Self = libm::y1f(self), libm::y1(self);
    /// Returns the Bessel function of the second kind of any order.
    fn yn(self, order: i32) -> Self = libm::ynf(order, self), libm::yn(order, self);
    /// Returns `self·2^exp`.
    fn ldexp(self, exp: i32) -> Self = libm::ldexpf(self, exp), libm::ldexp(self, exp);
    /// Returns `self·2^exp`.
    fn scale_by_n(self, exp: i32) -> Self = libm::scalbnf(self, exp), libm::scalbn(self, exp);
    /// Returns `ln |Γ(self)|`.
    fn log_gamma(self) -> Self = libm::lgammaf(self), libm::lgamma(self);
    /// Returns `Γ(self)`.
    fn gamma(self) -> Self = libm::tgammaf(self), libm::tgamma(self);
    /// Returns `ln(1 + self)`.
    fn log1p(self) -> Self = libm::log1pf(self), libm::log1p(self);
    /// Returns the cumulative distribution function of the standard normal distribution.
    fn norm_cdf(self) -> Self =
        0.5 * libm::erfcf(-self * core::f32::consts::FRAC_1_SQRT_2),
        0.5 * libm::erfc(-self * core::f64::consts::FRAC_1_SQRT_2);
    /// Returns `1 / cbrt(self)`.
    fn rcbrt(self) -> Self = 1.0 / libm::cbrtf(self), 1.0 / libm::cbrt(self);
    /// Returns `self` clamped to `[+0, 1]`, or 0 if `self` is NaN.
    fn saturate(self) -> Self = self.max(0.0).min(1.0), self.max(0.0).min(1.0);
}

macro_rules! trigonometry_of_pi {
    ($float:ident, $sinpi:ident, $cospi:ident, $fmod:path, $sin:path, $cos:path) => {
        #[inline(always)]
        fn $sinpi(x: $float) -> $float {
            // The argument is reduced twice, both times exactly: by the period to (-2, 2), and then
            // to (-1/4, 1/4) around a multiple of a half.
            let x = $fmod(x, 2.0);
            let half_turns = if x < 0.0 { -0.5 } else { 0.5 };
            let quarter = (x * 2.0 + half_turns) as i32;
            let angle = (x - quarter as $float * 0.5) * core::$float::consts::PI;
            match quarter & 3 {
                0 => $sin(angle),
                1 => $cos(angle),
                2 => -$sin(angle) + 0.0,
                _ => -$cos(angle),
            }
        }

        #[inline(always)]
        fn $cospi(x: $float) -> $float {
            let x = $fmod(x, 2.0);
            let half_turns = if x < 0.0 { -0.5 } else { 0.5 };
            let quarter = (x * 2.0 + half_turns) as i32;
            let angle = (x - quarter as $float * 0.5) * core::$float::consts::PI;
            match quarter & 3 {
                0 => $cos(angle),
                1 => -$sin(angle) + 0.0,
                2 => -$cos(angle),
                _ => $sin(angle) + 0.0,
            }
        }
    };
}

trigonometry_of_pi!(
    f32,
    sinpi_f32,
    cospi_f32,
    libm::fmodf,
    libm::sinf,
    libm::cosf
);
trigonometry_of_pi!(f64, sinpi_f64, cospi_f64, libm::fmod, libm::sin, libm::cos);

#[cfg(test)]
mod tests {
    use super::FloatExt;

    #[test]
    fn sinpi_and_cospi_are_exact_at_quarters_and_close_between() {
        let exact = [
            (0.0, 0.0, 1.0),
            (0.5, 1.0, 0.0),
            (1.0, 0.0, -1.0),
            (1.5, -1.0, 0.0),
        ];
        for (x, sin, cos) in exact {
            for turns in [-4.0, -2.0, 0.0, 2.0, 1024.0] {
                assert_eq!((x + turns).sincospi(), (sin, cos), "{x} + {turns}");
                let (x, turns) = (x as f32, turns as f32);
                assert_eq!(
                    (x + turns).sincospi(),
                    (sin as f32, cos as f32),
                    "{x} + {turns}"
                );
            }
        }
        for i in -4000..4000 {
            let x = f64::from(i) / 997.0;
            let (sin, cos) = x.sincospi();
            let angle = x * core::f64::consts::PI;
            assert!((sin - angle.sin()).abs() < 4e-15, "sinpi({x})");
            assert!((cos - angle.cos()).abs() < 4e-15, "cospi({x})");
        }
        assert!(f64::INFINITY.sinpi().is_nan() && f32::NAN.cospi().is_nan());
    }

    #[test]
    fn frexp_ldexp_and_exponent_agree() {
        for x in [1.0f64, -3.5, 1e-310, 7e300, 0.1] {
            let (m, e) = x.frexp();
            assert!((0.5..1.0).contains(&m.abs()));
            assert_eq!(m.ldexp(e), x);
            assert_eq!(m.scale_by_n(e), x);
            assert_eq!(x.unbiased_exp(), e - 1);
        }
    }

    #[test]
    fn saturate_clamps_and_drops_nan() {
        assert_eq!((-1.0f32).saturate().to_bits(), 0);
        assert_eq!(2.0f64.saturate(), 1.0);
        assert_eq!(0.25f32.saturate(), 0.25);
        assert_eq!(f32::NAN.saturate(), 0.0);
    }

    #[test]
    fn normal_distribution_is_symmetric_and_known() {
        assert_eq!(0.0f64.norm_cdf(), 0.5);
        assert!((1.959_963_984_540_054f64.norm_cdf() - 0.975).abs() < 1e-15);
        for i in 0..50 {
            let x = f64::from(i) / 10.0;
            assert!((x.norm_cdf() + (-x).norm_cdf() - 1.0).abs() < 1e-15);
        }
    }
}
