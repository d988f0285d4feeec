//! Converts coordinates to indices and back, and slices layouts by a coordinate with `_`.
//!
//! ```text
//! (4,8):(8,1)     slice by (_,3)     keeps mode 0: (4):(8),   at offset 3
//!                 dice  by (_,3)     keeps mode 1: (8):(1)
//! ```
//!
//! Law of a slice: `slice(c, layout)(i) + offset == layout(c with its _ replaced by i)`.
//! Source: `cute/stride.hpp`, `cute/underscore.hpp`.

use alloc::vec::Vec;
use core::fmt;

use super::composed::Domain;
use super::int_tuple::{IntTuple, Nested};
use super::int_tuple::{Stride, add, offset};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::Rule;

/// A leaf of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoordLeaf {
    /// A whole mode, `_`.
    Underscore,
    /// One position.
    At(i64),
}

/// A coordinate, whose leaves may be `_`.
pub type Coord = Nested<CoordLeaf>;

impl fmt::Display for CoordLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Underscore => f.write_str("_"),
            Self::At(position) => position.fmt(f),
        }
    }
}

impl From<i64> for Coord {
    fn from(position: i64) -> Self {
        Self::Leaf(CoordLeaf::At(position))
    }
}

impl From<&IntTuple> for Coord {
    fn from(tuple: &IntTuple) -> Self {
        tuple.map(|position| CoordLeaf::At(*position))
    }
}

/// Returns the offset at a coordinate, where `_` counts as 0. CuTe's `crd2idx(coord, layout)`.
///
/// # Errors
/// Returns [`Rule::Congruence`] if the coordinate is deeper than the shape or has another rank;
/// [`Rule::Overflow`]; or [`Rule::MixedBasis`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, crd2idx};
/// let layout: DynLayout = "(8,(4,6)):(4,(1,32))".parse().unwrap();
/// assert_eq!(crd2idx(&"(5,(2,4))".parse().unwrap(), &layout).unwrap().to_string(), "150");
/// ```
pub fn crd2idx(coord: &Coord, layout: &DynLayout) -> Result<IntTuple> {
    fn walk(
        coord: &Coord,
        shape: &IntTuple,
        stride: &Nested<Stride>,
    ) -> core::result::Result<IntTuple, Rule> {
        match (coord, shape, stride) {
            (Nested::Leaf(CoordLeaf::Underscore), ..) => Ok(Nested::Leaf(0)),
            (Nested::Leaf(CoordLeaf::At(at)), Nested::Leaf(_), Nested::Leaf(stride)) => {
                offset(stride, *at)
            }
            (Nested::Leaf(CoordLeaf::At(at)), Nested::Tuple(shapes), Nested::Tuple(strides)) => {
                let (mut rest, mut sum) = (*at, Nested::Leaf(0));
                for (i, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
                    let extent = shape.product()?;
                    let digit = if i + 1 == shapes.len() {
                        rest
                    } else {
                        rest % extent
                    };
                    sum = add(sum, walk(&digit.into(), shape, stride)?)?;
                    rest /= extent;
                }
                Ok(sum)
            }
            (Nested::Tuple(coords), Nested::Tuple(shapes), Nested::Tuple(strides))
                if coords.len() == shapes.len() =>
            {
                let modes = coords.iter().zip(shapes).zip(strides);
                modes
                    .map(|((coord, shape), stride)| walk(coord, shape, stride))
                    .try_fold(Nested::Leaf(0), |a, b| add(a, b?))
            }
            _ => Err(Rule::Congruence),
        }
    }
    walk(coord, layout.shape(), layout.stride())
        .map_err(|rule| LayoutError::new("crd2idx", &[coord, layout], rule))
}

