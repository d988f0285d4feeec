//! Floating-point functions without `std`: [`GpuFloat`] has the methods of `std`, [`FloatExt`] has
//! further methods, and [`approx`] has the hardware's fast approximations.
//!
//! ```text
//!   x.floor(), x.sqrt(), x.mul_add(a, b)   ──►  cvt.rmi, sqrt.rn, fma.rn       one instruction, exact rounding
//!   x.sin(), x.exp(), x.powf(y), ...       ──►  software, within 1 ulp or so   tens of instructions
//!   approx::sin(x), approx::exp2(x)        ──►  sin.approx, ex2.approx         one instruction, about 2^-21
//! ```
//!
//! Law: a method has the meaning of the `std` method with the same name. On the host it *is* the
//! `std` method.
//!
//! Upstream (Rust-CUDA) maps these functions to NVIDIA's libdevice, which this build does not have.
//! Here the software functions come from `libm`. Some of them keep a table in local memory (`powf`,
//! and `sin` of large numbers): do not use these in an inner loop.
//!
//! Source: Rust-CUDA's `cuda_std::float` and `float_ext`; PTX ISA, *Floating Point Instructions*.

pub mod approx;
mod ext;
mod gpu;

pub use ext::FloatExt;
pub use gpu::GpuFloat;

/// Seals the traits, which only `f32` and `f64` implement.
mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
