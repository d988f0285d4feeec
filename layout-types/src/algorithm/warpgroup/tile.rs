//! How many atoms an accumulator has.

use crate::algorithm::gemm::WholeRegisters;
use crate::layout::{Layout, LayoutFn};
use crate::num::{Nat, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use crate::unroll::Unroll;
use generic_array::ArrayLength;
use typenum::{U1, Unsigned};

/// The accumulator of one atom, whose values are the registers themselves.
#[derive(Clone, Copy, Debug)]
pub struct OneAtom;

/// How many atoms an accumulator has: one ([`OneAtom`]), or those of a fragment of C, `(MMA,MMA_M,MMA_N)`.
pub trait AccumulatorTile<Atom> {
    /// Atoms along M.
    type M: Unroll + Unsigned + Nat;
    /// Atoms along N.
    type N: Unroll + Unsigned + Nat;
    /// All of them.
    type Count: ArrayLength + Unroll;
}
impl<Atom> AccumulatorTile<Atom> for OneAtom {
    type M = U1;
    type N = U1;
    type Count = U1;
}

/// The number of the accumulator at `(m, n)`.
#[inline(always)]
pub(super) const fn number<Atom, L: AccumulatorTile<Atom>>(m: usize, n: usize) -> usize {
    m + n * L::M::USIZE
}

/// The modes behind the values.
type Rest<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest;
/// The size of mode 1 of a fragment, `MMA_M` or `MMA_N`.
pub(super) type Size1<L> = <<Rest<L> as ModeList>::First as ModeTree>::Size;
/// Mode 2 of a fragment, `MMA_N` or `MMA_K`.
pub(super) type Mode2<L> = <<Rest<L> as ModeList>::Rest as KMode>::Mode;
/// Its size.
pub(super) type Size2<L> = <Mode2<L> as ModeTree>::Size;

impl<S, D, Atom> AccumulatorTile<Atom> for Layout<S, D>
where
    Self: LayoutFn + WholeRegisters<Atom>,
    Rest<Self>: ModeList<Rest: KMode>,
    Size1<Self>: Unroll,
    Size2<Self>: Unroll,
    <Size1<Self> as Nat>::Times<Size2<Self>>: ArrayLength + Unroll,
{
    type M = Size1<Self>;
    type N = Size2<Self>;
    type Count = <Size1<Self> as Nat>::Times<Size2<Self>>;
}

/// The modes behind the first two of a fragment: `MMA_K`, or nothing where one block along K was sliced.
#[diagnostic::on_unimplemented(
    message = "a fragment of a stage is (MMA,MMA_M,MMA_K) or (MMA,MMA_M): this one has more modes",
    label = "slice the stage: `fragment.slice((__, __, __, stage))`"
)]
pub trait KMode {
    /// The mode, of size 1 where there is none.
    type Mode: ModeTree;
}
impl KMode for Nil {
    type Mode = M<U1, Zero>;
}
impl<K: ModeTree> KMode for Cons<K, Nil> {
    type Mode = K;
}
