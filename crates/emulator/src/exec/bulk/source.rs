//! The global memory that a bulk copy moves: a run of bytes, or the rows of a box of a tensor map.
//! It is checked before it moves.

use super::super::run::Context;
use super::super::{Outcome, Trap, global};
use super::queue::Piece;
use super::tensor::Start;
use super::{Size, UNIT, operand, tensor};
use crate::address::{CONST_START, GLOBAL_START, PARAM_WINDOW, in_window};
use crate::fault::{FaultKind, Space};
use crate::frame::Frame;
use crate::ir::{Bulk, NONE, TensorMode};
use crate::tensor_map::{TENSOR_MAP_BYTES, TensorMap};

/// Returns the number of bytes in a copy's operand, which must be a multiple of 16.
pub(super) fn size(frame: &Frame, op: &Bulk, lane: usize) -> Outcome<usize> {
    let bytes = frame.r32[op.size as usize][lane] as usize;
    if bytes.is_multiple_of(UNIT) {
        return Ok(bytes);
    }
    operand(
        lane,
        0,
        format!("a size is a multiple of {UNIT} bytes, not {bytes}"),
    )
}

/// Reads the tensor map at a generic address. Returns a trap if the address or the map is not
/// valid.
fn map_at(cx: &mut Context, lane: usize, address: u64) -> Outcome<TensorMap> {
    let mut bytes = [0; TENSOR_MAP_BYTES];
    if in_window(address, PARAM_WINDOW) {
        let at = (address - PARAM_WINDOW) as usize;
        let parameters = &cx.launch.parameters;
        match at
            .checked_add(TENSOR_MAP_BYTES)
            .and_then(|end| parameters.get(at..end))
        {
            Some(found) => bytes.copy_from_slice(found),
            None => {
                let what = FaultKind::OutOfBounds {
                    space: Space::Param,
                    size: TENSOR_MAP_BYTES,
                    offset: at as i64,
                    length: parameters.len(),
                };
                return Trap::access(lane, address, what);
            }
        }
    } else {
        bytes = global::descriptor(cx, lane, address)?;
    }
    if !address.is_multiple_of(64) {
        let space = match address {
            _ if in_window(address, PARAM_WINDOW) => Space::Param,
            CONST_START..GLOBAL_START => Space::Const,
            _ => Space::Global,
        };
        let what = FaultKind::Misaligned {
            space,
            alignment: 64,
        };
        return Trap::access(lane, address, what);
    }
    global::descriptor_written(cx, lane, address)?;
    match TensorMap::decode(&bytes) {
        Ok(map) => Ok(map),
        Err(error) => operand(lane, address, error.to_string()),
    }
}

/// Returns the tensor map of a copy, or `None` for a copy of a run of bytes, and the size of what
/// the copy moves.
pub(super) fn pieces(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    address: u64,
) -> Outcome<(Option<TensorMap>, Size)> {
    if op.size != NONE {
        let bytes = size(frame, op, lane)?;
        return Ok((None, Size { bytes, span: bytes }));
    }
    let map = map_at(cx, lane, address)?;
    if map.rank() != usize::from(op.dimensions) {
        let (found, wanted) = (map.rank(), op.dimensions);
        let problem = format!("the tensor map has {found} dimensions, the instruction {wanted}");
        return operand(lane, address, problem);
    }
    let (bytes, span) = (map.box_bytes(), map.box_span());
    let problem = match (op.mode, &map.im2col) {
        (TensorMode::Tile, None) | (TensorMode::Im2col(_), Some(_)) => {
            return Ok((Some(map), Size { bytes, span }));
        }
        (TensorMode::FourRows, None) if map.box_extents[1] == 1 => {
            let (bytes, span) = (4 * bytes, 4 * span);
            return Ok((Some(map), Size { bytes, span }));
        }
        (TensorMode::FourRows, None) => {
            let rows = map.box_extents[1];
            format!("four rows go by a map whose box has one row, not {rows}")
        }
        (TensorMode::Im2col(_), None) => {
            "an im2col copy by a tensor map for boxes (no TensorMap::for_im2col)".to_owned()
        }
        (_, Some(_)) => "a copy of a box by a tensor map for im2col".to_owned(),
    };
    operand(lane, address, problem)
}

/// Returns the pieces of a copy. `at` is the offset of its box in shared memory, and `address` the
/// address of its run of `bytes` bytes or of its tensor map.
pub(super) fn placed(
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    map: Option<&TensorMap>,
    (at, address, bytes): (usize, u64, usize),
    written: bool,
) -> Outcome<Vec<Piece>> {
    Ok(match map {
        Some(map) => {
            let value = |row: &u32| frame.r32[*row as usize][lane];
            let count = match op.mode {
                TensorMode::FourRows => 5,
                _ => map.rank(),
            };
            let coordinates = op.coordinates[..count].iter();
            let coordinates: Vec<i32> = coordinates.map(|row| value(row) as i32).collect();
            let start = match op.mode {
                TensorMode::Tile => Start::Box,
                TensorMode::FourRows => Start::FourRows,
                TensorMode::Im2col(rows) => {
                    let given = rows.iter().take_while(|row| **row != NONE);
                    Start::Pixels(given.map(|row| value(row) as u16).collect())
                }
            };
            if let Err(problem) = tensor::check(map, &start, &coordinates, written) {
                return operand(lane, address, problem);
            }
            tensor::pieces(map, &start, &coordinates, at, written)
        }
        None => vec![Piece {
            at: 0,
            global: Some(address),
            bytes,
        }],
    })
}
