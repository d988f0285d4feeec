//! Composition, and the common part of two layouts, which is computed by composition.
//!
//! ```text
//! composition      (4,8):(8,1) o 2:2 = 2:16          max_common_vector   (8,4):(1,8), (8,4):(1,16) = 8
//! ```
//!
//! Law: `composition(a, b)(c) == a(b(c))` for every `c` of `b`.

use super::coalesce::{coalesce, right_inverse};
use super::composed::Domain;
use super::divide::Tiler;
use super::divide::logical_divide;
use super::int_tuple::Stride;
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::modes::make_layout_left;
use super::parse::{LayoutError, Result};
use super::rules::{self, Flat, MAX_MODES, Refusal, Rule, gcd};
use super::tree::{evaluate, layout_of};
use crate::values::{Heap, Value, field};
use alloc::vec::Vec;

// -- Composition ----------------------------------------------------------------------------------
//
// `composition(a, b)`: the layout of the function `c -> a(b(c))`.
//
// ```text
// a = (6,2):(8,2)   b = (4,3):(3,1)
// b's mode 0 steps by 3 through a's 6: two steps of 24, then one of a's 2:   (2,2):(24,2)
// b's mode 1 steps by 1 through a's 6: three steps of 8:                     3:8
// result ((2,2),3):((24,2),8)
// ```
//
// Law: `composition(a, b)(c) == a(b(c))` for every `c` of `b`, where `a`'s last mode is unbounded;
// the result's shape refines `b`'s. The operation is refused if no layout with the shape of CuTe's
// result is the composition: `rules/compose.rs` states when, and why that condition is exact.
// Source: `cute/layout.hpp`, "Composition"; J. Carlisle, J. Shah, "A note on the algebra of CuTe
// layouts".

/// Composes `a` after `b`. `b` is a layout, an integer `n` (the first `n` elements), or a tuple,
/// which applies mode by mode and drops the modes of `a` that it does not name.
///
/// # Errors
/// Returns [`Rule::PrefixProduct`], [`Rule::ShapeSplit`], [`Rule::Carry`], [`Rule::Borrow`],
/// [`Rule::Differs`] or [`Rule::TooManyPoints`] if `a` after `b` is not a layout;
/// [`Rule::NoSuchMode`] or [`Rule::MixedBasis`] for scaled-basis strides; [`Rule::RankAbove`] for a
/// tuple of more modes than `a` has; [`Rule::NotPositive`] for an integer below 1;
/// [`Rule::TooManyModes`]; or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, composition};
/// let a: DynLayout = "(6,2):(8,2)".parse().unwrap();
/// let b: DynLayout = "(4,3):(3,1)".parse().unwrap();
/// assert_eq!(composition(&a, &b).unwrap().to_string(), "((2,2),3):((24,2),8)");
///
/// let wrong: DynLayout = "(4,4):(4,1)".parse().unwrap();
/// let error = composition(&wrong, "8:3".parse::<DynLayout>().unwrap()).unwrap_err();
/// assert!(error.to_string().starts_with(
///     "composition (4,4):(4,1) o 8:3 is not admissible: mode 0: stride 3 does not divide 4"
/// ));
/// ```
pub fn composition<L: Domain>(a: &L, b: impl Into<Tiler>) -> Result<L> {
    let b = b.into();
    a.map_domain("composition", &[&b], |domain| by_tiler(domain, &b))
}

fn by_tiler(a: &DynLayout, tiler: &Tiler) -> Result<DynLayout> {
    match tiler {
        Tiler::Underscore => Ok(a.clone()),
        Tiler::Int(elements) if *elements < 1 => Err(LayoutError::new(
            "composition",
            &[a, elements],
            Rule::NotPositive { value: *elements },
        )),
        Tiler::Int(elements) => compose(a, &DynLayout::leaf(*elements, 1)),
        Tiler::Layout(b) => compose(a, b),
        Tiler::Tuple(tilers) => {
            let modes = a.modes();
            if tilers.len() > modes.len() {
                let rule = Rule::RankAbove {
                    found: tilers.len(),
                    most: modes.len(),
                };
                return Err(LayoutError::new("composition", &[a, tiler], rule));
            }
            let parts = modes
                .iter()
                .zip(tilers)
                .enumerate()
                .map(|(i, (mode, part))| {
                    by_tiler(mode, part)
                        .map_err(|error| error.within("composition", &[a, tiler]).at(&[i]))
                });
            DynLayout::from_modes(parts.collect::<Result<_>>()?)
        }
    }
}

