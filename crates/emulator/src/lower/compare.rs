//! Comparison and selection.
//! Source: PTX ISA, "Comparison and Selection Instructions".

use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::frame::{Alu, Lane, alu};
use crate::numerics::compare::Comparison;
use crate::numerics::half_math::HalfKind;
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const FTZ: u32 = 1;

/// Returns the comparison of `setp` and `set`. Each pair of type and operator has its own loop.
fn comparison(ty: Type, operator: Comparison) -> Option<Alu> {
    macro_rules! test {
        (|$a:ident: $T:ty, $b:ident: $U:ty, $m:ident| $body:expr) => {
            Some(
                (|frame, args, mask| {
                    let $m = frame.r32[args[3] as usize][0];
                    let value = frame.test2(args[1], args[2], |$a: $T, $b: $U| $body);
                    let _ = $m;
                    frame.write_pred(args[0], value, mask);
                }) as Alu,
            )
        };
    }
    macro_rules! integers {
        ($T:ty; $($operator:ident),*) => {
            match operator {
                $(Comparison::$operator => test!(|a: $T, b: $T, m| Comparison::$operator.integers(a, b)),)*
                _ => None,
            }
        };
    }
    macro_rules! floats {
        (|$a:ident: $T:ty, $b:ident, $m:ident, $o:ident| $body:expr; $($operator:ident),*) => {
            match operator {
                $(Comparison::$operator => test!(|$a: $T, $b: $T, $m| {
                    #[allow(non_upper_case_globals)]
                    const $o: Comparison = Comparison::$operator;
                    $body
                }),)*
                _ => None,
            }
        };
    }
    macro_rules! all_floats {
        (|$a:ident: $T:ty, $b:ident, $m:ident, $o:ident| $body:expr) => {
            floats!(|$a: $T, $b, $m, $o| $body;
                Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan)
        };
    }
    use Type::*;
    match ty {
        B16 => integers!(u16; Eq, Ne),
        B32 => integers!(u32; Eq, Ne),
        B64 => integers!(u64; Eq, Ne),
        U16 => integers!(u16; Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs),
        U32 => integers!(u32; Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs),
        U64 => integers!(u64; Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs),
        S16 => integers!(i16; Eq, Ne, Lt, Le, Gt, Ge),
        S32 => integers!(i32; Eq, Ne, Lt, Le, Gt, Ge),
        S64 => integers!(i64; Eq, Ne, Lt, Le, Gt, Ge),
        F32 => all_floats!(|a: u32, b, m, o| o.f32(a, b, m & FTZ != 0)),
        F64 => all_floats!(|a: u64, b, m, o| o.f64(a, b)),
        F16 => all_floats!(|a: u16, b, m, o| o.half(HalfKind::F16, a, b, m & FTZ != 0)),
        Bf16 => all_floats!(|a: u16, b, m, o| o.half(HalfKind::Bf16, a, b, m & FTZ != 0)),
        _ => None,
    }
}

/// The operation that combines the result of a comparison with a predicate.
#[derive(Debug, Clone, Copy)]
enum Join {
    And,
    Or,
    Xor,
}

/// Takes the modifiers before the types: operator, join, `.ftz`.
fn modifiers(l: &mut Lowering) -> Result<(Comparison, Option<Join>, u32), PtxError> {
    let operator = l
        .take_map(Comparison::from_modifier)
        .ok_or_else(|| l.unknown())?;
    let join = l.one_of(&[("and", Join::And), ("or", Join::Or), ("xor", Join::Xor)]);
    Ok((operator, join, u32::from(l.take("ftz"))))
}

/// Emits the test of operands `a` and `b` into `result`.
fn test(
    l: &mut Lowering,
    ty: Type,
    operator: Comparison,
    modes: u32,
    result: Slot,
    (a, b): (Slot, Slot),
) -> Lowered {
    if modes & FTZ != 0 && !matches!(ty, Type::F32 | Type::F16 | Type::F16x2) {
        return Err(l.unknown());
    }
    let run = comparison(ty, operator).ok_or_else(|| l.unknown())?;
    let modes = l.mode(modes);
    l.alu(run, &[result], &[a, b, modes]);
    Ok(())
}

