//! The rules of complement, of the inverses and of the casts, on flat layouts.
//!
//! ```text
//! complement   2:1 in 8 = 4:2        right_inverse   (2,4):(4,1) = (4,2):(2,1)        upcast<2>   8:1 = 4:1
//! ```
//!
//! Each rule sorts the modes by stride, or takes one mode at a time, and returns the [`Rule`] that
//! an operand breaks.

use super::flat::ceil_div;
use super::{Flat, MAX_MODES, Rule};

// -- Complement -----------------------------------------------------------------------------------
//
// CuTe's `complement`: a layout that fills the holes of another.
//
// Sort the modes of the layout by stride. Before each mode there is a hole from the end of the
// smaller modes (`covered`) to the mode's stride. The complement steps over this hole
// `stride / covered` times, and after the last mode as often as the target needs.
//
// ```text
// (2,2):(1,8), target 32     covered 1 -> stride 1: 1 x     then covered 2 -> stride 8: 4 x at stride 2
//                            covered 16 -> target 32: 2 x at stride 16        = (4,2):(2,16)
// ```
//
// If a stride is not a multiple of the elements that the smaller modes cover, the division rounds,
// and neither the layout nor its complement reaches some elements. The two stay disjoint, so CuTe
// accepts the layout; [`complement`] refuses it only if a law is broken that CuTe states for the
// result. [`nests`] tells whether such elements exist.

/// Returns the complement of a layout that is already [`filter`](Flat::filter)ed, in a target of
/// the given shape.
///
/// Laws, with `R` the result and `M` the product of `target`: `R` ascends; `(layout, R)` is
/// injective; `size(R) >= M / size(layout)`; `cosize((layout, R)) >= M`.
///
/// # Errors
/// Returns [`Rule::NegativeStride`], [`Rule::Overlap`] (the layout is not injective),
/// [`Rule::Uncovered`] (a law is broken), or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::{Flat, complement};
/// let tile = Flat::from_slices(&[2, 2], &[1, 8]).unwrap();
/// assert_eq!(complement(&tile, &[32]), Flat::from_slices(&[4, 2], &[2, 16]));
/// ```
pub const fn complement(filtered: &Flat, target: &[i64]) -> Result<Flat, Rule> {
    let holes = match holes(filtered, target) {
        Ok(holes) => holes,
        Err(rule) => return Err(rule),
    };
    let (mut wanted, mut i) = (1i64, 0);
    while i < target.len() {
        wanted = match wanted.checked_mul(target[i]) {
            Some(wanted) => wanted,
            None => return Err(Rule::Overflow),
        };
        i += 1;
    }
    match (
        holes.size(),
        filtered.size(),
        holes.cosize(),
        filtered.cosize(),
    ) {
        (Some(size), Some(of), Some(reach), Some(cosize)) => {
            // The sum is at most twice the largest `i64`.
            let reached = (reach - 1) as i128 + cosize as i128;
            if size < wanted / of || reached < wanted as i128 {
                return Err(Rule::Uncovered {
                    wanted,
                    reached: if reached < i64::MAX as i128 {
                        reached as i64
                    } else {
                        i64::MAX
                    },
                    size,
                    of,
                });
            }
            Ok(holes)
        }
        _ => Err(Rule::Overflow),
    }
}

