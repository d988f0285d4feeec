//! Checks accesses of global memory against the record of threads, and lets them order threads.
//!
//! ```text
//! 32 lanes ─► rows in lines ─► noted, or a clash: a finding? ─► strong ones acquire and release
//! ```
//!
//! Law: these functions are called once the places are known to be valid, and before anything is
//! read or written.

use std::sync::PoisonError;

use super::super::access;
use super::super::run::Context;
use super::super::{Outcome, Trap, lanes};
use super::find::Found;
use super::missing::{self, Race};
use super::order::{self, Accesses, NewBytes};
use crate::fault::{Access, FaultKind, Space};
use crate::frame::{FULL, Frame, WARP};
use crate::ir::{Address, Scope, Strength};
use crate::memory::allocation::{Allocation, Kind, RawBytes};
use crate::memory::clocks::Clocks;
use crate::memory::history::{self, Clash, History, LINE, Part, Parts, Row, Writer};
use crate::memory::observed::{Event, Observations};
use crate::memory::releases::{self, Does, Home, Published};
use crate::tensor_map::TENSOR_MAP_BYTES;

/// An access of global memory by a bulk copy, for the thread that issues it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BulkAccess {
    Read,
    Write,
    Reduction,
}

/// Returns the block of the warp that runs.
fn home(cx: &Context) -> Home {
    Home {
        unit: cx.linear,
        rank: cx.warp / cx.launch.warps,
    }
}

/// Calls `f` with the record and the clocks. Returns `None` if the order of threads is not
/// followed.
fn with<T>(cx: &mut Context, f: impl FnOnce(&mut History, &Clocks) -> T) -> Option<T> {
    let clocks = &cx.shadow.as_ref()?.clocks;
    Some(match &cx.launch.published {
        Some(published) => {
            let mut published = published.lock().unwrap_or_else(PoisonError::into_inner);
            f(&mut published.history, clocks)
        }
        None => f(cx.history, clocks),
    })
}

/// Calls `f` with what strong accesses have released and with the clocks, if blocks may
/// communicate.
fn with_published<T>(
    cx: &mut Context,
    f: impl FnOnce(&mut Published, &mut Clocks) -> T,
) -> Option<T> {
    let clocks = &mut cx.shadow.as_mut()?.clocks;
    let published = cx.launch.published.as_ref()?;
    let mut published = published.lock().unwrap_or_else(PoisonError::into_inner);
    Some(f(&mut published, clocks))
}

/// Returns the binary logarithm of the bytes of a granule.
fn shift(cx: &Context) -> u32 {
    cx.launch.kernel().global_granule.trailing_zeros()
}

/// Returns an allocation's index and its number of lines.
fn lines(cx: &Context, (index, allocation): (usize, &Allocation)) -> (usize, usize) {
    let log = LINE.trailing_zeros() + shift(cx);
    (index, (allocation.size + (1 << log) - 1) >> log)
}

fn is_watched(allocation: &Allocation) -> bool {
    matches!(allocation.kind, Kind::Buffer | Kind::Variable)
}

/// Describes an access of the warp that runs.
fn access_of(cx: &Context, write: bool, strength: Option<Strength>, bulk: bool) -> history::Access {
    history::Access {
        home: home(cx),
        warp: cx.warp,
        block_warps: cx.launch.warps,
        site: cx.launch.packed(cx.site),
        write,
        strong: strength.map(|strength| strength.scope),
        bytes: strength.map_or(0, |strength| strength.bytes),
        bulk,
    }
}

/// Notes reads. Returns whether they repeat the threads' last reads.
#[inline]
pub(super) fn read<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
) -> Outcome<bool> {
    follow(cx, found, accesses, Does::Read, &order::Unknown)
}

