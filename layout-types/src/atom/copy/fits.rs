//! Whether an instruction fits the elements that it moves: no thread without a place, and no element in two halves.
//!
//! ```text
//!   Sm75_U16x8_LDSM_T of f32     destination in elements ((4,4),..): 16 places for 32 threads, refused
//!   UniversalCopy<u16> of f32    16 bits at a time of elements of 32: half an element, refused where it copies
//! ```
//!
//! Law: `Op: CopyValues<T>` exactly where the first mode of each layout in elements has the size of `ThrID`, and `Op:
//! MovesElement<T>` exactly where moreover a thread moves the bits of an element at least. CuTe finds the first where the atom is
//! named and the second where it is called.
//!
//! Source: CuTe `Copy_Atom` in `cute/atom/copy_atom.hpp`, `copy_unpack` in `cute/atom/copy_traits.hpp`.

use super::{CopyAtom, CopyValues};
use crate::decimal::Decimal;
use crate::num::{False, True};

/// The copy atom moves whole elements of type `T`: every copy asks for it, and so do
/// [`assert_contiguous!`](crate::assert_contiguous) and [`assert_covers!`](crate::assert_covers).
///
/// ```
/// use layout_types::atom::copy::{MovesElement, Sm80_CP_ASYNC_CACHEALWAYS, UniversalCopy};
/// fn copies<Op: MovesElement<T>, T>() {}
/// copies::<UniversalCopy<u128>, f64>();
/// copies::<Sm80_CP_ASYNC_CACHEALWAYS<u32>, half::f16>();
/// ```
///
/// ```compile_fail
/// use layout_types::atom::copy::{MovesElement, UniversalCopy};
/// fn copies<Op: MovesElement<T>, T>() {}
/// copies::<UniversalCopy<u16>, f32>(); // 2 of 4 bytes
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not move whole elements of type `{T}`",
    label = "the instruction must move an element's bits at least"
)]
pub trait MovesElement<T>: CopyValues<T> {}

/// Names of an atom's sides as messages print them.
#[allow(non_camel_case_types, missing_docs)]
pub mod sides {
    pub struct source(());
    pub struct destination(());
    pub struct fragment(());
}

/// Holds for true: on the side `Side` elements of `Bits` have places for all threads.
pub trait KeepsThreads<Op, Side, Bits, Places, Threads> {}
impl<Op, Side, B, P, N> KeepsThreads<Op, Side, B, P, N> for True {}
impl<Op, Side, B: Decimal, P: Decimal, N: Decimal> KeepsThreads<Op, Side, B, P, N> for False where
    Op: HasThreadsIn<Side, B::Text, P::Text, N::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not move elements of {Bits} bits: its {Side} has places for {Places} threads, and it is done by {Threads} together",
    label = "the instruction gives a thread less than an element at a time"
)]
pub trait HasThreadsIn<Side, Bits, Places, Threads> {}

/// Holds for true: the `Moved` bits of a thread are as many as an element's `Bits` at least.
pub trait WideEnough<Op, Moved, Bits> {}
impl<Op, M, B> WideEnough<Op, M, B> for True {}
impl<Op: CopyAtom, M: Decimal, B: Decimal> WideEnough<Op, M, B> for False where
    Op: MovesWholeElements<M::Text, B::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` moves {Moved} bits at a time, and an element has {Bits}: a part of each element would not be copied",
    label = "the instruction must move an element's bits at least"
)]
pub trait MovesWholeElements<Moved, Bits> {}
