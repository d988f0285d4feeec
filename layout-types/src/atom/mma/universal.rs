//! The fused multiply-add of one thread.
//!
//! ```text
//!   d = a * b + c        (1,1,1), one thread, one value each
//! ```
//!
//! Law: `fma.rn` for floats; a product and a sum for integers.
//!
//! Source: CuTe `UniversalFMA` in `cute/arch/mma.hpp` and `cute/atom/mma_traits.hpp`.

use super::{Element, MmaAtom, Registers};
use crate::{layout, shape};
use core::marker::PhantomData;

/// CuTe's `UniversalFMA<D, A, B, C>`: a thread multiplies and adds its own values; `UniversalFma<f32>` is all `f32`.
///
/// ```
/// use layout_types::atom::{MmaAtom, mma::UniversalFma};
/// assert_eq!(<UniversalFma<f32> as MmaAtom>::ALayout::default().to_string(), "(1,1):(0,0)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UniversalFma<D, A = D, B = D, C = D>(PhantomData<(D, A, B, C)>);

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
    type Sm = typenum::U0;
    const NAME: &'static str = "UniversalFMA";
    const PTX: &'static str = "";
}
