//! One warp, instruction after instruction.
//!
//! ```text
//! pick a ready group of lanes ─► execute until it parts, meets, waits, exits or has had its turn ─► pick again
//! ```
//!
//! Law: the behaviour of a warp depends only on the code and the memory: groups of lanes run in a
//! fixed order, and a turn is a fixed number of instructions.

use super::block::Failure;
use super::counters::Counters;
use super::engine::Engine;
use super::gather;
use super::grid::LaunchState;
use super::shared::Shared;
use super::warp::{Activation, State, Warp};
use super::{Outcome, Trap, call};
use crate::fault::FaultKind;
pub(crate) use crate::ir::Site;
use crate::ir::{BarrierKind, Function, NONE, Op};
use crate::memory::history::History;
use crate::memory::shadow::Shadow;

/// The number of instructions after which a group of lanes lets another group of its warp run.
const TURN: u64 = 4096;
/// The number of ineffective reads of a flag after which a warp counts as waiting for others.
pub(super) const POLLS: u32 = 64;

/// The state of the block whose warp runs.
pub(crate) struct Context<'a> {
    pub launch: &'a LaunchState,
    pub block: [u32; 3],
    /// The block's number.
    pub linear: u32,
    pub shared: &'a mut Shared,
    pub shadow: Option<&'a mut Shadow>,
    /// The block's threads that used each place of global memory, if blocks do not communicate.
    pub history: &'a mut History,
    /// The state of the cluster apart from its threads.
    pub engine: &'a mut Engine,
    pub counters: &'a mut Counters,
    pub output: &'a mut String,
    /// The allocation of the last access.
    pub hint: usize,
    /// The number of ordered reads and atomics without effect since the warp's turn began.
    pub polls: u32,
    /// The number of the warp that runs.
    pub warp: u32,
    /// The memory access that executes; `active` are its lanes.
    pub site: Site,
    pub active: u32,
    /// A finding that is deferred because a more conclusive one may follow in the block.
    pub deferred: &'a mut Option<Failure>,
}

impl Context<'_> {
    /// Begins a memory access: subsequent findings and access records refer to it.
    #[inline(always)]
    pub fn begin(&mut self, site: Site, mask: u32) {
        self.site = site;
        self.active = mask;
        if let Some(shadow) = &mut self.shadow {
            shadow.site = self.launch.packed(site);
        }
    }

    /// Marks a race between lanes of one warp as a race within a warp.
    fn name_warp(&self, trap: &mut Trap) {
        let within = self.launch.within_a_warp(self.warp, &trap.what);
        if let FaultKind::Race { within_warp, .. } | FaultKind::ThreadRace { within_warp, .. } =
            &mut trap.what
        {
            *within_warp = within;
        }
    }

    /// Reports a finding that ends the kernel, unless it is accepted.
    #[cold]
    pub fn go_on(&mut self, mut trap: Box<Trap>) -> Outcome {
        trap.lanes = self.active;
        self.name_warp(&mut trap);
        let block = (self.block, u64::from(self.linear));
        let findings = &mut self.counters.findings;
        match findings.note(self.launch, block, self.warp, &trap, self.site) {
            true => Ok(()),
            false => Err(trap),
        }
    }

    /// Reports a finding after which the kernel can continue: it continues if the finding is
    /// accepted.
    #[cold]
    pub fn found(&mut self, mut trap: Box<Trap>) -> Outcome {
        trap.lanes = self.active;
        self.name_warp(&mut trap);
        // If blocks run at the same time, chance decides which access is the later one: the launch
        // is run again, in order.
        let races = self.launch.races.as_ref();
        let by_chance = match trap.what {
            FaultKind::GlobalRace { .. } | FaultKind::NonCoherent { .. } => {
                races.is_some_and(|races| !races.in_order())
            }
            _ => false,
        };
        let block = (self.block, u64::from(self.linear));
        let findings = &mut self.counters.findings;
        if !by_chance && findings.note(self.launch, block, self.warp, &trap, self.site) {
            return Ok(());
        }
        let waiting = self.deferred.as_ref();
        if trap.what.waits_for_a_write()
            || waiting.is_some_and(|(_, first, _)| first.what.waits_for_a_write())
        {
            return self.wait_for_a_write(trap);
        }
        // A reader may believe that threads of one warp run in lockstep, so that a conflict with
        // another warp is more convincing.
        if self.launch.within_a_warp(self.warp, &trap.what) {
            self.deferred
                .get_or_insert((self.warp as usize, trap, self.site));
            return Ok(());
        }
        Err(trap)
    }
}

