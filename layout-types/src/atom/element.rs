//! Element types: the types of the values of a fragment or a tensor, and their number of bits.
//!
//! ```text
//!   f64 64    f32 TFloat32 32    f16 bf16 16    FloatE4M3 FloatE5M2 u8 i8 8    Int4 UInt4 4    UInt1 1
//!   scale factors FloatUE8M0 FloatUE4M3 8    FloatE2M3 FloatE3M2 6    FloatE2M1 4    Unpacked<FloatE2M1> 8
//! ```
//!
//! Law: `E::Bits` is the number of bits that an element takes in memory, packed without gaps. It is
//! a typenum integer, so that layouts in bits become layouts in elements at the type level.
//!
//! Source: CuTe `cute/numeric/numeric_types.hpp`; PTX ISA, *Alternate Floating-Point Data Formats*.

use crate::num::Nat;
use core::marker::PhantomData;
use typenum::{U1, U4, U6, U8, U16, U32, U64, U128};

/// The type of the elements of a tensor.
///
/// ```
/// use layout_types::atom::Element;
/// use layout_types::atom::element::{TFloat32, UInt4};
/// use layout_types::typenum::Unsigned;
/// assert_eq!(<f32 as Element>::Bits::USIZE, 32);
/// assert_eq!((TFloat32::NAME, UInt4::NAME), ("tf32", "u4"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    label = "elements are integers, `f32`, `f64`, `half::f16`, `half::bf16` and the formats of `atom::element`"
)]
pub trait Element: Copy + Send + Sync + 'static {
    /// The number of bits that an element takes.
    type Bits: Nat;
    /// The name that PTX gives the format, such as `f16`, or `b16` for plain bits.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($t:ty, $bits:ty, $name:literal;)*) => {$(
        impl Element for $t {
            type Bits = $bits;
            const NAME: &'static str = $name;
        }
    )*};
}
elements! {
    u8, U8, "u8"; i8, U8, "s8"; u16, U16, "u16"; i16, U16, "s16"; u32, U32, "u32"; i32, U32, "s32";
    u64, U64, "u64"; i64, U64, "s64"; u128, U128, "b128"; f32, U32, "f32"; f64, U64, "f64";
    half::f16, U16, "f16"; half::bf16, U16, "bf16";
    TFloat32, U32, "tf32"; FloatE4M3, U8, "e4m3"; FloatE5M2, U8, "e5m2";
    Int4, U4, "s4"; UInt4, U4, "u4"; UInt1, U1, "b1";
    FloatE2M3, U6, "e2m3"; FloatE3M2, U6, "e3m2"; FloatE2M1, U4, "e2m1";
    FloatUE8M0, U8, "ue8m0"; FloatUE4M3, U8, "ue4m3";
}
impl<T: Element> Element for Unpacked<T> {
    type Bits = U8;
    const NAME: &'static str = T::NAME;
}

/// TensorFloat-32, CuTe's `tfloat32_t`: an `f32` whose upper 19 bits the instruction reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct TFloat32(pub u32);

/// A signed 4-bit integer, CuTe's `int4_t`. The type only names the format of packed elements; it
/// cannot hold such an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Int4;

/// An unsigned 4-bit integer, CuTe's `uint4_t`. The type only names the format of packed elements;
/// it cannot hold such an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UInt4;

/// A bit, CuTe's `uint1_t`. The type only names the format of packed elements; it cannot hold a
/// bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UInt1;

macro_rules! formats {
    ($($name:ident $what:literal $cute:literal;)*) => {$(
        #[doc = concat!($what, ", CuTe's `", $cute, "`; names the format and holds none itself.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
    )*};
}
formats! {
    FloatE2M3 "A 6-bit float with 2 exponent and 3 mantissa bits" "float_e2m3_t";
    FloatE3M2 "A 6-bit float with 3 exponent and 2 mantissa bits" "float_e3m2_t";
    FloatE2M1 "A 4-bit float with 2 exponent bits and 1 mantissa bit, packed two to a byte" "float_e2m1_t";
    FloatUE8M0 "A scale factor that is a power of two, 8 exponent bits" "float_ue8m0_t";
    FloatUE4M3 "A scale factor without a sign, 4 exponent and 3 mantissa bits" "float_ue4m3_t";
}

