//! `alloca`, `stacksave`, `stackrestore`.
//! Source: PTX ISA, "Stack Manipulation Instructions".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::ir::{Allocate, RestoreStack, SaveStack};
use crate::types::Type;

/// The type of addresses: `.u32` or `.u64`.
fn address_type(l: &mut Lowering) -> Result<Type, PtxError> {
    match l.only_type()? {
        ty @ (Type::U32 | Type::U64) => Ok(ty),
        _ => Err(l.unknown()),
    }
}

/// `alloca.type pointer, size {, alignment}`: 8 bytes where no alignment is given.
pub(crate) fn allocate(l: &mut Lowering) -> Lowered {
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

/// The one operand of `stacksave` and `stackrestore`, as `slot` reads it, and whether it has 64
/// bits.
fn end(
    l: &mut Lowering,
    slot: fn(&mut Lowering, usize, Type) -> Result<Slot, PtxError>,
) -> Result<(Slot, bool), PtxError> {
    let ty = address_type(l)?;
    l.count(1..=1)?;
    Ok((slot(l, 0, ty)?, ty == Type::U64))
}

/// `stacksave.type d`.
pub(crate) fn save(l: &mut Lowering) -> Lowered {
    let (slot, wide) = end(l, |l, i, ty| l.dest(i, ty))?;
    l.defs.push(slot);
    let result = slot.0;
    l.emit(SaveStack { result, wide }, Flow::Next);
    Ok(())
}

/// `stackrestore.type a`.
pub(crate) fn restore(l: &mut Lowering) -> Lowered {
    let (slot, wide) = end(l, |l, i, ty| l.source(i, ty))?;
    l.uses.push(slot);
    let end = slot.0;
    l.emit(RestoreStack { end, wide }, Flow::Next);
    Ok(())
}
