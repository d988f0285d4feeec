//! Logic, shifts, bit fields, permutes.
//! Source: PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions" (bit fields),
//! "prmt".

use super::instruction::{Lowered, Lowering};
use crate::frame::{Args, Frame, alu};
use crate::numerics::integer::bytes::{self, Permute};
use crate::numerics::integer::{Overflow, field, shift};
use crate::types::Type;

/// Selects the operation for a type by its number of bits.
macro_rules! by_bits {
    ($ty:expr, $T:ident => $run:expr) => {
        match $ty {
            Type::B16 | Type::U16 | Type::S16 => {
                type $T = u16;
                Some($run)
            }
            Type::B32 | Type::U32 | Type::S32 => {
                type $T = u32;
                Some($run)
            }
            Type::B64 | Type::U64 | Type::S64 => {
                type $T = u64;
                Some($run)
            }
            _ => None,
        }
    };
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    match l.inst.opcode {
        "and" | "or" | "xor" | "not" | "cnot" => logic(l),
        "shl" | "shr" => shifts(l),
        "shf" => funnel(l),
        "lop3" => lop3(l),
        "prmt" => prmt(l),
        "bfe" | "bfi" => field_move(l),
        "bfind" | "brev" | "popc" | "clz" => unary(l),
        "fns" => {
            if l.only_type()? != Type::B32 {
                return Err(l.unknown());
            }
            let run =
                alu!(|mask: u32, base: u32, offset: i32| -> u32 { field::fns(mask, base, offset) });
            l.simple(run, Type::B32, &[Type::B32, Type::B32, Type::S32])
        }
        "bmsk" => {
            let wrap = l.need(&[("clamp", false), ("wrap", true)], "`.clamp` or `.wrap`")?;
            if l.only_type()? != Type::B32 {
                return Err(l.unknown());
            }
            let run = if wrap {
                alu!(|a: u32, b: u32| -> u32 { field::bmsk(a, b, Overflow::Wrap) })
            } else {
                alu!(|a: u32, b: u32| -> u32 { field::bmsk(a, b, Overflow::Clamp) })
            };
            l.simple(run, Type::B32, &[Type::B32; 2])
        }
        _ => szext(l),
    }
}

fn szext(l: &mut Lowering) -> Lowered {
    let wrap = l.need(&[("clamp", false), ("wrap", true)], "`.clamp` or `.wrap`")?;
    let ty = l.only_type()?;
    let run = match (wrap, ty) {
        (false, Type::U32) => {
            alu!(|a: u32, b: u32| -> u32 { field::szext(a, b, false, Overflow::Clamp) })
        }
        (false, Type::S32) => {
            alu!(|a: u32, b: u32| -> u32 { field::szext(a, b, true, Overflow::Clamp) })
        }
        (true, Type::U32) => {
            alu!(|a: u32, b: u32| -> u32 { field::szext(a, b, false, Overflow::Wrap) })
        }
        (true, Type::S32) => {
            alu!(|a: u32, b: u32| -> u32 { field::szext(a, b, true, Overflow::Wrap) })
        }
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty, Type::U32])
}

fn logic(l: &mut Lowering) -> Lowered {
    let ty = l.only_type()?;
    if ty == Type::Pred {
        let run: crate::frame::Alu = match l.inst.opcode {
            "and" => |frame, args, mask| predicates(frame, args, mask, |a, b| a & b),
            "or" => |frame, args, mask| predicates(frame, args, mask, |a, b| a | b),
            "xor" => |frame, args, mask| predicates(frame, args, mask, |a, b| a ^ b),
            "not" => |frame, args, mask| {
                let value = !frame.pred(args[1]);
                frame.write_pred(args[0], value, mask);
            },
            _ => return Err(l.unknown()),
        };
        let sources = if l.inst.opcode == "not" { 1 } else { 2 };
        return l.simple(run, ty, &[ty; 2][..sources]);
    }
    if !ty.is_bits() {
        return Err(l.unknown());
    }
    let (run, sources) = match l.inst.opcode {
        "and" => (by_bits!(ty, T => alu!(|a: T, b: T| -> T { a & b })), 2),
        "or" => (by_bits!(ty, T => alu!(|a: T, b: T| -> T { a | b })), 2),
        "xor" => (by_bits!(ty, T => alu!(|a: T, b: T| -> T { a ^ b })), 2),
        "not" => (by_bits!(ty, T => alu!(|a: T| -> T { !a })), 1),
        _ => (by_bits!(ty, T => alu!(|a: T| -> T { T::from(a == 0) })), 1),
    };
    let run = run.ok_or_else(|| l.unknown())?;
    l.simple(run, ty, &[ty; 2][..sources])
}

