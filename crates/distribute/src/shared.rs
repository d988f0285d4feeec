//! Counts how many elements a device holds both before and after a redistribution, for meshes and
//! blocks that do not nest.
//!
//! ```text
//!   6 rows, blocks of 3 -> blocks of 2     before 0 0 0 1 1 1     device 0 has 0 and 1 already, device 1 has 3
//!                                          after  0 0 1 1 2 2     device 2 receives both of its rows
//!   coordinate = segments between cuts that nest; in one of them a row of digits as above, in the others one digit or none
//! ```
//!
//! Law: the number of elements that device d holds both before and after the redistribution is a
//! product over the segments. Each factor is the number of values in the segment that the digits of
//! d allow in both distributions.

use crate::cuts::Cuts;
use crate::parts::{Part, Parts, Role};
use crate::redistribution::{Exchange, Redistribution, ok, same_role};
use layout_types::check::Text;

/// The largest number of digit values that are counted. rustc stops the evaluation of a constant
/// after a fixed number of steps; this bound stays below that number.
const MOST: i64 = 100_000;

/// Keeps each cut that nests with all other cuts, that is, divides it or is a multiple of it.
/// Replaces the cuts between two kept cuts by their greatest common divisor with the second.
const fn segments(cuts: &Cuts) -> Result<Cuts, Text> {
    let (mut out, mut i) = (Cuts::new(1), 0);
    let mut between = 0;
    while i < cuts.len() {
        let (at, mut nests, mut k) = (cuts.at(i), true, 0);
        while k < cuts.len() {
            let other = cuts.at(k);
            nests = nests && (other % at == 0 || at % other == 0);
            k += 1;
        }
        if nests {
            if between > 0 {
                ok!(out.insert(gcd(between, at)));
            }
            ok!(out.insert(at));
            between = 0;
        } else {
            between = gcd(between, at);
        }
        i += 1;
    }
    Ok(out)
}

const fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

const fn most(a: i64, b: i64) -> i64 {
    if a > b { a } else { b }
}

const fn least(a: i64, b: i64) -> i64 {
    if a < b { a } else { b }
}

/// A device's digit within a segment of the coordinate: its weight and radix in the segment, and
/// the value that the device has.
struct Digit {
    at: i64,
    radix: i64,
    value: i64,
}

/// Returns the digit of `part` between `start` and `end`, or `None` if the element selects the
/// part, or if the part lies outside of this range.
const fn within(part: Part, start: i64, end: i64, device: i64) -> Option<Digit> {
    let (low, high) = (most(part.at, start), least(part.at * part.radix, end));
    if !part.device || low >= high {
        return None;
    }
    let radix = high / low;
    Some(Digit {
        at: low / start,
        radix,
        value: device / (part.weight * (low / part.at)) % radix,
    })
}

/// Returns the number of values of the coordinate from `start` to `end` that `device` holds on all
/// `sides`.
const fn values(sides: &[&Parts], start: i64, end: i64, device: i64) -> i64 {
    let (mut fixed, mut digits, mut side) = (1, 0, 0);
    while side < sides.len() {
        let mut i = 0;
        while i < sides[side].len {
            if let Some(digit) = within(sides[side].parts[i], start, end, device) {
                fixed *= digit.radix;
                digits += 1;
            }
            i += 1;
        }
        side += 1;
    }
    if digits < 2 {
        return end / start / fixed;
    }
    let (mut count, mut x) = (0, 0);
    while x < end / start {
        let (mut held, mut side) = (true, 0);
        while held && side < sides.len() {
            let mut i = 0;
            while held && i < sides[side].len {
                if let Some(Digit { at, radix, value }) =
                    within(sides[side].parts[i], start, end, device)
                {
                    held = x / at % radix == value;
                }
                i += 1;
            }
            side += 1;
        }
        if held {
            count += 1;
        }
        x += 1;
    }
    count
}

/// Whether the two distributions map (device, element) to the same coordinates. Compares their
/// digits after joining digits that continue each other.
const fn same(one: &Parts, other: &Parts) -> bool {
    let (mut i, mut k) = (0, 0);
    while i < one.len && k < other.len {
        let (a, b) = (joined(one, &mut i), joined(other, &mut k));
        if a.at != b.at || a.radix != b.radix || a.device != b.device || a.weight != b.weight {
            return false;
        }
    }
    i == one.len && k == other.len
}

const fn joined(of: &Parts, i: &mut usize) -> Part {
    let mut part = of.parts[*i];
    *i += 1;
    while *i < of.len {
        let next = of.parts[*i];
        if next.device != part.device || next.weight != part.weight * part.radix {
            break;
        }
        part.radix *= next.radix;
        *i += 1;
    }
    part
}

/// Cuts the mesh where the modes of both sides nest.
pub(crate) const fn mesh_digits(from: &Parts, to: &Parts) -> Result<Cuts, Text> {
    let mut cuts = Cuts::new(from.devices);
    ok!(from.cut_mesh(&mut cuts));
    ok!(to.cut_mesh(&mut cuts));
    segments(&cuts)
}