/// Notes writes of these values. Returns whether they repeat the threads' last writes.
#[inline]
pub(super) fn write<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    new: &impl NewBytes,
) -> Outcome<bool> {
    // Lanes whose places are far enough apart use no byte together.
    let apart = found
        .stride
        .is_some_and(|stride| stride >= accesses.total as u64);
    if accesses.strength.is_none() && !apart {
        conflicts(cx, accesses, new)?;
    }
    let index = found.common.map(|_| cx.hint);
    if cx
        .shadow
        .as_ref()
        .is_some_and(|shadow| shadow.sources.has(index))
    {
        all_overwrite(cx, found, accesses)?;
    }
    let does = match accesses.modify {
        true => Does::Modify,
        false => Does::Write,
    };
    follow(cx, found, accesses, does, new)
}

/// Notes accesses, and lets strong ones acquire and release. Returns whether the same threads made
/// the accesses before, without a relevant access in between.
#[inline]
fn follow<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    does: Does,
    new: &impl NewBytes,
) -> Outcome<bool> {
    let Some(shadow) = &cx.shadow else {
        return Ok(false);
    };
    let mut again = false;
    if let Some(allocation) = found.common.filter(|_| accesses.strength.is_none()) {
        if !is_watched(allocation) {
            return Ok(false);
        }
        let since = shadow.clocks.of_warp(cx.warp as usize);
        let (access, of) = (access_of(cx, does != Does::Read, None, false), cx.hint);
        again = match row(cx, (allocation, found), accesses, since) {
            Some(row) => {
                let parts = row.parts(access.write);
                with(cx, |history, _| history.repeats(of, parts, &access)) == Some(true)
            }
            None => swizzled_repeats(cx, (of, allocation), found, accesses, &access),
        };
    }
    if !again {
        note_all(cx, found, accesses, does, new)?;
    }
    if cx.launch.published.is_some() {
        publish(cx, found, accesses, does)?;
    }
    Ok(again)
}

/// Whether a swizzled row's accesses are known to change nothing.
#[inline(never)]
fn swizzled_repeats(
    cx: &mut Context,
    (of, allocation): (usize, &Allocation),
    found: &Found,
    accesses: &Accesses,
    access: &history::Access,
) -> bool {
    let mut parts = std::mem::take(&mut cx.history.parts);
    let again = swizzled(cx, (allocation, found), accesses, &mut parts) && {
        let parts = parts.all.iter().copied();
        with(cx, |history, _| history.repeats(of, parts, access)) == Some(true)
    };
    cx.history.parts = parts;
    again
}

/// Stores the parts of accesses of one allocation by lanes that a swizzle permutes. Returns false
/// if the accesses do not have this form.
fn swizzled(
    cx: &Context,
    (allocation, found): (&Allocation, &Found),
    accesses: &Accesses,
    parts: &mut Parts,
) -> bool {
    let Some(shadow) = cx.shadow.as_ref().filter(|_| found.stride.is_none()) else {
        return false;
    };
    let (base, shift) = (allocation.base, shift(cx));
    let since = shadow.clocks.of_warp(cx.warp as usize);
    one_time(since, accesses.mask).is_some_and(|time| {
        let first = accesses.all.map(|address| (address - base) >> shift);
        let places = (accesses.total >> shift, first);
        parts.swizzled(places, accesses.mask, time)
    })
}

/// Returns the row that the accesses of one allocation form, or `None` if they form no row.
#[inline(always)]
fn row(
    cx: &Context,
    (allocation, found): (&Allocation, &Found),
    accesses: &Accesses,
    since: &[u32; WARP],
) -> Option<Row> {
    // Inactive lanes may lie between places that follow each other.
    let whole = |stride: &u64| stride & (accesses.total as u64 - 1) == 0;
    let stride = found.stride.filter(whole)? as usize;
    let (total, shift) = (accesses.total, shift(cx));
    let first = accesses.all[accesses.mask.trailing_zeros() as usize % WARP];
    let first = (first - allocation.base) as usize;
    let place = (first >> shift, total >> shift, stride >> shift);
    Row::new(place, accesses.mask, one_time(since, accesses.mask)?)
}

