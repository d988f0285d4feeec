//! Elements in a thread's registers, accessed through a handle.
//!
//! ```text
//!   Fragment (owns)  ──view()──►  Tensor<Registers, L>  ──retile_d──►  Tensor<Registers, M>       the same registers
//! ```
//!
//! Law: a read through any handle to a fragment returns the value that was last written through any
//! handle, as with [`Cell`].
//!
//! An index into registers must be a constant: the loops over fragments are unrolled by type
//! ([`unroll`](crate::unroll::unroll)). Every access is checked against the fragment's length, and
//! the check vanishes if the index is constant. An index that is known only at run time puts the
//! fragment into local memory.
//!
//! Source: CuTe `make_rmem_ptr`, `ViewEngine`.

use super::engine::{Engine, Load, Read, Store, signed};
use super::strides::RunTimeStrides;
use super::word::{Plain, Word};
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::tiled::AnyRole;
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A place among the elements of a [`Fragment`](super::Fragment); `Role` is the operand for which
/// the fragment was made.
pub struct Registers<'a, T, Role = AnyRole> {
    /// The fragment's first element; `bytes` from there on are elements.
    start: NonNull<T>,
    bytes: usize,
    /// The offset of the place in bytes. It may be any number; it is checked when an element is
    /// accessed.
    at: isize,
    fragment: PhantomData<(&'a Cell<T>, Role)>,
}
impl<T, Role> Clone for Registers<'_, T, Role> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, Role> Copy for Registers<'_, T, Role> {}
impl<T, Role> fmt::Debug for Registers<'_, T, Role> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rmem +{}", self.at / size_of::<T>() as isize)
    }
}

impl<'a, T: Plain, Role> Registers<'a, T, Role> {
    /// Makes a handle to elements in cells.
    #[inline(always)]
    pub(super) fn of(cells: &'a [Cell<T>]) -> Self {
        Self {
            start: NonNull::from(cells).cast(),
            bytes: size_of_val(cells),
            at: 0,
            fragment: PhantomData,
        }
    }

    /// Returns the address of `bytes` bytes at this place.
    ///
    /// Panics if the bytes are not inside the fragment. With a constant place, the check is
    /// optimised away.
    #[inline(always)]
    pub(crate) fn bytes(&self, bytes: usize) -> *mut u8 {
        assert!(
            self.at >= 0 && self.at as usize + bytes <= self.bytes,
            "an access behind the end of a fragment"
        );
        self.start.as_ptr().cast::<u8>().wrapping_offset(self.at)
    }

    /// Returns the bits of `W` at this place.
    #[inline(always)]
    pub(crate) fn read<W: Copy>(&self) -> W {
        // SAFETY: `bytes` checked that the bits are inside the fragment, whose elements are plain
        // bits in cells of this thread.
        unsafe { self.bytes(size_of::<W>()).cast::<W>().read_unaligned() }
    }

    /// Writes the bits of `W` to this place.
    #[inline(always)]
    pub(crate) fn write<W: Copy>(&self, word: W) {
        // SAFETY: `bytes` checked that the bits are inside the fragment, whose elements are plain
        // bits in cells of this thread; any bits are valid values there.
        unsafe { self.bytes(size_of::<W>()).cast::<W>().write_unaligned(word) };
    }
}

impl<T: Copy, Role> Engine for Registers<'_, T, Role> {
    type Value = T;
    type Role = Role;
    type Strides = RunTimeStrides;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        Self {
            at: self
                .at
                .wrapping_add(signed::<L, C>(coordinate).wrapping_mul(size_of::<T>() as isize)),
            ..self
        }
    }
}
impl<T: Plain, Role> Read for Registers<'_, T, Role> {
    #[inline(always)]
    fn load<L: LayoutFn>(self) -> T {
        self.read()
    }
}
impl<'a, T: Plain, Role> Load for Registers<'a, T, Role> {
    type Recast<U: Plain> = Registers<'a, U, Role>;
    #[inline(always)]
    fn recast<U: Plain>(self) -> Registers<'a, U, Role> {
        Registers {
            start: self.start.cast(),
            bytes: self.bytes,
            at: self.at,
            fragment: PhantomData,
        }
    }
    #[inline(always)]
    fn load_word<L: LayoutFn, W: Word>(self) -> W {
        self.read()
    }
}
impl<T: Plain, Role> Store for Registers<'_, T, Role> {
    #[inline(always)]
    fn store<L: LayoutFn>(self, value: T) {
        self.write(value);
    }
    #[inline(always)]
    fn store_word<L: LayoutFn, W: Word>(self, word: W) {
        self.write(word);
    }
}
