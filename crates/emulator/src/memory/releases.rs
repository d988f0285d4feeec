//! The releases of threads by strong operations and fences, and the threads that may acquire them.
//!
//! ```text
//! thread a   data = 1     fence.gpu ─ snapshot ─┐
//!            flag = 1 (relaxed)  ───────────────┴─► place `flag`: the snapshot, scope gpu
//! thread b   flag? (relaxed) observes it ─► fence.gpu: thread b is ordered after the snapshot
//! ```
//!
//! Law: a release pattern is a strong write that releases, or a fence followed by a strong write.
//! An acquire pattern is a strong read that acquires, or a strong read followed by a fence. A
//! pattern synchronizes if the read observes the write, directly or along a chain of
//! read-modify-writes, and the scopes of the first operation of the release pattern and of the last
//! operation of the acquire pattern each include the other's thread. Then the reader is ordered
//! after what the writer had done, and after all that the writer was ordered after. A read whose
//! bytes differ from those of the write, for instance a part of them, observes nothing. The order
//! among several `fence.sc` adds nothing here: that order depends on chance, and two accesses that
//! have no other order race if the fences come in the other order. Source: PTX ISA, "Memory
//! Consistency Model", "Release and Acquire Patterns", "Synchronizes".

use std::collections::HashMap;
use std::sync::Arc;

use super::apart::Piece;
use super::clocks::Clocks;
use super::foreign::{self, Seen};
use super::history::History;
use super::objects::Message;
use crate::frame::{WARP, lanes};
use crate::ir::{Scope, Strength};

/// The number of releases with too narrow a scope that are kept for a warp: the last ones are kept,
/// for the messages of findings only.
const MOST_NARROW: usize = 8;

/// The most releases that a warp can have observed and not acquired. If there are more, the oldest
/// counts as acquired, so that this limit never produces a finding.
const MOST_OBSERVED: usize = 64;

/// A cluster of the grid and a block's rank in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    pub unit: u32,
    pub rank: u32,
}

impl Home {
    /// Whether the scope of an operation here includes threads there.
    pub fn reaches(self, scope: Scope, there: Home) -> bool {
        match scope {
            Scope::Block => self == there,
            Scope::Cluster => self.unit == there.unit,
            Scope::Device => true,
        }
    }
}

/// The index of an allocation, and a granule in it.
type Place = (usize, usize);

/// The knowledge that a strong write releases to the threads that acquire it.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    /// The knowledge that is released. The message has the times of threads in `foreign`, also for
    /// the writer's cluster.
    message: Arc<Message>,
    scope: Scope,
    by: Home,
    thread: u32,
    /// Whether blocks other than the block of `by` have released here too.
    mixed: bool,
    /// The bytes of the write, or 0 if it matches accesses of any size.
    bytes: u8,
    /// The instruction that releases, or the fence before the write, as packed by the launch.
    site: u32,
}

/// The knowledge of lanes of a warp at a fence.
#[derive(Debug)]
struct Fence {
    lanes: u32,
    scope: Scope,
    /// The fence instruction, as packed by the launch.
    site: u32,
    /// What all lanes know of the threads of other warps.
    others: Message,
    /// What only some of the lanes know of the threads of other warps.
    apart: Vec<Piece>,
    rows: Box<[[u32; WARP]; WARP]>,
    now: u32,
}

/// A release that lanes of a warp have observed at a place and not acquired.
#[derive(Debug)]
struct Observed {
    lanes: u32,
    place: Place,
    release: Release,
    /// The scope and instruction of the last acquire whose scope does not include the writer.
    tried: Option<(Scope, u32)>,
}

/// A phase of an mbarrier object that lanes of a warp have found complete and not acquired.
#[derive(Debug)]
struct ObservedPhase {
    lanes: u32,
    /// The least scope of an acquire that reaches the threads that arrived.
    needed: Scope,
    message: Arc<Message>,
}

