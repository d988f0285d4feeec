//! Integer arithmetic.
//! Source: PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic
//! Instructions".

use super::instruction::{Lowered, Lowering};
use super::operand::{clear_predicate, set_predicate};
use super::slot::Slot;
use crate::frame::{Alu, Lane, WARP, alu};
use crate::numerics::integer::{self, bytes};
use crate::types::{Class, Type};

/// Selects the operation for the integer type: `by_type!(ty, T => alu!(...))`. The result is `None`
/// for other types.
macro_rules! by_type {
    ($ty:expr, $T:ident => $run:expr) => {
        match $ty {
            Type::U16 => {
                type $T = u16;
                Some($run)
            }
            Type::S16 => {
                type $T = i16;
                Some($run)
            }
            Type::U32 => {
                type $T = u32;
                Some($run)
            }
            Type::S32 => {
                type $T = i32;
                Some($run)
            }
            Type::U64 => {
                type $T = u64;
                Some($run)
            }
            Type::S64 => {
                type $T = i64;
                Some($run)
            }
            _ => None,
        }
    };
}

/// Applies the operation to both 16-bit halves of 32 bits, as signed numbers.
macro_rules! signed_halves {
    (|$a:ident, $b:ident| $body:expr) => {
        Some(alu!(|x: u32, y: u32| -> u32 {
            let f = |$a: i16, $b: i16| -> i16 { $body };
            u32::from(f(x as i16, y as i16) as u16)
                | u32::from(f((x >> 16) as i16, (y >> 16) as i16) as u16) << 16
        }))
    };
}

/// Applies the operation to both 16-bit halves of 32 bits.
macro_rules! halves {
    ($ty:expr, |$a:ident, $b:ident| $body:expr) => {
        match $ty {
            Type::U16x2 => Some(alu!(|x: u32, y: u32| -> u32 {
                let f = |$a: u16, $b: u16| -> u16 { $body };
                u32::from(f(x as u16, y as u16))
                    | u32::from(f((x >> 16) as u16, (y >> 16) as u16)) << 16
            })),
            Type::S16x2 => signed_halves!(|$a, $b| $body),
            _ => None,
        }
    };
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    match l.inst.opcode {
        "add" | "sub" | "addc" | "subc" => add_sub(l),
        "mul" => mul(l),
        "mad" | "madc" => mad(l),
        "mul24" | "mad24" => mul24(l),
        "sad" => sad(l),
        "dp4a" | "dp2a" => dot(l),
        _ => plain(l),
    }
}

fn plain(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let relu = matches!(opcode, "min" | "max") && l.take("relu");
    let ty = l.only_type()?;
    let run =
        match opcode {
            "div" => by_type!(ty, T => alu!(|a: T, b: T| -> T { Divide::divide(a, b) })),
            "rem" => by_type!(ty, T => alu!(|a: T, b: T| -> T { Divide::remainder(a, b) })),
            "min" if relu => match ty {
                Type::S32 => Some(alu!(|a: i32, b: i32| -> i32 { a.min(b).max(0) })),
                Type::S16x2 => signed_halves!(|a, b| a.min(b).max(0)),
                _ => None,
            },
            "max" if relu => match ty {
                Type::S32 => Some(alu!(|a: i32, b: i32| -> i32 { a.max(b).max(0) })),
                Type::S16x2 => signed_halves!(|a, b| a.max(b).max(0)),
                _ => None,
            },
            "min" => by_type!(ty, T => alu!(|a: T, b: T| -> T { a.min(b) }))
                .or(halves!(ty, |a, b| a.min(b))),
            "max" => by_type!(ty, T => alu!(|a: T, b: T| -> T { a.max(b) }))
                .or(halves!(ty, |a, b| a.max(b))),
            "neg" => match ty {
                Type::S16 => Some(alu!(|a: i16| -> i16 { a.wrapping_neg() })),
                Type::S32 => Some(alu!(|a: i32| -> i32 { a.wrapping_neg() })),
                Type::S64 => Some(alu!(|a: i64| -> i64 { a.wrapping_neg() })),
                _ => None,
            },
            "abs" => match ty {
                Type::S16 => Some(alu!(|a: i16| -> i16 { a.wrapping_abs() })),
                Type::S32 => Some(alu!(|a: i32| -> i32 { a.wrapping_abs() })),
                Type::S64 => Some(alu!(|a: i64| -> i64 { a.wrapping_abs() })),
                _ => None,
            },
            _ => None,
        };
    let run = run.ok_or_else(|| l.unknown())?;
    let sources = if matches!(opcode, "neg" | "abs") {
        1
    } else {
        2
    };
    l.simple(run, ty, &[ty; 2][..sources])
}

