//! Loads, stores and atomics of a warp.
//!
//! Law: each function checks all lanes, and then accesses only what it checked.

use super::super::access::Addresses;
use super::super::run::Context;
use super::super::values::Values;
use super::super::{Outcome, Trap, lanes};
use super::find::{Found, Request, each_lane, find, uninitialised};
use super::order::{self, Accesses, NewBytes};
use crate::fault::{FaultKind, Space};
use crate::frame::{FULL, Row32, WARP};
use crate::ir::Strength;
use crate::memory::allocation::{Allocation, Kind, RawBytes, Rows};
use crate::memory::global::Global;

impl<'r> Request<'r> {
    fn accesses(&self, strength: Option<Strength>, modify: bool) -> Accesses<'r> {
        Accesses {
            all: self.all,
            mask: self.mask,
            total: self.bytes,
            strength,
            modify,
        }
    }
}

/// Returns word `k` of the words that each lane uses, all of them in one allocation.
#[inline(always)]
fn rows<'a>(
    allocation: &'a Allocation,
    all: &'a Addresses,
    consecutive: bool,
    k: usize,
    bytes: usize,
) -> Rows<'a, impl Fn(usize) -> usize> {
    let at = move |lane: usize| (all[lane] - allocation.base) as usize + 4 * k;
    allocation.rows(at, consecutive && bytes == 4)
}

/// The values that a warp has read.
pub(crate) struct Loaded<'a, 'r> {
    global: &'a Global,
    common: Option<&'a Allocation>,
    consecutive: bool,
    all: &'r Addresses,
    bytes: usize,
}

/// Reads global memory; with a `strength`, as a strong access.
#[inline(always)]
pub(crate) fn load<'a, 'r>(
    cx: &mut Context<'a>,
    request: &Request<'r>,
    strength: Option<Strength>,
) -> Outcome<Loaded<'a, 'r>> {
    let found = find(cx, request)?;
    order::read(cx, &found, request.accesses(strength, false))?;
    if found.check && !is_initialised(&found, request) {
        let bytes = request.bytes;
        each_lane(
            cx,
            &found,
            request,
            |cx, allocation, at, lane| match allocation.is_initialised(at, bytes) {
                true => Ok(()),
                false => cx.found(uninitialised(allocation, at, bytes, lane)),
            },
        )?;
    }
    Ok(Loaded {
        global: &cx.launch.global,
        common: found.common,
        consecutive: found.consecutive,
        all: request.all,
        bytes: request.bytes,
    })
}

/// Whether all lanes of a full warp find initialised bytes in one allocation.
#[inline(always)]
fn is_initialised(found: &Found, request: &Request) -> bool {
    let Request {
        all, mask, bytes, ..
    } = *request;
    let Some(allocation) = found.common.filter(|_| mask == FULL) else {
        return false;
    };
    let at = |lane: usize| (all[lane] - allocation.base) as usize;
    if found.consecutive {
        allocation.is_initialised_span(at(0), WARP * bytes)
    } else {
        (0..WARP).all(|lane| allocation.is_initialised(at(lane), bytes))
    }
}

impl Loaded<'_, '_> {
    /// Whether all lanes read from one allocation, so that there are [`words`](Self::words).
    #[inline(always)]
    pub fn is_one(&self) -> bool {
        self.common.is_some()
    }

    /// Writes word `k` of each lane to `row`. All lanes must have read from one allocation.
    #[inline(always)]
    pub fn words(&self, k: usize, row: &mut Row32) {
        assert!(4 * k + 4 <= self.bytes);
        if let Some(allocation) = self.common {
            rows(allocation, self.all, self.consecutive, k, self.bytes).load(row);
        }
    }

    /// Returns element `k` of a lane, where elements have 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub fn element(&self, lane: usize, k: usize, bytes: usize) -> u64 {
        assert!(k * bytes + bytes <= self.bytes);
        let address = self.all[lane];
        let allocation = match self.common {
            Some(allocation) => Some(allocation),
            None => self
                .global
                .find(address)
                .and_then(|index| self.global.at(index)),
        };
        // Every lane's place was found.
        allocation.map_or(0, |allocation| {
            allocation.load((address - allocation.base) as usize + k * bytes, bytes)
        })
    }
}

/// Values that are known when the access is checked.
struct Known<'v, V>(&'v V);

