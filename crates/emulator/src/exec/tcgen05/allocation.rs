//! Allocations of tensor memory, by a single block or by the two blocks of a pair together.
//!
//! ```text
//! block 0   alloc ......... ──┐ the same columns in both memories
//! block 1         alloc ──────┴─ both go on
//! ```
//!
//! Law: for a pair, a warp of each block executes each allocation or deallocation, and the first
//! warp waits for the other. PTX permits a deallocation to wait or not; the emulator always waits,
//! so that a kernel that may hang does hang. A warp allocates or gives back only after something
//! shows that the peer has begun, and gives back only after the peer's allocation: without the
//! first, CuTe's tutorials 04 and 05 race (CUTLASS #3316), and without the second, a B300 stops
//! (CUTLASS #3435). Source: PTX ISA, "tcgen05.alloc", "Issue Granularity".

use super::super::access::{self, Addresses};
use super::super::banks::Cost;
use super::super::run::{Context, Site};
use super::super::shared;
use super::super::values::Values;
use super::super::warp::{Waiting, Warp};
use super::super::{Outcome, cluster, engine};
use super::{Accessor, fail, one, rank, ranks, tell, wrong};
use crate::address::SHARED_WINDOW;
use crate::frame::{Frame, Row32, WARP};
use crate::ir::Window;
use crate::memory::tensor::{COLUMNS, Conflict};

/// A block's request for its pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Allocate { columns: usize },
    Deallocate { from: usize, columns: usize },
}

/// A request, the warp that has made it, and the instruction's place.
#[derive(Debug, Clone, Copy)]
struct Asked {
    wish: Wish,
    warp: u32,
    site: u32,
}

/// The requests that the two blocks of a pair make together, by the block's rank.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    asked: Vec<Option<Asked>>,
    /// For each block, the first column of the request that the other block has completed.
    answered: Vec<Option<usize>>,
    /// For each block, the thread and the time that tell of its last complete allocation, and the
    /// instruction.
    allocated: Vec<Option<(u32, u32, u32)>>,
    /// The blocks for which a peer that has not begun is reported.
    reported: Vec<bool>,
}

impl Pairs {
    pub fn start(&mut self, ranks: usize) {
        self.asked.clear();
        self.asked.resize(ranks, None);
        self.answered.clear();
        self.answered.resize(ranks, None);
        self.allocated.clear();
        self.allocated.resize(ranks, None);
        self.reported.clear();
        self.reported.resize(ranks, false);
    }
}

/// Checks that something shows that the pair's other block has begun. Reports a block once.
pub(super) fn peer_has_begun(cx: &mut Context) -> Outcome {
    let own = rank(cx);
    let reported = cx.engine.tensor.pairs.reported[own];
    if reported || (own ^ 1) >= cx.launch.ranks as usize || cluster::has_begun(cx, own ^ 1) {
        return Ok(());
    }
    cx.engine.tensor.pairs.reported[own] = true;
    let problem = format!(
        "nothing shows that the pair's other block, rank {} of the cluster, has begun: no \
         barrier.cluster stands between",
        own ^ 1
    );
    cx.go_on(wrong(0, 0, problem))
}

/// Checks that a deallocation comes after the allocation of the pair's other block.
fn comes_after_the_peers(cx: &mut Context) -> Outcome {
    let peer = rank(cx) ^ 1;
    let made = cx.engine.tensor.pairs.allocated[peer];
    if made.is_some_and(|(thread, time, _)| cluster::comes_after(cx, thread, time)) {
        return Ok(());
    }
    let problem = format!(
        "columns are given back, and nothing orders that after the allocation of the pair's \
         other block, rank {peer} of the cluster"
    );
    let mut trap = wrong(0, 0, problem);
    trap.earlier = made.map_or(0, |(.., site)| site);
    cx.go_on(trap)
}