/// Emits `result = (test or its negation) joined with c`.
fn joined(
    l: &mut Lowering,
    join: Option<Join>,
    negated: bool,
    result: Slot,
    value: Slot,
    c: Option<Slot>,
) {
    macro_rules! run {
        (|$t:ident, $c:ident| $body:expr) => {
            (|frame, args, mask| {
                let ($t, $c) = (frame.pred(args[1]), frame.pred(args[2]));
                frame.write_pred(args[0], $body, mask);
            }) as Alu
        };
    }
    let run = match (join, negated) {
        (None, false) => run!(|t, _c| t),
        (None, true) => run!(|t, _c| !t),
        (Some(Join::And), false) => run!(|t, c| t & c),
        (Some(Join::And), true) => run!(|t, c| !t & c),
        (Some(Join::Or), false) => run!(|t, c| t | c),
        (Some(Join::Or), true) => run!(|t, c| !t | c),
        (Some(Join::Xor), false) => run!(|t, c| t ^ c),
        (Some(Join::Xor), true) => run!(|t, c| !t ^ c),
    };
    l.alu_part(run, &[result], &[value, c.unwrap_or(value)]);
}

pub(crate) fn setp(l: &mut Lowering) -> Lowered {
    let (operator, join, modes) = modifiers(l)?;
    let ty = l.only_type()?;
    let n = if join.is_some() { 4 } else { 3 };
    l.count(n..=n)?;
    let c = if join.is_some() {
        Some(l.source(3, Type::Pred)?)
    } else {
        None
    };
    let pair = match l.operand(0)? {
        Operand::Pair(p, q) => Some((l.dest_of(0, p, Type::Pred)?, l.dest_of(0, q, Type::Pred)?)),
        _ => None,
    };
    let element = match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        _ => {
            let sources = (l.source(1, ty)?, l.source(2, ty)?);
            if pair.is_none() && join.is_none() {
                let p = l.dest(0, Type::Pred)?;
                return test(l, ty, operator, modes, p, sources);
            }
            let value = l.scratch(Class::Pred);
            test(l, ty, operator, modes, value, sources)?;
            let (p, q) = match pair {
                Some((p, q)) => (p, Some(q)),
                None => (l.dest(0, Type::Pred)?, None),
            };
            // Compute the second result first: `c` may be the register of the first result.
            if let Some(q) = q {
                let kept = l.scratch(Class::Pred);
                joined(l, join, true, kept, value, c);
                joined(l, join, false, p, value, c);
                joined(l, None, false, q, kept, None);
            } else {
                joined(l, join, false, p, value, c);
            }
            return Ok(());
        }
    };
    // In a pair, each half has its own result.
    let Some((p, q)) = pair else {
        return Err(l.bad_operand(0, "two results `p|q` expected, one for each half"));
    };
    let values = test_halves(l, ty, element, operator, modes)?;
    let kept = l.scratch(Class::Pred);
    joined(l, join, false, kept, values[1], c);
    joined(l, join, false, p, values[0], c);
    joined(l, None, false, q, kept, None);
    Ok(())
}

/// Emits the tests of both halves of operands 1 and 2. Returns the result of the low half, then of
/// the high half.
fn test_halves(
    l: &mut Lowering,
    ty: Type,
    element: Type,
    operator: Comparison,
    modes: u32,
) -> Result<[Slot; 2], PtxError> {
    let (a, b) = (l.source(1, ty)?, l.source(2, ty)?);
    let mut values = [Slot::NONE; 2];
    for (high, value) in values.iter_mut().enumerate() {
        let halves = [l.scratch(Class::R32), l.scratch(Class::R32)];
        for (half, pair) in halves.into_iter().zip([a, b]) {
            let part = if high == 1 {
                alu!(|a: u32| -> u32 { a >> 16 })
            } else {
                alu!(|a: u32| -> u32 { a & 0xffff })
            };
            l.helper(part, half, &[pair]);
        }
        *value = l.scratch(Class::Pred);
        test(l, element, operator, modes, *value, (halves[0], halves[1]))?;
        if high == 1
            && let Some(draft) = l.body.drafts.last_mut()
        {
            draft.hidden = true;
        }
    }
    Ok(values)
}

/// Lowers `set` of pairs, which writes all ones or 1.0 to each half.
fn set_halves(
    l: &mut Lowering,
    (to, from): (Type, Type),
    operator: Comparison,
    join: Option<Join>,
    modes: u32,
) -> Lowered {
    let (element, one) = match (from, to) {
        (Type::F16x2, Type::F16x2) => (Type::F16, 0x3c00),
        (Type::Bf16x2, Type::Bf16x2) => (Type::Bf16, 0x3f80),
        (Type::F16x2, Type::U32 | Type::S32) => (Type::F16, 0xffff),
        (Type::Bf16x2, Type::U32 | Type::S32) => (Type::Bf16, 0xffff),
        _ => return Err(l.unknown()),
    };
    let c = match join {
        Some(_) => Some(l.source(3, Type::Pred)?),
        None => None,
    };
    let values = test_halves(l, from, element, operator, modes)?;
    let zero = l.mode(0);
    let mut halves = [Slot::NONE; 2];
    for (i, half) in halves.iter_mut().enumerate() {
        let holds = l.scratch(Class::Pred);
        joined(l, join, false, holds, values[i], c);
        let one = l.mode(one << (16 * i));
        *half = l.scratch(Class::R32);
        l.alu_part(select::<u32>(), &[*half], &[one, zero, holds]);
    }
    let d = l.dest(0, to)?;
    l.alu_part(alu!(|a: u32, b: u32| -> u32 { a | b }), &[d], &halves);
    Ok(())
}