/// The fences of a cluster's threads, and what they have observed.
#[derive(Debug, Default)]
pub(crate) struct Releasing {
    /// The fences of each warp.
    fences: Vec<Vec<Fence>>,
    /// The releases that lanes of each warp have observed and not acquired.
    observed: Vec<Vec<Observed>>,
    /// For each warp, releases that its lanes have read and whose scope does not include them.
    narrow: Vec<Vec<Observed>>,
    /// The phases that lanes of each warp have found complete and not acquired.
    phases: Vec<Vec<ObservedPhase>>,
}

impl Releasing {
    pub fn reset(&mut self, warps: usize) {
        self.fences.clear();
        self.fences.resize_with(warps, Vec::new);
        self.observed.clear();
        self.observed.resize_with(warps, Vec::new);
        self.narrow.clear();
        self.narrow.resize_with(warps, Vec::new);
        self.phases.clear();
        self.phases.resize_with(warps, Vec::new);
    }
}

/// Creates the release by one lane. `row` holds what the lane knows of its own warp, and the lane
/// itself is released up to `now`.
fn of_lane<'p>(
    (others, apart): (&Message, impl Iterator<Item = &'p Piece>),
    thread: u32,
    row: &[u32; WARP],
    now: u32,
    (scope, bytes, site): (Scope, u8, u32),
    by: Home,
) -> Release {
    let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
    let mut message = others.clone();
    apart
        .filter(|piece| piece.lanes >> lane & 1 == 1)
        .for_each(|piece| message.tell(piece));
    let own = |other: usize| if other == lane { now } else { row[other] };
    let least = (0..WARP).map(own).min().unwrap_or(0);
    let mut seen = Seen {
        warps: std::mem::take(&mut message.warps),
        threads: std::mem::take(&mut message.threads),
    };
    seen.warps[warp] = least;
    let later = (0..WARP).filter(|&other| own(other) > least);
    let later = later.map(|other| ((warp * WARP + other) as u32, own(other)));
    seen.threads.extend(later);
    foreign::add(&mut message.foreign, by.unit, &Arc::new(seen));
    Release {
        message: Arc::new(message),
        scope,
        by,
        thread,
        mixed: false,
        bytes,
        site,
    }
}

/// Orders a thread after a release, as far as an acquire of that scope goes.
fn acquire(clocks: &mut Clocks, thread: u32, home: Home, scope: Scope, release: &Release) {
    let message = &release.message;
    // What the releasing threads know of this cluster.
    let known = message.foreign.as_ref();
    if known.is_some_and(|foreign| foreign.is_everything()) {
        clocks.acquire_all(thread);
    }
    let foreign = known.filter(|_| !release.mixed || scope == Scope::Device);
    let own = known.and_then(|foreign| foreign.of(home.unit));
    clocks.acquire(thread, own, foreign);
    if !release.mixed && release.by.unit == home.unit {
        clocks.objects.receive(thread as usize / WARP, message);
    }
}

/// Lets the lanes of `mask` acquire the releases that they have observed at the places for which
/// `at` is true, as far as an acquire of that scope reaches.
fn acquire_observed(
    clocks: &mut Clocks,
    warp: usize,
    mask: u32,
    (scope, home, site): (Scope, Home, u32),
    at: impl Fn(Place) -> bool,
) {
    if clocks.releasing.observed[warp].is_empty() {
        return;
    }
    let mut observed = std::mem::take(&mut clocks.releasing.observed[warp]);
    observed.retain_mut(|one| {
        let release = &one.release;
        if !at(one.place) || one.lanes & mask == 0 {
            return true;
        }
        if home.reaches(scope, release.by) || release.mixed {
            for lane in lanes(one.lanes & mask) {
                acquire(clocks, (warp * WARP + lane) as u32, home, scope, release);
            }
            one.lanes &= !mask;
        } else {
            one.tried = Some((scope, site));
        }
        one.lanes != 0
    });
    clocks.releasing.observed[warp] = observed;
}

