//! A block of named layouts, each of which is checked.
//!
//! ```text
//!   layouts! {
//!       type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));      operation, operands: names or notation
//!       pub type Smem = tile_to_shape(Atom, (128,32,3));
//!       type Mma = (2,2):(1,2);                                        a layout as CuTe prints it
//!   }
//! ```
//!
//! Law: an entry is the type alias of its operation, with a constant that stops the compiler at the
//! entry's name if the operation has no result. The message has numbers in decimals.

use crate::{ComposedLayout, Cons, Layout, LayoutLeft, Nil, ShapeTree, Sw};
use typenum::{B0, B1, UInt};

/// The operands of an operation that takes `N`.
#[diagnostic::on_unimplemented(message = "this operation takes {N} operands")]
pub trait NotationOperands<const N: usize> {
    /// The first operand.
    type First;
    /// The second operand, or `()` if there is only one.
    type Second;
}
impl<A> NotationOperands<1> for Cons<A, Nil> {
    type First = A;
    type Second = ();
}
impl<A, B> NotationOperands<2> for Cons<A, Cons<B, Nil>> {
    type First = A;
    type Second = B;
}

/// Converts to a layout: a layout itself, or a shape to its compact column-major layout, as CuTe's
/// `make_layout(shape)` does.
#[diagnostic::on_unimplemented(message = "not a layout or a shape")]
pub trait AsLayout {
    /// The layout.
    type Layout;
}
impl<S, D> AsLayout for Layout<S, D> {
    type Layout = Self;
}
impl<F, O, L> AsLayout for ComposedLayout<F, O, L> {
    type Layout = Self;
}
impl<B, M, S> AsLayout for Sw<B, M, S> {
    type Layout = Self;
}
macro_rules! shapes {
    ($([$($p:ident),*] $shape:ty;)*) => {$(
        impl<$($p),*> AsLayout for $shape
        where
            $shape: ShapeTree,
        {
            type Layout = LayoutLeft<$shape>;
        }
    )*};
}
shapes! {
    [H, T] Cons<H, T>;
    [U] UInt<U, B0>;
    [U] UInt<U, B1>;
}