/// Returns the column-major coordinate of an index into a shape: CuTe's `idx2crd(idx, shape)`.
///
/// As in CuTe, the last position of a tuple also wraps at its extent.
///
/// # Errors
/// Returns [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::idx2crd;
/// assert_eq!(idx2crd(106, &"((8),16)".parse().unwrap()).unwrap().to_string(), "((2),13)");
/// ```
pub fn idx2crd(index: i64, shape: &IntTuple) -> Result<IntTuple> {
    fn walk(index: i64, shape: &IntTuple, step: &mut i64) -> core::result::Result<IntTuple, Rule> {
        match shape {
            Nested::Leaf(extent) => {
                let at = if *extent == 1 {
                    0
                } else {
                    index / *step % extent
                };
                *step = step.checked_mul(*extent).ok_or(Rule::Overflow)?;
                Ok(Nested::Leaf(at))
            }
            Nested::Tuple(modes) => Ok(Nested::Tuple(
                modes
                    .iter()
                    .map(|mode| walk(index, mode, step))
                    .collect::<core::result::Result<_, _>>()?,
            )),
        }
    }
    match shape {
        Nested::Leaf(_) => Ok(Nested::Leaf(index)),
        Nested::Tuple(_) => walk(index, shape, &mut 1)
            .map_err(|rule| LayoutError::new("idx2crd", &[&index, shape], rule)),
    }
}

/// Returns the coordinate of an offset of a compact layout: `offset / stride % extent` at every
/// leaf. CuTe's `layout.get_hier_coord(offset)`.
///
/// # Errors
/// Returns [`Rule::BasisStride`], or [`Rule::NotPositive`] if a mode with more than one element has
/// stride 0.
///
/// ```
/// use layout_types::dynamic::{DynLayout, get_hier_coord};
/// let layout: DynLayout = "((3,2),4):((8,1),2)".parse().unwrap();
/// assert_eq!(get_hier_coord(&layout, 18).unwrap().to_string(), "((2,0),1)");
/// ```
pub fn get_hier_coord(layout: &DynLayout, at: i64) -> Result<IntTuple> {
    fn walk(
        at: i64,
        shape: &IntTuple,
        stride: &Nested<Stride>,
    ) -> core::result::Result<IntTuple, Rule> {
        match (shape, stride) {
            (Nested::Leaf(1), _) => Ok(Nested::Leaf(0)),
            (Nested::Leaf(_), Nested::Leaf(stride)) if stride.is_basis() => Err(Rule::BasisStride),
            (Nested::Leaf(_), Nested::Leaf(stride)) if stride.value() == 0 => {
                Err(Rule::NotPositive { value: 0 })
            }
            (Nested::Leaf(extent), Nested::Leaf(stride)) => {
                Ok(Nested::Leaf(at / stride.value() % extent))
            }
            (Nested::Tuple(shapes), Nested::Tuple(strides)) => Ok(Nested::Tuple(
                shapes
                    .iter()
                    .zip(strides)
                    .map(|(shape, stride)| walk(at, shape, stride))
                    .collect::<core::result::Result<_, _>>()?,
            )),
            _ => Err(Rule::Congruence),
        }
    }
    walk(at, layout.shape(), layout.stride())
        .map_err(|rule| LayoutError::new("get_hier_coord", &[layout, &at], rule))
}

/// Returns [`get_hier_coord`] with each mode's coordinate converted to one index into that mode:
/// CuTe's `layout.get_flat_coord(offset)`. For a layout of rank 1, the result is an integer.
///
/// # Errors
/// Returns the errors of [`get_hier_coord`].
pub fn get_flat_coord(layout: &DynLayout, at: i64) -> Result<IntTuple> {
    let coord = get_hier_coord(layout, at)?;
    let indices: Vec<IntTuple> = coord
        .modes()
        .iter()
        .zip(layout.shape().modes())
        .map(|(c, s)| Nested::Leaf(column_major(c, s).0))
        .collect();
    Ok(Nested::unwrapped(indices))
}

/// Returns [`get_hier_coord`] converted to one index: CuTe's `layout.get_1d_coord(offset)`.
///
/// # Errors
/// Returns the errors of [`get_hier_coord`].
pub fn get_1d_coord(layout: &DynLayout, at: i64) -> Result<i64> {
    Ok(column_major(&get_hier_coord(layout, at)?, layout.shape()).0)
}

