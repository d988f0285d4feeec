//! The value of an expression.
//!
//! ```text
//! (4,8):(8,1)                       Layout          Sw<2,3,3>           Swizzle
//! Sw<2,3,3> o (8,32):(32,1)         Layout          SM80_.._TN          MmaAtom
//! (4,8), (4:1,8,_), (2,_)           Tuple           SM80_.._TN.A        ThreadValue
//! ```
//!
//! Law: a value prints as CuTe prints it, and the printed form of layouts, tuples and numbers reads
//! back as the same value.

use std::fmt;

use layout_types::dynamic::{
    AnyLayout, Coord, CoordLeaf, DynLayout, IntTuple, Nested, Stride, Swizzle, Tiler,
    make_layout_left,
};

use crate::atoms::{CopyAtom, CopyOperation, Element, MmaAtom};
use crate::banks::{Conflicts, WarpAccess};
use crate::distribution::Redistribution;
use crate::hopper::{Major, TmaTile, WgmmaOperand};
use crate::thread_value::ThreadValue;
use crate::tiled::{Partition, TiledCopy, TiledMma};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Integer(i64),
    /// A truth value, the answer to a question such as `is_compact`.
    Boolean(bool),
    /// `_`, which stands for a whole mode.
    Underscore,
    /// A stride that names a mode, `1@0`.
    Basis(Stride),
    /// A shape, a coordinate, a tiler.
    Tuple(Vec<Value>),
    /// A layout, plain or with swizzles before it.
    Layout(AnyLayout),
    /// A part of a layout, `L(_,3)`.
    Slice(Slice),
    /// A swizzle.
    Swizzle(Swizzle),
    /// An element type.
    Element(Element),
    /// An MMA atom.
    MmaAtom(MmaAtom),
    /// A copy instruction.
    CopyOperation(CopyOperation),
    /// A copy instruction that moves elements of a type.
    CopyAtom(CopyAtom),
    /// A tiled MMA.
    TiledMma(TiledMma),
    /// A tiled copy.
    TiledCopy(TiledCopy),
    /// A thread-value layout, which maps (thread, value) to the cells of a tile.
    ThreadValue(ThreadValue),
    /// The elements that move from one distribution of a tensor to another.
    Redistribution(Redistribution),
    /// One thread's part of a tensor, and the offset at which the part of each thread begins.
    Partition(Partition),
    /// An access to shared memory.
    Access(WarpAccess),
    /// Bank conflicts.
    Conflicts(Conflicts),
    /// The mode of a `wgmma` operand that is contiguous.
    Major(Major),
    /// A tile of shared memory and the boxes that fill it.
    TmaTile(TmaTile),
    /// A tile of shared memory as an operand of `wgmma`.
    WgmmaOperand(WgmmaOperand),
}

/// The modes of a layout that `_` keeps, and the offset of their first element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The modes under `_`.
    pub layout: AnyLayout,
    /// The offset that the fixed coordinates add: an integer, or a coordinate if strides name
    /// modes.
    pub offset: IntTuple,
}

