//! Compositions that no rule on digits decides: strides of both signs, and a few compositions that
//! are compared point by point.
//!
//! ```text
//!   borrow   (4,4):(4,1) o (2,2):(-1,4)     one sign borrows from the other          points   A(B(i)) and C(i), for each i
//! ```

pub mod borrow {
    //! Right operands with strides of both signs: decides whether the modes of one sign borrow from
    //! those of the other sign.
    //!
    //! ```text
    //!   A = (4,4):(4,1)     A o (2,2):(-1,4)     at (1,1) the offset 4 - 1 = 3 is A's (3,0): 12, but 1 - 4 = -3 by parts
    //!   A = (2,3,4):(1,5,12)   A o (2,2):(-1,6)  6 - 1 = 5 is A's (1,2): 11, and 12 - 1 = 11 by parts
    //! ```
    //!
    //! Law: let the modes of each sign without the others have a composition with the coalesced
    //! `A`, whose digits have shapes `s_i` and strides `d_i`. A digit taken below zero borrows
    //! through the digits up to the first digit that is above zero, from `j` to `k`. Then the
    //! offset differs from the sum of the parts by the sum of `s_i d_i - d_(i+1)` for `j <= i < k`.
    //! So all modes together are the composition if and only if this sum is 0 between any digit
    //! taken by one sign and any digit taken by the other sign. If both signs take a digit, this
    //! means that the sum from the first digit up is the same at every digit taken.
    //! `docs/soundness.md` says why this is exact.

    use super::super::compose_list::{add_times, was_taken};
    use crate::kinds::*;
    use crate::tree::phantom;
    use layout_types_macros::functions;

    /// Picks all strides.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct All;
    /// Picks the integers.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Integers;
    /// Picks the positive integers.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Rising;
    /// Picks the negative integers, without their sign.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Falling;
    phantom! {
        /// Picks, from the strides `V@I`, the strides that `P` picks from `V`.
        Along<I, P>
    }
    /// No digit has been taken yet.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct NoLevel;
    /// The rule that modes of opposite sign do not borrow from each other.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct BorrowRule;

    pub(crate) use self::functions::*;

    #[functions(crate::kinds::table)]
    mod functions {
        use super::*;

        fn was_taken(cap: Allowance) -> Bool;
        fn add_times(d: Stride, n: Nat, sum: Sum) -> Sum;

        /// Whether no digit borrows, given the steps of the digits that were taken upwards and
        /// downwards.
        fn borrow_free(up: Digits, down: Digits) -> Bool {
            !(any_taken(up) && any_taken(down)) || level_in_each(up, up, down)
        }

        // -- The walk -----------------------------------------------------------------------------

        /// Whether `level` holds in `up` and `down` for the basis of each stride of `x`.
        fn level_in_each(x: Digits, up: Digits, down: Digits) -> Bool {
            match x {
                Start(_) => true,
                End(_, _, e) => level(up, down, line(e), NoLevel),
                Digit(_, _, e, rest) => {
                    level(up, down, line(e), NoLevel) && level_in_each(rest, up, down)
                }
            }
        }
        /// Whether the level is the same at every digit taken in `up` or `down`, for the strides
        /// that `p` picks; `l` is the level from the digits below.
        fn level(up: Digits, down: Digits, p: Pick, l: Level) -> Bool {
            match up {
                Start(_) => true,
                End(c, cap, e) => {
                    level_at(l, taken(cap, down), c, picked(e, p), Start, higher(down), p)
                }
                Digit(c, cap, e, rest) => {
                    level_at(l, taken(cap, down), c, picked(e, p), rest, higher(down), p)
                }
            }
        }
        /// Returns `level` from the digit `c:d` on, with `l` from the digits below. `up` and `down`
        /// are the digits above this digit.
        fn level_at(
            l: Level,
            here: Bool,
            c: Nat,
            d: Stride,
            up: Digits,
            down: Digits,
            p: Pick,
        ) -> Bool {
            let at = enter(l, d, here);
            (!here || is_level(at)) && level(up, down, p, leave(at, c, d))
        }

