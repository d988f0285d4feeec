//! Barriers and exchanges within a warp.
//! Source: PTX ISA, "Parallel Synchronization and Communication Instructions", "shfl.sync".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::ir::{
    ActiveMask, Barrier, BarrierKind, Elect, Match, NONE, Reduce, SetRegisters, Shuffle,
    ShuffleMode, Vote, VoteMode, WarpBarrier,
};
use crate::numerics::minmax::{self, MinMax};
use crate::reader::syntax::Operand;
use crate::types::Type;

pub(crate) fn barrier(l: &mut Lowering) -> Lowered {
    if l.inst.opcode == "bar" && l.lead("warp") {
        if !l.take("sync") {
            return Err(l.unknown());
        }
        l.end()?;
        l.count(1..=1)?;
        let mask = l.source(0, Type::U32)?;
        l.uses.push(mask);
        l.emit(WarpBarrier { mask: mask.0 }, Flow::Next);
        return Ok(());
    }
    l.lead("cta");
    let what = match l.lead("red") {
        true => 2,
        false => l.need(
            &[("sync", 0), ("arrive", 1)],
            "`.sync`, `.arrive` or `.red`",
        )?,
    };
    // `bar` is always aligned.
    let aligned = l.inst.opcode == "bar" || l.take("aligned");
    let kind = match what {
        0 => BarrierKind::Sync,
        1 => BarrierKind::Arrive,
        _ => {
            let kinds = [
                ("popc", BarrierKind::Popc),
                ("and", BarrierKind::And),
                ("or", BarrierKind::Or),
            ];
            let kind = l.need(&kinds, "`.popc`, `.and` or `.or`")?;
            let ty = l.ty()?;
            if ty
                != (if kind == BarrierKind::Popc {
                    Type::U32
                } else {
                    Type::Pred
                })
            {
                return Err(l.unknown());
            }
            kind
        }
    };
    l.end()?;
    let reduces = what == 2;
    let first = usize::from(reduces);
    let last = usize::from(reduces);
    l.count(first + 1 + last..=first + 2 + last)?;
    let counted = l.inst.operands.len() == first + 2 + last;
    if kind == BarrierKind::Arrive && !counted {
        return Err(l.bad_operand(0, "`.arrive` needs a number of threads"));
    }
    let barrier = l.source(first, Type::U32)?;
    l.uses.push(barrier);
    let mut threads = NONE;
    if counted {
        let slot = l.source(first + 1, Type::U32)?;
        l.uses.push(slot);
        threads = slot.0;
    }
    let (mut predicate, mut result) = (NONE, NONE);
    if reduces {
        let p = l.source(first + 1 + usize::from(counted), Type::Pred)?;
        l.uses.push(p);
        predicate = p.0;
        let d = l.dest(
            0,
            if kind == BarrierKind::Popc {
                Type::U32
            } else {
                Type::Pred
            },
        )?;
        l.defs.push(d);
        result = d.0;
    }
    let barrier = Barrier {
        kind,
        aligned,
        barrier: barrier.0,
        threads,
        predicate,
        result,
    };
    l.emit(barrier, Flow::Next);
    Ok(())
}

/// Returns the rows of operand 0 as a result with a predicate, `d|p`; the predicate is optional.
fn result_pair(l: &mut Lowering, ty: Type) -> Result<(u32, u32), crate::error::PtxError> {
    let (d, p) = match l.operand(0)? {
        Operand::Pair(d, p) => (l.dest_of(0, d, ty)?, Some(l.dest_of(0, p, Type::Pred)?)),
        single => (l.dest_of(0, single, ty)?, None),
    };
    l.defs.push(d);
    l.defs.extend(p);
    Ok((d.0, p.map_or(NONE, |p| p.0)))
}

fn used(l: &mut Lowering, i: usize, ty: Type) -> Result<u32, crate::error::PtxError> {
    let slot: Slot = l.source(i, ty)?;
    l.uses.push(slot);
    Ok(slot.0)
}

pub(crate) fn shuffle(l: &mut Lowering) -> Lowered {
    // The form without `.sync` does not exist from sm_70 on.
    if !l.take("sync") {
        return Err(l.unknown());
    }
    let modes = [
        ("up", ShuffleMode::Up),
        ("down", ShuffleMode::Down),
        ("bfly", ShuffleMode::Butterfly),
        ("idx", ShuffleMode::Index),
    ];
    let mode = l.need(&modes, "a mode")?;
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    l.count(5..=5)?;
    let a = used(l, 1, Type::B32)?;
    let b = used(l, 2, Type::B32)?;
    let c = used(l, 3, Type::B32)?;
    let mask = used(l, 4, Type::B32)?;
    let (result, valid) = result_pair(l, Type::B32)?;
    l.emit(
        Shuffle {
            mode,
            result,
            valid,
            a,
            b,
            c,
            mask,
        },
        Flow::Next,
    );
    Ok(())
}

pub(crate) fn vote(l: &mut Lowering) -> Lowered {
    if !l.take("sync") {
        return Err(l.unknown());
    }
    let modes = [
        ("all", VoteMode::All),
        ("any", VoteMode::Any),
        ("uni", VoteMode::Uniform),
        ("ballot", VoteMode::Ballot),
    ];
    let mode = l.need(&modes, "a mode")?;
    let ty = l.only_type()?;
    if ty
        != (if mode == VoteMode::Ballot {
            Type::B32
        } else {
            Type::Pred
        })
    {
        return Err(l.unknown());
    }
    l.count(3..=3)?;
    let predicate = used(l, 1, Type::Pred)?;
    let mask = used(l, 2, Type::B32)?;
    let d = l.dest(0, ty)?;
    l.defs.push(d);
    l.emit(
        Vote {
            mode,
            result: d.0,
            predicate,
            mask,
        },
        Flow::Next,
    );
    Ok(())
}