/// Returns the complement like [`complement`], but without the last two laws. A product needs only
/// this, because it repeats a layout and need not fill the target.
///
/// # Errors
/// Returns [`Rule::NegativeStride`], [`Rule::Overlap`], or [`Rule::Overflow`].
pub const fn holes(filtered: &Flat, target: &[i64]) -> Result<Flat, Rule> {
    let order = filtered.sorted();
    let mut out = Flat::new();
    let mut covered: i64 = 1;
    let mut k = 0;
    while k < filtered.len() {
        let (shape, stride) = (filtered.shape(order[k]), filtered.stride(order[k]));
        k += 1;
        if stride == 0 {
            continue; // the whole layout is 1:0
        }
        if stride < 0 {
            return Err(Rule::NegativeStride { stride });
        }
        if filtered.basis(order[k - 1]) != 0 {
            return Err(Rule::BasisStride);
        }
        if stride < covered {
            return Err(Rule::Overlap { stride, covered });
        }
        if let Err(rule) = out.push(stride / covered, covered, 0) {
            return Err(rule);
        }
        covered = match stride.checked_mul(shape) {
            Some(covered) => covered,
            None => return Err(Rule::Overflow),
        };
    }
    // Divide the target's modes by `covered`, from the first mode on; the part of the divisor that
    // one mode does not use up divides the next.
    let (mut rest, mut divisor, mut i) = (1i64, covered, 0);
    while i < target.len() {
        rest = match rest.checked_mul(ceil_div(target[i], divisor)) {
            Some(rest) => rest,
            None => return Err(Rule::Overflow),
        };
        divisor = ceil_div(divisor, target[i]);
        i += 1;
    }
    if let Err(rule) = out.push(rest, covered, 0) {
        return Err(rule);
    }
    Ok(out.coalesce(false))
}

/// Whether the sorted modes of a filtered layout nest: each stride is a multiple of the number of
/// elements that the smaller modes cover. Then the layout and its complement together reach every
/// element from 0 on exactly once.
///
/// # Errors
/// Returns [`Rule::NegativeStride`], [`Rule::Overlap`] or [`Rule::Gap`].
///
/// ```
/// use layout_types::dynamic::rules::{Flat, Rule, nests};
/// let tile = Flat::from_slices(&[2, 4], &[1, 3]).unwrap();
/// assert_eq!(nests(&tile), Err(Rule::Gap { stride: 3, covered: 2 }));
/// ```
pub const fn nests(filtered: &Flat) -> Result<(), Rule> {
    let order = filtered.sorted();
    let mut covered: i64 = 1;
    let mut k = 0;
    while k < filtered.len() {
        let (shape, stride) = (filtered.shape(order[k]), filtered.stride(order[k]));
        k += 1;
        if stride == 0 {
            continue;
        }
        if stride < 0 {
            return Err(Rule::NegativeStride { stride });
        }
        if stride < covered {
            return Err(Rule::Overlap { stride, covered });
        }
        if stride % covered != 0 {
            return Err(Rule::Gap { stride, covered });
        }
        covered = match stride.checked_mul(shape) {
            Some(covered) => covered,
            None => return Err(Rule::Overflow),
        };
    }
    Ok(())
}

// -- Inverses -------------------------------------------------------------------------------------
//
// The two inverses of a layout, on flat layouts.
//
// ```text
// a = (2,4):(4,1)    offsets  0 4 1 5 2 6 3 7        right_inverse(a) = (4,2):(2,1)
//                    index    0 1 2 3 4 5 6 7        offset 1 is at index 2, offset 4 at index 1
// ```
//
// Both inverses sort the modes of the coalesced layout by stride. The right inverse follows the
// unbroken run from offset 0. The left inverse spans holes; where modes overlap it is only a
// quasi-inverse.

/// Returns the exclusive prefix products of a flat layout's shape: the index at which each mode
/// takes its first step. Returns `None` if a product does not fit.
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

/// Returns CuTe's `right_inverse` of a coalesced layout.
///
/// Law: `layout(R(i)) == i` for every `i < size(R)`; `R` covers the longest run of modes from
/// stride 1.
///
/// # Errors
/// Returns [`Rule::BasisStride`] or [`Rule::Overflow`].
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

/// Returns CuTe's `left_inverse` of a coalesced layout. It is a quasi-inverse, and the left inverse
/// if the layout is injective.
///
/// Law: `layout(R(layout(i))) == layout(i)` for every `i`, where both functions are unbounded in
/// their last mode; if the layout is injective, `R(layout(i)) == i`.
///
/// # Errors
/// Returns [`Rule::NegativeStride`] (CuTe's result would have a negative shape),
/// [`Rule::InverseStride`] (a stride that is no multiple of the one before it),
/// [`Rule::NotQuasiInverse`] (CuTe's result breaks the law), [`Rule::BasisStride`], or
/// [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::{Flat, left_inverse};
/// let a = Flat::from_slices(&[4, 2], &[1, 5]).unwrap();
/// assert_eq!(left_inverse(&a), Flat::from_slices(&[5, 2], &[1, 4]));
/// ```
pub const fn left_inverse(coalesced: &Flat) -> Result<Flat, Rule> {
    left(coalesced, true)
}

