//! Machinery: tuples, and layouts as trees of modes.
//!
//! ```text
//!   (4,(2,3))      Cons<U4, Cons<Cons<U2, Cons<U3, Nil>>, Nil>>
//!   (4,(2,3)):(1,(8,4))  zipped:  Cons<M<U4,U1>, Cons<Cons<M<U2,U8>, Cons<M<U3,U4>, Nil>>, Nil>>
//! ```
//!
//! A tuple is a cons list, which has no limit of its length and needs two impls per trait. People
//! read and write `Layout<Shape, Stride>`; the algebra works on shape and stride zipped into one
//! tree of [`M`] leaves. The reason is that a trait over one tree can promise that its result is
//! again a tree, and so needs no bounds where it is used.
//!
//! Law: `Zip` followed by [`ModeTree::Shape`] and [`ModeTree::Stride`] is the identity on congruent
//! pairs. Other pairs do not zip.

use crate::kinds::{ListFunctions, TreeFunctions};
use crate::notation::{Basis, List, Node};
use crate::num::{Difference, Nat, NatAdd, NatCmp, NatSub, One, StrideLeaf, Zero, value};
use crate::shape::{ShapeList, ShapeTree};
use core::fmt;

macro_rules! phantom {
    ($(#[$m:meta])* $name:ident<$($p:ident $(= $default:ty)?),*>) => {
        $(#[$m])*
        // A function returns the types, so that a property that is required of all fields (`Send`,
        // `Sync`) is not checked for each bit of each number.
        pub struct $name<$($p $(= $default)?),*>(core::marker::PhantomData<fn() -> ($($p,)*)>);
        impl<$($p),*> Clone for $name<$($p),*> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($p),*> Copy for $name<$($p),*> {}
        impl<$($p),*> Default for $name<$($p),*> {
            #[inline(always)]
            fn default() -> Self {
                $name(core::marker::PhantomData)
            }
        }
    };
}
pub(crate) use phantom;

/// The empty tuple.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nil;

phantom! {
    /// A tuple of `H`, followed by the elements of the tuple `T`.
    Cons<H, T>
}

phantom! {
    /// One mode: the shape `S`, an integer, with the stride `D`.
    M<S, D>
}

/// CuTe's `_`: a whole mode, in a tiler or in a coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Underscore;

/// A tree whose leaves are modes: a layout, zipped.
pub trait ModeTree: TreeFunctions + Copy + Default + Send + Sync + 'static {
    /// The shapes of the leaves, in the same tree.
    type Shape: Zip<Self::Stride, Modes = Self> + ShapeTree + Send + Sync;
    /// The strides of the leaves, in the same tree.
    type Stride: PrintTree + Copy + Default + Send + Sync + 'static;
    /// The number of coordinates: the product of all shapes.
    type Size: Nat;
    /// The number of top-level modes, or 1 for a leaf.
    type Rank: Nat;
    /// The nesting depth, or 0 for a leaf.
    type Depth: Nat;
    /// The list of the top-level modes. A leaf is its own only mode.
    type Modes: ModeList;
    /// The greatest offset, where each stride counts by its magnitude. For strides that are not
    /// negative, this is the greatest offset of the layout.
    type Reach: Nat;
    /// The list of this tree's modes, or, if the tree has exactly one mode, the list that contains
    /// the tree. `tiled_divide` puts it after the tile.
    type Spliced: ModeList;
    /// The same tree with the sign of each stride changed.
    type Negated: ModeTree;
    /// One more than the greatest offset, where each stride counts by its magnitude as in CuTe.
    const COSIZE: i64;
    /// The greatest offset that the integer strides give, where each stride counts by its
    /// magnitude.
    const SPAN: i64;
    /// The number of leaves.
    const LEAVES: usize;
    /// [`ModeTree::Size`] as a value.
    const SIZE: usize;
    /// The tree as a value.
    const NODE: Node;
}

/// A list of mode trees: the top-level modes of a layout.
pub trait ModeList: ModeTree<Shape: ShapeList> + ListFunctions {
    /// The first mode, or the empty layout if there is no mode.
    type First: ModeTree;
    /// The modes after the first.
    type Rest: ModeList;
    /// The number of modes.
    type Len: Nat;
    /// The depth of the deepest mode.
    type ElementDepth: Nat;
    /// The modes, followed by those of `L`.
    type Concat<L: ModeList>: ModeList;
    /// The modes as values.
    const LIST: List;
    /// The [`ModeTree::Spliced`] of `Cons<H, Self>`.
    type SplicedAfter<H: ModeTree>: ModeList;
}

/// Returns one more than the greatest offset of a mode.
const fn cosize(shape: i64, stride: i64) -> i64 {
    match (shape - 1).checked_mul(stride.abs()) {
        Some(reach) => value(reach.checked_add(1)),
        None => value(None),
    }
}

impl<S: Nat, D: StrideLeaf> ModeTree for M<S, D> {
    type Shape = S;
    type Stride = D;
    type Size = S;
    type Rank = One;
    type Depth = Zero;
    type Modes = Cons<Self, Nil>;
    type Negated = M<S, D::Negate>;
    type Reach = <<<S as NatSub>::Sub<One> as Difference>::OrZero as NatAdd>::Mul<D::Magnitude>;
    type Spliced = Cons<Self, Nil>;
    const COSIZE: i64 = cosize(value(S::VALUE), D::INT);
    const SPAN: i64 = match D::BASIS {
        Basis::Elements => Self::COSIZE - 1,
        Basis::Mode(..) => 0,
    };
    const LEAVES: usize = 1;
    const SIZE: usize = value(S::VALUE) as usize;
    const NODE: Node = Node::Leaf {
        shape: value(S::VALUE),
        stride: D::INT,
        basis: D::BASIS,
    };
}

impl ModeTree for Nil {
    type Shape = Nil;
    type Stride = Nil;
    type Size = One;
    type Rank = Zero;
    type Depth = One;
    type Modes = Nil;
    type Negated = Nil;
    type Reach = Zero;
    type Spliced = Nil;
    const COSIZE: i64 = 1;
    const SPAN: i64 = 0;
    const LEAVES: usize = 0;
    const SIZE: usize = 1;
    const NODE: Node = Node::Tuple(&List::Nil);
}

impl<H: ModeTree, T: ModeList> ModeTree for Cons<H, T> {
    type Shape = Cons<H::Shape, T::Shape>;
    type Stride = Cons<H::Stride, T::Stride>;
    type Size = <H::Size as Nat>::Times<T::Size>;
    type Rank = <Self as ModeList>::Len;
    type Depth = <<Self as ModeList>::ElementDepth as NatAdd>::Succ;
    type Modes = Self;
    type Negated = Cons<H::Negated, <T::Negated as ModeTree>::Modes>;
    type Reach = <H::Reach as NatAdd>::Add<T::Reach>;
    type Spliced = T::SplicedAfter<H>;
    const COSIZE: i64 = value((H::COSIZE - 1).checked_add(T::COSIZE));
    const SPAN: i64 = value(H::SPAN.checked_add(T::SPAN));
    const LEAVES: usize = H::LEAVES + T::LEAVES;
    const SIZE: usize = value((H::SIZE as i64).checked_mul(T::SIZE as i64)) as usize;
    const NODE: Node = Node::Tuple(&Self::LIST);
}

impl ModeList for Nil {
    type First = M<One, Zero>;
    type Rest = Nil;
    type Len = Zero;
    type ElementDepth = Zero;
    const LIST: List = List::Nil;
    type Concat<L: ModeList> = L;
    type SplicedAfter<H: ModeTree> = Cons<Cons<H, Nil>, Nil>;
}

impl<H: ModeTree, T: ModeList> ModeList for Cons<H, T> {
    type First = H;
    type Rest = T;
    type Len = <T::Len as NatAdd>::Succ;
    type ElementDepth = <H::Depth as NatCmp>::Max<T::ElementDepth>;
    const LIST: List = List::Cons(&H::NODE, &T::LIST);
    type Concat<L: ModeList> = Cons<H, T::Concat<L>>;
    type SplicedAfter<G: ModeTree> = Cons<G, Self>;
}

/// Shape and stride, zipped into a tree of modes.
#[diagnostic::on_unimplemented(
    message = "shape and stride are not congruent tuples of static integers",
    label = "this layout's stride must have the shape's tuple structure",
    note = "`(4,2):(1,4)` is a layout; `(4,2):1` and `(4,2):(1,(2,2))` are not"
)]
pub trait Zip<D> {
    /// The zipped tree.
    type Modes: ModeTree;
}

