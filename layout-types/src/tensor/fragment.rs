//! Fragments: tensors that own their elements, in registers.
//!
//! ```text
//!   thr_mma.partition_fragment_c(&g_d)      Fragment<f32, ((2,2),4,8):((1,2),4,16), OperandC>      128 registers
//! ```
//!
//! Law: a fragment has `cosize(L)` elements, which are zero at first. They are aligned so that an
//! instruction can use any run of its registers. A fragment's role is the operand for which it was
//! made: [`gemm`](crate::algorithm::gemm) accepts no other role.
//!
//! Source: CuTe `make_tensor<T>(layout)` with its `ArrayEngine`, `make_fragment_like`,
//! `partition_fragment_A`, `_B`, `_C`.

use super::Tensor;
use super::engine::{Engine, Read};
use super::registers::Registers;
use super::word::Plain;
use crate::algebra::make::{FragmentLike, LikeLayout};
use crate::coord::Coord;
use crate::layout::{Cosize, LayoutFn, StaticLayout};
use crate::ragged::SliceTensorBy;
use crate::tiled::AnyRole;
use crate::unroll::{Unroll, unroll_type};
use core::cell::Cell;
use core::marker::PhantomData;
use generic_array::{ArrayLength, GenericArray};

/// The role of a fragment: an operand of a tiled MMA, or any use.
#[doc(hidden)]
pub trait Role: Copy + Default + 'static {}
impl Role for AnyRole {}
impl Role for crate::tiled::OperandA {}
impl Role for crate::tiled::OperandB {}
impl Role for crate::tiled::OperandC {}

/// A static layout whose elements a fragment can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the layout of a fragment",
    label = "a fragment has a static affine layout"
)]
#[doc(hidden)]
pub trait FragmentLayout: StaticLayout {
    /// The number of elements that the fragment holds.
    type Length: ArrayLength;
}
impl<L: StaticLayout> FragmentLayout for L
where
    Cosize<L>: ArrayLength,
{
    type Length = Cosize<L>;
}

/// Elements in registers, and their layout.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::Fragment;
/// let fragment = Fragment::<f32, layout!((4,2):(2,1))>::new();
/// fragment.set((3u32, 1), 7.0);
/// assert_eq!((fragment.get((3u32, 1)), fragment.get((0u32, 0))), (7.0, 0.0));
/// let row = fragment.slice((3u32, __)); // the same registers
/// row.set((0u32,), 5.0);
/// assert_eq!(fragment.get((3u32, 0)), 5.0);
/// ```
#[repr(C, align(16))]
#[doc(alias = "make_tensor")]
pub struct Fragment<T, L: FragmentLayout, R = AnyRole> {
    elements: GenericArray<Cell<T>, L::Length>,
    role: PhantomData<R>,
}

impl<T: Plain, L: FragmentLayout, R: Role> Default for Fragment<T, L, R> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}
impl<T: Plain, L: FragmentLayout, R: Role> Fragment<T, L, R> {
    /// The number of elements of the layout.
    pub const SIZE: usize = L::SIZE;

    /// Makes a fragment of zeros.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let sums = Fragment::<f32, layout!((4,2))>::new();
    /// assert_eq!(sums.get((3u32, 1)), 0.0);
    /// ```
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tensor")]
    pub fn new() -> Self {
        const { assert!(align_of::<T>() <= 16, "a register holds at most 16 bytes") }
        Self {
            // SAFETY: `T` is plain bits, so zeros are a valid value of `T`, of a cell of it and of
            // an array of such cells.
            elements: unsafe { core::mem::MaybeUninit::zeroed().assume_init() },
            role: PhantomData,
        }
    }

