//! What fills the holes of a layout.
//!
//! ```text
//! layout  (2,2):(1,8)   offsets  0 1 . . . . . . 8 9 . . . . . .     complement in 32: (4,2):(2,16)
//!                                    2 3 4 5 6 7     ...  and again from 16
//! ```
//!
//! Laws, `r = complement(l, m)`: `r` ascends; `(filter(l), r)` is injective; `size(r) >= m / size(filter(l))`
//! and `cosize((l, r)) >= m`. With strides that nest the two hit every offset from 0 on exactly once.
//! Source: `cute/layout.hpp`, "Complement".

use alloc::vec::Vec;

use super::composed::Domain;
use super::error::{LayoutError, Result};
use super::int_tuple::IntTuple;
use super::layout::DynLayout;
use super::rules::{Flat, Rule, complement as complement_rule};

/// The complement of a layout in a target shape, which may be a tuple: then each mode of the target is
/// divided in turn.
///
/// # Errors
/// [`Rule::Overlap`] (the layout is not injective), [`Rule::Uncovered`] (CuTe's result breaks a law),
/// [`Rule::NegativeStride`], [`Rule::BasisStride`], [`Rule::NotPositive`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, complement};
/// let layout: DynLayout = "(2,2):(1,8)".parse().unwrap();
/// assert_eq!(complement(&layout, 32).unwrap().to_string(), "(4,2):(2,16)");
/// assert!(complement(&"(4,4):(1,2)".parse::<DynLayout>().unwrap(), 16).is_err());
/// ```
pub fn complement<L: Domain>(layout: &L, target: impl Into<IntTuple>) -> Result<DynLayout> {
    let target = target.into();
    let domain = layout.domain();
    let fail = |rule| LayoutError::new("complement", &[domain, &target], rule);
    let extents: Vec<i64> = target.leaves().into_iter().copied().collect();
    if let Some(value) = extents.iter().copied().find(|extent| *extent < 1) {
        return Err(fail(Rule::NotPositive { value }));
    }
    let filtered = filtered(domain).map_err(fail)?;
    let flat = complement_rule(&filtered, &extents).map_err(fail)?;
    Ok(DynLayout::from_flat(&flat, &[]))
}

/// The complement in the layout's own `cosize`: the holes between its first and its last offset.
///
/// # Errors
/// As [`complement`].
pub fn complement_in_cosize<L: Domain>(layout: &L) -> Result<DynLayout> {
    let target = super::coalesce::filter(layout.domain())?.cosize()?;
    complement(layout, target)
}

/// The filtered layout as the rules see it.
pub(super) fn filtered(layout: &DynLayout) -> core::result::Result<Flat, Rule> {
    if layout.has_basis() {
        return Err(Rule::BasisStride);
    }
    Ok(layout.to_flat(&mut Vec::new())?.filter())
}
