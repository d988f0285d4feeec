//! The blocks of a cluster: their barrier, and accesses of each other's shared memory.
//!
//! ```text
//! block 0   arrive ......... wait ──┐           st.shared::cluster [block 1] ─► barrier ─► block 1 may end
//! block 1        arrive ........ wait ┴─ all have arrived: both go on
//! ```
//!
//! Law: a wait ends once every live thread of the cluster has arrived; the waiting thread is then
//! ordered after all of them. A block's shared memory exists until its last thread ends. Therefore
//! an access by another block has to be ordered before the end of at least one of the block's
//! threads; for this a `.relaxed` arrival is enough. Otherwise a `.relaxed` arrival releases only
//! what a fence of the thread covers. Source: PTX ISA, "barrier.cluster"; CUDA, "Distributed Shared
//! Memory".

use super::block::{Block, Failure};
use super::counters::Counters;
use super::engine::CLUSTER;
use super::gather::Gathered;
use super::grid::LaunchState;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::warp::{Waiting, Warp};
use super::{Outcome, Trap, lanes};
use crate::fault::{Access, FaultKind};
use crate::frame::WARP;
use crate::ir::{ClusterSync, NamedRow, Scope};
use crate::memory::objects::Message;
use crate::memory::releases;
use std::sync::Arc;

/// The barrier of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// The lanes of each warp that have arrived in this phase.
    arrived: Vec<u32>,
    /// The number of complete phases. `waits` holds, for each thread, the number at the thread's
    /// last arrival: the thread waits for the phase after these.
    completed: u64,
    waits: Vec<Option<u64>>,
    /// The messages of the threads that arrived, which order a waiting thread after them: `telling`
    /// for this phase, and `told` for the last complete one.
    telling: Message,
    told: Message,
    /// The times up to which warps had arrived, whatever the arrivals release: `came` in this
    /// phase, and `come` in the last complete one.
    came: Vec<u32>,
    come: Arc<[u32]>,
}

impl ClusterBarrier {
    pub fn start(&mut self, warps: usize) {
        *self = ClusterBarrier {
            arrived: vec![0; warps],
            waits: vec![None; warps * WARP],
            came: vec![0; warps],
            come: vec![0; warps].into(),
            ..ClusterBarrier::default()
        };
    }

    /// Completes the phase if every live lane has arrived.
    fn complete_if_done(&mut self, lives: &[u32]) {
        let mut both = self.arrived.iter().zip(lives);
        if self.arrived.iter().any(|&lanes| lanes != 0)
            && both.all(|(arrived, live)| live & !arrived == 0)
        {
            self.arrived.fill(0);
            self.completed += 1;
            self.told = std::mem::take(&mut self.telling);
            self.come = self.came.as_slice().into();
        }
    }
}

/// Executes `barrier.cluster.arrive`. With `releases`, the arrival releases the accesses of its
/// threads, and otherwise only what fences cover.
pub(crate) fn arrive(cx: &mut Context, mask: u32, releases: bool) -> Outcome {
    let warp = cx.warp as usize;
    let barrier = &mut cx.engine.barrier;
    let twice = barrier.arrived[warp] & mask;
    if twice != 0 {
        let problem = "arrives at the cluster's barrier a second time, before all have arrived";
        let lane = twice.trailing_zeros() as usize;
        return Trap::lane(lane, FaultKind::Operand(problem.to_owned()));
    }
    barrier.arrived[warp] |= mask;
    for lane in lanes(mask) {
        barrier.waits[warp * WARP + lane] = Some(barrier.completed);
    }
    if let Some(shadow) = &mut cx.shadow {
        let published = shadow.clocks.publish(warp, mask);
        barrier.came[warp] = published;
        if releases {
            shadow.clocks.send(warp, published, &mut barrier.telling);
        } else {
            for lane in lanes(mask) {
                let (clocks, to) = (&shadow.clocks, &mut barrier.telling);
                releases::tell_fenced(clocks, (warp, lane), Scope::Cluster, to);
            }
        }
    }
    let engine = &mut *cx.engine;
    // `lives` lacks the lanes that ended before this turn of the warp, but may contain lanes that
    // exit in this turn.
    let lives = engine.lives().to_vec();
    engine.barrier.complete_if_done(&lives);
    cx.polls = 0;
    Ok(())
}

