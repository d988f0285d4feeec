//! Floating-point arithmetic in 32 and 64 bits.
//!
//! The common form of each instruction (nearest, no `.ftz`, no `.sat`) has its own loop, which the
//! compiler vectorises; every other form takes its modes as a constant operand. Source: PTX ISA,
//! "Floating Point Instructions".

use super::instruction::{Lowered, Lowering};
use crate::frame::{Alu, alu};
use crate::numerics::approx::{self, Function};
use crate::numerics::compare::Property;
use crate::numerics::float32::{self, Mode};
use crate::numerics::float64;
use crate::numerics::minmax::{self, MinMax};
use crate::numerics::rounding::Rounding;
use crate::reader::syntax::Operand;
use crate::types::Type;

/// Encodes the rounding mode as bits of a constant operand.
pub(crate) fn encode_rounding(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::NearestEven => 0,
        Rounding::Zero => 1,
        Rounding::Down => 2,
        Rounding::Up => 3,
        Rounding::NearestAway => 4,
    }
}

#[inline(always)]
pub(crate) fn decode_rounding(bits: u32) -> Rounding {
    match bits & 7 {
        0 => Rounding::NearestEven,
        1 => Rounding::Zero,
        2 => Rounding::Down,
        3 => Rounding::Up,
        _ => Rounding::NearestAway,
    }
}

const FTZ: u32 = 8;
const SAT: u32 = 16;
const NAN: u32 = 32;
const ABS: u32 = 64;
const XORSIGN: u32 = 128;

#[inline(always)]
fn mode(bits: u32) -> Mode {
    Mode {
        rounding: decode_rounding(bits),
        ftz: bits & FTZ != 0,
        sat: bits & SAT != 0,
    }
}

#[inline(always)]
fn min_max(bits: u32, max: bool) -> MinMax {
    MinMax {
        max,
        ftz: bits & FTZ != 0,
        nan: bits & NAN != 0,
        abs: bits & ABS != 0,
        xorsign: bits & XORSIGN != 0,
    }
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    match opcode {
        "add" | "sub" | "mul" | "fma" | "mad" => sums(l),
        "div" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" => functions(l),
        "min" | "max" => minimum(l),
        "copysign" => {
            let ty = l.only_type()?;
            let run = match ty {
                // `copysign d, a, b` has the sign of a and the magnitude of b.
                Type::F32 => alu!(|a: u32, b: u32| -> u32 { a & 1 << 31 | b & !(1 << 31) }),
                Type::F64 => alu!(|a: u64, b: u64| -> u64 { a & 1 << 63 | b & !(1 << 63) }),
                _ => return Err(l.unknown()),
            };
            l.simple(run, ty, &[ty, ty])
        }
        "neg" | "abs" => {
            let ftz = l.take("ftz");
            let ty = l.only_type()?;
            let run = match (opcode, ty, ftz) {
                ("neg", Type::F32, false) => alu!(|a: u32| -> u32 { float32::neg(a, false) }),
                ("neg", Type::F32, true) => alu!(|a: u32| -> u32 { float32::neg(a, true) }),
                ("abs", Type::F32, false) => alu!(|a: u32| -> u32 { float32::abs(a, false) }),
                ("abs", Type::F32, true) => alu!(|a: u32| -> u32 { float32::abs(a, true) }),
                ("neg", Type::F64, false) => alu!(|a: u64| -> u64 { float64::neg(a) }),
                ("abs", Type::F64, false) => alu!(|a: u64| -> u64 { float64::abs(a) }),
                _ => return Err(l.unknown()),
            };
            l.simple(run, ty, &[ty])
        }
        _ => Err(l.unknown()),
    }
}