/// Returns the column-major index of a coordinate congruent to a shape, and the shape's size.
fn column_major(coord: &IntTuple, shape: &IntTuple) -> (i64, i64) {
    let (mut index, mut step) = (0i64, 1i64);
    for (at, extent) in coord.leaves().into_iter().zip(shape.leaves()) {
        index += at * step;
        step = step.saturating_mul(*extent);
    }
    (index, step)
}

/// Returns the modes of a tuple at which the coordinate has `_` (or, with `dice`, a number), lifted
/// into one tuple.
fn keep<T: Clone>(
    coord: &Coord,
    tuple: &Nested<T>,
    dice: bool,
) -> core::result::Result<Vec<Nested<T>>, Rule> {
    match coord {
        Nested::Leaf(CoordLeaf::Underscore) => Ok(if dice {
            Vec::new()
        } else {
            alloc::vec![tuple.clone()]
        }),
        Nested::Leaf(CoordLeaf::At(_)) => Ok(if dice {
            alloc::vec![tuple.clone()]
        } else {
            Vec::new()
        }),
        Nested::Tuple(coords) => {
            let Nested::Tuple(modes) = tuple else {
                return Err(Rule::Congruence);
            };
            if coords.len() != modes.len() {
                return Err(Rule::Rank {
                    found: coords.len(),
                    needed: modes.len(),
                });
            }
            let mut out = Vec::new();
            for (coord, mode) in coords.iter().zip(modes) {
                out.extend(keep(coord, mode, dice)?);
            }
            Ok(out)
        }
    }
}

fn cut(
    operation: &'static str,
    coord: &Coord,
    layout: &DynLayout,
    dice: bool,
) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new(operation, &[coord, layout], rule);
    if let Nested::Leaf(leaf) = coord {
        // A coordinate that is a leaf keeps all modes or no mode.
        let kept = (*leaf == CoordLeaf::Underscore) != dice;
        return Ok(if kept {
            layout.clone()
        } else {
            DynLayout::without_modes()
        });
    }
    let shapes = keep(coord, layout.shape(), dice).map_err(fail)?;
    let strides = keep(coord, layout.stride(), dice).map_err(fail)?;
    if shapes.is_empty() {
        return Ok(DynLayout::without_modes());
    }
    DynLayout::new(Nested::Tuple(shapes), Nested::Tuple(strides))
}

/// Returns the modes at which the coordinate has `_`, or `():()` if there are none. CuTe's
/// `slice(coord, layout)`.
///
/// # Errors
/// Returns [`Rule::Congruence`] or [`Rule::Rank`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, slice};
/// let layout: DynLayout = "(4,(4,8)):(8,(32,1))".parse().unwrap();
/// assert_eq!(slice(&"(2,(_,6))".parse().unwrap(), &layout).unwrap().to_string(), "(4):(32)");
/// ```
pub fn slice(coord: &Coord, layout: &DynLayout) -> Result<DynLayout> {
    cut("slice", coord, layout, false)
}

/// Returns the modes that a coordinate fixes, or `():()` if every leaf is `_`. CuTe's
/// `dice(coord, layout)`.
///
/// Law: element `i` of the result is the layout's element with 0 for each `_`.
///
/// # Errors
/// Returns the errors of [`slice()`].
pub fn dice<L: Domain>(coord: &Coord, layout: &L) -> Result<L> {
    layout.map_domain("dice", &[coord], |domain| cut("dice", coord, domain, true))
}

/// Returns [`slice()`] and the offset of its first element.
///
/// # Errors
/// Returns the errors of [`slice()`] and [`crd2idx`].
pub fn slice_and_offset(coord: &Coord, layout: &DynLayout) -> Result<(DynLayout, IntTuple)> {
    Ok((slice(coord, layout)?, crd2idx(coord, layout)?))
}