    /// Returns a handle to all elements, which algorithms take.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// use layout_types::algorithm::fill;
    /// let sums = Fragment::<f32, layout!((4,2))>::new();
    /// fill(&sums.view(), 1.0);
    /// assert_eq!(sums.get((3u32, 1)), 1.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn view(&self) -> Tensor<Registers<'_, T, R>, L> {
        Tensor::at_engine(Registers::of(self.elements.as_slice()))
    }

    /// Replaces each 32 bits of the fragment by `f` of these bits.
    #[inline(always)]
    pub(crate) fn each_register(&self, f: impl Fn(u32) -> u32)
    where
        L::Length: Unroll,
    {
        const {
            assert!(
                size_of::<GenericArray<Cell<T>, L::Length>>().is_multiple_of(4),
                "whole registers"
            );
        }
        let first: *mut u32 = self.elements.as_ptr().cast_mut().cast();
        // Visit the registers that begin in element `i`. The loop is unrolled by type: a loop that
        // LLVM does not unroll would put the fragment into local memory.
        unroll_type::<L::Length>(|i| {
            let mut register = (i * size_of::<T>()).div_ceil(4);
            while register < ((i + 1) * size_of::<T>()).div_ceil(4) {
                // SAFETY: these are 32 bits of the elements, which are contiguous and aligned to 16
                // bytes; the elements are plain bits in cells of this thread, so any bits are valid
                // values.
                unsafe {
                    let register = first.add(register);
                    register.write(f(register.read()));
                }
                register += 1;
            }
        });
    }

    /// Returns the slice of the handle, by [`Tensor::slice`].
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let sums = Fragment::<f32, layout!((4,2))>::new();
    /// sums.slice((__, 1u32)).set((2u32,), 3.0);
    /// assert_eq!(sums.get((2u32, 1)), 3.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn slice<C>(
        &self,
        coordinate: C,
    ) -> Tensor<Registers<'_, T, R>, <L as SliceTensorBy<C>>::Output>
    where
        L: SliceTensorBy<C>,
    {
        self.view().slice(coordinate)
    }

    /// Makes a fragment like the handle, by [`Tensor::make_fragment_like`].
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let sums = Fragment::<f32, layout!((2,4))>::new();
    /// let rounded = sums.make_fragment_like::<half::f16>();
    /// assert_eq!(rounded.view().layout().to_string(), "(2,(4)):(1,(2))");
    /// ```
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tensor_like")]
    pub fn make_fragment_like<U>(&self) -> Fragment<U, <L as FragmentLike>::Output>
    where
        U: Plain,
        L: FragmentLike<Output: FragmentLayout>,
    {
        Fragment::new()
    }

    /// Returns the element at a coordinate.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let sums = Fragment::<f32, layout!((4,2))>::new();
    /// sums.set(5u32, 2.0);
    /// assert_eq!(sums.get((1u32, 1)), 2.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get<C: Coord<L::Modes, u32> + Copy>(&self, coordinate: C) -> T {
        self.view().get(coordinate)
    }

    /// Writes the element at a coordinate.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let sums = Fragment::<f32, layout!((4,2))>::new();
    /// sums.set((1u32, 1), 2.0);
    /// assert_eq!(sums.get(5u32), 2.0);
    /// ```
    #[inline(always)]
    pub fn set<C: Coord<L::Modes, u32> + Copy>(&self, coordinate: C, value: T) {
        self.view().set(coordinate, value);
    }
}

/// Makes registers for the tensor's elements, with the first mode column-major and the other modes
/// in the order of their strides: CuTe's `make_fragment_like(tensor)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::{Fragment, make_fragment_like};
/// let wide = Fragment::<u16, layout!((8,4,3):(1,24,8))>::new();
/// let like = make_fragment_like(&wide.view());
/// assert_eq!(like.view().layout().to_string(), "(8,4,3):(1,24,8)");
/// ```
#[inline(always)]
#[must_use]
pub fn make_fragment_like<E, L>(_tensor: &Tensor<E, L>) -> Fragment<E::Value, L::Output>
where
    E: Read,
    E::Value: Plain,
    L: FragmentLike<Output: FragmentLayout>,
{
    Fragment::new()
}

impl<E: Engine, L: LayoutFn> Tensor<E, L> {
    /// Makes registers for the same number of elements of type `U`, laid out as by
    /// [`make_fragment_like`]: CuTe's `make_fragment_like<U>(tensor)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let halves = Fragment::<u16, layout!((8,4,3):(1,24,8))>::new();
    /// let sums = halves.view().make_fragment_like::<f32>();
    /// sums.set((7u32, 3, 2), 1.5);
    /// assert_eq!(sums.view().layout().to_string(), "(8,4,3):(1,24,8)");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn make_fragment_like<U>(&self) -> Fragment<U, <L as FragmentLike>::Output>
    where
        U: Plain,
        L: FragmentLike<Output: FragmentLayout>,
    {
        Fragment::new()
    }

    /// Makes registers for the same number of elements of type `U`, compact, with the modes in the
    /// order of the tensor's strides ([`MakeLike`](crate::MakeLike)): CuTe's
    /// `make_tensor_like<U>(tensor)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let rows = Fragment::<u16, layout!((4,8):(16,1))>::new();
    /// assert_eq!(rows.view().make_tensor_like::<f32>().view().layout().to_string(), "(4,8):(8,1)");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn make_tensor_like<U>(&self) -> Fragment<U, <L as LikeLayout>::Output>
    where
        U: Plain,
        L: LikeLayout<Output: FragmentLayout>,
    {
        Fragment::new()
    }
}