/// Emits the operation on operands 1 to `n` and a constant that holds the modes.
fn with_modes(l: &mut Lowering, run: Alu, ty: Type, n: usize, modes: u32) -> Lowered {
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

fn sums(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let rounding = l.rounding();
    let ftz = l.take("ftz");
    let sat = l.take("sat");
    let ty = l.only_type()?;
    let fused = matches!(opcode, "fma" | "mad");
    if fused && rounding.is_none() || rounding == Some(Rounding::NearestAway) {
        return Err(l.unknown());
    }
    let sources = if fused { 3 } else { 2 };
    let rounding = rounding.unwrap_or_default();
    let modes = encode_rounding(rounding) | if ftz { FTZ } else { 0 } | if sat { SAT } else { 0 };
    match ty {
        Type::F32 if modes == 0 => {
            let run = match opcode {
                "add" => alu!(|a: u32, b: u32| -> u32 { float32::add(a, b, Mode::default()) }),
                "sub" => alu!(|a: u32, b: u32| -> u32 { float32::sub(a, b, Mode::default()) }),
                "mul" => alu!(|a: u32, b: u32| -> u32 { float32::mul(a, b, Mode::default()) }),
                _ => {
                    alu!(|a: u32, b: u32, c: u32| -> u32 { float32::fma(a, b, c, Mode::default()) })
                }
            };
            l.simple(run, ty, &[ty; 3][..sources])
        }
        Type::F32 => {
            let run = match opcode {
                "add" => alu!(|a: u32, b: u32, m: u32| -> u32 { float32::add(a, b, mode(m)) }),
                "sub" => alu!(|a: u32, b: u32, m: u32| -> u32 { float32::sub(a, b, mode(m)) }),
                "mul" => alu!(|a: u32, b: u32, m: u32| -> u32 { float32::mul(a, b, mode(m)) }),
                _ => {
                    alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 { float32::fma(a, b, c, mode(m)) })
                }
            };
            with_modes(l, run, ty, sources, modes)
        }
        Type::F64 if !ftz && !sat => {
            let run = match opcode {
                "add" => {
                    alu!(|a: u64, b: u64, m: u32| -> u64 { float64::add(a, b, decode_rounding(m)) })
                }
                "sub" => {
                    alu!(|a: u64, b: u64, m: u32| -> u64 { float64::sub(a, b, decode_rounding(m)) })
                }
                "mul" => {
                    alu!(|a: u64, b: u64, m: u32| -> u64 { float64::mul(a, b, decode_rounding(m)) })
                }
                _ => alu!(|a: u64, b: u64, c: u64, m: u32| -> u64 {
                    float64::fma(a, b, c, decode_rounding(m))
                }),
            };
            with_modes(l, run, ty, sources, modes)
        }
        _ => Err(l.unknown()),
    }
}

/// Applies `f` to the lower and to the upper halves of 64-bit registers.
#[inline(always)]
fn of_halves<const N: usize>(registers: [u64; N], f: impl Fn([u32; N]) -> u32) -> u64 {
    let low = f(registers.map(|register| register as u32));
    let high = f(registers.map(|register| (register >> 32) as u32));
    u64::from(high) << 32 | u64::from(low)
}

/// Lowers `.f32x2`, which applies `add`, `sub`, `mul` or `fma` to each of the two f32 in a
/// register.
pub(crate) fn pairs(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let rounding = l.rounding();
    let ftz = l.take("ftz");
    l.end()?;
    if opcode == "fma" && rounding.is_none() || rounding == Some(Rounding::NearestAway) {
        return Err(l.unknown());
    }
    let modes = encode_rounding(rounding.unwrap_or_default()) | if ftz { FTZ } else { 0 };
    let run = match opcode {
        "add" => alu!(|a: u64, b: u64, m: u32| -> u64 {
            of_halves([a, b], |[a, b]| float32::add(a, b, mode(m)))
        }),
        "sub" => alu!(|a: u64, b: u64, m: u32| -> u64 {
            of_halves([a, b], |[a, b]| float32::sub(a, b, mode(m)))
        }),
        "mul" => alu!(|a: u64, b: u64, m: u32| -> u64 {
            of_halves([a, b], |[a, b]| float32::mul(a, b, mode(m)))
        }),
        "fma" => alu!(|a: u64, b: u64, c: u64, m: u32| -> u64 {
            of_halves([a, b, c], |[a, b, c]| float32::fma(a, b, c, mode(m)))
        }),
        _ => return Err(l.unknown()),
    };
    let sources = if opcode == "fma" { 3 } else { 2 };
    with_modes(l, run, Type::B64, sources, modes)
}

