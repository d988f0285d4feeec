//! Checks accesses of global memory for races between blocks.
//!
//! ```text
//! places of 32 lanes ─► note and look, lane by lane ─► a race: which lane, and with which block
//! ```
//!
//! Law: these functions run after the places are known to be valid, and before anything is read or
//! written.

use super::super::access::Addresses;
use super::super::run::Context;
use super::super::{Outcome, Trap, dependents, lanes};
use super::find::{self, Found};
use super::threads;
use crate::fault::{Access, FaultKind, Space};
use crate::ir::Strength;
use crate::memory::allocation::{Allocation, RawBytes};
use crate::memory::races::{Conflict, Races, Settled};

/// The accesses of a warp.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Accesses<'a> {
    pub all: &'a Addresses,
    pub mask: u32,
    /// The bytes of each access.
    pub total: usize,
    /// The strength of atomic or ordered accesses, or `None` for plain ones.
    pub strength: Option<Strength>,
    /// Whether the accesses read and write.
    pub modify: bool,
}

impl Accesses<'_> {
    /// Returns the kind of the accesses; `plain` is the kind of plain ones.
    fn kind(&self, plain: Access) -> Access {
        match self.strength {
            Some(_) => Access::Atomic,
            None => plain,
        }
    }
}

/// Reports a conflict as a finding of a lane. Returns an error if the kernel does not continue.
#[cold]
fn tell(
    cx: &mut Context,
    races: &Races,
    lane: usize,
    (index, allocation): (usize, &Allocation),
    conflict: Conflict,
    access: Access,
) -> Outcome {
    let (at, earlier, other) = conflict;
    cx.found(Box::new(Trap {
        earlier: races.site_of(index, &conflict),
        lanes: 0,
        lane: Some(lane),
        address: Some(allocation.base + at as u64),
        what: FaultKind::GlobalRace {
            access,
            earlier,
            other: cx.launch.block_of(u64::from(other), 0),
            note: None,
        },
    }))
}

/// Notes the read of one lane.
#[inline(always)]
fn read_one(
    cx: &mut Context,
    races: &Races,
    lane: usize,
    place: (usize, &Allocation),
    (at, bytes): (usize, usize),
    atomic: bool,
) -> Outcome {
    let kind = if atomic { Access::Atomic } else { Access::Read };
    let mut from = at;
    while let Err(conflict) = races.read(place, from, at + bytes - from, cx.linear, atomic) {
        let byte = conflict.0;
        tell(cx, races, lane, place, conflict, kind)?;
        from = byte + races.rest(byte);
        if from >= at + bytes {
            break;
        }
    }
    Ok(())
}

/// Returns the index of a lane's allocation, and the allocation.
pub(in crate::exec) fn of_lane<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    lane: usize,
    accesses: &Accesses,
) -> Outcome<(usize, &'a Allocation)> {
    match found.common {
        Some(allocation) => Ok((cx.hint, allocation)),
        None => {
            let allocation = find::of_lane(
                &cx.launch.global,
                &mut cx.hint,
                lane,
                accesses.all[lane],
                accesses.total,
                Space::Global,
            )?;
            Ok((cx.hint, allocation))
        }
    }
}

/// Notes reads, and reports conflicts.
#[inline]
pub(super) fn read<'a>(cx: &mut Context<'a>, found: &Found<'a>, accesses: Accesses) -> Outcome {
    let launch = cx.launch;
    if launch.is_in_chain() {
        dependents::accesses(cx, found, &accesses, accesses.kind(Access::Read))?;
    }
    let again = launch.follows && !accesses.modify && threads::read(cx, found, &accesses)?;
    let Some(races) = &launch.races else {
        return Ok(());
    };
    // If the block has not written between two reads, the order of the blocks makes no difference:
    // the second read races if and only if the first one does.
    if again && !races.in_order() {
        return Ok(());
    }
    races.at_site(launch.packed(cx.site));
    let Accesses {
        all, mask, total, ..
    } = accesses;
    let atomic = accesses.strength.is_some();
    if let Some((record, at)) = record(cx, races, found, &accesses)
        && record.reads(at, total, found.consecutive)
    {
        return Ok(());
    }
    if let (Some(allocation), true) = (found.common, found.consecutive) {
        let at = (all[0] - allocation.base) as usize;
        let place = (cx.hint, allocation);
        if races.read(place, at, 32 * total, cx.linear, atomic).is_ok() {
            return Ok(());
        }
        // Note again lane by lane: a read that is noted twice counts once.
    }
    for lane in lanes(mask) {
        let (index, allocation) = of_lane(cx, found, lane, &accesses)?;
        let at = (all[lane] - allocation.base) as usize;
        read_one(cx, races, lane, (index, allocation), (at, total), atomic)?;
    }
    Ok(())
}

/// Notes the read of one lane, whose place is found by [`find::of_lane`].
pub(super) fn read_lane<'a>(
    cx: &mut Context<'a>,
    lane: usize,
    allocation: &'a Allocation,
    at: usize,
    bytes: usize,
) -> Outcome {
    let launch = cx.launch;
    let place = (cx.hint, allocation);
    if launch.is_in_chain() {
        dependents::of_one(cx, lane, place, (at, bytes), Access::Read)?;
    }
    if launch.follows {
        threads::of_lane(cx, lane, place, (at, bytes), threads::BulkAccess::Read)?;
    }
    match &launch.races {
        Some(races) => {
            races.at_site(launch.packed(cx.site));
            read_one(cx, races, lane, place, (at, bytes), false)
        }
        None => Ok(()),
    }
}