/// Division with a result for every operand.
trait Divide: Copy {
    fn divide(self, by: Self) -> Self;
    fn remainder(self, by: Self) -> Self;
}

macro_rules! divide {
    ($($ty:ty),*) => {$(
        impl Divide for $ty {
            /// Divides. PTX leaves the result for a divisor of 0 undefined; devices return all
            /// ones.
            #[inline(always)]
            fn divide(self, by: Self) -> Self {
                if by == 0 { !0 } else { self.wrapping_div(by) }
            }
            /// Computes the remainder. For a divisor of 0 an H200 returns all ones for every width.
            #[inline(always)]
            fn remainder(self, by: Self) -> Self {
                if by == 0 { !0 } else { self.wrapping_rem(by) }
            }
        }
    )*};
}
divide!(u16, i16, u32, i32, u64, i64);

fn add_sub(l: &mut Lowering) -> Lowered {
    let (add, carry_in) = (
        l.inst.opcode.starts_with("add"),
        l.inst.opcode.ends_with('c'),
    );
    let sat = l.take("sat");
    let carry_out = l.take("cc");
    let ty = l.only_type()?;
    if carry_in || carry_out {
        let run = match (ty, add) {
            (Type::U32 | Type::S32, true) => chain::<u32, false>(),
            (Type::U32 | Type::S32, false) => chain::<u32, true>(),
            (Type::U64 | Type::S64, true) => chain::<u64, false>(),
            (Type::U64 | Type::S64, false) => chain::<u64, true>(),
            _ => return Err(l.unknown()),
        };
        l.count(3..=3)?;
        let (a, b) = (l.source(1, ty)?, l.source(2, ty)?);
        return chained(l, run, ty, (a, b), !add, (carry_in, carry_out));
    }
    let run = match (ty, sat, add) {
        (Type::S32, true, true) => Some(alu!(|a: i32, b: i32| -> i32 { a.saturating_add(b) })),
        (Type::S32, true, false) => Some(alu!(|a: i32, b: i32| -> i32 { a.saturating_sub(b) })),
        (_, true, _) => None,
        (_, false, true) => by_type!(ty, T => alu!(|a: T, b: T| -> T { a.wrapping_add(b) }))
            .or(halves!(ty, |a, b| a.wrapping_add(b))),
        (_, false, false) => by_type!(ty, T => alu!(|a: T, b: T| -> T { a.wrapping_sub(b) })),
    };
    let run = run.ok_or_else(|| l.unknown())?;
    l.simple(run, ty, &[ty, ty])
}

/// Emits `d, carry = a + b + carry` with the carry's row as an operand; `first` is the carry of an
/// instruction without carry-in.
///
/// As on devices, a subtraction is `a + !b + carry`: its carry-out is 1 if nothing is borrowed, and
/// a chain of subtractions begins with carry 1.
fn chained(
    l: &mut Lowering,
    run: Alu,
    ty: Type,
    (a, b): (Slot, Slot),
    first: bool,
    (carry_in, carry_out): (bool, bool),
) -> Lowered {
    let d = l.dest(0, ty)?;
    let flag = l.body.carry();
    let out = if carry_out {
        flag
    } else {
        l.scratch(Class::Pred)
    };
    let carry = if carry_in {
        flag
    } else {
        let carry = l.scratch(Class::Pred);
        let set = if first {
            set_predicate
        } else {
            clear_predicate
        };
        l.helper(set, carry, &[]);
        carry
    };
    l.alu(run, &[d, out], &[a, b, carry]);
    Ok(())
}

trait Chain: Lane {
    fn add(self, other: Self, carry: bool) -> (Self, bool);
    fn inverted(self) -> Self;
}

macro_rules! chain_type {
    ($($ty:ty),*) => {$(
        impl Chain for $ty {
            #[inline(always)]
            fn add(self, other: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = self.overflowing_add(other);
                let (sum, second) = sum.overflowing_add(Self::from(carry));
                (sum, first | second)
            }
            #[inline(always)]
            fn inverted(self) -> Self {
                !self
            }
        }
    )*};
}
chain_type!(u32, u64);

