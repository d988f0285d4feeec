//! Accesses of global memory as the record of threads sees them, and what orders threads by way of
//! it.
//!
//! ```text
//! 32 lanes ─► rows in lines ─► noted, or a clash: a finding? ─► strong ones acquire and release
//! ```
//!
//! Law: called once the places are known to be valid, and before anything is read or written.

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

/// What a bulk copy does to global memory, for the thread that issues it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BulkAccess {
    Read,
    Write,
    Reduction,
}

/// The block of the warp that runs.
fn home(cx: &Context) -> Home {
    Home {
        unit: cx.linear,
        rank: cx.warp / cx.launch.warps,
    }
}

/// Calls `f` with the record and the clocks; none where the order of threads is not followed.
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

/// Calls `f` with what strong accesses have released and the clocks, where blocks may communicate.
fn with_published<T>(
    cx: &mut Context,
    f: impl FnOnce(&mut Published, &mut Clocks) -> T,
) -> Option<T> {
    let clocks = &mut cx.shadow.as_mut()?.clocks;
    let published = cx.launch.published.as_ref()?;
    let mut published = published.lock().unwrap_or_else(PoisonError::into_inner);
    Some(f(&mut published, clocks))
}

/// Bytes of a granule, as a power of two.
fn shift(cx: &Context) -> u32 {
    cx.launch.kernel().global_granule.trailing_zeros()
}

/// An allocation's index, and its lines.
fn lines(cx: &Context, (index, allocation): (usize, &Allocation)) -> (usize, usize) {
    let log = LINE.trailing_zeros() + shift(cx);
    (index, (allocation.size + (1 << log) - 1) >> log)
}

fn is_watched(allocation: &Allocation) -> bool {
    matches!(allocation.kind, Kind::Buffer | Kind::Variable)
}

/// What an access of the warp that runs is.
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

/// Notes reads: whether they are the same again.
#[inline]
pub(super) fn read<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
) -> Outcome<bool> {
    follow(cx, found, accesses, Does::Read, &order::Unknown)
}

/// Notes writes of these values: whether they are to the same places again.
#[inline]
pub(super) fn write<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    new: &impl NewBytes,
) -> Outcome<bool> {
    // Lanes at a distance use no byte together.
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

/// Notes accesses, and lets strong ones acquire and release: whether they are ones that the same
/// threads made before, and nothing came between.
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

/// The parts of accesses of one allocation by lanes that a swizzle permutes: whether they are that.
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

/// The row that the accesses of one allocation are, if they are one.
#[inline(always)]
fn row(
    cx: &Context,
    (allocation, found): (&Allocation, &Found),
    accesses: &Accesses,
    since: &[u32; WARP],
) -> Option<Row> {
    // Lanes that are off may lie between places that follow each other.
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

/// The time of all lanes of the mask, where it is one.
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

/// Notes an access lane by lane, where several lanes in one line are not exact enough.
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

/// What a clash is: nothing where the same value is written, or else a finding. Then the rest is
/// noted.
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

/// The first edge that is missing between the accesses of a clash.
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

/// A clash as a finding of a lane: whether the kernel goes on.
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

/// Whether no two lanes use one byte, where the lanes' places are multiples of their size that lie
/// near each other.
fn are_apart(accesses: &Accesses) -> bool {
    let Accesses {
        all, mask, total, ..
    } = *accesses;
    let shift = total.trailing_zeros();
    // One line of a tile, in any order that a swizzle makes: 32 blocks, each once.
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

/// Lanes of one store that write different values to one place.
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

/// Strong accesses acquire and release; weak writes end what was released.
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

/// What a bulk copy wrote to global memory.
#[derive(Debug)]
pub(crate) struct BulkWrite {
    /// Who issued it, and the group that it belongs to, once that is known.
    thread: u32,
    pub group: Option<u32>,
    /// The index of the allocation, its lines, and the granules.
    of: (usize, usize),
    granules: std::ops::Range<usize>,
}

/// A lane has waited for its bulk groups before `before`: what they wrote counts as written now.
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

/// The granules that lie in bytes as a whole.
fn granules(cx: &Context, at: usize, bytes: usize) -> std::ops::Range<usize> {
    let shift = shift(cx);
    match bytes < 1 << shift {
        // A byte of what threads access as a whole: of a text.
        true => at >> shift..(at + bytes).div_ceil(1 << shift),
        false => at.div_ceil(1 << shift)..(at + bytes) >> shift,
    }
}

/// Notes what a bulk copy of one lane does; granules that it uses in part are left out.
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
    // A bulk read leaves no record in the history of one cluster, and what nobody used has none.
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

/// `fence` or `membar` of the lanes of `mask`; a `fence.mbarrier_init` too, which covers more here
/// than the objects.
pub(crate) fn fence(cx: &mut Context, scope: Scope, mask: u32) {
    let (warp, home, site) = (cx.warp as usize, home(cx), cx.launch.packed(cx.site));
    if let Some(shadow) = &mut cx.shadow {
        releases::fence(&mut shadow.clocks, (warp, mask), (scope, home, site));
    }
}

/// `fence.proxy.async` of the lanes of `mask`, for global memory.
pub(crate) fn proxy_fence(cx: &mut Context, mask: u32) {
    let (warp, unit) = (cx.warp as usize, cx.linear);
    let Some(shadow) = cx.shadow.as_mut().filter(|_| cx.launch.follows) else {
        return;
    };
    let fenced = shadow.clocks.fenced(warp, mask, unit);
    with(cx, |history, _| history.fence(&fenced));
}

/// A bulk load of a lane is about to read bytes of an allocation.
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

/// Bytes are about to be written: bulk loads of the cluster must have read them.
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

/// The same of each lane's write.
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

/// What a thread wrote through the generic proxy, and nobody fenced.
pub(super) struct Unfenced {
    writer: Writer,
    address: u64,
}

/// Whether a bulk copy is about to use bytes that threads wrote and did not fence. Source: PTX ISA,
/// "Async proxy", "Proxy-preserved base causality order".
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

/// Tells of it, once the copy is known to be ordered.
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

/// The granules of the tensor map at an address, and their allocation; none outside of global
/// memory.
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

/// `fence.proxy.tensormap::generic.acquire` of the lanes of `mask`.
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

/// The tensor map at an address is about to be used: threads that wrote it must have been fenced.
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