        /// Whether a part of a budget, or of the lowest digit, was taken.
        fn taken(cap: Allowance, x: Digits) -> Bool {
            was_taken(cap) || lowest_taken(x)
        }
        fn lowest_taken(x: Digits) -> Bool {
            match x {
                Start(_) => false,
                End(_, cap, _) => was_taken(cap),
                Digit(_, cap, _, _) => was_taken(cap),
            }
        }
        fn any_taken(x: Digits) -> Bool {
            match x {
                Start(_) => false,
                End(_, cap, _) => was_taken(cap),
                Digit(_, cap, _, rest) => was_taken(cap) || any_taken(rest),
            }
        }
        /// Returns the digits above the lowest digit.
        fn higher(x: Digits) -> Digits {
            match x {
                Digit(_, _, _, rest) => rest,
                _ => Start,
            }
        }

        // -- The level: the sum of `s_i d_i - d_(i+1)` from the first digit taken -----------------

        /// Returns the level at the next digit, of stride `d`.
        fn enter(l: Level, d: Stride, here: Bool) -> Level {
            match l {
                NoLevel => first_level(here),
                SumOf(_, _) => add_times(opposite(d), 1, l),
                NoSum => NoSum,
            }
        }
        fn first_level(here: Bool) -> Level {
            if here { SumOf(0, 0) } else { NoLevel }
        }
        fn is_level(l: Level) -> Bool {
            match l {
                NoLevel => true,
                SumOf(up, down) => up == down,
                NoSum => false,
            }
        }
        /// Returns the level after the digit `c:d`.
        fn leave(l: Level, c: Nat, d: Stride) -> Level {
            match l {
                SumOf(_, _) => add_times(d, c, l),
                _ => l,
            }
        }

        // -- Picking strides; the others become 0 -------------------------------------------------

        /// Returns the part of a stride that `p` picks.
        fn picked(d: Stride, p: Pick) -> Stride {
            match d {
                Null => 0,
                Positive(n) => picked_positive(p, n),
                Negative(n) => picked_negative(p, n),
                Basis(mode, v) => picked_basis(p, mode, v),
            }
        }
        fn picked_positive(p: Pick, n: Nat) -> Stride {
            match p {
                All | Integers | Rising => n,
                Falling | Along(_, _) => 0,
            }
        }
        /// Returns the part of the stride `-n` that `p` picks.
        fn picked_negative(p: Pick, n: Nat) -> Stride {
            match p {
                All | Integers => opposite(n),
                Falling => n,
                Rising | Along(_, _) => 0,
            }
        }
        /// Returns the part of the stride `v` in a mode that `p` picks.
        fn picked_basis(p: Pick, mode: Nat, v: Stride) -> Stride {
            match p {
                All => Basis(mode, v),
                Along(own, inner) => {
                    if mode == own {
                        picked(v, inner)
                    } else {
                        0
                    }
                }
                _ => 0,
            }
        }
        /// Returns the pick of all strides with the same basis: the integers, or the strides along
        /// the same modes.
        fn line(d: Stride) -> Pick {
            match d {
                Basis(mode, v) => Along(mode, line(v)),
                _ => Integers,
            }
        }
    }
}

pub mod points {
    //! Compares a composition with its operands point by point, for the few compositions that no
    //! rule on digits decides.
    //!
    //! ```text
    //!   (5,8):(0,1) o 4:3  =  (2,2):(0,1)       4 steps over the end of a digit of stride 0
    //!   i        0  1  2  3
    //!   A(B(i))  0  0  1  1
    //!   C(i)     0  0  1  1
    //! ```
    //!
    //! Law: `SamePoints<A, B, C>` is true if and only if `C(i) == A(B(i))` for each `i` below the
    //! size; negative offsets use truncation as in C++, `A(-x) == -A(x)`.

    use super::super::compose_list::{Digits, add_at};
    use crate::num::{
        Bool, Difference, E, False, Nat, NatCmp, NatSub, QuotRem, StrideLeaf, True, Underflow, Zero,
    };
    use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
    use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

    phantom! {
        /// The integer `P - N`.
        SumOf<P, N>
    }
    /// A sum with a scaled basis element, which is not compared.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct NoSum;

