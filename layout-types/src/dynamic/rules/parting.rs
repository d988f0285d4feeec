//! Moves parts of the first offset of a slice out of the swizzle of a swizzled layout.
//!
//! ```text
//! Sw<1,3,3>     gap  ...Y GG.Z ...       slice T = 48:1 from 48 = 110000
//!                                        48 + 47 carries from the gap into Y:  Sw o 48 o T, from 0
//!                                        16 + 47 does not:                     Sw o  0 o T, from 16
//! ```
//!
//! Law: `Sw(start + t) == outside + Sw(inside + t)` for every offset `t` of the slice, and
//! `start == inside + outside`. If [`Parting::linear`] holds, each bit of `t` adds its own fixed
//! number to `Sw(start)`.

use super::{Flat, Rule, Swizzle};

/// The two parts of a slice's first offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The part that is added between the swizzle and the slice.
    pub inside: i64,
    /// The part that is added after the swizzle.
    pub outside: i64,
    /// Whether the swizzle acts on each bit of the slice's offsets separately, so that strides can
    /// express its effect.
    pub linear: bool,
}

/// The bits of a slice's offsets that matter for a sum.
struct Bits {
    /// Every bit that some offset may set.
    mask: i64,
    /// A power of two that divides every offset.
    unit: i64,
}

/// Splits `start`, the offset of the first element, for a slice with the modes `slice` to which
/// `swizzle` is applied.
///
/// The parts that provably commute with the swizzle are added after it: multiples of its period in
/// any case; the bits below both fields if `start` plus an offset of the slice never carries into
/// the lower field; the bits between the fields if it never carries into the upper field. If the
/// slice has negative strides, all of `start` stays inside.
///
/// # Errors
/// Returns [`Rule::BasisStride`], or [`Rule::NegativeStride`] for a `start` below 0.
///
/// ```
/// use layout_types::dynamic::rules::{Flat, Swizzle, part};
/// let swizzle = Swizzle::new(1, 3, 3).unwrap();
/// let row = Flat::from_slices(&[48], &[1]).unwrap();
/// assert_eq!((part(&row, &swizzle, 48).unwrap().inside, part(&row, &swizzle, 144).unwrap().inside), (48, 0));
/// ```
pub const fn part(slice: &Flat, swizzle: &Swizzle, start: i64) -> Result<Parting, Rule> {
    if start < 0 {
        return Err(Rule::NegativeStride { stride: start });
    }
    if swizzle.is_identity() {
        return Ok(Parting {
            inside: 0,
            outside: start,
            linear: true,
        });
    }
    let bits = match bits(slice) {
        Err(rule) => return Err(rule),
        Ok(None) => {
            return Ok(Parting {
                inside: start,
                outside: 0,
                linear: false,
            });
        }
        Ok(Some(bits)) => bits,
    };
    let (base, width, apart) = (
        swizzle.base(),
        swizzle.bits(),
        swizzle.shift().unsigned_abs(),
    );
    let (low, upper) = (1i64 << base, 1i64 << (base + apart));
    let low_free = !carries(slice, &bits, low, start);
    let gap_free = !carries(slice, &bits, upper, start);
    let period = upper << width;
    let mut outside = start & !(period - 1);
    if low_free {
        outside += start & (low - 1);
    }
    if gap_free {
        outside += start & (upper - (low << width));
    }
    let fields = swizzle.yyy_mask() | swizzle.zzz_mask();
    let crossed = bits.mask & (swizzle.apply(bits.mask) ^ bits.mask);
    Ok(Parting {
        inside: start - outside,
        outside,
        linear: low_free && gap_free && start & bits.mask & fields == 0 && crossed == 0,
    })
}

/// The limit for the offsets of a slice: above it `start` stays inside, since bit masks would not
/// fit.
const FAR: i64 = 1 << 60;

/// Returns the bits of a slice's offsets, or `None` if a stride is negative or an offset is not
/// below [`FAR`].
const fn bits(slice: &Flat) -> Result<Option<Bits>, Rule> {
    // Each mode can set the bits from its stride's lowest bit to its reach's highest bit. If two
    // modes can set the same bit, their sum carries.
    let (mut mask, mut total, mut met, mut unit) = (0i64, 0i64, false, i64::MAX);
    let mut i = 0;
    while i < slice.len() {
        let (steps, stride) = (slice.shape(i) - 1, slice.stride(i));
        i += 1;
        if slice.basis(i - 1) != 0 {
            return Err(Rule::BasisStride);
        }
        if steps == 0 || stride == 0 {
            continue;
        }
        if stride < 0 {
            return Ok(None);
        }
        let reach = match steps.checked_mul(stride) {
            Some(reach) if reach < FAR => reach,
            _ => return Ok(None),
        };
        let lowest = stride & -stride;
        let own = (2 << reach.ilog2()) - lowest;
        met |= mask & own != 0;
        mask |= own;
        total = match total.checked_add(reach) {
            Some(total) if total < FAR => total,
            _ => return Ok(None),
        };
        if lowest < unit {
            unit = lowest;
        }
    }
    if met {
        mask = (2 << total.ilog2()) - unit;
    }
    Ok(Some(Bits { mask, unit }))
}

/// Whether `start` plus an offset of the slice may carry out of the bits below `end`, a power of
/// two.
const fn carries(slice: &Flat, bits: &Bits, end: i64, start: i64) -> bool {
    let low = start & (end - 1);
    // Offsets are multiples of the unit, so their bits below `end` are at most `end - unit`.
    if low < bits.unit {
        return false;
    }
    let (mut sum, mut i) = (low, 0);
    while i < slice.len() {
        let (steps, stride) = (slice.shape(i) - 1, slice.stride(i));
        i += 1;
        if steps == 0 || stride == 0 {
            continue;
        }
        let lowest = stride & -stride;
        let reach = steps * stride;
        sum += if reach < end {
            reach
        } else if lowest < end {
            end - lowest
        } else {
            0
        };
        if sum >= end {
            return true;
        }
    }
    false
}
