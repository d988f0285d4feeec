//! The inverses and the nullspace of a layout.
//!
//! ```text
//! l = (2,4):(4,1)    right_inverse(l) = (4,2):(2,1)     l(right_inverse(l)(i)) = i
//! l = (4,2):(1,5)    left_inverse(l)  = (5,2):(1,4)     left_inverse(l)(l(i)) = i, the hole at 4 skipped
//! l = (4,8):(1,0)    nullspace(l)     = 8:4             l(nullspace(l)(i)) = 0
//! ```
//!
//! Source: `cute/layout.hpp`, "Right-Inverse and Left-Inverse", "Kernel (Nullspace) of a Layout".

use super::coalesce::on_flat;
use super::error::Result;
use super::layout::DynLayout;
use super::rules::{Flat, Rule, left_inverse as left_rule, right_inverse as right_rule};

/// The layout `r` of the longest run from offset 0 with `layout(r(i)) == i` for every `i` of `r`; modes of
/// stride 0 and modes that do not continue the run are left out. `1:0` where no mode has stride 1.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
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

/// The layout `r` with `layout(r(layout(i))) == layout(i)` for every `i`, and `r(layout(i)) == i` where the
/// layout is injective. Where it is not, `r` may point past the end of the coalesced layout, whose last mode
/// goes on there.
///
/// # Errors
/// [`Rule::InverseStride`] where the sorted strides do not divide one another; [`Rule::NegativeStride`] and
/// [`Rule::NotQuasiInverse`] where CuTe's result breaks the law; [`Rule::BasisStride`], [`Rule::Overflow`].
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

/// The layout `r` of the modes of stride 0: `layout(r(i)) == 0` for every `i`, and
/// `size(r) == size(layout) / size(filter_zeros(layout))`.
///
/// # Errors
/// [`Rule::Overflow`], [`Rule::TooManyModes`].
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
