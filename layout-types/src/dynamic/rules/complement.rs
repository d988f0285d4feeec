//! What fills the holes of a layout: CuTe's `complement`.
//!
//! Sort the modes of the layout by stride. Below each mode lies a hole from where the modes before it end
//! (`covered`) to its stride; the complement steps over it `stride / covered` times, and at the end as often
//! as the target needs.
//!
//! ```text
//! (2,2):(1,8), target 32     covered 1 -> stride 1: 1 x     then covered 2 -> stride 8: 4 x at stride 2
//!                            covered 16 -> target 32: 2 x at stride 16        = (4,2):(2,16)
//! ```
//!
//! Where a stride is no multiple of what is covered, the division leaves elements that neither the layout
//! nor its complement reaches. The two stay disjoint, so CuTe goes on; [`complement`] refuses only where one
//! of the laws that CuTe states for the result is then broken, and [`nests`] tells whether there are such
//! elements.

use super::flat::ceil_div;
use super::{Flat, Rule};

/// The complement of a layout that is already [`filter`](Flat::filter)ed, in a target of the given shape.
///
/// Laws, with `R` the result and `M` the product of `target`: `R` ascends; `(layout, R)` is injective;
/// `size(R) >= M / size(layout)`; `cosize((layout, R)) >= M`.
///
/// # Errors
/// [`Rule::NegativeStride`], [`Rule::Overlap`] (the layout is not injective), [`Rule::Uncovered`] (a law is
/// broken), [`Rule::Overflow`].
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
            // Up to twice the largest number.
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

/// The same without the last two laws: what a product needs, which repeats a layout and need not fill it.
///
/// # Errors
/// [`Rule::NegativeStride`], [`Rule::Overlap`], [`Rule::Overflow`].
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
    // The target's modes are divided by what is covered from the front; what is left of one divides the next.
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

/// Whether the sorted modes of a filtered layout nest: each stride a multiple of what the modes before it
/// cover. Then the layout and its complement together hit every element from 0 on exactly once.
///
/// # Errors
/// [`Rule::NegativeStride`], [`Rule::Overlap`] or [`Rule::Gap`].
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
