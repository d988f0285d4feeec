//! `tensormap.replace` and `tensormap.cp_fenceproxy` modify a tensor map in a kernel.
//!
//! ```text
//! tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d1;
//! tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d2], [%r1], 128;
//! ```
//! Not emulated: `.swizzle_atomicity`, which needs sm_100.
//! Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy".

use super::flow::Flow;
use super::hints::size_of_128;
use super::instruction::{Lowered, Lowering};
use crate::ir::{CopyMap, ReplaceInMap, Window};
use crate::reader::syntax::Operand;
use crate::tensor_map::MapField;
use crate::types::Type;

/// A field, the type of its values, its largest dimension if it has dimensions, and the largest
/// value if the value has to be a constant.
type Field = (MapField, Type, Option<i64>, Option<i64>);

const FIELDS: [(&str, Field); 10] = [
    ("global_address", (MapField::Address, Type::B64, None, None)),
    ("rank", (MapField::Rank, Type::B32, None, None)),
    ("box_dim", (MapField::Box, Type::B32, Some(4), None)),
    ("global_dim", (MapField::Extent, Type::B32, Some(4), None)),
    (
        "global_stride",
        (MapField::Stride, Type::B64, Some(4), None),
    ),
    (
        "element_stride",
        (MapField::ElementStride, Type::B32, Some(4), None),
    ),
    ("elemtype", (MapField::Element, Type::B32, None, Some(12))),
    (
        "interleave_layout",
        (MapField::Interleave, Type::B32, None, Some(2)),
    ),
    (
        "swizzle_mode",
        (MapField::Swizzle, Type::B32, None, Some(3)),
    ),
    ("fill_mode", (MapField::Fill, Type::B32, None, Some(1))),
];

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    match l.need_lead(
        &[("replace", true), ("cp_fenceproxy", false)],
        "what it does",
    )? {
        true => replace(l),
        false => copy(l),
    }
}

fn replace(l: &mut Lowering) -> Lowered {
    l.need(&[("tile", ())], "`.tile`")?;
    let (field, ty, dimensions, constants) = l.need(&FIELDS, "a field")?;
    let spaces = [("global", Window::Global), ("shared::cta", Window::Shared)];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    l.need(&[("b1024", ())], "`.b1024`")?;
    if l.only_type()? != ty {
        return Err(l.unknown());
    }
    let value = 1 + usize::from(dimensions.is_some());
    l.count(value + 1..=value + 1)?;
    let address = l.address_of_any_width(0, window)?;
    let dimension = match dimensions {
        None => 0,
        Some(most) => in_range(l, 1, most)? as u8,
    };
    let value = match constants {
        None if matches!(l.operand(value)?, Operand::Name(..))
            && l.register(l.operand(value)?).is_none() =>
        {
            return Err(l.bad_operand(value, "a register or a constant expected"));
        }
        None => l.source(value, ty)?,
        Some(most) => {
            let value = in_range(l, value, most)?;
            l.mode(value as u32)
        }
    };
    l.uses.push(value);
    l.note_access(window, (8, 2), false);
    let op = ReplaceInMap {
        address,
        field,
        dimension,
        wide: ty == Type::B64,
        value: value.0,
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Returns operand `i`, which has to be a constant from 0 to `most`.
fn in_range(l: &Lowering, i: usize, most: i64) -> Result<i64, crate::error::PtxError> {
    let value = l.immediate(i)?;
    match (0..=most).contains(&value) {
        true => Ok(value),
        false => Err(l.bad_operand(i, format!("a number from 0 to {most}, not {value}"))),
    }
}

fn copy(l: &mut Lowering) -> Lowered {
    // The spaces come in the order of the operands.
    let spaces = [("global", true), ("shared::cta", false)];
    if !l.need(&spaces, "`.global`")? || l.need(&spaces, "`.shared::cta`")? {
        return Err(l.unknown());
    }
    l.need(&[("tensormap::generic", ())], "`.tensormap::generic`")?;
    l.need(&[("release", ())], "`.release`")?;
    let scopes = [("cta", ()), ("cluster", ()), ("gpu", ()), ("sys", ())];
    l.need(&scopes, "a scope")?;
    l.need(&[("sync", ())], "`.sync`")?;
    l.need(&[("aligned", ())], "`.aligned`")?;
    l.end()?;
    l.count(3..=3)?;
    let destination = l.address_of_any_width(0, Window::Global)?;
    let source = l.address(1, Window::Shared)?;
    size_of_128(l, 2)?;
    l.note_access(Window::Generic, (8, 2), false);
    let op = CopyMap {
        destination,
        source,
    };
    l.emit(op, Flow::Next);
    Ok(())
}