/// Executes `barrier.cluster.wait`. Returns whether the wait is over.
pub(crate) fn wait(cx: &mut Context, warp: &mut Warp, mask: u32, site: Site) -> Outcome<bool> {
    let w = cx.warp as usize;
    cx.engine.live(w, warp.live);
    let lives = cx.engine.lives().to_vec();
    let barrier = &mut cx.engine.barrier;
    barrier.complete_if_done(&lives);
    for lane in lanes(mask) {
        let Some(then) = barrier.waits[w * WARP + lane] else {
            let problem = "waits at the cluster's barrier without having arrived".to_owned();
            return Trap::lane(lane, FaultKind::Operand(problem));
        };
        if then == barrier.completed {
            warp.waiting = Some(Waiting {
                at: CLUSTER,
                site: cx.launch.packed(site),
            });
            return Ok(false);
        }
    }
    warp.waiting = None;
    let rank = w / cx.launch.warps as usize;
    for remote in &mut cx.engine.peers.remote[rank] {
        remote.is_over |= barrier.come[remote.warp as usize] >= remote.time;
    }
    for lane in lanes(mask) {
        barrier.waits[w * WARP + lane] = None;
        if let Some(shadow) = &mut cx.shadow {
            shadow
                .clocks
                .receive((w * WARP + lane) as u32, &barrier.told);
        }
    }
    if let Some(shadow) = &mut cx.shadow {
        shadow.clocks.meet_lanes(w, mask);
        let thread = (w * WARP) as u32 + mask.trailing_zeros();
        let met = Met {
            thread,
            time: shadow.clocks.since(thread),
            come: cx.engine.barrier.come.clone(),
        };
        cx.engine.peers.note_wait(w, met);
    }
    Ok(true)
}

/// The last access of a warp to the shared memory of another block.
#[derive(Debug, Clone, Copy)]
struct Remote {
    warp: u32,
    lane: u32,
    time: u32,
    site: Site,
    access: Access,
    address: u64,
    /// Whether the block that owns the memory has waited at the cluster's barrier for an arrival of
    /// the accessing warp that comes after the access.
    is_over: bool,
}

/// A wait at the cluster's barrier that is over.
#[derive(Debug, Clone)]
struct Met {
    thread: u32,
    /// The time that the thread's accesses behind the wait carry.
    time: u32,
    /// The times up to which warps had arrived, whatever the arrivals released.
    come: Arc<[u32]>,
}

/// Accesses of other blocks' shared memory.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    /// The last access by each warp, by the rank that owns the memory.
    remote: Vec<Vec<Remote>>,
    /// The ranks that have ended.
    ended: Vec<bool>,
    /// The first and the last wait of each warp at the cluster's barrier.
    waits: Vec<Vec<Met>>,
}

impl Peers {
    pub fn start(&mut self, ranks: usize, warps: usize) {
        self.waits.clear();
        self.waits.resize(warps, Vec::new());
        self.remote.clear();
        self.remote.resize(ranks, Vec::new());
        self.ended.clear();
        self.ended.resize(ranks, false);
    }

    /// Keeps the first and the last wait of a warp. More threads come after the first one; more
    /// has happened before the last one.
    fn note_wait(&mut self, warp: usize, met: Met) {
        let known = &mut self.waits[warp];
        known.truncate(1);
        known.push(met);
    }

    /// Whether the last thread of a block has ended.
    pub fn has_ended(&self, rank: usize) -> bool {
        self.ended[rank]
    }
}

/// Whether the current warp comes after what a thread of the cluster did at `time`. A wait at the
/// cluster's barrier is enough, even if the arrivals are `.relaxed` and release nothing: the
/// thread did it before the barrier opened.
pub(crate) fn comes_after(cx: &Context, other: u32, time: u32) -> bool {
    let Some(shadow) = &cx.shadow else {
        return true;
    };
    let own = cx.warp * WARP as u32..(cx.warp + 1) * WARP as u32;
    let ordered = |other, time| {
        let mut lanes = own.clone();
        lanes.any(|lane| shadow.clocks.ordered(lane, other, time))
    };
    let arrived = |met: &Met| met.come[other as usize / WARP] >= time;
    let mut waits = cx.engine.peers.waits.iter().flatten();
    ordered(other, time) || waits.any(|met| arrived(met) && ordered(met.thread, met.time))
}

/// Whether something that the current warp comes after shows that the block of a rank has begun.
pub(crate) fn has_begun(cx: &Context, rank: usize) -> bool {
    if cx.engine.peers.has_ended(rank) {
        return true;
    }
    let threads = cx.launch.warps * WARP as u32;
    let first = rank as u32 * threads;
    let begin = cx
        .shadow
        .as_ref()
        .map_or(0, |shadow| shadow.clocks.base + 1);
    (first..first + threads).any(|thread| comes_after(cx, thread, begin))
}

