//! A layout handled as a tuple of its modes.
//!
//! ```text
//! l = (4,8,2):(1,4,32)    select(l, 2,0) = (2,4):(32,1)     group(l, 0..2) = ((4,8),2):((1,4),32)
//!                         take(l, 1..3)  = (8,2):(4,32)     append(l, 3:64) = (4,8,2,3):(1,4,32,64)
//! ```
//!
//! Source: `cute/layout.hpp`, `cute/algorithm/tuple_algorithms.hpp`.

use alloc::vec::Vec;

use super::composed::Domain;
use super::error::{LayoutError, Result};
use super::int_tuple::Nested;
use super::layout::DynLayout;
use super::rules::Rule;

/// The modes named, in that order, as a tuple.
///
/// # Errors
/// [`Rule::NoSuchMode`], [`Rule::Empty`].
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

/// Modes `begin..end` as a tuple.
///
/// # Errors
/// [`Rule::Range`] for an empty range or one beyond the modes.
pub fn take<L: Domain>(layout: &L, begin: usize, end: usize) -> Result<L> {
    layout.map_domain("take", &[], |domain| {
        range("take", domain, begin, end)?;
        DynLayout::from_modes(domain.modes()[begin..end].to_vec())
    })
}

/// Modes `begin..end` made one mode.
///
/// # Errors
/// [`Rule::Range`] for an empty range or one beyond the modes.
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

/// The layout with depth at most 1.
///
/// # Errors
/// None for a valid layout.
pub fn flatten<L: Domain>(layout: &L) -> Result<L> {
    layout.map_domain("flatten", &[], |domain| {
        DynLayout::new(domain.shape().flatten(), domain.stride().flatten())
    })
}

/// The layout with one more mode at the end.
///
/// # Errors
/// None for valid layouts.
pub fn append<L: Domain>(layout: &L, mode: &DynLayout) -> Result<L> {
    layout.map_domain("append", &[mode], |domain| {
        DynLayout::new(
            domain.shape().append(mode.shape().clone()),
            domain.stride().append(mode.stride().clone()),
        )
    })
}

/// The layout with one more mode in front.
///
/// # Errors
/// None for valid layouts.
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

/// The layout filled up to `rank` modes with copies of `mode` (`1:0` without one): CuTe's `append<rank>`.
///
/// # Errors
/// [`Rule::RankAbove`] where it has more modes already.
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

/// The layout filled up to `rank` modes in front: CuTe's `prepend<rank>`.
///
/// # Errors
/// As [`append_to`].
pub fn prepend_to<L: Domain>(layout: &L, rank: usize, mode: Option<&DynLayout>) -> Result<L> {
    layout.map_domain("prepend", &[], |domain| {
        pad("prepend", domain, rank, mode, true)
    })
}

/// The layout with mode `i` replaced.
///
/// # Errors
/// [`Rule::NoSuchMode`].
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

/// `((a0,a1,..),(b0,b1,..))` becomes `((a0,b0,..),(a1,b1,..),..)`: CuTe's `zip(layout)`.
///
/// # Errors
/// [`Rule::Rank`] where the modes have different ranks.
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

/// `(a0,a1,..)` and `(b0,b1,..)` become `((a0,b0),(a1,b1),..)`: CuTe's `zip(a, b)`.
///
/// # Errors
/// [`Rule::Rank`] where the ranks differ.
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