fn predicates(frame: &mut Frame, args: &Args, mask: u32, f: impl Fn(u32, u32) -> u32) {
    let value = f(frame.pred(args[1]), frame.pred(args[2]));
    frame.write_pred(args[0], value, mask);
}

fn shifts(l: &mut Lowering) -> Lowered {
    let ty = l.only_type()?;
    let left = l.inst.opcode == "shl";
    let run = match (left, ty) {
        (true, Type::B16) => alu!(|a: u16, n: u32| -> u16 { shift::shl_16(a, n) }),
        (true, Type::B32) => alu!(|a: u32, n: u32| -> u32 { shift::shl_32(a, n) }),
        (true, Type::B64) => alu!(|a: u64, n: u32| -> u64 { shift::shl_64(a, n) }),
        (false, Type::B16 | Type::U16) => alu!(|a: u16, n: u32| -> u16 { shift::shr_u16(a, n) }),
        (false, Type::B32 | Type::U32) => alu!(|a: u32, n: u32| -> u32 { shift::shr_u32(a, n) }),
        (false, Type::B64 | Type::U64) => alu!(|a: u64, n: u32| -> u64 { shift::shr_u64(a, n) }),
        (false, Type::S16) => alu!(|a: i16, n: u32| -> i16 { shift::shr_s16(a, n) }),
        (false, Type::S32) => alu!(|a: i32, n: u32| -> i32 { shift::shr_s32(a, n) }),
        (false, Type::S64) => alu!(|a: i64, n: u32| -> i64 { shift::shr_s64(a, n) }),
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty, Type::U32])
}

fn funnel(l: &mut Lowering) -> Lowered {
    let left = l.need_lead(&[("l", true), ("r", false)], "`.l` or `.r`")?;
    let wrap = l.need(&[("clamp", false), ("wrap", true)], "`.clamp` or `.wrap`")?;
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    let run = match (left, wrap) {
        (true, true) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { shift::shf_left(a, b, c, Overflow::Wrap) })
        }
        (true, false) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { shift::shf_left(a, b, c, Overflow::Clamp) })
        }
        (false, true) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { shift::shf_right(a, b, c, Overflow::Wrap) })
        }
        (false, false) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { shift::shf_right(a, b, c, Overflow::Clamp) })
        }
    };
    l.simple(run, Type::B32, &[Type::B32; 3])
}

fn lop3(l: &mut Lowering) -> Lowered {
    let combine = l.one_of(&[("or", true), ("and", false)]);
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    let run =
        alu!(|a: u32, b: u32, c: u32, table: u32| -> u32 { bytes::lop3(a, b, c, table as u8) });
    l.count(if combine.is_some() { 6..=6 } else { 5..=5 })?;
    let mut sources = Vec::new();
    for i in 1..4 {
        sources.push(l.source(i, Type::B32)?);
    }
    let table = l.immediate(4)?;
    if !(0..256).contains(&table) {
        return Err(l.bad_operand(4, format!("a table from 0 to 255, not {table}")));
    }
    sources.push(l.mode(table as u32));
    let Some(or) = combine else {
        let d = l.dest(0, Type::B32)?;
        l.alu(run, &[d], &sources);
        return Ok(());
    };
    // `lop3.or.b32 d|p, a, b, c, table, q`: p is (d != 0) or q.
    let crate::reader::syntax::Operand::Pair(d, p) = l.operand(0)? else {
        return Err(l.bad_operand(0, "two results `d|p` expected"));
    };
    let (d, p) = (l.dest_of(0, d, Type::B32)?, l.dest_of(0, p, Type::Pred)?);
    let q = l.source(5, Type::Pred)?;
    l.alu(run, &[d], &sources);
    let test: crate::frame::Alu = if or {
        |frame, args, mask| {
            let value = frame.test1(args[1], |d: u32| d != 0) | frame.pred(args[2]);
            frame.write_pred(args[0], value, mask);
        }
    } else {
        |frame, args, mask| {
            let value = frame.test1(args[1], |d: u32| d != 0) & frame.pred(args[2]);
            frame.write_pred(args[0], value, mask);
        }
    };
    l.alu_part(test, &[p], &[d, q]);
    Ok(())
}

