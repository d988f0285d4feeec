//! Predicates on layouts and shapes.
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
use super::divide::Tiler;
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{MAX_POINTS, Rule, ceil_div, gcd};

/// Whether two shapes have the same profile.
pub fn congruent(a: &IntTuple, b: &IntTuple) -> bool {
    a.congruent(b)
}

/// Whether `b`'s profile is `a`'s or refines its leaves.
pub fn weakly_congruent(a: &IntTuple, b: &IntTuple) -> bool {
    a.weakly_congruent(b)
}

/// Whether both shapes have the same size and every coordinate into `a` is also a coordinate into
/// `b`.
///
/// ```
/// use layout_types::dynamic::{IntTuple, compatible};
/// let (a, b): (IntTuple, IntTuple) = ("(2,8)".parse().unwrap(), "(2,(2,4))".parse().unwrap());
/// assert!(compatible(&a, &b) && !compatible(&b, &a));
/// ```
pub fn compatible(a: &IntTuple, b: &IntTuple) -> bool {
    a.compatible(b)
}

/// Whether a tiler fills a shape with whole tiles, mode by mode: CuTe's
/// `evenly_divides(shape, tiler)`.
///
/// # Errors
/// Returns [`Rule::Overflow`] or [`Rule::NotPositive`].
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

/// Returns the modes of more than one element as `(|stride|, extent)`, in ascending order.
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

/// Whether every offset fits in 64 bits.
fn fit(spans: &[(i64, i64)]) -> bool {
    spans
        .iter()
        .try_fold(0i64, |reach, (stride, extent)| {
            reach.checked_add(stride.checked_mul(extent - 1)?)
        })
        .is_some()
}

/// The largest number of steps of a search.
const MOST_STEPS: i64 = MAX_POINTS;

/// Returns the modes, ascending, reduced to the steps that can be compensated by steps of the other
/// modes: multiples of the greatest common divisor of the other strides. A mode too short for one
/// such step is removed. Requires that the offsets [`fit`].
fn reduced(mut spans: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    loop {
        let before = spans.clone();
        let mut i = spans.len();
        while i > 0 {
            i -= 1;
            let others = spans
                .iter()
                .enumerate()
                .filter(|(k, _)| *k != i)
                .fold(0, |sum, (_, (stride, _))| gcd(sum, *stride));
            let (stride, extent) = spans[i];
            if others == 0 || stride == 0 {
                continue;
            }
            let each = others / gcd(others, stride);
            if each >= extent {
                spans.remove(i);
            } else {
                // The product is less than the mode's reach, which fits.
                spans[i] = (stride * each, ceil_div(extent, each));
            }
        }
        spans.sort_unstable();
        if spans == before {
            return spans;
        }
    }
}

/// Whether `value` is the difference of two offsets, or `None` if more than `steps` steps are
/// needed. `spans` are in ascending order.
fn differs(spans: &[(i64, i64)], value: i128, steps: &mut i64) -> Option<bool> {
    let Some(((stride, extent), rest)) = spans.split_last() else {
        return Some(value == 0);
    };
    let (stride, most) = (i128::from(*stride), i128::from(*extent) - 1);
    let reach: i128 = rest
        .iter()
        .map(|(stride, extent)| i128::from(*stride) * (i128::from(*extent) - 1))
        .sum();
    let first = (value - reach).div_euclid(stride).max(-most);
    let last = (value + reach).div_euclid(stride).min(most);
    let mut count = first;
    while count <= last {
        *steps -= 1;
        if *steps < 0 {
            return None;
        }
        if differs(rest, value - count * stride, steps)? {
            return Some(true);
        }
        count += 1;
    }
    Some(false)
}

