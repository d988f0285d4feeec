//! What a layout is composed with or divided by: a layout, an integer, `_`, or a tuple of such by mode.
//!
//! ```text
//! (128,64)                by mode: 128 of mode 0, 64 of mode 1
//! (4:1,_,(2,2))           4 of mode 0, all of mode 1, 2 by 2 of mode 2
//! (2,4):(1,8)             one layout over the whole
//! ```
//!
//! Source: CuTe's `Tile` and `Underscore`, `cute/layout.hpp`.

use alloc::vec::Vec;
use core::fmt;

use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;

/// The right side of compositions, divides and products.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// `_`: the mode as it is.
    Underscore,
    /// The first so many elements.
    Int(i64),
    /// A layout of the elements.
    Layout(DynLayout),
    /// One tiler a mode.
    Tuple(Vec<Tiler>),
}

impl From<i64> for Tiler {
    fn from(elements: i64) -> Self {
        Self::Int(elements)
    }
}

impl From<DynLayout> for Tiler {
    fn from(layout: DynLayout) -> Self {
        Self::Layout(layout)
    }
}

impl From<&DynLayout> for Tiler {
    fn from(layout: &DynLayout) -> Self {
        Self::Layout(layout.clone())
    }
}

impl From<&IntTuple> for Tiler {
    fn from(shape: &IntTuple) -> Self {
        match shape {
            Nested::Leaf(extent) => Self::Int(*extent),
            Nested::Tuple(modes) => Self::Tuple(modes.iter().map(Self::from).collect()),
        }
    }
}

impl From<IntTuple> for Tiler {
    fn from(shape: IntTuple) -> Self {
        Self::from(&shape)
    }
}

impl From<&Tiler> for Tiler {
    fn from(tiler: &Tiler) -> Self {
        tiler.clone()
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Underscore => f.write_str("_"),
            Self::Int(extent) => extent.fmt(f),
            Self::Layout(layout) => layout.fmt(f),
            Self::Tuple(modes) => {
                f.write_str("(")?;
                for (i, mode) in modes.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    mode.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}