/// Makes a request for the pair. Returns the first column once both blocks have made the request,
/// or `None` while the other block has not.
fn together(
    cx: &mut Context,
    warp: &mut Warp,
    wish: Wish,
    site: Site,
    act: impl FnOnce(&mut Context, [Asked; 2]) -> Outcome<usize>,
) -> Outcome<Option<usize>> {
    let own = rank(cx);
    let pairs = &mut cx.engine.tensor.pairs;
    if let Some(from) = pairs.answered[own].take() {
        warp.waiting = None;
        return Ok(Some(from));
    }
    let asked = Asked {
        wish,
        warp: cx.warp,
        site: cx.launch.packed(site),
    };
    ranks(cx, 0, true)?;
    if cx.engine.tensor.pairs.asked[own].is_none() {
        peer_has_begun(cx)?;
        if matches!(wish, Wish::Deallocate { .. }) {
            comes_after_the_peers(cx)?;
        }
    }
    let pairs = &mut cx.engine.tensor.pairs;
    if let Some(before) = pairs.asked[own]
        && before.warp != cx.warp
    {
        let problem = "a second warp of the block asks while the first one waits for the pair";
        let mut trap = wrong(0, 0, problem.to_owned());
        trap.earlier = before.site;
        return Err(trap);
    }
    let Some(other) = pairs.asked[own ^ 1] else {
        pairs.asked[own] = Some(asked);
        warp.waiting = Some(Waiting {
            at: engine::PAIR,
            site: asked.site,
        });
        return Ok(None);
    };
    pairs.asked[own ^ 1] = None;
    warp.waiting = None;
    if other.wish != wish {
        let problem = format!(
            "the pair's blocks disagree: this one asks for {}, rank {} of the cluster for {}",
            wish.text(),
            own ^ 1,
            other.wish.text()
        );
        let mut trap = wrong(0, 0, problem);
        trap.earlier = other.site;
        return Err(trap);
    }
    let from = act(cx, [asked, other])?;
    cx.engine.tensor.pairs.answered[own ^ 1] = Some(from);
    Ok(Some(from))
}

impl Wish {
    fn text(self) -> String {
        match self {
            Wish::Allocate { columns } => format!("{columns} columns"),
            Wish::Deallocate { from, columns } => {
                format!("the release of {columns} columns from {from} on")
            }
        }
    }
}

/// A word that one lane stores.
struct OneWord(u32);

impl Values for OneWord {
    fn bytes(&self) -> usize {
        4
    }

    fn element(&self, _: usize, _: usize) -> u64 {
        self.0.into()
    }

    fn words(&self, _: usize) -> Option<&Row32> {
        None
    }
}

/// Executes `tcgen05.alloc`. Returns whether it is complete.
pub(super) fn allocate(
    cx: &mut Context,
    warp: &mut Warp,
    (all, window): (Addresses, Window),
    registers: &Frame,
    (columns, pair): (u32, bool),
    site: Site,
) -> Outcome<bool> {
    let columns = one(&registers.r32[columns as usize], "numbers of columns")?;
    let count = columns as usize;
    if !count.is_power_of_two() || !(32..=COLUMNS).contains(&count) {
        let problem = format!("32, 64, 128, 256 or 512 columns, not {columns}");
        return fail(0, 0, problem);
    }
    let own = rank(cx);
    let from = match pair {
        false => Some(take(cx, &[(own, cx.warp, cx.launch.packed(site))], count)?),
        true => together(
            cx,
            warp,
            Wish::Allocate { columns: count },
            site,
            |cx, both| {
                let of = |rank: usize, asked: Asked| (rank, asked.warp, asked.site);
                take(cx, &[of(own, both[0]), of(own ^ 1, both[1])], count)
            },
        )?,
    };
    let Some(from) = from else { return Ok(false) };
    if pair {
        let thread = cx.warp * WARP as u32;
        let time = cx.shadow.as_ref().map_or(0, |s| s.clocks.since(thread));
        let made = (thread, time, cx.launch.packed(site));
        cx.engine.tensor.pairs.allocated[own] = Some(made);
    }
    let all = match window {
        Window::Generic => access::relative(&all, SHARED_WINDOW, 1),
        _ => all,
    };
    let request = shared::Request {
        window: Window::Shared,
        all: &all,
        mask: 1,
        bytes: 4,
        cost: Cost::Store,
        counted: None,
    };
    shared::store(cx, &request, None, &OneWord(from as u32))?;
    Ok(true)
}