impl Value {
    /// Returns the kind of value as a message names it: `a layout`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "a number",
            Self::Boolean(_) => "a truth value",
            Self::Underscore => "`_`",
            Self::Basis(_) => "a stride that names a mode",
            Self::Tuple(_) => "a tuple",
            Self::Layout(_) => "a layout",
            Self::Slice(_) => "a slice of a layout",
            Self::Swizzle(_) => "a swizzle",
            Self::Element(_) => "an element type",
            Self::MmaAtom(_) => "an MMA atom",
            Self::CopyOperation(_) => "a copy operation",
            Self::CopyAtom(_) => "a copy atom",
            Self::TiledMma(_) => "a tiled MMA",
            Self::TiledCopy(_) => "a tiled copy",
            Self::ThreadValue(tv) if tv.is_of_devices() => "a distribution",
            Self::ThreadValue(_) => "a thread-value layout",
            Self::Redistribution(_) => "a redistribution",
            Self::Partition(_) => "a thread's part of a tensor",
            Self::Access(_) => "an access to shared memory",
            Self::Conflicts(_) => "a count of bank conflicts",
            Self::Major(_) => "a major",
            Self::TmaTile(_) => "a box of a tensor map",
            Self::WgmmaOperand(_) => "an operand of wgmma",
        }
    }

    /// Returns the layout of the value: the part for a slice or a partition, the layout itself for
    /// a thread-value layout, and the column-major layout of the shape for a tuple of numbers.
    /// Returns `None` for a value without a layout.
    ///
    /// ```
    /// let value = notation::eval("SM80_16x8x16_F32F16F16F32_TN.B").unwrap();
    /// assert_eq!(value.layout().unwrap().to_string(), "((4,8),(2,2)):((16,1),(8,64))");
    /// ```
    pub fn layout(&self) -> Option<AnyLayout> {
        match self {
            Self::Layout(layout) => Some(layout.clone()),
            Self::Slice(slice) => Some(slice.layout.clone()),
            Self::ThreadValue(tv) => Some(tv.layout().clone()),
            Self::Partition(partition) => Some(partition.part().clone()),
            Self::Integer(_) | Self::Tuple(_) => {
                let shape = self.int_tuple()?;
                shape
                    .leaves()
                    .into_iter()
                    .all(|extent| *extent >= 1)
                    .then_some(())?;
                make_layout_left(&shape).ok().map(AnyLayout::Plain)
            }
            _ => None,
        }
    }

    /// Returns the value as a number or a tuple of numbers, or `None` if it is neither.
    pub fn int_tuple(&self) -> Option<IntTuple> {
        match self {
            Self::Integer(value) => Some(Nested::Leaf(*value)),
            Self::Tuple(modes) => modes
                .iter()
                .map(Self::int_tuple)
                .collect::<Option<Vec<_>>>()
                .map(Nested::Tuple),
            _ => None,
        }
    }

    /// Returns the value as a coordinate, in which `_` is allowed, or `None` if it is no
    /// coordinate.
    pub fn coord(&self) -> Option<Coord> {
        match self {
            Self::Integer(value) => Some(Nested::Leaf(CoordLeaf::At(*value))),
            Self::Underscore => Some(Nested::Leaf(CoordLeaf::Underscore)),
            Self::Tuple(modes) => modes
                .iter()
                .map(Self::coord)
                .collect::<Option<Vec<_>>>()
                .map(Nested::Tuple),
            _ => None,
        }
    }

    /// Returns the value as a stride, or `None` if it is no stride.
    pub(crate) fn stride(&self) -> Option<Nested<Stride>> {
        match self {
            Self::Integer(value) => Some(Nested::Leaf(Stride::from(*value))),
            Self::Basis(stride) => Some(Nested::Leaf(stride.clone())),
            Self::Tuple(modes) => modes
                .iter()
                .map(Self::stride)
                .collect::<Option<Vec<_>>>()
                .map(Nested::Tuple),
            _ => None,
        }
    }

    /// Returns the value as the right side of a composition or divide: a layout, a number, `_`, or
    /// a tuple with one of these for each mode. Returns `None` for any other value.
    pub fn tiler(&self) -> Option<Tiler> {
        match self {
            Self::Integer(value) => Some(Tiler::Int(*value)),
            Self::Underscore => Some(Tiler::Underscore),
            Self::Tuple(modes) => modes
                .iter()
                .map(Self::tiler)
                .collect::<Option<Vec<_>>>()
                .map(Tiler::Tuple),
            other => match other.layout()? {
                AnyLayout::Plain(layout) => Some(Tiler::Layout(layout)),
                AnyLayout::Composed(_) => None,
            },
        }
    }
}

impl From<IntTuple> for Value {
    fn from(tuple: IntTuple) -> Self {
        match tuple {
            Nested::Leaf(value) => Self::Integer(value),
            Nested::Tuple(modes) => Self::Tuple(modes.into_iter().map(Self::from).collect()),
        }
    }
}

impl From<&Nested<Stride>> for Value {
    fn from(tuple: &Nested<Stride>) -> Self {
        match tuple {
            Nested::Leaf(stride) if stride.is_basis() => Self::Basis(stride.clone()),
            Nested::Leaf(stride) => Self::Integer(stride.value()),
            Nested::Tuple(modes) => Self::Tuple(modes.iter().map(Self::from).collect()),
        }
    }
}

impl From<Tiler> for Value {
    fn from(tiler: Tiler) -> Self {
        match tiler {
            Tiler::Underscore => Self::Underscore,
            Tiler::Int(extent) => Self::Integer(extent),
            Tiler::Layout(layout) => layout.into(),
            Tiler::Tuple(modes) => Self::Tuple(modes.into_iter().map(Self::from).collect()),
        }
    }
}

impl From<DynLayout> for Value {
    fn from(layout: DynLayout) -> Self {
        Self::Layout(AnyLayout::Plain(layout))
    }
}

impl From<AnyLayout> for Value {
    fn from(layout: AnyLayout) -> Self {
        Self::Layout(layout)
    }
}

impl fmt::Display for Value {
    /// Prints the value as CuTe does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::Underscore => f.write_str("_"),
            Self::Basis(stride) => stride.fmt(f),
            Self::Tuple(modes) => {
                f.write_str("(")?;
                for (i, mode) in modes.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    mode.fmt(f)?;
                }
                // One layout in parentheses would read back as the layout without parentheses.
                match modes[..] {
                    [Self::Layout(_)] => f.write_str(",)"),
                    _ => f.write_str(")"),
                }
            }
            Self::Layout(layout) => layout.fmt(f),
            Self::Slice(slice) => slice.layout.fmt(f),
            Self::Swizzle(swizzle) => swizzle.fmt(f),
            Self::Element(element) => element.fmt(f),
            Self::MmaAtom(atom) => atom.fmt(f),
            Self::CopyOperation(operation) => operation.fmt(f),
            Self::CopyAtom(atom) => atom.fmt(f),
            Self::TiledMma(mma) => mma.fmt(f),
            Self::TiledCopy(copy) => copy.fmt(f),
            Self::ThreadValue(tv) => tv.fmt(f),
            Self::Redistribution(redistribution) => redistribution.fmt(f),
            Self::Partition(partition) => partition.fmt(f),
            Self::Access(access) => access.fmt(f),
            Self::Conflicts(conflicts) => conflicts.fmt(f),
            Self::Major(major) => major.fmt(f),
            Self::TmaTile(tile) => tile.fmt(f),
            Self::WgmmaOperand(operand) => operand.fmt(f),
        }
    }
}
