//! Operations on a layout as a tuple of its modes: they make, split and join layouts.
//!
//! ```text
//! make_layout((4,8)) = (4,8):(1,4)      get (4,8):(1,4), 1 = 8:4      append, group, select, take
//! ```

use super::coalesce::nonzero_shape;
use super::composed::Domain;
use super::int_tuple::{IntTuple, Nested, Stride, basis_like};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::product::tiled_product;
use super::rules::Rule;
use alloc::vec::Vec;

// -- Layouts from shapes --------------------------------------------------------------------------
//
// Layouts made from shapes.
//
// ```text
// make_layout_left((2,3,4))   (2,3,4):(1,2,6)      make_ordered_layout((2,3,4), (2,0,1))   (2,3,4):(12,1,3)
// make_layout_right((2,3,4))  (2,3,4):(12,4,1)     make_identity_layout((2,3))   (2,3):(1@0,1@1)
// ```
//
// Law: all these layouts are compact, with the offsets `0..size` once each, except the identity
// layout and ordered layouts with equal orders. Modes of size 1 have stride 0. Source:
// `cute/layout.hpp`, `cute/stride.hpp`.

/// Returns compact strides that start at `step`. The first leaf is fastest, or the last with
/// `right`.
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

/// Makes the column-major layout of a shape, with mode 0 fastest: CuTe's `make_layout(shape)` and
/// `LayoutLeft`.
///
/// # Errors
/// Returns [`Rule::NotPositive`] or [`Rule::Overflow`].
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

/// Makes the row-major layout of a shape, with the last mode fastest: CuTe's `LayoutRight`.
///
/// # Errors
/// Returns the errors of [`make_layout_left`].
pub fn make_layout_right(shape: &IntTuple) -> Result<DynLayout> {
    let stride = compact(shape, &mut 1, true)
        .map_err(|rule| LayoutError::new("make_layout_right", &[shape], rule))?;
    DynLayout::new(shape.clone(), stride)
}

/// Returns strides that ascend with `order`: each leaf steps over every leaf of smaller order.
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

/// Makes the compact layout of `shape` whose strides ascend with `order`, which is congruent to the
/// shape. Leaves of equal order get equal strides, as in CuTe, and then the layout is not compact.
///
/// # Errors
/// Returns [`Rule::Congruence`], [`Rule::NotPositive`], or [`Rule::Overflow`].
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

/// Makes a compact layout of the same shape with strides in the same order. A stride of 0 remains
/// 0.
///
/// # Errors
/// Returns [`Rule::BasisStride`] or [`Rule::Overflow`].
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

/// Makes a layout of registers that hold the elements of `layout`. Mode 0 is column-major from
/// stride 1, and the other modes follow in the order of their strides.
///
/// # Errors
/// Returns [`Rule::BasisStride`] or [`Rule::Overflow`].
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

/// Makes the layout of a shape that maps each coordinate to itself.
///
/// # Errors
/// Returns [`Rule::NotPositive`].
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

// -- Modes ----------------------------------------------------------------------------------------
//
// Operations that treat a layout as a tuple of its modes.
//
// ```text
// l = (4,8,2):(1,4,32)    select(l, 2,0) = (2,4):(32,1)     group(l, 0..2) = ((4,8),2):((1,4),32)
//                         take(l, 1..3)  = (8,2):(4,32)     append(l, 3:64) = (4,8,2,3):(1,4,32,64)
// ```
//
// Source: `cute/layout.hpp`, `cute/algorithm/tuple_algorithms.hpp`.

/// Returns the modes numbered `modes`, in that order, as a tuple.
///
/// # Errors
/// Returns [`Rule::NoSuchMode`] or [`Rule::Empty`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, select};
/// let layout: DynLayout = "(2,8,2):(1,4,2)".parse().unwrap();
/// assert_eq!(select(&layout, &[1, 0]).unwrap().to_string(), "(8,2):(4,1)");
/// ```
pub fn select<L: Domain>(layout: &L, modes: &[usize]) -> Result<L> {
    layout.map_domain("select", &[], |domain| {
        let pick = |&mode: &usize| {
            domain.mode(mode).ok_or_else(|| {
                LayoutError::new(
                    "select",
                    &[domain, &mode],
                    Rule::NoSuchMode {
                        mode,
                        rank: domain.rank(),
                    },
                )
            })
        };
        DynLayout::from_modes(modes.iter().map(pick).collect::<Result<_>>()?)
    })
}

fn range(operation: &'static str, layout: &DynLayout, begin: usize, end: usize) -> Result<()> {
    if begin < end && end <= layout.rank() {
        return Ok(());
    }
    Err(LayoutError::new(
        operation,
        &[layout],
        Rule::Range {
            begin,
            end,
            rank: layout.rank(),
        },
    ))
}

/// Returns modes `begin..end` as a tuple.
///
/// # Errors
/// Returns [`Rule::Range`] for an empty range or one that exceeds the modes.
pub fn take<L: Domain>(layout: &L, begin: usize, end: usize) -> Result<L> {
    layout.map_domain("take", &[], |domain| {
        range("take", domain, begin, end)?;
        DynLayout::from_modes(domain.modes()[begin..end].to_vec())
    })
}