/// Allocates the same columns in some blocks, for their warps.
fn take(cx: &mut Context, blocks: &[(usize, u32, u32)], count: usize) -> Outcome<usize> {
    let mut problem = None;
    for &(rank, ..) in blocks {
        let memory = &cx.engine.tensor.memories[rank];
        if memory.relinquished {
            problem = Some("an allocation behind tcgen05.relinquish_alloc_permit".to_owned());
        } else if let Some(last) = memory.last.filter(|&last| last < count) {
            problem = Some(format!(
                "{count} columns behind an allocation of {last}: no later one is larger"
            ));
        }
    }
    let memories = &mut cx.engine.tensor.memories;
    let free = |from: usize| {
        let range = from..from + count;
        blocks
            .iter()
            .all(|&(rank, ..)| memories[rank].is_free(&range))
    };
    let mut starts = (0..=COLUMNS - count).rev().step_by(count);
    let Some(from) = starts.find(|&from| free(from)) else {
        let has: usize = memories[blocks[0].0]
            .allocations
            .iter()
            .map(|(range, ..)| range.len())
            .sum();
        let problem = format!(
            "{count} columns where the block has {has} of {COLUMNS}: the allocation waits for ever"
        );
        return fail(0, 0, problem);
    };
    for &(rank, warp, site) in blocks {
        memories[rank].take(from..from + count, warp, site);
    }
    if let Some(problem) = problem {
        cx.go_on(wrong(0, from as u32, problem))?;
    }
    Ok(from)
}

/// Executes `tcgen05.dealloc`. Returns whether it is complete.
pub(super) fn deallocate(
    cx: &mut Context,
    warp: &mut Warp,
    address: u32,
    (columns, pair): (u32, bool),
    site: Site,
) -> Outcome<bool> {
    let (from, own) = ((address & 0xffff) as usize, rank(cx));
    let range = from..from + columns as usize;
    let memory = &cx.engine.tensor.memories[own];
    let mut all = memory.allocations.iter();
    let answered = cx.engine.tensor.pairs.answered[own].is_some();
    let Some(&(_, by, made)) = all.find(|(other, ..)| *other == range) else {
        if pair && answered {
            cx.engine.tensor.pairs.answered[own] = None;
            warp.waiting = None;
            return Ok(true);
        }
        let problem = format!("no allocation of {columns} columns begins at column {from}");
        return fail(0, address, problem);
    };
    let waits = warp.waiting.is_some();
    if by != cx.warp && !waits {
        let of_block = |warp: u32| warp % cx.launch.warps;
        let (by, own) = (of_block(by), of_block(cx.warp));
        let problem = format!("warp {own} gives back what warp {by} has allocated");
        let mut trap = wrong(0, address, problem);
        trap.earlier = made;
        cx.go_on(trap)?;
    }
    let give_back = |cx: &mut Context, (rank, warp, site): (usize, u32, u32)| {
        let who = Accessor {
            thread: warp * WARP as u32,
            site,
            tracked: None,
        };
        let (memory, order) = cx.engine.tensor.ordered(rank, cx.shadow.as_deref());
        let found = memory.deallocate(order, who, &range);
        let say = |conflict: Conflict| tell(cx, (0, address), "columns are given back", conflict);
        found.or_else(say)
    };
    if !pair {
        let packed = cx.launch.packed(site);
        let warp = cx.warp;
        give_back(cx, (own, warp, packed))?;
        return Ok(true);
    }
    let wish = Wish::Deallocate {
        from,
        columns: columns as usize,
    };
    let done = together(cx, warp, wish, site, |cx, both| {
        give_back(cx, (own, both[0].warp, both[0].site))?;
        give_back(cx, (own ^ 1, both[1].warp, both[1].site))?;
        Ok(from)
    })?;
    Ok(done.is_some())
}
