//! `multimem.ld_reduce`, `.st`, `.red` access the memory of several devices through one address.
//!
//! ```text
//! multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];     the sum over the devices
//! multimem.st.weak.global.u32 [%rd1], %r1;                                           to each of them
//! ```
//! Not emulated: 8-bit floats (sm_100).
//! Source: PTX ISA, "multimem.ld_reduce, multimem.st, multimem.red".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use crate::ir::{Apply, Multimem, MultimemAct, NONE, Window, operation, reduction};
use crate::numerics::half_math::{HalfKind, pairs};
use crate::numerics::minmax::{self, MinMax};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const OPERATIONS: [&str; 6] = ["add", "min", "max", "and", "or", "xor"];

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let acts = [("ld_reduce", 0), ("st", 1), ("red", 2)];
    let act = l.need_lead(&acts, "`.ld_reduce`, `.st` or `.red`")?;
    let orders: &[(&str, bool)] = match act {
        0 => &[("weak", false), ("relaxed", true), ("acquire", true)],
        1 => &[("weak", false), ("relaxed", true), ("release", true)],
        _ => &[("relaxed", true), ("release", true)],
    };
    if l.one_of(orders) == Some(true) {
        let scopes = [("cta", ()), ("cluster", ()), ("gpu", ()), ("sys", ())];
        l.need(&scopes, "a scope")?;
    }
    l.take("global");
    let name = match act {
        1 => None,
        _ => {
            let name = l.take_map(|word| OPERATIONS.into_iter().find(|&name| name == word));
            Some(name.ok_or_else(|| l.unknown())?)
        }
    };
    let in_f32 = name == Some("add") && act == 0 && l.take("acc::f32");
    let count = l.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
    let ty = l.only_type()?;
    let half = match ty {
        Type::F16 | Type::F16x2 => Some(HalfKind::F16),
        Type::Bf16 | Type::Bf16x2 => Some(HalfKind::Bf16),
        _ => None,
    };
    if !is_vector(ty, count) || in_f32 && half.is_none() {
        return Err(l.unknown());
    }
    let what = match (name, half) {
        (None, _) => MultimemAct::Store,
        (Some(_), Some(kind)) if in_f32 => MultimemAct::SumInF32(kind),
        (Some(name), _) => {
            let apply = applied(name, ty).filter(|_| half.is_none() || name == "add" || act == 0);
            let apply = apply.ok_or_else(|| l.unknown())?;
            match act {
                0 => MultimemAct::LoadReduce(apply),
                _ => MultimemAct::Reduce(apply),
            }
        }
    };
    l.count(2..=2)?;
    let (at, values) = if act == 0 { (1, 0) } else { (0, 1) };
    let address = l.address(at, Window::Global)?;
    let elements = match l.operand(values)? {
        Operand::Vector(elements) if count > 1 && elements.len() == count => &elements[..],
        single if count == 1 => std::slice::from_ref(single),
        _ => {
            let problem = format!("a vector of {count} elements expected");
            return Err(l.bad_operand(values, problem));
        }
    };
    let mut registers = [NONE; 8];
    for (row, element) in registers.iter_mut().zip(elements) {
        let slot = if act == 0 {
            let slot = l.dest_of(values, element, ty)?;
            l.defs.push(slot);
            slot
        } else {
            let slot = l.source_of(values, element, ty)?;
            l.uses.push(slot);
            slot
        };
        *row = slot.0;
    }
    // The blocks of the launch may communicate through this memory, so they run in order.
    l.body.function.communicates = true;
    let op = Multimem {
        address,
        act: what,
        bytes: ty.bytes() as u8,
        count: count as u8,
        wide: ty.class() == Some(Class::R64),
        pairs: matches!(ty, Type::F16x2 | Type::Bf16x2),
        registers,
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Whether an operation exists for vectors of `count` elements of a type.
fn is_vector(ty: Type, count: usize) -> bool {
    match ty {
        Type::F16 | Type::Bf16 => matches!(count, 2 | 4 | 8),
        Type::F16x2 | Type::Bf16x2 | Type::F32 => matches!(count, 1 | 2 | 4),
        Type::F64 => count == 1,
        _ => count == 1 && matches!(ty.bits(), 32 | 64) && (ty.is_bits() || ty.is_integer()),
    }
}

/// Returns the function that an operation applies to two values of a type.
fn applied(name: &str, ty: Type) -> Option<Apply> {
    const MIN: MinMax = MinMax::MIN;
    const MAX: MinMax = MinMax::MAX;
    let of_pairs: Apply = match (name, ty) {
        ("min", Type::F16x2) => {
            |a, b, _| u64::from(pairs(a as u32, b as u32, |a, b| minmax::f16(a, b, MIN)))
        }
        ("max", Type::F16x2) => {
            |a, b, _| u64::from(pairs(a as u32, b as u32, |a, b| minmax::f16(a, b, MAX)))
        }
        ("min", Type::Bf16x2) => {
            |a, b, _| u64::from(pairs(a as u32, b as u32, |a, b| minmax::bf16(a, b, MIN)))
        }
        ("max", Type::Bf16x2) => {
            |a, b, _| u64::from(pairs(a as u32, b as u32, |a, b| minmax::bf16(a, b, MAX)))
        }
        // No instruction adds signed 64-bit integers.
        ("add", Type::S64) => return None,
        ("add", Type::F32) => return Some(operation(name, ty)?.0),
        _ => return reduction(name, ty, false),
    };
    Some(of_pairs)
}
