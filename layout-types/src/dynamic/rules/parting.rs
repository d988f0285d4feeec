//! How a slice of a swizzled layout takes the offset of its first element out of the swizzle.
//!
//! ```text
//! Sw<1,3,3>     gap  ...Y GG.Z ...       slice T = 48:1 from 48 = 110000
//!                                        48 + 47 carries from the gap into Y:  Sw o 48 o T, from 0
//!                                        16 + 47 does not:                     Sw o  0 o T, from 16
//! ```
//!
//! Law: `Sw(start + t) == outside + Sw(inside + t)` for every offset `t` of the slice, and
//! `start == inside + outside`; where [`Parting::linear`] holds, each bit of `t` adds to
//! `Sw(start)` a number of its own.

use super::{Flat, Rule, Swizzle};

/// The parts of a slice's first offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// What stays between the swizzle and the slice.
    pub inside: i64,
    /// What is added behind the swizzle.
    pub outside: i64,
    /// Whether the swizzle acts on each bit of the slice's offsets by itself, so that strides can
    /// hold it.
    pub linear: bool,
}

/// What the offsets of a slice do to the bits of a sum.
struct Bits {
    /// Every bit that some offset may set.
    mask: i64,
    /// Every offset is a multiple of this power of two.
    unit: i64,
}

/// Parts `start`, the offset of the first element, for a slice of the modes `slice` behind
/// `swizzle`.
///
/// Behind the swizzle goes what provably commutes with it: multiples of its period always; the bits
/// below both fields where `start` and the slice together do not carry into the lower field; the
/// bits between the fields where they do not carry into the upper one. Of a slice with negative
/// strides all of it stays inside.
///
/// # Errors
/// [`Rule::BasisStride`]; [`Rule::NegativeStride`] for a `start` below 0.
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

/// Offsets from here on stay inside, whatever their bits: masks of them would not fit.
const FAR: i64 = 1 << 60;

/// The bits of a slice's offsets; `None` where a stride is negative, or an offset far.
const fn bits(slice: &Flat) -> Result<Option<Bits>, Rule> {
    // Neighbouring bits from a stride's lowest to its reach's highest; where those of two modes
    // meet, sums carry.
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

/// Whether `start` and an offset of the slice may carry out of the bits below `end`, a power of
/// two.
const fn carries(slice: &Flat, bits: &Bits, end: i64, start: i64) -> bool {
    let low = start & (end - 1);
    // Offsets are multiples of the unit, and so at most `end - unit` below `end`.
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
