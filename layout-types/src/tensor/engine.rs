//! An engine is a place in the memory or registers that hold a tensor's elements. A step moves the
//! engine.
//!
//! ```text
//!   step::<L>(c)      the place of coordinate c            only a load or a store makes an address
//!   load::<L>()       the element there                    L says what swizzle the addresses pass through
//! ```
//!
//! Law: `e.step::<L>(a).step::<M>(b)` is the place at offset `L(a) + M(b)` from `e`, before the
//! layout's swizzle; loads and stores apply the swizzle, once.
//!
//! Source: CuTe's engines in `cute/tensor_impl.hpp`, and its `swizzle_ptr`, which swizzles the
//! address and not the step.

use super::strides::KnownStrides;
use super::word::{Plain, Word};
use crate::coord::{Coord, Idx, Strides};
use crate::layout::LayoutFn;

/// A place in some memory.
pub trait Engine: Copy {
    /// The type of an element.
    type Value: Copy;
    /// The operand of a tiled MMA that a fragment was made for. Memory has
    /// [`AnyRole`](crate::tiled::AnyRole).
    type Role;
    /// The type's information about strides that the layout does not have as numbers. For global
    /// memory, this is the mode with stride 1.
    type Strides: KnownStrides;
    /// Returns the place at offset `L(coordinate)` from this place, before the swizzle.
    #[must_use]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy;
    /// Returns the place where a thread's part begins, like [`step`](Self::step), for a coordinate
    /// that differs between threads. In shared memory the coordinate does not change the base,
    /// which is the same for all threads.
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
    /// Returns the element at this place, under the swizzle of `L`.
    #[must_use]
    fn load<L: LayoutFn>(self) -> Self::Value;
}

/// An engine whose elements are bits in memory or registers.
pub trait Load: Read {
    /// The same place with elements of another type.
    type Recast<U: Plain>: Load<Value = U>;
    /// Returns the same place with elements of another type.
    #[must_use]
    fn recast<U: Plain>(self) -> Self::Recast<U>;
    /// Returns the bits that begin at this place, as many as `W` has.
    ///
    /// Precondition: `L` keeps the bits together, and the address is aligned to the word's size;
    /// see [`HasVectors`](crate::tiled::HasVectors).
    #[must_use]
    fn load_word<L: LayoutFn, W: Word>(self) -> W;
    /// Returns word `i` of the tensor of layout `L` that begins at this place. `Wide` is the layout
    /// of the tensor's words, and `U` is a type of a word's size.
    ///
    /// The precondition of [`load_word`](Self::load_word) holds.
    #[inline(always)]
    #[must_use]
    fn load_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32) -> W {
        let wide = self.recast::<U>();
        wide.step::<Wide, u32>(i).load_word::<Wide, W>()
    }
}

/// An engine whose elements can be written.
pub trait Store: Load {
    /// Writes the element at this place, under the swizzle of `L`.
    fn store<L: LayoutFn>(self, value: Self::Value);
    /// Writes the bits of `word` from this place on.
    ///
    /// The precondition of [`Load::load_word`] holds.
    fn store_word<L: LayoutFn, W: Word>(self, word: W);
    /// Writes word `i` of the tensor of layout `L` that begins at this place. `Wide` is the layout
    /// of the tensor's words, and `U` is a type of a word's size.
    ///
    /// The precondition of [`Load::load_word`] holds.
    #[inline(always)]
    fn store_vector<L: LayoutFn, Wide: LayoutFn, U: Plain, W: Word>(self, i: u32, word: W)
    where
        Self::Recast<U>: Store,
    {
        let wide = self.recast::<U>();
        wide.step::<Wide, u32>(i).store_word::<Wide, W>(word);
    }
}

/// Computes offsets by only the integer strides: every basis unit is 0.
pub(super) struct Integers;
impl<I: Idx> Strides<I> for Integers {
    #[inline(always)]
    fn stride(&self, _mode: usize) -> I {
        I::of(0)
    }
}

/// Computes offsets along only one mode of a coordinate: the basis unit of this mode is 1, and all
/// other strides count as 0.
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

/// Computes offsets in bytes, by the integer strides that are multiples of `of` (`counted`) or by
/// the strides that are not (`!counted`).
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

/// Returns the offset of a coordinate in elements, sign extended.
#[inline(always)]
pub(super) fn signed<L: LayoutFn, C: Coord<L::Modes, u32>>(coordinate: C) -> isize {
    const { crate::coord::holds_offsets::<i32, L::Modes>() }
    coordinate.offset(&Integers) as i32 as isize
}
