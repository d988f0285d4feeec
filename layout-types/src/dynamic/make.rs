//! Layouts from shapes.
//!
//! ```text
//! make_layout_left((2,3,4))   (2,3,4):(1,2,6)      make_ordered_layout((2,3,4), (2,0,1))   (2,3,4):(12,1,3)
//! make_layout_right((2,3,4))  (2,3,4):(12,4,1)     make_identity_layout((2,3))   (2,3):(1@0,1@1)
//! ```
//!
//! Law: all but the identity and ordered layouts with equal orders are compact, their offsets `0..size` once
//! each; modes of size 1 have stride 0. Source: `cute/layout.hpp`, `cute/stride.hpp`.

use alloc::vec::Vec;

use super::coalesce::nonzero_shape;
use super::error::{LayoutError, Result};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::product::tiled_product;
use super::rules::Rule;
use super::stride::{Stride, basis_like};

/// Compact strides from `step` on, the first leaf fastest (or the last, with `right`).
fn compact(
    shape: &IntTuple,
    step: &mut i64,
    right: bool,
) -> core::result::Result<Nested<Stride>, Rule> {
    match shape {
        Nested::Leaf(1) => Ok(Nested::Leaf(0.into())),
        Nested::Leaf(extent) => {
            let stride = *step;
            *step = step.checked_mul(*extent).ok_or(Rule::Overflow)?;
            Ok(Nested::Leaf(stride.into()))
        }
        Nested::Tuple(modes) if right => {
            let mut out = Vec::with_capacity(modes.len());
            for mode in modes.iter().rev() {
                out.push(compact(mode, step, right)?);
            }
            out.reverse();
            Ok(Nested::Tuple(out))
        }
        Nested::Tuple(modes) => Ok(Nested::Tuple(
            modes
                .iter()
                .map(|mode| compact(mode, step, right))
                .collect::<core::result::Result<_, _>>()?,
        )),
    }
}

/// The column-major layout of a shape, mode 0 fastest: CuTe's `make_layout(shape)` and `LayoutLeft`.
///
/// # Errors
/// [`Rule::NotPositive`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::make_layout_left;
/// assert_eq!(make_layout_left(&"(2,(1,8),4)".parse().unwrap()).unwrap().to_string(), "(2,(1,8),4):(1,(0,2),16)");
/// ```
pub fn make_layout_left(shape: &IntTuple) -> Result<DynLayout> {
    let stride = compact(shape, &mut 1, false)
        .map_err(|rule| LayoutError::new("make_layout_left", &[shape], rule))?;
    DynLayout::new(shape.clone(), stride)
}

/// The row-major layout of a shape, the last mode fastest: CuTe's `LayoutRight`.
///
/// # Errors
/// As [`make_layout_left`].
pub fn make_layout_right(shape: &IntTuple) -> Result<DynLayout> {
    let stride = compact(shape, &mut 1, true)
        .map_err(|rule| LayoutError::new("make_layout_right", &[shape], rule))?;
    DynLayout::new(shape.clone(), stride)
}

/// Strides in ascending order of `order`: each leaf steps over every leaf of smaller order.
fn ordered(shape: &IntTuple, order: &Nested<i64>) -> core::result::Result<Nested<Stride>, Rule> {
    fn walk(
        shape: &IntTuple,
        order: &IntTuple,
        all: &[(i64, i64)],
    ) -> core::result::Result<Nested<Stride>, Rule> {
        match (shape, order) {
            (Nested::Tuple(shapes), Nested::Tuple(orders)) if shapes.len() == orders.len() => {
                Ok(Nested::Tuple(
                    shapes
                        .iter()
                        .zip(orders)
                        .map(|(s, o)| walk(s, o, all))
                        .collect::<core::result::Result<_, _>>()?,
                ))
            }
            (Nested::Leaf(_), Nested::Leaf(order)) => {
                let before = all
                    .iter()
                    .filter(|(_, other)| other < order)
                    .map(|(extent, _)| *extent);
                let mut step = before
                    .into_iter()
                    .try_fold(1i64, i64::checked_mul)
                    .ok_or(Rule::Overflow)?;
                compact(shape, &mut step, false)
            }
            _ => Err(Rule::Congruence),
        }
    }
    let all: Vec<(i64, i64)> = shape
        .leaves()
        .into_iter()
        .copied()
        .zip(order.leaves().into_iter().copied())
        .collect();
    walk(shape, order, &all)
}

