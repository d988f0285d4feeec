//! Layouts: a shape and a stride, both types.
//!
//! ```text
//!   (4,2):(2,1)         0 1 2 3 4 5 6 7   ->   coordinates (i % 4, i / 4)   ->   2 * (i % 4) + (i / 4)
//! ```
//!
//! Law: a layout is the function `i -> sum of stride_k * digit_k(i)`, where the digits are those of
//! `i` in the mixed radix of the flattened shape, first mode fastest (CuTe: `cute/layout.hpp`;
//! colexicographic order).

use crate::coord::{Coord, Idx, Pattern, Strides, TreeOffset};
use crate::notation::{Described, Outer};
use crate::num::{Nat, NatAdd, Zero};
use crate::tree::{ModeTree, PrintTree, Zip, phantom};
use core::fmt;
use typenum::Unsigned;

phantom! {
    /// A layout: the function from coordinates in `Shape` to offsets, with the `Stride` of each
    /// mode. Zero-sized.
    ///
    /// Write it with [`layout!`](macro@crate::layout), or with [`Lay`](crate::Lay) and native
    /// tuples.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!(((4,8),2):((32,1),16));
    /// assert_eq!(A::default().to_string(), "((4,8),2):((32,1),16)");
    /// assert_eq!(core::mem::size_of::<A>(), 0);
    /// assert_eq!((A::SIZE, A::RANK, A::DEPTH, A::COSIZE), (64, 2, 2, 120));
    /// ```
    Layout<Shape, Stride>
}

/// The layout of a tree of modes.
pub type Unzip<T> = Layout<<T as ModeTree>::Shape, <T as ModeTree>::Stride>;

