//! Converts a number to another element type, by the GPU's own instruction.
//!
//! ```text
//!   f16 bf16 e4m3 e5m2 ──convert──► f32   exactly           f32 ──convert──► f16 bf16 e4m3 e5m2 tf32 s8 s32   rounded once
//!   convert_pair                    two at a time: cvt.rn.f16x2.f32, one instruction for both
//! ```
//!
//! Law: on a GPU, on the emulator and on a host the result has the same bits, except for NaN
//! payloads. Rounding is to nearest, ties to even; for TF32 ties go away from zero. A number that
//! is too large saturates in 8-bit floats and integers, and becomes infinite in f16 and bf16; a NaN
//! becomes NaN, or the integer 0. TF32 keeps the upper bits of a NaN, which are the bits of
//! infinity if they contain no bit of the payload.
//!
//! `f16::to_f32` of the crate `half` computes the same number in software: in a kernel it takes 26
//! instructions and a branch instead of one instruction. `cuda_builder` warns of a kernel that
//! contains this function.
//!
//! Source: CUTLASS `cutlass/numeric_conversion.h` (`NumericConverter`, `NumericArrayConverter`);
//! PTX ISA, *cvt*.

use super::element::{FloatE4M3, FloatE5M2, TFloat32};
#[cfg(target_arch = "nvptx64")]
use crate::arch::convert as arch;
use half::{bf16, f16};

/// A number that can be converted to the type `D`: CUTLASS's `NumericConverter`.
#[diagnostic::on_unimplemented(
    message = "no instruction converts `{Self}` to `{D}`",
    label = "there are conversions between f32 and every type of 8 and 16 bits, TF32 and s32, and between the types of 16 bits",
    note = "convert to f32 first, and from there"
)]
pub trait ConvertTo<D>: Copy {
    /// Converts the number to `D`.
    #[must_use]
    fn convert_to(self) -> D;

    /// Converts two numbers, in one instruction if the GPU has one for pairs.
    #[inline(always)]
    #[must_use]
    fn convert_pair_to(pair: [Self; 2]) -> [D; 2] {
        pair.map(Self::convert_to)
    }
}

/// Converts `value` to the type `To`, by the GPU's instruction. On a host the result is the same.
/// As in `transmute::<Src, Dst>`, both types can be written, and `From` is inferred from the value:
/// `convert::<_, f32>(x)`, or `let y: f32 = convert(x)`.
///
/// ```
/// use half::{bf16, f16};
/// use layout_types::atom::convert::convert;
/// use layout_types::atom::element::FloatE4M3;
/// assert_eq!(convert::<_, f32>(f16::from_bits(0x3e00)), 1.5);
/// assert_eq!(convert::<_, bf16>(1.0 + 1.0 / 256.0), bf16::from_bits(0x3f80)); // a tie, to even
/// assert_eq!(convert::<_, FloatE4M3>(1e9), FloatE4M3(0x7e)); // 448, the largest
/// assert_eq!(convert::<f32, i8>(-2.5), -2);
/// ```
#[inline(always)]
#[must_use]
pub fn convert<From: ConvertTo<To>, To>(value: From) -> To {
    value.convert_to()
}

/// Converts two numbers as [`convert`] does; a single instruction converts two f32 to a type of 16
/// or 8 bits.
///
/// ```
/// use half::f16;
/// use layout_types::atom::convert::convert_pair;
/// let pair: [f16; 2] = convert_pair([1.0, -2.0]);
/// assert_eq!(pair.map(f16::to_bits), [0x3c00, 0xc000]);
/// ```
#[inline(always)]
#[must_use]
pub fn convert_pair<From: ConvertTo<To>, To>(pair: [From; 2]) -> [To; 2] {
    From::convert_pair_to(pair)
}

/// Executes the instruction on a GPU, and the expression with the same result on a host.
macro_rules! on_gpu {
    ($gpu:expr, $host:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            $gpu
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            $host
        }
    }};
}

/// Returns the two halves of a register, the lower half first.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn halves(pair: u32) -> [u16; 2] {
    [pair as u16, (pair >> 16) as u16]
}

