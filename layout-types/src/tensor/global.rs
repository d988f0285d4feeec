//! Elements in global memory, with the coordinate of a place and the extents of the whole tensor.
//!
//! ```text
//!   Tensor::global(a, [m, k], (k, Int::<1>))     (ext0,ext1):(1@0,1@1)       element (i, j) at a + i k + j
//!   .local_tile::<tile!(128, 32)>((by, __))        from coordinate (128 by, 0) on
//! ```
//!
//! Law: the element is at `pointer + sum of coordinate_i * stride_i`. It exists if and only if the
//! coordinate is less than the extents, component by component: a ragged tile's predicate tests
//! this ([`Global::inside`]).
//!
//! Source: `docs/algebra.md`, run-time extents and strides; CuTe `make_gmem_ptr`, `elem_less`.

use super::engine::{Along, Engine, Load, Read, Store, signed};
use super::strides::{GlobalStrides, KnownStrides, RunTimeStrides};
use super::word::{Plain, Word};
use super::{Tensor, coordinates::less};
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::ragged::{Ragged, RaggedIdentity, RaggedModes, RaggedRank, TensorLayout};
use crate::tiled::AnyRole;
use core::fmt;
use core::marker::PhantomData;
use typenum::{Const, ToUInt};

/// Whether elements may be written: [`ReadOnly`] or [`ReadWrite`].
#[doc(hidden)]
pub trait GlobalAccess: Copy + 'static {}
/// Permits reads of elements.
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly;
/// Permits reads and writes of elements.
#[derive(Clone, Copy, Debug)]
pub struct ReadWrite;
impl GlobalAccess for ReadOnly {}
impl GlobalAccess for ReadWrite {}

/// A place in global memory: a pointer, its coordinate, and the extents and strides of the `R`
/// modes of the whole tensor.
///
/// With `R` = 0 it is only a pointer, for layouts whose strides are integers. `K` states what is
/// known about the strides: [`UnitStride`] if one of them is `Int::<1>`.
///
/// [`UnitStride`]: super::UnitStride
pub struct Global<T, A, const R: usize, K = RunTimeStrides> {
    pointer: *mut T,
    /// The coordinate. Each 32-bit number is stored in 64 bits: LLVM would copy two numbers of 32
    /// bits as one number of 64 bits, and then split this number in every loop.
    coordinate: [u64; R],
    extents: [u64; R],
    strides: [u64; R],
    access: PhantomData<(A, K)>,
}
impl<T, A, const R: usize, K> Clone for Global<T, A, R, K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, A, const R: usize, K> Copy for Global<T, A, R, K> {}
impl<T, A, const R: usize, K> fmt::Debug for Global<T, A, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "gmem {:?} of {:?} at {:?}",
            self.extents, self.strides, self.coordinate
        )
    }
}

impl<T, A: GlobalAccess, const R: usize, K> Global<T, A, R, K> {
    /// Whether the element exists: the coordinate is less than the extents, component by component.
    #[inline(always)]
    #[must_use]
    pub fn inside(&self) -> bool {
        less(self.coordinate(), self.extents())
    }

    /// Whether the coordinate along `mode` is less than the extent. `mode` must be less than `R`.
    #[inline(always)]
    #[must_use]
    pub fn inside_along(&self, mode: usize) -> bool {
        self.coordinate[mode] < self.extents[mode]
    }

    /// Returns the extents of the whole tensor.
    #[inline(always)]
    #[must_use]
    pub fn extents(&self) -> [u32; R] {
        self.extents.map(|extent| extent as u32)
    }

    /// Returns the coordinate of the place in the whole tensor.
    #[inline(always)]
    #[must_use]
    pub fn coordinate(&self) -> [u32; R] {
        self.coordinate.map(|component| component as u32)
    }

    /// Returns the address of the place.
    ///
    /// The strides are applied here, mode by mode, and not at each step: in a loop along one mode
    /// the contributions of the other modes are constant, and an access costs one multiplication
    /// and addition.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut u8 {
        let mut pointer = self.pointer;
        let mut mode = 0;
        while mode < R {
            let offset = self.coordinate[mode].wrapping_mul(self.strides[mode]);
            pointer = pointer.wrapping_add(offset as usize);
            mode += 1;
        }
        pointer.cast()
    }

    /// Returns the same place with elements of another type.
    #[inline(always)]
    fn cast<U>(self) -> Global<U, A, R, K> {
        Global {
            pointer: self.pointer.cast(),
            coordinate: self.coordinate,
            extents: self.extents,
            strides: self.strides,
            access: PhantomData,
        }
    }
}

