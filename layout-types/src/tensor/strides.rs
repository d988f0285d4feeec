//! The static strides of a global tensor's type: which mode has stride 1.
//!
//! ```text
//!   Tensor::global(a, [m, k], (lda, Int::<1>))     row-major:     vectors along k, mode 1
//!   Tensor::global(a, [m, k], (Int::<1>, lda))     column-major:  vectors along m, mode 0
//!   Tensor::global(a, [m, k], [lda, 1])      any order:     no vectors
//! ```
//!
//! Law: a copy that moves several values of a global tensor at once compiles only along the mode
//! whose stride is written `Int::<1>`, and
//! [`AutoVectorizingCopy`](crate::atom::copy::AutoVectorizingCopy) makes vectors along that mode.
//!
//! Source: CuTe `make_layout(make_shape(m, k), make_stride(lda, _1{}))`, `max_common_vector`.

use crate::algebra::runs::{RunStride, RunTree};
use crate::layout::LayoutFn;
use crate::num::{Bool, Nat, StrideLeaf};
use crate::tree::phantom;

/// A static integer as a value, CuTe's `Int<1>{}` or `_1{}`: the stride 1 of a global tensor's
/// mode, in its type.
///
/// ```
/// use layout_types::algorithm::copy;
/// use layout_types::atom::copy::AutoVectorizingCopy;
/// use layout_types::prelude::*;
/// use layout_types::tensor::Fragment;
/// let memory: Vec<u128> = vec![0x0000_0003_0000_0002_0000_0001_0000_0000; 3]; // 3 rows of 4, at multiples of 16 bytes
/// let held = Fragment::<u32, layout!((1,4))>::new();
/// // SAFETY: the matrix lies inside `memory`, at multiples of a vector.
/// unsafe {
///     let a = Tensor::global(memory.as_ptr().cast::<u32>(), [3, 4], (4, Int::<1>));
///     let row = a.local_tile::<tile!(1, 4), _>((2u32, 0u32));
///     copy(AutoVectorizingCopy::default(), &row, &held.view()); // one access of 16 bytes
/// }
/// assert_eq!([0, 1, 2, 3u32].map(|i| held.get(i)), [0, 1, 2, 3]);
/// ```
#[doc(alias = "_1")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Int<const N: u64>;

/// The strides of a place in memory that are known beyond the layout's numbers.
#[doc(hidden)]
pub trait KnownStrides: Copy + Default + 'static {
    /// The mode of stride 1.
    const UNIT_MODE: Option<usize>;
    /// Whether neighbours along the stride `D` are neighbours in memory.
    type IsUnit<D: StrideLeaf>: Bool;
    /// The layout `L` with the offsets of memory where they are known, as far as vectors need them.
    type InMemory<L: LayoutFn>: LayoutFn;
}
/// No mode is known to have stride 1: integer strides are the strides in memory, and other strides
/// are numbers that the launch gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunTimeStrides;
impl KnownStrides for RunTimeStrides {
    const UNIT_MODE: Option<usize> = None;
    type IsUnit<D: StrideLeaf> = <D as RunStride>::IsInteger;
    type InMemory<L: LayoutFn> = L;
}
phantom! {
    /// Mode `I` has stride 1. The pointer and the other strides are multiples of every vector that
    /// a copy moves.
    UnitStride<I>
}
impl<I: Nat> KnownStrides for UnitStride<I> {
    const UNIT_MODE: Option<usize> = Some(I::USIZE);
    type IsUnit<D: StrideLeaf> =
        <<D as RunStride>::IsInteger as Bool>::Or<<D as RunStride>::IsAlong<I>>;
    type InMemory<L: LayoutFn> = L::With<<L::Modes as RunTree>::WithUnit<I>>;
}

/// The strides of a global tensor of `R` modes: an array of numbers, or a tuple of numbers with
/// `Int::<1>` at one place.
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// let memory = [0u32; 12];
/// let a = unsafe { Tensor::global(memory.as_ptr(), [3, 4], (Int::<1>, Int::<1>)) }; // two of them
/// ```
#[diagnostic::on_unimplemented(
    message = "these are not the strides of a tensor of {R} modes",
    label = "write `[ld, 1]`, or with the unit stride in the type `(ld, Int::<1>)` or `(Int::<1>, ld)`; each `ld` is a `u64`"
)]
#[doc(hidden)]
pub trait GlobalStrides<const R: usize> {
    /// The strides that the type knows.
    type Known: KnownStrides;
    /// Returns the strides as numbers.
    fn strides(self) -> [u64; R];
}
impl<const R: usize> GlobalStrides<R> for [u64; R] {
    type Known = RunTimeStrides;
    #[inline(always)]
    fn strides(self) -> [u64; R] {
        self
    }
}
impl GlobalStrides<1> for Int<1> {
    type Known = UnitStride<typenum::U0>;
    #[inline(always)]
    fn strides(self) -> [u64; 1] {
        [1]
    }
}
macro_rules! tuples {
    ($($rank:literal: ($($t:ty),+) at $mode:ident, |$value:ident| $strides:expr;)*) => {$(
        impl GlobalStrides<$rank> for ($($t,)+) {
            type Known = UnitStride<typenum::$mode>;
            #[inline(always)]
            fn strides(self) -> [u64; $rank] {
                let $value = self;
                $strides
            }
        }
    )*};
}
tuples! {
    1: (Int<1>) at U0, |_s| [1];
    2: (Int<1>, u64) at U0, |s| [1, s.1];
    2: (u64, Int<1>) at U1, |s| [s.0, 1];
    3: (Int<1>, u64, u64) at U0, |s| [1, s.1, s.2];
    3: (u64, Int<1>, u64) at U1, |s| [s.0, 1, s.2];
    3: (u64, u64, Int<1>) at U2, |s| [s.0, s.1, 1];
    4: (Int<1>, u64, u64, u64) at U0, |s| [1, s.1, s.2, s.3];
    4: (u64, Int<1>, u64, u64) at U1, |s| [s.0, 1, s.2, s.3];
    4: (u64, u64, Int<1>, u64) at U2, |s| [s.0, s.1, 1, s.3];
    4: (u64, u64, u64, Int<1>) at U3, |s| [s.0, s.1, s.2, 1];
}

/// Strides as numbers, with the guarantee that they are as `K` says. The tensor's constructor
/// requires this guarantee.
///
/// A kernel that is generic over the order of an operand makes its strides with this type, with the
/// order that its tiled copy has.
#[derive(Clone, Copy, Debug)]
pub struct Assume<K, const R: usize>([u64; R], core::marker::PhantomData<K>);
impl<K, const R: usize> Assume<K, R> {
    /// Makes the strides. Precondition: the stride of the mode that `K` names is 1.
    #[inline(always)]
    #[must_use]
    pub fn new(strides: [u64; R]) -> Self {
        Self(strides, core::marker::PhantomData)
    }
}
impl<K: KnownStrides, const R: usize> GlobalStrides<R> for Assume<K, R> {
    type Known = K;
    #[inline(always)]
    fn strides(self) -> [u64; R] {
        self.0
    }
}