fn chain<T: Chain, const SUB: bool>() -> Alu {
    |frame, args, mask| {
        let carry = frame.pred(args[4]);
        let (a, b) = (T::row(frame, args[2]), T::row(frame, args[3]));
        let mut out = [T::Raw::default(); WARP];
        let mut carries = 0;
        for lane in 0..WARP {
            let b = T::from_raw(b[lane]);
            let b = if SUB { b.inverted() } else { b };
            let (value, carry) = T::from_raw(a[lane]).add(b, carry >> lane & 1 == 1);
            out[lane] = value.to_raw();
            carries |= u32::from(carry) << lane;
        }
        frame.write::<T>(args[0], &out, mask);
        frame.write_pred(args[1], carries, mask);
    }
}

fn mul(l: &mut Lowering) -> Lowered {
    let part = l.need_lead(
        &[("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)],
        "`.lo`, `.hi` or `.wide`",
    )?;
    let ty = l.only_type()?;
    let run = product(part, ty).ok_or_else(|| l.unknown())?;
    l.simple(run, result_type(part, ty), &[ty, ty])
}

/// The part of a product that an instruction returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Low,
    High,
    Wide,
}

fn result_type(part: Part, ty: Type) -> Type {
    match (part, ty) {
        (Part::Wide, Type::U16) => Type::U32,
        (Part::Wide, Type::S16) => Type::S32,
        (Part::Wide, Type::U32) => Type::U64,
        (Part::Wide, Type::S32) => Type::S64,
        _ => ty,
    }
}

fn product(part: Part, ty: Type) -> Option<Alu> {
    match part {
        Part::Low => by_type!(ty, T => alu!(|a: T, b: T| -> T { a.wrapping_mul(b) })),
        Part::High => Some(match ty {
            Type::U16 => {
                alu!(|a: u16, b: u16| -> u16 { ((u32::from(a) * u32::from(b)) >> 16) as u16 })
            }
            Type::S16 => {
                alu!(|a: i16, b: i16| -> i16 { ((i32::from(a) * i32::from(b)) >> 16) as i16 })
            }
            Type::U32 => {
                alu!(|a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 })
            }
            Type::S32 => {
                alu!(|a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 })
            }
            Type::U64 => {
                alu!(|a: u64, b: u64| -> u64 { ((u128::from(a) * u128::from(b)) >> 64) as u64 })
            }
            Type::S64 => {
                alu!(|a: i64, b: i64| -> i64 { ((i128::from(a) * i128::from(b)) >> 64) as i64 })
            }
            _ => return None,
        }),
        Part::Wide => Some(match ty {
            Type::U16 => alu!(|a: u16, b: u16| -> u32 { u32::from(a) * u32::from(b) }),
            Type::S16 => alu!(|a: i16, b: i16| -> i32 { i32::from(a) * i32::from(b) }),
            Type::U32 => alu!(|a: u32, b: u32| -> u64 { u64::from(a) * u64::from(b) }),
            Type::S32 => alu!(|a: i32, b: i32| -> i64 { i64::from(a) * i64::from(b) }),
            _ => return None,
        }),
    }
}

