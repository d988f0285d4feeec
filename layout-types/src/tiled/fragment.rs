//! The layout of a fragment: registers in the order of what they hold.
//!
//! ```text
//!   ((2,2,2),4,2):((1,256,8),1024,16)     ->     ((2,2,2),4,2):((1,2,4),16,8)        K before M, as in memory
//! ```
//!
//! Law: CuTe's `make_fragment_like`: mode 0, the values of one instruction, is column-major and compact, modes of stride 0
//! staying repeats; the others follow compactly by increasing stride (`cute/layout.hpp`). Modes of equal stride follow by
//! position, so that the fragment is compact whatever the strides are.

use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, Nat, NatCmp, One, StrideLeaf, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// `make_fragment_like(L)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tiled::FragmentLike;
/// type F = FragmentLike<layout!(((2,2,2),4,2):((1,256,8),1024,16))>;
/// assert_eq!(F::default().to_string(), "((2,2,2),4,2):((1,2,4),16,8)");
/// ```
pub type FragmentLike<L> = <L as MakeFragmentLike>::Output;

/// A layout that a fragment can be made for: every layout of two modes or more.
pub trait MakeFragmentLike: LayoutFn {
    /// [`FragmentLike`].
    type Output: StaticLayout;
}
impl<L: LayoutFn> MakeFragmentLike for L
where
    L::Modes: ModeTree<Modes: ModeList<First: OrderTree, Rest: OrderTree>>,
    <RestOf<L> as OrderTree>::Ordered<RestOf<L>, Nil, <FirstOf<L> as OrderTree>::Held>: ModeList,
{
    type Output = Unzip<
        Cons<
            <FirstOf<L> as OrderTree>::Compact<One>,
            <RestOf<L> as OrderTree>::Ordered<RestOf<L>, Nil, <FirstOf<L> as OrderTree>::Held>,
        >,
    >;
}
type FirstOf<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type RestOf<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest;

/// Trees whose leaves are ordered by their strides.
pub trait OrderTree: ModeTree {
    /// The number of offsets: the product of the shapes whose stride is not 0.
    type Held: Nat;
    /// Column-major from stride `Step` on; modes of stride 0 stay.
    type Compact<Step: Nat>: ModeTree;
    /// The product of the shapes of smaller stride than `D`.
    type Below<D: Nat>: Nat;
    /// The product of the shapes of stride `D`.
    type Tied<D: Nat>: Nat;
    /// The leaves in the order of their strides among `All`, `Before` being those before the tree, from stride `Base` on.
    type Ordered<All: OrderTree, Before: OrderTree, Base: Nat>: ModeTree;
}

impl<S: Nat, D: StrideLeaf> OrderTree for M<S, D> {
    type Held = <D::Null as Bool>::PickNat<One, S>;
    type Compact<Step: Nat> = M<S, <<D::Null as Bool>::Or<S::IsOne> as Bool>::PickNat<Zero, Step>>;
    type Below<E: Nat> = <<D::Magnitude as NatCmp>::AtLeast<E> as Bool>::PickNat<One, S>;
    type Tied<E: Nat> = <<D::Magnitude as NatCmp>::Equals<E> as Bool>::PickNat<S, One>;
    type Ordered<All: OrderTree, Before: OrderTree, Base: Nat> = M<
        S,
        <S::IsOne as Bool>::PickNat<
            Zero,
            <<Base as Nat>::Times<All::Below<D::Magnitude>> as Nat>::Times<
                Before::Tied<D::Magnitude>,
            >,
        >,
    >;
}
impl OrderTree for Nil {
    type Held = One;
    type Compact<Step: Nat> = Nil;
    type Below<E: Nat> = One;
    type Tied<E: Nat> = One;
    type Ordered<All: OrderTree, Before: OrderTree, Base: Nat> = Nil;
}
impl<H: OrderTree, T: ModeList + OrderList> OrderTree for Cons<H, T> {
    type Held = <H::Held as Nat>::Times<T::Held>;
    type Compact<Step: Nat> = Cons<H::Compact<Step>, T::CompactList<<Step as Nat>::Times<H::Held>>>;
    type Below<E: Nat> = <H::Below<E> as Nat>::Times<T::Below<E>>;
    type Tied<E: Nat> = <H::Tied<E> as Nat>::Times<T::Tied<E>>;
    type Ordered<All: OrderTree, Before: OrderTree, Base: Nat> =
        Cons<H::Ordered<All, Before, Base>, T::OrderedList<All, Cons<Before, Cons<H, Nil>>, Base>>;
}

/// Lists of such trees.
pub trait OrderList: OrderTree {
    /// [`OrderTree::Compact`] as a list.
    type CompactList<Step: Nat>: ModeList;
    /// [`OrderTree::Ordered`] as a list.
    type OrderedList<All: OrderTree, Before: OrderTree, Base: Nat>: ModeList;
}
impl OrderList for Nil {
    type CompactList<Step: Nat> = Nil;
    type OrderedList<All: OrderTree, Before: OrderTree, Base: Nat> = Nil;
}
impl<H: OrderTree, T: ModeList + OrderList> OrderList for Cons<H, T> {
    type CompactList<Step: Nat> =
        Cons<H::Compact<Step>, T::CompactList<<Step as Nat>::Times<H::Held>>>;
    type OrderedList<All: OrderTree, Before: OrderTree, Base: Nat> =
        Cons<H::Ordered<All, Before, Base>, T::OrderedList<All, Cons<Before, Cons<H, Nil>>, Base>>;
}