fn prmt(l: &mut Lowering) -> Lowered {
    if l.ty()? != Type::B32 {
        return Err(l.unknown());
    }
    let run = match l.take_map(Permute::from_modifier) {
        None => alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Generic, a, b, c) }),
        Some(mode) => match mode {
            Permute::Generic => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Generic, a, b, c) })
            }
            Permute::Forward4 => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Forward4, a, b, c) })
            }
            Permute::Backward4 => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Backward4, a, b, c) })
            }
            Permute::Replicate8 => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Replicate8, a, b, c) })
            }
            Permute::EdgeLeft => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::EdgeLeft, a, b, c) })
            }
            Permute::EdgeRight => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::EdgeRight, a, b, c) })
            }
            Permute::Replicate16 => {
                alu!(|a: u32, b: u32, c: u32| -> u32 { bytes::prmt(Permute::Replicate16, a, b, c) })
            }
        },
    };
    l.end()?;
    l.simple(run, Type::B32, &[Type::B32; 3])
}

fn field_move(l: &mut Lowering) -> Lowered {
    let ty = l.only_type()?;
    if l.inst.opcode == "bfi" {
        let run = match ty {
            Type::B32 => {
                alu!(|a: u32, b: u32, c: u32, d: u32| -> u32 { field::bfi_32(a, b, c, d) })
            }
            Type::B64 => {
                alu!(|a: u64, b: u64, c: u32, d: u32| -> u64 { field::bfi_64(a, b, c, d) })
            }
            _ => return Err(l.unknown()),
        };
        return l.simple(run, ty, &[ty, ty, Type::U32, Type::U32]);
    }
    let run = match ty {
        Type::U32 => alu!(|a: u32, b: u32, c: u32| -> u32 { field::bfe_u32(a, b, c) }),
        Type::U64 => alu!(|a: u64, b: u32, c: u32| -> u64 { field::bfe_u64(a, b, c) }),
        Type::S32 => alu!(|a: i32, b: u32, c: u32| -> i32 { field::bfe_s32(a, b, c) }),
        Type::S64 => alu!(|a: i64, b: u32, c: u32| -> i64 { field::bfe_s64(a, b, c) }),
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty, Type::U32, Type::U32])
}

fn unary(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let shift = opcode == "bfind" && l.take("shiftamt");
    let ty = l.only_type()?;
    let run = match (opcode, ty) {
        ("bfind", Type::U32) if shift => alu!(|a: u32| -> u32 { field::bfind_u32(a, true) }),
        ("bfind", Type::S32) if shift => alu!(|a: i32| -> u32 { field::bfind_s32(a, true) }),
        ("bfind", Type::U64) if shift => alu!(|a: u64| -> u32 { field::bfind_u64(a, true) }),
        ("bfind", Type::S64) if shift => alu!(|a: i64| -> u32 { field::bfind_s64(a, true) }),
        ("bfind", Type::U32) => alu!(|a: u32| -> u32 { field::bfind_u32(a, false) }),
        ("bfind", Type::S32) => alu!(|a: i32| -> u32 { field::bfind_s32(a, false) }),
        ("bfind", Type::U64) => alu!(|a: u64| -> u32 { field::bfind_u64(a, false) }),
        ("bfind", Type::S64) => alu!(|a: i64| -> u32 { field::bfind_s64(a, false) }),
        ("brev", Type::B32) => alu!(|a: u32| -> u32 { a.reverse_bits() }),
        ("brev", Type::B64) => alu!(|a: u64| -> u64 { a.reverse_bits() }),
        ("popc", Type::B32) => alu!(|a: u32| -> u32 { a.count_ones() }),
        ("popc", Type::B64) => alu!(|a: u64| -> u32 { a.count_ones() }),
        ("clz", Type::B32) => alu!(|a: u32| -> u32 { a.leading_zeros() }),
        ("clz", Type::B64) => alu!(|a: u64| -> u32 { a.leading_zeros() }),
        _ => return Err(l.unknown()),
    };
    let result = if opcode == "brev" { ty } else { Type::U32 };
    l.simple(run, result, &[ty])
}
