//! Approximate functions of `f32`. Each is one instruction of the special function unit.
//!
//! ```text
//!   approx::exp2(x)  ──►  ex2.approx.f32
//! ```
//!
//! Law: the result is within the error that the PTX ISA states for the instruction, which each
//! function's documentation repeats. On the host the exact function replaces the instruction, so
//! the last bits of results differ.
//!
//! Upstream (Rust-CUDA) has these functions as `intrinsics::fast_sinf` and so on, from libdevice.
//!
//! Source: PTX ISA, *sin, cos, ex2, lg2, rcp, rsqrt, sqrt, tanh*.

macro_rules! approximations {
    ($($(#[$doc:meta])* $name:ident = $ptx:literal, $x:ident => $host:expr;)+) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name($x: f32) -> f32 {
            #[cfg(target_arch = "nvptx64")]
            {
                let result;
                // SAFETY: the instruction only reads its operand and writes its result.
                unsafe {
                    core::arch::asm!(
                        concat!($ptx, " {0}, {1};"), out(reg32) result, in(reg32) $x,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                result
            }
            #[cfg(not(target_arch = "nvptx64"))]
            $host
        }
    )+};
}

approximations! {
    /// Approximates the sine. The absolute error is 2^-20.9 in `[-π, π]`, and grows outside.
    sin = "sin.approx.f32", x => x.sin();
    /// Approximates the cosine. The absolute error is 2^-20.9 in `[-π, π]`, and grows outside.
    cos = "cos.approx.f32", x => x.cos();
    /// Approximates 2 to the power of `x`, within about 2 ulp.
    exp2 = "ex2.approx.f32", x => x.exp2();
    /// Does the same as [`exp2`], but takes a subnormal operand as zero, and returns zero in place
    /// of a subnormal result. The function is one instruction, while [`exp2`] becomes three.
    exp2_ftz = "ex2.approx.ftz.f32", x => x.exp2();
    /// Approximates the logarithm to base 2. The absolute error is 2^-22 in `[0.5, 2]`, and the
    /// relative error is 2^-22 outside.
    log2 = "lg2.approx.f32", x => x.log2();
    /// Approximates `1 / x`, within 1 ulp.
    rcp = "rcp.approx.f32", x => 1.0 / x;
    /// Does the same as [`rcp`], but takes a subnormal operand as zero, and returns zero in place
    /// of a subnormal result.
    rcp_ftz = "rcp.approx.ftz.f32", x => 1.0 / x;
    /// Approximates `1 / sqrt(x)`, with a relative error of about 2^-22.4.
    rsqrt = "rsqrt.approx.f32", x => 1.0 / x.sqrt();
    /// Approximates the square root, with a relative error of 2^-23.
    sqrt = "sqrt.approx.f32", x => x.sqrt();
    /// Approximates the hyperbolic tangent, with a relative error of 2^-11. The instruction needs
    /// compute capability 7.5 or newer.
    tanh = "tanh.approx.f32", x => x.tanh();
}
