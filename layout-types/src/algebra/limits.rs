//! Limits of a layout's size: a quick count that usually decides, and the logarithms that decide
//! otherwise.
//!
//! ```text
//!   room   (8,4):(1,512)     a unit for three bits: fits          fits   4:2^40 o 2:2^40     2^80: refused
//! ```

pub mod room {
    //! A quick test whether a layout's numbers fit. It counts in one step per leaf, where a sum and
    //! a comparison of logarithms would take more steps.
    //!
    //! ```text
    //!   (8,4):(1,512)   2^3, 2^2       one unit of room each
    //!   (8,4096):(1,8)  2^3, 2^12      one unit and four
    //! ```
    //!
    //! A layout is given a number of units of [`Room`]. A leaf takes one unit for every three bits
    //! of its shape, at least one, and a tuple takes one unit. Strides must be at most 2^24 and
    //! shapes at most 2^12; otherwise all room is taken.
    //!
    //! Law: if room is left of [`Units17`], the size is at most 2^51, all offsets are below 2^41,
    //! and there are at most 17 leaves and 16 levels, all far within the limits of
    //! [`fits`](super::super::fits). If no room is left, the layout may still fit: `fits` then
    //! decides.

    use super::fits::{FitsBranch, FitsVerdict, LeavesFit, NumbersFit, Within};
    use crate::num::{Bool, False, Nat, True};
    use crate::tree::ModeTree;

