//! Tensors: an engine, which is the place of the elements, and a layout that locates each of them.
//!
//! ```text
//!   engine      Global (pointer, coordinate, extents)   Shared (32-bit address)   Registers   Coordinates
//!   + layout    (CPY,CPY_M,CPY_K,k):((1@1,0),32@0,0,32@1)
//!   = tensor    slice((__, __, __, 3))      partition, retile, tile: a new layout, and the engine moved
//! ```
//!
//! Law: element `c` of a tensor is the engine's element at the layout's offset of `c`. A slice
//! moves the engine by the offset of the fixed coordinates and keeps the other modes, so
//! `t.slice(c).at(rest)` is `t.at(c with rest for _)`.
//!
//! A tensor is a handle, as in CuTe: it is `Copy`, and several tensors may refer to the same
//! elements (a fragment and its retiled view). Elements in registers are interior-mutable
//! ([`core::cell::Cell`]), so handles to them are safe. `unsafe` constructors make tensors of
//! memory, and their contracts cover every later use of the tensor and its parts. All other
//! functions are safe.
//!
//! Offsets and coordinates are 32-bit; a global tensor's strides are 64-bit. Everything is
//! `#[inline(always)]`, no layout is stored as a value, and with constant coordinates an element is
//! an immediate offset from its tensor's base.
//!
//! Source: CuTe `cute/tensor_impl.hpp`, `cute/pointer.hpp`.

mod coordinates;
mod descriptors;
mod engine;
mod fragment;
mod global;
mod partition;
mod registers;
mod shared;
mod strides;
mod tile;
mod tiled;
mod tmem;
mod view;
mod word;

pub use coordinates::{Coordinates, identity_tensor};
pub use descriptors::{
    ByDescriptor, Descriptors, HoldsTiles, PartitionDescriptors, SmemOperand, WholeTiles,
};
pub use engine::{Engine, Load, Read, Store};
pub use fragment::{Fragment, FragmentLayout, Role, make_fragment_like};
pub use global::{Global, GlobalAccess, ReadOnly, ReadWrite};
pub use partition::{
    GetSlice, PartitionLayout, Predicated, RoundsUp, SliceOf, StaticPartition, ThrCopy, ThrMma,
};
pub use registers::Registers;
pub use shared::{Shared, SwizzleOf};
pub use strides::{Assume, GlobalStrides, Int, KnownStrides, RunTimeStrides, UnitStride};
pub use tile::{LocalPartition, LocalTile, Step, StepsBy, X};
pub use tmem::Tmem;
pub use word::{Plain, Word};

use crate::algebra::cast::RecastTo;
use crate::algebra::compose::Compose;
use crate::algebra::modes::Groupable;
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::ragged::{SliceTensorBy, TensorLayout};
use crate::tree::{ModeTree, Underscore};
use core::fmt;
use core::marker::PhantomData;

/// CuTe's `_` as a value: in a coordinate, it selects a whole mode.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::identity_tensor;
/// let tile = identity_tensor::<layout!((4,(2,3)):(1@0,(1@1,2@1))), 2>();
/// let row = tile.slice((3u32, __));
/// assert_eq!(row.to_string(), "(3,0) o ((2,3)):((1@1,2@1))");
/// assert_eq!(row.get((1u32,)), [3, 1]);
/// ```
pub const __: Underscore = Underscore;

/// The elements at the engine `E`, located by the layout `L`.
///
/// `L` is static ([`LayoutFn`]) or has run-time extents ([`Ragged`](crate::Ragged)). The tensor is
/// a handle: copying it copies no element.
#[derive(Clone, Copy)]
pub struct Tensor<E, L> {
    engine: E,
    layout: PhantomData<L>,
}

/// The offsets of a tensor's layout.
type Offsets<L> = <L as TensorLayout>::Offsets;

impl<E: Engine, L: TensorLayout> Tensor<E, L> {
    /// Makes the tensor of a layout at an engine.
    #[inline(always)]
    pub(crate) fn at_engine(engine: E) -> Self {
        Self {
            engine,
            layout: PhantomData,
        }
    }

    /// Returns the place of the tensor's coordinate 0.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let tiles = identity_tensor::<layout!((64,64):(1@0,1@1)), 2>();
    /// let tile = tiles.local_tile::<tile!(16, 8), _>((3u32, 1u32));
    /// assert_eq!(format!("{:?}", tile.engine()), "(48,8)");
    /// ```
    #[inline(always)]
    pub fn engine(&self) -> E {
        self.engine
    }

