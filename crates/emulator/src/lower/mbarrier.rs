//! `mbarrier` and `cp.async.mbarrier.arrive`.
//! Source: PTX ISA, "mbarrier".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::exec::mbarrier::pending;
use crate::frame::alu;
use crate::ir::{Address, Mbarrier, MbarrierAct, Scope, Window};
use crate::reader::syntax::Operand;
use crate::types::Type;

const BYTES: u32 = 8;

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    const ACTS: [(&str, &str); 9] = [
        ("init", "init"),
        ("inval", "inval"),
        ("arrive", "arrive"),
        ("arrive_drop", "arrive_drop"),
        ("test_wait", "wait"),
        ("try_wait", "wait"),
        ("pending_count", "pending_count"),
        ("expect_tx", "expect_tx"),
        ("complete_tx", "complete_tx"),
    ];
    match l.need_lead(&ACTS, "what it does")? {
        "init" => {
            let (address, _) = modifiers(l, 0, &[], false)?;
            l.count(2..=2)?;
            let count = l.source(1, Type::U32)?;
            l.uses.push(count);
            emit(l, MbarrierAct::Init, address, count, Slot::NONE)
        }
        "inval" => {
            let (address, _) = modifiers(l, 0, &[], false)?;
            l.count(1..=1)?;
            emit(l, MbarrierAct::Invalidate, address, Slot::NONE, Slot::NONE)
        }
        "wait" => {
            let parity = l.take("parity");
            let (address, acquires) = modifiers(l, 1, &["acquire", "relaxed"], false)?;
            // `try_wait` may have a time limit as operand, which has no effect: the emulator has no
            // time.
            let suspends = l.inst.modifiers.first() == Some(&"try_wait");
            l.count(3..=3 + usize::from(suspends))?;
            if l.inst.operands.len() == 4 {
                let time = l.source(3, Type::U32)?;
                l.uses.push(time);
            }
            let operand = l.source(2, if parity { Type::U32 } else { Type::B64 })?;
            l.uses.push(operand);
            let result = l.dest(0, Type::Pred)?;
            l.defs.push(result);
            emit(
                l,
                MbarrierAct::Test {
                    parity,
                    suspends,
                    acquires,
                },
                address,
                operand,
                result,
            )
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
        act @ ("expect_tx" | "complete_tx") => {
            let (address, _) = modifiers(l, 0, &["relaxed"], true)?;
            l.count(2..=2)?;
            let bytes = l.source(1, Type::U32)?;
            l.uses.push(bytes);
            let act = match act {
                "expect_tx" => MbarrierAct::Expect,
                _ => MbarrierAct::Complete,
            };
            emit(l, act, address, bytes, Slot::NONE)
        }
        act => {
            let drop = act == "arrive_drop";
            let expects = l.lead("expect_tx");
            let no_complete = !expects && l.take("noComplete");
            let (address, releases) = modifiers(l, 1, &["release", "relaxed"], !no_complete)?;
            l.count(if no_complete || expects { 3..=3 } else { 2..=3 })?;
            // An object in another block returns no state.
            if address.window == Window::Cluster && !matches!(l.operand(0)?, Operand::Sink) {
                return Err(l.bad_operand(0, "`_` expected for an object in `.shared::cluster`"));
            }
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
                MbarrierAct::Arrive {
                    drop,
                    no_complete,
                    expects,
                    releases,
                },
                address,
                count,
                result,
            )
        }
    }
}

/// Lowers `cp.async.mbarrier.arrive`, after its first two modifiers were taken.
pub(crate) fn copies(l: &mut Lowering) -> Lowered {
    l.need_lead(&[("arrive", ())], "`.arrive`")?;
    let counted = l.take("noinc");
    let shared = [("shared", Window::Shared), ("shared::cta", Window::Shared)];
    let window = l.one_of(&shared).unwrap_or(Window::Generic);
    l.need(&[("b64", ())], "`.b64`")?;
    l.end()?;
    l.count(1..=1)?;
    let address = l.address_of_any_width(0, window)?;
    emit(
        l,
        MbarrierAct::CopiesArrive { counted },
        address,
        Slot::NONE,
        Slot::NONE,
    )
}

/// Takes order, scope, space and type. Returns the address, which is operand `i`, and the scope of
/// the instruction's order. With `remote` the address may be in any block of the cluster. The scope
/// is the cluster if the instruction names no order, and `None` if the instruction is relaxed.
fn modifiers(
    l: &mut Lowering,
    i: usize,
    orders: &[&str],
    remote: bool,
) -> Result<(Address, Option<Scope>), PtxError> {
    let orders: Vec<(&str, bool)> = orders
        .iter()
        .map(|&order| (order, order != "relaxed"))
        .collect();
    let mut reach = Some(Scope::Cluster);
    if let Some(is_ordered) = l.one_of(&orders) {
        let scopes = [("cta", Scope::Block), ("cluster", Scope::Cluster)];
        let scope = l.need(&scopes, "a scope")?;
        reach = is_ordered.then_some(scope);
    }
    let spaces = [
        ("shared", Window::Shared),
        ("shared::cta", Window::Shared),
        ("shared::cluster", Window::Cluster),
    ];
    let spaces = if remote { &spaces[..] } else { &spaces[..2] };
    let window = l.one_of(spaces).unwrap_or(Window::Generic);
    l.need(&[("b64", ())], "`.b64`")?;
    l.end()?;
    Ok((l.address(i, window)?, reach))
}

fn emit(
    l: &mut Lowering,
    act: MbarrierAct,
    address: Address,
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
    l.emit(op, Flow::Next);
    Ok(())
}
