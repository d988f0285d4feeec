//! `cvt`.
//!
//! The conversions that compilers emit most (integer widths, and those that are exact) have
//! specialised loops; the others take their modifiers as a constant operand. Source: PTX ISA,
//! "cvt"; `cvt.pack` is in `pack`.

use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::frame::{Alu, Args, Frame, Lane, alu};
use crate::numerics::convert::{self, Cvt};
use crate::numerics::fp8::Fp8;
use crate::numerics::rounding::Rounding;
use crate::numerics::soft::{self, Format};
use crate::numerics::{packed, tf32};
use crate::types::{Class, Type};

use super::float::{decode_rounding, encode_rounding};

const TYPES: [convert::Type; 12] = {
    use convert::Type::*;
    [U8, U16, U32, U64, S8, S16, S32, S64, F16, Bf16, F32, F64]
};

fn scalar(ty: Type) -> Option<convert::Type> {
    convert::Type::from_modifier(ty.name())
}

fn encode(cvt: &Cvt) -> u32 {
    let index = |ty| TYPES.iter().position(|&t| t == ty).unwrap_or(0) as u32;
    encode_rounding(cvt.rounding)
        | index(cvt.to) << 3
        | index(cvt.from) << 7
        | u32::from(cvt.integral) << 11
        | u32::from(cvt.ftz) << 12
        | u32::from(cvt.sat) << 13
        | u32::from(cvt.relu) << 14
        | u32::from(cvt.satfinite) << 15
}

fn decode(bits: u32) -> Cvt {
    Cvt {
        rounding: decode_rounding(bits),
        integral: bits >> 11 & 1 == 1,
        ftz: bits >> 12 & 1 == 1,
        sat: bits >> 13 & 1 == 1,
        relu: bits >> 14 & 1 == 1,
        satfinite: bits >> 15 & 1 == 1,
        ..Cvt::new(
            TYPES[(bits >> 3 & 15) as usize],
            TYPES[(bits >> 7 & 15) as usize],
        )
    }
}

/// Returns the general conversion. The low half of `args[2]` holds the modifiers, and the bits
/// above hold the width of the result register.
fn general<A: Lane, D: Lane>() -> Alu
where
    A::Raw: Into<u64>,
    D::Raw: TryFrom<u64>,
{
    fn run<A: Lane, D: Lane>(frame: &mut Frame, args: &Args, mask: u32)
    where
        A::Raw: Into<u64>,
        D::Raw: TryFrom<u64>,
    {
        let modes = frame.r32[args[2] as usize][0];
        let cvt = decode(modes);
        let keep = u64::MAX >> (64 - (modes >> 16));
        let (source, mut out) = (A::row(frame, args[1]), [D::Raw::default(); 32]);
        for (out, &value) in out.iter_mut().zip(source) {
            *out = D::Raw::try_from(cvt.apply(value.into()) & keep).unwrap_or_default();
        }
        frame.write::<D>(args[0], &out, mask);
    }
    run::<A, D>
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let rounding = l.take_map(|word| Some((Rounding::from_modifier(word)?, word.ends_with('i'))));
    let (rounding, integral) = (
        rounding.map(|(mode, _)| mode),
        rounding.is_some_and(|(_, integral)| integral),
    );
    let satfinite = l.take("satfinite");
    let relu = l.take("relu");
    let ftz = l.take("ftz");
    let sat = l.take("sat");
    let to = l.ty()?;
    let from = l.ty()?;
    l.end()?;
    if let (Some(to_scalar), Some(from_scalar)) = (scalar(to), scalar(from)) {
        let cvt = Cvt {
            rounding: rounding.unwrap_or_default(),
            integral: integral && to_scalar.is_float(),
            ftz,
            sat,
            relu,
            satfinite,
            ..Cvt::new(to_scalar, from_scalar)
        };
        check(l, &cvt, rounding, integral)?;
        return simple(l, to, from, &cvt);
    }
    if ftz || sat || integral {
        return Err(l.unknown());
    }
    special(l, to, from, rounding, relu, satfinite)
}

