//! The products: a layout repeated as another says.
//!
//! ```text
//!   (2,2):(4,1) x 6:1   =   ((2,2),(2,3)):((4,1),(2,8))       (block, repeats)
//! ```
//!
//! Law: `logical_product(A, B) = (A, complement(A, size(A) * cosize(B)) o B)`: mode 0 is the block,
//! mode 1 walks over disjoint repeats of it in the order of `B`. The blocked product pairs the
//! modes of block and repeats, `((BlockM,RepeatM),(BlockN,RepeatN),..)`, the raked product puts the
//! repeats first (CuTe: `cute/layout.hpp`, "Logical product").

use super::complements::{NoGap, end_of, holes, sort};
use super::compose::Tiler;
use super::compose_list::Digits;
use super::decide::FullCompose;
use super::divide::{DivideNext, Fit};
use super::fits::{FitsTree, OverflowRule};
use super::modes::{ModesBranch, ModesTree, ZipModesOf};
use super::outcome::{
    Admissible, BlockedProducts, Done, FlatProducts, Here, LogicalProducts, ModePath, Outcome,
    RakedProducts, Refused, TiledProducts, Undecided, ZippedProducts,
};
use super::room::{Room, Units11};
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatAdd, NatCmp, One, StrideLeaf, True, Zero};
use crate::shape::ShapeList;
use crate::tree::{Cons, ModeList, ModeTree, Nil};
use typenum::U58;

/// `logical_product` of two trees; refused where the size of the block and the cosize of the
/// repeats, rounded up to powers of two, come to more than 2^58, the most that the compiler's depth
/// allows to be compared.
///
/// Eleven units of room are 33 bits, and strides are below 2^24, so that where both trees find room
/// nothing has to be added up.
pub type ProductOf<A, B> =
    <<<B as FitsTree>::RoomLeft<<A as FitsTree>::RoomLeft<Units11>> as Room>::IsLeft as ProductBranch>::InRoom<A, B>;
type CanMultiply<A, B> =
    <U58 as NatCmp>::AtLeast<<<A as FitsTree>::SizeLog as Nat>::Plus<<B as FitsTree>::SpanLog>>;
/// `size(A) * cosize(B)`.
pub type ProductSize<A, B> =
    <<A as ModeTree>::Size as Nat>::Times<<<B as ModeTree>::Reach as NatAdd>::Succ>;

