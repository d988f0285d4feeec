//! `mbarrier` and `cp.async.mbarrier.arrive`, as devices of compute capability 8.0 have them: without transactions and
//! clusters.
//! Source: PTX ISA, "mbarrier".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::exec::mbarrier::pending;
use crate::frame::alu;
use crate::ir::{Mbarrier, MbarrierAct, Op, Window};
use crate::types::Type;

const BYTES: u32 = 8;

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    const ACTS: [(&str, &str); 7] = [
        ("init", "init"),
        ("inval", "inval"),
        ("arrive", "arrive"),
        ("arrive_drop", "arrive_drop"),
        ("test_wait", "wait"),
        ("try_wait", "wait"),
        ("pending_count", "pending_count"),
    ];
    match l.need_lead(&ACTS, "what it does")? {
        "init" => {
            let address = modifiers(l, 0, &[])?;
            l.count(2..=2)?;
            let count = l.source(1, Type::U32)?;
            l.uses.push(count);
            emit(l, MbarrierAct::Init, address, count, Slot::NONE)
        }
        "inval" => {
            let address = modifiers(l, 0, &[])?;
            l.count(1..=1)?;
            emit(l, MbarrierAct::Invalidate, address, Slot::NONE, Slot::NONE)
        }
        "wait" => {
            let parity = l.take("parity");
            let address = modifiers(l, 1, &["acquire", "relaxed"])?;
            // `try_wait` may be told for how long: there is no time here.
            let hint = usize::from(l.inst.modifiers.first() == Some(&"try_wait"));
            l.count(3..=3 + hint)?;
            if l.inst.operands.len() == 4 {
                let time = l.source(3, Type::U32)?;
                l.uses.push(time);
            }
            let operand = l.source(2, if parity { Type::U32 } else { Type::B64 })?;
            l.uses.push(operand);
            let result = l.dest(0, Type::Pred)?;
            l.defs.push(result);
            emit(l, MbarrierAct::Test { parity }, address, operand, result)
        }
        "pending_count" => {
            l.need(&[("b64", ())], "`.b64`")?;
            l.end()?;
            l.count(2..=2)?;
            let state = l.source(1, Type::B64)?;
            let result = l.dest(0, Type::U32)?;
            l.alu(
                alu!(|state: u64| -> u32 { pending(state) as u32 }),
                &[result],
                &[state],
            );
            Ok(())
        }
        act => {
            let drop = act == "arrive_drop";
            let no_complete = l.take("noComplete");
            let address = modifiers(l, 1, &["release", "relaxed"])?;
            l.count(if no_complete { 3..=3 } else { 2..=3 })?;
            let count = if l.inst.operands.len() == 3 {
                let count = l.source(2, Type::U32)?;
                l.uses.push(count);
                count
            } else {
                Slot::NONE
            };
            let result = l.dest(0, Type::B64)?;
            l.defs.push(result);
            emit(
                l,
                MbarrierAct::Arrive { drop, no_complete },
                address,
                count,
                result,
            )
        }
    }
}

/// `cp.async.mbarrier.arrive`, its first two modifiers taken.
pub(crate) fn copies(l: &mut Lowering) -> Lowered {
    l.need_lead(&[("arrive", ())], "`.arrive`")?;
    let counted = l.take("noinc");
    let address = modifiers(l, 0, &[])?;
    l.count(1..=1)?;
    emit(
        l,
        MbarrierAct::CopiesArrive { counted },
        address,
        Slot::NONE,
        Slot::NONE,
    )
}

/// Order, scope, space and type, and the address, which is operand `i`.
fn modifiers(l: &mut Lowering, i: usize, orders: &[&str]) -> Result<crate::ir::Address, PtxError> {
    let orders: Vec<(&str, ())> = orders.iter().map(|&order| (order, ())).collect();
    if l.one_of(&orders).is_some() {
        l.need(&[("cta", ()), ("cluster", ())], "a scope")?;
    }
    let spaces = [("shared", Window::Shared), ("shared::cta", Window::Shared)];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    l.need(&[("b64", ())], "`.b64`")?;
    l.end()?;
    l.address(i, window)
}

fn emit(
    l: &mut Lowering,
    act: MbarrierAct,
    address: crate::ir::Address,
    operand: Slot,
    result: Slot,
) -> Lowered {
    l.body.function.granule = l.body.function.granule.min(BYTES);
    let op = Mbarrier {
        act,
        address,
        operand: operand.0,
        result: result.0,
    };
    l.emit(Op::Mbarrier(Box::new(op)), Flow::Next);
    Ok(())
}