    /// Returns the layout, which is zero-sized.
    #[inline(always)]
    pub fn layout(&self) -> L {
        L::default()
    }

    /// Returns the modes at which the coordinate has `_`, from the place that the fixed coordinates
    /// name: CuTe's `tensor(c)` with `_` in `c`.
    ///
    /// Precondition: the fixed coordinates lie inside the layout. In a static layout a coordinate
    /// may exceed its mode's size, as in CuTe; then the tensor's memory must extend that far.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let c = Fragment::<f32, layout!((4,2))>::new();
    /// c.set((1u32, 1), 7.0);
    /// let column = c.view().slice((__, 1u32));
    /// assert_eq!(column.get((1u32,)), 7.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn slice<C>(&self, coordinate: C) -> Tensor<E, <L as SliceTensorBy<C>>::Output>
    where
        L: SliceTensorBy<C>,
    {
        let place = L::place(coordinate);
        Tensor::at_engine(self.engine.step::<Offsets<L>, L::Place>(place))
    }

    /// Returns the tensor whose coordinate 0 is `coordinate` of this tensor: CuTe's
    /// `domain_offset(c, tensor)`.
    ///
    /// Law: `t.domain_offset(c).get(d)` is the element at offset `L(c) + L(d)`: coordinate `c + d`,
    /// as long as no mode's end is passed.
    ///
    /// Precondition: the coordinates that are used afterwards lie inside the elements for which the
    /// tensor was made.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let tile = identity_tensor::<layout!((4,8):(1@0,1@1)), 2>().domain_offset((2u32, 4));
    /// assert_eq!(tile.get((1u32, 3)), [3, 7]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn domain_offset<C>(&self, coordinate: C) -> Self
    where
        C: Coord<<Offsets<L> as LayoutFn>::Modes, u32> + Copy,
    {
        Tensor::at_engine(self.engine.step::<Offsets<L>, C>(coordinate))
    }

    /// Returns the same tensor with another layout, from the place that `coordinate` of the layout
    /// `At` names.
    #[inline(always)]
    pub(crate) fn moved<At: LayoutFn, M: TensorLayout, C>(&self, coordinate: C) -> Tensor<E, M>
    where
        C: Coord<At::Modes, u32> + Copy,
    {
        Tensor::at_engine(self.engine.step::<At, C>(coordinate))
    }

    /// Returns the part of thread `thread`, which begins at the place that the layout `Thread`
    /// names.
    #[inline(always)]
    pub(crate) fn part<Thread, M: TensorLayout>(&self, thread: u32) -> Tensor<E, M>
    where
        Thread: LayoutFn,
        u32: Coord<Thread::Modes, u32>,
    {
        Tensor::at_engine(self.engine.part::<Thread, u32>(thread))
    }
}

/// The layout of a tensor whose modes are all static, so that each element has a coordinate.
#[doc(hidden)]
pub trait HasElements: TensorLayout {
    /// The layout itself.
    type Layout: LayoutFn;
}
#[diagnostic::do_not_recommend]
impl<L: LayoutFn> HasElements for L {
    type Layout = L;
}

impl<E: Engine, L: TensorLayout> Tensor<E, L> {
    /// Returns the element at a coordinate.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let c = Fragment::<i32, layout!((2,(2,2)):(1,(4,2)))>::new();
    /// c.set((1u32, (0, 1)), 9); // register 1 + 2
    /// assert_eq!(c.view().get((1u32, 2)), 9); // mode 1 counted through: 2 is (0,1)
    /// assert_eq!(c.view().get(5u32), 9);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get<C>(&self, coordinate: C) -> E::Value
    where
        E: Read,
        L: HasElements,
        C: Coord<<L::Layout as LayoutFn>::Modes, u32> + Copy,
    {
        self.engine
            .step::<L::Layout, C>(coordinate)
            .load::<L::Layout>()
    }