/// Every static layout, affine ([`Layout`]) or composed with a swizzle
/// ([`ComposedLayout`](crate::ComposedLayout)): a function from coordinates to offsets.
///
/// This is the one bound that generic code needs on a layout. The coordinates are those of
/// [`LayoutFn::Modes`]; the offset is [`LayoutFn::swizzled`] of the affine offset, so that a tensor
/// may add a run-time base before the swizzle.
#[diagnostic::on_unimplemented(
    message = "not a static layout",
    label = "this is not a layout whose shape and stride are congruent tuples of static integers",
    note = "a tensor with a mode whose extent only the run knows is cut first: `local_tile` or `slice` with a number along each such mode leaves a static layout"
)]
pub trait LayoutFn: Copy + Default + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// The affine part: shape and stride, zipped.
    type Modes: ModeTree;
    /// A layout with the affine part `T` and the same swizzle.
    type With<T: ModeTree>: LayoutFn;
    /// The number of coordinates.
    const SIZE: usize = <Self::Modes as ModeTree>::SIZE;
    /// A bound above all offsets. It is the least bound for an affine layout.
    const COSIZE: usize;
    /// The number of top-level modes, or 1 for an integer shape.
    const RANK: usize = <<Self::Modes as ModeTree>::Rank as Unsigned>::USIZE;
    /// The nesting depth, or 0 for an integer shape.
    const DEPTH: usize = <<Self::Modes as ModeTree>::Depth as Unsigned>::USIZE;
    /// The size of the aligned blocks of neighbouring offsets that [`LayoutFn::swizzled`] keeps
    /// together, or 0 if it keeps all offsets together.
    type SwizzleBlock: Nat;
    /// The effect of [`LayoutFn::swizzled`], as a value.
    const OUTER: Outer;
    /// The layout as a value.
    const DESCRIBED: Described = Described {
        outer: Self::OUTER,
        node: <Self::Modes as ModeTree>::NODE,
    };
    /// Returns the offset for an affine offset: the affine offset itself, or its image under the
    /// swizzle.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type Tile = Composition<Swizzle<2, 0, 2>, layout!((4,4):(4,1))>;
    /// assert_eq!(Tile::swizzled(4 + 2u32), 4 + 3); // row 1: column 2 changes places with 3
    /// assert_eq!(<layout!((4,4):(4,1))>::swizzled(6u32), 6);
    /// ```
    fn swizzled<I: Idx>(offset: I) -> I;

    /// Returns the offset of the linear coordinate `i`, with the last mode unbounded. A type `I`
    /// that cannot hold the layout's offsets does not compile.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!((4,2):(2,1));
    /// assert_eq!((0..8u32).map(A::index).collect::<Vec<_>>(), [0, 2, 4, 6, 1, 3, 5, 7]);
    /// assert_eq!(<layout!((4,8):(4294967296,1))>::index(3u64), 3 << 32);
    /// ```
    ///
    /// ```compile_fail,E0080
    /// use layout_types::prelude::*;
    /// <layout!((4,8):(4294967296,1))>::index(3u32); // offsets up to 3 * 2^32 + 7
    /// ```
    #[inline(always)]
    #[doc(alias = "crd2idx")]
    fn index<I: Idx>(i: I) -> I {
        const { crate::coord::holds_offsets::<I, Self::Modes>() }
        Self::swizzled(<Self::Modes as TreeOffset>::offset(i, &()))
    }

    /// Returns the offset of a coordinate: a number, or a native tuple with an element per mode,
    /// nested to any depth. Static numbers may be mixed with run-time numbers.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!(((4,8),2):((32,1),16));
    /// assert_eq!(A::at((5u32, 1)), 32 + 1 + 16);
    /// assert_eq!(A::at(((1u32, <int!(1)>::default()), 1)), 32 + 1 + 16);
    /// assert_eq!(A::at(37usize), 32 + 1 + 16);
    /// ```
    #[inline(always)]
    #[doc(alias = "crd2idx")]
    fn at<I: Idx, C>(coordinate: C) -> I
    where
        C: Coord<Self::Modes, I>,
    {
        const { crate::coord::holds_offsets::<I, Self::Modes>() }
        Self::swizzled(coordinate.offset(&()))
    }

    /// Returns the offset like [`LayoutFn::at`], for a layout whose strides are scaled basis
    /// elements. `strides` are the values of the basis units.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type Global = layout!((128,64):(1@0,1@1));
    /// let (ld, m, n) = (1000u32, 3, 5);
    /// assert_eq!(Global::at_strides((m, n), &[ld, 1]), 3 * 1000 + 5);
    /// ```
    #[inline(always)]
    fn at_strides<I: Idx, C, S: Strides<I>>(coordinate: C, strides: &S) -> I
    where
        C: Coord<Self::Modes, I>,
    {
        const { crate::coord::holds_offsets::<I, Self::Modes>() }
        Self::swizzled(coordinate.offset(strides))
    }

    /// Returns the offset like [`LayoutFn::index`], for a layout whose strides are scaled basis
    /// elements.
    #[inline(always)]
    fn index_strides<I: Idx, S: Strides<I>>(i: I, strides: &S) -> I {
        const { crate::coord::holds_offsets::<I, Self::Modes>() }
        Self::swizzled(<Self::Modes as TreeOffset>::offset(i, strides))
    }

    /// Returns the coordinate of `R` components to which a layout with scaled-basis strides maps
    /// `coordinate`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type Id = ZippedDivide<layout!((8,6):(1@0,1@1)), tile!(4, 3)>;
    /// assert_eq!(Id::coordinate(5u32 + 12), [5, 1]);
    /// assert_eq!(Id::coordinate((5u32, 1)), [5, 1]); // place 5 of tile 1
    /// ```
    #[inline(always)]
    fn coordinate<I: Idx, C, const R: usize>(coordinate: C) -> [I; R]
    where
        C: Coord<Self::Modes, I> + Copy,
    {
        crate::coord::components(coordinate)
    }

    /// Returns the coordinate of the linear coordinate `i` in each leaf. `N` is the number of
    /// leaves.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!(((4,8),2):((32,1),16));
    /// assert_eq!(A::leaf_coordinates(37u32), [1, 1, 1]);
    /// ```
    #[inline(always)]
    #[doc(alias = "idx2crd")]
    fn leaf_coordinates<I: Idx, const N: usize>(i: I) -> [I; N] {
        crate::coord::leaves::<Self::Modes, I, N>(i)
    }

    /// Returns a coordinate of the affine offset, leaf by leaf: the offset is divided by each
    /// leaf's stride, and the leaf's shape takes the remainder. The result is the coordinate if the
    /// layout is compact (CuTe: `get_flat_coord`, `get_hier_coord`).
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = layout!(((3,2),4):((8,1),2));
    /// assert_eq!(A::coordinates_of(18u32), [2, 0, 1]);
    /// ```
    #[inline(always)]
    #[doc(alias = "idx2crd")]
    #[doc(alias = "get_hier_coord")]
    #[doc(alias = "get_flat_coord")]
    fn coordinates_of<I: Idx, const N: usize>(offset: I) -> [I; N] {
        crate::coord::leaves_of::<Self::Modes, I, N>(offset)
    }
}

