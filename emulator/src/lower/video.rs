//! Four bytes at a time: `vadd4`, `vsub4`, `vabsdiff4`, `vmin4`, `vmax4` without selectors, masks and sums.
//!
//! ```text
//!   a3 a2 a1 a0        each pair of bytes as whole numbers, signed or not as its type says,
//!   b3 b2 b1 b0        the result saturated to the result's type where `.sat` says so,
//!   ── ── ── ──        then its low 8 bits
//! ```
//! Source: PTX ISA, "SIMD Video Instructions".

use super::instruction::{Lowered, Lowering};
use crate::frame::alu;
use crate::types::Type;

const SIGNED_A: u32 = 1;
const SIGNED_B: u32 = 2;
const SIGNED_RESULT: u32 = 4;
const SATURATE: u32 = 8;

/// One of the instructions.
pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let types = [l.ty()?, l.ty()?, l.ty()?];
    if types.iter().any(|ty| !matches!(ty, Type::U32 | Type::S32)) {
        return Err(l.unknown());
    }
    let flag = |i: usize, flag| if types[i] == Type::S32 { flag } else { 0 };
    let signs = flag(0, SIGNED_RESULT) | flag(1, SIGNED_A) | flag(2, SIGNED_B);
    let saturate = if l.take("sat") { SATURATE } else { 0 };
    l.end()?;
    l.count(4..=4)?;
    let run = match l.inst.opcode {
        "vadd4" => alu!(|a: u32, b: u32, m: u32| -> u32 { bytes(a, b, m, |a, b| a + b) }),
        "vsub4" => alu!(|a: u32, b: u32, m: u32| -> u32 { bytes(a, b, m, |a, b| a - b) }),
        "vabsdiff4" => {
            alu!(|a: u32, b: u32, m: u32| -> u32 { bytes(a, b, m, |a, b| (a - b).abs()) })
        }
        "vmin4" => alu!(|a: u32, b: u32, m: u32| -> u32 { bytes(a, b, m, i32::min) }),
        _ => alu!(|a: u32, b: u32, m: u32| -> u32 { bytes(a, b, m, i32::max) }),
    };
    // The third operand is where bytes come from that the result's mask leaves out: none here.
    l.source(3, types[0])?;
    let (a, b) = (l.source(1, types[1])?, l.source(2, types[2])?);
    let modes = l.mode(signs | saturate);
    let d = l.dest(0, types[0])?;
    l.alu(run, &[d], &[a, b, modes]);
    Ok(())
}

fn bytes(a: u32, b: u32, modes: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
    let number = |byte: u8, sign: u32| match modes & sign {
        0 => i32::from(byte),
        _ => i32::from(byte as i8),
    };
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| {
        let value = f(number(a[i], SIGNED_A), number(b[i], SIGNED_B));
        let saturated = match (modes & SATURATE, modes & SIGNED_RESULT) {
            (0, _) => value,
            (_, 0) => value.clamp(0, 255),
            _ => value.clamp(-128, 127),
        };
        saturated as u8
    }))
}
