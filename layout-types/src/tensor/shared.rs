//! Elements in the block's shared memory, with the layout's swizzle if it has one.
//!
//! ```text
//!   address = base + swizzled(offset)       base: what is a multiple of the swizzle's period, a stage for instance
//!                                        offset: what the swizzle reads and changes, and where a thread's part begins
//! ```
//!
//! Law: the element is at `base + size * L::swizzled(offset / size)`. Both sums are kept in bytes,
//! and the swizzle is applied to bytes too, so that no address is scaled. A swizzle `Sw<B,M,S>` has
//! the period `2^(M+B+|S|)`: multiples of the period are not changed, so a stage's offset is added
//! after the swizzle and costs one addition. The offset of a thread's part is not added to the
//! base. So the base is the same for all threads that use the same stage, and a uniform register
//! can hold it.
//!
//! Source: CuTe `make_smem_ptr`, `cute/pointer_swizzle.hpp`.

use super::Tensor;
use super::engine::{Engine, Load, Multiples, Read, Store};
use super::strides::RunTimeStrides;
use super::word::{Plain, Word};
use crate::arch::copy::SmemSwizzle;
use crate::coord::{Coord, Idx};
use crate::layout::LayoutFn;
use crate::notation::Outer;
use crate::tiled::AnyRole;
use core::fmt;
use core::marker::PhantomData;

/// A place in shared memory, as its 32-bit address in the block's window.
pub struct Shared<T> {
    base: u32,
    offset: u32,
    element: PhantomData<T>,
}
impl<T> Clone for Shared<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "smem {}+{}", self.base, self.offset)
    }
}

/// The swizzle of a layout as numbers.
#[derive(Clone, Copy)]
struct SwizzleBits {
    added: i64,
    mask: i64,
    shift: i32,
    period: i64,
}
/// Returns the swizzle of `L`.
const fn swizzle_of<L: LayoutFn>() -> SwizzleBits {
    match L::OUTER {
        Outer::Nothing => SwizzleBits {
            added: 0,
            mask: 0,
            shift: 0,
            period: 1,
        },
        Outer::Swizzle {
            bits: (bits, base, shift),
            offset,
            inner,
        } => {
            assert!(
                matches!(inner, Outer::Nothing),
                "a tensor in shared memory has one swizzle"
            );
            let read = base + if shift > 0 { shift.unsigned_abs() } else { 0 };
            SwizzleBits {
                added: offset,
                mask: ((1 << bits) - 1) << read,
                shift,
                period: 1 << (bits + base + shift.unsigned_abs()),
            }
        }
    }
}

/// The swizzle of the layout `L` of elements `T`, as a swizzle of byte offsets.
#[derive(Clone, Copy, Debug, Default)]
pub struct SwizzleOf<L, T>(PhantomData<(L, T)>);
impl<L: LayoutFn, T> SmemSwizzle for SwizzleOf<L, T> {
    const BITS: i32 = in_bytes::<L, T>()[0];
    const BASE: i32 = in_bytes::<L, T>()[1];
    const SHIFT: i32 = in_bytes::<L, T>()[2];
}
/// Returns B, M and S of the swizzle of byte offsets.
const fn in_bytes<L: LayoutFn, T>() -> [i32; 3] {
    let element = size_of::<T>().trailing_zeros() as i32;
    match L::OUTER {
        Outer::Swizzle {
            bits: (bits, base, shift),
            ..
        } if bits > 0 => [bits as i32, base as i32 + element, shift],
        _ => [0, 4, 3],
    }
}

impl<T> Shared<T> {
    /// The number of bytes of an element.
    const SIZE: u32 = size_of::<T>() as u32;

    /// Returns the address of the place, in bytes, before any swizzle.
    #[inline(always)]
    pub(crate) fn start(&self) -> u32 {
        self.base + self.offset
    }

    /// Returns the address of the place, in bytes, with the swizzle of `L`.
    #[inline(always)]
    #[must_use]
    pub fn address<L: LayoutFn>(&self) -> u32 {
        let swizzle = const { swizzle_of::<L>() };
        if swizzle.mask == 0 {
            return self.base + self.offset + swizzle.added as u32 * Self::SIZE;
        }
        let plain = self.offset + swizzle.added as u32 * Self::SIZE;
        self.base + plain.xor_shifted(swizzle.mask * i64::from(Self::SIZE), swizzle.shift)
    }
}

impl<T: Copy> Engine for Shared<T> {
    type Value = T;
    type Role = AnyRole;
    type Strides = RunTimeStrides;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        let bytes = |counted| -> u32 {
            coordinate.offset(&Multiples {
                of: const { swizzle_of::<L>().period },
                counted,
                bytes: Self::SIZE.into(),
            })
        };
        Self {
            base: self.base.wrapping_add(bytes(true)),
            offset: self.offset.wrapping_add(bytes(false)),
            element: PhantomData,
        }
    }
    /// Moves to a thread's part. A thread's own offset is not added to the base: if the base is the
    /// same for all threads, a stage's address is too.
    #[inline(always)]
    fn part<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        let bytes: u32 = coordinate.offset(&Multiples {
            of: 1,
            counted: true,
            bytes: Self::SIZE.into(),
        });
        Self {
            base: self.base,
            offset: self.offset.wrapping_add(bytes),
            element: PhantomData,
        }
    }
}

