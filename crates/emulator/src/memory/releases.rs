//! What threads release by strong operations and fences, and who may acquire it.
//!
//! ```text
//! thread a   data = 1     fence.gpu ─ snapshot ─┐
//!            flag = 1 (relaxed)  ───────────────┴─► place `flag`: the snapshot, scope gpu
//! thread b   flag? (relaxed) observes it ─► fence.gpu: thread b is behind the snapshot
//! ```
//!
//! Law: a release pattern is a strong write that releases, or a fence and a strong write behind it;
//! an acquire pattern is a strong read that acquires, or a strong read and a fence behind it. A
//! pattern synchronizes where the read observes the write, directly or along a chain of
//! read-modify-writes, and the first operation of the one and the last of the other reach each
//! other by their scopes. Then the reader is behind what the writer had done and was behind. A read
//! of other bytes than the write's, of a part of them for instance, observes nothing. The order of
//! `fence.sc` among each other adds nothing here: it depends on who comes first, and where two
//! accesses have no other order, they race in the other one. Source: PTX ISA, "Memory Consistency
//! Model", "Release and Acquire Patterns", "Synchronizes".

use std::collections::HashMap;
use std::sync::Arc;

use super::apart::Piece;
use super::clocks::Clocks;
use super::foreign::{self, Seen};
use super::history::History;
use super::objects::Message;
use crate::frame::{WARP, lanes};
use crate::ir::{Scope, Strength};

/// Releases of too narrow a scope that are kept of a warp, for findings alone: the last ones.
const MOST_NARROW: usize = 8;

/// Releases that a warp has observed and not acquired: the oldest of more counts as acquired, so
/// that nobody is accused for want of memory.
const MOST_OBSERVED: usize = 64;

/// A cluster of the grid and a block's rank in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    pub unit: u32,
    pub rank: u32,
}

impl Home {
    /// Whether an operation of that scope here reaches threads there.
    pub fn reaches(self, scope: Scope, there: Home) -> bool {
        match scope {
            Scope::Block => self == there,
            Scope::Cluster => self.unit == there.unit,
            Scope::Device => true,
        }
    }
}

/// An allocation, and a granule there.
type Place = (usize, usize);

/// What is behind a strong write for those who acquire it.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    /// Times of threads, of the writer's cluster too, are in `foreign`.
    message: Arc<Message>,
    scope: Scope,
    by: Home,
    thread: u32,
    /// Whether there are others beside the block of `by`.
    mixed: bool,
    /// Bytes of the write; 0 where it counts as of any size.
    bytes: u8,
    /// The write that releases or the fence before it, as packed by the launch.
    site: u32,
}

/// What lanes of a warp knew at a fence.
#[derive(Debug)]
struct Fence {
    lanes: u32,
    scope: Scope,
    /// The instruction, as packed by the launch.
    site: u32,
    /// Of all but the warp itself, known to all its lanes.
    others: Message,
    /// Of all but the warp itself, known to some of its lanes.
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
    /// The last acquire of a scope that does not reach the writer, and its instruction.
    tried: Option<(Scope, u32)>,
}

/// A phase of an mbarrier object that lanes of a warp have found complete and not acquired.
#[derive(Debug)]
struct ObservedPhase {
    lanes: u32,
    /// The scope of an acquire that reaches those who arrived.
    needed: Scope,
    message: Arc<Message>,
}

/// The fences of a cluster's threads, and what they have observed.
#[derive(Debug, Default)]
pub(crate) struct Releasing {
    /// By warp.
    fences: Vec<Vec<Fence>>,
    /// By warp.
    observed: Vec<Vec<Observed>>,
    /// Releases that lanes have read and whose scope does not reach them, by warp.
    narrow: Vec<Vec<Observed>>,
    /// By warp.
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

/// What one lane releases: what it knows of its own warp is in `row`, itself up to `now`.
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

/// The thread is behind a release, as far as an acquire of that scope goes.
fn acquire(clocks: &mut Clocks, thread: u32, home: Home, scope: Scope, release: &Release) {
    let message = &release.message;
    // What is known of this cluster.
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

/// The lanes of `mask` acquire what they have observed, as far as an acquire of that scope reaches,
/// at the places that `at` names.
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

/// Why threads are not ordered although one of the reader's cluster has read a flag of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The thread `reader` has read the flag, and nothing of it acquires.
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

/// Why no thread of the cluster that has read a flag is behind what a thread of cluster `unit` did
/// at a time: none where nobody has read one that stands behind it.
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

/// A thread has found a phase complete with a wait that acquires as far as that scope; with none,
/// it acquires nothing. `message` is of arrivals that an acquire of scope `needed` reaches.
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

/// The lanes of `mask` acquire the phases that they have found complete, as far as an acquire of
/// that scope reaches.
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

/// Whether a thread has found a phase complete in which a thread of another warp arrived, or who is
/// behind that one, and has not acquired it.
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

/// `fence` or `membar` of the lanes of `mask`, and its instruction.
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
    // A later one of at least that scope says more.
    for fence in fences.iter_mut().filter(|fence| fence.scope <= scope) {
        fence.lanes &= !mask;
    }
    fences.retain(|fence| fence.lanes != 0);
    fences.push(snapshot);
}

/// Adds to a message what the fences of a lane cover, of those that reach at least so far.
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

/// What strong accesses of a launch's global memory have released.
#[derive(Debug)]
pub(crate) struct Published {
    pub history: History,
    pub places: Places,
}

/// What strong accesses have released, by allocation and granule; of shared memory, by 0 and
/// granule.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<Place, Vec<Release>>);

/// What a strong access does to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Read,
    Write,
    /// Both: it keeps what was released before.
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

    /// A weak write: nobody observes any more what was released there.
    pub fn forget(&mut self, place: Place) {
        self.0.remove(&place);
    }

    /// A strong access of one lane, of whose warp the lanes `mask` do the same; `now`: up to when
    /// the lane itself is released; `site`: the instruction.
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
            // What the thread itself released at this place goes on to be released by its strong
            // writes.
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

/// A strong read observes a release.
fn observe(
    clocks: &mut Clocks,
    thread: u32,
    (home, place, site): (Home, Place, u32),
    release: &Release,
    strength: Strength,
) {
    // A read of other bytes than the write's observes it in part: that orders nothing.
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

/// Adds a release to those that lanes of a warp have observed: the oldest of more than `most`,
/// which is no longer among them.
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

/// Adds a release to those of a chain: those that reach the whole device are one.
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