/// Checks that the block of a rank, whose memory a lane uses, has not ended.
pub(crate) fn living_peer(
    cx: &mut Context,
    lane: usize,
    rank: usize,
    address: u64,
    access: Access,
) -> Outcome {
    if !cx.engine.peers.ended[rank] {
        return Ok(());
    }
    let what = FaultKind::PeerEnded {
        access,
        rank: rank as u32,
        ended: true,
    };
    cx.go_on(Trap::boxed(lane, address, what))
}

/// Checks that the block of a rank whose memory a lane uses has not ended. Notes that the block
/// must wait for the access before the block ends.
pub(crate) fn note_peer(
    cx: &mut Context,
    lane: usize,
    rank: usize,
    address: u64,
    access: Access,
) -> Outcome {
    if rank as u32 == cx.warp / cx.launch.warps {
        return Ok(());
    }
    living_peer(cx, lane, rank, address, access)?;
    if let Some(shadow) = &cx.shadow {
        let new = Remote {
            warp: cx.warp,
            lane: lane as u32,
            time: shadow.clocks.since(cx.warp * WARP as u32 + lane as u32),
            site: cx.site,
            access,
            address,
            is_over: false,
        };
        let known = &mut cx.engine.peers.remote[rank];
        match known.iter_mut().find(|remote| remote.warp == new.warp) {
            Some(remote) => *remote = new,
            None => known.push(new),
        }
    }
    Ok(())
}

impl Block {
    /// Notes that a warp has ended. If it is the last warp of its block, the block's memory is
    /// freed, and no thread may use it any more.
    pub(super) fn left(
        &mut self,
        launch: &LaunchState,
        counters: &mut Counters,
        w: usize,
    ) -> Result<(), Failure> {
        let (rank, warps) = (w / launch.warps as usize, launch.warps as usize);
        let of_block = rank * warps..(rank + 1) * warps;
        if self.engine.lives()[of_block.clone()]
            .iter()
            .any(|&live| live != 0)
        {
            return Ok(());
        }
        self.engine.peers.ended[rank] = true;
        if let Some(failure) = self.disagreement(launch, rank) {
            return Err(failure);
        }
        if let Some(failure) = self.left_behind(launch, rank) {
            self.go_on(launch, counters, rank, failure)?;
            // Operations in flight complete, with the memory that they use.
            while self.operate(launch, true) {}
        }
        for failure in self.tensor_failures(launch, rank) {
            self.go_on(launch, counters, rank, failure)?;
        }
        let Some(shadow) = &self.shadow else {
            return Ok(());
        };
        let waited = |remote: &&Remote| {
            let other = remote.warp * WARP as u32 + remote.lane;
            let mut threads = (of_block.start * WARP..of_block.end * WARP).map(|t| t as u32);
            remote.is_over
                || threads.any(|thread| shadow.clocks.ordered(thread, other, remote.time))
        };
        let remote = &self.engine.peers.remote[rank];
        match remote.iter().find(|remote| !waited(remote)) {
            None => Ok(()),
            Some(remote) => {
                let what = FaultKind::PeerEnded {
                    access: remote.access,
                    rank: rank as u32,
                    ended: false,
                };
                let mut trap = Trap::boxed(remote.lane as usize, remote.address, what);
                trap.lanes = 1 << remote.lane;
                let failure = (remote.warp as usize, trap, remote.site);
                self.go_on(launch, counters, rank, failure)
            }
        }
    }

    /// Notes a finding at the end of a block. The finding ends the launch, unless it is accepted.
    pub(super) fn go_on(
        &self,
        launch: &LaunchState,
        counters: &mut Counters,
        rank: usize,
        (warp, trap, site): Failure,
    ) -> Result<(), Failure> {
        let block = (launch.block_of(self.unit, rank as u32), self.unit);
        match counters
            .findings
            .note(launch, block, warp as u32, &trap, site)
        {
            true => Ok(()),
            false => Err((warp, trap, site)),
        }
    }
}

impl Instruction for ClusterSync {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let done = |step: &mut LaneStep, all| match self.arrive {
            true => arrive(step.cx, all, self.releases).map(|()| true),
            false => wait(step.cx, step.warp, all, step.site),
        };
        let here = Gathered::Go {
            lanes: step.mask,
            others: Vec::new(),
        };
        match self.aligned {
            true => step.aligned(done)?,
            false => step.together(here, done)?,
        };
        Ok(())
    }
}
