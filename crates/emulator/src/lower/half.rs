//! Floating-point arithmetic in 16 bits, on single values and on pairs.
//! Source: PTX ISA, "Half Precision Floating Point Instructions".

use super::instruction::{Lowered, Lowering};
use crate::frame::{Alu, alu};
use crate::numerics::approx::Function;
use crate::numerics::half_math::{self, HalfKind, HalfMode, both, pairs, pairs3};
use crate::numerics::minmax::{self, MinMax};
use crate::numerics::rounding::Rounding;
use crate::types::Type;

const FTZ: u32 = 1;
const SAT: u32 = 2;
const RELU: u32 = 4;
const NAN: u32 = 8;
const XORSIGN: u32 = 16;

#[inline(always)]
fn mode(bits: u32) -> HalfMode {
    HalfMode {
        ftz: bits & FTZ != 0,
        sat: bits & SAT != 0,
        relu: bits & RELU != 0,
    }
}

/// A unary operation on a half or a pair of halves, whose format the type names.
macro_rules! unary {
    ($l:expr, $ty:expr, |$kind:ident, $a:ident, $m:ident| $body:expr) => {{
        const F: HalfKind = HalfKind::F16;
        const B: HalfKind = HalfKind::Bf16;
        #[inline(always)]
        fn f($kind: HalfKind, $a: u16, $m: u32) -> u16 {
            $body
        }
        match $ty {
            Type::F16 => alu!(|a: u16, m: u32| -> u16 { f(F, a, m) }),
            Type::Bf16 => alu!(|a: u16, m: u32| -> u16 { f(B, a, m) }),
            Type::F16x2 => alu!(|a: u32, m: u32| -> u32 { both(a, |a| f(F, a, m)) }),
            Type::Bf16x2 => alu!(|a: u32, m: u32| -> u32 { both(a, |a| f(B, a, m)) }),
            _ => return Err($l.unknown()),
        }
    }};
}

/// A binary operation on halves or pairs of halves.
macro_rules! binary {
    ($l:expr, $ty:expr, |$kind:ident, $a:ident, $b:ident, $m:ident| $body:expr) => {{
        const F: HalfKind = HalfKind::F16;
        const B: HalfKind = HalfKind::Bf16;
        #[inline(always)]
        fn f($kind: HalfKind, $a: u16, $b: u16, $m: u32) -> u16 {
            $body
        }
        match $ty {
            Type::F16 => alu!(|a: u16, b: u16, m: u32| -> u16 { f(F, a, b, m) }),
            Type::Bf16 => alu!(|a: u16, b: u16, m: u32| -> u16 { f(B, a, b, m) }),
            Type::F16x2 => {
                alu!(|a: u32, b: u32, m: u32| -> u32 { pairs(a, b, |a, b| f(F, a, b, m)) })
            }
            Type::Bf16x2 => {
                alu!(|a: u32, b: u32, m: u32| -> u32 { pairs(a, b, |a, b| f(B, a, b, m)) })
            }
            _ => return Err($l.unknown()),
        }
    }};
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    match l.inst.opcode {
        "add" | "sub" | "mul" => {
            let (modes, ty) = modifiers(l, false)?;
            let run = match l.inst.opcode {
                "add" => binary!(l, ty, |kind, a, b, m| half_math::add(kind, a, b, mode(m))),
                "sub" => binary!(l, ty, |kind, a, b, m| half_math::sub(kind, a, b, mode(m))),
                _ => binary!(l, ty, |kind, a, b, m| half_math::mul(kind, a, b, mode(m))),
            };
            finish(l, run, ty, 2, modes)
        }
        "fma" => {
            let (modes, ty) = modifiers(l, true)?;
            const F: HalfKind = HalfKind::F16;
            const B: HalfKind = HalfKind::Bf16;
            let run = match ty {
                Type::F16 => {
                    alu!(|a: u16, b: u16, c: u16, m: u32| -> u16 {
                        half_math::fma(F, a, b, c, mode(m))
                    })
                }
                Type::Bf16 => {
                    alu!(|a: u16, b: u16, c: u16, m: u32| -> u16 {
                        half_math::fma(B, a, b, c, mode(m))
                    })
                }
                Type::F16x2 => alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
                    pairs3(a, b, c, |a, b, c| half_math::fma(F, a, b, c, mode(m)))
                }),
                Type::Bf16x2 => alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
                    pairs3(a, b, c, |a, b, c| half_math::fma(B, a, b, c, mode(m)))
                }),
                _ => return Err(l.unknown()),
            };
            finish(l, run, ty, 3, modes)
        }
        "neg" | "abs" => {
            let ftz = l.take("ftz");
            let ty = l.only_type()?;
            if ftz && !is_f16(ty) {
                return Err(l.unknown());
            }
            let run = if l.inst.opcode == "neg" {
                unary!(l, ty, |kind, a, m| half_math::neg(kind, a, m & FTZ != 0))
            } else {
                unary!(l, ty, |kind, a, m| half_math::abs(kind, a, m & FTZ != 0))
            };
            finish(l, run, ty, 1, u32::from(ftz))
        }
        "ex2" | "tanh" => {
            if !l.take("approx") {
                return Err(l.unknown());
            }
            let ftz = l.take("ftz");
            let ty = l.only_type()?;
            let run = if l.inst.opcode == "ex2" {
                unary!(l, ty, |kind, a, m| Function::Ex2.half(
                    kind,
                    a,
                    m & FTZ != 0
                ))
            } else {
                unary!(l, ty, |kind, a, m| Function::Tanh.half(
                    kind,
                    a,
                    m & FTZ != 0
                ))
            };
            // In PTX `ex2.approx.ftz.bf16` has `.ftz`; `ex2.approx.f16` and `tanh` do not have it.
            if ftz != (l.inst.opcode == "ex2" && !is_f16(ty)) {
                return Err(l.unknown());
            }
            finish(l, run, ty, 1, u32::from(ftz))
        }
        "min" | "max" => minimum(l),
        _ => Err(l.unknown()),
    }
}

