//! Coalescing a layout, filling its holes, and its inverses.
//!
//! ```text
//! coalesce    (2,(1,6)):(1,(6,2)) = 12:1             complement   (2,2):(1,8) in 32 = (4,2):(2,16)
//! right_inverse   (2,4):(4,1) = (4,2):(2,1)          nullspace    (4,8):(1,0) = 8:4
//! ```
//! Each operation works on the layout's flat, coalesced form, on which the rules of
//! [`rules`](super::rules) are stated.

use super::composed::Domain;
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{
    Flat, Rule, complement as complement_rule, left_inverse as left_rule,
    right_inverse as right_rule,
};
use alloc::vec::Vec;

// -- Coalesce and filter --------------------------------------------------------------------------
//
// Layouts of the same function with fewer modes.
//
// ```text
// coalesce   (2,(1,6)):(1,(6,2))  =  12:1        filter_zeros  (2,4):(1,0) = (2,1):(1,0)
// by profile ((2,4),8):((1,2),8), (1,1) = (8,8):(1,8)    filter = coalesce of that: 2:1
// ```
//
// Laws: `coalesce(l)(i) == l(i)` for every `i` of `l`, with depth at most 1 and without modes of
// size 1; coalescing by a profile keeps the modes that the profile names. Source:
// `cute/layout.hpp`, "Coalesce and Filter".

/// Applies a function of flat layouts to a layout.
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

/// Applies `f` at the leaves of a profile. Modes beyond the profile do not change.
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

/// Returns the layout of the same function with the fewest modes, or `1:0` for one element.
///
/// # Errors
/// Returns [`Rule::TooManyModes`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, coalesce};
/// let layout: DynLayout = "(2,(1,6)):(1,(6,2))".parse().unwrap();
/// assert_eq!(coalesce(&layout).unwrap().to_string(), "12:1");
/// ```
pub fn coalesce<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("coalesce", &[], coalesce_plain)
}

/// Applies [`coalesce`] to each mode that a leaf of `profile` names. The leaves' values do not
/// matter.
///
/// # Errors
/// Returns [`Rule::RankAbove`] if the profile has more modes than the layout.
pub fn coalesce_by<L: Domain>(layout: &L, profile: &IntTuple) -> Result<L> {
    layout.map_domain("coalesce", &[profile], |domain| {
        by_profile("coalesce", domain, profile, &coalesce_plain)
    })
}

/// Gives modes of stride 0 the size 1.
///
/// # Errors
/// Returns no error for a valid layout.
pub fn filter_zeros<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("filter_zeros", &[], |domain| {
        DynLayout::new(nonzero_shape(domain), domain.stride().clone())
    })
}

/// Returns the shape of a layout with each extent of stride 0 replaced by 1.
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

/// Applies [`filter_zeros`] and then [`coalesce`]: each repetition by a stride of 0 is removed.
///
/// # Errors
/// Returns [`Rule::TooManyModes`].
pub fn filter<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("filter", &[], filter_plain)
}

/// Applies [`filter`] to each mode that a leaf of `profile` names.
///
/// # Errors
/// Returns [`Rule::RankAbove`] if the profile has more modes than the layout.
pub fn filter_by<L: Domain>(layout: &L, profile: &IntTuple) -> Result<L> {
    layout.map_domain("filter", &[profile], |domain| {
        by_profile("filter", domain, profile, &filter_plain)
    })
}

// -- Complement -----------------------------------------------------------------------------------
//
// Layouts that fill the holes of a layout.
//
// ```text
// layout  (2,2):(1,8)   offsets  0 1 . . . . . . 8 9 . . . . . .     complement in 32: (4,2):(2,16)
//                                    2 3 4 5 6 7     ...  and again from 16
// ```
//
// Laws for `r = complement(l, m)`: `r` ascends; `(filter(l), r)` is injective;
// `size(r) >= m / size(filter(l))` and `cosize((l, r)) >= m`. If the strides nest, `filter(l)` and
// `r` together reach every offset from 0 on exactly once. Source: `cute/layout.hpp`, "Complement".

/// Returns the complement of a layout in a target shape. If the target is a tuple, each of its
/// modes is divided in turn.
///
/// # Errors
/// Returns [`Rule::Overlap`] (the layout is not injective), [`Rule::Uncovered`] (CuTe's result
/// breaks a law), [`Rule::NegativeStride`], [`Rule::BasisStride`], [`Rule::NotPositive`], or
/// [`Rule::Overflow`].
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

