//! The assertions that users write beside their kernels, and the types whose values they take.
//!
//! ```text
//! assert_layout_eq!(A, B)   ─►   A's value, B's value   ─►   equal, or the compiler's error with both in notation
//! ```

use super::admissible::Verdict;
use super::text::Text;
use super::value::{Node, Value};
use crate::num::{Nat, value};
use crate::{ComposedLayout, Cons, E, Layout, Nil, Sw, Underscore};
use typenum::{NInt, NonZero, UInt, UTerm, Unsigned};

// -- Assertions -----------------------------------------------------------------------------------
//
// The assertions that users write beside their kernels.
//
// ```text
//   assert_divides!(Tile, tile!(48, 16));      error: zipped_divide (128,64):(64,1) / (48,16) is not admissible: mode 0: ...
// ```
//
// Law: each assertion is a constant without generic parameters, so `cargo check` evaluates it, and
// its error is at the line that the user wrote. An assertion takes only types that are written with
// static integers, and does nothing at run time.

/// Stops the compiler with the sentence of the refusal, if there is one.
#[track_caller]
pub const fn require(verdict: Verdict) {
    if let Err(text) = verdict {
        panic!("{}", text.as_str());
    }
}

/// Checks that two layouts have the same shape and the same stride.
///
/// # Errors
/// Returns the sentence that shows both layouts.
pub const fn equal(left: &Value, right: &Value) -> Verdict {
    if left.same(right) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("the layouts differ: left is ")
        .text(&left.notation());
    Err(*text.say(", right is ").text(&right.notation()))
}

/// Asserts that the left layout composed with the right layout, or with a tiler, is a layout:
/// `assert_composable!(A, B)`.
///
/// `B` is a type, or a tuple of tilers in CuTe's notation. The assertion holds exactly where
/// [`Composition<A, B>`](crate::Composition) exists. Otherwise, the message names the operands, the
/// mode of `B` and the rule.
///
/// ```
/// use layout_types::{assert_composable, prelude::*};
/// assert_composable!(layout!((6,2):(8,2)), layout!((4,3):(3,1)));
/// assert_composable!(layout!((12,(4,8)):(59,(13,1))), (3:4, 8:2));
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_composable, prelude::*};
/// assert_composable!(layout!((4,6,8):(2,3,5)), layout!(6:3)); // CuTe accepts it, and is wrong at element 2
/// ```
#[macro_export]
macro_rules! assert_composable {
    ($a:ty, ($($b:tt)*) $(,)?) => { $crate::assert_composable!($a, $crate::tile!($($b)*)); };
    ($a:ty, $b:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::composition(
            &<$a as $crate::check::Reflect>::VALUE,
            &<$b as $crate::check::Reflect>::VALUE,
        ));
    };
}

/// Asserts that the tiler divides the layout with no ragged tile: `assert_divides!(A, T)`.
///
/// `T` is a type, a number, or a tuple of tilers in CuTe's notation. Kernels without predication
/// need this for every tile.
///
/// ```
/// use layout_types::{assert_divides, prelude::*};
/// type A = layout!((128,64):(64,1));
/// assert_divides!(A, (32, 16));
/// assert_divides!(A, tile!(64:2, _));
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_divides, prelude::*};
/// assert_divides!(layout!((128,64):(64,1)), (48, 16)); // CuTe rounds up to 144 rows
/// ```
#[macro_export]
macro_rules! assert_divides {
    ($a:ty, ($($t:tt)*) $(,)?) => { $crate::assert_divides!($a, $crate::tile!($($t)*)); };
    ($a:ty, $t:literal $(,)?) => { $crate::assert_divides!($a, $crate::int!($t)); };
    ($a:ty, $t:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::divide(
            "exact divide",
            &<$a as $crate::check::Reflect>::VALUE,
            &<$t as $crate::check::Reflect>::VALUE,
            true,
        ));
    };
}

