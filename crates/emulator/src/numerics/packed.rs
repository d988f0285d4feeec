//! `cvt` to and from pairs: two halves in 32 bits, two 8-bit floats in 16.
//!
//! ```text
//!   cvt.rn.f16x2.f32 d, a, b      d = [ convert(a) | convert(b) ]      a goes to the upper part
//! ```
//!
//! Law: each part is the scalar conversion of its operand (PTX ISA, "cvt").

use super::convert::{Cvt, Type, relu};
use super::fp8::Fp8;
use super::half;

/// Computes `cvt.{rn,rz}{.relu}{.satfinite}.{f16x2,bf16x2}.f32 d, a, b`; `cvt` is the conversion of
/// one part, from [`Type::F32`].
///
/// ```
/// use emulator::numerics::{convert::{Cvt, Type}, packed};
/// let cvt = Cvt::new(Type::F16, Type::F32);
/// assert_eq!(packed::from_f32_pair(&cvt, 1.0f32.to_bits(), 2.0f32.to_bits()), 0x3c00_4000);
/// ```
#[inline]
pub fn from_f32_pair(cvt: &Cvt, a: u32, b: u32) -> u32 {
    let part = |bits: u32| (cvt.apply(bits as u64) & 0xffff) as u32;
    part(a) << 16 | part(b)
}

/// Computes `cvt.rn.satfinite{.relu}.{e4m3x2,e5m2x2}.f32 d, a, b`.
#[inline]
pub fn fp8_from_f32_pair(kind: Fp8, with_relu: bool, a: u32, b: u32) -> u16 {
    let part = |bits: u32| {
        let bits = if with_relu {
            relu(Type::F32, bits as u64) as u32
        } else {
            bits
        };
        kind.from_f32(bits) as u16
    };
    part(a) << 8 | part(b)
}

/// Computes `cvt.rn.satfinite{.relu}.{e4m3x2,e5m2x2}.f16x2 d, a`.
#[inline]
pub fn fp8_from_f16_pair(kind: Fp8, with_relu: bool, a: u32) -> u16 {
    fp8_from_f32_pair(
        kind,
        with_relu,
        half::to_f32((a >> 16) as u16),
        half::to_f32(a as u16),
    )
}

/// Computes `cvt.rn{.relu}.f16x2.{e4m3x2,e5m2x2} d, a`, which is exact.
#[inline]
pub fn fp8_to_f16_pair(kind: Fp8, with_relu: bool, a: u16) -> u32 {
    let part = |bits: u8| {
        let bits = kind.to_f16(bits);
        (if with_relu {
            relu(Type::F16, bits as u64) as u16
        } else {
            bits
        }) as u32
    };
    part((a >> 8) as u8) << 16 | part(a as u8)
}
