//! A block: its warps in turn, its barriers.
//!
//! ```text
//! warp 0 ──► bar.sync 0 ─ waits
//! warp 1 ──► bar.sync 0 ─ waits
//! warp 2 ──► bar.sync 0 ─ all live threads are there: everyone goes on
//! ```
//!
//! Law: warps run in order, each until it waits or its turn is over, so that a block does the same in every run. Where
//! no warp can go on and some have not ended, the block is deadlocked, which is a fault. Threads that have exited are
//! not waited for.
//! Source: PTX ISA, "bar, barrier".

use super::grid::LaunchState;
use super::rows;
use super::run::{self, Arrival, Context, Event, Site};
use super::warp::{State, Warp};
use super::{Trap, lanes};
use crate::fault::{Fault, FaultKind};
use crate::frame::WARP;
use crate::ir::BarrierKind;
use crate::memory::shadow::Shadow;
use crate::memory::shared::Shared;
use crate::report::Counters;

/// Instructions of a warp's turn.
const TURN: u64 = 1 << 16;

/// How far a block has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// Its warps only look whether other blocks have done something.
    Spinning,
}

/// A block that runs.
#[derive(Debug, Default)]
pub(crate) struct Block {
    linear: u64,
    index: [u32; 3],
    warps: Vec<Warp>,
    shared: Shared,
    shadow: Option<Shadow>,
    barriers: Vec<Barrier>,
    /// Instructions left of its budget.
    budget: u64,
    pub output: String,
}

/// One of the 16 barriers.
#[derive(Debug, Clone, Default)]
struct Barrier {
    /// Those that came in this phase.
    arrived: Vec<Came>,
    /// Thread count that they gave.
    threads: Option<u32>,
}

#[derive(Debug, Clone)]
struct Came {
    warp: usize,
    lanes: u32,
    kind: BarrierKind,
    votes: u32,
    result: u32,
    frame: u32,
    /// For `bar.arrive`: up to when others may know of the warp.
    published: u32,
    line: u32,
}

type Failure = (usize, Box<Trap>, Site);