/// Asserts that a thread-value layout covers its tile exactly once: `assert_covers!(Tv, shape)`,
/// `assert_covers!(copy TiledCopy)` or `assert_covers!(mma TiledMma)`.
///
/// `Tv` takes `(thread, value)` to a cell of the tile, counted column-major in `shape`, which is a
/// shape in CuTe's notation, a shape type or a layout type. An operand that several threads read
/// (threads of stride 0) has more than one owner per cell and is refused: check its atom, or the
/// layout of the threads whose cells differ.
///
/// ```
/// use layout_types::{assert_covers, prelude::*};
/// // The accumulator of a 16x8 mma.sync: 32 threads, 4 values.
/// type C = layout!(((4,8),(2,2)):((32,1),(16,8)));
/// assert_covers!(C, (16,8));
///
/// use layout_types::{atom::copy::*, atom::mma::*, tiled::*};
/// assert_covers!(copy MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>);
/// // A and B are read by several threads a cell, those along N and along M; C has one owner a cell.
/// assert_covers!(mma TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2,2,1)), tile!(32, 32, 16)>);
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_covers, prelude::*};
/// assert_covers!(layout!((4,2):(1,2)), 8); // TV (2,0) and TV (0,1) are both at cell 2
/// ```
#[macro_export]
macro_rules! assert_covers {
    (copy $copy:ty $(,)?) => {
        $crate::assert_covers!(
            @owners <$copy as $crate::tiled::WrittenCopy>::LayoutTv,
            <$copy as $crate::tiled::WrittenCopy>::Tile,
            false
        );
    };
    (mma $mma:ty $(,)?) => {
        $crate::assert_covers!(@operand $mma, OperandA, true);
        $crate::assert_covers!(@operand $mma, OperandB, true);
        $crate::assert_covers!(@operand $mma, OperandC, false);
    };
    (@operand $mma:ty, $operand:ident, $readers:literal) => {
        $crate::assert_covers!(
            @owners $crate::tiled::LayoutTv<$mma, $crate::tiled::$operand>,
            <$crate::tiled::$operand as $crate::tiled::MmaOperand<$mma>>::Tile,
            $readers
        );
    };
    (@owners $tv:ty, $tile:ty, $readers:literal) => {
        const _: () = $crate::check::require($crate::check::covers_by::<
            { $crate::check::cells(&<$tile as $crate::check::Reflect>::VALUE) },
        >(
            &<$tv as $crate::check::Reflect>::VALUE,
            &<$tile as $crate::check::Reflect>::VALUE,
            $readers,
        ));
    };
    ($tv:ty, ($($shape:tt)*) $(,)?) => { $crate::assert_covers!($tv, $crate::shape!(($($shape)*))); };
    ($tv:ty, $shape:literal $(,)?) => { $crate::assert_covers!($tv, $crate::int!($shape)); };
    ($tv:ty, $shape:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::covers::<
            { $crate::check::cells(&<$shape as $crate::check::Reflect>::VALUE) },
        >(
            &<$tv as $crate::check::Reflect>::VALUE,
            &<$shape as $crate::check::Reflect>::VALUE,
        ));
    };
}

/// Asserts that the values of a copy are contiguous and aligned in memory, through the swizzle:
/// `assert_contiguous!(layout, elements, element bytes)` or
/// `assert_contiguous!(Tv => layout, elements, element bytes)`.
///
/// Without a thread-value layout, the values are those of `layout` in the order of its coordinates,
/// `elements` at a time. With the thread-value layout `Tv`, they are the values of each thread,
/// which `Tv` maps into the tile `layout`. For a tiled copy,
/// `assert_contiguous!(write of layout by Copy)` and `assert_contiguous!(read of layout by Copy)`
/// assert the same for the values that the copy's instruction moves for a thread:
/// [`CopiesVectors`](crate::tiled::CopiesVectors).
///
/// ```
/// use layout_types::{assert_contiguous, prelude::*};
/// type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
/// type Tv = layout!(((4,8),8):((64,1),8)); // 4 threads a row, 8 values each
/// assert_contiguous!(Tv => Smem, 8, 2);
/// assert_contiguous!(layout!((8,4):(1,16)), 8, 2);
///
/// use layout_types::{atom::copy::*, tiled::*};
/// type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
/// assert_contiguous!(read of layout!((128,32):(1@0,1@1)) by G2s);
/// assert_contiguous!(write of TileToShape<Smem, shape!((128,32))> by G2s);
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_contiguous, prelude::*};
/// // Pieces of 8 bytes that a swizzle moves apart are no vectors of 16 bytes.
/// assert_contiguous!(Composition<Swizzle<2, 2, 3>, layout!((32,8):(1,32))>, 8, 2);
/// ```
#[macro_export]
macro_rules! assert_contiguous {
    (write of $($rest:tt)+) => { $crate::assert_contiguous!(@layout Destination [] $($rest)+); };
    (read of $($rest:tt)+) => { $crate::assert_contiguous!(@layout Source [] $($rest)+); };
    (@layout $side:ident [$($layout:tt)+] by $copy:ty $(,)?) => {
        const _: () = $crate::tiled::copies_vectors::<$copy, $crate::tiled::$side, $($layout)+>();
    };
    (@layout $side:ident [$($layout:tt)*] $next:tt $($rest:tt)*) => {
        $crate::assert_contiguous!(@layout $side [$($layout)* $next] $($rest)*);
    };
    ($tv:ty => $layout:ty, $elements:expr, $bytes:expr $(,)?) => {
        const _: () = $crate::check::require($crate::check::contiguous(
            &<$layout as $crate::check::Reflect>::VALUE,
            Some(&<$tv as $crate::check::Reflect>::VALUE),
            $elements,
            $bytes,
        ));
    };
    ($layout:ty, $elements:expr, $bytes:expr $(,)?) => {
        const _: () = $crate::check::require($crate::check::contiguous(
            &<$layout as $crate::check::Reflect>::VALUE,
            None,
            $elements,
            $bytes,
        ));
    };
}