/// The reason why threads are not ordered although a thread of the reader's cluster has read a flag
/// of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The thread `reader` has read the flag, but has not acquired.
    Acquire { reader: u32 },
    /// The acquire at `site` does not reach the writer.
    AcquireScope {
        reader: u32,
        scope: Scope,
        site: u32,
        writer: Home,
    },
    /// The release at `site` does not reach the reader.
    ReleaseScope {
        reader: u32,
        scope: Scope,
        site: u32,
        writer: Home,
        thread: u32,
    },
}

/// Finds the reason why no thread of the cluster is ordered after what thread `other` of cluster
/// `unit` did at `time`, although a thread read a flag that was written after that. Returns `None`
/// if no thread has read such a flag.
pub(crate) fn lack(clocks: &Clocks, (unit, other): (u32, u32), time: u32) -> Option<Lack> {
    let find = |of: &[Vec<Observed>]| {
        let by_warp = of.iter().enumerate();
        let mut all = by_warp.flat_map(|(warp, all)| all.iter().map(move |one| (warp, one)));
        let (warp, one) = all.find(|(_, one)| {
            let known = one.release.message.foreign.as_ref();
            let seen = known.and_then(|known| known.of(unit));
            seen.is_some_and(|seen| seen.knows(other, time))
        })?;
        let reader = warp as u32 * WARP as u32 + one.lanes.trailing_zeros();
        Some((reader, one.release.clone(), one.tried))
    };
    if let Some((reader, release, tried)) = find(&clocks.releasing.observed) {
        return Some(match tried {
            None => Lack::Acquire { reader },
            Some((scope, site)) => Lack::AcquireScope {
                reader,
                scope,
                site,
                writer: release.by,
            },
        });
    }
    let (reader, release, _) = find(&clocks.releasing.narrow)?;
    Some(Lack::ReleaseScope {
        reader,
        scope: release.scope,
        site: release.site,
        writer: release.by,
        thread: release.thread,
    })
}

/// Lets a thread acquire a phase that it has found complete, if the wait acquires with at least the
/// scope `needed`; `None` as the scope acquires nothing. `message` is what the arriving threads
/// released. If the thread does not acquire, the phase is noted as observed.
pub(crate) fn wait(
    clocks: &mut Clocks,
    thread: u32,
    scope: Option<Scope>,
    (needed, message): (Scope, &Arc<Message>),
) {
    if scope >= Some(needed) {
        clocks.receive(thread, message);
        return;
    }
    let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
    let phases = &mut clocks.releasing.phases[warp];
    let same = |known: &&mut ObservedPhase| Arc::ptr_eq(&known.message, message);
    if let Some(known) = phases.iter_mut().find(same) {
        known.lanes |= 1 << lane;
        return;
    }
    phases.push(ObservedPhase {
        lanes: 1 << lane,
        needed,
        message: message.clone(),
    });
    if phases.len() > MOST_OBSERVED {
        let oldest = phases.remove(0);
        for lane in lanes(oldest.lanes) {
            clocks.receive((warp * WARP + lane) as u32, &oldest.message);
        }
    }
}

/// Lets the lanes of `mask` acquire the phases that they have found complete, as far as an acquire
/// of that scope reaches.
fn acquire_phases(clocks: &mut Clocks, warp: usize, mask: u32, scope: Scope) {
    if clocks.releasing.phases[warp].is_empty() {
        return;
    }
    let mut phases = std::mem::take(&mut clocks.releasing.phases[warp]);
    phases.retain_mut(|phase| {
        if scope >= phase.needed {
            for lane in lanes(phase.lanes & mask) {
                clocks.receive((warp * WARP + lane) as u32, &phase.message);
            }
            phase.lanes &= !mask;
        }
        phase.lanes != 0
    });
    clocks.releasing.phases[warp] = phases;
}

