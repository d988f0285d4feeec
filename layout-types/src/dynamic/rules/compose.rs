//! When is a composition of layouts a layout, and which one.
//!
//! `A o B` is admissible exactly when CuTe's result `R` is the function composition,
//! `R(c) == A(B(c))` for every `c` of `B`, with `A`'s last mode unbounded. Both halves of the
//! decision work on `A` coalesced, mode by mode of `B`, and never walk over `B`'s elements:
//!
//! 1. **Each mode `s:d` of `B`** is divided through `A`'s shape ([`split`]). Each prefix product of
//!    `A`'s shape must divide `d` or be divided by it, or the mode must end before it reaches that
//!    boundary; and the number of steps inside a mode of `A` must divide the steps that are left.
//! 2. **All modes together** ([`joint`]): write each mode's image in the mixed radix of `A`'s
//!    shape. Per digit, the maxima over the modes must sum to less than the digit's shape, the last
//!    digit free.
//!
//! ```text
//! A = (4,4):(4,1)   B = (2,2):(3,1)      digit 0 (shape 4): 3 from mode 0, 1 from mode 1: 4, a carry
//!                                        B(1,1) = 4 is A's (0,1) = 1, not 3*4 + 1*4 = 16
//! ```
//!
//! Why 2 is exact: take the lowest digit `j` that overflows. Steps from zero upwards reach a
//! coordinate where exactly this digit passes its shape `s_j` once and the others are zero; there
//! the true offset and CuTe's differ by `s_j*D_j - D_{j+1}`, and that is zero only where the two
//! modes would have coalesced. Digits that can be negative in one mode and positive in another
//! borrow instead of carry; the same argument gives the sum of those differences over the digits
//! borrowed through.
//!
//! One case resists the argument: a mode that steps over a boundary of `A` unevenly inside a digit
//! whose stride is 0. CuTe can be right there by luck (`(5,8):(0,1) o 4:3 = (2,2):(0,1)`), so those
//! few points are compared one by one.

use super::flat::ceil_div;
use super::{Flat, MAX_MODES, Rule};

/// The most elements that are compared one by one in the one case that no rule decides.
pub const MAX_POINTS: i64 = 1 << 20;

/// A part of a mode of `B` that lies in one mode of `A`: `shape` steps, each `step` elements of
/// that mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The mode of `A`, coalesced.
    pub left: usize,
    /// How many steps.
    pub shape: i64,
    /// How many elements of `A`'s mode a step takes; the result's stride is this times `A`'s.
    pub step: i64,
}

/// One mode of `B` divided through `A`'s shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    len: usize,
    parts: [Part; MAX_MODES],
    /// Whether a digit of stride 0 is stepped over unevenly, so that only the points can tell.
    uneven: bool,
}

impl Split {
    /// How many modes the result has for this mode of `B` (at least 1).
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Never: a mode always leaves at least one part.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Part `i`, fastest first.
    pub const fn part(&self, i: usize) -> Part {
        self.parts[i]
    }
}

/// Divides the mode `shape:stride` of `B` through the shape of `a`.
///
/// `a` is coalesced with its tail kept ([`Flat::coalesce`] of `true`), `shape >= 1`.
///
/// # Errors
/// [`Rule::PrefixProduct`], [`Rule::ShapeSplit`] where CuTe rejects the mode;
/// [`Rule::PrefixProduct`] too where CuTe accepts it and returns another function.
///
/// ```
/// use layout_types::dynamic::rules::{Flat, split};
/// let a = Flat::from_slices(&[4, 6, 8], &[2, 3, 5]).unwrap();
/// let parts = split(&a, 6, 12).unwrap();   // 6:12 takes every third of the 6, then two of the 8
/// assert_eq!((parts.part(0).shape, parts.part(0).step), (2, 3));
/// assert!(split(&a, 6, 3).is_err());       // CuTe returns 3 for element 2, the composition is 7
/// ```
pub const fn split(a: &Flat, shape: i64, stride: i64) -> Result<Split, Rule> {
    divide(a, shape, stride, true)
}

/// [`split`] as CuTe does it: refused only where CuTe refuses, so not always the composition.
///
/// # Errors
/// As [`split`], less often.
pub const fn split_as_cute(a: &Flat, shape: i64, stride: i64) -> Result<Split, Rule> {
    divide(a, shape, stride, false)
}