/// Notes accesses that the history does not have yet.
#[inline(never)]
fn note_all<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    does: Does,
    new: &impl NewBytes,
) -> Outcome {
    let Some(shadow) = &cx.shadow else {
        return Ok(());
    };
    let since = *shadow.clocks.of_warp(cx.warp as usize);
    let shift = shift(cx);
    let granules = accesses.total >> shift;
    let strong = accesses.strength;
    let access = access_of(cx, does != Does::Read, strong, false);
    let Some(allocation) = found.common else {
        for lane in lanes(accesses.mask) {
            let place = order::of_lane(cx, found, lane, accesses)?;
            if !is_watched(place.1) {
                continue;
            }
            let mut parts = Parts::default();
            let at = (accesses.all[lane] - place.1.base) as usize >> shift;
            parts.lane(lane, at..at + granules, since[lane], false);
            note(cx, place, &parts, &access, accesses, new, 0)?;
        }
        return Ok(());
    };
    if !is_watched(allocation) {
        return Ok(());
    }
    let once = access.write && strong.is_none();
    let row = row(cx, (allocation, found), accesses, &since);
    let mut parts = std::mem::take(&mut cx.history.parts);
    match row {
        Some(row) => parts.row(row, once),
        None if swizzled(cx, (allocation, found), accesses, &mut parts) => {}
        None => {
            parts.clear();
            for lane in lanes(accesses.mask) {
                let at = (accesses.all[lane] - allocation.base) as usize >> shift;
                parts.lane(lane, at..at + granules, since[lane], once);
            }
        }
    }
    let place = (cx.hint, allocation);
    let weak = does == Does::Write && strong.is_none() && cx.launch.published.is_some();
    let held = match weak {
        true => new.held(allocation, found, accesses),
        false => 0,
    };
    let noted = note(cx, place, &parts, &access, accesses, new, held);
    cx.history.parts = parts;
    noted
}

/// Returns the common time of all lanes of the mask, or `None` if their times differ.
#[inline(always)]
fn one_time(since: &[u32; WARP], mask: u32) -> Option<u32> {
    let time = since[mask.trailing_zeros() as usize % WARP];
    let one = match mask {
        FULL => since.iter().fold(0, |other, at| other | at ^ time) == 0,
        _ => lanes(mask).all(|lane| since[lane] == time),
    };
    one.then_some(time)
}

/// Notes the parts of an access of one allocation.
#[inline]
fn note(
    cx: &mut Context,
    place: (usize, &Allocation),
    parts: &Parts,
    access: &history::Access,
    accesses: &Accesses,
    new: &impl NewBytes,
    held: u32,
) -> Outcome {
    let of = lines(cx, place);
    let clash = with(cx, |history, clocks| {
        let mut parts = parts.all.iter().enumerate();
        parts.find_map(|(i, part)| {
            let without = match held {
                0 => 0,
                held => history.rewritten(of, part, held),
            };
            let noted = history.note(of, part, access, without, clocks);
            noted.err().map(|clash| (i, without, clash))
        })
    });
    match clash.flatten() {
        None => Ok(()),
        Some((_, _, clash)) if clash.by_lanes => by_lanes(cx, place, access, accesses, new),
        Some((i, without, clash)) => {
            let (base, shift) = (place.1.base, shift(cx));
            let mut same = |line: usize, granule: u32, lane: usize| {
                let at = (line * LINE + granule as usize) << shift;
                let mut bytes = at..at + (1 << shift);
                bytes.all(|byte| {
                    let offset = (base + byte as u64).wrapping_sub(accesses.all[lane]);
                    let new = new.byte(lane, offset as usize);
                    new == Some(place.1.load(byte, 1) as u8)
                })
            };
            let first = (without, clash);
            object(cx, place, &parts.all[i..], access, first, &mut same)
        }
    }
}

/// Notes an access lane by lane, for accesses that are not noted exactly if several lanes of one
/// line are noted together.
#[cold]
fn by_lanes(
    cx: &mut Context,
    place: (usize, &Allocation),
    access: &history::Access,
    accesses: &Accesses,
    new: &impl NewBytes,
) -> Outcome {
    let Some(shadow) = &cx.shadow else {
        return Ok(());
    };
    let since = *shadow.clocks.of_warp(cx.warp as usize);
    let granules = accesses.total >> shift(cx);
    for lane in lanes(accesses.mask) {
        let at = (accesses.all[lane] - place.1.base) as usize >> shift(cx);
        let mut parts = Parts::default();
        parts.lane(lane, at..at + granules, since[lane], false);
        note(cx, place, &parts, access, accesses, new, 0)?;
    }
    Ok(())
}