/// Returns the complement in the layout's own `cosize`: the holes between the layout's first and
/// last offset.
///
/// # Errors
/// Returns the errors of [`complement`].
pub fn complement_in_cosize<L: Domain>(layout: &L) -> Result<DynLayout> {
    let target = super::coalesce::filter(layout.domain())?.cosize()?;
    complement(layout, target)
}

/// Returns the filtered layout as the flat layout that the rules take.
pub(super) fn filtered(layout: &DynLayout) -> core::result::Result<Flat, Rule> {
    if layout.has_basis() {
        return Err(Rule::BasisStride);
    }
    Ok(layout.to_flat(&mut Vec::new())?.filter())
}

// -- Inverses -------------------------------------------------------------------------------------
//
// The inverses and the nullspace of a layout.
//
// ```text
// l = (2,4):(4,1)    right_inverse(l) = (4,2):(2,1)     l(right_inverse(l)(i)) = i
// l = (4,2):(1,5)    left_inverse(l)  = (5,2):(1,4)     left_inverse(l)(l(i)) = i, the hole at 4 skipped
// l = (4,8):(1,0)    nullspace(l)     = 8:4             l(nullspace(l)(i)) = 0
// ```
//
// Source: `cute/layout.hpp`, "Right-Inverse and Left-Inverse", "Kernel (Nullspace) of a Layout".

/// Returns the layout `r` of the longest run from offset 0 with `layout(r(i)) == i` for every `i`
/// of `r`. The run skips modes of stride 0 and modes that do not continue it. `r` is `1:0` if no
/// mode has stride 1.
///
/// # Errors
/// Returns [`Rule::BasisStride`] or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, right_inverse};
/// let layout: DynLayout = "(4,8):(8,1)".parse().unwrap();
/// assert_eq!(right_inverse(&layout).unwrap().to_string(), "(8,4):(4,1)");
/// ```
pub fn right_inverse(layout: &DynLayout) -> Result<DynLayout> {
    on_flat("right_inverse", layout, |flat| {
        right_rule(&flat.coalesce(false))
    })
}

/// Returns the layout `r` with `layout(r(layout(i))) == layout(i)` for every `i`, and
/// `r(layout(i)) == i` if the layout is injective. Otherwise `r` may point past the end of the
/// coalesced layout, where the coalesced layout's last mode continues.
///
/// # Errors
/// Returns [`Rule::InverseStride`] if a sorted stride does not divide the next one;
/// [`Rule::NegativeStride`] or [`Rule::NotQuasiInverse`] if CuTe's result breaks the law;
/// [`Rule::BasisStride`]; or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, left_inverse};
/// let layout: DynLayout = "(4,2):(1,5)".parse().unwrap();
/// assert_eq!(left_inverse(&layout).unwrap().to_string(), "(5,2):(1,4)");
/// ```
pub fn left_inverse(layout: &DynLayout) -> Result<DynLayout> {
    on_flat("left_inverse", layout, |flat| {
        left_rule(&flat.coalesce(false))
    })
}

/// Returns the layout `r` of the modes of stride 0: `layout(r(i)) == 0` for every `i`, and
/// `size(r) == size(layout) / size(filter_zeros(layout))`.
///
/// # Errors
/// Returns [`Rule::Overflow`] or [`Rule::TooManyModes`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, nullspace};
/// let layout: DynLayout = "(2,4,6,2):(4,1,0,8)".parse().unwrap();
/// assert_eq!(nullspace(&layout).unwrap().to_string(), "6:8");
/// ```
pub fn nullspace(layout: &DynLayout) -> Result<DynLayout> {
    on_flat("nullspace", layout, |flat| {
        let mut out = Flat::new();
        let mut step = 1i64;
        for i in 0..flat.len() {
            if flat.stride(i) == 0 {
                out.push(flat.shape(i), if flat.shape(i) == 1 { 0 } else { step }, 0)?;
            }
            step = step.checked_mul(flat.shape(i)).ok_or(Rule::Overflow)?;
        }
        if out.is_empty() {
            out.push(1, 0, 0)?;
        }
        Ok(out)
    })
}