/// Whether a thread has found a phase complete and has not acquired it, and thread `other`, or a
/// thread ordered after `other`, arrived in that phase.
pub(crate) fn only_waited(clocks: &Clocks, thread: u32, other: u32) -> bool {
    let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
    let mut phases = clocks.releasing.phases[warp].iter();
    phases.any(|phase| {
        let Message { warps, threads, .. } = &*phase.message;
        let of_warp = warps.get(other as usize / WARP);
        let known = of_warp.is_some_and(|&time| time > clocks.base)
            || threads.iter().any(|&(thread, _)| thread == other);
        phase.lanes >> lane & 1 == 1 && known
    })
}

/// Performs `fence` or `membar` by the lanes of `mask`; `site` is the instruction.
pub(crate) fn fence(
    clocks: &mut Clocks,
    (warp, mask): (usize, u32),
    (scope, home, site): (Scope, Home, u32),
) {
    acquire_observed(clocks, warp, mask, (scope, home, site), |_| true);
    acquire_phases(clocks, warp, mask, scope);
    let now = clocks.publish(warp, mask);
    let snapshot = Fence {
        lanes: mask,
        scope,
        site,
        others: clocks.known_of_others(warp),
        apart: clocks.apart(warp).of(mask).cloned().collect(),
        rows: Box::new(*clocks.lane_rows(warp)),
        now,
    };
    let fences = &mut clocks.releasing.fences[warp];
    // The new fence covers all that an earlier fence of the same or a narrower scope covers.
    for fence in fences.iter_mut().filter(|fence| fence.scope <= scope) {
        fence.lanes &= !mask;
    }
    fences.retain(|fence| fence.lanes != 0);
    fences.push(snapshot);
}

/// Adds to a message what the fences of a lane cover, if their scope is at least `needed`.
pub(crate) fn tell_fenced(
    clocks: &Clocks,
    (warp, lane): (usize, usize),
    needed: Scope,
    message: &mut Message,
) {
    let fences = clocks.releasing.fences[warp].iter();
    for fence in fences.filter(|fence| fence.lanes >> lane & 1 == 1 && fence.scope >= needed) {
        message.join(&fence.others, clocks.base);
        let apart = fence
            .apart
            .iter()
            .filter(|piece| piece.lanes >> lane & 1 == 1);
        apart.for_each(|piece| message.tell(piece));
        message.tell_lane((warp, lane), &fence.rows[lane], fence.now);
    }
}

/// The releases by strong accesses of a launch's global memory.
#[derive(Debug)]
pub(crate) struct Published {
    pub history: History,
    pub places: Places,
}

/// The releases by strong accesses, by allocation and granule. In shared memory the allocation is
/// 0.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<Place, Vec<Release>>);

/// The effect of a strong access on its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Read,
    Write,
    /// Reads and writes: the earlier releases of the place are kept.
    Modify,
}

impl Published {
    pub fn new(history: History) -> Published {
        Published {
            history,
            places: Places::default(),
        }
    }
}

impl Places {
    /// Whether nothing has been released.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets the releases of a place, because of a weak write: they can no longer be observed.
    pub fn forget(&mut self, place: Place) {
        self.0.remove(&place);
    }

    /// Performs the release and the acquire of a strong access by one lane. `now` is the time up to
    /// which the lane itself is released, and `site` is the instruction.
    pub fn access(
        &mut self,
        clocks: &mut Clocks,
        (warp, lane): (usize, usize),
        home: Home,
        place: Place,
        (does, strength): (Does, Strength),
        (now, site): (u32, u32),
    ) {
        let thread = (warp * WARP + lane) as u32;
        if does != Does::Write {
            for release in self.0.get(&place).into_iter().flatten() {
                observe(clocks, thread, (home, place, site), release, strength);
            }
            if strength.acquires {
                let by = (strength.scope, home, site);
                acquire_observed(clocks, warp, 1 << lane, by, |at| at == place);
            }
        }
        if does == Does::Read {
            return;
        }
        let mut new = Vec::new();
        if strength.releases {
            let others = clocks.known_of_others(warp);
            let row = &clocks.lane_rows(warp)[lane];
            let reach = (strength.scope, strength.bytes, site);
            let known = (&others, clocks.apart(warp).of(1 << lane));
            new.push(of_lane(known, thread, row, now, reach, home));
        }
        for fence in &clocks.releasing.fences[warp] {
            let says_less = strength.releases && fence.scope <= strength.scope;
            if fence.lanes >> lane & 1 == 1 && !says_less {
                let row = &fence.rows[lane];
                new.push(of_lane(
                    (&fence.others, fence.apart.iter()),
                    thread,
                    row,
                    fence.now,
                    (fence.scope, strength.bytes, fence.site),
                    home,
                ));
            }
        }
        if does == Does::Write {
            // A strong write by a thread that itself released at this place passes on that earlier
            // release.
            if let Some(old) = self.0.remove(&place) {
                let own = |old: &Release| (old.by, old.thread, old.mixed) == (home, thread, false);
                new.extend(old.into_iter().filter(own));
            }
            if !new.is_empty() {
                self.0.insert(place, new);
            }
        } else if !new.is_empty() {
            let kept = self.0.entry(place).or_default();
            for release in new {
                add(kept, release);
            }
        }
    }
}

