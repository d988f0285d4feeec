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
    left(coalesced, true)
}

/// [`left_inverse`] as CuTe does it, also where its result breaks the law (but for negative strides).
///
/// # Errors
/// As [`left_inverse`] without [`Rule::NotQuasiInverse`].
pub const fn left_inverse_as_cute(coalesced: &Flat) -> Result<Flat, Rule> {
    left(coalesced, false)
}

const fn left(coalesced: &Flat, lawful: bool) -> Result<Flat, Rule> {
    let first = match prefix_products(coalesced) {
        Some(first) => first,
        None => return Err(Rule::Overflow),
    };
    let order = coalesced.sorted();
    let mut out = Flat::new();
    // The mode before, its stride and the most steps of it that an offset can take: its own and what the
    // modes of smaller stride carry into it where they overlap.
    let (mut before, mut covered, mut steps) = (usize::MAX, 1i64, 0i64);
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
            return Err(Rule::InverseStride {
                stride,
                before: covered,
            });
        }
        let ratio = stride / covered;
        if let Err(rule) = out.push(
            ratio,
            if before == usize::MAX {
                0
            } else {
                first[before]
            },
            0,
        ) {
            return Err(rule);
        }
        let mut carry = 0;
        if before != usize::MAX {
            let kept = if steps < ratio { steps } else { ratio - 1 };
            if lawful && passes_end(coalesced, before, kept) {
                return Err(Rule::NotQuasiInverse {
                    stride: covered,
                    shape: coalesced.shape(before),
                    steps: kept,
                });
            }
            carry = steps / ratio;
        }
        steps = (shape - 1).saturating_add(carry);
        (before, covered) = (i, stride);
    }
    let last = order[coalesced.len().saturating_sub(1)];
    if let Err(rule) = out.push(
        coalesced.shape(last),
        if before == usize::MAX {
            0
        } else {
            first[before]
        },
        0,
    ) {
        return Err(rule);
    }
    if lawful && before != usize::MAX && passes_end(coalesced, before, steps) {
        return Err(Rule::NotQuasiInverse {
            stride: covered,
            shape: coalesced.shape(before),
            steps,
        });
    }
    Ok(out.coalesce(false))
}

/// Whether so many steps leave mode `i`; the last mode is unbounded.
const fn passes_end(flat: &Flat, i: usize, steps: i64) -> bool {
    i + 1 != flat.len() && steps >= flat.shape(i)
}