impl<S: Nat, D: StrideLeaf> Zip<D> for S {
    type Modes = M<S, D>;
}
impl<SH, ST, DH, DT> Zip<Cons<DH, DT>> for Cons<SH, ST>
where
    SH: Zip<DH>,
    ST: Zip<DT>,
    ST::Modes: ModeList,
{
    type Modes = Cons<SH::Modes, ST::Modes>;
}
impl Zip<Nil> for Nil {
    type Modes = Nil;
}

/// Prints a tuple of integers in CuTe's notation, without the underscores of static integers.
pub trait PrintTree {
    /// Prints the value.
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Prints the elements of a tuple, each after a comma unless it is the first. Prints nothing
    /// for a leaf.
    fn print_elements(_f: &mut fmt::Formatter<'_>, _first: bool) -> fmt::Result {
        Ok(())
    }
}

impl PrintTree for Nil {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("()")
    }
}
impl<H: PrintTree, T: PrintTree> PrintTree for Cons<H, T> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        Self::print_elements(f, true)?;
        f.write_str(")")
    }
    fn print_elements(f: &mut fmt::Formatter<'_>, first: bool) -> fmt::Result {
        if !first {
            f.write_str(",")?;
        }
        H::print(f)?;
        T::print_elements(f, false)
    }
}
impl PrintTree for Underscore {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

phantom! {
    /// Prints a static number or tuple in CuTe's notation. Layouts and tuples print themselves; a
    /// number is typenum's type, to which this crate cannot add [`Display`](fmt::Display).
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!((4,(2,3)));
    /// assert_eq!(Show::<Size<A>>::default().to_string(), "24");
    /// assert_eq!(Show::<ShapeOf<A>>::default().to_string(), "(4,(2,3))");
    /// ```
    Show<T>
}
impl<T: PrintTree> fmt::Display for Show<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::print(f)
    }
}
impl<T: PrintTree> fmt::Debug for Show<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::print(f)
    }
}

macro_rules! display {
    ($($t:ty)*) => {$(
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                <Self as PrintTree>::print(f)
            }
        }
    )*};
}
display!(Nil Underscore);

impl<H: PrintTree, T: PrintTree> fmt::Display for Cons<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        <Self as PrintTree>::print(f)
    }
}
impl<H: PrintTree, T: PrintTree> fmt::Debug for Cons<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        <Self as PrintTree>::print(f)
    }
}