/// Handles a clash: it is ignored if the same value is written, and is a finding otherwise. Then
/// the rest is noted.
#[cold]
fn object(
    cx: &mut Context,
    place: (usize, &Allocation),
    parts: &[Part],
    access: &history::Access,
    (mut left_out, first): (u32, Clash),
    same: &mut dyn FnMut(usize, u32, usize) -> bool,
) -> Outcome {
    let of = lines(cx, place);
    let mut next = Some(first);
    for part in parts {
        let mut without = std::mem::take(&mut left_out);
        loop {
            let clash = match next.take() {
                Some(clash) => clash,
                None => {
                    let noted = with(cx, |history, clocks| {
                        history.note(of, part, access, without, clocks)
                    });
                    match noted {
                        Some(Err(clash)) if !clash.by_lanes => clash,
                        _ => break,
                    }
                }
            };
            without |= clash.mask;
            let granule = clash.mask.trailing_zeros();
            let plain = access.write && access.strong.is_none() && !access.bulk;
            if plain && same(part.line, granule, clash.lane) {
                continue;
            }
            tell(cx, place, part.line, access, &clash)?;
            with(cx, |history, clocks| {
                history.note_anyway(of, part, access, clash.mask, clocks);
            });
        }
    }
    Ok(())
}

/// Returns the sentence for the first edge that is missing between the accesses of a clash.
fn missing_edge(cx: &mut Context, clash: &Clash) -> Option<String> {
    let race = Race {
        unit: clash.unit,
        other: clash.other,
        time: clash.time,
        lane: clash.lane,
    };
    let take = |history: &mut History, _: &Clocks| history.observed.take();
    let observed = with(cx, take)?;
    let edge = missing::edge(cx, &race, observed.as_deref());
    with(cx, |history, _| history.observed = observed);
    edge
}

/// Reports a clash as a finding of a lane. Returns an error if the kernel does not continue.
#[cold]
fn tell(
    cx: &mut Context,
    (_, allocation): (usize, &Allocation),
    line: usize,
    by: &history::Access,
    clash: &Clash,
) -> Outcome {
    let launch = cx.launch;
    let access = match (by.strong, by.write) {
        (Some(_), _) => Access::Atomic,
        (None, true) => Access::Write,
        (None, false) => Access::Read,
    };
    let granule = line * LINE + clash.mask.trailing_zeros() as usize;
    let rank = clash.other / WARP as u32 / launch.warps;
    let other = launch.block_of(u64::from(clash.unit), rank);
    let unwaited = clash.unwaited.then(|| {
        "the bulk copy's thread has not waited for it: cp.async.bulk.wait_group, and not .read"
            .to_owned()
    });
    let there = Home {
        unit: clash.unit,
        rank,
    };
    let scopes = clash.scopes;
    let note = scopes.map(|scopes| missing::narrow_scope(scopes, there, by.home));
    let sizes = clash
        .sizes
        .map(|(old, new)| missing::mixed_sizes(usize::from(old), usize::from(new)));
    let note = unwaited.or(note).or(sizes);
    let note = note.or_else(|| missing_edge(cx, clash));
    let what = match clash.unit == by.home.unit {
        true => FaultKind::ThreadRace {
            access,
            earlier: clash.earlier,
            other: launch.thread(clash.other),
            block: (rank != by.home.rank).then_some(other),
            note,
            within_warp: false,
        },
        false => FaultKind::GlobalRace {
            access,
            earlier: clash.earlier,
            other,
            note,
        },
    };
    cx.found(Box::new(Trap {
        earlier: clash.site,
        lanes: 0,
        lane: Some(clash.lane),
        address: Some(allocation.base + (granule << shift(cx)) as u64),
        what,
    }))
}

