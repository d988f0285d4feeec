//! Functions for accesses to shared memory and their bank conflicts.

use layout_types::dynamic::{AnyLayout, IntTuple, Nested, make_layout_right};

use super::{Call, functions};
use crate::banks::{self, BankError, WarpAccess};
use crate::error::{Error, Result};
use crate::hopper::{TmaTile, WgmmaOperand};
use crate::value::Value;

fn failed(call: &Call, error: BankError) -> Error {
    match error {
        BankError::Layout(error) => call.refused(error),
        BankError::Access(message) => call.fail(message),
    }
}

fn access(call: &Call, i: usize) -> Result<WarpAccess> {
    match call.value(i) {
        Value::Access(access) => Ok(*access),
        other => Err(call
            .wrong(i, format!("an access is expected here, not {}", other.kind()))
            .with_help("an access is ldmatrix, stmatrix, rows(16), columns(4) or fragment(4), in bytes a lane")),
    }
}

/// Counts conflicts: `bank_conflicts(layout, type, access)` or `bank_conflicts(layout, thread-value
/// layout, type, bytes)`.
fn conflicts(call: &Call) -> Result<Value> {
    let layout = call.layout(0)?;
    if let Value::ThreadValue(tv) = call.value(1) {
        let bits = call.bits(2)?;
        let bytes = (call.len() > 3).then(|| call.positive(3)).transpose()?;
        return banks::of_threads(&layout, tv, bits, bytes)
            .map(Value::Conflicts)
            .map_err(|error| failed(call, error));
    }
    call.at_most(3)?;
    let bits = call.bits(1).map_err(|error| {
        error.with_help(
            "bank_conflicts(layout, f16, ldmatrix), or bank_conflicts(layout, copy.S, f16)",
        )
    })?;
    banks::conflicts(&layout, bits, access(call, 2)?)
        .map(Value::Conflicts)
        .map_err(|error| failed(call, error))
}

/// Chooses the swizzle with the fewest conflicts for a tile and its accesses. A tile given only by
/// its shape is row-major, as tiles in shared memory are.
fn chosen(call: &Call) -> Result<Value> {
    let tile = match call.value(0) {
        Value::Tuple(_) => {
            make_layout_right(&call.shape(0)?).map_err(|error| call.refused(error))?
        }
        _ => call.plain(0)?,
    };
    let bits = call.bits(1)?;
    let accesses = (2..call.len())
        .map(|i| access(call, i))
        .collect::<Result<Vec<_>>>()?;
    banks::best_swizzle(&tile, bits, &accesses)
        .map(Value::Swizzle)
        .map_err(|error| failed(call, error))
}

/// Evaluates `tma_box(tile, type)`.
fn tma_box(call: &Call) -> Result<Value> {
    TmaTile::new(&call.layout(0)?, call.bits(1)?)
        .map(Value::TmaTile)
        .map_err(|refusal| call.fail(refusal))
}

/// Evaluates `wgmma_operand(tile, type, major, rows)`; `rows` is 64 by default.
fn wgmma_operand(call: &Call) -> Result<Value> {
    let Value::Major(major) = call.value(2) else {
        let found = call.value(2).kind();
        let error = call.wrong(2, format!("a major is expected here, not {found}"));
        return Err(error.with_help("a major is MajorK or MajorMN"));
    };
    let rows = if call.len() > 3 { call.integer(3)? } else { 64 };
    if !(8..=256).contains(&rows) || rows % 8 != 0 {
        let message = format!(
            "an instruction takes 64 rows of A, and of B 8 to 256 in steps of 8, not {rows}"
        );
        return Err(call.wrong(3, message));
    }
    WgmmaOperand::new(&call.layout(0)?, call.bits(1)?, *major, rows)
        .map(Value::WgmmaOperand)
        .map_err(|refusal| call.fail(refusal))
}

fn lanes(call: &Call, f: fn(i64) -> WarpAccess) -> Result<Value> {
    match call.integer(0)? {
        bytes @ (1 | 2 | 4 | 8 | 16) => Ok(Value::Access(f(bytes))),
        other => Err(call.wrong(
            0,
            format!("a lane takes 1, 2, 4, 8 or 16 bytes, not {other}"),
        )),
    }
}

/// Returns the banks of a layout's elements as a tuple in index order, or the bank of a single
/// offset.
fn bank(call: &Call) -> Result<Value> {
    let bits = call.bits(1)?;
    if let Value::Integer(offset) = call.value(0) {
        return Ok(Value::Integer(banks::bank_of(*offset, bits)));
    }
    const MOST: i64 = 128;
    let layout: AnyLayout = call.layout(0)?;
    match layout.size() {
        Ok(size) if size <= MOST => {}
        _ => return Err(call.wrong(0, format!("at most {MOST} banks are listed"))),
    }
    let offsets = layout.table().map_err(|error| call.refused(error))?;
    let banks = offsets
        .into_iter()
        .map(|offset| Nested::Leaf(banks::bank_of(offset, bits)));
    Ok(IntTuple::Tuple(banks.collect()).into())
}

functions! {
    "bank_conflicts", 3..=4, "bank_conflicts(layout, type, access) or bank_conflicts(layout, thread-value layout, type)",
        "what an access to shared memory costs", conflicts;
    "choose_swizzle", 3..=usize::MAX, "choose_swizzle(tile, type, access, ..)",
        "the smallest swizzle with the fewest bank conflicts", chosen;
    "tma_box", 2..=2, "tma_box(tile, type)",
        "the tensor map's box and swizzle that fill a tile of shared memory", tma_box;
    "wgmma_operand", 3..=4, "wgmma_operand(tile, type, MajorK or MajorMN, rows)",
        "the descriptors by which wgmma reads a tile of shared memory, of 64 rows where nothing is said", wgmma_operand;
    "rows", 1..=1, "rows(bytes)", "lanes along the rows, so many bytes each", |call| lanes(call, WarpAccess::Rows);
    "columns", 1..=1, "columns(bytes)", "lanes down a column, so many bytes each",
        |call| lanes(call, WarpAccess::Columns);
    "fragment", 1..=1, "fragment(bytes)", "an mma.sync accumulator as it lies, so many bytes a lane",
        |call| lanes(call, WarpAccess::Fragment);
    "bank", 2..=2, "bank(offset or layout, type)", "the bank of shared memory, 0 to 31", bank;
}