fn mad(l: &mut Lowering) -> Lowered {
    let carry_in = l.inst.opcode == "madc";
    let part = l.need_lead(
        &[("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)],
        "`.lo`, `.hi` or `.wide`",
    )?;
    let sat = l.take("sat");
    let carry_out = l.take("cc");
    let ty = l.only_type()?;
    let wide = result_type(part, ty);
    if sat {
        if (part, ty, carry_in, carry_out) != (Part::High, Type::S32, false, false) {
            return Err(l.unknown());
        }
        let run = alu!(|a: i32, b: i32, c: i32| -> i32 {
            (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
        });
        return l.simple(run, ty, &[ty; 3]);
    }
    if carry_in || carry_out {
        let chain = match ty {
            Type::U32 | Type::S32 => chain::<u32, false>(),
            Type::U64 | Type::S64 => chain::<u64, false>(),
            _ => return Err(l.unknown()),
        };
        if part == Part::Wide {
            return Err(l.unknown());
        }
        l.count(4..=4)?;
        let multiply = product(part, ty).ok_or_else(|| l.unknown())?;
        let (a, b, c) = (l.source(1, ty)?, l.source(2, ty)?, l.source(3, ty)?);
        let product = l.scratch(if ty.bits() == 64 {
            Class::R64
        } else {
            Class::R32
        });
        l.helper(multiply, product, &[a, b]);
        return chained(l, chain, ty, (product, c), false, (carry_in, carry_out));
    }
    let run = match part {
        Part::Low => {
            by_type!(ty, T => alu!(|a: T, b: T, c: T| -> T { a.wrapping_mul(b).wrapping_add(c) }))
        }
        Part::High => match ty {
            Type::U16 => Some(alu!(|a: u16, b: u16, c: u16| -> u16 {
                (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c)
            })),
            Type::S16 => Some(alu!(|a: i16, b: i16, c: i16| -> i16 {
                (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c)
            })),
            Type::U32 => Some(alu!(|a: u32, b: u32, c: u32| -> u32 {
                (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
            })),
            Type::S32 => Some(alu!(|a: i32, b: i32, c: i32| -> i32 {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
            })),
            Type::U64 => Some(alu!(|a: u64, b: u64, c: u64| -> u64 {
                (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)
            })),
            Type::S64 => Some(alu!(|a: i64, b: i64, c: i64| -> i64 {
                (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c)
            })),
            _ => None,
        },
        Part::Wide => match ty {
            Type::U16 => Some(alu!(|a: u16, b: u16, c: u32| -> u32 {
                (u32::from(a) * u32::from(b)).wrapping_add(c)
            })),
            Type::S16 => Some(alu!(|a: i16, b: i16, c: i32| -> i32 {
                (i32::from(a) * i32::from(b)).wrapping_add(c)
            })),
            Type::U32 => Some(alu!(|a: u32, b: u32, c: u64| -> u64 {
                (u64::from(a) * u64::from(b)).wrapping_add(c)
            })),
            Type::S32 => Some(alu!(|a: i32, b: i32, c: i64| -> i64 {
                (i64::from(a) * i64::from(b)).wrapping_add(c)
            })),
            _ => None,
        },
    };
    let run = run.ok_or_else(|| l.unknown())?;
    l.simple(run, wide, &[ty, ty, wide])
}

fn mul24(l: &mut Lowering) -> Lowered {
    let mad = l.inst.opcode == "mad24";
    let high = l.need_lead(&[("lo", false), ("hi", true)], "`.lo` or `.hi`")?;
    let sat = l.take("sat");
    let ty = l.only_type()?;
    let run = match (mad, high, sat, ty) {
        (false, false, false, Type::U32) => {
            alu!(|a: u32, b: u32| -> u32 { integer::mul24(a, b, false, false) })
        }
        (false, false, false, Type::S32) => {
            alu!(|a: u32, b: u32| -> u32 { integer::mul24(a, b, true, false) })
        }
        (false, true, false, Type::U32) => {
            alu!(|a: u32, b: u32| -> u32 { integer::mul24(a, b, false, true) })
        }
        (false, true, false, Type::S32) => {
            alu!(|a: u32, b: u32| -> u32 { integer::mul24(a, b, true, true) })
        }
        (true, false, false, Type::U32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { integer::mad24(a, b, c, false, false) })
        }
        (true, false, false, Type::S32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { integer::mad24(a, b, c, true, false) })
        }
        (true, true, false, Type::U32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { integer::mad24(a, b, c, false, true) })
        }
        (true, true, false, Type::S32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { integer::mad24(a, b, c, true, true) })
        }
        (true, true, true, Type::S32) => {
            alu!(|a: u32, b: u32, c: u32| -> u32 { integer::mad24_hi_sat(a, b, c) })
        }
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty; 3][..if mad { 3 } else { 2 }])
}

fn sad(l: &mut Lowering) -> Lowered {
    let ty = l.only_type()?;
    let run =
        by_type!(ty, T => alu!(|a: T, b: T, c: T| -> T { c.wrapping_add(a.abs_diff(b) as T) }));
    let run = run.ok_or_else(|| l.unknown())?;
    l.simple(run, ty, &[ty; 3])
}

fn dot(l: &mut Lowering) -> Lowered {
    let two = l.inst.opcode == "dp2a";
    let high = two && l.need_lead(&[("lo", false), ("hi", true)], "`.lo` or `.hi`")?;
    let (a, b) = (l.ty()?, l.ty()?);
    l.end()?;
    let signed = |ty| match ty {
        Type::U32 => Some(0),
        Type::S32 => Some(1),
        _ => None,
    };
    let (Some(a_signed), Some(b_signed)) = (signed(a), signed(b)) else {
        return Err(l.unknown());
    };
    l.count(4..=4)?;
    let modes = l.mode(a_signed | b_signed << 1 | u32::from(high) << 2);
    let run = if two {
        alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
            bytes::dp2a(a, b, c, m & 1 != 0, m & 2 != 0, m & 4 != 0)
        })
    } else {
        alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
            bytes::dp4a(a, b, c, m & 1 != 0, m & 2 != 0)
        })
    };
    let (a, b, c) = (l.source(1, a)?, l.source(2, b)?, l.source(3, Type::B32)?);
    let d = l.dest(0, Type::B32)?;
    l.alu(run, &[d], &[a, b, c, modes]);
    Ok(())
}
