//! `mbarrier`: barriers as objects in shared memory.
//!
//! ```text
//! bit   63       40..63   20..40     0..20
//!       valid    phase    expected   pending      the object's 8 bytes, and the state that an arrival returns
//! ```
//!
//! Law: a phase completes with the arrival that brings `pending` to 0; the next one waits for `expected` arrivals. A
//! wait that finds its phase complete is ordered behind every arrival of that phase, and behind what its own warp's
//! lanes published: more than PTX grants within a warp, so that a right program is never accused. Copies are in place
//! at once, so `cp.async.mbarrier.arrive` arrives at once.
//! Source: PTX ISA, "mbarrier", "cp.async.mbarrier.arrive". The object is opaque there; these bits are the emulator's.

use super::access;
use super::banks::Cost;
use super::place::shared;
use super::run::{Context, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, copies, lanes};
use crate::fault::FaultKind;
use crate::frame::Frame;
use crate::ir::{Mbarrier, MbarrierAct, NONE, Window};

/// Bytes of an object.
const BYTES: usize = 8;
/// The largest count, 2^20 - 1.
const MOST: u64 = (1 << 20) - 1;
const VALID: u64 = 1 << 63;
const PHASES: u64 = (1 << 23) - 1;

fn phase(state: u64) -> u64 {
    state >> 40 & PHASES
}

/// Arrivals that the phase of a state still waits for.
pub(crate) fn pending(state: u64) -> u64 {
    state & MOST
}

fn object(phase: u64, expected: u64, pending: u64) -> u64 {
    VALID | (phase & PHASES) << 40 | expected << 20 | pending
}

/// Executes an instruction on the objects of the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    op: &Mbarrier,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(&frame.registers, &op.address, mask);
    let registers = &mut frame.registers;
    let mut complete = 0;
    access::by_memory(&all, op.address.window, mask, |window, all, part| {
        if window != Window::Shared {
            let lane = part.trailing_zeros() as usize;
            let problem = "an mbarrier object lies in shared memory".to_owned();
            return Trap::access(lane, all[lane], FaultKind::Operand(problem));
        }
        let offsets = shared(cx, all, part, BYTES, Some((site, Cost::Atomic)))?;
        let arrives = matches!(
            op.act,
            MbarrierAct::Arrive { .. } | MbarrierAct::CopiesArrive { .. }
        );
        for lane in lanes(part) {
            let place = (all[lane], offsets[lane] as usize);
            match op.act {
                MbarrierAct::Init => {
                    let count = u64::from(registers.r32[op.operand as usize][lane]);
                    if !(1..=MOST).contains(&count) {
                        return operand(
                            lane,
                            all,
                            format!("a count is within 1..={MOST}, not {count}"),
                        );
                    }
                    replace(cx, warp.index, lane, place, object(0, count, count), false)?;
                }
                MbarrierAct::Invalidate => {
                    valid(cx, lane, place)?;
                    // As an arrival, it need not be ordered behind the arrivals of others.
                    replace(cx, warp.index, lane, place, 0, true)?;
                }
                MbarrierAct::Arrive { drop, no_complete } => {
                    let count = match op.operand {
                        NONE => 1,
                        row => u64::from(registers.r32[row as usize][lane]),
                    };
                    let old = arrive(cx, warp.index, lane, place, (count, drop, no_complete))?;
                    write(registers, op.result, lane, old);
                }
                MbarrierAct::CopiesArrive { counted } => {
                    copies::wait(cx, warp, NONE, 1 << lane);
                    let count = u64::from(counted);
                    arrive(cx, warp.index, lane, place, (count, false, false))?;
                }
                MbarrierAct::Test { parity } => {
                    let now = phase(valid(cx, lane, place)?);
                    let done = if parity {
                        let row = &registers.r32[op.operand as usize];
                        now & 1 != u64::from(row[lane] & 1)
                    } else {
                        let then = registers.r64[op.operand as usize][lane];
                        let passed = now.wrapping_sub(phase(then)) & PHASES;
                        if then & VALID == 0 || passed > 1 {
                            let problem =
                                "the state is not of the object's current or preceding phase";
                            return operand(lane, all, problem.to_owned());
                        }
                        passed == 1
                    };
                    if done {
                        complete |= 1 << lane;
                        cx.shadow_read(warp.index, lane, place.0, (place.1, BYTES), true)?;
                        if let Some(shadow) = &mut cx.shadow {
                            shadow.clocks.learn_lanes(warp.index as usize, lane);
                        }
                    }
                }
            }
        }
        if arrives && let Some(shadow) = &mut cx.shadow {
            shadow.clocks.publish(warp.index as usize, part);
        }
        Ok(())
    })?;
    let tests = matches!(op.act, MbarrierAct::Test { .. });
    if tests {
        registers.write_pred(op.result, complete, mask);
    }
    cx.polls = if tests && complete == 0 {
        cx.polls + 1
    } else {
        0
    };
    Ok(())
}

fn operand<T>(lane: usize, all: &access::Addresses, problem: String) -> Outcome<T> {
    Trap::access(lane, all[lane], FaultKind::Operand(problem))
}

fn write(registers: &mut Frame, row: u32, lane: usize, state: u64) {
    if row != NONE {
        registers.r64[row as usize][lane] = state;
    }
}

/// The object at a place, which `mbarrier.init` must have made.
fn valid(cx: &Context, lane: usize, (address, at): (u64, usize)) -> Outcome<u64> {
    let object = cx.shared.load(at, BYTES);
    if object & VALID != 0 {
        return Ok(object);
    }
    let problem =
        "no mbarrier object lies here: none was made by mbarrier.init, or it was invalidated";
    Trap::access(lane, address, FaultKind::Operand(problem.to_owned()))
}

/// A write of the object.
fn replace(
    cx: &mut Context,
    warp: u32,
    lane: usize,
    (address, at): (u64, usize),
    object: u64,
    atomic: bool,
) -> Outcome {
    let new = |byte: usize| (object >> ((byte - at) * 8)) as u8;
    cx.shadow_write(warp, lane, address, (at, BYTES), atomic, None, new)?;
    cx.shared.store(at, BYTES, object);
    Ok(())
}

/// `count` arrivals: the object before them.
fn arrive(
    cx: &mut Context,
    warp: u32,
    lane: usize,
    place: (u64, usize),
    (count, drop, no_complete): (u64, bool, bool),
) -> Outcome<u64> {
    let (address, at) = place;
    let fail = |problem| Trap::access(lane, address, FaultKind::Operand(problem));
    let old = valid(cx, lane, place)?;
    cx.shadow_read(warp, lane, address, (at, BYTES), true)?;
    cx.shadow_write(warp, lane, address, (at, BYTES), true, None, |_| 0)?;
    let (waited, expected) = (pending(old), old >> 20 & MOST);
    if count > waited {
        return fail(format!(
            "{count} arrivals where the phase waits for {waited} of {expected}"
        ));
    }
    let expected = expected - if drop { count } else { 0 };
    let left = waited - count;
    if left == 0 && no_complete {
        return fail("`.noComplete`, and the phase completes".to_owned());
    }
    let new = if left == 0 {
        object(phase(old) + 1, expected, expected)
    } else {
        object(phase(old), expected, left)
    };
    cx.shared.store(at, BYTES, new);
    Ok(old)
}
