//! Executes the operations that the step loop does not execute itself: control, and the families.
//!
//! ```text
//! brx.idx ─► lanes by target ─► the group parts, or goes on at the one target
//! call    ─► lanes that call the same function together, the others after them
//! ```
//!
//! Law: the group continues at the instruction that `execute` returns, or leaves the loop. Source:
//! PTX ISA, "brx.idx", "call", "ret", "exit".

use super::super::instruction::{LaneStep, Stop};
use super::super::run::Leave;
use super::super::{Outcome, Trap, call, lanes};
use crate::counted::counted;
use crate::fault::FaultKind;
use crate::ir::{Call, NONE, Op};

/// Executes an operation that the loop does not execute itself. Returns where the group continues.
pub(super) fn execute(step: &mut LaneStep, op: &Op) -> Result<u32, Stop> {
    match op {
        Op::Table {
            index,
            targets,
            reconverge,
        } => return table(step, *index, targets, *reconverge),
        Op::Call(op) => function(step, op)?,
        Op::Return => return Err(Stop::Leave(Leave::Return)),
        Op::Exit => {
            let lanes = step.mask;
            return Err(Stop::Leave(Leave::Exit { lanes }));
        }
        Op::Family(instruction) => instruction.execute(step)?,
        // The loop itself executes these operations.
        Op::Alu { .. } | Op::Branch { .. } | Op::Load(_) | Op::Store(_) | Op::Atomic(_) => {}
    }
    Ok(step.site.pc + 1)
}

/// Executes `brx.idx`, which branches to the target that each lane's index in `row` names.
fn table(step: &mut LaneStep, row: u32, targets: &[u32], meeting: u32) -> Result<u32, Stop> {
    let indices = &step.frame.registers.r32[row as usize];
    let mut parts: Vec<(u32, u32)> = Vec::new();
    let mut add = |lanes: u32, target: u32| match parts.iter_mut().find(|part| part.1 == target) {
        Some(part) => part.0 |= lanes,
        None => parts.push((lanes, target)),
    };
    for lane in lanes(step.mask) {
        match targets.get(indices[lane] as usize) {
            Some(&target) => add(1 << lane, target),
            None => {
                let all = counted(targets.len(), "target");
                let problem = format!("index {} into a list of {all}", indices[lane]);
                return Trap::lane(lane, FaultKind::Operand(problem)).map_err(Stop::from);
            }
        }
    }
    let rest = step.present & !step.mask;
    if rest != 0 {
        add(rest, step.site.pc + 1);
    }
    if let [(_, target)] = parts[..] {
        return Ok(target);
    }
    if step.cx.counters.has_details() {
        step.cx.counters.detail(step.site).diverged += 1;
    }
    Err(Stop::Leave(Leave::Part { parts, meeting }))
}

/// Executes `call`: calls a function together with all lanes that call the same one.
fn function(step: &mut LaneStep, op: &Call) -> Result<(), Stop> {
    let (mask, behind) = (step.mask, step.site.pc + 1);
    let (target, same) = called(step, op)?;
    if same != step.present {
        // The lanes that call this function come first, then the others; they meet after the call.
        let parts = [
            (step.present & !mask, behind),
            (mask & !same, step.site.pc),
            (same, step.site.pc),
        ];
        let parts = parts.into_iter().filter(|(lanes, _)| *lanes != 0).collect();
        let meeting = behind;
        return Err(Stop::Again(Leave::Part { parts, meeting }));
    }
    step.begin();
    match call::call(step.cx, step.warp, step.frame, op, target, mask)? {
        call::Called::Function(mut activation) => {
            activation.return_pc = behind;
            activation.parent = step.own_frame();
            let activation = Box::new(activation);
            Err(Stop::Leave(Leave::Call { activation }))
        }
        _ => Ok(()),
    }
}

/// Returns the function that the first lane calls, and the lanes that call the same function.
fn called(step: &LaneStep, op: &Call) -> Outcome<(u32, u32)> {
    if op.function != NONE {
        return Ok((op.function, step.mask));
    }
    let pointers = &step.frame.registers.r64[op.pointer as usize];
    let first = step.mask.trailing_zeros() as usize;
    let same = lanes(step.mask).filter(|&lane| pointers[lane] == pointers[first]);
    let same = same.fold(0, |same, lane| same | 1 << lane);
    let target = call::function_at(step.cx.launch, op, first, pointers[first])?;
    Ok((target, same))
}
