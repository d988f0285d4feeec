//! The types of the algebra that have a value.
//!
//! ```text
//!   <layout!((4,2):(2,1)) as Reflect>::VALUE      no bound but that its numbers are static
//! ```
//!
//! Law: the value prints as the type does.

use super::value::{Node, Value};
use crate::num::{Nat, value};
use crate::{ComposedLayout, Cons, E, Layout, Nil, Sw, Underscore};
use typenum::{NInt, NonZero, UInt, UTerm, Unsigned};

/// Types that have a [`Value`]: everything that the notation macros write, and every result of the algebra.
#[diagnostic::on_unimplemented(
    message = "not a layout, tiler or shape of static integers",
    label = "a check needs all numbers at compile time"
)]
pub trait Reflect {
    /// The type as a value.
    ///
    /// ```
    /// use layout_types::{check::Reflect, prelude::*};
    /// const A: layout_types::check::Text = <layout!((4,(2,3)):(1,(8,16)))>::VALUE.notation();
    /// assert_eq!(A.as_str(), "(4,(2,3)):(1,(8,16))");
    /// ```
    const VALUE: Value;
}

impl Reflect for UTerm {
    const VALUE: Value = Value::of(Node::Int(0));
}
impl<U, B> Reflect for UInt<U, B>
where
    Self: Nat,
{
    const VALUE: Value = Value::of(Node::Int(value(<Self as Nat>::VALUE)));
}
impl<N: Nat + NonZero> Reflect for NInt<N> {
    const VALUE: Value = Value::of(Node::Int(-value(N::VALUE)));
}
impl<I: Unsigned, S: Reflect> Reflect for E<I, S> {
    const VALUE: Value = S::VALUE.in_mode(I::USIZE);
}
impl Reflect for Underscore {
    const VALUE: Value = Value::of(Node::Any);
}
impl Reflect for Nil {
    const VALUE: Value = Value::of(Node::Tuple(0));
}
impl<H: Reflect, T: Reflect> Reflect for Cons<H, T> {
    const VALUE: Value = T::VALUE.behind(&H::VALUE);
}
impl<S: Reflect, D: Reflect> Reflect for Layout<S, D> {
    const VALUE: Value = Value::of(Node::Layout).then(&S::VALUE).then(&D::VALUE);
}
impl<B: Unsigned, M: Unsigned, S: Reflect> Reflect for Sw<B, M, S> {
    const VALUE: Value = Value::of(Node::Swizzle {
        bits: B::U8,
        base: M::U8,
        shift: S::VALUE.integer() as i8,
    });
}
impl<F: Reflect, O: Reflect, L: Reflect> Reflect for ComposedLayout<F, O, L> {
    const VALUE: Value = Value::of(Node::Composed)
        .then(&F::VALUE)
        .then(&O::VALUE)
        .then(&L::VALUE);
}
