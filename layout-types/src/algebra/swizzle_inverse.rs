//! Inverses of swizzled layouts.
//!
//! ```text
//!   A = Sw o L      right_inverse(A) = R o Sw, R that of L, as far as Sw stays within R:
//!   Sw<1,2,1> o 0 o (3,4):(1,3)      R = 12:1, and Sw takes 8 to 12:      8:1
//! ```
//!
//! Law: `A(right(i)) == i` for every `i` of the right inverse, whose values are indices of `A`;
//! `left(A(i)) == i` if `A` is injective. A swizzle is its own inverse; it is moved after the
//! layout's inverse if some swizzle has the same effect there. The same rules on values are
//! `dynamic::rules::Swizzle::prefix_within` and `dynamic::right_inverse_any`.

use super::coalescing::simplest;
use super::inverse::{LeftInvertible, RightInvertible, prefix};
use super::outcome::names;
use super::points::Statement;
use super::swizzle::{ComposedLayout, Sw, SwizzleBranch};
use super::swizzle_types::{
    Moved, MovedBranch, OffsetOf, SameSwizzle, ShiftStride, SwizzleMoves, SwizzleType,
};
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::num::{
    Bool, Difference, Log2, Nat, NatAdd, NatBits, NatCmp, NatSub, Pred, StrideLeaf, Two, Zero,
};
use crate::tree::{ModeTree, phantom};

type Exp<N> = <N as Log2>::Exp2;
type Plus<A, B> = <A as Nat>::Plus<B>;
type Minus<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;
type Times<A, B> = <A as Nat>::Times<B>;
type Below<N, W> = <N as NatBits>::And<Pred<W>>;
type Magnitude<S> = <S as StrideLeaf>::Magnitude;

/// The first offset with a bit of the upper field, and (`Block`) the size of the permuted blocks.
type Upper<M, S> = Exp<Plus<M, Magnitude<S>>>;
type Block<B, M, S> = <<S as ShiftStride>::ReadsHigh as Bool>::PickNat<
    Exp<Plus<M, B>>,
    Exp<Plus<Plus<M, Magnitude<S>>, B>>,
>;
/// The largest `m <= N` such that the swizzle maps every offset below `m` to an offset below `N`.
type PrefixWithin<B, M, S, N> = <<B as NatCmp>::IsZero as Bool>::PickNat<
    N,
    Plus<
        Minus<N, Below<N, Block<B, M, S>>>,
        <<S as ShiftStride>::ReadsHigh as Bool>::PickNat<
            LeastByHigh<
                Below<N, Block<B, M, S>>,
                <<Sw<B, M, S> as SwizzleType>::Apply<Minus<N, Below<N, Block<B, M, S>>>> as NatBits>::Xor<
                    Minus<N, Below<N, Block<B, M, S>>>,
                >,
            >,
            LeastByLow<
                B,
                M,
                <Below<N, Block<B, M, S>> as Nat>::Over<Upper<M, S>>,
                Below<Below<N, Block<B, M, S>>, Upper<M, S>>,
            >,
        >,
    >,
>;
/// The least `j` with `j ^ By >= Rest`. It has the bits that are in `Rest` and not in `By`, down to
/// the highest bit that is in `By` and not in `Rest`.
type LeastByHigh<Rest, By> = CutBelow<Without<Rest, By>, Without<By, Rest>>;
type Without<A, B> = <A as NatBits>::Xor<<A as NatBits>::And<B>>;
type CutBelow<Least, Beyond> = <<Beyond as NatCmp>::IsZero as Bool>::PickNat<
    Least,
    Minus<Least, Below<Least, Times<Exp<<Beyond as Log2>::Exponent>, Two>>>,
>;
/// The least offset that the swizzle moves out of a block that is cut to `Top` blocks of [`Upper`]
/// and `Low` offsets. The swizzle writes the bits read at the block's top.
type LeastByLow<B, M, Top, Low> = <<Exp<B> as NatCmp>::AtLeast<Plus<Top, Two>> as Bool>::PickNat<
    <<Low as NatCmp>::Max<Times<Top, Exp<M>>> as NatCmp>::Min<Times<<Top as NatAdd>::Succ, Exp<M>>>,
    Plus<
        Minus<Low, Below<Low, Exp<Plus<M, B>>>>,
        <Below<Low, Exp<Plus<M, B>>> as NatCmp>::Max<Times<Top, Exp<M>>>,
    >,