/// Notes the write of one lane, whose place is found by [`find::of_lane`], with a value that is not
/// known yet.
pub(super) fn write_lane<'a>(
    cx: &mut Context<'a>,
    lane: usize,
    allocation: &'a Allocation,
    (at, bytes): (usize, usize),
    atomic: bool,
) -> Outcome {
    let launch = cx.launch;
    let kind = if atomic {
        Access::Atomic
    } else {
        Access::Write
    };
    let place = (cx.hint, allocation);
    if launch.is_in_chain() {
        dependents::of_one(cx, lane, place, (at, bytes), kind)?;
    }
    if launch.follows {
        let doing = match atomic {
            true => threads::BulkAccess::Reduction,
            false => threads::BulkAccess::Write,
        };
        threads::of_lane(cx, lane, place, (at, bytes), doing)?;
    }
    let Some(races) = &launch.races else {
        return Ok(());
    };
    races.at_site(launch.packed(cx.site));
    let mut from = at;
    while let Err(conflict) =
        races.write(place, from, at + bytes - from, cx.linear, atomic, |_| None)
    {
        let byte = conflict.0;
        tell(cx, races, lane, place, conflict, kind)?;
        races.write_anyway(place.0, byte);
        from = byte + races.rest(byte);
        if from >= at + bytes {
            break;
        }
    }
    Ok(())
}

/// The bytes that the lanes of a warp are about to write.
pub(super) trait NewBytes {
    /// Returns a byte of a lane, by its place in the access, or `None` if it is not known yet.
    fn byte(&self, lane: usize, at: usize) -> Option<u8>;
    /// Returns the lanes whose places in this allocation already hold their values. A lane outside
    /// of the mask counts like a lane inside.
    fn held(&self, allocation: &Allocation, found: &Found, accesses: &Accesses) -> u32;
}

/// Values that are not known yet: of atomics, and of `discard`.
pub(super) struct Unknown;

impl NewBytes for Unknown {
    fn byte(&self, _: usize, _: usize) -> Option<u8> {
        None
    }

    fn held(&self, _: &Allocation, _: &Found, _: &Accesses) -> u32 {
        0
    }
}

/// Returns the state of the allocation in which all accesses of a warp lie, and each lane's offset
/// in it. Returns `None` if they lie in several allocations, are strong, or no such state is kept.
#[inline(always)]
fn record<'r, 'f>(
    cx: &Context,
    races: &'r Races,
    found: &Found<'f>,
    accesses: &Accesses<'f>,
) -> Option<(Settled<'r>, impl Fn(usize) -> usize + use<'f>)> {
    let allocation = found.common.filter(|_| accesses.strength.is_none())?;
    let record = races.settled((cx.hint, allocation), cx.linear)?;
    let all = accesses.all;
    Some((record, move |lane: usize| {
        (all[lane] - allocation.base) as usize
    }))
}

/// Whether plain writes to one allocation would leave the state unchanged, because the state
/// contains them already or because the values are already in memory. With `again`, the block's
/// last accesses of these places were writes by the same threads.
#[inline(never)]
fn is_settled(
    cx: &Context,
    races: &Races,
    found: &Found,
    accesses: &Accesses,
    (new, again): (&impl NewBytes, bool),
) -> bool {
    let (Some(allocation), Some((record, at))) = (found.common, record(cx, races, found, accesses))
    else {
        return false;
    };
    let (bytes, consecutive) = (accesses.total, found.consecutive);
    if record.writes(&at, bytes, consecutive, false) {
        return true;
    }
    let held = new.held(allocation, found, accesses);
    // In any order of the blocks, a value that the block wrote earlier and now writes again is in
    // memory.
    (held == u32::MAX && (again || record.writes(&at, bytes, consecutive, true)))
        || (held != 0 && record.repeats(&at, bytes, consecutive, held))
}

/// Notes writes of these values, and reports conflicts.
#[inline]
pub(super) fn write<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: Accesses,
    new: &impl NewBytes,
) -> Outcome {
    let launch = cx.launch;
    let kind = accesses.kind(Access::Write);
    if launch.is_in_chain() {
        dependents::accesses(cx, found, &accesses, kind)?;
    }
    let again = launch.follows && threads::write(cx, found, &accesses, new)?;
    let Some(races) = &launch.races else {
        return Ok(());
    };
    races.at_site(launch.packed(cx.site));
    let Accesses {
        all, mask, total, ..
    } = accesses;
    let atomic = accesses.strength.is_some();
    if is_settled(cx, races, found, &accesses, (new, again)) {
        return Ok(());
    }
    for lane in lanes(mask) {
        let (index, allocation) = of_lane(cx, found, lane, &accesses)?;
        let at = (all[lane] - allocation.base) as usize;
        // The byte at an address after the lanes before this one have written, for simultaneous
        // blocks.
        let earlier = |address: u64| {
            let before = lanes(mask & ((1 << lane) - 1))
                .filter(|&other| all[other] <= address && address - all[other] < total as u64);
            before
                .last()
                .map(|other| new.byte(other, (address - all[other]) as usize))
        };
        let by_lanes = !found.consecutive && !races.in_order();
        let byte = |place: usize| {
            let held = if by_lanes {
                earlier(allocation.base + place as u64)
            } else {
                None
            };
            let held = held.unwrap_or_else(|| Some(allocation.load(place, 1) as u8));
            held.zip(new.byte(lane, place - at))
        };
        let place = (index, allocation);
        let mut from = at;
        while let Err(conflict) =
            races.write(place, from, at + total - from, cx.linear, atomic, byte)
        {
            let byte = conflict.0;
            tell(cx, races, lane, place, conflict, kind)?;
            races.write_anyway(index, byte);
            from = byte + races.rest(byte);
            if from >= at + total {
                break;
            }
        }
    }
    if atomic {
        races.publish(cx.linear);
    }
    Ok(())
}