/// A 4- or 6-bit float that takes a byte of the operand's tile, CuTe's
/// `cutlass::detail::float_e2m1_unpacksmem_t` and similar types. The type only names the format; it
/// cannot hold such a float.
///
/// `tcgen05.mma` of `.kind::f8f6f4` and `.kind::mxf8f6f4` reads 16 such floats from 16 bytes of
/// shared memory, to which TMA's unpacking types copy them.
///
/// ```
/// use layout_types::atom::{Element, element::{FloatE2M1, Unpacked}};
/// use layout_types::typenum::Unsigned;
/// assert_eq!(<FloatE2M1 as Element>::Bits::USIZE, 4);
/// assert_eq!(<Unpacked<FloatE2M1> as Element>::Bits::USIZE, 8);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpacked<T>(PhantomData<T>);

// -- 8-bit floats ---------------------------------------------------------------------------------
//
// 8-bit floats, their values and the rounding to them.
//
// ```text
//   FloatE4M3   s eeee fff    bias 7,  to 448,     no infinity, NaN s1111111
//   FloatE5M2   s eeeee ff    bias 15, to 57344,   infinities and NaN as IEEE's
// ```
//
// Law: `from_f32(x.to_f32()) == x` for every number x except E5M2's infinities. Rounding is to
// nearest, ties to even, and saturates. In a kernel for sm_89 and above, each conversion is one or
// two instructions, with the same result.
//
// Source: PTX ISA, *Alternate Floating-Point Data Formats*, *cvt*; Micikevicius et al., "FP8
// Formats for Deep Learning" (2022).

/// Executes the conversion's instruction if the kernel is built for an architecture that has it
/// (sm_89 and later), or else computes the conversion.
macro_rules! by_instruction {
    ($gpu:expr, $software:expr) => {{
        #[cfg(all(target_arch = "nvptx64", target_feature = "compute_89"))]
        {
            use crate::arch::convert as arch;
            $gpu
        }
        #[cfg(not(all(target_arch = "nvptx64", target_feature = "compute_89")))]
        {
            $software
        }
    }};
}

/// An 8-bit float with 4 exponent and 3 mantissa bits, CuTe's `float_e4m3_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct FloatE4M3(pub u8);

impl FloatE4M3 {
    /// Returns the value, exactly. Both encodings of NaN return NaN.
    ///
    /// ```
    /// use layout_types::atom::element::FloatE4M3;
    /// assert_eq!([0x38, 0x7e, 0x81].map(|bits| FloatE4M3(bits).to_f32()), [1.0, 448.0, -0.001953125]);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        by_instruction! {
            arch::f32_from_f16(arch::f16x2_from_e4m3x2(self.0.into()) as u16),
            if self.0 & 0x7f == 0x7f {
                f32::NAN
            } else {
                fp8_to_f32::<3>(self.0)
            }
        }
    }

    /// Rounds to nearest, ties to even. A value beyond ±448 becomes ±448, and NaN stays NaN (PTX's
    /// `cvt.rn.satfinite`).
    ///
    /// ```
    /// use layout_types::atom::element::FloatE4M3;
    /// assert_eq!([1.0, 1e9, 0.3].map(|x| FloatE4M3::from_f32(x).to_f32()), [1.0, 448.0, 0.3125]);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        by_instruction! {
            Self(arch::e4m3x2_from_f32(value, 0.0) as u8),
            Self(fp8_from_f32::<3>(value, 0x7e))
        }
    }

    /// Rounds two values, in one instruction from sm_89 on.
    #[inline(always)]
    pub(super) fn pair_from_f32(pair: [f32; 2]) -> [Self; 2] {
        by_instruction! {
            arch::e4m3x2_from_f32(pair[0], pair[1]).to_le_bytes().map(Self),
            pair.map(Self::from_f32)
        }
    }
}

/// An 8-bit float with 5 exponent and 2 mantissa bits, CuTe's `float_e5m2_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct FloatE5M2(pub u8);