const fn divide(a: &Flat, shape: i64, stride: i64, exact: bool) -> Result<Split, Rule> {
    let mut out = Split {
        len: 0,
        parts: [Part {
            left: 0,
            shape: 1,
            step: 0,
        }; MAX_MODES],
        uneven: false,
    };
    if stride == 0 {
        out.parts[0] = Part {
            left: 0,
            shape,
            step: 0,
        };
        out.len = 1;
        return Ok(out);
    }
    if stride == i64::MIN {
        return Err(Rule::Overflow);
    }
    let sign = stride.signum();
    let (mut rest_shape, mut rest_stride) = (shape, stride.abs());
    let mut product: i64 = 1;
    let mut j = 0;
    while j + 1 < a.len() {
        let s = a.shape(j);
        product = product.saturating_mul(s);
        if rest_stride % s != 0 && rest_stride >= s {
            return Err(Rule::PrefixProduct {
                stride,
                product,
                steps: shape,
            });
        }
        let fit = ceil_div(s, rest_stride);
        if fit > 1 && rest_shape > 1 {
            let here = if fit < rest_shape { fit } else { rest_shape };
            if rest_shape % here != 0 {
                return Err(Rule::ShapeSplit {
                    steps: rest_shape,
                    fit: here,
                    product,
                });
            }
            if s % rest_stride != 0 && rest_shape > here {
                // The steps leave this mode of A off its boundary.
                if exact && a.stride(j) != 0 {
                    return Err(Rule::PrefixProduct {
                        stride,
                        product,
                        steps: shape,
                    });
                }
                out.uneven = true;
            }
            out.parts[out.len] = Part {
                left: j,
                shape: here,
                step: sign * rest_stride,
            };
            out.len += 1;
            rest_shape /= here;
        }
        rest_stride = ceil_div(rest_stride, s);
        j += 1;
    }
    if out.len == 0 || rest_shape > 1 {
        out.parts[out.len] = Part {
            left: j,
            shape: rest_shape,
            step: sign * rest_stride,
        };
        out.len += 1;
    }
    Ok(out)
}

/// Whether the modes of `b` together stay inside the digits of `a`.
///
/// `a` is coalesced with its tail kept; each mode of `b` passes [`split`].
///
/// # Errors
/// [`Rule::Carry`] or [`Rule::Borrow`] where two modes of `b` disturb each other; [`Rule::Differs`]
/// and [`Rule::TooManyPoints`] in the case that is decided point by point.
pub const fn joint(a: &Flat, b: &Flat) -> Result<(), Rule> {
    let digits = a.len().saturating_sub(1);
    let mut up = [0i64; MAX_MODES];
    let mut down = [0i64; MAX_MODES];
    let mut uneven = false;
    let mut m = 0;
    while m < b.len() {
        let parts = match split(a, b.shape(m), b.stride(m)) {
            Ok(parts) => parts,
            Err(rule) => return Err(rule),
        };
        uneven = uneven || parts.uneven;
        let mut p = 0;
        while p < parts.len {
            let part = parts.parts[p];
            let reach = (part.shape - 1).saturating_mul(part.step);
            if reach >= 0 {
                up[part.left] = up[part.left].saturating_add(reach);
            } else {
                down[part.left] = down[part.left].saturating_sub(reach);
            }
            p += 1;
        }
        m += 1;
    }
    if uneven {
        return same_points(a, b);
    }
    let mut j = 0;
    while j < digits {
        let reach = if up[j] > down[j] { up[j] } else { down[j] };
        if reach >= a.shape(j) {
            return Err(Rule::Carry {
                left: j,
                shape: a.shape(j),
                reach,
            });
        }
        j += 1;
    }
    // Borrows: digit j below zero while a higher digit k is above, or the reverse.
    j = 0;
    while j < digits {
        let mut k = j + 1;
        while k <= digits {
            let opposed = (down[j] > 0 && up[k] > 0) || (up[j] > 0 && down[k] > 0);
            if opposed && !borrow_is_harmless(a, j, k) {
                return Err(Rule::Borrow { low: j, high: k });
            }
            k += 1;
        }
        j += 1;
    }
    Ok(())
}

/// Whether borrowing from digit `k` down to digit `j` leaves the offset alone: the sum over the
/// digits passed of `s*D - D'` is zero, in every basis.
const fn borrow_is_harmless(a: &Flat, j: usize, k: usize) -> bool {
    let mut basis = 0;
    while basis <= MAX_MODES as u8 {
        let mut sum = 0i128;
        let mut i = j;
        while i < k {
            if a.basis(i) == basis {
                sum += a.shape(i) as i128 * a.stride(i) as i128;
            }
            if a.basis(i + 1) == basis {
                sum -= a.stride(i + 1) as i128;
            }
            i += 1;
        }
        if sum != 0 {
            return false;
        }
        basis += 1;
    }
    true
}