/// Gives `a`, or its first elements, another shape: composes `a` after the column-major layout of
/// `shape`.
///
/// # Errors
/// Returns the errors of [`composition`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, with_shape};
/// let layout: DynLayout = "(16,3,3):(3,48,1)".parse().unwrap();
/// let shaped = with_shape(&layout, &"((3,2),24)".parse().unwrap()).unwrap();
/// assert_eq!(shaped.to_string(), "((3,2),(8,3)):((3,9),(18,1))");
/// assert!(with_shape(&layout, &"(9,16)".parse().unwrap()).is_err()); // 9 does not divide 48
/// ```
pub fn with_shape<L: Domain>(a: &L, shape: &IntTuple) -> Result<L> {
    let b = make_layout_left(shape)?;
    composition(a, b)
}

/// Composes two layouts as CuTe does, and checks the result.
pub(super) fn compose(a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    let result = evaluated(a, b, rules::compose)?;
    let fits = result.fits();
    fits.map_err(|rule| LayoutError::new("composition", &[a, b], rule))?;
    Ok(result)
}

/// Returns CuTe's result, whether or not it is the composition. A caller that uses a part of the
/// result has to check this part.
pub(super) fn compose_as_cute(a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    evaluated(a, b, rules::compose_as_cute)
}

type Text = fn(Value, Value, &mut Heap<'_>) -> core::result::Result<Value, Refusal>;

/// Evaluates `text`, a function of the algebra, on two layouts. Its result refines the shape of
/// `b`.
fn evaluated(a: &DynLayout, b: &DynLayout, text: Text) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new("composition", &[a, b], rule);
    let leaves = [a, b].map(|layout| layout.shape().leaves().len());
    if leaves.into_iter().any(|leaves| leaves > MAX_MODES) {
        return Err(fail(Rule::TooManyModes { most: MAX_MODES }));
    }
    let [left, right] = leaves;
    evaluate(16 + 8 * left + 8 * (left + 1) * right, |heap| {
        let (left, right) = (a.to_tree(heap), b.to_tree(heap));
        let found = text(left, right, heap);
        (!heap.is_full()).then(|| match found {
            Ok(tree) => refined(tree, b.shape(), &mut Vec::new(), heap)
                .map_err(|(mode, rule)| fail(rule).at(&mode)),
            Err(Refusal { leaf, rule }) => {
                Err(fail(rule).at(&leaf.map_or(Vec::new(), |leaf| way_to(b.shape(), leaf))))
            }
        })
    })
}

/// Converts a tree whose layout refines `shape`. An error names the mode of `shape` in which a
/// number does not fit.
fn refined(
    tree: Value,
    shape: &IntTuple,
    at: &mut Vec<usize>,
    heap: &Heap<'_>,
) -> core::result::Result<DynLayout, (Vec<usize>, Rule)> {
    let Nested::Tuple(shapes) = shape else {
        // An operand that is not a tuple is its own mode 0.
        let mode = if at.is_empty() { &[0] } else { &at[..] };
        return layout_of(tree, heap).map_err(|rule| (mode.to_vec(), rule));
    };
    let (mut modes, mut rest) = (Vec::with_capacity(shapes.len()), tree);
    for (i, shape) in shapes.iter().enumerate() {
        at.push(i);
        modes.push(refined(field(rest, 0, heap), shape, at, heap)?);
        at.pop();
        rest = field(rest, 1, heap);
    }
    DynLayout::from_modes(modes).map_err(|error| (at.clone(), error.rule()))
}

/// Returns the path to leaf number `leaf` of a shape, outermost mode first.
fn way_to(shape: &IntTuple, leaf: usize) -> Vec<usize> {
    let mut before = leaf;
    for (i, mode) in shape.modes().iter().enumerate() {
        let leaves = mode.leaves().len();
        if before < leaves {
            let mut way = alloc::vec![i];
            if matches!(mode, Nested::Tuple(_)) {
                way.extend(way_to(mode, before));
            }
            return way;
        }
        before -= leaves;
    }
    Vec::new()
}

// -- Common layouts -------------------------------------------------------------------------------
//
// The part that two layouts have in common, and the length up to which a layout is contiguous.
//
// ```text
// a = (8,4):(1,8)   b = (8,4):(1,16)     max_common_vector = 8: elements 0..8 agree
// max_alignment((4,8):(1,16)) = 4        the widest vector that starts at every multiple of it
// ```
//
// Source: `cute/layout.hpp`, "Max Common Layout", "max_alignment", "domain_distribute".

