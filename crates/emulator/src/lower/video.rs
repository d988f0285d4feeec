//! Video instructions: `vadd` to `vset` on parts of registers, `vadd2` to `vset4` on two or four
//! parts at a time.
//!
//! ```text
//!   vabsdiff4.u32.s32.s32.add d.b3210, a.b3210, b.b7654, c      types of d, a, b; which parts; what follows with c
//! ```
//! The results are computed in [`crate::numerics::video`]. Source: PTX ISA, "Video Instructions"
//! and "SIMD Video Instructions".

use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::frame::{Args, Frame, Lane};
use crate::ir::Constant;
use crate::numerics::video::{Comparison, Form, Operation, Part, Secondary, Video};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const SECONDARIES: [(&str, Secondary); 3] = [
    ("add", Secondary::Add),
    ("min", Secondary::Min),
    ("max", Secondary::Max),
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("eq", Comparison::Equal),
    ("ne", Comparison::NotEqual),
    ("lt", Comparison::Less),
    ("le", Comparison::LessEqual),
    ("gt", Comparison::Greater),
    ("ge", Comparison::GreaterEqual),
];

/// Returns the operation of an opcode without its number of lanes. For `vset` the comparison is
/// taken.
fn operation(l: &mut Lowering, stem: &str) -> Result<Operation, PtxError> {
    Ok(match stem {
        "vadd" => Operation::Add,
        "vsub" => Operation::Sub,
        "vavrg" => Operation::Average,
        "vabsdiff" => Operation::AbsoluteDifference,
        "vmin" => Operation::Min,
        "vmax" => Operation::Max,
        "vshl" => Operation::ShiftLeft,
        "vshr" => Operation::ShiftRight,
        "vmad" => Operation::MultiplyAdd,
        _ => Operation::Set(l.need(&COMPARISONS, "a comparison")?),
    })
}

/// Takes the types of d, a and b, and returns whether each is signed.
fn signs(l: &mut Lowering, operation: Operation) -> Result<[bool; 3], PtxError> {
    let signed = |l: &mut Lowering| match l.ty()? {
        Type::S32 => Ok(true),
        Type::U32 => Ok(false),
        _ => Err(l.unknown()),
    };
    // The result of a comparison is unsigned, and has no type.
    let first = match operation {
        Operation::Set(_) => false,
        _ => signed(l)?,
    };
    let signed = [first, signed(l)?, signed(l)?];
    match operation {
        Operation::ShiftLeft | Operation::ShiftRight if signed[2] => Err(l.unknown()),
        _ => Ok(signed),
    }
}

/// Splits an operand into its register and the part named after it: `%r1.b0` into `%r1` and `b0`.
fn split<'s>(operand: &Operand<'s>) -> (Operand<'s>, Option<&'s str>) {
    match operand {
        Operand::Part(name, part) => (Operand::Name(name, 0), Some(part)),
        other => (other.clone(), None),
    }
}

/// Returns the part of operand `i` that a name selects, or the whole operand if there is no name.
fn part(l: &Lowering, i: usize, name: Option<&str>) -> Result<Part, PtxError> {
    let Some(name) = name else {
        return Ok(Part::ALL);
    };
    Part::parse(name)
        .ok_or_else(|| l.bad_operand(i, format!("`.{name}` is none of .b0 to .b3, .h0 and .h1")))
}

/// Returns the digits after `.h` (two parts) or after `.b` (four parts).
fn digits(name: &str, lanes: u32) -> Option<&str> {
    name.strip_prefix(if lanes == 2 { 'h' } else { 'b' })
}

/// Lowers operand `i` to a source. Returns it with its selected part.
fn source(l: &mut Lowering, i: usize) -> Result<(Slot, Part), PtxError> {
    let (operand, name) = split(l.operand(i)?);
    let part = part(l, i, name)?;
    Ok((l.source_of(i, &operand, Type::U32)?, part))
}

/// Emits the video operation that computes d from a, b and c.
fn emit(l: &mut Lowering, video: Video, d: Slot, sources: [Slot; 3]) {
    let word = l.body.constant(Class::R64, Constant::Value(video.encode()));
    let [a, b, c] = sources;
    l.alu(run, &[d], &[a, b, c, word]);
}

fn run(frame: &mut Frame, args: &Args, mask: u32) {
    let video = Video::decode(u64::row(frame, args[4])[0]);
    frame.map3(args, mask, |a: u32, b: u32, c: u32| -> u32 {
        video.execute(a, b, c)
    });
}

/// Returns a constant 0 for an absent operand.
fn nothing(l: &mut Lowering) -> Slot {
    l.mode(0)
}

/// Lowers `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr` and `vset`.
pub(crate) fn scalar(l: &mut Lowering) -> Lowered {
    let operation = operation(l, l.inst.opcode)?;
    let signed = signs(l, operation)?;
    let saturate = !matches!(operation, Operation::Set(_)) && l.take("sat");
    let wrap = match operation {
        Operation::ShiftLeft | Operation::ShiftRight => {
            l.need(&[("clamp", false), ("wrap", true)], ".clamp or .wrap")?
        }
        _ => false,
    };
    let secondary = l.one_of(&SECONDARIES);
    l.end()?;
    let (target, name) = split(l.operand(0)?);
    let merge = match name {
        None => None,
        named => Some(part(l, 0, named)?),
    };
    if merge.is_some() && secondary.is_some() {
        return Err(l.bad_operand(
            0,
            "a part of d and a secondary operation exclude each other",
        ));
    }
    let with_c = merge.is_some() || secondary.is_some();
    let operands = if with_c { 4 } else { 3 };
    l.count(operands..=operands)?;
    let ((a, part_a), (b, part_b)) = (source(l, 1)?, source(l, 2)?);
    let c = if with_c {
        l.source(3, Type::U32)?
    } else {
        nothing(l)
    };
    let d = l.dest_of(0, &target, Type::U32)?;
    let video = Video {
        operation,
        signed,
        saturate,
        form: Form::Scalar {
            parts: [part_a, part_b],
            merge,
            secondary,
            wrap,
        },
    };
    emit(l, video, d, [a, b, c]);
    Ok(())
}