impl<T: Plain> Read for Shared<T> {
    #[inline(always)]
    fn load<L: LayoutFn>(self) -> T {
        // SAFETY: the caller of the tensor's constructor guarantees every element that is read
        // through it.
        unsafe { element::load::<T, SwizzleOf<L, T>>(self.address::<L>()) }
    }
}
impl<T: Plain> Load for Shared<T> {
    type Recast<U: Plain> = Shared<U>;
    #[inline(always)]
    fn recast<U: Plain>(self) -> Shared<U> {
        Shared {
            base: self.base,
            offset: self.offset,
            element: PhantomData,
        }
    }
    #[inline(always)]
    fn load_word<L: LayoutFn, W: Word>(self) -> W {
        // SAFETY: the caller of the tensor's constructor guarantees every element that is read
        // through it; the layout's type was checked at compile time: the elements of the word are
        // contiguous and aligned.
        unsafe { W::load_shared::<SwizzleOf<L, T>>(self.address::<L>()) }
    }
}
impl<T: Plain> Store for Shared<T> {
    #[inline(always)]
    fn store<L: LayoutFn>(self, value: T) {
        // SAFETY: the caller of the tensor's constructor guarantees every element that is written
        // through it.
        unsafe { element::store::<T, SwizzleOf<L, T>>(self.address::<L>(), value) };
    }
    #[inline(always)]
    fn store_word<L: LayoutFn, W: Word>(self, word: W) {
        // SAFETY: the caller of the tensor's constructor guarantees every element that is written
        // through it; the layout's type was checked at compile time: the word's elements are
        // contiguous and aligned.
        unsafe { word.store_shared::<SwizzleOf<L, T>>(self.address::<L>()) };
    }
}

impl<T: Plain, L: LayoutFn> Tensor<Shared<T>, L> {
    /// The number of bytes that the tensor occupies.
    pub const BYTES: usize = L::COSIZE * size_of::<T>();

    /// Makes a tensor in the block's shared memory, from the address `at` of its window on.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Shared;
    /// type Stages = layout!((64,32,3):(32,1,2048));
    /// // SAFETY: no element is accessed here; a kernel has the block's window of shared memory from 0 on.
    /// let stages = unsafe { Tensor::<Shared<half::f16>, Stages>::shared(0) };
    /// assert_eq!(Tensor::<Shared<half::f16>, Stages>::BYTES, 3 * 4096);
    /// let stage = stages.slice((__, __, 2u32));
    /// assert_eq!(stage.engine().address::<layout!((64,32):(32,1))>(), 2 * 4096);
    /// ```
    ///
    /// # Safety
    /// [`Tensor::BYTES`] bytes from `at` on are the block's shared memory, and `at` is aligned for
    /// every access (16 bytes for vectors and matrices). The kernel synchronises: an element is
    /// read only after it was written, a barrier comes between its write and a read by another
    /// thread, and no thread writes an element that others access before the next barrier.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tensor")]
    #[doc(alias = "make_smem_ptr")]
    pub unsafe fn shared(at: u32) -> Self {
        Self::at_engine(Shared {
            base: at,
            offset: 0,
            element: PhantomData,
        })
    }
}

impl<T: Plain, L: LayoutFn> Tensor<Shared<T>, L> {
    /// Returns the same tensor, with addresses that are computed from here on.
    ///
    /// With a swizzle each slice has its own address, which is constant in a loop, and the compiler
    /// keeps all these addresses in registers. If registers are scarce, this call makes the
    /// compiler keep only one address for the whole tensor.
    #[inline(always)]
    #[must_use]
    pub fn here(&self) -> Self {
        let Shared { base, offset, .. } = self.engine();
        Self::at_engine(Shared {
            base,
            offset: crate::arch::mov::here(offset),
            element: PhantomData,
        })
    }
}

/// Accesses to one element as a word of the element's size.
mod element {
    use super::{Plain, SmemSwizzle, Word};
    use core::mem::transmute_copy;

    /// Loads an element.
    ///
    /// # Safety
    /// The conditions of [`Word::load_shared`] hold for the element's size.
    #[inline(always)]
    pub unsafe fn load<T: Plain, W: SmemSwizzle>(address: u32) -> T {
        // SAFETY: the caller guarantees that the element at `address` is the block's, aligned and
        // initialised; it is `Plain`, so the bits of a word of this size are a valid value.
        unsafe {
            match size_of::<T>() {
                1 => transmute_copy(&u8::load_shared::<W>(address)),
                2 => transmute_copy(&u16::load_shared::<W>(address)),
                4 => transmute_copy(&u32::load_shared::<W>(address)),
                8 => transmute_copy(&<[u32; 2]>::load_shared::<W>(address)),
                _ => transmute_copy(&<[u32; 4]>::load_shared::<W>(address)),
            }
        }
    }

    /// Stores an element.
    ///
    /// # Safety
    /// The conditions of [`Word::store_shared`] hold for the element's size.
    #[inline(always)]
    pub unsafe fn store<T: Plain, W: SmemSwizzle>(address: u32, value: T) {
        // SAFETY: the caller guarantees that the memory at `address` is the block's, aligned and
        // this thread's; the element is `Plain`, so its bits are the bits of a word of this size.
        unsafe {
            match size_of::<T>() {
                1 => transmute_copy::<T, u8>(&value).store_shared::<W>(address),
                2 => transmute_copy::<T, u16>(&value).store_shared::<W>(address),
                4 => transmute_copy::<T, u32>(&value).store_shared::<W>(address),
                8 => transmute_copy::<T, [u32; 2]>(&value).store_shared::<W>(address),
                _ => transmute_copy::<T, [u32; 4]>(&value).store_shared::<W>(address),
            }
        }
    }
}