/// The reason why a warp gave up its turn.
#[derive(Debug)]
pub(crate) enum Event {
    /// All lanes of the warp have exited.
    Done,
    /// The warp waits at barriers.
    Blocked,
    /// The turn is over. With `spinning`, the warp only polled for actions of others.
    Turn { spinning: bool },
    /// The warp has arrived at a barrier of the block.
    Barrier(Arrival),
    /// The warp waits for `wgmma`s that all four warps of its group have issued.
    Products,
}

/// The arrival of lanes of a warp at a barrier.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub barrier: u32,
    pub kind: BarrierKind,
    pub lanes: u32,
    /// The number of threads that the barrier waits for, or `None` for the whole block.
    pub threads: Option<u32>,
    /// The votes of a reduction; `result` is the row of its result.
    pub votes: u32,
    pub result: u32,
    pub frame: u32,
    pub site: Site,
}

/// The reason why a group of lanes stopped.
pub(crate) enum Leave {
    Arrive,
    Yield {
        spinning: bool,
    },
    Part {
        parts: Vec<(u32, u32)>,
        meeting: u32,
    },
    Exit {
        lanes: u32,
    },
    Call {
        activation: Box<Activation>,
    },
    Return,
    Wait,
    Products,
    Barrier {
        arrival: Arrival,
        others: Vec<usize>,
    },
}

/// Runs a warp for at most `slice` instructions.
pub(crate) fn run(
    cx: &mut Context,
    warp: &mut Warp,
    slice: &mut u64,
) -> Result<Event, (Box<Trap>, Site)> {
    cx.polls = 0;
    cx.warp = warp.index;
    // The number of consecutive groups of lanes that only polled.
    let mut rounds = 0;
    loop {
        if warp.live == 0 {
            return Ok(Event::Done);
        }
        let Some(lane_group) = warp.ready() else {
            if warp
                .lane_groups
                .iter()
                .any(|f| matches!(f.state, State::Barrier { .. }))
            {
                return Ok(Event::Blocked);
            }
            return Err(stuck(cx.launch, warp));
        };
        if *slice == 0 {
            return Ok(Event::Turn { spinning: false });
        }
        let alone = warp
            .lane_groups
            .iter()
            .filter(|f| f.state == State::Ready)
            .count()
            == 1;
        let start = (*slice).min(if alone { u64::MAX } else { TURN });
        let mut turn = start;
        let left = run_fragment(cx, warp, lane_group, &mut turn)?;
        *slice -= start - turn;
        warp.instructions += start - turn;
        match left {
            Leave::Arrive => warp.arrive(lane_group),
            Leave::Yield { spinning } => {
                // The group may poll for an action of lanes that wait for this group.
                let freed = spinning && alone && warp.let_go(lane_group);
                if freed || !alone {
                    warp.yield_fragment(lane_group);
                }
                if spinning && !freed {
                    rounds += 1;
                    if alone || rounds > warp.lane_groups.len() {
                        return Ok(Event::Turn { spinning: true });
                    }
                }
                cx.polls = 0;
            }
            Leave::Part { parts, meeting } => warp.part(lane_group, &parts, meeting),
            Leave::Exit { lanes } => warp.exit(lane_group, lanes),
            Leave::Call { activation } => warp.call(lane_group, *activation),
            Leave::Return => warp.finish_call(lane_group),
            Leave::Wait => {}
            Leave::Products => return Ok(Event::Products),
            Leave::Barrier { arrival, others } => {
                for i in others.into_iter().chain([lane_group]) {
                    let f = &mut warp.lane_groups[i];
                    f.pc = arrival.site.pc + 1;
                    f.state = match arrival.kind {
                        BarrierKind::Arrive => State::Ready,
                        _ => State::Barrier {
                            barrier: arrival.barrier as u8,
                        },
                    };
                }
                return Ok(Event::Barrier(arrival));
            }
        }
    }
}

