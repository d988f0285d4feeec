//! Control flow.
//! Source: PTX ISA, "Control Flow Instructions", "Miscellaneous Instructions".

use super::body::{EPILOGUE, Name};
use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use crate::error::PtxErrorKind;
use crate::ir::{Call, NONE, NoEffect, Op, Sleep, Stopped};
use crate::reader::syntax::Operand;
use crate::types::Type;

impl Lowering<'_, '_, '_> {
    fn conditional(&self) -> bool {
        self.body.guard.is_some()
    }

    fn label_operand(&self, i: usize) -> Result<u32, crate::error::PtxError> {
        let Operand::Name(name, 0) = self.operand(i)? else {
            return Err(self.bad_operand(i, "a label expected"));
        };
        self.body
            .label(name)
            .ok_or_else(|| self.bad_operand(i, format!("`{name}` is not a label")))
    }
}

pub(crate) fn branch(l: &mut Lowering) -> Lowered {
    // `.uni` promises that all lanes go the same way; it has no effect here.
    l.take("uni");
    l.end()?;
    l.count(1..=1)?;
    let target = l.label_operand(0)?;
    let flow = Flow::Jump {
        target,
        conditional: l.conditional(),
    };
    l.emit(
        Op::Branch {
            target,
            reconverge: NONE,
        },
        flow,
    );
    Ok(())
}

pub(crate) fn table(l: &mut Lowering) -> Lowered {
    if !l.lead("idx") {
        return Err(l.unknown());
    }
    l.take("uni");
    l.end()?;
    l.count(2..=2)?;
    let index = l.source(0, Type::U32)?;
    let Operand::Name(name, 0) = l.operand(1)? else {
        return Err(l.bad_operand(1, "a list of targets expected"));
    };
    let Some(Name::Targets(names)) = l.body.look_up(name) else {
        return Err(l.bad_operand(1, format!("`{name}` is not a list of targets")));
    };
    let mut targets = Vec::with_capacity(names.len());
    for name in names {
        let Some(label) = l.body.label(name) else {
            return Err(l.bad_operand(1, format!("`{name}` is not a label")));
        };
        targets.push(label);
    }
    l.uses.push(index);
    let flow = Flow::Table {
        targets: targets.clone(),
        conditional: l.conditional(),
    };
    l.emit(
        Op::Table {
            index: index.0,
            targets: targets.into(),
            reconverge: NONE,
        },
        flow,
    );
    Ok(())
}

pub(crate) fn ret(l: &mut Lowering) -> Lowered {
    l.take("uni");
    l.end()?;
    l.count(0..=0)?;
    if l.body.function.entry {
        return leave(l);
    }
    // All lanes leave a call together, at the end of the function.
    let flow = Flow::Jump {
        target: EPILOGUE,
        conditional: l.conditional(),
    };
    l.emit(
        Op::Branch {
            target: EPILOGUE,
            reconverge: NONE,
        },
        flow,
    );
    Ok(())
}

pub(crate) fn exit(l: &mut Lowering) -> Lowered {
    l.end()?;
    l.count(0..=0)?;
    leave(l)
}

fn leave(l: &mut Lowering) -> Lowered {
    let flow = if l.conditional() {
        Flow::ConditionalExit
    } else {
        Flow::Exit
    };
    l.emit(Op::Exit, flow);
    Ok(())
}

pub(crate) fn trap(l: &mut Lowering) -> Lowered {
    l.end()?;
    let flow = if l.conditional() {
        Flow::Next
    } else {
        Flow::Trap
    };
    l.emit(Stopped::Trap, flow);
    Ok(())
}

pub(crate) fn breakpoint(l: &mut Lowering) -> Lowered {
    l.end()?;
    l.emit(Stopped::Breakpoint, Flow::Next);
    Ok(())
}

pub(crate) fn sleep(l: &mut Lowering) -> Lowered {
    if l.only_type()? != Type::U32 {
        return Err(l.unknown());
    }
    l.count(1..=1)?;
    let time = l.source(0, Type::U32)?;
    l.uses.push(time);
    l.emit(Sleep, Flow::Next);
    Ok(())
}