/// Whether no two lanes use the same byte. This is only decided if the lanes' places are multiples
/// of their size and near each other; otherwise the result is false.
fn are_apart(accesses: &Accesses) -> bool {
    let Accesses {
        all, mask, total, ..
    } = *accesses;
    let shift = total.trailing_zeros();
    // The lanes use 32 neighbouring blocks, each once, in an order as swizzles produce.
    let key = |lane: usize| all[lane] >> shift ^ lane as u64;
    let differs = (0..WARP).fold(0, |differs, lane| differs | key(lane) ^ key(0));
    if mask == FULL && total.is_power_of_two() && differs == 0 {
        return true;
    }
    let (low, high, _) = access::extent(all);
    let mut taken = [0u64; 16];
    if !total.is_power_of_two() || (high - low) >> shift >= 64 * taken.len() as u64 {
        return false;
    }
    lanes(mask).all(|lane| {
        let block = ((all[lane] - low) >> shift) as usize;
        let (word, bit) = (&mut taken[block / 64], 1 << (block % 64));
        let free = *word & bit == 0;
        *word |= bit;
        free
    })
}

/// Reports lanes of one store that write different values to one place.
fn conflicts(cx: &mut Context, accesses: &Accesses, new: &impl NewBytes) -> Outcome {
    let Accesses {
        all, mask, total, ..
    } = *accesses;
    if are_apart(accesses) {
        return Ok(());
    }
    let mut order: [u8; WARP] = std::array::from_fn(|lane| lane as u8);
    let count = mask.count_ones() as usize;
    for (slot, lane) in order.iter_mut().zip(lanes(mask)) {
        *slot = lane as u8;
    }
    let order = &mut order[..count];
    order.sort_by_key(|&lane| (all[lane as usize], lane));
    for pair in 1..count {
        let (first, second) = (order[pair - 1] as usize, order[pair] as usize);
        if all[first] != all[second] {
            continue;
        }
        let differs =
            (0..total).any(
                |byte| match (new.byte(first, byte), new.byte(second, byte)) {
                    (Some(a), Some(b)) => a != b,
                    _ => false,
                },
            );
        if differs {
            let other = cx.launch.thread(cx.warp * WARP as u32 + first as u32);
            let what = FaultKind::WriteConflict { other };
            cx.found(Trap::boxed(second, all[second], what))?;
        }
    }
    Ok(())
}

/// Lets strong accesses acquire and release. Weak writes end the effect of earlier releases at
/// their places.
fn publish<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    does: Does,
) -> Outcome {
    let index = found.common.map(|_| cx.hint);
    let is_nothing = |published: &mut Published, _: &mut Clocks| {
        let observed = published.history.observed.as_deref();
        let has = |all: &Observations| index.is_none_or(|index| all.has(index));
        published.places.is_empty() && !observed.is_some_and(has)
    };
    let nothing = accesses.strength.is_none()
        && (does == Does::Read || with_published(cx, is_nothing) != Some(false));
    if nothing {
        return Ok(());
    }
    let (warp, home, site) = (cx.warp as usize, home(cx), cx.launch.packed(cx.site));
    let releases = accesses.strength.is_some_and(|strength| strength.releases);
    let since = match &cx.shadow {
        Some(shadow) => *shadow.clocks.of_warp(warp),
        None => return Ok(()),
    };
    let now = match &mut cx.shadow {
        Some(shadow) if releases && does != Does::Read => {
            shadow.clocks.publish(warp, accesses.mask)
        }
        _ => 0,
    };
    for lane in lanes(accesses.mask) {
        let (index, allocation) = order::of_lane(cx, found, lane, accesses)?;
        let at = (accesses.all[lane] - allocation.base) as usize;
        let granules = at >> shift(cx)..(at + accesses.total) >> shift(cx);
        let strength = accesses.strength;
        let event = Event {
            home,
            thread: (warp * WARP + lane) as u32,
            time: since[lane],
            does,
            scope: strength.map(|strength| strength.scope),
            bytes: strength.map_or(0, |strength| strength.bytes),
        };
        with_published(cx, |published, clocks| {
            let observed = &mut published.history.observed;
            for granule in granules {
                let place = (index, granule);
                match strength {
                    None => {
                        published.places.forget(place);
                        if let Some(observed) = observed {
                            observed.overwritten(place, event);
                        }
                    }
                    Some(strength) => {
                        observed.get_or_insert_default().note(place, event);
                        let how = (does, strength);
                        let when = (now, site);
                        published
                            .places
                            .access(clocks, (warp, lane), home, place, how, when);
                    }
                }
            }
        });
    }
    Ok(())
}

