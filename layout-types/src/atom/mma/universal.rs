//! The fused multiply-add of one thread.
//!
//! ```text
//!   d = a * b + c        (1,1,1), one thread, one value each
//! ```
//!
//! Law: `fma.rn` for floats, one rounding; a product and a sum that wrap for integers. Factors of 8
//! or 16 bits with a sum of 32 bits are widened first, which is exact.
//!
//! Source: CuTe `UniversalFMA` in `cute/arch/mma.hpp` and `cute/atom/mma_traits.hpp`.

use super::{Element, MmaAtom, MmaOp, Registers};
use crate::arch::mma::{fma_bf16, fma_f16, fma_f32, fma_f64};
use crate::atom::Instruction;
use crate::atom::convert::convert;
use crate::num::True;
use crate::{layout, shape};
use core::marker::PhantomData;
use half::{bf16, f16};

/// CuTe's `UniversalFMA<D, A, B, C>`: a thread multiplies and adds its own values. In
/// `UniversalFma<f32>`, all types are `f32`.
///
/// ```
/// use layout_types::atom::{MmaAtom, mma::UniversalFma};
/// assert_eq!(<UniversalFma<f32> as MmaAtom>::ALayout::default().to_string(), "(1,1):(0,0)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UniversalFma<D, A = D, B = D, C = D>(PhantomData<(D, A, B, C)>);

impl<D, A, B, C> Instruction for UniversalFma<D, A, B, C> {
    type Sm = typenum::U0;
    type Later = True;
}
impl<D, A, B, C> MmaAtom for UniversalFma<D, A, B, C>
where
    D: Element + Default + core::fmt::Debug,
    A: Element + Default + core::fmt::Debug,
    B: Element + Default + core::fmt::Debug,
    C: Element + Default + core::fmt::Debug,
{
    type ShapeMnk = shape!((1, 1, 1));
    type ThrId = layout!(1:0);
    type ALayout = layout!((1,1):(0,0));
    type BLayout = layout!((1,1):(0,0));
    type CLayout = layout!((1,1):(0,0));
    type ValTypeD = D;
    type ValTypeA = A;
    type ValTypeB = B;
    type ValTypeC = C;
    type FrgTypeA = Registers;
    type FrgTypeB = Registers;
    const NAME: &'static str = "UniversalFMA";
    const PTX: &'static str = "";
}

impl<D, A, B, C> MmaOp for UniversalFma<D, A, B, C>
where
    Self: MmaAtom<FrgTypeA = Registers, FrgTypeB = Registers>,
    D: MultiplyAdd<A, B> + Element + core::fmt::Debug + PartialEq,
    A: Element + core::fmt::Debug + PartialEq,
    B: Element + core::fmt::Debug + PartialEq,
    C: Element + core::fmt::Debug + PartialEq,
    [C; 1]: Into<[D; 1]>,
{
    type DRegisters = [D; 1];
    type ARegisters = [A; 1];
    type BRegisters = [B; 1];
    type CRegisters = [C; 1];
    #[inline(always)]
    unsafe fn fma_assign(d: &mut [D; 1], a: &[A; 1], b: &[B; 1]) {
        d[0] = d[0].multiply_add(a[0], b[0]);
    }
}

/// A sum to which the product of an `A` and a `B` can be added.
///
/// ```
/// use layout_types::atom::mma::universal::MultiplyAdd;
/// assert_eq!(7i32.multiply_add(3, -2), 1);
/// assert_eq!(7i32.multiply_add(100i8, 100i8), 10_007);
/// ```
#[diagnostic::on_unimplemented(
    message = "no thread adds the product of `{A}` and `{B}` to `{Self}`",
    label = "factors and sum are of one type, or 8- or 16-bit factors with a sum of 32 bits"
)]
pub trait MultiplyAdd<A = Self, B = A> {
    /// Returns `a * b + self`.
    #[must_use]
    fn multiply_add(self, a: A, b: B) -> Self;
}

macro_rules! multiply_add {
    ($($sum:ty, $factor:ty, |$c:ident, $a:ident, $b:ident| $result:expr;)*) => {$(
        impl MultiplyAdd<$factor, $factor> for $sum {
            #[inline(always)]
            fn multiply_add(self, $a: $factor, $b: $factor) -> Self {
                let $c = self;
                $result
            }
        }
    )*};
}
multiply_add! {
    f64, f64, |c, a, b| fma_f64(a, b, c);
    f32, f32, |c, a, b| fma_f32(a, b, c);
    f16, f16, |c, a, b| f16::from_bits(fma_f16(a.to_bits(), b.to_bits(), c.to_bits()));
    bf16, bf16, |c, a, b| bf16::from_bits(fma_bf16(a.to_bits(), b.to_bits(), c.to_bits()));
    f32, f16, |c, a, b| fma_f32(convert(a), convert(b), c);
    f32, bf16, |c, a, b| fma_f32(convert(a), convert(b), c);
    i8, i8, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    u8, u8, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    i16, i16, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    u16, u16, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    i32, i32, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    u32, u32, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    i64, i64, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    u64, u64, |c, a, b| a.wrapping_mul(b).wrapping_add(c);
    i32, i8, |c, a, b| (i32::from(a) * i32::from(b)).wrapping_add(c);
    i32, i16, |c, a, b| (i32::from(a) * i32::from(b)).wrapping_add(c);
    u32, u8, |c, a, b| (u32::from(a) * u32::from(b)).wrapping_add(c);
    u32, u16, |c, a, b| (u32::from(a) * u32::from(b)).wrapping_add(c);
}