macro_rules! conversions {
    ($($from:ty => $to:ty: |$value:ident| $one:expr $(, |$pair:ident| $two:expr)?;)*) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert_to(self) -> $to {
                let $value = self;
                $one
            }
            $(
                #[inline(always)]
                fn convert_pair_to($pair: [Self; 2]) -> [$to; 2] {
                    $two
                }
            )?
        }
    )*};
}
conversions! {
    f16 => f32: |x| on_gpu!(arch::f32_from_f16(x.to_bits()), x.to_f32());
    bf16 => f32: |x| f32::from_bits(u32::from(x.to_bits()) << 16);
    FloatE4M3 => f32: |x| x.to_f32();
    FloatE5M2 => f32: |x| x.to_f32();
    TFloat32 => f32: |x| f32::from_bits(x.0);
    i8 => f32: |x| f32::from(x);
    u8 => f32: |x| f32::from(x);
    i32 => f32: |x| x as f32;

    f32 => f16: |x| on_gpu!(f16::from_bits(arch::f16_from_f32(x)), f16::from_f32(x)),
        |p| on_gpu!(halves(arch::f16x2_from_f32(p[0], p[1])).map(f16::from_bits), p.map(f16::from_f32));
    f32 => bf16: |x| on_gpu!(bf16::from_bits(arch::bf16x2_from_f32(x, 0.0) as u16), bf16::from_f32(x)),
        |p| on_gpu!(halves(arch::bf16x2_from_f32(p[0], p[1])).map(bf16::from_bits), p.map(bf16::from_f32));
    f32 => FloatE4M3: |x| FloatE4M3::from_f32(x), |p| FloatE4M3::pair_from_f32(p);
    f32 => FloatE5M2: |x| FloatE5M2::from_f32(x), |p| FloatE5M2::pair_from_f32(p);
    f32 => TFloat32: |x| TFloat32(on_gpu!(arch::tf32_from_f32(x), tf32_from_f32(x)));
    f32 => i8: |x| on_gpu!(arch::s8_from_f32(x) as i8, nearest(x, 127.0) as i8);
    f32 => i32: |x| on_gpu!(arch::s32_from_f32(x), nearest(x, f32::INFINITY) as i32);

    f16 => bf16: |x| convert::<_, bf16>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    bf16 => f16: |x| convert::<_, f16>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    f16 => FloatE4M3: |x| convert::<_, FloatE4M3>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    f16 => FloatE5M2: |x| convert::<_, FloatE5M2>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    bf16 => FloatE4M3: |x| convert::<_, FloatE4M3>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    bf16 => FloatE5M2: |x| convert::<_, FloatE5M2>(convert::<_, f32>(x)), |p| convert_pair(p.map(convert::<_, f32>));
    FloatE4M3 => f16: |x| convert::<_, f16>(x.to_f32());
    FloatE5M2 => f16: |x| convert::<_, f16>(x.to_f32());
    FloatE4M3 => bf16: |x| convert::<_, bf16>(x.to_f32());
    FloatE5M2 => bf16: |x| convert::<_, bf16>(x.to_f32());

    // Identities, which generic code also needs.
    f32 => f32: |x| x;
    f16 => f16: |x| x;
    bf16 => bf16: |x| x;
    FloatE4M3 => FloatE4M3: |x| x;
    FloatE5M2 => FloatE5M2: |x| x;
    i8 => i8: |x| x;
    i32 => i32: |x| x;
}

/// Computes `cvt.rna.tf32.f32`: the upper 19 bits, ties away from zero.
#[cfg(not(target_arch = "nvptx64"))]
fn tf32_from_f32(value: f32) -> u32 {
    let bits = value.to_bits();
    if !value.is_finite() {
        return bits & !0x1fff;
    }
    (bits + 0x1000) & !0x1fff
}

/// Returns the nearest whole number, ties to even, within `-limit - 1` and `limit`.
#[cfg(not(target_arch = "nvptx64"))]
fn nearest(value: f32, limit: f32) -> f32 {
    // From 2^23 on every f32 is whole; below, adding and subtracting 2^23 rounds.
    let magnitude = value.abs();
    let whole = if magnitude < 8_388_608.0 {
        ((magnitude + 8_388_608.0) - 8_388_608.0).copysign(value)
    } else {
        value
    };
    whole.clamp(-limit - 1.0, limit)
}