/// Returns the fault of a warp in which no group of lanes can continue.
pub(crate) fn stuck(launch: &LaunchState, warp: &Warp) -> (Box<Trap>, Site) {
    let site = |i: usize| {
        let f = &warp.lane_groups[i];
        Site {
            function: warp.frames[f.frame as usize].function,
            pc: f.pc,
        }
    };
    let line = |i: usize| Some(launch.place(site(i)).line as usize);
    match gather::stuck(warp, line) {
        Some((i, what)) => {
            let lanes = match warp.lane_groups[i].state {
                State::Gathering { lanes, .. } => lanes,
                _ => warp.lane_groups[i].lanes,
            };
            (
                Box::new(Trap {
                    earlier: 0,
                    lanes,
                    lane: Some(lanes.trailing_zeros() as usize),
                    address: None,
                    what,
                }),
                site(i),
            )
        }
        // Every lane waits in a join that never opens. This would be a defect of this emulator; it
        // is reported as a deadlock.
        None => {
            let what =
                FaultKind::Deadlock(format!("warp {} has no lanes that can go on", warp.index));
            (
                Box::new(Trap {
                    earlier: 0,
                    lanes: 0,
                    lane: None,
                    address: None,
                    what,
                }),
                Site { function: 0, pc: 0 },
            )
        }
    }
}

fn run_fragment(
    cx: &mut Context,
    warp: &mut Warp,
    index: usize,
    turn: &mut u64,
) -> Result<Leave, (Box<Trap>, Site)> {
    let frame_index = warp.lane_groups[index].frame as usize;
    let stop = warp.stop(index);
    let mut frame = std::mem::take(&mut warp.frames[frame_index]);
    let function = frame.function;
    let code = &cx.launch.image.functions[function as usize];
    let mut executed = std::mem::take(&mut cx.counters.executed[function as usize]);
    let mut pc = warp.lane_groups[index].pc;
    let execute = if cx.counters.has_details() {
        super::step::execute::<true>
    } else {
        super::step::execute::<false>
    };
    let left = execute(
        cx,
        warp,
        &mut frame,
        code,
        index,
        &mut pc,
        stop,
        turn,
        &mut executed,
    );
    cx.counters.executed[function as usize] = executed;
    // The group of lanes keeps its index: only `run` changes the list.
    if let Some(lane_group) = warp.lane_groups.get_mut(index) {
        lane_group.pc = pc;
    }
    if matches!(left, Ok(Leave::Return)) {
        finish(cx.launch, warp, &frame, index);
    }
    warp.frames[frame_index] = frame;
    left.map_err(|mut trap| {
        trap.lanes = executing(code, warp, index, frame_index, pc);
        (trap, Site { function, pc })
    })
}

/// Returns the lanes that execute the instruction at `pc`: those of the group for which its guard
/// is true.
fn executing(code: &Function, warp: &Warp, index: usize, frame: usize, pc: u32) -> u32 {
    let lanes = warp.lane_groups.get(index).map_or(0, |f| f.lanes);
    match code.code.get(pc as usize).map_or(NONE, |inst| inst.guard) {
        NONE => lanes,
        guard => {
            let value = warp.frames[frame].registers.pred[(guard >> 1) as usize];
            lanes & if guard & 1 == 1 { !value } else { value }
        }
    }
}

/// Copies the results of a call to its caller.
fn finish(launch: &LaunchState, warp: &mut Warp, callee: &Activation, index: usize) {
    let mask = warp.lane_groups[index].lanes;
    let caller = &mut warp.frames[callee.parent as usize];
    let code = &launch.image.functions[caller.function as usize].code;
    if let Op::Call(call) = &code[callee.return_pc as usize - 1].op {
        call::results(launch, callee, caller, call, mask);
    }
}