fn functions(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let full = opcode == "div" && l.lead("full");
    let approx = !full && l.take("approx");
    let rounding = if approx || full { None } else { l.rounding() };
    let ftz = l.take("ftz");
    let ty = l.only_type()?;
    let modes = rounding.map_or(0, encode_rounding) | if ftz { FTZ } else { 0 };
    if rounding == Some(Rounding::NearestAway) {
        return Err(l.unknown());
    }
    // The forms with a rounding mode are exactly rounded.
    if rounding.is_some() {
        return match (opcode, ty) {
            ("div", Type::F32) => with_modes(
                l,
                alu!(|a: u32, b: u32, m: u32| -> u32 { float32::div(a, b, mode(m)) }),
                ty,
                2,
                modes,
            ),
            ("rcp", Type::F32) => with_modes(
                l,
                alu!(|a: u32, m: u32| -> u32 { float32::rcp(a, mode(m)) }),
                ty,
                1,
                modes,
            ),
            ("sqrt", Type::F32) => with_modes(
                l,
                alu!(|a: u32, m: u32| -> u32 { float32::sqrt(a, mode(m)) }),
                ty,
                1,
                modes,
            ),
            ("div", Type::F64) if !ftz => {
                let run = alu!(|a: u64, b: u64, m: u32| -> u64 {
                    float64::div(a, b, decode_rounding(m))
                });
                with_modes(l, run, ty, 2, modes)
            }
            ("rcp", Type::F64) if !ftz => with_modes(
                l,
                alu!(|a: u64, m: u32| -> u64 { float64::rcp(a, decode_rounding(m)) }),
                ty,
                1,
                modes,
            ),
            ("sqrt", Type::F64) if !ftz => with_modes(
                l,
                alu!(|a: u64, m: u32| -> u64 { float64::sqrt(a, decode_rounding(m)) }),
                ty,
                1,
                modes,
            ),
            _ => Err(l.unknown()),
        };
    }
    if opcode == "div" {
        let run = match (approx, full, ty) {
            (true, _, Type::F32) => {
                alu!(|a: u32, b: u32, m: u32| -> u32 { approx::div_approx(a, b, m & FTZ != 0) })
            }
            (_, true, Type::F32) => {
                alu!(|a: u32, b: u32, m: u32| -> u32 { approx::div_full(a, b, m & FTZ != 0) })
            }
            _ => return Err(l.unknown()),
        };
        return with_modes(l, run, ty, 2, modes);
    }
    if !approx {
        return Err(l.unknown());
    }
    /// A separate loop for each function, in which the function is a constant.
    macro_rules! each {
        ($($name:literal $function:ident),*) => {
            match opcode {
                $($name => alu!(|a: u32, m: u32| -> u32 { Function::$function.f32(a, m & FTZ != 0) }),)*
                _ => return Err(l.unknown()),
            }
        };
    }
    match ty {
        Type::F32 => {
            let run = each!("rcp" Rcp, "sqrt" Sqrt, "rsqrt" Rsqrt, "sin" Sin, "cos" Cos, "ex2" Ex2, "lg2" Lg2,
                "tanh" Tanh);
            with_modes(l, run, ty, 1, modes)
        }
        Type::F64 => {
            let run = match (opcode, ftz) {
                ("rcp", true) => alu!(|a: u64| -> u64 { Function::Rcp.f64_coarse(a) }),
                ("rsqrt", true) => alu!(|a: u64| -> u64 { Function::Rsqrt.f64_coarse(a) }),
                ("rsqrt", false) => alu!(|a: u64| -> u64 { Function::Rsqrt.f64(a) }),
                _ => return Err(l.unknown()),
            };
            l.simple(run, ty, &[ty])
        }
        _ => Err(l.unknown()),
    }
}

fn minimum(l: &mut Lowering) -> Lowered {
    let max = l.inst.opcode == "max";
    let ftz = l.take("ftz");
    let nan = l.take("NaN");
    let xorsign = l.take("xorsign");
    let abs = l.take("abs");
    let ty = l.only_type()?;
    let three = l.inst.operands.len() == 4;
    if xorsign && (!abs || three) {
        return Err(l.unknown());
    }
    let bit = |set: bool, bit: u32| if set { bit } else { 0 };
    let modes = bit(ftz, FTZ) | bit(nan, NAN) | bit(abs, ABS) | bit(xorsign, XORSIGN);
    let run = match (ty, max, three) {
        (Type::F32, false, false) => {
            alu!(|a: u32, b: u32, m: u32| -> u32 { minmax::f32(a, b, min_max(m, false)) })
        }
        (Type::F32, true, false) => {
            alu!(|a: u32, b: u32, m: u32| -> u32 { minmax::f32(a, b, min_max(m, true)) })
        }
        (Type::F32, false, true) => alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
            minmax::f32_of_three(a, b, c, min_max(m, false))
        }),
        (Type::F32, true, true) => alu!(|a: u32, b: u32, c: u32, m: u32| -> u32 {
            minmax::f32_of_three(a, b, c, min_max(m, true))
        }),
        (Type::F64, false, false) if modes == 0 => {
            alu!(|a: u64, b: u64, m: u32| -> u64 { minmax::f64(a, b, min_max(m, false)) })
        }
        (Type::F64, true, false) if modes == 0 => {
            alu!(|a: u64, b: u64, m: u32| -> u64 { minmax::f64(a, b, min_max(m, true)) })
        }
        _ => return Err(l.unknown()),
    };
    with_modes(l, run, ty, if three { 3 } else { 2 }, modes)
}

pub(crate) fn testp(l: &mut Lowering) -> Lowered {
    let property = l
        .take_map(Property::from_modifier)
        .ok_or_else(|| l.unknown())?;
    let ty = l.only_type()?;
    l.count(2..=2)?;
    macro_rules! each {
        ($($property:ident),*) => {
            match (property, ty) {
                $((Property::$property, Type::F32) => (|frame, args, mask| {
                    let value = frame.test1(args[1], |a: u32| Property::$property.f32(a));
                    frame.write_pred(args[0], value, mask);
                }) as Alu,
                (Property::$property, Type::F64) => (|frame, args, mask| {
                    let value = frame.test1(args[1], |a: u64| Property::$property.f64(a));
                    frame.write_pred(args[0], value, mask);
                }) as Alu,)*
                _ => return Err(l.unknown()),
            }
        };
    }
    let run = each!(Finite, Infinite, Number, NotANumber, Normal, Subnormal);
    if matches!(l.operand(0)?, Operand::Sink) {
        return Err(l.bad_operand(0, "a predicate expected, found `_`"));
    }
    l.simple(run, Type::Pred, &[ty])
}
