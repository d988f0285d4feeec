//! A layout of bits as a layout of wider elements.
//!
//! ```text
//!   (32,(32,4)):(32,(1,1024))   by 16   =   (32,(2,4)):(2,(1,64))
//! ```
//!
//! Law: CuTe's `upcast<N>`: a stride that `N` divides is divided, a mode of smaller stride loses the elements that now share
//! one; shapes round up, stride 0 stays (CuTe: `cute/layout.hpp`). The strides and `N` divide each other, or there is none.

use crate::num::{Bool, Nat, NatCmp, NatDiv, QuotRem, True};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// A tree of modes in units `N` times as large.
#[diagnostic::on_unimplemented(
    message = "a layout of bits cannot be read as one of wider elements",
    label = "a stride and the element's bits do not divide each other"
)]
pub trait UpcastTree<N>: ModeTree {
    /// The tree.
    type Tree: ModeTree;
}

impl<N: Nat> UpcastTree<N> for Nil {
    type Tree = Nil;
}
impl<N: Nat, H, T> UpcastTree<N> for Cons<H, T>
where
    H: UpcastTree<N>,
    T: ModeList + UpcastTree<N>,
    T::Tree: ModeList,
{
    type Tree = Cons<H::Tree, T::Tree>;
}
impl<N: Nat, S: Nat, D: Nat> UpcastTree<N> for M<S, D>
where
    DivideEachOther<D, N>: Divide,
{
    type Tree = M<<D::IsZero as Bool>::PickNat<S, S::CeilDiv<N::CeilDiv<D>>>, D::CeilDiv<N>>;
}

/// Does one of the two divide the other?
type DivideEachOther<D, N> = <<<D as NatDiv>::DivRem<N> as QuotRem>::Exact as Bool>::Or<
    <<<N as NatDiv>::DivRem<D> as QuotRem>::Rem as NatCmp>::IsZero,
>;
/// Holds for true.
#[diagnostic::on_unimplemented(
    message = "a layout of bits cannot be read as one of wider elements",
    label = "a stride and the element's bits do not divide each other"
)]
pub trait Divide {}
impl Divide for True {}
