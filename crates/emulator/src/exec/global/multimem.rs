//! `multimem` accesses the memory of several devices by one address.
//!
//! ```text
//! [multicast address] ─► member of device 0, of device 1, ... at the same offset: loaded and combined, stored, or added to
//! ```
//!
//! Law: the members are combined in their order, each element by itself. Races are not checked: a
//! launch on another device has no knowledge of this one. If several host threads run such launches
//! at the same time, an addition may be lost. Source: PTX ISA, "multimem.ld_reduce, multimem.st,
//! multimem.red".

use super::super::instruction::{Instruction, LaneStep, Stop};
use super::super::run::Context;
use super::super::{Outcome, Trap, access, lanes};
use super::find::{of_lane, uninitialised};
use crate::fault::{FaultKind, Reached, Space};
use crate::frame::Frame;
use crate::ir::{Multimem, MultimemAct, NamedRow, Role, values};
use crate::memory::allocation::{Allocation, Kind, RawBytes};
use crate::numerics::float32::{self, Mode};
use crate::numerics::half_math::HalfKind;

/// Executes the instruction for the lanes of `mask`.
pub(crate) fn multimem(cx: &mut Context, frame: &mut Frame, op: &Multimem, mask: u32) -> Outcome {
    let all = access::addresses(frame, &op.address, mask);
    let (bytes, count) = (usize::from(op.bytes), usize::from(op.count));
    let total = bytes * count;
    if let Some(trap) = access::misaligned(&all, mask, total, Space::Global) {
        return Err(trap);
    }
    for lane in lanes(mask) {
        let launch = cx.launch;
        let address = all[lane];
        let whole = of_lane(
            &launch.global,
            &mut cx.hint,
            lane,
            address,
            total,
            Space::Global,
        )?;
        if whole.kind != Kind::Multicast {
            let problem = "no multicast address: multimem works on several devices, by an address of Emulator::multicast";
            return Trap::access(lane, address, FaultKind::Operand(problem.to_owned()));
        }
        let at = (address - whole.base) as usize;
        for (member, start) in &whole.members {
            let reads = !matches!(op.act, MultimemAct::Store);
            let known = || member.is_initialised_span(start + at, total) || member.is_complete();
            if reads && launch.config.check_initialised && !known() {
                cx.found(uninitialised(member, start + at, total, lane))?;
            }
        }
        for k in 0..count {
            let row = op.registers[k] as usize;
            let at = at + k * bytes;
            let places = whole
                .members
                .iter()
                .map(|(member, start)| (&**member, start + at));
            let value = match op.wide {
                true => frame.r64[row][lane],
                false => u64::from(frame.r32[row][lane]),
            };
            match op.act {
                MultimemAct::Store => places.for_each(|(member, at)| put(member, at, bytes, value)),
                MultimemAct::Reduce(apply) => places.for_each(|(member, at)| {
                    let new = apply(member.load(at, bytes), value, 0);
                    put(member, at, bytes, new);
                }),
                MultimemAct::LoadReduce(apply) => {
                    let values = places.map(|(member, at)| member.load(at, bytes));
                    let value = values.reduce(|a, b| apply(a, b, 0)).unwrap_or(0);
                    set(frame, op.wide, row, lane, value);
                }
                MultimemAct::SumInF32(kind) => {
                    let values: Vec<u64> =
                        places.map(|(member, at)| member.load(at, bytes)).collect();
                    set(frame, op.wide, row, lane, in_f32(&values, kind, op.pairs));
                }
            }
        }
    }
    Ok(())
}

fn put(member: &Allocation, at: usize, bytes: usize, value: u64) {
    member.store(at, bytes, value);
    member.mark(at, bytes);
}

fn set(frame: &mut Frame, wide: bool, row: usize, lane: usize, value: u64) {
    if wide {
        frame.r64[row][lane] = value;
    } else {
        frame.r32[row][lane] = value as u32;
    }
}

/// Adds half-precision values, or both halves of each pair, in `.f32`, and rounds the sum once.
fn in_f32(values: &[u64], kind: HalfKind, pairs: bool) -> u64 {
    let of = |shift: u32| {
        let wide = values
            .iter()
            .map(|&value| kind.to_f32((value >> shift) as u16));
        let sum = wide.reduce(|a, b| float32::add(a, b, Mode::default()));
        let sum = f64::from(f32::from_bits(sum.unwrap_or(0)));
        u64::from(kind.round(sum))
    };
    if pairs { of(0) | of(16) << 16 } else { of(0) }
}

impl Instruction for Multimem {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.address));
        values(&mut self.registers[..usize::from(self.count)], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let bytes = usize::from(self.bytes) * usize::from(self.count);
        step.access_at(&self.address, bytes, |step| {
            multimem(step.cx, &mut step.frame.registers, self, step.mask)
        })
    }
}