pub(crate) fn set(l: &mut Lowering) -> Lowered {
    let (operator, join, modes) = modifiers(l)?;
    let to = l.ty()?;
    let from = l.ty()?;
    l.end()?;
    let n = if join.is_some() { 4 } else { 3 };
    l.count(n..=n)?;
    if matches!(from, Type::F16x2 | Type::Bf16x2) {
        return set_halves(l, (to, from), operator, join, modes);
    }
    let one: u32 = match to {
        Type::U32 | Type::S32 => u32::MAX,
        Type::U16 | Type::S16 if matches!(from, Type::F16 | Type::Bf16) => 0xffff,
        Type::F32 => 1.0f32.to_bits(),
        Type::F16 if from == Type::F16 => 0x3c00,
        Type::Bf16 if from == Type::Bf16 => 0x3f80,
        _ => return Err(l.unknown()),
    };
    let c = if join.is_some() {
        Some(l.source(3, Type::Pred)?)
    } else {
        None
    };
    let sources = (l.source(1, from)?, l.source(2, from)?);
    let value = l.scratch(Class::Pred);
    test(l, from, operator, modes, value, sources)?;
    let holds = l.scratch(Class::Pred);
    joined(l, join, false, holds, value, c);
    let (one, zero) = (l.mode(one), l.mode(0));
    let d = l.dest(0, to)?;
    l.alu_part(select::<u32>(), &[d], &[one, zero, holds]);
    Ok(())
}

/// Returns the operation `d = p ? a : b`.
pub(crate) fn select<T: Lane>() -> Alu {
    |frame, args, mask| {
        let chosen = frame.pred(args[3]);
        let (a, b) = (*T::row(frame, args[1]), T::row(frame, args[2]));
        let mut out = *b;
        crate::frame::blend(&mut out, &a, chosen);
        frame.write::<T>(args[0], &out, mask);
    }
}

pub(crate) fn selp(l: &mut Lowering) -> Lowered {
    let ty = l.only_type()?;
    let run = match ty.class() {
        Some(Class::R32) => select::<u32>(),
        Some(Class::R64) => select::<u64>(),
        _ => return Err(l.unknown()),
    };
    if ty.bits() < 16 || !(ty.is_bits() || ty.is_integer() || matches!(ty, Type::F32 | Type::F64)) {
        return Err(l.unknown());
    }
    l.simple(run, ty, &[ty, ty, Type::Pred])
}

pub(crate) fn slct(l: &mut Lowering) -> Lowered {
    let ftz = l.take("ftz");
    let ty = l.ty()?;
    let by = l.ty()?;
    l.end()?;
    if ty.bits() < 16 || ftz && by != Type::F32 {
        return Err(l.unknown());
    }
    // A NaN selects b. -0.0 is not less than 0, nor is a subnormal if `.ftz` is set.
    let run = match (ty.class(), by) {
        (Some(Class::R32), Type::S32) => {
            alu!(|a: u32, b: u32, c: i32| -> u32 { if c >= 0 { a } else { b } })
        }
        (Some(Class::R64), Type::S32) => {
            alu!(|a: u64, b: u64, c: i32| -> u64 { if c >= 0 { a } else { b } })
        }
        (Some(Class::R32), Type::F32) if ftz => {
            alu!(|a: u32, b: u32, c: u32| -> u32 {
                if at_least_zero(crate::numerics::float32::flush(c)) {
                    a
                } else {
                    b
                }
            })
        }
        (Some(Class::R64), Type::F32) if ftz => {
            alu!(|a: u64, b: u64, c: u32| -> u64 {
                if at_least_zero(crate::numerics::float32::flush(c)) {
                    a
                } else {
                    b
                }
            })
        }
        (Some(Class::R32), Type::F32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { if at_least_zero(c) { a } else { b } })
        }
        (Some(Class::R64), Type::F32) => {
            alu!(|a: u64, b: u64, c: u32| -> u64 { if at_least_zero(c) { a } else { b } })
        }
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty, ty, by])
}

#[inline(always)]
fn at_least_zero(bits: u32) -> bool {
    f32::from_bits(bits) >= 0.0
}