impl<T: Copy, A: GlobalAccess, const R: usize, K: KnownStrides> Engine for Global<T, A, R, K> {
    type Value = T;
    type Role = AnyRole;
    type Strides = K;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        let mut to = Self {
            pointer: self.pointer.wrapping_offset(signed::<L, C>(coordinate)),
            ..self
        };
        let mut mode = 0;
        while mode < R {
            let along: u32 = coordinate.offset(&Along(mode));
            to.coordinate[mode] = u64::from((to.coordinate[mode] as u32).wrapping_add(along));
            mode += 1;
        }
        to
    }
}

/// Requires an affine layout: the addresses of global memory have no swizzle.
#[inline(always)]
fn affine<L: LayoutFn>() {
    const {
        assert!(
            matches!(L::OUTER, crate::notation::Outer::Nothing),
            "a tensor in global memory has no swizzle"
        );
    }
}

impl<T: Plain, A: GlobalAccess, const R: usize, K: KnownStrides> Read for Global<T, A, R, K> {
    #[inline(always)]
    fn load<L: LayoutFn>(self) -> T {
        affine::<L>();
        // SAFETY: the caller of the tensor's constructor guarantees every element that is read
        // through it.
        unsafe { *self.address().cast::<T>() }
    }
}
impl<T: Plain, A: GlobalAccess, const R: usize, K: KnownStrides> Load for Global<T, A, R, K> {
    type Recast<U: Plain> = Global<U, A, R, K>;
    #[inline(always)]
    fn recast<U: Plain>(self) -> Global<U, A, R, K> {
        const {
            assert!(
                R == 0 || size_of::<U>() == size_of::<T>(),
                "a tensor of run-time strides keeps the size of its elements"
            );
        }
        self.cast()
    }
    #[inline(always)]
    fn load_word<L: LayoutFn, W: Word>(self) -> W {
        affine::<L>();
        // SAFETY: the caller of the tensor's constructor guarantees every element that is read
        // through it; the layout's type was checked at compile time: the elements of the word are
        // contiguous and aligned.
        unsafe { W::load_global(self.address()) }
    }
    /// Loads a vector. With run-time strides, offsets count elements.
    #[inline(always)]
    fn load_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32) -> W {
        if R == 0 {
            let wide = self.cast::<U>();
            wide.step::<Wide, u32>(i).load_word::<Wide, W>()
        } else {
            self.step::<L, u32>(i * per_word::<T, W>())
                .load_word::<L, W>()
        }
    }
}
impl<T: Plain, const R: usize, K: KnownStrides> Store for Global<T, ReadWrite, R, K> {
    #[inline(always)]
    fn store<L: LayoutFn>(self, value: T) {
        affine::<L>();
        // SAFETY: the caller of the tensor's constructor guarantees every element that is written
        // through it.
        unsafe { *self.address().cast::<T>() = value };
    }
    #[inline(always)]
    fn store_word<L: LayoutFn, W: Word>(self, word: W) {
        affine::<L>();
        // SAFETY: the caller of the tensor's constructor guarantees every element that is written
        // through it; the layout's type was checked at compile time: the word's elements are
        // contiguous and aligned.
        unsafe { word.store_global(self.address()) };
    }
    #[inline(always)]
    fn store_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32, word: W) {
        if R == 0 {
            let wide = self.cast::<U>();
            wide.step::<Wide, u32>(i).store_word::<Wide, W>(word);
        } else {
            self.step::<L, u32>(i * per_word::<T, W>())
                .store_word::<L, W>(word);
        }
    }
}
/// Returns the number of elements of type `T` in a word.
#[inline(always)]
const fn per_word<T, W: Word>() -> u32 {
    (W::BYTES / size_of::<T>()) as u32
}

