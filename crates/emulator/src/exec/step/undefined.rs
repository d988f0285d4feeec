//! Finds values that derive from unwritten registers and reach memory, an address or a branch.
//!
//! ```text
//! %r1 = 0, or whatever else lies there     and.b32 %r2, %r1, 0;   0 either way: defined
//!                                          add.u32 %r3, %r1, 1;   1, or something else: undefined
//!                                          st.global [%rd1], %r3; a finding
//! ```
//!
//! Law: an unwritten register holds 0. Results that derive from it are also computed with other
//! bits in its place; a value is undefined if the results differ. A value to which no unwritten
//! register contributes is therefore never reported, whatever the code. An undefined value may be
//! missed if both of [`OTHERS`] lead to the same result as 0.

use std::collections::HashMap;

use super::super::run::{Context, Site};
use super::super::warp::Activation;
use super::super::{Outcome, Trap, lanes};
use crate::fault::{FaultKind, Reached};
use crate::frame::{Frame, WARP};
use crate::ir::{Followed, FollowedUse, Function, Op, Role};
use crate::types::Class;

/// The bits assumed in an unwritten register instead of 0: -1, which is also a NaN, and a large
/// number.
const OTHERS: [u64; 2] = [u64::MAX, 0x7f7f_7f7f_7f7f_7f7f];

/// A register's value in the lanes where it depends on an unwritten register.
#[derive(Debug, Clone)]
struct Value {
    lanes: u32,
    /// The unwritten register.
    seed: u32,
    /// The register's value computed with each of [`OTHERS`].
    others: [[u64; WARP]; 2],
}

/// The undefined registers of a function call.
#[derive(Debug, Clone)]
pub(crate) struct Undefined {
    /// For each seed, the lanes that have not written it.
    unwritten: Vec<u32>,
    /// Registers whose value is undefined in some lanes; seeds are included once they are written
    /// with an undefined value.
    values: HashMap<u32, Box<Value>>,
}

impl Undefined {
    /// Creates the state at the beginning of a function.
    pub fn new(followed: &Followed) -> Self {
        Undefined {
            unwritten: vec![u32::MAX; followed.names.len()],
            values: HashMap::new(),
        }
    }

    fn unwritten(&self, register: u32) -> u32 {
        self.unwritten.get(register as usize).copied().unwrap_or(0)
    }

    /// Returns the lanes in which a register is undefined.
    fn lanes(&self, register: u32) -> u32 {
        let value = self.values.get(&register);
        self.unwritten(register) | value.map_or(0, |value| value.lanes)
    }

    /// Returns the unwritten register from which an undefined one derives.
    fn seed(&self, register: u32) -> u32 {
        match self.values.get(&register) {
            Some(value) if self.unwritten(register) == 0 => value.seed,
            _ => register,
        }
    }

    /// Returns the value of an undefined lane of a register if seeds held the value number `world`
    /// of [`OTHERS`].
    fn other(&self, register: u32, world: usize, lane: usize) -> u64 {
        match self.values.get(&register) {
            Some(value) if value.lanes >> lane & 1 == 1 => value.others[world][lane],
            _ => OTHERS[world],
        }
    }

    /// Notes that a register is written in these lanes.
    fn define(&mut self, register: u32, mask: u32) {
        if let Some(unwritten) = self.unwritten.get_mut(register as usize) {
            *unwritten &= !mask;
        }
        if let Some(value) = self.values.get_mut(&register) {
            value.lanes &= !mask;
            if value.lanes == 0 {
                self.values.remove(&register);
            }
        }
    }

    /// Notes that a register is written with an undefined value in these lanes.
    fn leave(&mut self, register: u32, (lanes_of, seed): (u32, u32), others: [[u64; WARP]; 2]) {
        if lanes_of == 0 {
            return;
        }
        let fresh = || {
            Box::new(Value {
                lanes: 0,
                seed,
                others: [[0; WARP]; 2],
            })
        };
        let value = self.values.entry(register).or_insert_with(fresh);
        (value.lanes, value.seed) = (value.lanes | lanes_of, seed);
        for (mine, others) in value.others.iter_mut().zip(&others) {
            for lane in lanes(lanes_of) {
                mine[lane] = others[lane];
            }
        }
    }
}

/// Checks an instruction that `all` lanes reach and the lanes of `mask` execute.
pub(super) fn follow(
    cx: &mut Context,
    frame: &mut Activation,
    code: &Function,
    site: Site,
    (all, mask): (u32, u32),
) -> Outcome {
    let Some((followed, used)) = code
        .followed
        .as_ref()
        .and_then(|followed| Some((followed, followed.of(site.pc)?)))
    else {
        return Ok(());
    };
    let Some(undefined) = &frame.undefined else {
        return Ok(());
    };
    // No value is undefined except in the seeds, and the instruction does not use them.
    if undefined.values.is_empty() && !used.of_seeds {
        return Ok(());
    }
    let read = used.reads.iter().chain(&used.guard);
    let touched = read.fold(0, |touched, &register| touched | undefined.lanes(register));
    match touched & all {
        0 => define(frame, used, mask),
        _ => follow_undefined(cx, frame, code, (followed, used), site, (all, mask))?,
    }
    Ok(())
}

/// Notes that an instruction's results are written.
fn define(frame: &mut Activation, used: &FollowedUse, mask: u32) {
    if let Some(undefined) = &mut frame.undefined {
        for &register in &used.writes {
            undefined.define(register, mask);
        }
    }
}