    /// An integer of either sign, as a difference of two numbers.
    #[doc(hidden)]
    pub trait Sum: crate::kinds::Level {
        /// This integer plus `N`.
        type Plus<N: Nat>: Sum;
        /// This integer minus `N`.
        type Minus<N: Nat>: Sum;
        /// This integer with the other sign.
        type Negated: Sum;
        /// Whether this integer equals `S`.
        type Same<S: Sum>: Bool;
        /// Whether this integer equals `P - N`.
        type SameAs<P: Nat, N: Nat>: Bool;
        /// The integer, or 0 if it is negative.
        type OrZero: Nat;
        /// Whether this is an integer and not negative.
        type IsNatural: Bool;
        /// The offset of `X` at this integer.
        type Through<X: Digits>: Sum;
    }
    impl<P: Nat, N: Nat> Sum for SumOf<P, N> {
        type Plus<K: Nat> = SumOf<<P as Nat>::Plus<K>, N>;
        type Minus<K: Nat> = SumOf<P, <N as Nat>::Plus<K>>;
        type Negated = SumOf<N, P>;
        type Same<S: Sum> = S::SameAs<P, N>;
        type SameAs<P2: Nat, N2: Nat> =
            <<P as Nat>::Plus<N2> as NatCmp>::Equals<<N as Nat>::Plus<P2>>;
        type OrZero = <<P as NatSub>::Sub<N> as Difference>::OrZero;
        type IsNatural = <P as NatCmp>::AtLeast<N>;
        type Through<X: Digits> = <<P as NatSub>::Sub<N> as PointDifference>::Positive<X, P, N>;
    }
    impl Sum for NoSum {
        type Plus<K: Nat> = NoSum;
        type Minus<K: Nat> = NoSum;
        type Negated = NoSum;
        type Same<S: Sum> = False;
        type SameAs<P2: Nat, N2: Nat> = False;
        type OrZero = Zero;
        type IsNatural = False;
        type Through<X: Digits> = NoSum;
    }

    /// Evaluates an offset at a difference `P - N`, which may underflow.
    #[doc(hidden)]
    pub trait PointDifference {
        /// The offset of `X` at `P - N`.
        type Positive<X: Digits, P: Nat, N: Nat>: Sum;
    }
    impl PointDifference for Underflow {
        type Positive<X: Digits, P: Nat, N: Nat> =
            <add_at<X, <N::Sub<P> as Difference>::OrZero, SumOf<Zero, Zero>> as Sum>::Negated;
    }
    macro_rules! difference {
        (@bit Self) => { True };
        (@bit $u:ident Self) => { <Self as crate::num::Log2>::IsPower };
        ([$($u:ident)?] $t:ty) => {
            impl<$($u: Nat)?> PointDifference for $t {
                type Positive<X: Digits, P: Nat, N: Nat> = add_at<X, Self, SumOf<Zero, Zero>>;
            }
            impl<$($u: Nat)?> AddStride for $t {
                type IsBit = difference!(@bit $($u)? Self);
                type AddTimes<K: Nat, S: Sum> = S::Plus<K::Times<Self>>;
            }
        };
    }
    difference!([] UTerm);
    difference!([U] UInt<U, B0>);
    difference!([U] UInt<U, B1>);

    /// Strides that are added to sums.
    #[doc(hidden)]
    pub trait AddStride {
        /// Whether the stride is 0 or a power of two.
        type IsBit: Bool;
        /// `S + K * Self`.
        type AddTimes<K: Nat, S: Sum>: Sum;
    }
    impl<N: Nat + NonZero> AddStride for NInt<N> {
        type IsBit = False;
        type AddTimes<K: Nat, S: Sum> = S::Minus<K::Times<N>>;
    }
    impl<I: Nat, V: StrideLeaf> AddStride for E<I, V> {
        type IsBit = False;
        type AddTimes<K: Nat, S: Sum> = NoSum;
    }