impl<T: Plain, L: LayoutFn> Tensor<Global<T, ReadOnly, 0>, L> {
    /// Makes a readable tensor in global memory with a static layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let memory: [u16; 8] = core::array::from_fn(|i| i as u16);
    /// // SAFETY: the layout's offsets are 0 to 7.
    /// let rows = unsafe { Tensor::<_, layout!((2,4):(4,1))>::global_static(memory.as_ptr()) };
    /// assert_eq!(rows.get((1u32, 2)), 6);
    /// ```
    ///
    /// # Safety
    /// Every element that is read through the tensor or its parts is readable memory of this
    /// kernel, and no code writes it at the same time.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tensor")]
    #[doc(alias = "make_gmem_ptr")]
    pub unsafe fn global_static(pointer: *const T) -> Self {
        Self::at_engine(start(pointer.cast_mut(), [], []))
    }
}
impl<T: Plain, L: LayoutFn> Tensor<Global<T, ReadWrite, 0>, L> {
    /// Makes a readable and writable tensor in global memory with a static layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let mut memory = [0.0f32; 8];
    /// // SAFETY: the layout's offsets are 0 to 7, and no other thread accesses the memory.
    /// let rows = unsafe { Tensor::<_, layout!((2,4):(4,1))>::global_static_mut(memory.as_mut_ptr()) };
    /// rows.set((1u32, 2), 2.5);
    /// assert_eq!(memory[6], 2.5);
    /// ```
    ///
    /// # Safety
    /// The conditions of [`Tensor::global_static`] hold. Every element that is written is writable,
    /// and no other thread accesses it at the same time.
    #[inline(always)]
    #[must_use]
    pub unsafe fn global_static_mut(pointer: *mut T) -> Self {
        Self::at_engine(start(pointer, [], []))
    }
}

/// The layout of a tensor with `R` run-time extents.
type Whole<const R: usize> = RaggedIdentity<<Const<R> as ToUInt>::Output>;

impl<T: Plain, const R: usize, K: KnownStrides> Tensor<Global<T, ReadOnly, R, K>, Whole<R>>
where
    Const<R>: ToUInt<Output: RaggedRank>,
    Whole<R>: TensorLayout,
{
    /// Makes a readable tensor in global memory with the given extents: element `c` is at
    /// `pointer + sum of c_i * strides_i`.
    ///
    /// If the stride of a mode is [`Int::<1>`](super::Int), copies move vectors along that mode and
    /// along no other mode. An array of numbers contains no such stride.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let memory: Vec<u32> = (0..12).collect(); // 3 rows of 4
    /// // SAFETY: the memory has 3 * 4 elements.
    /// let a = unsafe { Tensor::global(memory.as_ptr(), [3, 4], [4, 1]) };
    /// let tile = a.local_tile::<tile!(2, 2), _>((1u32, 1u32));
    /// assert_eq!(tile.get((0u32, 1)), 11);
    /// assert!(tile.inside((0u32, 1)) && !tile.inside((1u32, 0)));
    /// ```
    ///
    /// # Safety
    /// Every element inside the extents is readable memory that no code writes while the kernel
    /// runs. Only elements inside the extents are read through the tensor and its parts: accesses
    /// that may lie outside are predicated. If `Int::<1>` is among the strides, every vector that a
    /// copy moves begins at a multiple of its size: the pointer is aligned, and the other strides
    /// and the beginnings of tiles are multiples of this size. A launch's contract checks the
    /// numbers.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tensor")]
    #[doc(alias = "make_gmem_ptr")]
    pub unsafe fn global(
        pointer: *const T,
        extents: [u32; R],
        strides: impl GlobalStrides<R, Known = K>,
    ) -> Self {
        Self::at_engine(start(pointer.cast_mut(), extents, strides.strides()))
    }
}
impl<T: Plain, const R: usize, K: KnownStrides> Tensor<Global<T, ReadWrite, R, K>, Whole<R>>
where
    Const<R>: ToUInt<Output: RaggedRank>,
    Whole<R>: TensorLayout,
{
    /// Makes a readable and writable tensor in global memory with the given extents.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let mut memory = [0u32; 12]; // 3 rows of 4
    /// // SAFETY: the memory has 3 * 4 elements, and no other thread accesses it.
    /// let d = unsafe { Tensor::global_mut(memory.as_mut_ptr(), [3, 4], [4, 1]) };
    /// let tile = d.local_tile::<tile!(2, 2), _>((1u32, 1u32));
    /// tile.set((0u32, 1), 7); // row 2, column 3
    /// assert_eq!(memory[11], 7);
    /// ```
    ///
    /// # Safety
    /// The conditions of [`Tensor::global`] hold. Every element that is written through the tensor
    /// or its parts is writable, and no other thread accesses it at the same time.
    #[inline(always)]
    #[must_use]
    pub unsafe fn global_mut(
        pointer: *mut T,
        extents: [u32; R],
        strides: impl GlobalStrides<R, Known = K>,
    ) -> Self {
        Self::at_engine(start(pointer, extents, strides.strides()))
    }
}