/// Whether no two coordinates have the same offset, or `None` if the offsets do not fit or the
/// search takes more than [`MOST_STEPS`].
fn injective(spans: Vec<(i64, i64)>) -> Option<bool> {
    if !fit(&spans) {
        return None;
    }
    let spans = reduced(spans);
    let (mut reach, mut total) = (0i128, 1i128);
    let (mut steps, mut before) = (MOST_STEPS, 0);
    for (i, (stride, extent)) in spans.iter().enumerate() {
        if *stride == before || *stride == 0 {
            return Some(false);
        }
        before = *stride;
        let wide = i128::from(*stride);
        // The steps of this mode that the smaller modes together can reach.
        let most = (i128::from(*extent) - 1).min(reach / wide);
        reach += wide * (i128::from(*extent) - 1);
        total = total.saturating_mul(i128::from(*extent));
        if total > reach + 1 {
            return Some(false);
        }
        for count in 1..=most {
            if differs(&spans[..i], count * wide, &mut steps)? {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Whether no two elements share an offset.
///
/// The strides decide if each stride exceeds the reach of the smaller modes; otherwise greatest
/// common divisors decide. A search of at most 2^20 steps decides the remaining cases. A swizzle
/// makes no difference: it is a bijection.
///
/// # Errors
/// Returns [`Rule::BasisStride`]; [`Rule::TooManyPoints`] if the search would take more steps; or
/// [`Rule::Overflow`] if the offsets do not fit in 64 bits.
///
/// ```
/// use layout_types::dynamic::{DynLayout, is_injective};
/// assert!(is_injective(&"(4,2):(1,5)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(!is_injective(&"(4,2):(1,3)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(is_injective(&"(3,2):(2,3)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(!is_injective(&"(65536,65536):(3,5)".parse::<DynLayout>().unwrap()).unwrap());
/// let wide = "(3,5):(9223372036854775807,9223372036854775806)";
/// assert!(is_injective(&wide.parse::<DynLayout>().unwrap()).is_err());
/// ```
pub fn is_injective<L: Domain>(layout: &L) -> Result<bool> {
    let layout = layout.domain();
    integer("is_injective", layout)?;
    let spans = spans(layout);
    if !fit(&spans) {
        return Err(LayoutError::new("is_injective", &[layout], Rule::Overflow));
    }
    injective(spans).ok_or_else(|| too_many("is_injective", &[layout]))
}

fn too_many(operation: &'static str, operands: &[&dyn core::fmt::Display]) -> LayoutError {
    let most = MAX_POINTS;
    LayoutError::new(operation, operands, Rule::TooManyPoints { most })
}

/// Whether the offsets are exactly `0..size`, each once.
///
/// For a plain layout the answer is exact without visiting the offsets: the smallest stride must be
/// 1, and each next stride must be the first offset not yet reached. With a swizzle, up to 2^20
/// offsets are visited.
///
/// # Errors
/// Returns [`Rule::BasisStride`], or with a swizzle also [`Rule::TooManyPoints`] or
/// [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, is_compact};
/// assert!(is_compact(&"(4,2):(2,1)".parse::<DynLayout>().unwrap()).unwrap());
/// assert!(!is_compact(&"(4,2):(1,5)".parse::<DynLayout>().unwrap()).unwrap());
/// ```
pub fn is_compact<L: Domain>(layout: &L) -> Result<bool> {
    integer("is_compact", layout.domain())?;
    if !layout.is_plain() {
        if layout.domain().size()? > MAX_POINTS {
            return Err(too_many("is_compact", &[layout]));
        }
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

/// Whether two layouts have no offset in common except 0.
///
/// Two plain layouts whose concatenation is injective have no common offset except 0. Otherwise up
/// to 2^20 offsets of each are compared.
///
/// # Errors
/// Returns [`Rule::BasisStride`], [`Rule::Overflow`], or [`Rule::TooManyPoints`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, disjoint};
/// let (a, b): (DynLayout, DynLayout) = ("(2,2):(1,8)".parse().unwrap(), "(4,2):(2,16)".parse().unwrap());
/// assert!(disjoint(&a, &b).unwrap());
/// ```
pub fn disjoint<A: Domain, B: Domain>(a: &A, b: &B) -> Result<bool> {
    integer("disjoint", a.domain())?;
    integer("disjoint", b.domain())?;
    let negative = |layout: &DynLayout| {
        layout
            .flat_modes()
            .into_iter()
            .any(|(extent, stride)| extent > 1 && stride.value() < 0)
    };
    if a.is_plain() && b.is_plain() && !negative(a.domain()) && !negative(b.domain()) {
        let used = |layout| spans(layout).into_iter().filter(|(stride, _)| *stride != 0);
        let mut together: Vec<(i64, i64)> = used(a.domain()).chain(used(b.domain())).collect();
        together.sort_unstable();
        if injective(together) == Some(true) {
            return Ok(true);
        }
        // If each layout has one mode, the least offset that they have in common is the least
        // common multiple of the strides.
        let (ones, others): (Vec<_>, Vec<_>) =
            (used(a.domain()).collect(), used(b.domain()).collect());
        if let ([(d0, s0)], [(d1, s1)]) = (&ones[..], &others[..]) {
            let common = gcd(*d0, *d1);
            return Ok(d1 / common >= *s0 || d0 / common >= *s1);
        }
    }
    if a.domain().size()? > MAX_POINTS || b.domain().size()? > MAX_POINTS {
        return Err(too_many("disjoint", &[a, b]));
    }
    let mut offsets = a.offsets()?;
    offsets.sort_unstable();
    Ok(b.offsets()?
        .into_iter()
        .all(|offset| offset == 0 || offsets.binary_search(&offset).is_err()))
}
