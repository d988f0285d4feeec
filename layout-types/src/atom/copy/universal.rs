//! Copies of one thread: a load and a store of 8 to 128 bits.
//!
//! ```text
//!   UniversalCopy<u128>      (1,128):(0,1)      one thread, 128 neighbouring bits
//! ```
//!
//! Law: source, destination and reference are one layout, the identity.
//!
//! Source: CuTe `cute/arch/copy.hpp`, `cute/atom/copy_traits.hpp`.

use super::{CopyAtom, Element};
use crate::layout;
use core::fmt;
use core::marker::PhantomData;
use typenum::{Const, ToUInt, U0, U8, U16, U32, U64, U128};

/// CuTe's `UniversalCopy<S>`: a plain load and store of an `S`.
///
/// ```
/// use layout_types::atom::copy::{UniversalCopy, ValLayoutSrc};
/// assert_eq!(ValLayoutSrc::<UniversalCopy<u128>, half::f16>::default().to_string(), "(1,8):(0,1)");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct UniversalCopy<S>(PhantomData<S>);

impl<S: Element> fmt::Debug for UniversalCopy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UniversalCopy<{}>", S::NAME)
    }
}
impl<S: Element + Default> CopyAtom for UniversalCopy<S> {
    type ThrId = layout!(1:0);
    type SrcLayout = layout!((1,S::Bits):(0,1));
    type DstLayout = layout!((1,S::Bits):(0,1));
    type RefLayout = layout!((1,S::Bits):(0,1));
    type Sm = U0;
    const NAME: &'static str = "UniversalCopy";
    const PTX: &'static str = "";
}

/// CuTe's `AutoVectorizingCopyWithAssumedAlignment<MaxBits>`: the widest access up to `MaxBits` that both tensors' layouts
/// prove contiguous and aligned. As an atom it is one access of `MaxBits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AutoVectorizingCopyWithAssumedAlignment<const MAX_BITS: usize>;

/// CuTe's `AutoVectorizingCopy`: up to 128 bits.
pub type AutoVectorizingCopy = AutoVectorizingCopyWithAssumedAlignment<128>;
/// CuTe's `DefaultCopy`: elements one by one, unless the tensors' layouts prove more.
///
/// ```
/// use layout_types::atom::copy::{DefaultCopy, ValLayoutSrc};
/// assert_eq!(ValLayoutSrc::<DefaultCopy, f32>::default().to_string(), "(1,1):(0,1)");
/// ```
pub type DefaultCopy = AutoVectorizingCopyWithAssumedAlignment<8>;

/// A width that one thread can move at once.
#[diagnostic::on_unimplemented(
    message = "no access has that many bits",
    label = "a thread moves 8, 16, 32, 64 or 128 bits at once"
)]
pub trait AccessBits {}
impl AccessBits for U8 {}
impl AccessBits for U16 {}
impl AccessBits for U32 {}
impl AccessBits for U64 {}
impl AccessBits for U128 {}

impl<const MAX_BITS: usize> CopyAtom for AutoVectorizingCopyWithAssumedAlignment<MAX_BITS>
where
    Const<MAX_BITS>: ToUInt,
    <Const<MAX_BITS> as ToUInt>::Output: AccessBits + crate::num::Nat,
{
    type ThrId = layout!(1:0);
    type SrcLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    type DstLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    type RefLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    type Sm = U0;
    const NAME: &'static str = "AutoVectorizingCopyWithAssumedAlignment";
    const PTX: &'static str = "";
}