/// Returns the place of coordinate 0.
#[inline(always)]
fn start<T, A, const R: usize, K>(
    pointer: *mut T,
    extents: [u32; R],
    strides: [u64; R],
) -> Global<T, A, R, K> {
    Global {
        pointer,
        coordinate: [0; R],
        extents: extents.map(u64::from),
        strides,
        access: PhantomData,
    }
}

impl<T: Plain, A: GlobalAccess, L: TensorLayout, const R: usize, K: KnownStrides>
    Tensor<Global<T, A, R, K>, L>
{
    /// Whether the element at `coordinate` exists: CuTe's `elem_less(identity(coordinate), shape)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let memory = [0u8; 15]; // 3 rows of 5
    /// // SAFETY: the memory has 3 * 5 elements.
    /// let matrix = unsafe { Tensor::global(memory.as_ptr(), [3, 5], [5, 1]) };
    /// let tile = matrix.local_tile::<tile!(2, 4), _>((1u32, 1u32)); // rows 2 and 3, columns 4 to 7
    /// assert!(tile.inside((0u32, 0)));
    /// assert!(!tile.inside((1u32, 0)) && !tile.inside((0u32, 1)));
    /// ```
    #[inline(always)]
    #[must_use]
    #[doc(alias = "elem_less")]
    pub fn inside<C>(&self, coordinate: C) -> bool
    where
        C: Coord<<L::Offsets as LayoutFn>::Modes, u32> + Copy,
    {
        self.engine().step::<L::Offsets, C>(coordinate).inside()
    }
}

impl<T: Plain, A: GlobalAccess, L: TensorLayout, const R: usize, K: KnownStrides>
    Tensor<Global<T, A, R, K>, L>
{
    /// Returns the same tensor, counted from its own first element. This element's address is
    /// computed once, each access adds only its own steps, and the extents are those that remain
    /// from the element on.
    ///
    /// Law: both tensors have the same elements, and the same elements are [inside](Self::inside).
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let memory: [u16; 70] = core::array::from_fn(|i| i as u16);
    /// // SAFETY: the matrix lies inside `memory`.
    /// let matrix = unsafe { Tensor::global(memory.as_ptr(), [7, 10], [10, 1]) };
    /// let tile = matrix.local_tile::<tile!(4, 8), _>((1u32, 0u32));
    /// let same = tile.from_here();
    /// assert_eq!((tile.get((2u32, 3)), same.get((2u32, 3))), (63, 63));
    /// assert_eq!((tile.inside((3u32, 3)), same.inside((3u32, 3))), (false, false));
    /// assert_eq!((tile.engine().coordinate(), same.engine().coordinate()), ([4, 0], [0, 0]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn from_here(&self) -> Self {
        let Global {
            mut extents,
            strides,
            coordinate,
            ..
        } = self.engine();
        let mut mode = 0;
        while mode < R {
            extents[mode] = extents[mode].saturating_sub(coordinate[mode]);
            mode += 1;
        }
        Self::at_engine(Global {
            pointer: self.engine().address().cast(),
            coordinate: [0; R],
            extents,
            strides,
            access: PhantomData,
        })
    }
}

impl<T: Plain, A: GlobalAccess, X: RaggedModes, const R: usize, K: KnownStrides>
    Tensor<Global<T, A, R, K>, Ragged<X>>
{
    /// Returns the size of mode `MODE`, whose extent is known only at run time: for instance the
    /// number of tiles along k. CuTe's `size<MODE>(tensor)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// let memory = [0u16; 70];
    /// // SAFETY: the matrix lies inside `memory`.
    /// let matrix = unsafe { Tensor::global(memory.as_ptr(), [1, 70], [70, 1]) };
    /// assert_eq!((matrix.size::<0>(), matrix.size::<1>()), (1, 70));
    /// let tiles = matrix.local_tile::<tile!(128, 32), _>((0u32, __));
    /// assert_eq!((tiles.size::<0>(), tiles.size::<2>()), (128, 3));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn size<const MODE: usize>(&self) -> u32 {
        X::size(MODE, &self.engine().extents())
    }
}
