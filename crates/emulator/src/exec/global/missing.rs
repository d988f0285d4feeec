//! Finds the first order edge that is missing between the two accesses of a race.
//!
//! ```text
//! thread a   x = 1   bar.sync   membar.cta   flag = 1  ║  thread b   flag? 1   fence.gpu   bar.sync   x?
//!                    before the ──────────                                     ─────────   after the
//!                    release    too narrow: `.gpu` is needed                   missing     acquire
//! ```
//!
//! Law: a sentence is only made for a race that was found. The edges are examined from the later
//! access backwards, and the sentence names the first edge that would have ordered the two.
//! Candidates are a barrier after the acquiring thread, the acquire, the release, and a barrier
//! before the release. If no thread has acquired, released or read a flag, there is no sentence.

use super::super::run::Context;
use crate::counted::counted;
use crate::frame::WARP;
use crate::ir::Scope;
use crate::memory::observed::{Event, Observations};
use crate::memory::releases::{self, Home, Lack};

/// The earlier access of a race, and the thread of the later access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Race {
    /// The cluster of the earlier access. `other` is the thread in that cluster, and `time` the
    /// time of the access.
    pub unit: u32,
    pub other: u32,
    pub time: u32,
    /// The lane of the later access in the warp that runs.
    pub lane: usize,
}

/// The sentence for a wait for an mbarrier object that acquires too little.
const WAIT_LACKS: &str = "the thread has waited for an mbarrier object at which the other has arrived, and acquires nothing by that: the wait needs .acquire, and .cluster where the other is in another block, or a fence behind it";

/// Returns the sentence for the first edge that is missing. `observed` are the strong accesses to
/// the memory in which the race is.
pub(crate) fn edge(cx: &Context, race: &Race, observed: Option<&Observations>) -> Option<String> {
    let clocks = &cx.shadow.as_ref()?.clocks;
    let (unit, other, time) = (race.unit, race.other, race.time);
    let own = cx.warp * WARP as u32 + race.lane as u32;
    let here = home(cx, cx.linear, own);
    let there = home(cx, unit, other);
    if unit == cx.linear && releases::only_waited(clocks, own, other) {
        return Some(WAIT_LACKS.to_owned());
    }
    let foreign = Some(unit).filter(|&unit| unit != cx.linear);
    let apart = clocks.apart(cx.warp as usize);
    if let Some(lane) = apart.lane_that_knows(foreign, other, time) {
        let thread = named(cx, here, cx.warp * WARP as u32 + lane, here);
        return Some(format!(
            "{thread} of the same warp has acquired it, and for itself alone: bar.warp.sync (__syncwarp()) must stand between"
        ));
    }
    let warps = |home: Home| {
        let warps = cx.launch.warps as usize;
        home.rank as usize * warps..(home.rank as usize + 1) * warps
    };
    if here != there {
        let knows = clocks.who_knows(warps(here), foreign, (other, time));
        if let Some(thread) = knows.filter(|&thread| thread != own) {
            let thread = named(cx, here, thread, here);
            return Some(format!(
                "{thread} of this block has acquired it, and nothing orders this thread behind that one: a barrier of the block (bar.sync) must stand between"
            ));
        }
    }
    if let Some(lack) = releases::lack(clocks, (unit, other), time) {
        return Some(lacking(cx, lack));
    }
    if here != there {
        let known = clocks.latest_known(own, foreign, warps(there));
        if let Some((thread, _)) = known.filter(|&(thread, at)| thread != other && at >= time) {
            let thread = named(cx, there, thread, here);
            return Some(format!(
                "{thread} has released to this thread, and nothing orders the earlier access before that: a barrier of its block (bar.sync) must stand between"
            ));
        }
    }
    // In another block any thread may have released, because a barrier may have ordered that thread
    // after the access.
    let may_be = |event: &Event| event.home == there && (here != there || event.thread == other);
    let (writer, reader) = observed?.flag(may_be, (other, time), cx.linear)?;
    let (writer, reader) = (
        named(cx, writer.home, writer.thread, here),
        named(cx, reader.home, reader.thread, here),
    );
    Some(format!(
        "{reader} has read a flag that {writer} wrote behind it, and that write does not release it: it needs .release, or a fence between the two"
    ))
}