impl Block {
    /// The block of that number, at its start.
    pub fn start(&mut self, launch: &LaunchState, linear: u64) {
        self.linear = linear;
        self.index = launch.block_index(linear);
        self.budget = launch.config.max_instructions_per_block;
        self.output.clear();
        self.barriers.clear();
        self.barriers.resize(16, Barrier::default());
        self.shared.reset(launch.shared_bytes);
        if launch.config.check_races {
            let shadow = self.shadow.get_or_insert_default();
            shadow.reset(launch.shared_bytes, launch.kernel().granule, launch.warps as usize);
        }
        self.warps.resize_with(launch.warps as usize, Warp::default);
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let rest = launch.threads - index as u32 * WARP as u32;
            let existing = if rest >= 32 { u32::MAX } else { (1 << rest) - 1 };
            let frame = rows::activation(launch, self.index, index as u32, launch.kernel().function, 0);
            let local = frame.local_end as usize;
            warp.start(index as u32, existing, frame);
            warp.local.grow(local);
        }
    }

    /// Runs the block until it is done or only looks for what other blocks do.
    pub fn run(&mut self, launch: &LaunchState, counters: &mut Counters) -> Result<Progress, Box<Fault>> {
        self.go(launch, counters).map_err(|(warp, trap, site)| {
            let thread = trap.lane.map(|lane| launch.thread((warp * WARP + lane) as u32));
            launch.fault(self.index, thread, trap, site)
        })
    }

    fn go(&mut self, launch: &LaunchState, counters: &mut Counters) -> Result<Progress, Failure> {
        loop {
            let (mut moved, mut spinning, mut live) = (false, false, false);
            for w in 0..self.warps.len() {
                loop {
                    if self.warps[w].live == 0 || self.warps[w].ready().is_none() {
                        live |= self.warps[w].live != 0;
                        break;
                    }
                    let start = self.budget.min(TURN);
                    let mut slice = start;
                    let event = self.turn(launch, counters, w, &mut slice)?;
                    self.budget -= start - slice;
                    match event {
                        Event::Done => {
                            moved = true;
                            self.release_all(launch)?;
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
                        }
                    }
                }
            }
            if !live {
                return Ok(Progress::Done);
            }
            // Lanes that exited may have been the last that a barrier waited for.
            self.release_all(launch)?;
            let ready = self.warps.iter().any(|warp| warp.ready().is_some());
            if !ready {
                return Err(self.deadlock(launch));
            }
            if spinning && !moved {
                if self.budget <= TURN {
                    return Err(self.out_of_budget(launch, 0));
                }
                return Ok(Progress::Spinning);
            }
        }
    }

    fn turn(
        &mut self,
        launch: &LaunchState,
        counters: &mut Counters,
        w: usize,
        slice: &mut u64,
    ) -> Result<Event, Failure> {
        let mut cx = Context {
            launch,
            block: self.index,
            shared: &mut self.shared,
            shadow: self.shadow.as_mut(),
            counters,
            output: &mut self.output,
            hint: 0,
            polls: 0,
        };
        run::run(&mut cx, &mut self.warps[w], slice).map_err(|(trap, site)| (w, trap, site))
    }

    fn site_of(&self, warp: usize) -> Site {
        let warp = &self.warps[warp];
        match warp.fragments.last() {
            Some(f) => Site { function: warp.frames[f.frame as usize].function, pc: f.pc },
            None => Site { function: 0, pc: 0 },
        }
    }

    fn out_of_budget(&self, launch: &LaunchState, warp: usize) -> Failure {
        let what = FaultKind::Budget { budget: launch.config.max_instructions_per_block };
        let lane = self.warps[warp].fragments.last().map(|f| f.lanes.trailing_zeros() as usize);
        (warp, Box::new(Trap { lane, address: None, what }), self.site_of(warp))
    }

    /// Lanes of a warp come to a barrier.
    fn arrive(&mut self, launch: &LaunchState, w: usize, arrival: Arrival) -> Result<(), Failure> {
        let Arrival { barrier: number, kind, lanes: mask, threads, votes, result, frame, site } = arrival;
        let fail = |problem: String| {
            let what = FaultKind::Barrier { barrier: number, problem };
            let lane = Some(mask.trailing_zeros() as usize);
            Err((w, Box::new(Trap { lane, address: None, what }), site))
        };
        let most = launch.threads.next_multiple_of(32);
        if let Some(threads) = threads
            && (threads == 0 || !threads.is_multiple_of(32) || threads > most)
        {
            return fail(format!("a thread count must be a multiple of 32 up to {most}, not {threads}"));
        }
        let Some(barrier) = self.barriers.get_mut(number as usize) else {
            return fail("a block has the barriers 0 to 15".to_owned());
        };
        if let Some(first) = barrier.arrived.first() {
            if barrier.threads != threads {
                let count = |threads: Option<u32>| threads.map_or("all threads".to_owned(), |n| format!("{n} threads"));
                return fail(format!(
                    "this warp waits for {}, those already there (PTX line {}) for {}",
                    count(threads),
                    first.line,
                    count(barrier.threads)
                ));
            }
            let reduces = |kind| !matches!(kind, BarrierKind::Sync | BarrierKind::Arrive);
            if let Some(other) = barrier.arrived.iter().find(|c| reduces(c.kind) != reduces(kind)) {
                return fail(format!("`.red` and another form meet (PTX line {})", other.line));
            }
            if let Some(again) = barrier.arrived.iter().find(|c| c.warp == w && c.lanes & mask != 0) {
                return fail(format!("lanes arrive twice in one phase (first at PTX line {})", again.line));
            }
        }
        barrier.threads = threads;
        let published = match (&mut self.shadow, kind) {
            (Some(shadow), BarrierKind::Arrive) => shadow.publish(w, mask),
            _ => 0,
        };
        let line = launch.place(site).line;
        barrier.arrived.push(Came { warp: w, lanes: mask, kind, votes, result, frame, published, line });
        self.release(launch, number as usize)
    }

    fn release_all(&mut self, launch: &LaunchState) -> Result<(), Failure> {
        for number in 0..self.barriers.len() {
            if !self.barriers[number].arrived.is_empty() {
                self.release(launch, number)?;
            }
        }
        Ok(())
    }

    /// Lanes of each warp that have come to a barrier.
    fn arrived(&self, number: usize) -> Vec<u32> {
        let mut lanes = vec![0; self.warps.len()];
        for came in &self.barriers[number].arrived {
            lanes[came.warp] |= came.lanes;
        }
        lanes
    }

    /// Opens the barrier if all that it waits for are there.
    fn release(&mut self, launch: &LaunchState, number: usize) -> Result<(), Failure> {
        let lanes_of = self.arrived(number);
        let threads = self.barriers[number].threads;
        let complete = match threads {
            None => self.warps.iter().zip(&lanes_of).all(|(warp, &came)| warp.live & !came == 0),
            Some(threads) => {
                // A warp whose living lanes are all there counts whole.
                let count: u32 = self
                    .warps
                    .iter()
                    .zip(&lanes_of)
                    .map(|(warp, &came)| match came {
                        0 => 0,
                        _ if warp.live & !came == 0 => 32,
                        _ => came.count_ones(),
                    })
                    .sum();
                count >= threads
            }
        };
        if !complete {
            return Ok(());
        }
        let arrived = std::mem::take(&mut self.barriers[number].arrived);
        self.barriers[number].threads = None;
        let synced = |came: &&Came| came.kind != BarrierKind::Arrive;
        if let Some(shadow) = &mut self.shadow {
            let mut lanes = vec![0; self.warps.len()];
            for came in arrived.iter().filter(synced) {
                lanes[came.warp] |= came.lanes;
            }
            let published: Vec<(usize, u32)> =
                arrived.iter().filter(|came| !synced(came)).map(|came| (came.warp, came.published)).collect();
            shadow.meet(&lanes, threads.is_none(), &published);
        }
        let (votes, present) =
            arrived.iter().fold((0, 0), |(v, p), came| (v + came.votes.count_ones(), p + came.lanes.count_ones()));
        for came in arrived.iter().filter(synced) {
            let warp = &mut self.warps[came.warp];
            let registers = &mut warp.frames[came.frame as usize].registers;
            match came.kind {
                BarrierKind::Sync | BarrierKind::Arrive => {}
                BarrierKind::Popc => registers.write::<u32>(came.result, &[votes; WARP], came.lanes),
                BarrierKind::And => {
                    registers.write_pred(came.result, if votes == present { u32::MAX } else { 0 }, came.lanes);
                }
                BarrierKind::Or => {
                    registers.write_pred(came.result, if votes > 0 { u32::MAX } else { 0 }, came.lanes);
                }
            }
            for fragment in &mut warp.fragments {
                if fragment.state == (State::Barrier { barrier: number as u8 }) {
                    fragment.state = State::Ready;
                }
            }
        }
        let _ = launch;
        Ok(())
    }

    /// What keeps everyone.
    fn deadlock(&self, launch: &LaunchState) -> Failure {
        // A warp of which some lanes wait for others in vain is the likelier cause.
        for (w, warp) in self.warps.iter().enumerate() {
            if warp.fragments.iter().any(|f| matches!(f.state, State::Gathering { .. })) {
                let (trap, site) = run::stuck(launch, warp);
                return (w, trap, site);
            }
        }
        let mut text = Vec::new();
        for (number, barrier) in self.barriers.iter().enumerate() {
            let Some(first) = barrier.arrived.first() else { continue };
            let lanes_of = self.arrived(number);
            let came: u32 = lanes_of.iter().map(|lanes| lanes.count_ones()).sum();
            let wanted = match barrier.threads {
                None => format!("all {} threads", self.warps.iter().map(|w| w.live.count_ones()).sum::<u32>()),
                Some(threads) => format!("{threads} threads"),
            };
            let missing: Vec<String> = self
                .warps
                .iter()
                .zip(&lanes_of)
                .filter(|(warp, came)| warp.live & !**came != 0)
                .map(|(warp, came)| {
                    let lanes = warp.live & !came;
                    let line = warp
                        .fragments
                        .iter()
                        .find(|f| f.lanes & lanes != 0)
                        .map(|f| Site { function: warp.frames[f.frame as usize].function, pc: f.pc.saturating_sub(1) })
                        .map_or(0, |site| launch.place(site).line);
                    format!("warp {} (PTX line {line})", warp.index)
                })
                .collect();
            text.push(format!(
                "barrier {number} (PTX line {}) waits for {wanted}, {came} came, missing: {}",
                first.line,
                if missing.is_empty() { "none that lives".to_owned() } else { missing.join(", ") }
            ));
        }
        let warp = self.warps.iter().position(|warp| warp.live != 0).unwrap_or(0);
        let site = self.site_of(warp);
        let site = Site { pc: site.pc.saturating_sub(1), ..site };
        let lane = lanes(self.warps[warp].live).next();
        let what = FaultKind::Deadlock(text.join("; "));
        (warp, Box::new(Trap { lane, address: None, what }), site)
    }
}
