//! What two layouts have in common, and how far a layout is contiguous.
//!
//! ```text
//! a = (8,4):(1,8)   b = (8,4):(1,16)     max_common_vector = 8: elements 0..8 lie alike in both
//! max_alignment((4,8):(1,16)) = 4        the widest vector that starts at every multiple of it
//! ```
//!
//! Source: `cute/layout.hpp`, "Max Common Layout", "max_alignment", "domain_distribute".

use alloc::vec::Vec;

use super::coalesce::coalesce;
use super::composition::{compose, compose_as_cute};
use super::divide::logical_divide;
use super::error::{LayoutError, Result};
use super::int_tuple::{IntTuple, Nested};
use super::inverse::right_inverse;
use super::layout::DynLayout;
use super::rules::{Flat, Rule, gcd};
use super::stride::Stride;

/// The layout `r` of the longest run of contiguous elements that lie alike in both: `a(r(i)) == i` and
/// `b(r(i)) == i` for every `i` of `r`.
///
/// # Errors
/// Where `a` after the inverse of `b` is no layout even for CuTe, or the run that CuTe finds is not one;
/// [`Rule::BasisStride`].
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
    // CuTe's composition may be wrong where it is not used; where it is, it must be the identity.
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

/// The number of contiguous elements that lie alike in both, at least 1: the size of
/// [`max_common_layout`].
///
/// # Errors
/// As [`max_common_layout`].
pub fn max_common_vector(a: &DynLayout, b: &DynLayout) -> Result<i64> {
    common("max_common_vector", a, b)?.size()
}

/// The widest vector of elements that the layout allows everywhere: the largest `n` that divides the run from
/// offset 0 and every stride beyond it.
///
/// # Errors
/// Where the layout cannot be divided by its right inverse (see [`logical_divide`]); [`Rule::BasisStride`].
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

/// A layout that takes up to `elements` of a shape, from the front and without remainder in any mode.
///
/// Laws, `r` the result: its offsets ascend; `size(r)` divides `elements`; the shape composed with `r` is
/// admissible.
///
/// # Errors
/// [`Rule::NotPositive`], [`Rule::Overflow`].
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