/// CuTe's `slice`: the modes of `L` that the coordinate `C` leaves open with `_`.
///
/// `C` is a native tuple of integers and [`Underscore`](crate::Underscore), or a static coordinate
/// (`coord!(_, 3)`). The offset that the fixed modes add is [`LayoutFn::at`] of the coordinate,
/// where `_` counts as 0. In a layout with a swizzle, this offset is added before the swizzle, by a
/// tensor's engine or as in [`SliceAndOffset`](crate::SliceAndOffset). For a coordinate without
/// `_`, the slice is CuTe's layout without modes, `():()`.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!((4,(2,3)):(1,(4,8)));
/// assert_eq!(Slice::<A, coord!(_, (1, _))>::default().to_string(), "(4,3):(1,8)");
/// assert_eq!(Slice::<A, (Underscore, u32)>::default().to_string(), "(4):(1)");
/// assert_eq!(A::at((Underscore, 3u32)), 12);
/// ```
#[doc(alias = "slice")]
pub type Slice<L, C> = <L as LayoutFn>::With<<C as Pattern<<L as LayoutFn>::Modes>>::Sliced>;

/// CuTe's `dice`: the modes of `L` that the coordinate `C` fixes, or all of `L` if `C` is a number.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!((4,(2,3)):(1,(4,8)));
/// assert_eq!(Dice::<A, coord!(_, (1, _))>::default().to_string(), "(2):(4)");
/// assert_eq!(Dice::<A, u32>::default().to_string(), "(4,(2,3)):(1,(4,8))");
/// ```
#[doc(alias = "dice")]
pub type Dice<L, C> = <L as LayoutFn>::With<<C as Pattern<<L as LayoutFn>::Modes>>::Diced>;

/// The number of coordinates of a layout, as a type.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<Size<layout!((4,(2,3)):(1,(4,8)))>>::default().to_string(), "24");
/// ```
pub type Size<L> = <<L as LayoutFn>::Modes as ModeTree>::Size;
/// One more than the greatest offset of a layout, as a type. Strides count by their magnitude.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<Cosize<layout!((4,8):(1,10))>>::default().to_string(), "74");
/// ```
pub type Cosize<L> = <<<L as LayoutFn>::Modes as ModeTree>::Reach as NatAdd>::Succ;
/// The number of top-level modes of a layout, as a type.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<Rank<layout!((4,(2,3)):(1,(4,8)))>>::default().to_string(), "2");
/// ```
pub type Rank<L> = <<L as LayoutFn>::Modes as ModeTree>::Rank;
/// The nesting depth of a layout, as a type.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<Depth<layout!((4,(2,3)):(1,(4,8)))>>::default().to_string(), "2");
/// ```
pub type Depth<L> = <<L as LayoutFn>::Modes as ModeTree>::Depth;
/// The shape of a layout.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<ShapeOf<layout!((4,(2,3)):(1,(4,8)))>>::default().to_string(), "(4,(2,3))");
/// ```
#[doc(alias = "shape")]
pub type ShapeOf<L> = <<L as LayoutFn>::Modes as ModeTree>::Shape;
/// The stride of a layout.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<StrideOf<layout!((4,(2,3)):(1,(4,8)))>>::default().to_string(), "(1,(4,8))");
/// ```
#[doc(alias = "stride")]
pub type StrideOf<L> = <<L as LayoutFn>::Modes as ModeTree>::Stride;

impl<S, D> LayoutFn for Layout<S, D>
where
    S: Zip<D> + PrintTree + Send + Sync + 'static,
    D: PrintTree + Send + Sync + 'static,
{
    type Modes = S::Modes;
    type With<T: ModeTree> = Unzip<T>;
    type SwizzleBlock = Zero;
    const COSIZE: usize = <S::Modes as ModeTree>::COSIZE as usize;
    const OUTER: Outer = Outer::Nothing;
    #[inline(always)]
    fn swizzled<I: Idx>(offset: I) -> I {
        offset
    }
}

/// Every affine layout: a [`Layout`] whose shape and stride are static and congruent.
#[diagnostic::on_unimplemented(
    message = "not a static affine layout",
    label = "this is not a layout whose shape and stride are congruent tuples of static integers"
)]
pub trait StaticLayout: LayoutFn {
    /// The shape: a number or a tuple.
    type Shape: PrintTree;
    /// The stride: a number or a tuple.
    type Stride: PrintTree;
}
impl<S, D> StaticLayout for Layout<S, D>
where
    S: Zip<D> + PrintTree + Send + Sync + 'static,
    D: PrintTree + Send + Sync + 'static,
{
    type Shape = S;
    type Stride = D;
}

/// Prints the layout as an element of a tiler.
impl<S: PrintTree, D: PrintTree> PrintTree for Layout<S, D> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        S::print(f)?;
        f.write_str(":")?;
        D::print(f)
    }
}
impl<S: PrintTree, D: PrintTree> fmt::Display for Layout<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::print(f)
    }
}
impl<S: PrintTree, D: PrintTree> fmt::Debug for Layout<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
