//! The same function with fewer modes.
//!
//! ```text
//! coalesce   (2,(1,6)):(1,(6,2))  =  12:1        filter_zeros  (2,4):(1,0) = (2,1):(1,0)
//! by profile ((2,4),8):((1,2),8), (1,1) = (8,8):(1,8)    filter = coalesce of that: 2:1
//! ```
//!
//! Laws: `coalesce(l)(i) == l(i)` for every `i` of `l`, with depth at most 1 and no mode of size 1;
//! coalescing by a profile keeps the modes that the profile names. Source: `cute/layout.hpp`, "Coalesce and
//! Filter".

use alloc::vec::Vec;

use super::composed::Domain;
use super::error::{LayoutError, Result};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::rules::{Flat, Rule};

/// Applies a function of flat layouts.
pub(super) fn on_flat(
    operation: &'static str,
    layout: &DynLayout,
    f: impl FnOnce(&Flat) -> core::result::Result<Flat, Rule>,
) -> Result<DynLayout> {
    let mut bases = Vec::new();
    let run = layout.to_flat(&mut bases).and_then(|flat| f(&flat));
    run.map(|flat| DynLayout::from_flat(&flat, &bases))
        .map_err(|rule| LayoutError::new(operation, &[layout], rule))
}

/// Applies `f` at the leaves of a profile; modes beyond it stay.
fn by_profile(
    operation: &'static str,
    layout: &DynLayout,
    profile: &IntTuple,
    f: &impl Fn(&DynLayout) -> Result<DynLayout>,
) -> Result<DynLayout> {
    let Nested::Tuple(targets) = profile else {
        return f(layout);
    };
    let mut modes = layout.modes();
    if targets.len() > modes.len() {
        let rule = Rule::RankAbove {
            found: targets.len(),
            most: modes.len(),
        };
        return Err(LayoutError::new(operation, &[layout, profile], rule));
    }
    for (mode, target) in modes.iter_mut().zip(targets) {
        *mode = by_profile(operation, mode, target, f)?;
    }
    DynLayout::from_modes(modes)
}

fn coalesce_plain(layout: &DynLayout) -> Result<DynLayout> {
    on_flat("coalesce", layout, |flat| Ok(flat.coalesce(false)))
}

/// The layout with the fewest modes that is the same function; `1:0` for one element.
///
/// # Errors
/// [`Rule::TooManyModes`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, coalesce};
/// let layout: DynLayout = "(2,(1,6)):(1,(6,2))".parse().unwrap();
/// assert_eq!(coalesce(&layout).unwrap().to_string(), "12:1");
/// ```
pub fn coalesce<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("coalesce", &[], coalesce_plain)
}

/// [`coalesce`] of each mode that a leaf of `profile` names; the leaves' values do not matter.
///
/// # Errors
/// [`Rule::RankAbove`] where the profile has more modes.
pub fn coalesce_by<L: Domain>(layout: &L, profile: &IntTuple) -> Result<L> {
    layout.map_domain("coalesce", &[profile], |domain| {
        by_profile("coalesce", domain, profile, &coalesce_plain)
    })
}

/// Modes of stride 0 become size 1.
///
/// # Errors
/// None for a valid layout.
pub fn filter_zeros<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("filter_zeros", &[], |domain| {
        DynLayout::new(nonzero_shape(domain), domain.stride().clone())
    })
}

/// The shape of a layout with 1 where the stride is 0.
pub(super) fn nonzero_shape(layout: &DynLayout) -> IntTuple {
    let mut strides = layout.stride().leaves().into_iter();
    layout.shape().map(|extent| match strides.next() {
        Some(stride) if stride.value() == 0 => 1,
        _ => *extent,
    })
}

fn filter_plain(layout: &DynLayout) -> Result<DynLayout> {
    on_flat("filter", layout, |flat| Ok(flat.filter()))
}

/// [`coalesce`] of [`filter_zeros`]: the offsets without their repetitions by stride 0.
///
/// # Errors
/// [`Rule::TooManyModes`].
pub fn filter<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("filter", &[], filter_plain)
}

/// [`filter`] of each mode that a leaf of `profile` names.
///
/// # Errors
/// [`Rule::RankAbove`] where the profile has more modes.
pub fn filter_by<L: Domain>(layout: &L, profile: &IntTuple) -> Result<L> {
    layout.map_domain("filter", &[profile], |domain| {
        by_profile("filter", domain, profile, &filter_plain)
    })
}
