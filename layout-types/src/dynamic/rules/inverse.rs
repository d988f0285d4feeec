//! The two inverses of a layout, on flat layouts.
//!
//! ```text
//! a = (2,4):(4,1)    offsets  0 4 1 5 2 6 3 7        right_inverse(a) = (4,2):(2,1)
//!                    index    0 1 2 3 4 5 6 7        offset 1 is at index 2, offset 4 at index 1
//! ```
//!
//! Both sort the modes of the coalesced layout by stride. The right inverse follows the unbroken run from
//! offset 0; the left inverse spans holes and, where modes overlap, is only a quasi-inverse.

use super::{Flat, MAX_MODES, Rule};

/// The exclusive prefix products of a flat layout's shape: the index at which each mode takes its first step.
const fn prefix_products(flat: &Flat) -> Option<[i64; MAX_MODES]> {
    let mut out = [1i64; MAX_MODES];
    let mut i = 1;
    while i < flat.len() {
        out[i] = match out[i - 1].checked_mul(flat.shape(i - 1)) {
            Some(product) => product,
            None => return None,
        };
        i += 1;
    }
    Some(out)
}

/// CuTe's `right_inverse` of a coalesced layout.
///
/// Law: `layout(R(i)) == i` for every `i < size(R)`; `R` covers the longest run of modes from stride 1.
///
/// # Errors
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::{Flat, right_inverse};
/// let a = Flat::from_slices(&[2, 4], &[4, 1]).unwrap();
/// assert_eq!(right_inverse(&a), Flat::from_slices(&[4, 2], &[2, 1]));
/// ```
pub const fn right_inverse(coalesced: &Flat) -> Result<Flat, Rule> {
    let first = match prefix_products(coalesced) {
        Some(first) => first,
        None => return Err(Rule::Overflow),
    };
    let order = coalesced.sorted();
    let mut out = Flat::new();
    let mut next = 1;
    let mut k = 0;
    while k < coalesced.len() {
        let i = order[k];
        if coalesced.basis(i) != 0 {
            return Err(Rule::BasisStride);
        }
        if coalesced.stride(i) == next {
            if let Err(rule) = out.push(coalesced.shape(i), first[i], 0) {
                return Err(rule);
            }
            next = match coalesced.shape(i).checked_mul(next) {
                Some(next) => next,
                None => return Err(Rule::Overflow),
            };
        }
        k += 1;
    }
    Ok(out.coalesce(false))
}

/// CuTe's `left_inverse` of a coalesced layout: a quasi-inverse, and the left inverse where the layout is
/// injective.
///
/// Law: `layout(R(layout(i))) == layout(i)` for every `i`, both functions unbounded in their last mode; with
/// an injective layout `R(layout(i)) == i`.
///
/// # Errors
/// [`Rule::NegativeStride`] (CuTe's result would have a negative shape), [`Rule::InverseStride`] (a stride
/// that is no multiple of the one before it), [`Rule::NotQuasiInverse`] (CuTe's result breaks the law),
/// [`Rule::BasisStride`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::{Flat, left_inverse};
/// let a = Flat::from_slices(&[4, 2], &[1, 5]).unwrap();
/// assert_eq!(left_inverse(&a), Flat::from_slices(&[5, 2], &[1, 4]));
/// ```
pub const fn left_inverse(coalesced: &Flat) -> Result<Flat, Rule> {
    let first = match prefix_products(coalesced) {
        Some(first) => first,
        None => return Err(Rule::Overflow),
    };
    let order = coalesced.sorted();
    let mut out = Flat::new();
    // The stride of the result's next mode, and the offset that its modes so far cover.
    let (mut step, mut covered, mut reach) = (0i64, 1i64, 0i64);
    let mut k = 0;
    while k < coalesced.len() {
        let i = order[k];
        let (shape, stride) = (coalesced.shape(i), coalesced.stride(i));
        k += 1;
        if coalesced.basis(i) != 0 {
            return Err(Rule::BasisStride);
        }
        if stride == 0 {
            continue;
        }
        if stride < 0 {
            return Err(Rule::NegativeStride { stride });
        }
        if stride % covered != 0 {
            return Err(Rule::InverseStride { stride, before: covered });
        }
        if let Err(rule) = out.push(stride / covered, step, 0) {
            return Err(rule);
        }
        step = first[i];
        covered = stride;
        reach = match (shape - 1).checked_mul(stride) {
            Some(span) => reach.saturating_add(span),
            None => return Err(Rule::Overflow),
        };
    }
    let last = order[coalesced.len().saturating_sub(1)];
    if let Err(rule) = out.push(coalesced.shape(last), step, 0) {
        return Err(rule);
    }
    // Overlapping modes carry into the largest stride; only a last mode takes that, because it is unbounded.
    if reach / covered >= coalesced.shape(last) && last + 1 != coalesced.len() {
        return Err(Rule::NotQuasiInverse { stride: covered, shape: coalesced.shape(last), reach });
    }
    Ok(out.coalesce(false))
}