/// A write of a bulk copy to global memory.
#[derive(Debug)]
pub(crate) struct BulkWrite {
    /// The thread that issued the copy. `group` is the copy's group, once that is known.
    thread: u32,
    pub group: Option<u32>,
    /// The index of the allocation and its number of lines. `granules` are the granules that were
    /// written.
    of: (usize, usize),
    granules: std::ops::Range<usize>,
}

/// Settles the writes of a lane's bulk groups before `before`, for which the lane has waited: they
/// count as written now.
pub(crate) fn settle(cx: &mut Context, lane: usize, before: u32) {
    let (warp, home) = (cx.warp, home(cx));
    let thread = warp * WARP as u32 + lane as u32;
    let mut all = std::mem::take(&mut cx.engine.unsettled);
    with(cx, |history, clocks| {
        let now = clocks.since(thread);
        all.retain(|write| {
            let over = write.thread == thread && write.group.is_some_and(|group| group < before);
            if over {
                history.settle(write.of, &write.granules, (home.unit, thread), now);
            }
            !over
        });
    });
    cx.engine.unsettled = all;
}

/// Returns the granules that lie wholly in a range of bytes.
fn granules(cx: &Context, at: usize, bytes: usize) -> std::ops::Range<usize> {
    let shift = shift(cx);
    match bytes < 1 << shift {
        // The bytes are fewer than a granule, as a byte of a string is: the granules that contain
        // them.
        true => at >> shift..(at + bytes).div_ceil(1 << shift),
        false => at.div_ceil(1 << shift)..(at + bytes) >> shift,
    }
}

/// Notes the access of one lane's bulk copy; granules that it uses only partly are left out.
pub(super) fn of_lane(
    cx: &mut Context,
    lane: usize,
    place: (usize, &Allocation),
    (at, bytes): (usize, usize),
    doing: BulkAccess,
) -> Outcome {
    let granules = granules(cx, at, bytes);
    let Some(shadow) = &cx.shadow else {
        return Ok(());
    };
    if granules.is_empty() || !is_watched(place.1) {
        return Ok(());
    }
    // A bulk read leaves no record in the history of one cluster, and an allocation that no thread
    // used has no record.
    if doing == BulkAccess::Read
        && cx.launch.published.is_none()
        && cx.history.is_untouched(place.0)
    {
        return Ok(());
    }
    let thread = cx.warp * WARP as u32 + lane as u32;
    let since = match doing {
        BulkAccess::Read => shadow.clocks.since(thread),
        _ => history::UNSETTLED,
    };
    let strong = (doing == BulkAccess::Reduction).then_some(Strength::RELAXED);
    let access = access_of(cx, doing != BulkAccess::Read, strong, true);
    let mut parts = std::mem::take(&mut cx.history.parts);
    parts.clear();
    parts.lane(lane, granules.clone(), since, false);
    let of = lines(cx, place);
    if since == history::UNSETTLED {
        cx.engine.unsettled.push(BulkWrite {
            thread,
            group: None,
            of,
            granules,
        });
    }
    let clash = with(cx, |history, clocks| {
        let mut parts = parts.all.iter().enumerate();
        parts.find_map(|(i, part)| {
            let noted = history.note(of, part, &access, 0, clocks);
            noted.err().map(|clash| (i, clash))
        })
    });
    let noted = match clash.flatten() {
        None => Ok(()),
        Some((i, clash)) => {
            let (first, parts) = ((0, clash), &parts.all[i..]);
            object(cx, place, parts, &access, first, &mut |_, _, _| false)
        }
    };
    cx.history.parts = parts;
    noted
}