    /// Trees at one coordinate.
    #[doc(hidden)]
    pub trait PointTree {
        /// The offset of the linear coordinate `At`, below the size, added to `S`.
        type AddAt<At: Nat, S: Sum>: Sum;
        /// Whether each shape is a power of two, and each stride a power of two or 0.
        type OfBits: Bool;
        /// For such shapes, the number of bits of an index that reach the offset.
        type BitCount: Nat;
        /// The offset at which the last mode of more than one element ends and continues, or
        /// `Before` if there is no such mode.
        type LastEnd<Before: Nat>: Nat;
    }
    /// Whether each bit of an index sets its own bit of the offset, or no bit. Then the tree is
    /// linear over bits: the offset of `i ^ j` is the exclusive or of the offsets of `i` and `j`.
    pub type BitLinear<T> = <<T as PointTree>::OfBits as Bool>::And<
        <<T as PointTree>::BitCount as NatCmp>::Equals<
            <<T as ModeTree>::Reach as crate::num::NatBits>::Ones,
        >,
    >;
    /// Whether the tree is also linear over bits past the end, where the last mode continues.
    pub type LinearPastEnd<T> = <BitLinear<T> as Bool>::And<
        <<<T as PointTree>::LastEnd<Zero> as NatCmp>::IsZero as Bool>::Or<
            <<T as PointTree>::LastEnd<Zero> as NatCmp>::AtLeast<
                <<T as ModeTree>::Reach as crate::num::NatAdd>::Succ,
            >,
        >,
    >;
    impl<C: Nat, D: StrideLeaf> PointTree for M<C, D> {
        type OfBits = <C::IsPower as Bool>::And<D::IsBit>;
        type BitCount = <D::Null as Bool>::PickNat<Zero, C::Exponent>;
        type LastEnd<Before: Nat> =
            <C::IsOne as Bool>::PickNat<Before, <C as Nat>::Times<D::Magnitude>>;
        type AddAt<At: Nat, S: Sum> = <D as AddStride>::AddTimes<At, S>;
    }
    impl PointTree for Nil {
        type OfBits = True;
        type BitCount = Zero;
        type LastEnd<Before: Nat> = Before;
        type AddAt<At: Nat, S: Sum> = S;
    }
    impl<H: ModeTree, T: ModeList> PointTree for Cons<H, T> {
        type OfBits = <H::OfBits as Bool>::And<T::OfBits>;
        type BitCount = <H::BitCount as Nat>::Plus<T::BitCount>;
        type LastEnd<Before: Nat> = T::LastEnd<H::LastEnd<Before>>;
        type AddAt<At: Nat, S: Sum> =
            T::AddAt<At::Over<H::Size>, H::AddAt<<At::DivRem<H::Size> as QuotRem>::Rem, S>>;
    }

    phantom! {
        /// The statement `C(i) == A(B(i))`, with `A` as digits.
        SamePoints<A, B, C>
    }
    /// A statement about a number.
    #[doc(hidden)]
    pub trait Statement {
        /// Whether the statement holds for `I`.
        type At<I: Nat>: Bool;
    }
    impl<A: Digits, B: ModeTree, C: ModeTree> Statement for SamePoints<A, B, C> {
        type At<I: Nat> = <<B::AddAt<I, SumOf<Zero, Zero>> as Sum>::Through<A> as Sum>::Same<
            <C as PointTree>::AddAt<I, SumOf<Zero, Zero>>,
        >;
    }

    /// Quantifies over all numbers below this one.
    #[doc(hidden)]
    pub trait NatPoints {
        /// Whether `P` holds for `Base`, `Base + 1`, .. `Base + Self - 1`. Each step halves the
        /// range, so that the depth is logarithmic.
        type AllFrom<Base: Nat, P: Statement>: Bool;
        /// Whether `P` holds for `Base`, `2 * Base`, .. below `Base * Self`, a power of two.
        type AllBits<Base: Nat, P: Statement>: Bool;
    }
    impl NatPoints for UTerm {
        type AllBits<Base: Nat, P: Statement> = True;
        type AllFrom<Base: Nat, P: Statement> = True;
    }
    impl<U: Nat> NatPoints for UInt<U, B0> {
        type AllBits<Base: Nat, P: Statement> =
            <P::At<Base> as Bool>::And<U::AllBits<<Base as Nat>::Twice, P>>;
        type AllFrom<Base: Nat, P: Statement> =
            <U::AllFrom<Base, P> as Bool>::And<U::AllFrom<<Base as Nat>::Plus<U>, P>>;
    }
    impl<U: Nat> NatPoints for UInt<U, B1> {
        type AllBits<Base: Nat, P: Statement> = True;
        type AllFrom<Base: Nat, P: Statement> = <<U::AllFrom<Base, P> as Bool>::And<
            U::AllFrom<<Base as Nat>::Plus<U>, P>,
        > as Bool>::And<P::At<<Base as Nat>::Plus<U::Twice>>>;
    }
}
