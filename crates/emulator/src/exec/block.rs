//! Runs a block, or the blocks of a cluster: the turns of their warps, and their barriers.
//!
//! ```text
//! warp 0 ──► bar.sync 0 ─ waits
//! warp 1 ──► bar.sync 0 ─ waits
//! warp 2 ──► bar.sync 0 ─ all live threads are there: everyone goes on
//! ```
//!
//! Law: warps run in order, each until it waits or its turn is over, so that a block behaves the
//! same in every run. If no warp can continue and some have not ended, the block is deadlocked,
//! which is a fault. Warps of a cluster are numbered over all its blocks: each block has whole
//! warps, and the warps of a rank follow those of the previous rank.

use super::Trap;
use super::barrier::Barrier;
use super::counters::Counters;
use super::engine::Engine;
use super::grid::LaunchState;
use super::later;
use super::rows;
use super::run::{self, Context, Event, Site};
use super::shared::{Shared, stride};
use super::warp::Warp;
use crate::address::SYSTEM_SHARED;
use crate::fault::{Fault, FaultKind};
use crate::frame::WARP;
use crate::memory::history::History;
use crate::memory::shadow::Shadow;

/// The most instructions that a warp executes in a turn.
const TURN: u64 = 1 << 16;

/// The progress of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// The block's warps only poll for actions of other blocks.
    Spinning,
}

/// A block that runs.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The number of the cluster in the grid.
    pub(super) unit: u64,
    pub(super) warps: Vec<Warp>,
    pub(super) shared: Shared,
    pub(super) shadow: Option<Shadow>,
    history: History,
    pub(super) barriers: Vec<Barrier>,
    pub(super) engine: Engine,
    /// The number of rounds in which the block's warps only polled.
    idle: u32,
    /// The number of instructions that remain of the block's budget.
    budget: u64,
    /// A race of threads of one warp, which is reported unless a race of two warps follows.
    deferred: Option<Failure>,
    /// The order in which the warps take turns.
    order: Vec<usize>,
    /// Barriers that opened although threads of their block had exited, with the block's rank; they
    /// were not reported yet.
    pub(super) missed: Vec<(usize, Failure)>,
    pub output: String,
}

/// The most warp instructions that a block executes after a race within a warp, to find a race of
/// two warps.
const AFTER_RACE: u64 = 1 << 20;

/// Returns the number of rounds with only polling after which the event that all warps wait for is
/// not expected any more. If blocks can communicate, other blocks may still be working.
fn patience(launch: &LaunchState) -> u32 {
    if launch.kernel().communicates {
        1 << 18
    } else {
        1 << 12
    }
}

/// The warp, the fault, and the fault's place.
pub(super) type Failure = (usize, Box<Trap>, Site);

/// Computes permutation `number` of `0..n`: 0 is the ascending one, and each number below `n!`
/// gives a different one.
fn permutation(mut number: u32, n: usize, order: &mut Vec<usize>) {
    order.clear();
    order.extend(0..n);
    for place in 0..n {
        if number == 0 {
            break;
        }
        let left = n - place;
        order[place..][..=number as usize % left].rotate_right(1);
        number /= left as u32;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(shadow) = self.shadow.take() {
            shadow.give_back();
        }
    }
}