    /// The binary logarithm of a number, rounded up, as the name of a class of numbers.
    #[doc(hidden)]
    pub trait Width: Copy + Default + core::fmt::Debug + 'static {
        /// The logarithm; saturates at 25.
        const BITS: u32;
        /// The class of numbers with one more bit.
        type Wider: Width;
        /// The room that remains of `R` after a leaf of this shape.
        type Shape<R: Room>: Room;
        /// The room that remains of `R` after a leaf of a stride of this class.
        type Stride<R: Room>: Room;
    }
    /// The units of room that leaves and tuples can still take.
    #[doc(hidden)]
    pub trait Room: Copy + Default + core::fmt::Debug + 'static {
        /// The room minus one unit.
        type Less1: Room;
        /// The room minus two units.
        type Less2: Room;
        /// The room minus three units.
        type Less3: Room;
        /// The room minus four units.
        type Less4: Room;
        /// No room.
        type LessAll: Room;
        /// Whether room is left.
        type IsLeft: Bool;
        /// Whether `T` fits, given that this room is left after counting it.
        type Verdict<T: ModeTree>: FitsVerdict;
    }

    macro_rules! widths {
        ($($name:ident $wider:ident $less:ident;)*) => {$(
            /// The numbers from one above the previous power of two up to this power of two.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct $name;
            impl Width for $name {
                const BITS: u32 = $wider::BITS - 1;
                type Wider = $wider;
                type Shape<R: Room> = R::$less;
                type Stride<R: Room> = R;
            }
        )*};
    }
    widths! {
        Bits0 Bits1 Less1; Bits1 Bits2 Less1; Bits2 Bits3 Less1; Bits3 Bits4 Less1;
        Bits4 Bits5 Less2; Bits5 Bits6 Less2; Bits6 Bits7 Less2;
        Bits7 Bits8 Less3; Bits8 Bits9 Less3; Bits9 Bits10 Less3;
        Bits10 Bits11 Less4; Bits11 Bits12 Less4; Bits12 Bits13 Less4;
        Bits13 Bits14 LessAll; Bits14 Bits15 LessAll; Bits15 Bits16 LessAll; Bits16 Bits17 LessAll; Bits17 Bits18 LessAll;
        Bits18 Bits19 LessAll; Bits19 Bits20 LessAll; Bits20 Bits21 LessAll; Bits21 Bits22 LessAll; Bits22 Bits23 LessAll;
        Bits23 Bits24 LessAll; Bits24 Wide LessAll;
    }
    /// Numbers above 2^24.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Wide;
    impl Width for Wide {
        const BITS: u32 = 25;
        type Wider = Wide;
        type Shape<R: Room> = Taken;
        type Stride<R: Room> = Taken;
    }

    macro_rules! rooms {
        ($name:ident $less1:ident $less2:ident $less3:ident $less4:ident $($more:ident)*) => {
            /// A number of units of room, which the name states.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct $name;
            impl Room for $name {
                type Less1 = $less1;
                type Less2 = $less2;
                type Less3 = $less3;
                type Less4 = $less4;
                type LessAll = Taken;
                type IsLeft = True;
                type Verdict<T: ModeTree> = Within;
            }
            rooms! { $less1 $less2 $less3 $less4 $($more)* }
        };
        (Taken Taken Taken Taken) => {};
    }
    rooms! {
        Units17 Units16 Units15 Units14 Units13 Units12 Units11 Units10 Units9 Units8 Units7 Units6 Units5 Units4 Units3 Units2 Units1
        Units0 Taken Taken Taken Taken
    }
    /// More room was taken than there was.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Taken;
    impl Room for Taken {
        type Less1 = Taken;
        type Less2 = Taken;
        type Less3 = Taken;
        type Less4 = Taken;
        type LessAll = Taken;
        type IsLeft = False;
        type Verdict<T: ModeTree> = <NumbersFit<T> as FitsBranch>::AndLeaves<LeavesFit<T>>;
    }
    /// The room that remains of `R` after a leaf `S:D`; `D` is the magnitude of its stride.
    pub type AfterLeaf<S, D, R> =
        <<D as Nat>::Width as Width>::Stride<<<S as Nat>::Width as Width>::Shape<R>>;

    #[cfg(test)]
    mod tests {
        use crate::algebra::room::Width;
        use crate::num::{Nat, NatAdd, One, Zero};

        /// Compares the classes of `N` and of the numbers after `N` with their logarithms.
        fn compare<N: Nat>(checked: &mut u32) {
            let number = N::VALUE.expect("a number of few bits") as u64;
            let log = number.max(1).next_power_of_two().trailing_zeros();
            assert_eq!(<N::Width as Width>::BITS, log.min(25), "of {number}");
            *checked += 1;
        }
        macro_rules! compare {
            ($checked:ident, $of:ty; $($next:tt)*) => {
                compare::<$of>(&mut $checked);
                compare::<<$of as NatAdd>::Succ>(&mut $checked);
                compare::<crate::num::Pred<$of>>(&mut $checked);
                compare!(@$checked, $of; $($next)*);
            };
            (@$checked:ident, $of:ty;) => {};
            (@$checked:ident, $of:ty; $next:tt $($more:tt)*) => {
                compare!($checked, <$of as Nat>::Twice; $($more)*);
            };
        }

        /// Checks that the class of a number is its logarithm, rounded up: at each power of two up
        /// to 2^30, at its two neighbours, and at each number up to 9.
        #[test]
        fn classes_are_logarithms() {
            let mut checked = 0;
            compare::<Zero>(&mut checked);
            compare!(checked, One; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30);
            compare!(checked, typenum::U7; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
            compare!(checked, typenum::U5; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
            assert_eq!(checked, 1 + 3 * (31 + 25 + 25));
        }
    }
}

pub mod fits {
    //! Limits of a layout: numbers of 64 bits, and a few dozen leaves.
    //!
    //! ```text
    //!   4:2^40 o 2:2^40         stride 2^80                       refused: a number does not fit in 64 bits
    //!   2^40:1 x 2^40:1         2^80 elements                     refused
    //!   ((..((2,2),2)..),2)     60 levels                         refused: more leaves than 32
    //! ```
    //!
    //! Law: where an operation has a result, the result's sizes, strides and cosize are at most
    //! 2^63 - 1. Their logarithms decide, each number rounded up to a power of two, since a sum of
    //! numbers of 63 bits is beyond the depth to which the compiler evaluates types. A refused
    //! layout has a size or a cosize above 2^62 after this rounding. The run-time mirror, which has
    //! numbers, refuses above 2^63 - 1.

    use super::super::outcome::{Admissible, Here, Refused};
    use super::room::{AfterLeaf, Room, Units17};
    use crate::num::{Bool, False, Log2, Nat, NatAdd, NatCmp, One, StrideLeaf, True, Zero};
    use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
    use typenum::{U16, U32, U58, U62, U63};

    /// Trees with the logarithms of their numbers.
    #[doc(hidden)]
    pub trait FitsTree {
        /// The units that remain of the room `R`.
        type RoomLeft<R: Room>: Room;
        /// The exponent of two that bounds the size.
        type SizeLog: Nat;
        /// The exponent of two that bounds, for each leaf, the offsets that the leaf reaches and
        /// two steps of its stride.
        type SpanLog: Nat;
        /// The exponent of two that bounds all offsets, if 2 to the power `Before` bounds the
        /// offsets of the leaves before.
        type ReachLog<Before: Nat>: Nat;
        /// The number of leaves.
        type LeafCount: Nat;
    }
    impl<S: Nat, D: StrideLeaf> FitsTree for M<S, D> {
        type RoomLeft<R: Room> = AfterLeaf<S, D::Magnitude, R>;
        type SizeLog = S::CeilExponent;
        type SpanLog = <<<S as Log2>::CeilExponent as NatCmp>::Max<One> as Nat>::Plus<
            <D::Magnitude as Log2>::CeilExponent,
        >;
        type ReachLog<Before: Nat> = <<Before as NatCmp>::IsZero as Bool>::PickNat<
            Self::SpanLog,
            <<Before as NatCmp>::Max<Self::SpanLog> as NatAdd>::Succ,
        >;
        type LeafCount = One;
    }
    impl FitsTree for Nil {
        type RoomLeft<R: Room> = R::Less1;
        type SizeLog = Zero;
        type SpanLog = Zero;
        type ReachLog<Before: Nat> = Before;
        type LeafCount = Zero;
    }
    impl<H: ModeTree, T: ModeList> FitsTree for Cons<H, T> {
        type RoomLeft<R: Room> = T::RoomLeft<H::RoomLeft<R>>;
        type SizeLog = <H::SizeLog as Nat>::Plus<T::SizeLog>;
        type SpanLog = <H::SpanLog as NatCmp>::Max<T::SpanLog>;
        type ReachLog<Before: Nat> = T::ReachLog<H::ReachLog<Before>>;
        type LeafCount = <H::LeafCount as Nat>::Plus<T::LeafCount>;
    }

    /// The largest number of leaves of a layout: [`MAX_MODES`](crate::dynamic::rules::MAX_MODES).
    pub type MaxLeaves = U32;
    /// The deepest nesting of a layout: [`MAX_DEPTH`](crate::dynamic::rules::MAX_DEPTH).
    pub type MaxDepth = U16;

    /// Whether the numbers of the tree fit. With 32 leaves of at most 2^58, all offsets are below
    /// 2^63.
    pub type NumbersFit<T> = <<U62 as NatCmp>::AtLeast<<T as FitsTree>::SizeLog> as Bool>::And<
        <<U58 as NatCmp>::AtLeast<<T as FitsTree>::SpanLog> as FitsBranch>::OrReach<T>,
    >;
    /// Whether the tree has few enough leaves and levels.
    pub type LeavesFit<T> =
        <<MaxLeaves as NatCmp>::AtLeast<<T as FitsTree>::LeafCount> as Bool>::And<
            <MaxDepth as NatCmp>::AtLeast<<T as ModeTree>::Depth>,
        >;

    /// Whether the tree `T` fits. The room that the tree leaves usually decides.
    pub type Fitting<T> = <<T as FitsTree>::RoomLeft<Units17> as Room>::Verdict<T>;

    /// The branches of a range check on a truth value.
    #[doc(hidden)]
    pub trait FitsBranch {
        /// True if this value is true; otherwise the check of the leaves one after the other.
        type OrReach<T: ModeTree>: Bool;
        /// The verdict on the leaves if this value is true, where true means that the numbers fit.
        type AndLeaves<B: FitsBranch>: FitsVerdict;
        /// The verdict if this value is true, where true means that the leaves fit.
        type Leaves: FitsVerdict;
    }
    impl FitsBranch for True {
        type OrReach<T: ModeTree> = True;
        type AndLeaves<B: FitsBranch> = B::Leaves;
        type Leaves = Within;
    }
    impl FitsBranch for False {
        type OrReach<T: ModeTree> = <U63 as NatCmp>::AtLeast<T::ReachLog<Zero>>;
        type AndLeaves<B: FitsBranch> = TooLarge;
        type Leaves = TooMany;
    }

    /// A verdict: [`Within`], [`TooLarge`] or [`TooMany`].
    #[doc(hidden)]
    pub trait FitsVerdict {}
    /// The tree fits.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Within;
    /// A number does not fit in 64 bits.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct TooLarge;
    /// There are too many leaves or levels.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct TooMany;
    impl FitsVerdict for Within {}
    impl FitsVerdict for TooLarge {}
    impl FitsVerdict for TooMany {}

    /// Implemented for [`Within`]. For the other verdicts, it requires the refusal of the result.
    #[doc(hidden)]
    pub trait InRange<Op, A, B> {}
    impl<Op, A, B> InRange<Op, A, B> for Within {}
    impl<Op, A, B> InRange<Op, A, B> for TooLarge where
        Refused<OverflowRule, Zero, Zero, Here>: Admissible<Op, A, B>
    {
    }
    impl<Op, A, B> InRange<Op, A, B> for TooMany where
        Refused<LeavesRule, Zero, Zero, Here>: Admissible<Op, A, B>
    {
    }
    /// The rule that each number fits in 64 bits.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct OverflowRule;
    /// The rule that the result has no more leaves and levels than a layout may have.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct LeavesRule;
}
