//! `st.async` and `red.async` write a value to shared memory of the cluster and complete its bytes
//! at an mbarrier object.
//!
//! ```text
//! st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];
//! red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r4];
//! ```
//! Not emulated: the forms for global memory, which need sm_100. Source: PTX ISA, "st.async",
//! "red.async".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use crate::ir::{NONE, StoreAsync, Window, operation};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const REDUCTIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let reduces = l.inst.opcode == "red";
    l.lead("async");
    if reduces {
        l.need(&[("relaxed", ())], "`.relaxed`")?;
        l.need(&[("cluster", ())], "`.cluster`")?;
    } else {
        l.take("weak");
    }
    let spaces = [
        ("shared::cluster", Window::Cluster),
        ("shared::cta", Window::Shared),
        ("shared", Window::Shared),
    ];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    let completion = [("mbarrier::complete_tx::bytes", ())];
    l.need(&completion, "`.mbarrier::complete_tx::bytes`")?;
    let name = match reduces {
        false => None,
        true => {
            let name = l.take_map(|word| REDUCTIONS.into_iter().find(|&name| name == word));
            Some(name.ok_or_else(|| l.unknown())?)
        }
    };
    let count = match reduces {
        false => l.one_of(&[("v2", 2), ("v4", 4)]).unwrap_or(1),
        true => 1,
    };
    let ty = l.only_type()?;
    let apply = match name {
        None => None,
        Some(name) => {
            let found = operation(name, ty).filter(|_| is_reduction(name, ty));
            Some(found.ok_or_else(|| l.unknown())?.0)
        }
    };
    let plain = ty.is_bits() || ty.is_integer() || matches!(ty, Type::F32 | Type::F64);
    if !plain || !matches!(ty.bits(), 32 | 64) || ty.bytes() * count > 16 {
        return Err(l.unknown());
    }
    l.count(3..=3)?;
    let address = l.address_of_any_width(0, window)?;
    let barrier = l.address_of_any_width(2, window)?;
    let elements = match l.operand(1)? {
        Operand::Vector(elements) if count > 1 && elements.len() == count => &elements[..],
        single if count == 1 => std::slice::from_ref(single),
        _ => return Err(l.bad_operand(1, format!("a vector of {count} elements expected"))),
    };
    let mut registers = [NONE; 4];
    for (row, element) in registers.iter_mut().zip(elements) {
        // Like `ptxas`, accepts an untyped register for a float.
        let slot = l.source_of(1, element, ty)?;
        l.uses.push(slot);
        *row = slot.0;
    }
    let (bytes, wide) = (ty.bytes(), ty.class() == Some(Class::R64));
    l.note_access(Window::Cluster, (bytes, count), false);
    // An mbarrier object has 8 bytes.
    l.body.function.granule = l.body.function.granule.min(8);
    let op = StoreAsync {
        address,
        barrier,
        bytes: bytes as u8,
        count: count as u8,
        wide,
        registers,
        apply,
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Whether `red.async` has this operation on this type.
fn is_reduction(name: &str, ty: Type) -> bool {
    match name {
        "add" => matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64),
        "min" | "max" => matches!(ty, Type::U32 | Type::S32),
        "inc" | "dec" => ty == Type::U32,
        _ => ty == Type::B32,
    }
}