impl Block {
    /// Resets the state to the start of the block with number `linear`.
    pub fn start(&mut self, launch: &LaunchState, linear: u64) {
        self.unit = linear;
        let ranks = launch.ranks as usize;
        self.budget = launch.block_budget();
        self.output.clear();
        self.deferred = None;
        self.missed.clear();
        let all = (launch.warps * launch.ranks) as usize;
        permutation(launch.config.warp_order, all, &mut self.order);
        self.history.clear();
        self.barriers.clear();
        self.barriers.resize(16 * ranks, Barrier::default());
        self.engine.start(launch, linear);
        self.idle = 0;
        let system = launch.system_shared();
        let shared_bytes = system.map_or(launch.shared_bytes, |at| at + SYSTEM_SHARED);
        self.shared.reset(shared_bytes, ranks);
        let warps = launch.warps as usize * ranks;
        if launch.config.check_races {
            let shadow = self.shadow.get_or_insert_with(Shadow::take);
            let all = stride(shared_bytes) * (ranks - 1) + shared_bytes;
            shadow.reset(all, launch.kernel().granule, warps);
            (shadow.block_warps, shadow.narrow, shadow.element) = (launch.warps, false, 0);
            if let Some(at) = system {
                for rank in 0..ranks {
                    shadow.begin_written(rank * stride(shared_bytes) + at, SYSTEM_SHARED);
                }
            }
        }
        self.warps.resize_with(warps, Warp::default);
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let rank = index as u32 / launch.warps;
            let rest = launch.threads - index as u32 % launch.warps * WARP as u32;
            let existing = if rest >= 32 {
                u32::MAX
            } else {
                (1 << rest) - 1
            };
            let frame = rows::activation(
                launch,
                launch.block_of(linear, rank),
                index as u32,
                launch.kernel().function,
                0,
            );
            let local = frame.local_end as usize;
            warp.start(index as u32, existing, frame);
            warp.granted = launch.registers;
            self.engine.live(index, existing);
            warp.local.grow(local);
        }
    }

    /// Runs the block until it is finished or only polls for actions of other blocks.
    ///
    /// A race of two warps is reported before an earlier race of threads of one warp, and the
    /// latter before any other finding that it may have caused.
    pub fn run(
        &mut self,
        launch: &LaunchState,
        counters: &mut Counters,
    ) -> Result<Progress, Box<Fault>> {
        let result = self.go(launch, counters);
        let result = match (self.deferred.take(), result) {
            (None, result) => result,
            (Some(first), result) if first.1.what.waits_for_a_write() => {
                Err(later::with_its_writer(
                    launch,
                    self.unit,
                    &self.shared,
                    self.shadow.as_ref(),
                    first,
                    result,
                ))
            }
            (Some(_), Err(failure))
                if matches!(
                    failure.1.what,
                    FaultKind::Race { .. } | FaultKind::ThreadRace { .. }
                ) =>
            {
                Err(failure)
            }
            (Some(first), _) => Err(first),
        };
        result.map_err(|(warp, trap, site)| {
            let block = launch.block_of(self.unit, warp as u32 / launch.warps);
            launch.fault(block, warp, *trap, site)
        })
    }

    fn go(&mut self, launch: &LaunchState, counters: &mut Counters) -> Result<Progress, Failure> {
        loop {
            let (mut moved, mut spinning, mut live) = (false, false, false);
            for i in 0..self.order.len() {
                let w = self.order[i];
                loop {
                    if self.warps[w].live == 0 || self.warps[w].ready().is_none() {
                        live |= self.warps[w].live != 0;
                        break;
                    }
                    self.operate(launch, false);
                    let start = self.budget.min(TURN);
                    let mut slice = start;
                    let before = self.deferred.is_some();
                    let event = self.turn(launch, counters, w, &mut slice)?;
                    self.budget -= start - slice;
                    if !before && self.deferred.is_some() {
                        self.budget = self.budget.min(AFTER_RACE);
                    }
                    match event {
                        Event::Done => {
                            moved = true;
                            self.left(launch, counters, w)?;
                            self.release_all(launch);
                            self.tell_missed(launch, counters)?;
                        }
                        Event::Blocked => {
                            moved = true;
                            live = true;
                        }
                        Event::Turn { spinning: true } => {
                            spinning = true;
                            live = true;
                            break;
                        }
                        Event::Turn { spinning: false } => {
                            if self.budget == 0 {
                                return Err(self.out_of_budget(launch, w));
                            }
                            moved = true;
                            live = true;
                            break;
                        }
                        Event::Barrier(arrival) => {
                            moved = true;
                            self.arrive(launch, w, arrival)?;
                            self.tell_missed(launch, counters)?;
                        }
                        Event::Products => {
                            moved = true;
                            self.complete_products(launch, w);
                        }
                    }
                }
            }
            if !live {
                while self.operate(launch, true) {}
                return Ok(Progress::Done);
            }
            // The lanes that exited may have been the last for which a barrier waited.
            self.release_all(launch);
            self.tell_missed(launch, counters)?;
            let ready = self.warps.iter().any(|warp| warp.ready().is_some());
            if !ready {
                return Err(self.deadlock(launch));
            }
            if moved {
                self.idle = 0;
            }
            if spinning && !moved && self.operate(launch, true) {
                continue;
            }
            if spinning && !moved {
                self.idle += 1;
                if self.idle > patience(launch)
                    && let Some(failure) = self.starved(launch)
                {
                    return Err(failure);
                }
                if self.budget <= TURN {
                    let polling = self.warps.iter().position(|warp| warp.live != 0);
                    return Err(self.out_of_budget(launch, polling.unwrap_or(0)));
                }
                return Ok(Progress::Spinning);
            }
        }
    }

    /// Returns the number of warp instructions that the block has executed since its start.
    pub fn executed(&self, launch: &LaunchState) -> u64 {
        launch.block_budget() - self.budget
    }

    fn turn(
        &mut self,
        launch: &LaunchState,
        counters: &mut Counters,
        w: usize,
        slice: &mut u64,
    ) -> Result<Event, Failure> {
        let rank = w as u32 / launch.warps;
        self.shared.select(rank as usize);
        let mut cx = Context {
            launch,
            block: launch.block_of(self.unit, rank),
            linear: self.unit as u32,
            shared: &mut self.shared,
            shadow: self.shadow.as_mut(),
            history: &mut self.history,
            engine: &mut self.engine,
            counters,
            output: &mut self.output,
            hint: 0,
            polls: 0,
            warp: w as u32,
            site: Site { function: 0, pc: 0 },
            active: 0,
            deferred: &mut self.deferred,
        };
        let ran = run::run(&mut cx, &mut self.warps[w], slice);
        self.engine.live(w, self.warps[w].live);
        ran.map_err(|(trap, site)| (w, trap, site))
    }

    pub(super) fn site_of(&self, warp: usize) -> Site {
        let warp = &self.warps[warp];
        match warp.lane_groups.last() {
            Some(f) => Site {
                function: warp.frames[f.frame as usize].function,
                pc: f.pc,
            },
            None => Site { function: 0, pc: 0 },
        }
    }

    fn out_of_budget(&self, launch: &LaunchState, warp: usize) -> Failure {
        let what = FaultKind::Budget {
            budget: launch.block_budget(),
        };
        let lane = self.warps[warp]
            .lane_groups
            .last()
            .map(|f| f.lanes.trailing_zeros() as usize);
        (
            warp,
            Box::new(Trap {
                earlier: 0,
                lanes: 0,
                lane,
                address: None,
                what,
            }),
            self.site_of(warp),
        )
    }
}