fn is_f16(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::F16x2)
}

fn modifiers(l: &mut Lowering, fused: bool) -> Result<(u32, Type), crate::error::PtxError> {
    let rounding = l.rounding();
    if rounding.is_some_and(|r| r != Rounding::NearestEven) || fused && rounding.is_none() {
        return Err(l.unknown());
    }
    let ftz = l.take("ftz");
    let sat = l.take("sat");
    let relu = fused && !sat && l.take("relu");
    let ty = l.only_type()?;
    if (ftz || sat) && !is_f16(ty) {
        return Err(l.unknown());
    }
    Ok((
        if ftz { FTZ } else { 0 } | if sat { SAT } else { 0 } | if relu { RELU } else { 0 },
        ty,
    ))
}

/// Emits the operation on operands 1 to `n` and a constant that holds the modes.
fn finish(l: &mut Lowering, run: Alu, ty: Type, n: usize, modes: u32) -> Lowered {
    l.count(n + 1..=n + 1)?;
    let mut sources = Vec::new();
    for i in 0..n {
        sources.push(l.source(i + 1, ty)?);
    }
    sources.push(l.mode(modes));
    let d = l.dest(0, ty)?;
    l.alu(run, &[d], &sources);
    Ok(())
}

fn minimum(l: &mut Lowering) -> Lowered {
    #[inline(always)]
    fn choose(kind: HalfKind, a: u16, b: u16, m: u32, max: bool) -> u16 {
        let mode = MinMax {
            max,
            ftz: m & FTZ != 0,
            nan: m & NAN != 0,
            abs: m & XORSIGN != 0,
            xorsign: m & XORSIGN != 0,
        };
        match kind {
            HalfKind::F16 => minmax::f16(a, b, mode),
            HalfKind::Bf16 => minmax::bf16(a, b, mode),
        }
    }
    let max = l.inst.opcode == "max";
    let ftz = l.take("ftz");
    let nan = l.take("NaN");
    let xorsign = l.take("xorsign");
    if xorsign && !l.take("abs") {
        return Err(l.unknown());
    }
    let ty = l.only_type()?;
    if ftz && !is_f16(ty) {
        return Err(l.unknown());
    }
    let modes =
        if ftz { FTZ } else { 0 } | if nan { NAN } else { 0 } | if xorsign { XORSIGN } else { 0 };
    let run = if max {
        binary!(l, ty, |kind, a, b, m| choose(kind, a, b, m, true))
    } else {
        binary!(l, ty, |kind, a, b, m| choose(kind, a, b, m, false))
    };
    finish(l, run, ty, 2, modes)
}
