//! The parts of a value: `atom.A`, `copy.tiler`.
//!
//! ```text
//! MMA atom    A B C ALayout BLayout CLayout ThrID Shape_MNK
//! copy atom   S D R, SrcLayout DstLayout RefLayout in bits, ThrID
//! tiled MMA   A B C thr_layout_vmnk tile threads atom         tiled copy   S D R TV tiler tile threads atom
//! ```

use std::ops::Range;

use layout_types::dynamic::{AnyLayout, DynLayout, IntTuple};

use crate::atoms::{CopyOperation, MmaAtom, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::tiled::{Side, TileError, TiledCopy, TiledMma};
use crate::value::Value;

/// Converts an error of an operation on tiled copies and MMAs.
pub(crate) fn tile_error(error: TileError, span: &Range<usize>) -> Error {
    match error {
        TileError::Layout(error) => Error::refused(error, span.clone()),
        TileError::Atoms(message) => Error::new(ErrorKind::NotTileable(message), span.clone()),
    }
}

/// Returns the names of the parts of a value.
pub(crate) fn names(value: &Value) -> &'static [&'static str] {
    match value {
        Value::MmaAtom(_) => &[
            "A",
            "B",
            "C",
            "ALayout",
            "BLayout",
            "CLayout",
            "ThrID",
            "Shape_MNK",
        ],
        Value::CopyOperation(_) => &["SrcLayout", "DstLayout", "RefLayout", "ThrID"],
        Value::CopyAtom(_) => &[
            "S",
            "D",
            "R",
            "ValLayoutSrc",
            "ValLayoutDst",
            "ValLayoutRef",
            "SrcLayout",
            "DstLayout",
            "RefLayout",
            "ThrID",
        ],
        Value::TiledMma(_) => &[
            "A",
            "B",
            "C",
            "thr_layout_vmnk",
            "tile",
            "permutation",
            "threads",
            "atom",
        ],
        Value::TiledCopy(_) => &["S", "D", "R", "TV", "tiler", "tile", "threads", "atom"],
        Value::ThreadValue(_) => &["layout", "tile", "threads", "values"],
        Value::Partition(_) => &["part", "thread", "threads"],
        Value::Slice(_) => &["layout", "offset"],
        Value::Conflicts(_) => &["ways", "extra", "bytes"],
        Value::TmaTile(_) => &["tile", "box", "boxes", "swizzle", "bytes", "tile_bytes"],
        Value::WgmmaOperand(_) => &["tile", "blocks", "swizzle", "LBO", "SBO", "starts"],
        _ => &[],
    }
}

fn operand(name: &str) -> Option<Operand> {
    match name {
        "A" | "ALayout" => Some(Operand::A),
        "B" | "BLayout" => Some(Operand::B),
        "C" | "CLayout" => Some(Operand::C),
        _ => None,
    }
}

fn mma_atom(atom: &MmaAtom, name: &str) -> Option<Value> {
    match name {
        "ThrID" => Some(atom.thr_id().clone().into()),
        "Shape_MNK" | "shape" => Some(IntTuple::from(atom.shape()).into()),
        _ => operand(name).map(|operand| Value::ThreadValue(atom.operand(operand))),
    }
}

fn copy_operation(operation: &CopyOperation, name: &str) -> Option<Value> {
    let layout: &DynLayout = match name {
        "SrcLayout" => operation.source(),
        "DstLayout" => operation.destination(),
        "RefLayout" => operation.reference(),
        "ThrID" => operation.thr_id(),
        _ => return None,
    };
    Some(layout.clone().into())
}

fn tiled_mma(mma: &TiledMma, name: &str) -> std::result::Result<Option<Value>, TileError> {
    Ok(Some(match name {
        "thr_layout_vmnk" | "ThrLayoutVMNK" => mma.thr_layout_vmnk().clone().into(),
        "tile" | "tile_shape" => IntTuple::from(mma.tile()).into(),
        "threads" => Value::Integer(mma.threads()),
        "permutation" | "permutation_mnk" => {
            Value::Tuple(mma.permutation().iter().cloned().map(Value::from).collect())
        }
        "atom" => Value::MmaAtom(mma.atom().clone()),
        _ => match operand(name) {
            Some(operand) => Value::ThreadValue(mma.operand(operand)?),
            None => return Ok(None),
        },
    }))
}

fn tiled_copy(copy: &TiledCopy, name: &str) -> std::result::Result<Option<Value>, TileError> {
    Ok(Some(match name {
        "S" => Value::ThreadValue(copy.side(Side::Source)?),
        "D" => Value::ThreadValue(copy.side(Side::Destination)?),
        "R" | "TV" | "TiledLayout_TV" => Value::ThreadValue(copy.fragment()),
        "tiler" | "Tiler_MN" => copy.tiler().clone().into(),
        "tile" => copy.tile().clone().into(),
        "threads" => Value::Integer(copy.threads()),
        "atom" => Value::CopyAtom(copy.atom().clone()),
        _ => return Ok(None),
    }))
}

/// Returns the part of a value with this name, or `None` if the value has no such part.
pub(crate) fn of(value: &Value, name: &str, span: &Range<usize>) -> Result<Option<Value>> {
    Ok(match value {
        Value::MmaAtom(atom) => mma_atom(atom, name),
        Value::CopyOperation(operation) => copy_operation(operation, name),
        Value::CopyAtom(atom) => match name {
            "S" | "ValLayoutSrc" => Some(atom.source().clone().into()),
            "D" | "ValLayoutDst" => Some(atom.destination().clone().into()),
            "R" | "ValLayoutRef" => Some(atom.reference().clone().into()),
            _ => copy_operation(atom.operation(), name),
        },
        Value::TiledMma(mma) => tiled_mma(mma, name).map_err(|e| tile_error(e, span))?,
        Value::TiledCopy(copy) => tiled_copy(copy, name).map_err(|e| tile_error(e, span))?,
        Value::ThreadValue(tv) => match name {
            "layout" => Some(tv.layout().clone().into()),
            "tile" => Some(tv.tile().clone().into()),
            "threads" => Some(Value::Integer(tv.threads())),
            "values" => Some(Value::Integer(tv.values())),
            _ => None,
        },
        Value::Partition(partition) => match name {
            "part" => Some(partition.part().clone().into()),
            "thread" => Some(AnyLayout::Plain(partition.thread().clone()).into()),
            "threads" => Some(Value::Integer(partition.threads())),
            _ => None,
        },
        Value::Slice(slice) => match name {
            "layout" => Some(slice.layout.clone().into()),
            "offset" => Some(slice.offset.clone().into()),
            _ => None,
        },
        Value::Conflicts(conflicts) => match name {
            "ways" => Some(Value::Integer(conflicts.ways)),
            "extra" => Some(Value::Integer(conflicts.extra)),
            "bytes" => Some(Value::Integer(conflicts.bytes)),
            _ => None,
        },
        Value::TmaTile(tile) => tile.field(name),
        Value::WgmmaOperand(operand) => operand.field(name),
        _ => None,
    })
}
