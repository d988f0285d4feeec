//! `cvt` to and from pairs: two halves in 32 bits, two floats of 6 or 8 bits in 16, two of 4 in 8.
//!
//! ```text
//!   cvt.rn.f16x2.f32 d, a, b      d = [ convert(a) | convert(b) ]      a goes to the upper part
//! ```
//!
//! Law: each part is the scalar conversion of its operand (PTX ISA, "cvt").

use super::convert::{Cvt, Type, relu};
use super::fp8::Fp8;
use super::rounding::Rounding;
use super::soft::{self, Format};
use super::{bf16, half, ue8m0};

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

/// Returns the number of bits that a number of a pair takes: a float of 4 bits has as many, one of
/// 6 bits lies in the low bits of a byte.
#[inline]
fn place(format: Format) -> u32 {
    if format.sign_bit() == 8 { 4 } else { 8 }
}

/// Computes `cvt.rn.satfinite{.relu}.{e2m1x2,e2m3x2,e3m2x2}.f32 d, a, b`; NaN becomes the largest
/// number.
///
/// ```
/// use emulator::numerics::{packed, soft};
/// let [a, b] = [6.0f32, -0.5].map(f32::to_bits);
/// assert_eq!(packed::narrow_from_f32_pair(soft::E2M1, false, a, b), 0x79);
/// ```
#[inline]
pub fn narrow_from_f32_pair(format: Format, with_relu: bool, a: u32, b: u32) -> u16 {
    let part = |bits: u32| {
        let bits = match with_relu {
            true => relu(Type::F32, bits.into()),
            false => bits.into(),
        };
        let value = soft::unpack(soft::F32, bits);
        soft::pack_saturating(format, value, Rounding::NearestEven) as u16
    };
    part(a) << place(format) | part(b)
}

/// Computes `cvt.rn.satfinite{.relu}.e2m1x2.f16x2 d, a`.
#[inline]
pub fn narrow_from_f16_pair(format: Format, with_relu: bool, a: u32) -> u16 {
    let [high, low] = [a >> 16, a].map(|part| half::to_f32(part as u16));
    narrow_from_f32_pair(format, with_relu, high, low)
}

/// Computes `cvt.rn{.relu}.f16x2.{e2m1x2,e2m3x2,e3m2x2} d, a`, which is exact. Bits of `a` outside
/// of its two numbers do not count.
#[inline]
pub fn narrow_to_f16_pair(format: Format, with_relu: bool, a: u16) -> u32 {
    let part = |bits: u16| {
        let number = u64::from(bits) & (2 * format.sign_bit() - 1);
        let bits = soft::convert(format, soft::F16, number, Rounding::NearestEven);
        let bits = if with_relu {
            relu(Type::F16, bits)
        } else {
            bits
        };
        bits as u32
    };
    part(a >> place(format)) << 16 | part(a)
}

/// Computes `cvt.{rz,rp}{.satfinite}.ue8m0x2.f32 d, a, b`.
#[inline]
pub fn ue8m0_from_f32_pair([up, saturates]: [bool; 2], a: u32, b: u32) -> u16 {
    let part = |bits| u16::from(ue8m0::from_f32(bits, up, saturates));
    part(a) << 8 | part(b)
}

/// Computes `cvt.{rz,rp}{.satfinite}.ue8m0x2.bf16x2 d, a`.
#[inline]
pub fn ue8m0_from_bf16_pair(modes: [bool; 2], a: u32) -> u16 {
    let [high, low] = [a >> 16, a].map(|part| bf16::to_f32(part as u16));
    ue8m0_from_f32_pair(modes, high, low)
}

/// Computes `cvt.rn.bf16x2.ue8m0x2 d, a`, which is exact.
#[inline]
pub fn ue8m0_to_bf16_pair(a: u16) -> u32 {
    let part = |bits: u16| u32::from(ue8m0::to_bf16(bits as u8));
    part(a >> 8) << 16 | part(a)
}
