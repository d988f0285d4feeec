//! Elements in Blackwell's tensor memory.
//!
//! ```text
//!   Tensor<Tmem<f32>, layout!((128,256):(65536,1))>      slice((3, 7)) is at 3 << 16 | 7
//! ```
//!
//! Law: an offset is in elements of `T`, so element `o` is at bit `o * bits(T)` after the tensor's
//! first bit. A word of 32 bits is one step of the address, and a lane is 2^16 words. The bits
//! below a word are stored beside the address: they state in which byte of a word a scale factor
//! lies.
//!
//! Only instructions of whole warps move elements ([`atom::copy`](crate::atom::copy)), so a single
//! thread cannot read or write this tensor. The tensor only has an address.
//!
//! Source: CuTe `tmem_ptr` in `cute/pointer.hpp`.

use super::Tensor;
use super::engine::{Engine, Multiples};
use super::strides::RunTimeStrides;
use crate::atom::Element;
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::tiled::AnyRole;
use core::fmt;
use core::marker::PhantomData;
use typenum::Unsigned;

/// A place in tensor memory: the address of a tensor's first element, and a number of bits from
/// there.
pub struct Tmem<T> {
    address: u32,
    bits: u32,
    element: PhantomData<T>,
}
impl<T> Clone for Tmem<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Tmem<T> {}
impl<T> fmt::Debug for Tmem<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, bits) = (self.word(), self.bits % 32);
        write!(f, "tmem lane {} column {}", at >> 16, at & 0xffff)?;
        if bits > 0 {
            write!(f, " bit {bits}")?;
        }
        Ok(())
    }
}
impl<T> Tmem<T> {
    /// Returns the address of the word.
    #[inline(always)]
    fn word(&self) -> u32 {
        self.address.wrapping_add(self.bits / 32)
    }
}

impl<T: Element> Engine for Tmem<T> {
    type Value = T;
    type Role = AnyRole;
    type Strides = RunTimeStrides;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        // 128 lanes of 2^21 bits are 2^28.
        let bits: u32 = coordinate.offset(&Multiples {
            of: 1,
            counted: true,
            bytes: T::Bits::I64,
        });
        Self {
            bits: self.bits.wrapping_add(bits),
            ..self
        }
    }
}

impl<T: Element, L: LayoutFn> Tensor<Tmem<T>, L> {
    /// Makes a tensor in tensor memory from the word at `address` on: CuTe's
    /// `make_tensor(make_tmem_ptr<T>(address), layout)`.
    ///
    /// ```
    /// use layout_types::{prelude::*, tensor::Tmem};
    /// // SAFETY: nothing is accessed; a kernel has allocated the columns.
    /// let d = unsafe { Tensor::<Tmem<f32>, layout!((128,64):(65536,1))>::tmem(32) };
    /// assert_eq!(d.slice((5u32, 2)).address(), 5 << 16 | 34);
    /// assert_eq!(d.to_string(), "tmem lane 0 column 32 o (128,64):(65536,1)");
    /// ```
    ///
    /// # Safety
    /// The block has allocated the lanes and columns of the layout from `address` on, for as long
    /// as the tensor is used.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_tmem_ptr")]
    pub unsafe fn tmem(address: u32) -> Self {
        Self::at_engine(Tmem {
            address,
            bits: 0,
            element: PhantomData,
        })
    }

    /// Returns the tensor from the place on that an address of this form names: a word, and in the
    /// two highest bits a byte of it, as [`scale_address`](Self::scale_address) returns it.
    ///
    /// ```
    /// use layout_types::{atom::element::FloatUE8M0, prelude::*, tensor::Tmem};
    /// type Factors = Tensor<Tmem<FloatUE8M0>, layout!((32,4):(262144,1))>;
    /// // SAFETY: nothing is accessed; a kernel has allocated the columns.
    /// let factors = unsafe { Factors::at_scale_address(3 << 30 | 8) };
    /// assert_eq!((factors.address(), factors.scale_address()), (8, 3 << 30 | 8));
    /// ```
    ///
    /// # Safety
    /// The lanes and columns of the layout from the word on are allocated by the block as long as
    /// the tensor is used.
    #[inline(always)]
    #[must_use]
    pub unsafe fn at_scale_address(address: u32) -> Self {
        Self::at_engine(Tmem {
            address: address & 0x3fff_ffff,
            bits: 8 * (address >> 30),
            element: PhantomData,
        })
    }

    /// Returns the address of the word that contains the first element: the lane in the upper 16
    /// bits, and the column in the lower 16 bits.
    #[inline(always)]
    #[must_use]
    pub fn address(&self) -> u32 {
        self.engine().word()
    }

    /// Returns the address, with the number of the byte in its word in the two highest bits. CuTe's
    /// `tmem_ptr` of a scale factor decays to this address.
    ///
    /// ```
    /// use layout_types::{atom::element::FloatUE8M0, prelude::*, tensor::Tmem};
    /// // SAFETY: nothing is accessed; a kernel has allocated the columns.
    /// let factors = unsafe { Tensor::<Tmem<FloatUE8M0>, layout!((32,4):(262144,1))>::tmem(8) };
    /// assert_eq!(factors.slice((1u32, 3)).scale_address(), 3 << 30 | 1 << 16 | 8);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn scale_address(&self) -> u32 {
        let engine = self.engine();
        engine.word() | (engine.bits % 32 / 8) << 30
    }
}