/// Names layouts and results of operations, with CuTe's names, and checks that each exists.
///
/// An entry is `type NAME = ..;`, with attributes and visibility as usual. After the `=` comes one
/// of
/// - an operation on operands: names, Rust types, or CuTe's notation in place;
/// - a layout in CuTe's notation, `(8,32):(32,1)`, `8:2` or `Sw<2,3,3> o 0 o (8,32):(32,1)`;
/// - a shape, which means its compact column-major layout: `(8,32)`; it is also accepted as the
///   first operand of an operation;
/// - any other type.
///
/// The operations are `composition`, `complement`, the divides (`logical_divide`, `zipped_divide`,
/// `tiled_divide`, `flat_divide`, and each with `exact_` before it), the products
/// (`logical_product`, `zipped_product`, `tiled_product`, `flat_product`, `blocked_product`,
/// `raked_product`), `tile_to_shape`, `coalesce`, `coalesce_by`, `with_shape`, `flatten`, `filter`,
/// `filter_zeros`, `right_inverse`, `left_inverse`, `nullspace`, `upcast`, `exact_upcast`,
/// `downcast`, `max_common_layout`, `layout_left`, `layout_right`, and `slice` and `dice` of a
/// named layout by a coordinate.
///
/// ```
/// use layout_types::{layouts, prelude::*};
/// layouts! {
///     type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
///     /// Three stages.
///     pub type Smem = tile_to_shape(Atom, (128,32,3));
///     type Stage = slice(Smem, (_, _, 0));
///     type Tiles = zipped_divide((128,64):(64,1), (32, 16));
/// }
/// assert_eq!(Smem::default().to_string(), "Sw<2,3,3> o 0 o ((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))");
/// assert_eq!(Tiles::default().to_string(), "((32,16),(4,4)):((64,1),(2048,16))");
/// assert_eq!(Stage::SIZE, 128 * 32);
/// ```
/// ```compile_fail,E0080
/// use layout_types::{layouts, prelude::*};
/// layouts! {
///     type A = (4,6,8):(2,3,5);
///     type C = composition(A, 6:3); // the error is at `C`
/// }
/// ```
#[macro_export]
macro_rules! layouts {
    () => {};
    ($(#[$m:meta])* $vis:vis type $name:ident = Sw<$b:literal, $n:literal, $s:literal> o 0 o ($($shape:tt)*) : ($($stride:tt)*);
     $($rest:tt)*) => {
        $(#[$m])* $vis type $name =
            $crate::Composition<$crate::Swizzle<$b, $n, $s>, $crate::layout!(($($shape)*) : ($($stride)*))>;
        $crate::layouts! { $($rest)* }
    };
    ($(#[$m:meta])* $vis:vis type $name:ident = $operation:ident($($operand:tt)*); $($rest:tt)*) => {
        $crate::__operation! { $operation [$(#[$m])* $vis] $name [$($operand)*] }
        $crate::layouts! { $($rest)* }
    };
    ($(#[$m:meta])* $vis:vis type $name:ident = ($($shape:tt)*) : $stride:tt; $($rest:tt)*) => {
        $(#[$m])* $vis type $name = $crate::layout!(($($shape)*) : $stride);
        $crate::layouts! { $($rest)* }
    };
    ($(#[$m:meta])* $vis:vis type $name:ident = $shape:literal : $stride:literal; $($rest:tt)*) => {
        $(#[$m])* $vis type $name = $crate::layout!($shape : $stride);
        $crate::layouts! { $($rest)* }
    };
    ($(#[$m:meta])* $vis:vis type $name:ident = ($($shape:tt)*); $($rest:tt)*) => {
        $(#[$m])* $vis type $name = $crate::layout!(($($shape)*));
        $crate::layouts! { $($rest)* }
    };
    ($(#[$m:meta])* $vis:vis type $name:ident = $layout:ty; $($rest:tt)*) => {
        $(#[$m])* $vis type $name = $layout;
        $crate::layouts! { $($rest)* }
    };
}

/// One entry of [`layouts!`](crate::layouts): its alias, and a check if its operation can fail.
#[doc(hidden)]
#[macro_export]
macro_rules! __operation {
    (composition $($entry:tt)*) => {
        $crate::__operation! { @two Composition (composition [] []) $($entry)* }
    };
    (complement $($entry:tt)*) => {
        $crate::__operation! { @two Complement (complement [] []) $($entry)* }
    };
    (logical_divide $($entry:tt)*) => {
        $crate::__operation! { @two LogicalDivide (divide ["logical_divide",] [, false]) $($entry)* }
    };
    (exact_logical_divide $($entry:tt)*) => {
        $crate::__operation! { @two ExactLogicalDivide (divide ["exact_logical_divide",] [, true]) $($entry)* }
    };
    (zipped_divide $($entry:tt)*) => {
        $crate::__operation! { @two ZippedDivide (divide ["zipped_divide",] [, false]) $($entry)* }
    };
    (exact_zipped_divide $($entry:tt)*) => {
        $crate::__operation! { @two ExactZippedDivide (divide ["exact_zipped_divide",] [, true]) $($entry)* }
    };
    (tiled_divide $($entry:tt)*) => {
        $crate::__operation! { @two TiledDivide (divide ["tiled_divide",] [, false]) $($entry)* }
    };
    (exact_tiled_divide $($entry:tt)*) => {
        $crate::__operation! { @two ExactTiledDivide (divide ["exact_tiled_divide",] [, true]) $($entry)* }
    };
    (flat_divide $($entry:tt)*) => {
        $crate::__operation! { @two FlatDivide (divide ["flat_divide",] [, false]) $($entry)* }
    };
    (exact_flat_divide $($entry:tt)*) => {
        $crate::__operation! { @two ExactFlatDivide (divide ["exact_flat_divide",] [, true]) $($entry)* }
    };
    (logical_product $($entry:tt)*) => {
        $crate::__operation! { @two LogicalProduct (product ["logical_product",] []) $($entry)* }
    };
    (zipped_product $($entry:tt)*) => {
        $crate::__operation! { @two ZippedProduct (product ["zipped_product",] []) $($entry)* }
    };
    (tiled_product $($entry:tt)*) => {
        $crate::__operation! { @two TiledProduct (product ["tiled_product",] []) $($entry)* }
    };
    (flat_product $($entry:tt)*) => {
        $crate::__operation! { @two FlatProduct (product ["flat_product",] []) $($entry)* }
    };
    (blocked_product $($entry:tt)*) => {
        $crate::__operation! { @two BlockedProduct (product ["blocked_product",] []) $($entry)* }
    };
    (raked_product $($entry:tt)*) => {
        $crate::__operation! { @two RakedProduct (product ["raked_product",] []) $($entry)* }
    };
    (tile_to_shape $($entry:tt)*) => {
        $crate::__operation! { @two TileToShape (tile_to_shape [] []) $($entry)* }
    };
    (coalesce $($entry:tt)*) => { $crate::__operation! { @one Coalesce $($entry)* } };
    (filter $($entry:tt)*) => { $crate::__operation! { @one Filter $($entry)* } };
    (filter_zeros $($entry:tt)*) => { $crate::__operation! { @one FilterZeros $($entry)* } };
    (flatten $($entry:tt)*) => { $crate::__operation! { @one Flatten $($entry)* } };
    (right_inverse $($entry:tt)*) => { $crate::__operation! { @inverse RightInverse "right_inverse" $($entry)* } };
    (left_inverse $($entry:tt)*) => { $crate::__operation! { @inverse LeftInverse "left_inverse" $($entry)* } };
    (nullspace $($entry:tt)*) => { $crate::__operation! { @one Nullspace $($entry)* } };
    (layout_left $($entry:tt)*) => { $crate::__operation! { @shape LayoutLeft $($entry)* } };
    (layout_right $($entry:tt)*) => { $crate::__operation! { @shape LayoutRight $($entry)* } };
    (upcast $($entry:tt)*) => { $crate::__operation! { @two Upcast (cast ["upcast",] []) $($entry)* } };
    (exact_upcast $($entry:tt)*) => { $crate::__operation! { @two ExactUpcast (cast ["exact_upcast",] []) $($entry)* } };
    (downcast $($entry:tt)*) => { $crate::__operation! { @two Downcast (cast ["downcast",] []) $($entry)* } };
    (with_shape $($entry:tt)*) => { $crate::__operation! { @both WithShape $($entry)* } };
    (coalesce_by $($entry:tt)*) => { $crate::__operation! { @both CoalesceBy $($entry)* } };
    (max_common_layout $($entry:tt)*) => { $crate::__operation! { @both MaxCommonLayout $($entry)* } };
    (slice $($entry:tt)*) => { $crate::__operation! { @coordinate Slice $($entry)* } };
    (dice $($entry:tt)*) => { $crate::__operation! { @coordinate Dice $($entry)* } };

    (@two $alias:ident ($check:ident [$($operation:tt)*] [$($option:tt)*])
     [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name = $crate::$alias<
            <<$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::First as $crate::check::AsLayout>::Layout,
            <$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::Second,
        >;
        const _: () = $crate::__notation::located!($name $crate::check::require($crate::check::$check(
            $($operation)*
            &<<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::First
                as $crate::check::AsLayout>::Layout as $crate::check::Reflect>::VALUE,
            &<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::Second as $crate::check::Reflect>::VALUE
            $($option)*
        )));
    };
    (@one $alias:ident [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name =
            $crate::$alias<<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<1>>::First
                as $crate::check::AsLayout>::Layout>;
        $crate::__operation! { @exists $name }
    };
    (@inverse $alias:ident $operation:literal [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name =
            $crate::$alias<<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<1>>::First
                as $crate::check::AsLayout>::Layout>;
        const _: () = $crate::__notation::located!($name $crate::check::require($crate::check::inverse(
            $operation,
            &<<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<1>>::First
                as $crate::check::AsLayout>::Layout as $crate::check::Reflect>::VALUE,
        )));
    };
    (@shape $alias:ident [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name =
            $crate::$alias<<$crate::tile!($($operand)*) as $crate::check::NotationOperands<1>>::First>;
        $crate::__operation! { @exists $name }
    };
    (@exists $name:ident) => {
        const _: ::core::option::Option<$name> =
            $crate::__notation::located!($name ::core::option::Option::None);
    };
    (@both $alias:ident [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name = $crate::$alias<
            <<$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::First as $crate::check::AsLayout>::Layout,
            <$crate::tile!($($operand)*) as $crate::check::NotationOperands<2>>::Second,
        >;
        $crate::__operation! { @exists $name }
    };
    (@coordinate $alias:ident [$($head:tt)*] $name:ident [$($operand:tt)*]) => {
        $($head)* type $name = $crate::$alias<
            <$crate::coord!($($operand)*) as $crate::check::NotationOperands<2>>::First,
            <$crate::coord!($($operand)*) as $crate::check::NotationOperands<2>>::Second,
        >;
        $crate::__operation! { @exists $name }
    };
    ($other:ident $($entry:tt)*) => {
        $crate::__notation::located! {
            $other ::core::compile_error!(concat!("`", stringify!($other), "` is not an operation on layouts"));
        }
    };
}
