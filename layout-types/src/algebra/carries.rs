//! What the offsets of a layout do to the bits of a sum, for slices behind swizzles.
//!
//! ```text
//!   T = (6,3):(1,16)     bits that may be set   11 0111       48 = 11 0000
//!                        below 64               37            48 + 37 carries out of the bits below 64
//! ```
//!
//! Law: `dynamic::rules::part`. Every offset of `T` has bits of [`BitsOf`] only; `X` and an offset
//! of `T` do not carry out of the bits below the power of two `W` where [`NoCarry`] is true.

use crate::num::{
    Bool, Difference, E, False, Log2, Nat, NatAdd, NatBits, NatCmp, NatSub, Pred, StrideLeaf, True,
    Zero,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

type Minus<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;
type Exp<N> = <N as Log2>::Exp2;
/// The lowest bit of a number.
type Lowest<N> = Exp<<N as NatBits>::TrailingZeros>;
/// All bits from the lowest of `From` to the highest of `To`.
type Between<From, To> = Minus<<Exp<<To as Log2>::Exponent> as Nat>::Twice, From>;
/// `N` below the power of two `W`.
type Below<N, W> = <N as NatBits>::And<Pred<W>>;

/// Strides in sums of bits, taken `Steps` times or fewer.
pub trait CarryStride {
    /// Is it an integer that is not negative?
    type Rises: Bool;
    /// The bits that some offset sets, and those between them.
    type StrideBits<Steps: Nat>: Nat;
    /// The most that an offset has below the power of two `W`.
    type MostBelow<Steps: Nat, W: Nat>: Nat;
    /// The lower of `Least` and the lowest bit.
    type LowestBit<Least: Nat>: Nat;
}
macro_rules! no_bits {
    ($rises:ident) => {
        type Rises = $rises;
        type StrideBits<Steps: Nat> = Zero;
        type MostBelow<Steps: Nat, W: Nat> = Zero;
        type LowestBit<Least: Nat> = Least;
    };
}
impl CarryStride for UTerm {
    no_bits!(True);
}
impl<N: Nat + NonZero> CarryStride for NInt<N> {
    no_bits!(False);
}
impl<I: Nat, V: StrideLeaf> CarryStride for E<I, V> {
    no_bits!(False);
}
macro_rules! positive {
    ($b:ty) => {
        impl<U: Nat> CarryStride for UInt<U, $b> {
            type Rises = True;
            type StrideBits<Steps: Nat> = Between<Lowest<Self>, <Steps as Nat>::Times<Self>>;
            type MostBelow<Steps: Nat, W: Nat> =
                <<<Steps as Nat>::Times<Self> as NatCmp>::AtLeast<W> as Bool>::PickNat<
                    Minus<W, Lowest<Self>>,
                    <Steps as Nat>::Times<Self>,
                >;
            type LowestBit<Least: Nat> = <Lowest<Self> as NatCmp>::Min<Least>;
        }
    };
}
positive!(B0);
positive!(B1);

/// Trees as sums of bits.
pub trait CarryTree {
    /// Does no stride lead down, nor name a mode?
    type AllRise: Bool;
    /// The sum of all modes' [`CarryStride::StrideBits`].
    type SumBits: Nat;
    /// How many bits these are, mode by mode.
    type SumBitCount: Nat;
    /// The sum of all modes' [`CarryStride::MostBelow`].
    type SumBelow<W: Nat>: Nat;
    /// The lowest bit of all strides that are used, if it is lower than `Least`.
    type SumUnit<Least: Nat>: Nat;
}
type Steps<S> = Pred<S>;
type Used<S, A> = <<S as NatCmp>::IsOne as Bool>::PickNat<Zero, A>;
impl<S: Nat, D: StrideLeaf> CarryTree for M<S, D> {
    type AllRise = <<S as NatCmp>::IsOne as Bool>::Or<<D as CarryStride>::Rises>;
    type SumBits = Used<S, D::StrideBits<Steps<S>>>;
    type SumBitCount = <<Self as CarryTree>::SumBits as NatBits>::Ones;
    type SumBelow<W: Nat> = D::MostBelow<Steps<S>, W>;
    type SumUnit<Least: Nat> = <<S as NatCmp>::IsOne as Bool>::PickNat<Least, D::LowestBit<Least>>;
}
impl CarryTree for Nil {
    type AllRise = True;
    type SumBits = Zero;
    type SumBitCount = Zero;
    type SumBelow<W: Nat> = Zero;
    type SumUnit<Least: Nat> = Least;
}
impl<H: ModeTree, T: ModeList> CarryTree for Cons<H, T> {
    type AllRise = <<H as CarryTree>::AllRise as Bool>::And<<T as CarryTree>::AllRise>;
    type SumBits = <<H as CarryTree>::SumBits as Nat>::Plus<<T as CarryTree>::SumBits>;
    type SumBitCount = <<H as CarryTree>::SumBitCount as Nat>::Plus<<T as CarryTree>::SumBitCount>;
    type SumBelow<W: Nat> =
        <<H as CarryTree>::SumBelow<W> as Nat>::Plus<<T as CarryTree>::SumBelow<W>>;
    type SumUnit<Least: Nat> = <T as CarryTree>::SumUnit<<H as CarryTree>::SumUnit<Least>>;
}

/// The bits that offsets of `T` may have. Where those of two modes meet, sums carry: then all from
/// the lowest to the highest.
pub type BitsOf<T> = <<<<T as CarryTree>::SumBits as NatBits>::Ones as NatCmp>::Equals<
    <T as CarryTree>::SumBitCount,
> as Bool>::PickNat<
    <T as CarryTree>::SumBits,
    Between<
        <T as CarryTree>::SumUnit<Exp<<<T as ModeTree>::Reach as Log2>::Exponent>>,
        <T as ModeTree>::Reach,
    >,
>;
/// Does `X` and an offset of `T` never carry out of the bits below `W`, a power of two?
pub type NoCarry<T, X, W> =
    <<<T as CarryTree>::SumUnit<W> as NatCmp>::AtLeast<<Below<X, W> as NatAdd>::Succ> as Bool>::Or<
        <W as NatCmp>::AtLeast<
            <<Below<X, W> as Nat>::Plus<<T as CarryTree>::SumBelow<W>> as NatAdd>::Succ,
        >,
    >;