impl<V: Values> NewBytes for Known<'_, V> {
    #[inline]
    fn byte(&self, lane: usize, at: usize) -> Option<u8> {
        Some(self.0.byte(lane, at))
    }

    #[inline]
    fn held(&self, allocation: &Allocation, found: &Found, accesses: &Accesses) -> u32 {
        let (bytes, total) = (self.0.bytes(), accesses.total);
        let count = total / bytes;
        if self.0.words(0).is_some() {
            let mut differences = [0; WARP];
            for (k, row) in (0..count).filter_map(|k| Some((k, self.0.words(k)?))) {
                let rows = rows(allocation, accesses.all, found.consecutive, k, total);
                rows.compare(row, &mut differences);
            }
            let equal = |(lane, &difference)| u32::from(difference == 0) << lane;
            let equal = differences.iter().enumerate().map(equal);
            return equal.fold(0, |all, lane| all | lane);
        }
        let at = |lane: usize| (accesses.all[lane] - allocation.base) as usize;
        let mask = u64::MAX >> (64 - 8 * bytes);
        let mut held = !accesses.mask;
        for lane in lanes(accesses.mask) {
            let same = (0..count).all(|k| {
                let value = self.0.element(lane, k) & mask;
                allocation.load(at(lane) + k * bytes, bytes) == value
            });
            held |= u32::from(same) << lane;
        }
        held
    }
}

/// Writes global memory; with a `strength`, as a strong access.
#[inline(always)]
pub(crate) fn store(
    cx: &mut Context,
    request: &Request,
    strength: Option<Strength>,
    new: &impl Values,
) -> Outcome {
    let found = find(cx, request)?;
    order::write(cx, &found, request.accesses(strength, false), &Known(new))?;
    let Request {
        all,
        mask,
        bytes: total,
        ..
    } = *request;
    let bytes = new.bytes();
    let count = total / bytes;
    if let Some(allocation) = found.common
        && mask == FULL
        && allocation.kind != Kind::Constant
        && new.words(0).is_some()
    {
        let at = |lane: usize| (all[lane] - allocation.base) as usize;
        match (found.check, found.consecutive) {
            (false, _) => {}
            (true, true) => allocation.mark_range(at(0), WARP * total),
            (true, false) => (0..WARP).for_each(|lane| allocation.mark(at(lane), total)),
        }
        for (k, row) in (0..count).filter_map(|k| Some((k, new.words(k)?))) {
            rows(allocation, all, found.consecutive, k, total).store(row);
        }
        return Ok(());
    }
    let check = found.check;
    each_lane(cx, &found, request, |_, allocation, at, lane| {
        writable(allocation, at, lane)?;
        if check {
            allocation.mark(at, total);
        }
        for k in 0..count {
            allocation.store(at + k * bytes, bytes, new.element(lane, k));
        }
        Ok(())
    })
}

/// Checks that a lane does not write a constant.
fn writable(allocation: &Allocation, at: usize, lane: usize) -> Outcome {
    if allocation.kind != Kind::Constant {
        return Ok(());
    }
    let address = allocation.base + at as u64;
    Trap::access(lane, address, FaultKind::ReadOnly(Space::Const))
}

/// The memory that a lane's atomic operations work on.
pub(crate) struct Cells<'a> {
    allocation: &'a Allocation,
    at: usize,
    bytes: usize,
}

impl Cells<'_> {
    /// Replaces element `k`, where elements have `bytes` bytes: `by` computes the new value from
    /// the old one.
    #[inline(always)]
    pub fn replace(&self, k: usize, bytes: usize, by: impl FnOnce(u64) -> u64) {
        assert!(k * bytes + bytes <= self.bytes);
        let at = self.at + k * bytes;
        let new = by(self.allocation.load(at, bytes));
        self.allocation.store(at, bytes, new);
    }
}

/// Executes atomic operations, lane after lane. With `overwrites` the old value need not be
/// initialised.
#[inline(always)]
pub(crate) fn update(
    cx: &mut Context,
    request: &Request,
    (overwrites, strength): (bool, Strength),
    mut by: impl FnMut(usize, Cells),
) -> Outcome {
    let found = find(cx, request)?;
    let accesses = request.accesses(Some(strength), true);
    order::read(cx, &found, accesses)?;
    order::write(cx, &found, accesses, &order::Unknown)?;
    let (check, bytes) = (found.check, request.bytes);
    each_lane(cx, &found, request, |cx, allocation, at, lane| {
        writable(allocation, at, lane)?;
        if check && overwrites {
            allocation.mark(at, bytes);
        } else if check && !allocation.is_initialised(at, bytes) {
            cx.found(uninitialised(allocation, at, bytes, lane))?;
        }
        let cells = Cells {
            allocation,
            at,
            bytes,
        };
        by(lane, cells);
        Ok(())
    })
}
