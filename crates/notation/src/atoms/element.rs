//! Element types: each has names and a number of bits.
//!
//! ```text
//! f16, half_t: 16 bits      tf32: 32      e4m3, float_e4m3_t: 8      u128, uint128_t: 128      s4: 4
//! ```
//!
//! Law: the bits and the first name are those of the Rust type. Source:
//! `cute/numeric/numeric_types.hpp`.

use std::fmt;

use layout_types::atom::Element as ElementType;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, Int4, TFloat32, UInt1, UInt4};
use layout_types::typenum::Unsigned;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    name: &'static str,
    bits: u32,
}

const fn of<T: ElementType>() -> Element {
    Element {
        name: T::NAME,
        bits: T::Bits::U32,
    }
}

/// Every element type with all its names.
const ELEMENTS: &[(&[&str], Element)] = &[
    (&["f16", "half_t", "half"], of::<half::f16>()),
    (&["bf16", "bfloat16_t"], of::<half::bf16>()),
    (&["f32", "float"], of::<f32>()),
    (&["f64", "double"], of::<f64>()),
    (&["tf32", "tfloat32_t"], of::<TFloat32>()),
    (&["e4m3", "float_e4m3_t"], of::<FloatE4M3>()),
    (&["e5m2", "float_e5m2_t"], of::<FloatE5M2>()),
    (&["s4", "i4", "int4_t", "int4b_t"], of::<Int4>()),
    (&["u4", "uint4_t", "uint4b_t"], of::<UInt4>()),
    (&["b1", "u1", "uint1_t", "uint1b_t"], of::<UInt1>()),
    (&["u8", "uint8_t"], of::<u8>()),
    (&["s8", "i8", "int8_t"], of::<i8>()),
    (&["u16", "uint16_t"], of::<u16>()),
    (&["s16", "i16", "int16_t"], of::<i16>()),
    (&["u32", "uint32_t"], of::<u32>()),
    (&["s32", "i32", "int32_t", "int"], of::<i32>()),
    (&["u64", "uint64_t"], of::<u64>()),
    (&["s64", "i64", "int64_t"], of::<i64>()),
    (&["u128", "b128", "uint128_t"], of::<u128>()),
];

impl Element {
    /// Returns the element type with this name in CuTe, Rust or PTX, or `None` if no type has it.
    ///
    /// ```
    /// use notation::Element;
    /// assert_eq!(Element::named("half_t"), Element::named("f16"));
    /// assert_eq!(Element::named("tf32").unwrap().bits(), 32);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        ELEMENTS
            .iter()
            .find(|(names, _)| names.contains(&name))
            .map(|(_, element)| *element)
    }

    /// Returns the first of the type's names, which is the name in PTX.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of bits that an element takes.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns every name of every element type.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ELEMENTS.iter().flat_map(|(names, _)| names.iter().copied())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
