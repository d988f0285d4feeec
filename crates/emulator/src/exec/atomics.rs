//! `atom` and `red`.
//!
//! Law: the lanes of a warp act one after the other, in order; each reads what the lane before
//! wrote. A vector is one atomic operation on each of its elements, in order; only the address is
//! that of the whole vector. Kernels with atomics on global memory run their blocks on one thread
//! in grid order, so that results are the same in every run.

use super::access;
use super::banks::Cost;
use super::run::{Context, Site};
use super::warp::Activation;
use super::{Outcome, Trap, global, non_coherent, shared};
use crate::fault::{FaultKind, Space};
use crate::frame::Frame;
use crate::ir::{Atomic, NONE, Window};

fn value(frame: &Frame, row: u32, lane: usize, bytes: usize) -> u64 {
    match row {
        NONE => 0,
        row if bytes == 8 => frame.r64[row as usize][lane],
        row => u64::from(frame.r32[row as usize][lane]),
    }
}

fn result(frame: &mut Frame, op: &Atomic, k: usize, lane: usize, old: u64) {
    match op.result[k] {
        NONE => {}
        row if op.bytes == 8 => frame.r64[row as usize][lane] = old,
        row => frame.r32[row as usize][lane] = old as u32,
    }
}

impl Atomic {
    pub fn total(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.count)
    }
}

/// Executes an atomic operation for the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    frame: &mut Activation,
    op: &Atomic,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(&frame.registers, &op.address, mask);
    let (total, bytes) = (op.total(), usize::from(op.bytes));
    let registers = &mut frame.registers;
    let mut changed = false;
    access::by_memory(
        &all,
        op.address.window,
        mask,
        |window, all, part| match window {
            Window::Shared | Window::Cluster if op.count == 1 => {
                let request = shared::Request {
                    window,
                    all,
                    mask: part,
                    bytes,
                    cost: Cost::Atomic,
                    counted: Some(site),
                };
                let how = (op.overwrites, op.strength);
                shared::update(cx, &request, how, |lane, old| {
                    let (a, b) = (
                        value(registers, op.a[0], lane, bytes),
                        value(registers, op.b, lane, bytes),
                    );
                    let new = (op.apply)(old, a, b);
                    changed |= new != old;
                    result(registers, op, 0, lane, old);
                    new
                })
            }
            Window::Global => {
                let request = global::Request {
                    all,
                    mask: part,
                    bytes: total,
                    space: Space::Global,
                    counted: Some((site, Cost::Atomic)),
                };
                non_coherent::write(cx, all, part, total)?;
                let how = (op.overwrites, op.strength);
                global::update(cx, &request, how, |lane, cells| {
                    // A result may be written to the row of an operand: all operands are read
                    // first.
                    let b = value(registers, op.b, lane, bytes);
                    let a = op.a.map(|row| value(registers, row, lane, bytes));
                    for (k, &a) in a[..usize::from(op.count)].iter().enumerate() {
                        cells.replace(k, bytes, |old| {
                            let new = (op.apply_global)(old, a, b);
                            changed |= new != old;
                            result(registers, op, k, lane, old);
                            new
                        });
                    }
                })
            }
            _ => {
                let lane = part.trailing_zeros() as usize;
                let problem = match window {
                    Window::Shared | Window::Cluster => {
                        "a vector of atomic operations on shared memory"
                    }
                    _ => "an atomic operation on local memory or a parameter",
                };
                Trap::access(lane, all[lane], FaultKind::Operand(problem.to_owned()))
            }
        },
    )?;
    cx.polls = if changed { 0 } else { cx.polls + 1 };
    Ok(())
}
