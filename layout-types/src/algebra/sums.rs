//! Compositions that no rule on digits decides: strides of both signs, and the few that are compared point by point.
//!
//! ```text
//!   borrow   (4,4):(4,1) o (2,2):(-1,4)     one sign borrows from the other          points   A(B(i)) and C(i), for each i
//! ```

pub mod borrow {
    //! Right operands with strides of both signs: when the modes of one sign borrow from those of the other.
    //!
    //! ```text
    //!   A = (4,4):(4,1)     A o (2,2):(-1,4)     at (1,1) the offset 4 - 1 = 3 is A's (3,0): 12, but 1 - 4 = -3 by parts
    //!   A = (2,3,4):(1,5,12)   A o (2,2):(-1,6)  6 - 1 = 5 is A's (1,2): 11, and 12 - 1 = 11 by parts
    //! ```
    //!
    //! Law: let the modes of each sign alone have a composition with the coalesced `A`, whose digits have shapes `s_i` and
    //! strides `d_i`. A digit taken below zero borrows through the digits up to the first that is above it, from `j` to `k`, and
    //! the offset then differs from the sum of the parts by the sum of `s_i d_i - d_(i+1)` for `j <= i < k`. So all together is the
    //! composition exactly when this sum is 0 between any digit taken by one sign and any taken by the other, that is, where
    //! both signs take any, when the sum from the first digit up is the same at every digit taken. This is
    //! [`rules::joint`](crate::dynamic::rules::joint) of the mirror, and `docs/soundness.md` says why it is exact.

    use super::super::compose_list::{any_taken, level_in_each};
    use super::super::decide::{DecideNext, DecideTree, UnbudgetedCompose};
    use super::points::{AddStride, NoSum, SumOf};
    use crate::num::{Bool, E, False, Nat, One, StrideLeaf, True, Zero};
    use crate::tree::phantom;

    /// Some strides of many; the others become 0.
    pub trait Pick {
        /// A positive stride.
        type Positive<N: Nat>: StrideLeaf;
        /// The stride `-N`.
        type Negative<N: Nat>: StrideLeaf;
        /// The stride `V@J`.
        type Basis<J: Nat, V: StrideLeaf>: StrideLeaf;
    }
    /// All strides, as they are.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct All;
    /// The integers.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Integers;
    /// The positive integers.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Rising;
    /// The negative integers, without their sign.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Falling;
    phantom! {
        /// Of the strides `V@I` what `P` picks of `V`.
        Along<I, P>
    }
    macro_rules! pick {
        ($name:ty, $n:ident: $positive:ty, $negative:ty; $j:ident $v:ident: $basis:ty; $([$($p:tt)*])?) => {
            impl$(<$($p)*>)? Pick for $name {
                type Positive<$n: Nat> = $positive;
                type Negative<$n: Nat> = $negative;
                type Basis<$j: Nat, $v: StrideLeaf> = $basis;
            }
        };
    }
    pick!(All, N: N, <N as StrideLeaf>::Negate; J V: E<J, V>;);
    pick!(Integers, N: N, <N as StrideLeaf>::Negate; J V: Zero;);
    pick!(Rising, N: N, Zero; J V: Zero;);
    pick!(Falling, N: Zero, N; J V: Zero;);
    pick!(Along<I, P>, N: Zero, Zero; J V: <J::Equals<I> as Bool>::PickStride<V::Picked<P>, Zero>; [I: Nat, P: Pick]);

    /// Does nothing in `A o B` borrow, the modes of each sign having a composition?
    pub type BorrowFree<A, B> = BorrowFreeDigits<
        <UnbudgetedCompose<A, <B as DecideTree>::Only<Rising>> as DecideNext>::Taken,
        <UnbudgetedCompose<A, <B as DecideTree>::Only<Falling>> as DecideNext>::Taken,
    >;
    /// [`BorrowFree`] of the digits with what is taken of them up and down.
    pub type BorrowFreeDigits<Up, Down> =
        <<<any_taken<Up> as Bool>::And<any_taken<Down>> as Bool>::Not as Bool>::Or<
            level_in_each<Up, Up, Down>,
        >;