/// Lowers `pmevent`, which signals an event to a profiler. The emulator has no profiler.
pub(crate) fn event(l: &mut Lowering) -> Lowered {
    let mask = l.take("mask");
    l.end()?;
    l.count(1..=1)?;
    let value = l.immediate(0)?;
    let most = if mask { 0xffff } else { 15 };
    if !(0..=most).contains(&value) {
        return Err(l.bad_operand(0, format!("a number from 0 to {most}, not {value}")));
    }
    l.emit(NoEffect, Flow::Next);
    Ok(())
}

/// Lowers `call (results), function, (arguments);`. Each list is optional; in an indirect call, the
/// prototype or target list follows the lists.
pub(crate) fn call(l: &mut Lowering) -> Lowered {
    l.take("uni");
    l.end()?;
    let operands = &l.inst.operands;
    let has_results = matches!(operands.first(), Some(Operand::List(_))) && operands.len() > 1;
    let at = usize::from(has_results);
    let results = if has_results {
        call_variables(l, 0)?
    } else {
        Vec::new()
    };
    let has_arguments = matches!(operands.get(at + 1), Some(Operand::List(_)));
    let arguments = if has_arguments {
        call_variables(l, at + 1)?
    } else {
        Vec::new()
    };
    let Operand::Name(name, 0) = l.operand(at)? else {
        return Err(l.bad_operand(at, "a function expected"));
    };
    let mut call = Call {
        function: NONE,
        pointer: NONE,
        arguments,
        results,
    };
    match l.body.look_up(name) {
        Some(Name::Function(function)) => {
            let (returns, parameters) = &l.body.module.signatures[function as usize];
            let sizes = |list: &[(u32, u32)]| {
                list.iter()
                    .map(|&(_, size)| size as usize)
                    .collect::<Vec<_>>()
            };
            let (found_returns, found_parameters) = (sizes(&call.results), sizes(&call.arguments));
            if *returns != found_returns || *parameters != found_parameters {
                let problem = format!(
                    "`{name}` takes {parameters:?} and returns {returns:?} bytes, \
                     the call gives {found_parameters:?} and takes {found_returns:?}"
                );
                return Err(l.bad_operand(at, problem));
            }
            call.function = function;
            if !l.body.function.calls.contains(&function) {
                l.body.function.calls.push(function);
            }
        }
        Some(Name::Register(..)) => {
            let pointer = l.source(at, Type::U64)?;
            call.pointer = pointer.0;
            l.uses.push(pointer);
            l.body.function.calls_indirectly = true;
            let last = at + usize::from(has_arguments) + 1;
            let described = match l.inst.operands.get(last) {
                Some(Operand::Name(name, 0)) => {
                    matches!(
                        l.body.look_up(name),
                        Some(Name::Prototype | Name::Targets(_))
                    )
                }
                _ => false,
            };
            if !described {
                return Err(l.bad_operand(
                    last,
                    "an indirect call needs a prototype or a list of targets",
                ));
            }
        }
        Some(_) => return Err(l.bad_operand(at, format!("`{name}` is not a function"))),
        None => return Err(l.error(PtxErrorKind::Undeclared((*name).to_owned()))),
    }
    l.emit(Op::Call(Box::new(call)), Flow::Next);
    Ok(())
}

/// Returns the offset and size of each call variable in the list.
fn call_variables(l: &Lowering, i: usize) -> Result<Vec<(u32, u32)>, crate::error::PtxError> {
    let Operand::List(operands) = l.operand(i)? else {
        return Err(l.bad_operand(i, "a list expected"));
    };
    operands
        .iter()
        .map(|operand| match operand {
            Operand::Name(name, 0) => match l.body.look_up(name) {
                Some(Name::Param {
                    offset,
                    size,
                    entry: false,
                }) => Ok((offset, size)),
                _ => Err(l.bad_operand(i, format!("`{name}` is not a .param variable"))),
            },
            _ => Err(l.bad_operand(i, "a .param variable expected")),
        })
        .collect()
}