/// Performs `fence` or `membar` of the lanes of `mask`, and also `fence.mbarrier_init`, which
/// covers all accesses here, not only those to mbarrier objects.
pub(crate) fn fence(cx: &mut Context, scope: Scope, mask: u32) {
    let (warp, home, site) = (cx.warp as usize, home(cx), cx.launch.packed(cx.site));
    if let Some(shadow) = &mut cx.shadow {
        releases::fence(&mut shadow.clocks, (warp, mask), (scope, home, site));
    }
}

/// Performs `fence.proxy.async` of the lanes of `mask`, for global memory.
pub(crate) fn proxy_fence(cx: &mut Context, mask: u32) {
    let (warp, unit) = (cx.warp as usize, cx.linear);
    let Some(shadow) = cx.shadow.as_mut().filter(|_| cx.launch.follows) else {
        return;
    };
    let fenced = shadow.clocks.fenced(warp, mask, unit);
    with(cx, |history, _| history.fence(&fenced));
}

/// Notes that a bulk load of a lane is about to read bytes of an allocation.
pub(super) fn reads(cx: &mut Context, lane: usize, index: usize, bytes: std::ops::Range<usize>) {
    let (site, warp) = (cx.launch.packed(cx.site), cx.warp);
    let warps = (cx.launch.warps * cx.launch.ranks) as usize;
    if !cx.launch.follows {
        return;
    }
    if let Some(shadow) = &mut cx.shadow {
        let issuer = warp * WARP as u32 + lane as u32;
        let sources = &mut shadow.sources;
        sources.read(index, bytes, (issuer, site), &shadow.clocks, warps);
    }
}

/// Checks that bulk loads of the cluster have read the bytes that are about to be written.
pub(super) fn overwrites(
    cx: &mut Context,
    lane: usize,
    place: (usize, &Allocation),
    (at, bytes): (usize, usize),
    access: Access,
) -> Outcome {
    let Some(shadow) = cx.shadow.as_ref().filter(|_| cx.launch.follows) else {
        return Ok(());
    };
    let warp = cx.warp as usize;
    let reading = shadow
        .sources
        .reading(place.0, &(at..at + bytes), warp, &shadow.clocks);
    let Some((issuer, site)) = reading else {
        return Ok(());
    };
    let launch = cx.launch;
    let rank = issuer / WARP as u32 / launch.warps;
    let operation = launch.unpacked(site);
    let operation = operation.and_then(|site| launch.asynchronous(site));
    let what = FaultKind::BeingRead {
        space: Space::Global,
        access,
        operation: operation.unwrap_or_default(),
        issuer: launch.thread(issuer),
        block: (rank != cx.warp / launch.warps)
            .then(|| launch.block_of(u64::from(cx.linear), rank)),
        slot: None,
    };
    let mut trap = Trap::boxed(lane, place.1.base + at as u64, what);
    trap.earlier = site;
    cx.found(trap)
}

/// Checks each lane's write as [`overwrites`] does.
#[cold]
fn all_overwrite<'a>(cx: &mut Context<'a>, found: &Found<'a>, accesses: &Accesses) -> Outcome {
    if let (Some(allocation), Some(shadow)) = (found.common, &cx.shadow) {
        let (low, high, _) = access::extent(accesses.all);
        let [low, high] = [low, high].map(|at| (at - allocation.base) as usize);
        let (bytes, warp) = (low..high + accesses.total, cx.warp as usize);
        let sources = &shadow.sources;
        if sources
            .reading(cx.hint, &bytes, warp, &shadow.clocks)
            .is_none()
        {
            return Ok(());
        }
    }
    let access = match accesses.strength {
        Some(_) => Access::Atomic,
        None => Access::Write,
    };
    for lane in lanes(accesses.mask) {
        let place = order::of_lane(cx, found, lane, accesses)?;
        let at = (accesses.all[lane] - place.1.base) as usize;
        overwrites(cx, lane, place, (at, accesses.total), access)?;
    }
    Ok(())
}

