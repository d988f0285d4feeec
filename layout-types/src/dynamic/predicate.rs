//! Yes or no about layouts and shapes.
//!
//! ```text
//! congruent         (2,(3,4)) and (5,(6,7))        one profile
//! weakly congruent  (2,8) <= (2,(2,4))             the right refines the left's profile
//! compatible        (2,8) <= (2,(2,4))             and its sizes
//! injective         (4,2):(1,5)                    no offset twice
//! compact           (4,2):(2,1)                    0..size, each once
//! disjoint          (2):(1) and (4):(2)            nothing in common but offset 0
//! ```
//!
//! Source: `cute/int_tuple.hpp`; for layouts the definitions of the paper named in
//! [`composition`](super::composition()).

use alloc::vec::Vec;

use super::composed::Domain;
use super::error::{LayoutError, Result};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::rules::Rule;
use super::tiler::Tiler;

/// Whether two shapes have one profile.
pub fn congruent(a: &IntTuple, b: &IntTuple) -> bool {
    a.congruent(b)
}

/// Whether `b`'s profile is `a`'s or refines its leaves.
pub fn weakly_congruent(a: &IntTuple, b: &IntTuple) -> bool {
    a.weakly_congruent(b)
}

/// Whether every coordinate into `a` is one into `b`, the sizes being equal.
///
/// ```
/// use layout_types::dynamic::{IntTuple, compatible};
/// let (a, b): (IntTuple, IntTuple) = ("(2,8)".parse().unwrap(), "(2,(2,4))".parse().unwrap());
/// assert!(compatible(&a, &b) && !compatible(&b, &a));
/// ```
pub fn compatible(a: &IntTuple, b: &IntTuple) -> bool {
    a.compatible(b)
}

/// Whether a tiler fills a shape with whole tiles, mode by mode: CuTe's `evenly_divides(shape, tiler)`.
///
/// # Errors
/// [`Rule::Overflow`], [`Rule::NotPositive`].
pub fn evenly_divides(shape: &IntTuple, tiler: &Tiler) -> Result<bool> {
    let fail = |rule| LayoutError::new("evenly_divides", &[shape, tiler], rule);
    match tiler {
        Tiler::Underscore => Ok(true),
        Tiler::Tuple(tilers) => {
            if tilers.len() > shape.rank() {
                return Ok(false);
            }
            for (mode, tiler) in shape.modes().iter().zip(tilers) {
                if !evenly_divides(mode, tiler)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Tiler::Int(_) | Tiler::Layout(_) => {
            let (tile, rest) = match tiler {
                Tiler::Layout(layout) => (layout.size()?, super::ceil_div_layout(shape, layout)?),
                Tiler::Int(extent) => (
                    *extent,
                    shape.ceil_div(&Nested::Leaf(*extent)).map_err(fail)?,
                ),
                _ => unreachable!("matched above"),
            };
            let tiled = rest
                .product()
                .map_err(fail)?
                .checked_mul(tile)
                .ok_or(fail(Rule::Overflow))?;
            Ok(shape.product().map_err(fail)? == tiled)
        }
    }
}

/// Modes of more than one element as `(stride, extent)`, strides without sign, ascending.
fn spans(layout: &DynLayout) -> Vec<(i64, i64)> {
    let mut spans: Vec<(i64, i64)> = layout
        .flat_modes()
        .into_iter()
        .filter(|(extent, _)| *extent > 1)
        .map(|(extent, stride)| (stride.value().saturating_abs(), extent))
        .collect();
    spans.sort_unstable();
    spans
}

fn integer(operation: &'static str, layout: &DynLayout) -> Result<()> {
    if layout.has_basis() {
        Err(LayoutError::new(operation, &[layout], Rule::BasisStride))
    } else {
        Ok(())
    }
}

/// Whether no two elements share an offset.
///
/// Decided from the strides where each exceeds the reach of the smaller ones; otherwise by comparing the
/// offsets. A swizzle changes nothing: it is a bijection.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, is_injective};
/// assert!(is_injective(&"(4,2):(1,5)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(!is_injective(&"(4,2):(1,3)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(is_injective(&"(3,2):(2,3)".parse::<DynLayout>().unwrap()).unwrap());
/// ```
pub fn is_injective<L: Domain>(layout: &L) -> Result<bool> {
    let layout = layout.domain();
    integer("is_injective", layout)?;
    let (mut reach, mut nested) = (0i64, true);
    for (stride, extent) in spans(layout) {
        if stride == 0 {
            return Ok(false);
        }
        nested &= stride > reach;
        reach = reach.saturating_add(stride.saturating_mul(extent - 1));
    }
    if nested {
        return Ok(true);
    }
    let mut offsets = layout.table()?;
    offsets.sort_unstable();
    Ok(offsets.windows(2).all(|pair| pair[0] != pair[1]))
}

/// Whether the offsets are `0..size`, each once.
///
/// Exact without looking at them: the smallest stride must be 1, and each next one the first offset not yet
/// reached. Behind a swizzle they are looked at.
///
/// # Errors
/// [`Rule::BasisStride`]; [`Rule::Overflow`] behind a swizzle.
///
/// ```
/// use layout_types::dynamic::{DynLayout, is_compact};
/// assert!(is_compact(&"(4,2):(2,1)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(!is_compact(&"(4,2):(1,5)".parse::<DynLayout>().unwrap()).unwrap());
/// ```
pub fn is_compact<L: Domain>(layout: &L) -> Result<bool> {
    integer("is_compact", layout.domain())?;
    if !layout.is_plain() {
        let mut offsets = layout.offsets()?;
        offsets.sort_unstable();
        return Ok(offsets.into_iter().eq(0..layout.domain().size()?));
    }
    let layout = layout.domain();
    if layout
        .flat_modes()
        .into_iter()
        .any(|(extent, stride)| extent > 1 && stride.value() < 0)
    {
        return Ok(false);
    }
    let mut next = 1i64;
    for (stride, extent) in spans(layout) {
        if stride != next {
            return Ok(false);
        }
        next = next.saturating_mul(extent);
    }
    Ok(true)
}

/// Whether two layouts share no offset but 0.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, disjoint};
/// let (a, b): (DynLayout, DynLayout) = ("(2,2):(1,8)".parse().unwrap(), "(4,2):(2,16)".parse().unwrap());
/// assert!(disjoint(&a, &b).unwrap());
/// ```
pub fn disjoint<A: Domain, B: Domain>(a: &A, b: &B) -> Result<bool> {
    let mut offsets = a.offsets()?;
    offsets.sort_unstable();
    Ok(b.offsets()?
        .into_iter()
        .all(|offset| offset == 0 || offsets.binary_search(&offset).is_err()))
}