/// Returns the sentence for a flag that was read but orders nothing.
fn lacking(cx: &Context, lack: Lack) -> String {
    let reader = |thread: u32| home(cx, cx.linear, thread);
    let sentence = |site: u32, scope: Scope, (home, thread): (Home, u32), end: &str, peer: Home| {
        let (reach, block) = (reach(scope), block(cx, peer));
        let needed = needed(home, peer);
        let by = match cx.launch.unpacked(site) {
            Some(site) => {
                let place = cx.launch.place(site);
                format!("`{}` in PTX line {}", place.opcode, place.line)
            }
            None => "it".to_owned(),
        };
        let thread = full(cx, home, thread);
        format!("{by} orders {thread} with {reach}; the {end} is in {block}: {needed} is needed")
    };
    match lack {
        Lack::Acquire { reader: thread } => {
            let here = reader(thread);
            let thread = named(cx, here, thread, here);
            format!(
                "{thread} has read a flag that releases it, and acquires nothing by that: a poll needs ld.acquire, or a fence behind it, of a scope that reaches the other thread"
            )
        }
        Lack::AcquireScope {
            reader: thread,
            scope,
            site,
            writer,
        } => sentence(site, scope, (reader(thread), thread), "writer", writer),
        Lack::ReleaseScope {
            reader: other,
            scope,
            site,
            writer,
            thread,
        } => sentence(site, scope, (writer, thread), "reader", reader(other)),
    }
}

/// Returns the reason why a scope that is too narrow does not order two strong accesses.
pub(super) fn narrow_scope((old, new): (Scope, Scope), there: Home, here: Home) -> String {
    let (narrow, whose) = match old <= new {
        true => (old, "the earlier access"),
        false => (new, "this access"),
    };
    let (has, reach, needed) = (name(narrow), reach(narrow), needed(there, here));
    format!("the scope {has} of {whose} reaches {reach}: {needed} is needed")
}

/// Returns the reason why two strong accesses of different sizes are not ordered.
pub(crate) fn mixed_sizes(old: usize, new: usize) -> String {
    let (old, new) = (counted(old, "byte"), counted(new, "byte"));
    format!(
        "the earlier access has {old} and this one {new}: two atomic, volatile or relaxed accesses are no race only where both are of the same bytes"
    )
}

fn name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => ".cta",
        Scope::Cluster => ".cluster",
        Scope::Device => ".gpu",
    }
}

fn reach(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "its own block alone",
        Scope::Cluster => "its own cluster alone",
        Scope::Device => "the whole device",
    }
}

/// Returns the narrowest scope that includes threads of both blocks.
fn needed(a: Home, b: Home) -> &'static str {
    let scopes = [Scope::Block, Scope::Cluster, Scope::Device];
    let reaching = scopes.into_iter().find(|&scope| a.reaches(scope, b));
    name(reaching.unwrap_or(Scope::Device))
}

/// Returns the block of a thread of a cluster.
fn home(cx: &Context, unit: u32, thread: u32) -> Home {
    Home {
        unit,
        rank: thread / WARP as u32 / cx.launch.warps,
    }
}

fn block(cx: &Context, home: Home) -> String {
    let [i, j, k] = cx.launch.block_of(u64::from(home.unit), home.rank);
    format!("block ({i},{j},{k})")
}

/// Names a thread with its block.
fn full(cx: &Context, home: Home, thread: u32) -> String {
    let [x, y, z] = cx.launch.thread(thread);
    format!("thread ({x},{y},{z}) of {}", block(cx, home))
}

/// Names a thread, with its block if that is not `here`.
fn named(cx: &Context, home: Home, thread: u32, here: Home) -> String {
    let [x, y, z] = cx.launch.thread(thread);
    match home == here {
        true => format!("thread ({x},{y},{z})"),
        false => full(cx, home, thread),
    }
}