/// Groups modes `begin..end` into one mode.
///
/// # Errors
/// Returns [`Rule::Range`] for an empty range or one that exceeds the modes.
///
/// ```
/// use layout_types::dynamic::{DynLayout, group};
/// let layout: DynLayout = "(16,1,16):(1,0,2)".parse().unwrap();
/// assert_eq!(group(&layout, 1, 2).unwrap().to_string(), "(16,(1),16):(1,(0),2)");
/// ```
pub fn group<L: Domain>(layout: &L, begin: usize, end: usize) -> Result<L> {
    layout.map_domain("group", &[], |domain| {
        range("group", domain, begin, end)?;
        let modes = domain.modes();
        let mut out = modes[..begin].to_vec();
        out.push(DynLayout::from_modes(modes[begin..end].to_vec())?);
        out.extend_from_slice(&modes[end..]);
        DynLayout::from_modes(out)
    })
}

/// Flattens the layout to a depth of at most 1.
///
/// # Errors
/// Returns no error for a valid layout.
pub fn flatten<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("flatten", &[], |domain| {
        DynLayout::new(domain.shape().flatten(), domain.stride().flatten())
    })
}

/// Returns the layout with one more mode at the end.
///
/// # Errors
/// Returns no error for valid layouts.
pub fn append<L: Domain>(layout: &L, mode: &DynLayout) -> Result<L> {
    layout.map_domain("append", &[mode], |domain| {
        DynLayout::new(
            domain.shape().append(mode.shape().clone()),
            domain.stride().append(mode.stride().clone()),
        )
    })
}

/// Returns the layout with one more mode in front.
///
/// # Errors
/// Returns no error for valid layouts.
pub fn prepend<L: Domain>(layout: &L, mode: &DynLayout) -> Result<L> {
    layout.map_domain("prepend", &[mode], |domain| {
        DynLayout::new(
            domain.shape().prepend(mode.shape().clone()),
            domain.stride().prepend(mode.stride().clone()),
        )
    })
}

fn pad(
    operation: &'static str,
    layout: &DynLayout,
    rank: usize,
    mode: Option<&DynLayout>,
    front: bool,
) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new(operation, &[layout, &rank], rule);
    let one = DynLayout::one();
    let mode = mode.unwrap_or(&one);
    let shape = layout
        .shape()
        .pad(rank, mode.shape(), front)
        .map_err(fail)?;
    let stride = layout
        .stride()
        .pad(rank, mode.stride(), front)
        .map_err(fail)?;
    DynLayout::new(shape, stride)
}

/// Fills the layout up to `rank` modes with copies of `mode` at the end (`1:0` if `mode` is
/// `None`): CuTe's `append<rank>`.
///
/// # Errors
/// Returns [`Rule::RankAbove`] if the layout already has more modes.
///
/// ```
/// use layout_types::dynamic::{DynLayout, append_to};
/// let layout: DynLayout = "(2,8):(1,2)".parse().unwrap();
/// assert_eq!(append_to(&layout, 4, None).unwrap().to_string(), "(2,8,1,1):(1,2,0,0)");
/// ```
pub fn append_to<L: Domain>(layout: &L, rank: usize, mode: Option<&DynLayout>) -> Result<L> {
    layout.map_domain("append", &[], |domain| {
        pad("append", domain, rank, mode, false)
    })
}

/// Fills the layout up to `rank` modes with copies of `mode` in front: CuTe's `prepend<rank>`.
///
/// # Errors
/// Returns the errors of [`append_to`].
pub fn prepend_to<L: Domain>(layout: &L, rank: usize, mode: Option<&DynLayout>) -> Result<L> {
    layout.map_domain("prepend", &[], |domain| {
        pad("prepend", domain, rank, mode, true)
    })
}

/// Returns the layout with mode `i` replaced by `mode`.
///
/// # Errors
/// Returns [`Rule::NoSuchMode`].
pub fn replace<L: Domain>(layout: &L, i: usize, mode: &DynLayout) -> Result<L> {
    layout.map_domain("replace", &[mode], |domain| {
        if i >= domain.rank() {
            let rule = Rule::NoSuchMode {
                mode: i,
                rank: domain.rank(),
            };
            return Err(LayoutError::new("replace", &[domain, &i, mode], rule));
        }
        if matches!(domain.shape(), Nested::Leaf(_)) {
            return Ok(mode.clone());
        }
        let mut modes = domain.modes();
        modes[i] = mode.clone();
        DynLayout::from_modes(modes)
    })
}

/// Turns `((a0,a1,..),(b0,b1,..))` into `((a0,b0,..),(a1,b1,..),..)`: CuTe's `zip(layout)`.
///
/// # Errors
/// Returns [`Rule::Rank`] if the modes have different ranks.
///
/// ```
/// use layout_types::dynamic::{DynLayout, zip_modes};
/// let layout: DynLayout = "((8),(2),(16)):((1),(1),(1))".parse().unwrap();
/// assert_eq!(zip_modes(&layout).unwrap().to_string(), "((8,2,16)):((1,1,1))");
/// ```
pub fn zip_modes<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("zip", &[], |domain| {
        let fail = |rule| LayoutError::new("zip", &[domain], rule);
        DynLayout::new(
            domain.shape().zip().map_err(fail)?,
            domain.stride().zip().map_err(fail)?,
        )
    })
}

/// Turns `(a0,a1,..)` and `(b0,b1,..)` into `((a0,b0),(a1,b1),..)`: CuTe's `zip(a, b)`.
///
/// # Errors
/// Returns [`Rule::Rank`] if the ranks differ.
pub fn zip(a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    zip_pair("zip", a, b)
}

pub(super) fn zip_pair(operation: &'static str, a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new(operation, &[a, b], rule);
    let shape = Nested::Tuple(Vec::from([a.shape().clone(), b.shape().clone()]))
        .zip()
        .map_err(fail)?;
    let stride = Nested::Tuple(Vec::from([a.stride().clone(), b.stride().clone()]))
        .zip()
        .map_err(fail)?;
    DynLayout::new(shape, stride)
}