/// A write of a thread through the generic proxy that no thread fenced.
pub(super) struct Unfenced {
    writer: Writer,
    address: u64,
}

/// Finds bytes that a bulk copy is about to use and that threads wrote and did not fence. Source:
/// PTX ISA, "Async proxy", "Proxy-preserved base causality order".
pub(super) fn unfenced(
    cx: &mut Context,
    place: (usize, &Allocation),
    (at, bytes): (usize, usize),
) -> Option<Unfenced> {
    let granules = granules(cx, at, bytes);
    if !cx.launch.follows || granules.is_empty() || !is_watched(place.1) {
        return None;
    }
    let found = with(cx, |history, clocks| {
        let base = (!history.shared).then_some(clocks.base);
        history.unfenced(place.0, granules, base)
    });
    let (writer, granule) = found.flatten()?;
    let address = place.1.base + (granule << shift(cx)) as u64;
    Some(Unfenced { writer, address })
}

/// Reports the unfenced write, once the copy is known to be ordered.
pub(super) fn tell_unfenced(
    cx: &mut Context,
    lane: usize,
    found: Option<Unfenced>,
    access: Access,
) -> Outcome {
    let Some(Unfenced { writer, address }) = found else {
        return Ok(());
    };
    let (other, unit, site) = writer;
    let rank = other / WARP as u32 / cx.launch.warps;
    let block = cx.launch.block_of(u64::from(unit), rank);
    let what = FaultKind::Unfenced {
        space: Space::Global,
        access,
        other: cx.launch.thread(other),
        block: (block != cx.block).then_some(block),
        slot: None,
    };
    let mut trap = Trap::boxed(lane, address, what);
    trap.earlier = site;
    cx.found(trap)
}

/// Returns the granules of the tensor map at an address, and their allocation, or `None` outside of
/// global memory.
fn map_at<'a>(
    cx: &Context<'a>,
    address: u64,
) -> Option<((usize, &'a Allocation), std::ops::Range<usize>)> {
    let index = cx.launch.global.find(address)?;
    let allocation = cx.launch.global.at(index)?;
    let at = (address - allocation.base) as usize;
    let inside = at + TENSOR_MAP_BYTES <= allocation.size && is_watched(allocation);
    let shift = shift(cx);
    inside.then(|| {
        let granules = at >> shift..(at + TENSOR_MAP_BYTES).div_ceil(1 << shift);
        ((index, allocation), granules)
    })
}

/// Performs `fence.proxy.tensormap::generic.acquire` of the lanes of `mask`.
pub(crate) fn map_fence(cx: &mut Context, frame: &Frame, address: &Address, mask: u32) {
    if !cx.launch.follows {
        return;
    }
    let all = access::addresses(frame, address, mask);
    for lane in lanes(mask) {
        if let Some((place, granules)) = map_at(cx, all[lane]) {
            let of = lines(cx, place);
            with(cx, |history, _| history.map(of, granules));
        }
    }
}

/// Checks that the threads that wrote the tensor map at an address, which is about to be used, have
/// been fenced.
pub(crate) fn descriptor_written(cx: &mut Context, lane: usize, address: u64) -> Outcome {
    if !cx.launch.follows {
        return Ok(());
    }
    let Some((place, granules)) = map_at(cx, address) else {
        return Ok(());
    };
    let of = lines(cx, place);
    let found = with(cx, |history, clocks| {
        let base = (!history.shared).then_some(clocks.base);
        history.unmapped(of, granules, base)
    });
    let Some((other, unit, site)) = found.flatten() else {
        return Ok(());
    };
    let rank = other / WARP as u32 / cx.launch.warps;
    let block = cx.launch.block_of(u64::from(unit), rank);
    let what = FaultKind::TensorMapUnfenced {
        other: cx.launch.thread(other),
        block: (block != cx.block).then_some(block),
    };
    let mut trap = Trap::boxed(lane, address, what);
    trap.earlier = site;
    cx.found(trap)
}