/// The compact layout whose strides ascend with `order`, congruent to the shape. Leaves of equal order get
/// equal strides, as in CuTe: that layout is not compact.
///
/// # Errors
/// [`Rule::Congruence`], [`Rule::NotPositive`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::make_ordered_layout;
/// let layout = make_ordered_layout(&"(2,1,16)".parse().unwrap(), &"(5,0,2)".parse().unwrap()).unwrap();
/// assert_eq!(layout.to_string(), "(2,1,16):(16,0,1)");
/// ```
pub fn make_ordered_layout(shape: &IntTuple, order: &IntTuple) -> Result<DynLayout> {
    let stride = ordered(shape, order)
        .map_err(|rule| LayoutError::new("make_ordered_layout", &[shape, order], rule))?;
    DynLayout::new(shape.clone(), stride)
}

/// A compact layout of the same shape with strides in the same order; strides of 0 stay 0.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, make_layout_like};
/// let layout: DynLayout = "((4),(3,5)):((1),(60,4))".parse().unwrap();
/// assert_eq!(make_layout_like(&layout).unwrap().to_string(), "((4),(3,5)):((1),(20,4))");
/// ```
pub fn make_layout_like(layout: &DynLayout) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new("make_layout_like", &[layout], rule);
    if layout.has_basis() {
        return Err(fail(Rule::BasisStride));
    }
    let stride =
        ordered(&nonzero_shape(layout), &layout.stride().map(Stride::value)).map_err(fail)?;
    DynLayout::new(layout.shape().clone(), stride)
}

/// A layout for registers that hold what `layout` addresses: mode 0 column-major from stride 1, the rest in
/// the order of their strides.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, make_fragment_like};
/// let layout: DynLayout = "(8,4,3):(1,24,8)".parse().unwrap();
/// assert_eq!(make_fragment_like(&layout).unwrap().to_string(), "(8,4,3):(1,24,8)");
/// ```
pub fn make_fragment_like(layout: &DynLayout) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new("make_fragment_like", &[layout], rule);
    if layout.has_basis() {
        return Err(fail(Rule::BasisStride));
    }
    let mut modes = layout.modes();
    if modes.len() < 2 {
        return make_layout_left(layout.shape());
    }
    let first = modes.remove(0);
    let stride = compact(&nonzero_shape(&first), &mut 1, false).map_err(fail)?;
    let rest = DynLayout::from_modes(modes)?;
    let order = rest.stride().map(Stride::value);
    let block = DynLayout::new(first.shape().clone(), stride)?;
    tiled_product(&block, make_ordered_layout(rest.shape(), &order)?)
        .map_err(|error| error.within("make_fragment_like", &[layout]))
}

/// The layout of a shape that maps each coordinate to itself.
///
/// # Errors
/// [`Rule::NotPositive`].
///
/// ```
/// use layout_types::dynamic::make_identity_layout;
/// let layout = make_identity_layout(&"((2,3),4)".parse().unwrap()).unwrap();
/// assert_eq!(layout.to_string(), "((2,3),4):((1@0@0,1@1@0),1@1)");
/// assert_eq!(layout.eval(9).unwrap().to_string(), "((1,1),1)");
/// ```
pub fn make_identity_layout(shape: &IntTuple) -> Result<DynLayout> {
    DynLayout::new(shape.clone(), basis_like(shape))
}