/// Returns CuTe's result even if it breaks the law of [`left_inverse`]. Negative strides are still
/// refused.
///
/// # Errors
/// Returns the errors of [`left_inverse`] without [`Rule::NotQuasiInverse`].
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
    // The previous mode, its stride, and the largest number of steps of this stride that an offset
    // can take: the mode's own steps and the steps that smaller overlapping modes carry into it.
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

/// Whether `steps` steps leave mode `i`; the last mode is unbounded.
const fn passes_end(flat: &Flat, i: usize, steps: i64) -> bool {
    i + 1 != flat.len() && steps >= flat.shape(i)
}

// -- Casts ----------------------------------------------------------------------------------------
//
// The rules of `upcast` and `downcast`, which count elements in larger or smaller units, for one
// mode.
//
// ```text
// upcast by 4:    8:1 -> 2:1      (8 halfs are two 64-bit words)
//                 3:8 -> 3:2      (8 halfs apart is two words apart)
// downcast by 4:  2:1 -> 8:1,     3:2 -> 3:8
// ```

/// Applies CuTe's `upcast` to one mode: `n` neighbouring elements become one. If `n / stride` does
/// not divide the shape, the shape is rounded up, as in CuTe; [`exact_upcast`] refuses it.
///
/// # Errors
/// Returns [`Rule::CastStride`] unless `n` divides the stride or the stride divides `n`.
///
/// ```
/// use layout_types::dynamic::rules::upcast;
/// assert_eq!(upcast(8, 1, 4), Ok((2, 1)));
/// assert_eq!(upcast(3, 8, 4), Ok((3, 2)));
/// assert!(upcast(8, 6, 4).is_err());
/// ```
pub const fn upcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    if n < 1 {
        return Err(Rule::NotPositive { value: n });
    }
    if stride == 0 {
        return Ok((shape, 0));
    }
    if stride == i64::MIN {
        return Err(Rule::Overflow);
    }
    let magnitude = stride.abs();
    if magnitude % n != 0 && n % magnitude != 0 {
        return Err(Rule::CastStride { stride, n });
    }
    Ok((
        ceil_div(shape, ceil_div(n, magnitude)),
        stride.signum() * ceil_div(magnitude, n),
    ))
}

/// Applies [`upcast`] to a mode, and refuses a shape that would be rounded up.
///
/// # Errors
/// Returns the errors of [`upcast`] or [`Rule::CastShape`].
pub const fn exact_upcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    match upcast(shape, stride, n) {
        Err(rule) => Err(rule),
        Ok(mode) => {
            let per_unit = if stride == 0 {
                1
            } else {
                ceil_div(n, stride.abs())
            };
            if shape % per_unit != 0 {
                return Err(Rule::CastShape { shape, per_unit });
            }
            Ok(mode)
        }
    }
}

/// Applies CuTe's `downcast` to one mode: each element becomes `n` elements.
///
/// # Errors
/// Returns [`Rule::NotPositive`] or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::downcast;
/// assert_eq!(downcast(2, 1, 4), Ok((8, 1)));
/// assert_eq!(downcast(3, 2, 4), Ok((3, 8)));
/// ```
pub const fn downcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    if n < 1 {
        return Err(Rule::NotPositive { value: n });
    }
    let (scaled, kept) = if stride == 1 || stride == -1 {
        (shape, stride)
    } else {
        (stride, shape)
    };
    match scaled.checked_mul(n) {
        None => Err(Rule::Overflow),
        Some(product) if stride == 1 || stride == -1 => Ok((product, kept)),
        Some(product) => Ok((kept, product)),
    }
}
