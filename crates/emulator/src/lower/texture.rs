//! Textures and surfaces by their handles: `tex`, `suld.b`, `sust.b`.
//!
//! ```text
//! tex{.level}.geom.v4.dtype.ctype d, [a, c]{, level}        any `level` selects an array's only one
//! suld.b.geom{.cop}{.vec}.btype.clamp d, [a, b]             sust.b the same, [a, b], c
//! ```
//! Not emulated: cubes, mipmaps, samplers as separate operands, offsets, `tld4`, formatted accesses
//! (`.p`), and textures that are variables of the module (`.texref`). Source: PTX ISA, "Texture
//! Instructions", "Surface Instructions".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use super::tensor::registers;
use crate::error::PtxError;
use crate::ir::{NONE, Outside, Texel, TexelAct};
use crate::reader::syntax::Operand;
use crate::texture::ArrayShape;
use crate::types::{Class, Type};

const SHAPES: [(&str, ArrayShape); 5] = [
    ("1d", ArrayShape::D1),
    ("2d", ArrayShape::D2),
    ("3d", ArrayShape::D3),
    ("a1d", ArrayShape::A1d),
    ("a2d", ArrayShape::A2d),
];

const OUTSIDE: [(&str, Outside); 3] = [
    ("trap", Outside::Trap),
    ("clamp", Outside::Clamp),
    ("zero", Outside::Zero),
];

/// Returns the row of the texture or surface object, and the rows of the coordinates, in operand
/// `i`.
fn place(
    l: &mut Lowering,
    i: usize,
    shape: ArrayShape,
    ty: Type,
) -> Result<(u32, [u32; 4]), PtxError> {
    let Operand::Texel {
        object,
        coordinates,
    } = l.operand(i)?
    else {
        return Err(l.bad_operand(i, "an address with coordinates expected"));
    };
    // A name instead of a register would be a `.texref` or a `.surfref`.
    if l.register(object).is_none() {
        return Err(l.unknown());
    }
    let object = l.source_of(i, object, Type::U64)?;
    l.uses.push(object);
    let list = match &**coordinates {
        Operand::Vector(list) => list,
        single => std::slice::from_ref(single),
    };
    let layered = usize::from(shape.is_layered());
    // Three coordinates are written as four; the last is ignored.
    let wanted = [1, 2, 4][shape.dimensions() + layered - 1];
    if list.len() != wanted {
        let found = list.len();
        return Err(l.bad_operand(i, format!("{wanted} coordinates expected, {found} found")));
    }
    let mut rows = [NONE; 4];
    for (k, element) in list.iter().enumerate() {
        let ty = if k < layered { Type::U32 } else { ty };
        let slot = l.source_of(i, element, ty)?;
        l.uses.push(slot);
        rows[k] = slot.0;
    }
    // The shape does not use the remaining coordinates, so any row is good for them.
    let any = rows[0];
    Ok((
        object.0,
        rows.map(|row| if row == NONE { any } else { row }),
    ))
}

/// Lowers `tex`.
pub(crate) fn fetch(l: &mut Lowering) -> Lowered {
    let level = l.lead("level");
    let Some(shape) = l.lead_of(&SHAPES) else {
        return Err(l.unknown());
    };
    if !l.take("v4") {
        return Err(l.unknown());
    }
    let (ty, coordinate) = (l.ty()?, l.only_type()?);
    if !matches!(ty, Type::F32 | Type::S32 | Type::U32)
        || !matches!(coordinate, Type::F32 | Type::S32)
    {
        return Err(l.unknown());
    }
    // Further operands are offsets and depths; a pair as result also returns which texels are
    // resident.
    let operands = 2 + usize::from(level);
    if l.inst.operands.len() > operands || matches!(l.operand(0)?, Operand::Pair(..)) {
        return Err(l.unknown());
    }
    l.count(operands..=operands)?;
    let (object, coordinates) = place(l, 1, shape, coordinate)?;
    if level {
        let level = l.source(2, coordinate)?;
        l.uses.push(level);
    }
    let rows = registers(l, 0, ty, 4, true)?;
    let texel = Texel {
        act: TexelAct::Fetch {
            floats: ty == Type::F32,
            integers: coordinate == Type::S32,
        },
        shape,
        object,
        coordinates,
        bytes: 4,
        count: 4,
        registers: std::array::from_fn(|i| rows[i]),
        outside: Outside::Clamp,
    };
    l.emit(texel, Flow::Next);
    Ok(())
}

/// Lowers `suld`.
pub(crate) fn load(l: &mut Lowering) -> Lowered {
    surface(l, TexelAct::Load)
}

/// Lowers `sust`.
pub(crate) fn store(l: &mut Lowering) -> Lowered {
    surface(l, TexelAct::Store)
}

fn surface(l: &mut Lowering, act: TexelAct) -> Lowered {
    let loads = act == TexelAct::Load;
    if !l.lead("b") {
        return Err(l.unknown());
    }
    let Some(shape) = l.lead_of(&SHAPES) else {
        return Err(l.unknown());
    };
    let operators: &[(&str, ())] = match loads {
        true => &[("ca", ()), ("cg", ()), ("cs", ()), ("cv", ())],
        false => &[("wb", ()), ("cg", ()), ("cs", ()), ("wt", ())],
    };
    l.one_of(operators);
    let count = l.one_of(&[("v2", 2), ("v4", 4)]).unwrap_or(1);
    let outside = l.need(&OUTSIDE, "`.trap`, `.clamp` or `.zero`")?;
    let ty = l.only_type()?;
    if !matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64) || ty.bytes() * count > 16 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let (values, address) = if loads { (0, 1) } else { (1, 0) };
    let (object, coordinates) = place(l, address, shape, Type::S32)?;
    let list = l.elements(values)?;
    if list.len() != count {
        let found = list.len();
        return Err(l.bad_operand(values, format!("{count} registers expected, {found} found")));
    }
    let mut rows = [NONE; 4];
    for (row, element) in rows.iter_mut().zip(list) {
        let slot: Slot = match loads {
            true => l.loose_dest_of(values, element, ty)?.0,
            false => l.loose_source_of(values, element, ty)?.0,
        };
        if (slot.class() == Class::R64) != (ty == Type::B64) {
            return Err(l.bad_operand(values, "a register of 64 bits for less"));
        }
        match loads {
            true => l.defs.push(slot),
            false => l.uses.push(slot),
        }
        *row = slot.0;
    }
    let texel = Texel {
        act,
        shape,
        object,
        coordinates,
        bytes: ty.bytes() as u8,
        count: count as u8,
        registers: rows,
        outside,
    };
    l.emit(texel, Flow::Next);
    Ok(())
}