impl FloatE5M2 {
    /// Returns the value, exactly.
    ///
    /// ```
    /// use layout_types::atom::element::FloatE5M2;
    /// assert_eq!([0x3c, 0x7b, 0x7c].map(|bits| FloatE5M2(bits).to_f32()), [1.0, 57344.0, f32::INFINITY]);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        by_instruction! {
            arch::f32_from_f16(arch::f16x2_from_e5m2x2(self.0.into()) as u16),
            match self.0 & 0x7f {
                0x7c => f32::INFINITY.copysign(if self.0 & 0x80 == 0 { 1.0 } else { -1.0 }),
                0x7d.. => f32::NAN,
                _ => fp8_to_f32::<2>(self.0),
            }
        }
    }

    /// Rounds to nearest, ties to even. A value beyond ±57344 becomes ±57344, and NaN stays NaN
    /// (PTX's `cvt.rn.satfinite`).
    ///
    /// ```
    /// use layout_types::atom::element::FloatE5M2;
    /// assert_eq!([1.0, 1e9, 0.3].map(|x| FloatE5M2::from_f32(x).to_f32()), [1.0, 57344.0, 0.3125]);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        by_instruction! {
            Self(arch::e5m2x2_from_f32(value, 0.0) as u8),
            Self(fp8_from_f32::<2>(value, 0x7b))
        }
    }

    /// Rounds two values, in one instruction from sm_89 on.
    #[inline(always)]
    pub(super) fn pair_from_f32(pair: [f32; 2]) -> [Self; 2] {
        by_instruction! {
            arch::e5m2x2_from_f32(pair[0], pair[1]).to_le_bytes().map(Self),
            pair.map(Self::from_f32)
        }
    }
}

/// Returns the exponent bias of an 8-bit float with `fraction` fraction bits.
#[cfg_attr(
    all(target_arch = "nvptx64", target_feature = "compute_89"),
    allow(dead_code)
)]
const fn fp8_bias(fraction: u32) -> i32 {
    (1 << (6 - fraction)) - 1
}

/// Returns the value of a finite 8-bit float.
#[cfg_attr(
    all(target_arch = "nvptx64", target_feature = "compute_89"),
    allow(dead_code)
)]
fn fp8_to_f32<const FRACTION: u32>(bits: u8) -> f32 {
    let exponent = i32::from(bits & 0x7f) >> FRACTION;
    let fraction = i32::from(bits) & ((1 << FRACTION) - 1);
    // Subnormals have the least exponent, without the leading 1.
    let (significand, exponent) = if exponent == 0 {
        (fraction, 1)
    } else {
        (fraction | 1 << FRACTION, exponent)
    };
    let scale = exponent - fp8_bias(FRACTION) - FRACTION as i32;
    let value = significand as f32 * f32::from_bits(((scale + 127) as u32) << 23);
    if bits & 0x80 == 0 { value } else { -value }
}

/// Returns the bits of the nearest 8-bit float. `largest` are the bits of the largest finite float.
#[cfg_attr(
    all(target_arch = "nvptx64", target_feature = "compute_89"),
    allow(dead_code)
)]
fn fp8_from_f32<const FRACTION: u32>(value: f32, largest: u8) -> u8 {
    let sign = (value.to_bits() >> 24) as u8 & 0x80;
    if value.is_nan() {
        return 0x7f;
    }
    let bits = value.to_bits() & 0x7fff_ffff;
    // The value is at least 2^31, which is beyond every 8-bit float.
    if bits >= 0x4f00_0000 {
        return sign | largest;
    }
    let least = 128 - fp8_bias(FRACTION);
    // The unit in the last place is at least that of the subnormals.
    let exponent = (bits >> 23).max(least as u32);
    // `unit` is a power of two that leaves whole units, exactly. Adding and subtracting 1.5 * 2^23
    // rounds to these units, ties to even.
    let unit = exponent as i32 - FRACTION as i32;
    let units = f32::from_bits(bits) * f32::from_bits(((254 - unit) as u32) << 23);
    let rounded = (units + 12_582_912.0) - 12_582_912.0;
    // The leading 1 increments the exponent, as a carry does.
    let encoded = (((exponent as i32 - least) as u32) << FRACTION) + rounded as u32;
    sign | if encoded > u32::from(largest) {
        largest
    } else {
        encoded as u8
    }
}

#[cfg(feature = "bytemuck")]
mod pod {
    use super::{FloatE4M3, FloatE5M2};
    // SAFETY: the type is transparent over `u8`, and every bit pattern of a `u8` is a value.
    unsafe impl bytemuck::Zeroable for FloatE4M3 {}
    // SAFETY: the type is transparent over `u8`, which has no padding, and every bit pattern of a
    // `u8` is a value.
    unsafe impl bytemuck::Pod for FloatE4M3 {}
    // SAFETY: the type is transparent over `u8`, and every bit pattern of a `u8` is a value.
    unsafe impl bytemuck::Zeroable for FloatE5M2 {}
    // SAFETY: the type is transparent over `u8`, which has no padding, and every bit pattern of a
    // `u8` is a value.
    unsafe impl bytemuck::Pod for FloatE5M2 {}
}