/// Follows an instruction that reads an undefined value: reports it, or computes the results.
#[cold]
fn follow_undefined(
    cx: &mut Context,
    frame: &mut Activation,
    code: &Function,
    (followed, used): (&Followed, &FollowedUse),
    site: Site,
    (all, mask): (u32, u32),
) -> Outcome {
    if let Some(guard) = used.guard {
        tell(cx, frame, followed, site, (guard, all), Reached::Branch)?;
    }
    if used.role == Role::Computes {
        let op = &code.code[site.pc as usize].op;
        compute(cx, frame, followed, used, (op, mask));
        return Ok(());
    }
    for &register in &used.reads {
        let reached = match used.role {
            _ if used.addresses.contains(&register) => Reached::Address,
            Role::Reaches(reached) => reached,
            _ => continue,
        };
        tell(cx, frame, followed, site, (register, mask), reached)?;
    }
    define(frame, used, mask);
    Ok(())
}

/// Reports a finding for each lane in which the register is undefined. The register then counts as
/// written.
fn tell(
    cx: &mut Context,
    frame: &mut Activation,
    followed: &Followed,
    site: Site,
    (register, mask): (u32, u32),
    reached: Reached,
) -> Outcome {
    let Some(undefined) = &mut frame.undefined else {
        return Ok(());
    };
    let wrong = undefined.lanes(register) & mask;
    if wrong == 0 {
        return Ok(());
    }
    let name = &followed.names[undefined.seed(register) as usize];
    undefined.define(register, wrong);
    if name.is_empty() {
        return Ok(());
    }
    cx.begin(site, mask);
    for lane in lanes(wrong) {
        let what = FaultKind::Undefined {
            register: name.clone(),
            reached,
        };
        cx.found(Trap::of_lane(lane, what))?;
    }
    Ok(())
}

/// Returns the values of a register by lane.
fn values(frame: &Frame, (class, row): (Class, u32)) -> [u64; WARP] {
    match class {
        Class::R32 => frame.r32[row as usize].map(u64::from),
        Class::R64 => frame.r64[row as usize],
        Class::Pred => std::array::from_fn(|lane| u64::from(frame.pred[row as usize] >> lane & 1)),
    }
}

fn set_values(frame: &mut Frame, (class, row): (Class, u32), values: &[u64; WARP]) {
    match class {
        Class::R32 => frame.r32[row as usize] = values.map(|value| value as u32),
        Class::R64 => frame.r64[row as usize] = *values,
        Class::Pred => {
            let bits = values.iter().enumerate();
            let bits = bits.map(|(lane, value)| ((value & 1) as u32) << lane);
            frame.pred[row as usize] = bits.fold(0, |all, bit| all | bit);
        }
    }
}

/// Computes an instruction with other bits in the unwritten registers, without changing the
/// registers. Notes which results differ.
fn compute(
    cx: &Context,
    frame: &mut Activation,
    followed: &Followed,
    used: &FollowedUse,
    (op, mask): (&Op, u32),
) {
    let Activation {
        registers,
        undefined: Some(undefined),
        ..
    } = frame
    else {
        return;
    };
    let rows = |all: &[u32]| -> Vec<(Class, u32)> {
        let rows = all.iter().map(|&register| followed.rows[register as usize]);
        rows.collect()
    };
    let (reads, writes) = (rows(&used.reads), rows(&used.writes));
    let kept: Vec<_> = reads.iter().chain(&writes).copied().collect();
    let kept: Vec<_> = kept
        .into_iter()
        .map(|row| (row, values(registers, row)))
        .collect();
    let mut run = |world: Option<usize>| -> Vec<[u64; WARP]> {
        for (&register, &row) in used.reads.iter().zip(&reads) {
            let Some(world) = world else { continue };
            let mut all = values(registers, row);
            for lane in lanes(undefined.lanes(register)) {
                all[lane] = undefined.other(register, world, lane);
            }
            set_values(registers, row, &all);
        }
        execute(cx, registers, op, mask);
        let results = writes.iter().map(|&row| values(registers, row)).collect();
        // A row may be in the list twice, with the same values.
        for (row, values) in &kept {
            set_values(registers, *row, values);
        }
        results
    };
    let plain = run(None);
    let others = [run(Some(0)), run(Some(1))];
    let mut from = used
        .reads
        .iter()
        .filter(|&&read| undefined.lanes(read) != 0);
    let seed = from.next().map_or(0, |&read| undefined.seed(read));
    for (i, &register) in used.writes.iter().enumerate() {
        let others = [others[0][i], others[1][i]];
        let apart = |lane: &usize| others.iter().any(|other| other[*lane] != plain[i][*lane]);
        let apart = lanes(mask).filter(apart);
        let apart = apart.fold(0u32, |all, lane| all | 1 << lane);
        undefined.define(register, mask);
        undefined.leave(register, (apart, seed), others);
    }
}

/// Executes an operation that computes registers only from registers.
fn execute(cx: &Context, registers: &mut Frame, op: &Op, mask: u32) {
    match op {
        Op::Alu { run, args } => run(registers, args, mask),
        // The real execution of the instruction reports its errors.
        Op::Family(instruction) => {
            drop(instruction.compute(registers, mask, cx.launch.config.tensor_arithmetic));
        }
        _ => {}
    }
}