/// Lets a strong read observe a release.
fn observe(
    clocks: &mut Clocks,
    thread: u32,
    (home, place, site): (Home, Place, u32),
    release: &Release,
    strength: Strength,
) {
    // A read of other bytes than the write's observes the write only in part, which orders nothing.
    let in_part = strength.bytes != 0 && release.bytes != 0 && strength.bytes != release.bytes;
    if in_part {
        return;
    }
    let warp = thread as usize / WARP;
    let tried = strength.acquires.then_some((strength.scope, site));
    if !release.by.reaches(release.scope, home) {
        let narrow = &mut clocks.releasing.narrow[warp];
        note_observed(narrow, MOST_NARROW, thread, place, (release, tried));
        return;
    }
    let reaches = home.reaches(strength.scope, release.by) || release.mixed;
    if strength.acquires && reaches {
        acquire(clocks, thread, home, strength.scope, release);
        return;
    }
    let observed = &mut clocks.releasing.observed[warp];
    let oldest = note_observed(observed, MOST_OBSERVED, thread, place, (release, tried));
    if let Some(oldest) = oldest {
        for lane in lanes(oldest.lanes) {
            let thread = (warp * WARP + lane) as u32;
            acquire(clocks, thread, home, Scope::Device, &oldest.release);
        }
    }
}

/// Adds a release to those that lanes of a warp have observed. If there are then more than `most`,
/// removes and returns the oldest.
fn note_observed(
    observed: &mut Vec<Observed>,
    most: usize,
    thread: u32,
    place: Place,
    (release, tried): (&Release, Option<(Scope, u32)>),
) -> Option<Observed> {
    let lane = thread as usize % WARP;
    let same = |known: &&mut Observed| {
        known.place == place && Arc::ptr_eq(&known.release.message, &release.message)
    };
    if let Some(known) = observed.iter_mut().find(same) {
        known.lanes |= 1 << lane;
        known.tried = tried.or(known.tried);
        return None;
    }
    observed.push(Observed {
        lanes: 1 << lane,
        place,
        release: release.clone(),
        tried,
    });
    (observed.len() > most).then(|| observed.remove(0))
}

/// Adds a release to those of a chain of read-modify-writes. Releases of the same size that reach
/// the whole device are merged; so are those of one block with the same narrower scope.
fn add(kept: &mut Vec<Release>, new: Release) {
    let alike = |old: &&mut Release| {
        (old.scope, old.bytes) == (new.scope, new.bytes)
            && (old.scope == Scope::Device || old.by == new.by)
    };
    let Some(old) = kept.iter_mut().find(alike) else {
        kept.push(new);
        return;
    };
    let one_cluster = old.by.unit == new.by.unit && !old.mixed;
    old.mixed |= old.by != new.by;
    let message = Arc::make_mut(&mut old.message);
    if one_cluster {
        message.join(&new.message, 0);
    } else {
        foreign::join(&mut message.foreign, &new.message.foreign);
    }
    (old.by, old.site) = (new.by, new.site);
}
