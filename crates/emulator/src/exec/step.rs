//! Executes the instructions of a group of lanes, one after the other.
//!
//! ```text
//! guard ─► lanes ─► watched registers ─► Alu, Branch, Load, Store, Atomic   here
//!                                        Table, Call, Return, Exit          step/control.rs
//!                                        Family                             its `Instruction::execute`
//! ```
//!
//! Law: every operation that changes which lanes run together leaves the loop (`Leave`). With
//! `PROFILE` the loop also counts lanes, divergence and groups of copies; without it, the loop has
//! no code for that.

mod control;
pub(super) mod undefined;
mod written;

use super::instruction::{LaneStep, Stop};
use super::provenance::{conclude, suspect};
use super::run::{Context, Leave, POLLS, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, atomics, memory, wgmma};
use crate::ir::{Function, Inst, NONE, Op};

#[allow(clippy::too_many_arguments)]
pub(super) fn execute<const PROFILE: bool>(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    code: &Function,
    index: usize,
    at: &mut u32,
    stop: u32,
    turn: &mut u64,
    executed: &mut [u64],
) -> Outcome<Leave> {
    let lanes_here = warp.lane_groups[index].lanes;
    let function = frame.function;
    let started = *turn;
    let watched =
        !(frame.written.is_empty() && frame.undefined.is_none() && code.touches.is_empty());
    loop {
        let pc = *at;
        if pc == stop {
            return Ok(Leave::Arrive);
        }
        if *turn == 0 {
            return Ok(Leave::Yield { spinning: false });
        }
        *turn -= 1;
        let inst = &code.code[pc as usize];
        executed[pc as usize] += 1;
        let mask = let_through(inst, frame, lanes_here);
        let site = Site { function, pc };
        if watched {
            let own = warp.lane_groups[index].frame;
            watch(cx, warp, frame, code, own, site, (lanes_here, mask))?;
        }
        if PROFILE {
            cx.counters.detail(site).lanes(lanes_here, mask);
        }
        if mask == 0 {
            *at = pc + 1;
            continue;
        }
        /// Executes an access at an address of each lane.
        macro_rules! access {
            ($op:expr, $access:expr) => {{
                let (frames, address) = (&frame.registers, &$op.address);
                let suspects = suspect(cx.launch, frames, function, address, $op.total(), mask);
                cx.begin(site, mask);
                let done = $access;
                conclude(cx, done, suspects)?;
            }};
        }
        match &inst.op {
            Op::Alu { run, args } => run(&mut frame.registers, args, mask),
            Op::Branch { target, reconverge } => {
                if mask == lanes_here {
                    *at = *target;
                    continue;
                }
                if PROFILE {
                    cx.counters.detail(site).diverged += 1;
                }
                let parts = vec![(mask, *target), (lanes_here & !mask, pc + 1)];
                return Ok(Leave::Part {
                    parts,
                    meeting: *reconverge,
                });
            }
            Op::Load(op) => {
                access!(op, memory::load(cx, warp, frame, op, mask, site));
                if op.strength.is_some() {
                    cx.polls += 1;
                }
            }
            Op::Store(op) => {
                access!(op, memory::store(cx, warp, frame, op, mask, site));
                cx.polls = 0;
            }
            Op::Atomic(op) => access!(op, atomics::execute(cx, frame, op, mask, site)),
            other => {
                let mut step = LaneStep {
                    cx,
                    warp,
                    frame,
                    code,
                    group: index,
                    present: lanes_here,
                    mask,
                    site,
                    now: started - *turn,
                };
                step.now += step.warp.instructions;
                match control::execute(&mut step, other) {
                    Ok(next) if next == pc + 1 => {}
                    Ok(next) => {
                        *at = next;
                        continue;
                    }
                    Err(Stop::Trap(trap)) => return Err(trap),
                    Err(Stop::Leave(leave)) => {
                        *at = pc + 1;
                        return Ok(leave);
                    }
                    Err(Stop::Again(leave)) => {
                        executed[pc as usize] -= 1;
                        if PROFILE {
                            cx.counters.detail(site).forget(lanes_here, mask);
                        }
                        return Ok(leave);
                    }
                }
            }
        }
        *at = pc + 1;
        if cx.polls >= POLLS {
            return Ok(Leave::Yield { spinning: true });
        }
    }
}

/// Returns the lanes of a group for which an instruction's guard is true.
#[inline(always)]
fn let_through(inst: &Inst, frame: &Activation, lanes: u32) -> u32 {
    match inst.guard {
        NONE => lanes,
        guard => {
            let value = frame.registers.pred[(guard >> 1) as usize];
            lanes & if guard & 1 == 1 { !value } else { value }
        }
    }
}

/// Follows what an instruction does with the registers that are watched: those that may be
/// unwritten, and those of a `wgmma`. `all` lanes reach the instruction, and those of `mask`
/// execute it; `own` is their activation.
fn watch(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    code: &Function,
    own: u32,
    site: Site,
    (all, mask): (u32, u32),
) -> Outcome {
    if !frame.written.is_empty() {
        written::registers(cx, frame, code, site, all, mask)?;
    }
    if frame.undefined.is_some() {
        undefined::follow(cx, frame, code, site, (all, mask))?;
    }
    if mask != 0
        && let Ok(i) = (code.touches).binary_search_by_key(&site.pc, |touch| touch.pc)
    {
        cx.begin(site, mask);
        wgmma::touch(cx, warp, frame, own, &code.touches[i])?;
    }
    Ok(())
}
