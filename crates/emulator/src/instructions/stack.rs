//! `alloca`, `stacksave`, `stackrestore`: local memory of a frame beyond its variables.
//!
//! ```text
//! | variables | alloca | alloca | ...      a function called now begins here
//!                               └ the frame's end: what `stacksave` gives and `stackrestore` takes
//! ```
//!
//! Law: memory of `alloca` overlaps no variable and no other frame until the function returns or
//! `stackrestore` sets an earlier end. The lanes of a warp share the frame's end: an allocation has
//! the bytes of the lane that requests most, and `stackrestore` frees memory only if all lanes of
//! the frame execute it together. Source: PTX ISA, "Stack Manipulation Instructions".

use crate::error::PtxError;
use crate::exec::warp::{Activation, LaneGroup, Warp};
use crate::exec::{Context, Instruction, LaneStep, Stop};
use crate::fault::{FaultKind, Outcome, Reached, Trap};
use crate::frame::lanes;
use crate::ir::{NamedRow, Origin, Role, Root, values};
use crate::lower::{Flow, Lowered, Lowering, Slot};
use crate::types::Type;

/// `alloca`, which allocates local memory until the function returns.
#[derive(Debug)]
struct Allocate {
    result: u32,
    /// The row of the number of bytes.
    bytes: u32,
    /// Whether both rows have 64 bits.
    wide: bool,
    alignment: u32,
}

/// `stacksave`, which returns the end of the frame's local memory.
#[derive(Debug)]
struct SaveStack {
    result: u32,
    wide: bool,
}

/// `stackrestore`, which sets the end of the frame's local memory back to a saved end.
#[derive(Debug)]
struct RestoreStack {
    end: u32,
    wide: bool,
}

/// Takes the type of addresses: `.u32` or `.u64`.
fn address_type(l: &mut Lowering) -> Result<Type, PtxError> {
    match l.only_type()? {
        ty @ (Type::U32 | Type::U64) => Ok(ty),
        _ => Err(l.unknown()),
    }
}

/// Lowers `alloca.type pointer, size {, alignment}`. The default alignment is 8 bytes.
pub(super) fn allocate(l: &mut Lowering) -> Lowered {
    let ty = address_type(l)?;
    l.count(2..=3)?;
    let alignment = match l.inst.operands.len() {
        3 => l.immediate(2)?,
        _ => 8,
    };
    if !(1..=1 << 20).contains(&alignment) || alignment & (alignment - 1) != 0 {
        let problem = format!("alignment {alignment} is not a power of two up to 2^20");
        return Err(l.bad_operand(2, problem));
    }
    let bytes = l.source(1, ty)?;
    let result = l.dest(0, ty)?;
    l.uses.push(bytes);
    l.defs.push(result);
    let op = Allocate {
        result: result.0,
        bytes: bytes.0,
        wide: ty == Type::U64,
        alignment: (alignment as u32).max(8),
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Reads the only operand of `stacksave` and `stackrestore` with `slot`. Returns it and whether it
/// has 64 bits.
fn end(
    l: &mut Lowering,
    slot: fn(&mut Lowering, usize, Type) -> Result<Slot, PtxError>,
) -> Result<(Slot, bool), PtxError> {
    let ty = address_type(l)?;
    l.count(1..=1)?;
    Ok((slot(l, 0, ty)?, ty == Type::U64))
}

/// Lowers `stacksave.type d`.
pub(super) fn save(l: &mut Lowering) -> Lowered {
    let (slot, wide) = end(l, |l, i, ty| l.dest(i, ty))?;
    l.defs.push(slot);
    let result = slot.0;
    l.emit(SaveStack { result, wide }, Flow::Next);
    Ok(())
}

/// Lowers `stackrestore.type a`.
pub(super) fn restore(l: &mut Lowering) -> Lowered {
    let (slot, wide) = end(l, |l, i, ty| l.source(i, ty))?;
    l.uses.push(slot);
    let end = slot.0;
    l.emit(RestoreStack { end, wide }, Flow::Next);
    Ok(())
}

/// Executes `alloca` for the lanes of `mask`.
fn grow_frame(
    cx: &Context,
    warp: &mut Warp,
    frame: &mut Activation,
    op: &Allocate,
    mask: u32,
) -> Outcome {
    let bytes = |lane: usize| get(frame, op.bytes, op.wide, lane);
    let limit = cx.launch.config.local_per_thread;
    let at = frame.local_end.next_multiple_of(op.alignment);
    let (mut end, mut most) = (u64::from(at), 0);
    for lane in lanes(mask) {
        if bytes(lane) >= most {
            most = bytes(lane);
            end = u64::from(at).saturating_add(most);
        }
        if end > limit as u64 {
            let bytes = usize::try_from(end).unwrap_or(usize::MAX);
            return Trap::lane(lane, FaultKind::StackOverflow { bytes, limit });
        }
    }
    frame.local_end = end as u32;
    warp.local.grow(frame.local_end as usize);
    // Bytes that earlier allocations wrote there are undefined in this one.
    warp.local.forget(at as usize, mask);
    put(frame, op.result, op.wide, at, mask);
    Ok(())
}

/// Executes `stacksave`.
fn give_end(frame: &mut Activation, result: u32, wide: bool, mask: u32) {
    put(frame, result, wide, frame.local_end, mask);
}

/// Executes `stackrestore`. With `alone`, no other lanes run in the frame, so that the frame's end
/// may move back.
fn take_end(frame: &mut Activation, row: u32, wide: bool, mask: u32, alone: bool) -> Outcome {
    let end = |lane: usize| get(frame, row, wide, lane);
    let mut most = 0;
    for lane in lanes(mask) {
        let allowed = u64::from(frame.variables_end)..=u64::from(frame.local_end);
        if !allowed.contains(&end(lane)) {
            let problem = format!(
                "{} is no end of this frame's stack, which is within {allowed:?}",
                end(lane)
            );
            return Trap::lane(lane, FaultKind::Operand(problem));
        }
        most = most.max(end(lane));
    }
    if alone {
        frame.local_end = most as u32;
    }
    Ok(())
}

fn get(frame: &Activation, row: u32, wide: bool, lane: usize) -> u64 {
    if wide {
        frame.registers.r64[row as usize][lane]
    } else {
        u64::from(frame.registers.r32[row as usize][lane])
    }
}

fn put(frame: &mut Activation, row: u32, wide: bool, value: u32, mask: u32) {
    if wide {
        frame
            .registers
            .write::<u64>(row, &[u64::from(value); 32], mask);
    } else {
        frame.registers.write::<u32>(row, &[value; 32], mask);
    }
}

impl Instruction for Allocate {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.result, &mut self.bytes], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn origin(&self) -> Origin {
        Origin::Root(Root::Local)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        Ok(grow_frame(step.cx, step.warp, step.frame, self, step.mask)?)
    }
}

impl Instruction for SaveStack {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.result));
    }

    fn origin(&self) -> Origin {
        Origin::Root(Root::Local)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        give_end(step.frame, self.result, self.wide, step.mask);
        Ok(())
    }
}

impl Instruction for RestoreStack {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.end));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Branch)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let own = step.own_frame();
        let in_frame = |other: &&LaneGroup| other.frame == own;
        let groups = step.warp.lane_groups.iter().filter(in_frame).count();
        let alone = step.mask == step.present && groups == 1;
        Ok(take_end(step.frame, self.end, self.wide, step.mask, alone)?)
    }
}