/// Checks PTX's rules on which modifiers a conversion may have.
fn check(l: &Lowering, cvt: &Cvt, rounding: Option<Rounding>, integral: bool) -> Lowered {
    let (from, to) = (cvt.from, cvt.to);
    let narrows = match (from.is_float(), to.is_float()) {
        (true, true) => to.bits() < from.bits() || to.bits() == from.bits() && to != from,
        (false, true) => true,
        _ => false,
    };
    let ok = match (from.is_float(), to.is_float()) {
        (false, false) => rounding.is_none() && !cvt.relu && !cvt.satfinite && !cvt.ftz,
        (true, false) => rounding.is_some() && integral && !cvt.relu && !cvt.satfinite,
        (false, true) => rounding.is_some() && !integral && !cvt.relu && !cvt.satfinite,
        (true, true) if integral => from == to,
        (true, true) => narrows == rounding.is_some(),
    };
    let limits = |ty: convert::Type| {
        let bits = ty.bits();
        if ty.is_signed() {
            (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        }
    };
    // An integer type that holds every value of the source type needs no clamping.
    let needless = !from.is_float() && !to.is_float() && {
        let ((low, high), (least, most)) = (limits(from), limits(to));
        least <= low && high <= most
    };
    let narrow_bfloat = matches!((from, to), (convert::Type::Bf16, other) | (other, convert::Type::Bf16)
        if !other.is_float() && other.bits() == 8);
    let involves_f32 = matches!(from, convert::Type::F32) || matches!(to, convert::Type::F32);
    let ok = ok
        && (!cvt.ftz || involves_f32)
        && rounding != Some(Rounding::NearestAway)
        && !(cvt.sat && needless)
        && !narrow_bfloat
        && (!cvt.satfinite || narrows)
        && (!cvt.relu || narrows && to.bits() == 16);
    if ok { Ok(()) } else { Err(l.unknown()) }
}

fn simple(l: &mut Lowering, to: Type, from: Type, cvt: &Cvt) -> Lowered {
    l.count(2..=2)?;
    let operand = l.operand(1)?;
    let (a, wide_source) = l.loose_source_of(1, operand, from)?;
    let (d, bits) = l.loose_dest_of(0, l.operand(0)?, to)?;
    let wide = d.class() == Class::R64;
    if let Some(run) = fast(cvt, wide_source, wide, bits) {
        l.alu(run, &[d], &[a]);
        return Ok(());
    }
    let run = match (wide_source, wide) {
        (false, false) => general::<u32, u32>(),
        (false, true) => general::<u32, u64>(),
        (true, false) => general::<u64, u32>(),
        (true, true) => general::<u64, u64>(),
    };
    let modes = l.mode(encode(cvt) | bits << 16);
    l.alu(run, &[d], &[a, modes]);
    Ok(())
}

/// Returns the loop for one of the most common conversions, or `None` for the others. `bits` is the
/// width of the result's register.
fn fast(cvt: &Cvt, wide_source: bool, wide: bool, bits: u32) -> Option<Alu> {
    use convert::Type::*;
    if (Cvt {
        rounding: cvt.rounding,
        ..Cvt::new(cvt.to, cvt.from)
    }) != *cvt
    {
        return None;
    }
    // A register as narrow as its value holds the value zero-extended; a wider one holds a signed
    // value sign-extended.
    let to = match (cvt.to, bits) {
        (S8, 8) => U8,
        (S16, 16) => U16,
        (S8, 16) => return None,
        (to, _) => to,
    };
    // An integer conversion truncates to the narrower type, then extends: by the source's
    // signedness if the source is narrower, otherwise by the result's.
    macro_rules! widen {
        ($from:ty, $to:ty) => {
            match (wide_source, wide) {
                (false, false) => Some(alu!(|a: u32| -> u32 { a as $from as $to as u32 })),
                (false, true) => Some(alu!(|a: u32| -> u64 { a as $from as $to as u64 })),
                (true, false) => Some(alu!(|a: u64| -> u32 { a as $from as $to as u32 })),
                (true, true) => Some(alu!(|a: u64| -> u64 { a as $from as $to as u64 })),
            }
        };
    }
    macro_rules! each {
        ($($from:ident $f:ty),*; $to:tt) => {
            match cvt.from { $($from => each!(@ $f; $to),)* _ => None }
        };
        (@ $f:ty; [$($to:ident $t:ty),*]) => {
            match to { $($to => widen!($f, $t),)* _ => None }
        };
    }
    if !cvt.from.is_float() && !cvt.to.is_float() {
        return each!(U8 u8, U16 u16, U32 u32, U64 u64, S8 i8, S16 i16, S32 i32, S64 i64;
            [U8 u8, U16 u16, U32 u32, U64 u64, S8 i8, S16 i16, S32 i32, S64 i64]);
    }
    let nearest = cvt.rounding == Rounding::NearestEven;
    match (cvt.from, cvt.to, wide_source, wide) {
        (U32, F32, false, false) if nearest => Some(alu!(|a: u32| -> u32 { (a as f32).to_bits() })),
        (S32, F32, false, false) if nearest => Some(alu!(|a: i32| -> u32 { (a as f32).to_bits() })),
        (F16, F32, false, false) => {
            Some(alu!(|a: u16| -> u32 { crate::numerics::half::to_f32(a) }))
        }
        (Bf16, F32, false, false) => {
            Some(alu!(|a: u16| -> u32 { crate::numerics::bf16::to_f32(a) }))
        }
        (F32, F16, false, false) if nearest && bits <= 32 => Some(alu!(|a: u32| -> u16 {
            crate::numerics::half::from_f32_nearest(a)
        })),
        (F32, Bf16, false, false) if nearest && bits <= 32 => Some(alu!(|a: u32| -> u16 {
            crate::numerics::bf16::from_f32_nearest(a)
        })),
        _ => None,
    }
}

/// The formats of floats of less than 8 bits, in the order of [`place_of`].
const FORMATS: [Format; 3] = [soft::E2M1, soft::E2M3, soft::E3M2];

/// Returns the place in [`FORMATS`] of a pair's type.
fn place_of(ty: Type) -> u32 {
    match ty {
        Type::E2m1x2 => 0,
        Type::E2m3x2 => 1,
        _ => 2,
    }
}

/// Emits a conversion of one register with modes.
fn one(l: &mut Lowering, run: Alu, (to, from): (Type, Type), modes: u32) -> Lowered {
    l.count(2..=2)?;
    let modes = l.mode(modes);
    let (a, d) = (l.source(1, from)?, l.dest(0, to)?);
    l.alu(run, &[d], &[a, modes]);
    Ok(())
}

/// Lowers conversions to and from pairs, floats of 8 bits and fewer, and `.tf32`.
fn special(
    l: &mut Lowering,
    to: Type,
    from: Type,
    rounding: Option<Rounding>,
    relu: bool,
    satfinite: bool,
) -> Lowered {
    let pair = |l: &mut Lowering, run: Alu, modes: Slot| two(l, run, to, modes);
    match (to, from, rounding) {
        (
            Type::F16x2 | Type::Bf16x2,
            Type::F32,
            Some(rounding @ (Rounding::NearestEven | Rounding::Zero)),
        ) => {
            let part = if to == Type::F16x2 {
                convert::Type::F16
            } else {
                convert::Type::Bf16
            };
            let cvt = Cvt {
                rounding,
                relu,
                satfinite,
                ..Cvt::new(part, convert::Type::F32)
            };
            let modes = l.mode(encode(&cvt));
            let run =
                alu!(|a: u32, b: u32, m: u32| -> u32 { packed::from_f32_pair(&decode(m), a, b) });
            pair(l, run, modes)
        }
        (Type::E4m3x2 | Type::E5m2x2, Type::F32, Some(Rounding::NearestEven)) if satfinite => {
            let modes = l.mode(u32::from(relu));
            let run = match to {
                Type::E4m3x2 => {
                    alu!(|a: u32, b: u32, m: u32| -> u16 {
                        packed::fp8_from_f32_pair(Fp8::E4m3, m != 0, a, b)
                    })
                }
                _ => alu!(|a: u32, b: u32, m: u32| -> u16 {
                    packed::fp8_from_f32_pair(Fp8::E5m2, m != 0, a, b)
                }),
            };
            pair(l, run, modes)
        }
        (Type::E4m3x2 | Type::E5m2x2, Type::F16x2, Some(Rounding::NearestEven)) if satfinite => {
            l.count(2..=2)?;
            let run = match to {
                Type::E4m3x2 => alu!(|a: u32, m: u32| -> u16 {
                    packed::fp8_from_f16_pair(Fp8::E4m3, m != 0, a)
                }),
                _ => alu!(|a: u32, m: u32| -> u16 {
                    packed::fp8_from_f16_pair(Fp8::E5m2, m != 0, a)
                }),
            };
            let modes = l.mode(u32::from(relu));
            let (a, d) = (l.source(1, from)?, l.dest(0, to)?);
            l.alu(run, &[d], &[a, modes]);
            Ok(())
        }
        (Type::F16x2, Type::E4m3x2 | Type::E5m2x2, Some(Rounding::NearestEven)) if !satfinite => {
            l.count(2..=2)?;
            let run = match from {
                Type::E4m3x2 => {
                    alu!(|a: u16, m: u32| -> u32 { packed::fp8_to_f16_pair(Fp8::E4m3, m != 0, a) })
                }
                _ => {
                    alu!(|a: u16, m: u32| -> u32 { packed::fp8_to_f16_pair(Fp8::E5m2, m != 0, a) })
                }
            };
            let modes = l.mode(u32::from(relu));
            let (a, d) = (l.source(1, from)?, l.dest(0, to)?);
            l.alu(run, &[d], &[a, modes]);
            Ok(())
        }
        (Type::Tf32, Type::F32, Some(rounding)) => {
            l.count(2..=2)?;
            if matches!(rounding, Rounding::Up | Rounding::Down)
                || relu && rounding == Rounding::NearestAway
            {
                return Err(l.unknown());
            }
            let modes = l
                .mode(encode_rounding(rounding) | u32::from(relu) << 3 | u32::from(satfinite) << 4);
            let run = alu!(|a: u32, m: u32| -> u32 {
                let rounded = if m >> 4 & 1 == 1 {
                    tf32::from_f32_saturating(a, decode_rounding(m))
                } else {
                    tf32::from_f32(a, decode_rounding(m))
                };
                // A negative number becomes 0. A NaN is canonical here, so its sign bit is not set.
                if m >> 3 & 1 == 1 && rounded >> 31 == 1 {
                    0
                } else {
                    rounded
                }
            });
            let (a, d) = (l.source(1, Type::F32)?, l.dest(0, Type::Tf32)?);
            l.alu(run, &[d], &[a, modes]);
            Ok(())
        }
        _ => narrow(l, (to, from), rounding, relu, satfinite),
    }
}

/// Emits a conversion of two `.f32` to a pair, with modes.
fn two(l: &mut Lowering, run: Alu, to: Type, modes: Slot) -> Lowered {
    l.count(3..=3)?;
    let (a, b) = (l.source(1, Type::F32)?, l.source(2, Type::F32)?);
    let d = l.dest(0, to)?;
    l.alu(run, &[d], &[a, b, modes]);
    Ok(())
}

/// Lowers conversions to and from pairs of floats of 4 and 6 bits and of `.ue8m0`.
fn narrow(
    l: &mut Lowering,
    (to, from): (Type, Type),
    rounding: Option<Rounding>,
    relu: bool,
    satfinite: bool,
) -> Lowered {
    match (to, from, rounding) {
        (Type::E2m1x2 | Type::E2m3x2 | Type::E3m2x2, Type::F32, Some(Rounding::NearestEven))
            if satfinite =>
        {
            let modes = l.mode(u32::from(relu) | place_of(to) << 1);
            let run = alu!(|a: u32, b: u32, m: u32| -> u16 {
                packed::narrow_from_f32_pair(FORMATS[(m >> 1) as usize], m & 1 != 0, a, b)
            });
            two(l, run, to, modes)
        }
        (Type::E2m1x2, Type::F16x2, Some(Rounding::NearestEven)) if satfinite => {
            let run = alu!(|a: u32, m: u32| -> u16 {
                packed::narrow_from_f16_pair(FORMATS[(m >> 1) as usize], m & 1 != 0, a)
            });
            let modes = u32::from(relu) | place_of(to) << 1;
            one(l, run, (to, from), modes)
        }
        (Type::F16x2, Type::E2m1x2 | Type::E2m3x2 | Type::E3m2x2, Some(Rounding::NearestEven))
            if !satfinite =>
        {
            let run = alu!(|a: u16, m: u32| -> u32 {
                packed::narrow_to_f16_pair(FORMATS[(m >> 1) as usize], m & 1 != 0, a)
            });
            let modes = u32::from(relu) | place_of(from) << 1;
            one(l, run, (to, from), modes)
        }
        (Type::Ue8m0x2, Type::F32, Some(rounding @ (Rounding::Zero | Rounding::Up))) if !relu => {
            let up = rounding == Rounding::Up;
            let modes = l.mode(u32::from(up) | u32::from(satfinite) << 1);
            let run = alu!(|a: u32, b: u32, m: u32| -> u16 {
                packed::ue8m0_from_f32_pair([m & 1 != 0, m >> 1 != 0], a, b)
            });
            two(l, run, to, modes)
        }
        (Type::Ue8m0x2, Type::Bf16x2, Some(rounding @ (Rounding::Zero | Rounding::Up)))
            if !relu =>
        {
            let up = rounding == Rounding::Up;
            let run = alu!(|a: u32, m: u32| -> u16 {
                packed::ue8m0_from_bf16_pair([m & 1 != 0, m >> 1 != 0], a)
            });
            one(
                l,
                run,
                (to, from),
                u32::from(up) | u32::from(satfinite) << 1,
            )
        }
        (Type::Bf16x2, Type::Ue8m0x2, Some(Rounding::NearestEven)) if !relu && !satfinite => {
            let run = alu!(|a: u16, _m: u32| -> u32 { packed::ue8m0_to_bf16_pair(a) });
            one(l, run, (to, from), 0)
        }
        _ => Err(l.unknown()),
    }
}