    /// Writes the element at a coordinate.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let c = Fragment::<f32, layout!((4,2):(2,1))>::new();
    /// let rows = c.view();
    /// rows.set((3u32, 1), 7.0);
    /// assert_eq!(rows.get((3u32, 1)), 7.0);
    /// ```
    #[inline(always)]
    pub fn set<C>(&self, coordinate: C, value: E::Value)
    where
        E: Store,
        L: HasElements,
        C: Coord<<L::Layout as LayoutFn>::Modes, u32> + Copy,
    {
        self.engine
            .step::<L::Layout, C>(coordinate)
            .store::<L::Layout>(value);
    }
}

impl<E: Engine, L: LayoutFn> Tensor<E, L> {
    /// The number of elements.
    pub const SIZE: usize = L::SIZE;

    /// Returns the tensor with its layout composed with `T`: CuTe's `tensor.compose(tiler)`. `T` is
    /// a layout, a number, or a tuple of these that applies mode by mode.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let tile = identity_tensor::<layout!((4,8):(1@0,1@1)), 2>();
    /// let mine = tile.compose::<layout!((8,4):(4,1))>().slice((1u32, __)); // four neighbours a thread
    /// assert_eq!(mine.get((2u32,)), [2, 1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn compose<T>(&self) -> Tensor<E, <L as Compose<T>>::Output>
    where
        L: Compose<T>,
    {
        Tensor::at_engine(self.engine)
    }

    /// Groups the modes from `B` to `End`, without `End`, into one mode: CuTe's
    /// `group_modes<B, E>(tensor)`. `B` and `End` are typenum numbers.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// use layout_types::typenum::{U1, U3};
    /// let tile = identity_tensor::<layout!((2,3,4):(1@0,1@1,1@2)), 3>();
    /// let grouped = tile.group_modes::<U1, U3>();
    /// assert_eq!(grouped.get((1u32, (2, 3))), [1, 2, 3]);
    /// assert_eq!(grouped.get((1u32, 5)), [1, 2, 1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn group_modes<B, End>(&self) -> Tensor<E, <L as Groupable<B, End>>::Output>
    where
        L: Groupable<B, End>,
    {
        Tensor::at_engine(self.engine)
    }

    /// Returns the same bits as elements of type `U`: CuTe's `recast<U>(tensor)`.
    ///
    /// The layout decides at compile time whether the elements that become one are contiguous.
    /// Precondition: in memory, the tensor's first element is aligned for `U`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let halves = Fragment::<u16, layout!((2,4))>::new();
    /// halves.set((0u32, 1), 0x1111);
    /// halves.set((1u32, 1), 0x2222);
    /// let words = halves.view().recast::<u32>();
    /// assert_eq!(words.layout().to_string(), "(1,4):(1,1)");
    /// assert_eq!(words.get((0u32, 1)), 0x2222_1111);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn recast<U>(&self) -> Tensor<E::Recast<U>, Recast<L, E::Value, U>>
    where
        U: Plain,
        E: Load,
        E::Value: Plain,
        L: RecastTo<Bits<E::Value>, Bits<U>>,
    {
        Tensor::at_engine(self.engine.recast::<U>())
    }

    /// Returns the number of elements along top-level mode `MODE`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::Fragment;
    /// let c = Fragment::<f32, layout!(((2,2),4,8))>::new();
    /// assert_eq!((c.view().size::<0>(), c.view().size::<2>()), (4, 8));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn size<const MODE: usize>(&self) -> usize {
        const {
            assert!(MODE < L::RANK, "the tensor has no such mode");
        }
        mode_size::<L>(MODE)
    }
}

/// The layout of elements `T` converted to elements `U`.
type Recast<L, T, U> = <L as RecastTo<Bits<T>, Bits<U>>>::Output;
/// The number of bits of an element.
type Bits<T> = <T as crate::atom::Element>::Bits;

/// Returns the size of top-level mode `mode`.
#[inline(always)]
pub(crate) const fn mode_size<L: LayoutFn>(mode: usize) -> usize {
    let crate::notation::Node::Tuple(mut list) = <L::Modes as ModeTree>::NODE else {
        return L::SIZE;
    };
    let mut at = 0;
    while let crate::notation::List::Cons(node, rest) = list {
        if at == mode {
            return node.size() as usize;
        }
        list = rest;
        at += 1;
    }
    1
}

impl<E: Engine + fmt::Debug, L: TensorLayout> fmt::Display for Tensor<E, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} o {}", self.engine, L::default())
    }
}
impl<E: Engine + fmt::Debug, L: TensorLayout> fmt::Debug for Tensor<E, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