pub(crate) fn matching(l: &mut Lowering) -> Lowered {
    let all = l.need(&[("any", false), ("all", true)], "`.any` or `.all`")?;
    if !l.take("sync") {
        return Err(l.unknown());
    }
    let ty = l.only_type()?;
    if !matches!(ty, Type::B32 | Type::B64) {
        return Err(l.unknown());
    }
    l.count(3..=3)?;
    let a = used(l, 1, ty)?;
    let mask = used(l, 2, Type::B32)?;
    let (result, predicate) = result_pair(l, Type::U32)?;
    if predicate != NONE && !all {
        return Err(l.bad_operand(0, "only `.all` has a predicate"));
    }
    l.emit(
        Match {
            all,
            wide: ty == Type::B64,
            result,
            predicate,
            a,
            mask,
        },
        Flow::Next,
    );
    Ok(())
}

/// Returns the operation of a `redux.sync` of `.f32`, which is a `min` or `max` of two.
fn of_floats(max: bool, abs: bool, nan: bool) -> fn(u32, u32) -> u32 {
    fn apply<const MAX: bool, const ABS: bool, const NAN: bool>(a: u32, b: u32) -> u32 {
        let modes = MinMax {
            max: MAX,
            abs: ABS,
            nan: NAN,
            ..MinMax::MIN
        };
        minmax::f32(a, b, modes)
    }
    match (max, abs, nan) {
        (false, false, false) => apply::<false, false, false>,
        (false, false, true) => apply::<false, false, true>,
        (false, true, false) => apply::<false, true, false>,
        (false, true, true) => apply::<false, true, true>,
        (true, false, false) => apply::<true, false, false>,
        (true, false, true) => apply::<true, false, true>,
        (true, true, false) => apply::<true, true, false>,
        (true, true, true) => apply::<true, true, true>,
    }
}

pub(crate) fn reduce(l: &mut Lowering) -> Lowered {
    if !l.take("sync") {
        return Err(l.unknown());
    }
    let names = ["add", "min", "max", "and", "or", "xor"];
    let Some(name) = l.take_map(|word| names.into_iter().find(|&name| name == word)) else {
        return Err(l.unknown());
    };
    let (abs, nan) = (l.take("abs"), l.take("NaN"));
    let ty = l.only_type()?;
    if ty != Type::F32 && (abs || nan) {
        return Err(l.unknown());
    }
    let apply: fn(u32, u32) -> u32 = match (name, ty) {
        ("min" | "max", Type::F32) => of_floats(name == "max", abs, nan),
        ("add", Type::U32 | Type::S32) => u32::wrapping_add,
        ("min", Type::U32) => |a, b| a.min(b),
        ("max", Type::U32) => |a, b| a.max(b),
        ("min", Type::S32) => |a, b| (a as i32).min(b as i32) as u32,
        ("max", Type::S32) => |a, b| (a as i32).max(b as i32) as u32,
        ("and", Type::B32) => |a, b| a & b,
        ("or", Type::B32) => |a, b| a | b,
        ("xor", Type::B32) => |a, b| a ^ b,
        _ => return Err(l.unknown()),
    };
    l.count(3..=3)?;
    let a = used(l, 1, ty)?;
    let mask = used(l, 2, Type::B32)?;
    let d = l.dest(0, ty)?;
    l.defs.push(d);
    l.emit(
        Reduce {
            apply,
            float: ty == Type::F32,
            result: d.0,
            a,
            mask,
        },
        Flow::Next,
    );
    Ok(())
}

pub(crate) fn elect(l: &mut Lowering) -> Lowered {
    if !l.take("sync") {
        return Err(l.unknown());
    }
    l.end()?;
    l.count(2..=2)?;
    let mask = used(l, 1, Type::B32)?;
    let (lane, predicate) = result_pair(l, Type::B32)?;
    if predicate == NONE {
        return Err(l.bad_operand(0, "two results `d|p` expected"));
    }
    l.emit(
        Elect {
            lane,
            predicate,
            mask,
        },
        Flow::Next,
    );
    Ok(())
}

/// Lowers `setmaxnreg`, by which a warp returns registers to its block or requests them from it.
pub(crate) fn set_registers(l: &mut Lowering) -> Lowered {
    let increase = l.need_lead(&[("inc", true), ("dec", false)], "`.inc` or `.dec`")?;
    l.need(&[("sync", ())], "`.sync`")?;
    l.need(&[("aligned", ())], "`.aligned`")?;
    if l.only_type()? != Type::U32 {
        return Err(l.unknown());
    }
    l.count(1..=1)?;
    let count = l.immediate(0)?;
    let (Ok(count), true) = (
        u32::try_from(count),
        (24..=256).contains(&count) && count % 8 == 0,
    ) else {
        let problem = format!("a multiple of 8 from 24 to 256, not {count}");
        return Err(l.bad_operand(0, problem));
    };
    l.emit(SetRegisters { increase, count }, Flow::Next);
    Ok(())
}

pub(crate) fn active_mask(l: &mut Lowering) -> Lowered {
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    l.count(1..=1)?;
    let d = l.dest(0, Type::B32)?;
    l.defs.push(d);
    l.emit(ActiveMask { result: d.0 }, Flow::Next);
    Ok(())
}
