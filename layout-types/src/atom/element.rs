//! Element types: what a value of a fragment or a tensor is, and how many bits it has.
//!
//! ```text
//!   f64 64    f32 TFloat32 32    f16 bf16 16    FloatE4M3 FloatE5M2 u8 i8 8    Int4 UInt4 4    UInt1 1
//! ```
//!
//! Law: `E::Bits` is the number of bits that an element takes in memory, packed without gaps; it is a typenum integer, so
//! that layouts in bits become layouts in elements at the type level.
//!
//! Source: CuTe `cute/numeric/numeric_types.hpp`; PTX ISA, *Alternate Floating-Point Data Formats*.

pub use super::fp8::{FloatE4M3, FloatE5M2};
use crate::num::Nat;
use typenum::{U1, U4, U8, U16, U32, U64, U128};

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
    /// Bits that an element takes.
    type Bits: Nat;
    /// The name that PTX gives the format, `f16` or `b16` for plain bits.
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
}

/// TensorFloat-32, CuTe's `tfloat32_t`: an `f32` of which the instruction reads the upper 19 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct TFloat32(pub u32);

/// A signed 4-bit integer, CuTe's `int4_t`; names the format of packed elements and holds none itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Int4;

/// An unsigned 4-bit integer, CuTe's `uint4_t`; names the format of packed elements and holds none itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UInt4;

/// A bit, CuTe's `uint1_t`; names the format of packed elements and holds none itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UInt1;