>;
/// Whether the swizzle changes no offset below `N`.
type Still<F, N> = <<<F as SwizzleType>::Y as NatCmp>::IsZero as Bool>::Or<
    <Exp<<<F as SwizzleType>::Y as NatBits>::TrailingZeros> as NatCmp>::AtLeast<N>,
>;
/// The first elements of a tree of one level, at most `N`: whole modes, and as much of the next
/// mode as fits.
type PrefixOf<T, N> = simplest<prefix<<T as ModeTree>::Modes, N>>;

type ModesOf<L> = <L as LayoutFn>::Modes;
/// The right inverse of a layout, and (`RunOf`) its prefix that the swizzle maps into itself.
type WholeOf<L> = ModesOf<<L as RightInvertible>::Output>;
type RunOf<B, M, S, L> =
    PrefixOf<WholeOf<L>, PrefixWithin<B, M, S, <WholeOf<L> as ModeTree>::Size>>;
type RunSize<B, M, S, L> = <RunOf<B, M, S, L> as ModeTree>::Size;

impl<S0, D0, B: Nat, M: Nat, S: StrideLeaf> RightInvertible
    for ComposedLayout<Sw<B, M, S>, Zero, Layout<S0, D0>>
where
    Layout<S0, D0>: RightInvertible<Output: StaticLayout>,
    <Still<Sw<B, M, S>, RunSize<B, M, S, Layout<S0, D0>>> as MovedBranch>::Unmoved<
        WholeOf<Layout<S0, D0>>,
        Sw<B, M, S>,
        RunSize<B, M, S, Layout<S0, D0>>,
        SameSwizzle<
            WholeOf<Layout<S0, D0>>,
            Sw<B, M, S>,
            Moved<WholeOf<Layout<S0, D0>>, Sw<B, M, S>>,
        >,
    >: SwizzleMoves<(names::right_inverse, B, M, S, S0, D0)>,
{
    type Output = <<Still<Sw<B, M, S>, RunSize<B, M, S, Layout<S0, D0>>> as Bool>::Or<
        MovedIsTrivial<WholeOf<Layout<S0, D0>>, Sw<B, M, S>>,
    > as SwizzleBranch>::Swizzled<
        Moved<WholeOf<Layout<S0, D0>>, Sw<B, M, S>>,
        Unzip<RunOf<B, M, S, Layout<S0, D0>>>,
    >;
}
type MovedIsTrivial<T, F> = <OffsetOf<T, <F as SwizzleType>::Y> as NatCmp>::IsZero;

/// The left inverse of a layout, and (`CosizeOf`) the number of offsets up to the layout's last
/// offset.
type LeftOf<L> = ModesOf<<L as LeftInvertible>::Output>;
type CosizeOf<L> = <<ModesOf<L> as ModeTree>::Reach as NatAdd>::Succ;
phantom! {
    /// The statement [`SameSwizzle`] of `T` at the offset that the tree `A`, followed by the
    /// swizzle `F`, has at an index.
    SameAtOffset<T, F, A>
}
impl<T: ModeTree, F: SwizzleType, A: ModeTree> Statement for SameAtOffset<T, F, A> {
    type At<I: Nat> = <SameSwizzle<T, F, Moved<T, F>> as Statement>::At<F::Apply<OffsetOf<A, I>>>;
}
impl<S0, D0, B: Nat, M: Nat, S: StrideLeaf> LeftInvertible
    for ComposedLayout<Sw<B, M, S>, Zero, Layout<S0, D0>>
where
    Layout<S0, D0>: StaticLayout + LeftInvertible<Output: StaticLayout>,
    <Still<Sw<B, M, S>, CosizeOf<Layout<S0, D0>>> as MovedBranch>::Unmoved<
        LeftOf<Layout<S0, D0>>,
        Sw<B, M, S>,
        <ModesOf<Layout<S0, D0>> as ModeTree>::Size,
        SameAtOffset<LeftOf<Layout<S0, D0>>, Sw<B, M, S>, ModesOf<Layout<S0, D0>>>,
    >: SwizzleMoves<(names::left_inverse, B, M, S, S0, D0)>,
{
    type Output = <<Still<Sw<B, M, S>, CosizeOf<Layout<S0, D0>>> as Bool>::Or<
        MovedIsTrivial<LeftOf<Layout<S0, D0>>, Sw<B, M, S>>,
    > as SwizzleBranch>::Swizzled<
        Moved<LeftOf<Layout<S0, D0>>, Sw<B, M, S>>,
        <Layout<S0, D0> as LeftInvertible>::Output,
    >;
}