/// Lowers `vmad`.
pub(crate) fn multiply(l: &mut Lowering) -> Lowered {
    let operation = Operation::MultiplyAdd;
    let signed = signs(l, operation)?;
    let plus_one = l.take("po");
    let saturate = l.take("sat");
    let shift = l.one_of(&[("shr7", 7), ("shr15", 15)]).unwrap_or(0);
    l.end()?;
    l.count(4..=4)?;
    let mut negated = [false; 3];
    let mut slots = [(Slot::NONE, Part::ALL); 3];
    for i in 0..3 {
        let mut operand = l.operand(i + 1)?;
        if let Operand::Minus(inner) = operand {
            if plus_one {
                return Err(l.bad_operand(i + 1, "no operand is negated with .po"));
            }
            (negated[i], operand) = (true, inner);
        }
        let (operand, part) = split(operand);
        let part = match part {
            None => Part::ALL,
            Some(name) => Part::parse(name)
                .filter(|_| i < 2)
                .ok_or_else(|| l.bad_operand(i + 1, format!("`.{name}` selects no part of it")))?,
        };
        slots[i] = (l.source_of(i + 1, &operand, Type::U32)?, part);
    }
    let [(a, part_a), (b, part_b), (c, _)] = slots;
    let d = l.dest(0, Type::U32)?;
    let video = Video {
        operation,
        signed,
        saturate,
        form: Form::Multiply {
            parts: [part_a, part_b],
            negated: [negated[0] ^ negated[1], negated[2]],
            plus_one,
            shift,
        },
    };
    emit(l, video, d, [a, b, c]);
    Ok(())
}

/// Parses the lanes of a mask, such as `.b20` or `.h1`: highest first, each at most once.
fn mask(l: &Lowering, name: Option<&str>, lanes: u32) -> Result<u8, PtxError> {
    let Some(name) = name else {
        return Ok((1 << lanes) - 1);
    };
    let wrong = || l.bad_operand(0, format!("`.{name}` is no mask of {lanes} parts"));
    let digits = digits(name, lanes)
        .filter(|digits| !digits.is_empty())
        .ok_or_else(wrong)?;
    let (mut mask, mut last) = (0, lanes);
    for digit in digits.chars() {
        let lane = digit
            .to_digit(10)
            .filter(|&lane| lane < last)
            .ok_or_else(wrong)?;
        (mask, last) = (mask | 1 << lane, lane);
    }
    Ok(mask)
}

/// Parses a selection such as `.b7654` or `.h32`: for each lane, highest first, the selected part
/// of a and b.
fn selection(l: &Lowering, i: usize, name: Option<&str>, lanes: u32) -> Result<[u8; 4], PtxError> {
    let mut select = [0; 4];
    let Some(name) = name else {
        // By default each operand selects its own parts; in the concatenation, those of a have the
        // lower numbers.
        let first = if i == 1 { 0 } else { lanes };
        for (lane, which) in select.iter_mut().enumerate().take(lanes as usize) {
            *which = first as u8 + lane as u8;
        }
        return Ok(select);
    };
    let wrong = || l.bad_operand(i, format!("`.{name}` does not select {lanes} parts"));
    let digits = digits(name, lanes)
        .filter(|digits| digits.len() == lanes as usize)
        .ok_or_else(wrong)?;
    for (which, digit) in select.iter_mut().zip(digits.chars().rev()) {
        let part = digit.to_digit(10).filter(|&part| part < 2 * lanes);
        *which = part.ok_or_else(wrong)? as u8;
    }
    Ok(select)
}

/// Lowers `vadd2` to `vset4`.
pub(crate) fn simd(l: &mut Lowering) -> Lowered {
    let opcode = l.inst.opcode;
    let (stem, lanes) = match opcode.strip_suffix('2') {
        Some(stem) => (stem, 2),
        None => (opcode.trim_end_matches('4'), 4),
    };
    let operation = operation(l, stem)?;
    let signed = signs(l, operation)?;
    let accumulate = l.take("add");
    let saturate = !accumulate && !matches!(operation, Operation::Set(_)) && l.take("sat");
    l.end()?;
    l.count(4..=4)?;
    let (target, name) = split(l.operand(0)?);
    let mask = mask(l, name, lanes)?;
    let mut select = [[0; 4]; 2];
    let mut slots = [Slot::NONE; 2];
    for i in 0..2 {
        let (operand, name) = split(l.operand(i + 1)?);
        select[i] = selection(l, i + 1, name, lanes)?;
        slots[i] = l.source_of(i + 1, &operand, Type::U32)?;
    }
    let c = l.source(3, Type::U32)?;
    let d = l.dest_of(0, &target, Type::U32)?;
    let video = Video {
        operation,
        signed,
        saturate,
        form: Form::Simd {
            lanes,
            select,
            mask,
            accumulate,
        },
    };
    emit(l, video, d, [slots[0], slots[1], c]);
    Ok(())
}