/// Compares CuTe's result with the composition on every coordinate of `b`.
const fn same_points(a: &Flat, b: &Flat) -> Result<(), Rule> {
    let points = match b.size() {
        Some(points) if points <= MAX_POINTS => points,
        _ => return Err(Rule::TooManyPoints { most: MAX_POINTS }),
    };
    let mut highest = 0;
    let mut i = 0;
    while i < a.len() {
        if a.basis(i) > highest {
            highest = a.basis(i);
        }
        i += 1;
    }
    // Each mode is split once, not at every point.
    let mut splits = [None; MAX_MODES];
    let mut m = 0;
    while m < b.len() {
        if let Ok(parts) = split(a, b.shape(m), b.stride(m)) {
            splits[m] = Some(parts);
        }
        m += 1;
    }
    let mut c = 0;
    while c < points {
        let index = b.at(c as i128, 0);
        let mut basis = 0;
        while basis <= highest {
            let mut result = 0i128;
            let mut rest = c;
            let mut m = 0;
            while m < b.len() {
                let mut step = rest % b.shape(m);
                rest /= b.shape(m);
                if let Some(parts) = &splits[m] {
                    let mut p = 0;
                    while p < parts.len {
                        let part = &parts.parts[p];
                        if a.basis(part.left) == basis {
                            let taken =
                                ((step % part.shape) as i128).wrapping_mul(part.step as i128);
                            result = result
                                .wrapping_add(taken.wrapping_mul(a.stride(part.left) as i128));
                        }
                        step /= part.shape;
                        p += 1;
                    }
                }
                m += 1;
            }
            if result != a.at(index, basis) {
                return Err(Rule::Differs { at: c });
            }
            basis += 1;
        }
        c += 1;
    }
    Ok(())
}

/// The whole decision for flat layouts with integer strides on the right: `a` as written, `b` as
/// written.
///
/// # Errors
/// The rule broken and the mode of `b` that breaks it (`b.len()` where it takes several).
///
/// ```
/// use layout_types::dynamic::rules::{Flat, Rule, composition};
/// let a = Flat::from_slices(&[4, 4], &[4, 1]).unwrap();
/// let b = Flat::from_slices(&[2, 2], &[3, 1]).unwrap();
/// assert_eq!(composition(&a, &b), Err((2, Rule::Carry { left: 0, shape: 4, reach: 4 })));
/// ```
pub const fn composition(a: &Flat, b: &Flat) -> Result<(), (usize, Rule)> {
    let a = a.coalesce(true);
    let mut m = 0;
    while m < b.len() {
        if let Err(rule) = split(&a, b.shape(m), b.stride(m)) {
            return Err((m, rule));
        }
        m += 1;
    }
    match joint(&a, b) {
        Ok(()) => Ok(()),
        Err(rule) => Err((b.len(), rule)),
    }
}

/// Whether a tile and its rest cover `a` the way CuTe rounds a divide up: each mode of `a` on its
/// own.
///
/// `a` is coalesced with its tail kept and holds `size` elements; the modes of `tile` pass
/// [`split`] and [`joint`]; those of `rest` need not. The rest of a tile that does not divide a
/// mode of `a` starts over in the next mode, with the tile's last copy sticking out, so
/// `(tile, rest)` is no longer the composition of `a` with anything; but each element of `a` is
/// still in exactly one place:
///
/// ```text
/// (4,3):(3,1) by 3:1     (3,(2,3)):(3,(9,1))     element (4,_), (5,_) stick out
///                         mode 0 of a: tile 3, then 2 copies; mode 1 of a: 3 copies
/// ```
///
/// Per mode of `a`, the steps of tile and rest must nest from 1 without a gap and reach its end.
///
/// # Errors
/// [`Rule::Uncounted`], and those of [`split`].
pub const fn rounds_up(a: &Flat, size: i64, tile: &Flat, rest: &Flat) -> Result<(), Rule> {
    let mut before = 1i64;
    let mut j = 0;
    while j < a.len() {
        let s = if j + 1 == a.len() {
            size / before
        } else {
            a.shape(j)
        };
        // The next step to be found, and what is covered so far.
        let mut covered = 1i64;
        while covered < s {
            let (mut found, mut m) = (1i64, 0);
            while m < tile.len() + rest.len() {
                let parts = if m < tile.len() {
                    split(a, tile.shape(m), tile.stride(m))
                } else {
                    split_as_cute(a, rest.shape(m - tile.len()), rest.stride(m - tile.len()))
                };
                let parts = match parts {
                    Ok(parts) => parts,
                    Err(rule) => return Err(rule),
                };
                let mut p = 0;
                while p < parts.len {
                    let part = parts.parts[p];
                    if part.left == j && part.step == covered && part.shape > 1 {
                        if found > 1 {
                            return Err(Rule::Uncounted {
                                left: j,
                                step: covered,
                            });
                        }
                        found = part.shape;
                    }
                    p += 1;
                }
                m += 1;
            }
            if found == 1 {
                return Err(Rule::Uncounted {
                    left: j,
                    step: covered,
                });
            }
            covered = covered.saturating_mul(found);
        }
        before = before.saturating_mul(s);
        j += 1;
    }
    Ok(())
}