/// Whether devices that differ only in this digit of their number, from `start` to `end`, need not
/// exchange: they hold the same elements before the redistribution, or the digit is not divided
/// further and has the same role in both distributions.
pub(crate) const fn apart(from: &Parts, to: &Parts, start: i64, end: i64) -> bool {
    from.unbroken(start, end)
        && (!matches!(from.role(start), Role::At(_))
            || to.unbroken(start, end) && same_role(from.role(start), to.role(start)))
}

/// Returns the number of devices that exchange with each other.
const fn group(from: &Parts, to: &Parts) -> Result<i64, Text> {
    let mesh = ok!(mesh_digits(from, to));
    let (mut group, mut i) = (1, 1);
    while i < mesh.len() {
        if !apart(from, to, mesh.at(i - 1), mesh.at(i)) {
            group *= mesh.at(i) / mesh.at(i - 1);
        }
        i += 1;
    }
    Ok(group)
}

/// Whether the devices of a sum each hold a part of the result, and no two of them the same part.
const fn scattered(from: &Parts, to: &Parts, sums: i64) -> bool {
    if to.held * sums != from.held || from.devices * from.devices > MOST {
        return false;
    }
    let mut one = 0;
    while one < from.devices {
        let mut other = one + 1;
        while other < from.devices {
            if without_sums(from, one) == without_sums(from, other)
                && start(to, one) == start(to, other)
            {
                return false;
            }
            other += 1;
        }
        one += 1;
    }
    true
}

/// Returns the device's number without the digits along modes of sums.
pub(crate) const fn without_sums(of: &Parts, device: i64) -> i64 {
    let (mut out, mut i) = (device, 0);
    while i < of.modes {
        let mode = of.mesh[i];
        if mode.partial {
            out -= device / mode.weight % mode.radix * mode.weight;
        }
        i += 1;
    }
    out
}

/// Returns the coordinate of the device's first element.
const fn start(of: &Parts, device: i64) -> i64 {
    let (mut out, mut i) = (0, 0);
    while i < of.modes {
        let mode = of.mesh[i];
        out += device / mode.weight % mode.radix * mode.at;
        i += 1;
    }
    out
}

/// Derives the exchanges between distributions whose digits do not nest. `why` is the sentence that
/// says which digits do not nest.
///
/// # Errors
/// Returns `why` if there are too many values to look at, or if `to` has partial sums.
pub(crate) const fn counted(from: &Parts, to: &Parts, why: Text) -> Result<Redistribution, Text> {
    let (mut sums, mut i) = (1, 0);
    while i < to.modes {
        if to.mesh[i].partial {
            return Err(why);
        }
        i += 1;
    }
    i = 0;
    while i < from.modes {
        if from.mesh[i].partial {
            sums *= from.mesh[i].radix;
        }
        i += 1;
    }
    let mut cuts = Cuts::new(from.elements);
    ok!(from.cut_tensor(&mut cuts));
    ok!(to.cut_tensor(&mut cuts));
    let cuts = ok!(segments(&cuts));
    let (mut work, mut k) = (0, 1);
    while k < cuts.len() {
        let (start, end) = (cuts.at(k - 1), cuts.at(k));
        let mut digits = 0;
        i = 0;
        while i < from.len {
            digits += within(from.parts[i], start, end, 0).is_some() as i64;
            i += 1;
        }
        i = 0;
        while i < to.len {
            digits += within(to.parts[i], start, end, 0).is_some() as i64;
            i += 1;
        }
        if digits > 1 {
            work += end / start * digits;
        }
        k += 1;
    }
    if work >= MOST / from.devices {
        return Err(why);
    }
    let (mut local, mut whole, mut shared, mut device) = (true, true, to.held, 0);
    while device < from.devices {
        let mut both = 1;
        k = 1;
        while k < cuts.len() {
            both *= values(&[from, to], cuts.at(k - 1), cuts.at(k), device);
            k += 1;
        }
        local = local && both == to.held;
        whole = whole && both == from.held;
        shared = least(shared, both);
        device += 1;
    }
    let mut out = Redistribution::none();
    if sums > 1 && local && scattered(from, to, sums) {
        return Ok(out.push(Exchange::ReduceScatter, sums, (sums - 1) * to.held));
    }
    if sums > 1 {
        // A reduce-scatter followed by an all-gather moves the fewest elements.
        let share = (from.held + sums - 1) / sums;
        out = out.push(Exchange::AllReduce, sums, 2 * (sums - 1) * share);
    }
    if !local {
        let exchange = if whole {
            Exchange::AllGather
        } else {
            Exchange::AllToAll
        };
        out = out.push(exchange, ok!(group(from, to)), to.held - shared);
    } else if sums == 1 {
        let exchange = if same(from, to) {
            Exchange::Nothing
        } else {
            Exchange::LocalCopy
        };
        out = out.push(exchange, 1, 0);
    }
    Ok(out)
}
