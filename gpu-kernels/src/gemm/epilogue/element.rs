//! Conversions between the accumulator's elements, f32 and D's elements.
//!
//! ```text
//!   ElementAccumulator   f32, f16, i32       MMAs add to these         ElementD   f16, bf16, tf32, s8, fp8     D is rounded to these
//! ```
//!
//! Law: a rounding is to nearest, ties to even; TF32's ties go away from zero.

use super::identity::NotByPairs;
use cuda_std::float::approx::{exp2_ftz, rcp_ftz};
use half::{bf16, f16};
use layout_types::arch::convert::{
    bf16_from_f32, bf16x2_from_f32, e4m3x2_from_f32, e5m2x2_from_f32, f16_from_f32,
    f16x2_from_e4m3x2, f16x2_from_e5m2x2, f16x2_from_f32, f32_from_f16, s8_from_f32,
};
use layout_types::arch::math::add_f16x2;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::layout;
use layout_types::tensor::{FragmentLayout, Plain};

/// An element type of the accumulator.
pub trait ElementAccumulator: Plain {
    /// Two elements. 16-bit elements are accessed only in pairs, because the compiler would
    /// otherwise keep them in separate registers in the mainloop.
    type Pair: Plain;
    /// The bits of an element.
    type Bits: Plain;
    /// Returns two elements as 32 bits each, f32 or integers, for shared memory.
    fn widen(pair: Self::Pair) -> u64;
    /// Returns the value of 32 bits that [`widen`](Self::widen) returned; by default, they are an
    /// f32.
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    /// Adds two registers of the accumulator, element by element.
    fn add(x: u32, y: u32) -> u32;
}
impl ElementAccumulator for f32 {
    type Pair = u64;
    type Bits = u32;
    #[inline(always)]
    fn widen(pair: u64) -> u64 {
        pair
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        (f32::from_bits(x) + f32::from_bits(y)).to_bits()
    }
}
impl ElementAccumulator for f16 {
    type Pair = u32;
    type Bits = u16;
    #[inline(always)]
    fn widen(pair: u32) -> u64 {
        let (low, high) = (f32_from_f16(pair as u16), f32_from_f16((pair >> 16) as u16));
        u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        add_f16x2(x, y)
    }
}
impl ElementAccumulator for i32 {
    type Pair = u64;
    type Bits = u32;
    #[inline(always)]
    fn widen(pair: u64) -> u64 {
        pair
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        bits as i32 as f32
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        x.wrapping_add(y)
    }
}

/// An element type of D and C that is an input type.
pub trait ElementD {
    /// The bits of an element.
    type Bits: EightOf;
    /// Rounds an f32.
    fn round(value: f32) -> Self::Bits;
    /// Returns the value of an element.
    fn value(bits: Self::Bits) -> f32;
}
impl ElementD for f16 {
    type Bits = u16;
    #[inline(always)]
    fn round(value: f32) -> u16 {
        f16_from_f32(value)
    }
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        f32_from_f16(bits)
    }
}
impl ElementD for bf16 {
    type Bits = u16;
    #[inline(always)]
    fn round(value: f32) -> u16 {
        bf16_from_f32(value) as u16
    }
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }
}
impl ElementD for TFloat32 {
    type Bits = u32;
    #[inline(always)]
    fn round(value: f32) -> u32 {
        value.to_bits()
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
}
impl ElementD for i8 {
    type Bits = u8;
    #[inline(always)]
    fn round(value: f32) -> u8 {
        s8_from_f32(value) as u8
    }
    #[inline(always)]
    fn value(bits: u8) -> f32 {
        f32::from(bits as i8)
    }
}

/// Implements [`ElementD`] for 8-bit floats, on sm_89 and above. Values saturate to the largest
/// finite number.
macro_rules! fp8 {
    ($element:ty, $round:ident, $widen:ident) => {
        impl ElementD for $element {
            type Bits = u8;
            #[inline(always)]
            fn round(value: f32) -> u8 {
                $round(value, 0.0) as u8
            }
            #[inline(always)]
            fn value(bits: u8) -> f32 {
                f32_from_f16($widen(bits.into()) as u16)
            }
        }
    };
}
fp8!(FloatE4M3, e4m3x2_from_f32, f16x2_from_e4m3x2);
fp8!(FloatE5M2, e5m2x2_from_f32, f16x2_from_e5m2x2);

/// Elements of the accumulator that are rounded two at a time.
pub trait RoundPairs<To>: ElementAccumulator {
    /// Rounds both elements, the first to the lower half.
    fn round(pair: Self::Pair) -> u32;
}
impl RoundPairs<f16> for f32 {
    #[inline(always)]
    fn round(pair: u64) -> u32 {
        f16x2_from_f32(
            f32::from_bits(pair as u32),
            f32::from_bits((pair >> 32) as u32),
        )
    }
}
impl RoundPairs<bf16> for f32 {
    #[inline(always)]
    fn round(pair: u64) -> u32 {
        bf16x2_from_f32(
            f32::from_bits(pair as u32),
            f32::from_bits((pair >> 32) as u32),
        )
    }
}
impl RoundPairs<f16> for f16 {
    #[inline(always)]
    fn round(pair: u32) -> u32 {
        pair
    }
}

/// A thread's eight elements of a chunk, and the vector that one instruction moves.
pub trait EightOf: Plain {
    /// The vector that one instruction moves.
    type Vector;
    /// `((vector,vectors))`.
    type Values: FragmentLayout;
    /// Selects one of two layouts (thread, value): `Narrow` with eight neighbours, or `Wide` with
    /// two vectors of 32-bit elements.
    type Places<Narrow, Wide>;
    /// The identity epilogue: `Pairs` if elements have 16 bits.
    type Identity<Pairs>;
}
impl EightOf for u8 {
    type Vector = u64;
    type Values = layout!(((8,1)):((1,0)));
    type Places<Narrow, Wide> = Narrow;
    type Identity<Pairs> = NotByPairs;
}
impl EightOf for u16 {
    type Vector = u128;
    type Values = layout!(((8,1)):((1,0)));
    type Places<Narrow, Wide> = Narrow;
    type Identity<Pairs> = Pairs;
}
impl EightOf for u32 {
    type Vector = u128;
    type Values = layout!(((4,2)):((1,4)));
    type Places<Narrow, Wide> = Wide;
    type Identity<Pairs> = NotByPairs;
}

/// Returns GELU in the form with the hyperbolic tangent: `x / (1 + exp(-2 u))`,
/// `u = sqrt(2 / pi) (x + 0.044715 x^3)`.
#[inline(always)]
#[must_use]
pub fn gelu(x: f32) -> f32 {
    // -2 sqrt(2 / pi) / ln 2
    const SCALE: f32 = -2.302_208_2;
    let inner = x + 0.044_715 * x * x * x;
    x * rcp_ftz(1.0 + exp2_ftz(SCALE * inner))
}