/// What the products do next.
pub trait ProductNext {
    /// The product of `A`, which ends at `End` and whose holes this is, with `B`.
    type Places<A: ModeTree, B: ModeTree, End: Nat>: Outcome;
    /// `(A, Self)`.
    type PairBehind<A: ModeTree>: Outcome;
    /// Block and repeats zipped.
    type BlockedRows: Outcome;
    /// Repeats and block zipped.
    type RakedRows: Outcome;
}
impl<T: ModeTree, X: Digits> ProductNext for Done<T, X> {
    // Past its end the complement goes on in the stride of its last mode: behind the block, or in
    // holes that are full.
    type Places<A: ModeTree, B: ModeTree, End: Nat> =
        <<<T::Size as NatCmp>::AtLeast<<B::Reach as NatAdd>::Succ> as Bool>::Or<
            <End::AtLeast<ProductSize<A, B>> as Bool>::Not,
        > as ProductBranch>::Fits<A, B, T>;
    type PairBehind<A: ModeTree> = Done<Cons<A, Cons<T, Nil>>>;
    type BlockedRows = ZipModesOf<T>;
    type RakedRows = ZipModesOf<Cons<RepeatOf<T>, Cons<BlockOf<T>, Nil>>>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> ProductNext for Refused<Why, S, D, P> {
    type Places<A: ModeTree, B: ModeTree, End: Nat> = Self;
    type PairBehind<A: ModeTree> = Self;
    type BlockedRows = Self;
    type RakedRows = Self;
}
impl ProductNext for Undecided {
    type Places<A: ModeTree, B: ModeTree, End: Nat> = Self;
    type PairBehind<A: ModeTree> = Self;
    type BlockedRows = Self;
    type RakedRows = Self;
}
/// What the products do on a truth value.
pub trait ProductBranch {
    /// True: the trees find room, so the numbers are not too large to multiply.
    type InRoom<A: ModeTree, B: ModeTree>: Outcome;
    /// True: the numbers are not too large to multiply.
    type Product<A: ModeTree, B: ModeTree>: Outcome;
    /// True: the holes `P` of `A` have places enough for `B`.
    type Fits<A: ModeTree, B: ModeTree, P: ModeTree>: Outcome;
}
impl ProductBranch for True {
    type InRoom<A: ModeTree, B: ModeTree> = <True as ProductBranch>::Product<A, B>;
    type Product<A: ModeTree, B: ModeTree> =
        <holes<sort<A, NoGap>, ProductSize<A, B>> as ProductNext>::Places<
            A,
            B,
            end_of<sort<A, NoGap>, One>,
        >;
    type Fits<A: ModeTree, B: ModeTree, P: ModeTree> =
        <FullCompose<P, B> as ProductNext>::PairBehind<A>;
}
impl ProductBranch for False {
    type InRoom<A: ModeTree, B: ModeTree> = <CanMultiply<A, B> as ProductBranch>::Product<A, B>;
    type Product<A: ModeTree, B: ModeTree> = Refused<OverflowRule, Zero, Zero, Here>;
    type Fits<A: ModeTree, B: ModeTree, P: ModeTree> =
        Refused<PlacesRule, <B::Reach as NatAdd>::Succ, P::Size, Here>;
}
/// The block is repeated more often than its holes have places.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacesRule;
type BlockOf<T> = <<T as ModeTree>::Modes as ModeList>::First;
type RepeatOf<T> = <<<T as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;

/// Lists of modes in products.
pub trait ProductModes {
    /// At least as many modes as `B` has: `1:0` is appended.
    type PadTo<B: ShapeList>: ModeList;
}
impl ProductModes for Nil {
    type PadTo<B: ShapeList> = B::Units;
}
impl<H: ModeTree, T: ModeList> ProductModes for Cons<H, T> {
    type PadTo<B: ShapeList> = Cons<H, T::PadTo<B::Rest>>;
}

/// In place of a divide: each mode is repeated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeat;
impl Fit for Repeat {
    type Leaf<A: ModeTree, T: ModeTree> = ProductOf<A, T>;
    type Decide<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> = O;
    type Divide<A: ModeTree, T: ModeTree, R: ModeTree, Nests: Bool> = ProductOf<A, T>;
}

macro_rules! product {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $next:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, B> = <A as $trait<B>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] with `B`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        pub trait $trait<B>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, B: Tiler> $trait<B> for A
        where
            <B::Divided<A::Modes, Repeat> as DivideNext>::$next<B>: Admissible<$op, A, B>,
        {
            type Output =
                A::With<<<B::Divided<A::Modes, Repeat> as DivideNext>::$next<B> as Admissible<$op, A, B>>::Tree>;
        }
    };
}
product! {
    /// `logical_product`: the block `A` and its repeats in the order of `B`, `(A, repeats)`; mode
    /// by mode for a tuple.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = LogicalProduct<layout!((2,2):(4,1)), layout!(6:1)>;
    /// assert_eq!(P::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// ```
    #[doc(alias = "logical_product")]
    LogicalProduct, LogicalProductBy, Logical, LogicalProducts
}
product! {
    /// `((BlockM,BlockN,..),(RepeatM,RepeatN,..,L,..))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = ZippedProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "((2,5),(3,(2,2))):((1,2),(2,(1,10)))");
    /// ```
    #[doc(alias = "zipped_product")]
    ZippedProduct, ZippedProductBy, Zipped, ZippedProducts
}
product! {
    /// `((BlockM,BlockN,..),RepeatM,RepeatN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = TiledProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "((2,5),3,(2,2)):((1,2),2,(1,10))");
    /// ```
    #[doc(alias = "tiled_product")]
    TiledProduct, TiledProductBy, Tiled, TiledProducts
}
product! {
    /// `(BlockM,BlockN,..,RepeatM,RepeatN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = FlatProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "(2,5,3,(2,2)):(1,2,2,(1,10))");
    /// ```
    #[doc(alias = "flat_product")]
    FlatProduct, FlatProductBy, Flat, FlatProducts
}

macro_rules! ranked {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $next:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, B> = <A as $trait<B>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] with `B`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        pub trait $trait<B>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, B: LayoutFn> $trait<B> for A
        where
            <PaddedProduct<A::Modes, B::Modes> as ProductNext>::$next: Admissible<$op, A, B>,
        {
            type Output =
                A::With<<<PaddedProduct<A::Modes, B::Modes> as ProductNext>::$next as Admissible<$op, A, B>>::Tree>;
        }
    };
}
ranked! {
    /// Mode by mode `(block, repeats)`: blocks side by side.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = BlockedProduct<layout!((2,2)), layout!((3,4))>;
    /// assert_eq!(P::default().to_string(), "((2,3),(2,4)):((1,4),(2,12))");
    /// ```
    #[doc(alias = "blocked_product")]
    BlockedProduct, BlockedProductBy, BlockedRows, BlockedProducts
}
ranked! {
    /// Mode by mode `(repeats, block)`: blocks interleaved.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = RakedProduct<layout!((2,2)), layout!((3,4))>;
    /// assert_eq!(P::default().to_string(), "((3,2),(4,2)):((4,1),(12,2))");
    /// ```
    #[doc(alias = "raked_product")]
    RakedProduct, RakedProductBy, RakedRows, RakedProducts
}
/// The product of two trees, each padded with modes `1:0` to the rank of the other; a leaf stays
/// one beside a tree of rank 1.
pub type PaddedProduct<A, B> = ProductOf<PaddedTo<A, B>, PaddedTo<B, A>>;
type PaddedTo<A, B> = <<<A as ModesTree>::IsLeaf as Bool>::And<
    <One as NatCmp>::AtLeast<<B as ModeTree>::Rank>,
> as ModesBranch>::Padded<
    A,
    <<A as ModeTree>::Modes as ProductModes>::PadTo<<<B as ModeTree>::Modes as ModeTree>::Shape>,
>;
