//! Converts layouts to other units: elements that are several times as large, or as small.
//!
//! ```text
//!   upcast by 4     8:1 -> 2:1      3:8 -> 3:2           8 halfs are two 64-bit words
//!   downcast by 4   2:1 -> 8:1      3:2 -> 3:8
//! ```
//!
//! Law: `Upcast<L, N>(c) == L(c') / N`, where `c'` is the first of the neighbouring elements that
//! became `c`; `Downcast<L, N>` has `N` neighbours in place of each element. As in CuTe, an upcast
//! rounds shapes up (CuTe: `cute/layout.hpp`, "Upcast", "Downcast", "Recast").

use super::outcome::{Admissible, Downcasts, ExactUpcasts, Recasts, Upcasts};
use crate::kinds::*;
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use layout_types_macros::functions;

macro_rules! cast {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $op:ident, $outcome:ident) => {
        $(#[$m])*
        pub type $alias<L, N> = <L as $trait<N>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] by `N`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        #[doc(hidden)]
        pub trait $trait<N> {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: crate::LayoutFn;
        }
        impl<S0, D0, N: Nat> $trait<N> for Layout<S0, D0>
        where
            Layout<S0, D0>: StaticLayout,
            $outcome<<Layout<S0, D0> as LayoutFn>::Modes, N>: Admissible<$op, Self, N>,
        {
            type Output = Unzip<
                <$outcome<<Layout<S0, D0> as LayoutFn>::Modes, N> as Admissible<$op, Self, N>>::Tree,
            >;
        }
    };
}
cast! {
    /// Joins `N` neighbouring elements into one element.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Upcast::<layout!((8,4):(1,8)), int!(4)>::default().to_string(), "(2,4):(1,2)");
    /// ```
    #[doc(alias = "upcast")]
    Upcast, UpcastBy, Upcasts, upcast
}
cast! {
    /// Joins elements like [`Upcast`], but requires that the elements fill whole units.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(ExactUpcast::<layout!((4,8):(8,1)), int!(4)>::default().to_string(), "(4,2):(2,1)");
    /// ```
    ExactUpcast, ExactUpcastBy, ExactUpcasts, upcast_whole
}
cast! {
    /// Splits each element into `N` neighbours.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Downcast::<layout!((2,4):(1,2)), int!(4)>::default().to_string(), "(8,4):(1,8)");
    /// ```
    #[doc(alias = "downcast")]
    Downcast, DowncastBy, Downcasts, downcast
}
/// Converts the layout of elements of `Old` bits to elements of `New` bits.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Recast::<layout!((1,16)), int!(16), int!(128)>::default().to_string(), "(1,2):(0,1)");
/// ```
#[doc(alias = "recast_layout")]
pub type Recast<L, Old, New> = <L as RecastTo<Old, New>>::Output;
/// Layouts that can be recast from elements of `Old` bits to elements of `New` bits.
#[diagnostic::on_unimplemented(
    message = "recast is not admissible for these operands",
    label = "no such cast"
)]
#[doc(hidden)]
pub trait RecastTo<Old, New> {
    /// [`Recast`].
    type Output: crate::LayoutFn;
}
impl<S0, D0, Old: Nat, New: Nat> RecastTo<Old, New> for Layout<S0, D0>
where
    Layout<S0, D0>: StaticLayout,
    recast<<Layout<S0, D0> as LayoutFn>::Modes, Old, New>: Admissible<Recasts, Self, (Old, New)>,
{
    type Output = Unzip<
        <recast<<Layout<S0, D0> as LayoutFn>::Modes, Old, New> as Admissible<
            Recasts,
            Self,
            (Old, New),
        >>::Tree,
    >;
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    /// Joins `n` neighbours into one element.
    fn upcast(t: Tree, n: Nat) -> Outcome {
        match t {
            M(s, d) => upcast_mode(d, s, n),
            Nil => Done(Nil),
            Cons(h, rest) => match upcast(h, n) {
                Done(u, _) => behind(upcast(rest, n), u),
                Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
                Undecided => Undecided,
            },
        }
    }
    fn upcast_mode(d: Stride, s: Nat, n: Nat) -> Outcome {
        match d {
            Null => Done(M(s, 0)),
            Positive(k) => in_units(s, k, k, k.div_ceil(n), n),
            Negative(k) => in_units(s, Negative(k), k, opposite(k.div_ceil(n)), n),
            Basis(mode, of_mode) => Refused(CastBasisRule, s, Basis(mode, of_mode), Here),
        }
    }
    /// Returns the mode `s:d` in units of `n`. `k` is the magnitude of `d`, and `e` is the stride
    /// in these units.
    fn in_units(s: Nat, d: Stride, k: Nat, e: Stride, n: Nat) -> Outcome {
        if k % n == 0 || n % k == 0 {
            Done(M(s.div_ceil(n.div_ceil(k)), e))
        } else {
            Refused(CastStrideRule, s, d, Here)
        }
    }
    /// Joins neighbours like `upcast`, but requires that the elements fill units.
    fn upcast_whole(t: Tree, n: Nat) -> Outcome {
        if is_whole(t, n) {
            upcast(t, n)
        } else {
            Refused(WholeRule, 1, 0, Here)
        }
    }
    fn is_whole(t: Tree, n: Nat) -> Bool {
        match t {
            M(s, d) => is_multiple(s, n.div_ceil(magnitude(d))) || is_null(d),
            Nil => true,
            Cons(h, rest) => is_whole(h, n) && is_whole(rest, n),
        }
    }
    /// Splits each element into `n` neighbours.
    fn downcast(t: Tree, n: Nat) -> Outcome {
        if has_unit(t) {
            Done(scaled_down(t, n))
        } else {
            Refused(UnitRule, 1, 0, Here)
        }
    }
    fn scaled_down(t: Tree, n: Nat) -> Tree {
        match t {
            M(s, d) => {
                if magnitude(d) == 1 {
                    M(s * n, d)
                } else {
                    M(s, scale(d, n))
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(scaled_down(h, n), each_down(rest, n)),
        }
    }
    fn each_down(list: List, n: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(scaled_down(h, n), each_down(rest, n)),
        }
    }
    /// Whether there is a stride of 1.
    fn has_unit(t: Tree) -> Bool {
        match t {
            M(_, d) => same(d, 1),
            Nil => false,
            Cons(h, rest) => has_unit(h) || has_unit(rest),
        }
    }
    /// Converts from elements of `old` bits to elements of `new` bits: upcasts, and then downcasts,
    /// by the factors that the two widths do not have in common.
    fn recast(t: Tree, old: Nat, new: Nat) -> Outcome {
        if new / gcd(old, new) == 1 {
            then_downcast(Done(t), old / gcd(old, new))
        } else {
            then_downcast(upcast(t, new / gcd(old, new)), old / gcd(old, new))
        }
    }
    fn then_downcast(result: Outcome, n: Nat) -> Outcome {
        match result {
            Done(t, _) => {
                if n == 1 {
                    Done(t)
                } else {
                    downcast(t, n)
                }
            }
            refused => refused,
        }
    }
}

/// The rule that the stride divides the factor, or the factor divides the stride.
#[derive(Clone, Copy, Debug, Default)]
pub struct CastStrideRule;
/// The rule that no stride is a scaled basis element: such a stride cannot be converted to other
/// units.
#[derive(Clone, Copy, Debug, Default)]
pub struct CastBasisRule;
/// The rule that some mode has stride 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnitRule;
/// The rule that the elements of a mode fill whole units.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeRule;