    /// The sum of `s_i d_i - d_(i+1)` from the first digit taken.
    pub trait Level {
        /// At the next digit, of stride `D`.
        type Enter<D: StrideLeaf, Taken: Bool>: Level;
        /// Is it 0?
        type IsZero: Bool;
        /// Behind the digit of shape `C` and stride `D`.
        type Leave<C: Nat, D: StrideLeaf>: Level;
    }
    /// No digit was taken yet.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct NoLevel;
    impl Level for NoLevel {
        type Enter<D: StrideLeaf, Taken: Bool> = Taken::FirstLevel;
        type IsZero = True;
        type Leave<C: Nat, D: StrideLeaf> = NoLevel;
    }
    impl<P: Nat, N: Nat> Level for SumOf<P, N> {
        type Enter<D: StrideLeaf, Taken: Bool> = <D::Negate as AddStride>::AddTimes<One, Self>;
        type IsZero = <P as crate::num::NatCmp>::Equals<N>;
        type Leave<C: Nat, D: StrideLeaf> = <D as AddStride>::AddTimes<C, Self>;
    }
    impl Level for NoSum {
        type Enter<D: StrideLeaf, Taken: Bool> = NoSum;
        type IsZero = False;
        type Leave<C: Nat, D: StrideLeaf> = NoSum;
    }
    /// Where a sum of [`Level`] starts.
    pub trait BorrowBranch {
        /// True: here.
        type FirstLevel: Level;
    }
    impl BorrowBranch for True {
        type FirstLevel = SumOf<Zero, Zero>;
    }
    impl BorrowBranch for False {
        type FirstLevel = NoLevel;
    }
    /// Modes of opposite sign borrow from one another.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct BorrowRule;
}

pub mod points {
    //! Comparing a composition with its operands one by one, for the few that no rule on digits decides.
    //!
    //! ```text
    //!   (5,8):(0,1) o 4:3  =  (2,2):(0,1)       4 steps over the end of a digit of stride 0
    //!   i        0  1  2  3
    //!   A(B(i))  0  0  1  1
    //!   C(i)     0  0  1  1
    //! ```
    //!
    //! Law: `SamePoints<A, B, C>` is true exactly when `C(i) == A(B(i))` for each `i` below the size, with negative offsets by
    //! truncation as in C++, `A(-x) == -A(x)`.

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

    /// An integer of either sign, as sum and difference of numbers.
    pub trait Sum: super::borrow::Level {
        /// With `N` added.
        type Plus<N: Nat>: Sum;
        /// With `N` subtracted.
        type Minus<N: Nat>: Sum;
        /// The other sign.
        type Negated: Sum;
        /// Is it the same integer as `S`?
        type Same<S: Sum>: Bool;
        /// Is it the integer `P - N`?
        type SameAs<P: Nat, N: Nat>: Bool;
        /// The integer, 0 where it is negative.
        type OrZero: Nat;
        /// Is it an integer that is not negative?
        type IsNatural: Bool;
        /// The offset that `X` has at this integer.
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

    /// What a difference `P - N`, or none, makes of an offset.
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

    /// Strides in sums.
    pub trait AddStride {
        /// Is it 0 or a power of two?
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
    pub trait PointTree {
        /// The offset of the linear coordinate `At`, below the size, added to `S`.
        type AddAt<At: Nat, S: Sum>: Sum;
        /// Is each shape a power of two, and each stride too, or 0?
        type OfBits: Bool;
        /// How many bits of an index reach the offset, for such shapes.
        type BitCount: Nat;
        /// Where the last mode of more than one element ends and goes on; `Before` where there is none.
        type LastEnd<Before: Nat>: Nat;
    }
    /// Does each bit of an index set a bit of the offset of its own, or none? Then the tree is linear over bits: the offset of
    /// `i ^ j` is that of `i` and that of `j` by exclusive or.
    pub type BitLinear<T> = <<T as PointTree>::OfBits as Bool>::And<
        <<T as PointTree>::BitCount as NatCmp>::Equals<
            <<T as ModeTree>::Reach as crate::num::NatBits>::Ones,
        >,
    >;
    /// Is it so past the end, too, where the last mode goes on?
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
        /// `C(i) == A(B(i))`, `A` as digits.
        SamePoints<A, B, C>
    }
    /// A statement about a number.
    pub trait Statement {
        /// Does it hold for `I`?
        type At<I: Nat>: Bool;
    }
    impl<A: Digits, B: ModeTree, C: ModeTree> Statement for SamePoints<A, B, C> {
        type At<I: Nat> = <<B::AddAt<I, SumOf<Zero, Zero>> as Sum>::Through<A> as Sum>::Same<
            <C as PointTree>::AddAt<I, SumOf<Zero, Zero>>,
        >;
    }

    /// All numbers below another.
    pub trait NatPoints {
        /// Does `P` hold for `Base`, `Base + 1`, .. `Base + Self - 1`? Halving, so that the depth is logarithmic.
        type AllFrom<Base: Nat, P: Statement>: Bool;
        /// Does `P` hold for `Base`, `2 * Base`, .. below `Base * Self`, a power of two?
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