/// Asserts that the lanes of each phase of an access to shared memory access distinct banks,
/// through the swizzle. `assert_bank_conflict_free!(layout, BITS bits, [ACCESS, ..])` takes the
/// accesses of [`choose_swizzle!`](crate::choose_swizzle).
/// `assert_bank_conflict_free!(Tv => layout, BITS bits, BYTES bytes)` takes a thread-value layout
/// whose threads take `BYTES` bytes at a time. The other forms derive the accesses from a
/// partition:
///
/// ```text
///   assert_bank_conflict_free!(ldmatrix of SmemA by Mma);               ldmatrix.x2, ldmatrix.trans, .. likewise
///   assert_bank_conflict_free!(ldmatrix of SmemB by Mma, operand B);
///   assert_bank_conflict_free!(stmatrix of SmemC by Mma);
///   assert_bank_conflict_free!(write of SmemA by G2s);                  a tiled copy's destination
///   assert_bank_conflict_free!(read of SmemC by S2g);                   a tiled copy's source
/// ```
///
/// The derived forms look at the addresses that each thread of the tiled copy provides. The copies
/// of A, B and C are those of [`MakeTiledCopyA`](crate::tiled::MakeTiledCopyA), and of the
/// corresponding types for B and C.
///
/// ```
/// use layout_types::{assert_bank_conflict_free, prelude::*};
/// type Atom = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
/// type Smem = TileToShape<Atom, shape!((128,32,3))>;
/// assert_bank_conflict_free!(Smem, 16 bits, [ldmatrix, rows of 16 bytes]);
/// type Tv = layout!(((4,8),8):((64,1),8)); // a warp that stores rows of the atom, 16 bytes a thread
/// assert_bank_conflict_free!(Tv => Atom, 16 bits, 16 bytes);
///
/// use layout_types::{atom::copy::*, atom::mma::*, tiled::*};
/// type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
/// type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
/// assert_bank_conflict_free!(ldmatrix of Smem by Mma);
/// assert_bank_conflict_free!(ldmatrix of Smem by Mma, operand B);
/// assert_bank_conflict_free!(write of Smem by G2s);
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_bank_conflict_free, prelude::*};
/// assert_bank_conflict_free!(layout!((128,32):(32,1)), 16 bits, ldmatrix); // rows 0 and 2 share their banks
/// ```
#[macro_export]
macro_rules! assert_bank_conflict_free {
    (ldmatrix $(. $modifier:ident)* of $($rest:tt)+) => {
        $crate::__bank_conflict_free_parts!(@layout [ldmatrix $(. $modifier)*] [] $($rest)+);
    };
    (stmatrix $(. $modifier:ident)* of $($rest:tt)+) => {
        $crate::__bank_conflict_free_parts!(@layout [stmatrix $(. $modifier)*] [] $($rest)+);
    };
    (write of $($rest:tt)+) => {
        $crate::__bank_conflict_free_parts!(@layout [write] [] $($rest)+);
    };
    (read of $($rest:tt)+) => {
        $crate::__bank_conflict_free_parts!(@layout [read] [] $($rest)+);
    };
    ($tv:ty => $layout:ty, $($of:ident)? $bits:literal bits, $bytes:literal bytes $(,)?) => {
        #[allow(long_running_const_eval)]
        const _: () = $crate::check::require($crate::check::conflict_free_by(
            &<$layout as $crate::check::Reflect>::VALUE,
            $bits,
            &<$tv as $crate::check::Reflect>::VALUE,
            $bytes,
        ));
    };
    ($layout:ty, $($of:ident)? $bits:literal bits, [$($access:tt)*] $(,)?) => {
        #[allow(long_running_const_eval)]
        const _: () = $crate::check::require($crate::check::all_conflict_free(
            &<$layout as $crate::check::Reflect>::VALUE,
            $bits,
            &$crate::__lanes!([] $($access)*),
        ));
    };
    ($layout:ty, $($of:ident)? $bits:literal bits, $($access:tt)+) => {
        $crate::assert_bank_conflict_free!($layout, $bits bits, [$($access)+]);
    };
}

