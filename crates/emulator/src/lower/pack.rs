//! `cvt.pack`: two integers saturated to a narrow type, side by side.
//!
//! ```text
//! d = [ c, shifted left by two fields ][ a ][ b ]      fields of 2, 4 or 8 bits
//! d =                          [ a, 16 ][ b, 16 ]      without c
//! ```
//! Source: PTX ISA, "cvt.pack".

use super::instruction::{Lowered, Lowering};
use crate::frame::alu;
use crate::types::Type;

const SIGNED: u32 = 1 << 8;

/// Lowers `cvt.pack`; the modifier `.pack` was not taken yet.
pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    const FIELDS: [(&str, u32); 8] = [
        ("u2", 2),
        ("s2", 2 | SIGNED),
        ("u4", 4),
        ("s4", 4 | SIGNED),
        ("u8", 8),
        ("s8", 8 | SIGNED),
        ("u16", 16),
        ("s16", 16 | SIGNED),
    ];
    l.lead("pack");
    l.need(&[("sat", ())], "`.sat`")?;
    // The first type among the modifiers must be a field type.
    let field = l.take_map(|word| {
        let found = FIELDS.iter().find(|entry| entry.0 == word);
        found
            .map(|entry| Some(entry.1))
            .or(Type::parse(word).map(|_| None))
    });
    let field = field.flatten().ok_or_else(|| l.unknown())?;
    let narrow = field & 0xff < 16;
    if l.ty()? != Type::S32 || narrow && l.ty()? != Type::B32 {
        return Err(l.unknown());
    }
    l.end()?;
    let n = if narrow { 4 } else { 3 };
    l.count(n..=n)?;
    let (a, b) = (l.source(1, Type::S32)?, l.source(2, Type::S32)?);
    let modes = l.mode(field);
    let run = if narrow {
        alu!(|a: u32, b: u32, m: u32, c: u32| -> u32 {
            let bits = m & 0xff;
            c << (2 * bits) | saturated(a, m) << bits | saturated(b, m)
        })
    } else {
        alu!(|a: u32, b: u32, m: u32| -> u32 { saturated(a, m) << 16 | saturated(b, m) })
    };
    let mut sources = vec![a, b, modes];
    if narrow {
        sources.push(l.source(3, Type::B32)?);
    }
    let d = l.dest(0, Type::U32)?;
    l.alu(run, &[d], &sources);
    Ok(())
}

/// Returns the number in the field's range that is nearest to the value, as the field's bits.
fn saturated(value: u32, modes: u32) -> u32 {
    let bits = modes & 0xff;
    let (low, high) = match modes & SIGNED {
        0 => (0, (1 << bits) - 1),
        _ => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
    };
    (value as i32).clamp(low, high) as u32 & ((1 << bits) - 1)
}
