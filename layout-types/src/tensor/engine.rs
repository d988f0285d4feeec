//! What a tensor's elements are kept in, and how one steps through it.
//!
//! ```text
//!   step::<L>(c)      the place of coordinate c            an address is worked out only where an element moves
//!   load::<L>()       the element there                    L says what swizzle the addresses pass through
//! ```
//!
//! Law: `e.step::<L>(a).step::<M>(b)` is where offset `L(a) + M(b)` is, before the layout's
//! swizzle; loads and stores apply the swizzle, once.
//!
//! Source: CuTe's engines in `cute/tensor_impl.hpp`; that a swizzle is a property of the address
//! and not of the step is CuTe's `swizzle_ptr`.

use super::strides::KnownStrides;
use super::word::{Plain, Word};
use crate::coord::{Coord, Idx, Strides};
use crate::layout::LayoutFn;

/// A place in some memory.
pub trait Engine: Copy {
    /// What is at a place.
    type Value: Copy;
    /// The operand of a tiled MMA that it was made for: of fragments, and
    /// [`AnyRole`](crate::tiled::AnyRole) of memory.
    type Role;
    /// What its type knows of strides that are no numbers of the layout: of global memory, which
    /// mode has stride 1.
    type Strides: KnownStrides;
    /// The place of `coordinate` of `L` from here on, swizzle aside.
    #[must_use]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy;
    /// The place of a thread's part: as [`step`](Self::step), where the coordinate is one of the
    /// thread's own.
    #[inline(always)]
    #[must_use]
    fn part<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        self.step::<L, C>(coordinate)
    }
}

/// An engine whose elements can be read, one by one.
pub trait Read: Engine {
    /// The element here, under the swizzle of `L`.
    #[must_use]
    fn load<L: LayoutFn>(self) -> Self::Value;
}

/// An engine whose elements are bits in memory or registers.
pub trait Load: Read {
    /// The same place with elements of another type.
    type Recast<U: Plain>: Load<Value = U>;
    /// The same place with elements of another type.
    #[must_use]
    fn recast<U: Plain>(self) -> Self::Recast<U>;
    /// The bits from here on, as many as `W` has.
    ///
    /// Precondition: `L` keeps them together, and the address is aligned to the word's size; see
    /// [`HasVectors`](crate::tiled::HasVectors).
    #[must_use]
    fn load_word<L: LayoutFn, W: Word>(self) -> W;
    /// Word `i` of the tensor `L` from here on, which is `Wide` in words, elements of type `U`.
    ///
    /// Precondition: as [`load_word`](Self::load_word).
    #[inline(always)]
    #[must_use]
    fn load_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32) -> W {
        let wide = self.recast::<U>();
        wide.step::<Wide, u32>(i).load_word::<Wide, W>()
    }
}

/// An engine whose elements can be written.
pub trait Store: Load {
    /// Writes the element here, under the swizzle of `L`.
    fn store<L: LayoutFn>(self, value: Self::Value);
    /// Writes bits from here on.
    ///
    /// Precondition: as [`Load::load_word`].
    fn store_word<L: LayoutFn, W: Word>(self, word: W);
    /// Writes word `i` of the tensor `L` from here on, which is `Wide` in words, elements of type
    /// `U`.
    ///
    /// Precondition: as [`Load::load_word`].
    #[inline(always)]
    fn store_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32, word: W)
    where
        Self::Recast<U>: Store,
    {
        let wide = self.recast::<U>();
        wide.step::<Wide, u32>(i).store_word::<Wide, W>(word);
    }
}

/// Counts the integer strides only.
pub(super) struct Integers;
impl<I: Idx> Strides<I> for Integers {
    #[inline(always)]
    fn stride(&self, _mode: usize) -> I {
        I::of(0)
    }
}

/// Counts the strides along one mode of a coordinate only.
pub(super) struct Along(pub usize);
impl<I: Idx> Strides<I> for Along {
    #[inline(always)]
    fn stride(&self, mode: usize) -> I {
        I::of((mode == self.0) as i64)
    }
    #[inline(always)]
    fn counts(&self, _stride: i64) -> bool {
        false
    }
}

/// Counts the integer strides that are multiples of a number, or those that are not, each in bytes.
pub(super) struct Multiples {
    pub of: i64,
    pub counted: bool,
    pub bytes: i64,
}
impl<I: Idx> Strides<I> for Multiples {
    #[inline(always)]
    fn stride(&self, _mode: usize) -> I {
        I::of(0)
    }
    #[inline(always)]
    fn counts(&self, stride: i64) -> bool {
        (stride % self.of == 0) == self.counted
    }
    #[inline(always)]
    fn unit(&self) -> i64 {
        self.bytes
    }
}

/// The offset of a coordinate in elements, sign extended.
#[inline(always)]
pub(super) fn signed<L: LayoutFn, C: Coord<L::Modes, u32>>(coordinate: C) -> isize {
    const { crate::coord::holds_offsets::<i32, L::Modes>() }
    coordinate.offset(&Integers) as i32 as isize
}