/// Asserts that two layouts have the same shape and the same stride: `assert_layout_eq!(A, B)`. The
/// message shows both layouts.
///
/// `B` is a type, or a layout in CuTe's notation.
///
/// ```
/// use layout_types::{assert_layout_eq, prelude::*};
/// assert_layout_eq!(Coalesce<layout!((2,(1,6)):(1,(6,2)))>, 12:1);
/// assert_layout_eq!(LayoutRight<shape!((4,8))>, (4,8):(8,1));
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_layout_eq, prelude::*};
/// assert_layout_eq!(layout!((4,2)), layout!((4,2):(2,1)));
/// ```
#[macro_export]
#[doc(alias = "CUTE_STATIC_ASSERT_V")]
macro_rules! assert_layout_eq {
    ($a:ty, ($($s:tt)*) : $d:tt $(,)?) => {
        $crate::assert_layout_eq!($a, $crate::layout!(($($s)*) : $d));
    };
    ($a:ty, $s:literal : $d:tt $(,)?) => { $crate::assert_layout_eq!($a, $crate::layout!($s : $d)); };
    ($a:ty, $b:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::equal(
            &<$a as $crate::check::Reflect>::VALUE,
            &<$b as $crate::check::Reflect>::VALUE,
        ));
    };
}

// -- Types with a value ---------------------------------------------------------------------------
//
// The types of the algebra that have a value.
//
// ```text
//   <layout!((4,2):(2,1)) as Reflect>::VALUE      no bound but that its numbers are static
// ```
//
// Law: the value prints as the type does.

/// Types that have a [`Value`]: everything that the notation macros write, and every result of the
/// algebra.
#[diagnostic::on_unimplemented(
    message = "not a layout, tiler or shape of static integers",
    label = "a check needs all numbers at compile time"
)]
pub trait Reflect {
    /// The value of the type.
    ///
    /// ```
    /// use layout_types::{check::Reflect, prelude::*};
    /// const A: layout_types::check::Text = <layout!((4,(2,3)):(1,(8,16)))>::VALUE.notation();
    /// assert_eq!(A.as_str(), "(4,(2,3)):(1,(8,16))");
    /// ```
    const VALUE: Value;
}

impl Reflect for UTerm {
    const VALUE: Value = Value::of(Node::Int(0));
}
impl<U, B> Reflect for UInt<U, B>
where
    Self: Nat,
{
    const VALUE: Value = Value::of(Node::Int(value(<Self as Nat>::VALUE)));
}
impl<N: Nat + NonZero> Reflect for NInt<N> {
    const VALUE: Value = Value::of(Node::Int(-value(N::VALUE)));
}
impl<I: Unsigned, S: Reflect> Reflect for E<I, S> {
    const VALUE: Value = S::VALUE.in_mode(I::USIZE);
}
impl Reflect for Underscore {
    const VALUE: Value = Value::of(Node::Any);
}
impl Reflect for Nil {
    const VALUE: Value = Value::of(Node::Tuple(0));
}
impl<H: Reflect, T: Reflect> Reflect for Cons<H, T> {
    const VALUE: Value = T::VALUE.behind(&H::VALUE);
}
impl<S: Reflect, D: Reflect> Reflect for Layout<S, D> {
    const VALUE: Value = Value::of(Node::Layout).then(&S::VALUE).then(&D::VALUE);
}
impl<B: Unsigned, M: Unsigned, S: Reflect> Reflect for Sw<B, M, S> {
    const VALUE: Value = Value::of(Node::Swizzle {
        bits: B::U8,
        base: M::U8,
        shift: S::VALUE.integer() as i8,
    });
}
impl<F: Reflect, O: Reflect, L: Reflect> Reflect for ComposedLayout<F, O, L> {
    const VALUE: Value = Value::of(Node::Composed)
        .then(&F::VALUE)
        .then(&O::VALUE)
        .then(&L::VALUE);
}