/// Returns the layout `r` of the longest run of contiguous elements on which both layouts agree:
/// `a(r(i)) == i` and `b(r(i)) == i` for every `i` of `r`.
///
/// # Errors
/// A rule of composition if even CuTe cannot compose `a` with the inverse of `b`, or if the run
/// that CuTe finds is not contiguous in `a`; [`Rule::BasisStride`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, max_common_layout};
/// let a: DynLayout = "(8,2):(2,1)".parse().unwrap();
/// let b: DynLayout = "(8,2):(4,1)".parse().unwrap();
/// assert_eq!(max_common_layout(&a, &b).unwrap().to_string(), "2:8");
/// ```
pub fn max_common_layout(a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    common("max_common_layout", a, b)
}

fn common(operation: &'static str, a: &DynLayout, b: &DynLayout) -> Result<DynLayout> {
    let within = |error: LayoutError| error.within(operation, &[a, b]);
    let inverse = right_inverse(b).map_err(within)?;
    let both = coalesce(&compose_as_cute(a, &inverse).map_err(within)?)?;
    let first = both
        .mode(0)
        .filter(|mode| *mode.stride() == Nested::Leaf(Stride::from(1)));
    let Some(first) = first else {
        return Ok(DynLayout::one());
    };
    let run = compose(&inverse, &first).map_err(within)?;
    // CuTe's composition may be wrong in the part that is not used. In the part that is used, it
    // must be the identity.
    let there = coalesce(&compose(a, &run).map_err(within)?)?;
    if there != first {
        return Err(LayoutError::new(
            operation,
            &[a, b],
            Rule::Differs { at: 1 },
        ));
    }
    Ok(run)
}

/// Returns the number of contiguous elements on which both layouts agree, at least 1: the size of
/// [`max_common_layout`].
///
/// # Errors
/// Returns the errors of [`max_common_layout`].
pub fn max_common_vector(a: &DynLayout, b: &DynLayout) -> Result<i64> {
    common("max_common_vector", a, b)?.size()
}

/// Returns the widest vector of elements with which the whole layout can be accessed: the largest
/// `n` that divides the run from offset 0 and every stride beyond it.
///
/// # Errors
/// Returns the errors of [`logical_divide`] if the layout cannot be divided by its right inverse,
/// or [`Rule::BasisStride`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, max_alignment};
/// assert_eq!(max_alignment(&"(6,(2,(6,2))):(1,(72,(6,36)))".parse::<DynLayout>().unwrap()).unwrap(), 144);
/// assert_eq!(max_alignment(&"(4,8):(1,10)".parse::<DynLayout>().unwrap()).unwrap(), 2);
/// ```
pub fn max_alignment(layout: &DynLayout) -> Result<i64> {
    let within = |error: LayoutError| error.within("max_alignment", &[layout]);
    let flat = coalesce(layout)?;
    let permuted = logical_divide(&flat, right_inverse(&flat).map_err(within)?).map_err(within)?;
    let modes = permuted.modes();
    let run = modes[0].size()?;
    Ok(modes[1]
        .stride()
        .leaves()
        .into_iter()
        .fold(run, |n, stride| gcd(n, stride.value())))
}

/// Returns a layout that takes up to `elements` elements of a shape, from the first on, and divides
/// each mode without remainder.
///
/// Laws for the result `r`: its offsets ascend; `size(r)` divides `elements`; the composition of
/// the shape with `r` is admissible.
///
/// # Errors
/// Returns [`Rule::NotPositive`] or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::domain_distribute;
/// let taken = domain_distribute(&"((15,14),2)".parse().unwrap(), 6).unwrap();
/// assert_eq!(taken.to_string(), "(3,2):(1,15)");
/// ```
pub fn domain_distribute(shape: &IntTuple, elements: i64) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new("domain_distribute", &[shape, &elements], rule);
    if elements < 1 {
        return Err(fail(Rule::NotPositive { value: elements }));
    }
    let mut flat = Flat::new();
    let (mut rest, mut step) = (elements, 1i64);
    for extent in shape.leaves() {
        if *extent < 1 {
            return Err(fail(Rule::NotPositive { value: *extent }));
        }
        let part = gcd(*extent, rest);
        flat.push(part, step, 0).map_err(fail)?;
        rest /= part;
        step = step.checked_mul(*extent).ok_or(fail(Rule::Overflow))?;
    }
    Ok(DynLayout::from_flat(&flat.coalesce(false), &Vec::new()))
}
