//! Functions that answer questions about a layout: its size, its shape, whether it is injective.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::limits::MAX_CELLS;
use crate::value::Value;

/// Reads a layout, or the mode of this layout that the other operands select.
fn layout_or_mode(call: &Call) -> Result<AnyLayout> {
    let mut layout = call.layout(0)?;
    for k in 1..call.len() {
        let i = call.index(k)?;
        if i >= layout.domain().rank() {
            return Err(call.wrong(k, format!("{layout} has no mode {i}")));
        }
        layout = layout
            .map_domain("size", &[], |domain| {
                Ok(domain.mode(i).unwrap_or_else(|| domain.clone()))
            })
            .map_err(|error| call.refused(error))?;
    }
    Ok(layout)
}

fn count(call: &Call, f: fn(&AnyLayout) -> layout_types::dynamic::Result<i64>) -> Result<Value> {
    let value = match call.value(0) {
        Value::TiledMma(mma) if call.name() == "size" => return Ok(Value::Integer(mma.threads())),
        Value::TiledCopy(copy) if call.name() == "size" => {
            return Ok(Value::Integer(copy.threads()));
        }
        _ => f(&layout_or_mode(call)?),
    };
    call.done(value.map(Value::Integer))
}

/// Reads a layout that is small enough to evaluate at each element.
fn looked_at(call: &Call, i: usize) -> Result<AnyLayout> {
    let layout = call.layout(i)?;
    let size = layout.size().map_err(|error| call.refused(error))?;
    if size > MAX_CELLS {
        return Err(call.wrong(
            i,
            format!("at most {MAX_CELLS} elements are looked at, not {size}"),
        ));
    }
    Ok(layout)
}

fn truth(call: &Call, f: fn(&AnyLayout) -> layout_types::dynamic::Result<bool>) -> Result<Value> {
    call.done(f(&looked_at(call, 0)?).map(Value::Boolean))
}

fn compare(call: &Call, f: fn(&IntTuple, &IntTuple) -> bool) -> Result<Value> {
    Ok(Value::Boolean(f(&call.tuple(0)?, &call.tuple(1)?)))
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

functions! {
    "size", 1..=usize::MAX, "size(layout, mode)", "the number of elements", |call| count(call, size);
    "cosize", 1..=usize::MAX, "cosize(layout, mode)", "one past the largest offset, before swizzles", |call| count(call, cosize);
    "coshape", 1..=1, "coshape(layout)", "the box that holds every offset",
        |call| call.done(coshape(&call.layout(0)?));
    "rank", 1..=usize::MAX, "rank(layout, mode)", "the number of modes",
        |call| count(call, |layout| Ok(rank(layout) as i64));
    "depth", 1..=usize::MAX, "depth(layout, mode)", "the levels of nesting",
        |call| count(call, |layout| Ok(depth(layout) as i64));
    "shape", 1..=usize::MAX, "shape(layout, mode)", "its shape",
        |call| Ok(layout_or_mode(call)?.shape().clone().into());
    "stride", 1..=usize::MAX, "stride(layout, mode)", "its stride",
        |call| Ok(layout_or_mode(call)?.domain().stride().into());
    "is_injective" | "injective", 1..=1, "is_injective(layout)", "whether no two elements share an offset",
        |call| truth(call, is_injective);
    "is_compact" | "compact", 1..=1, "is_compact(layout)", "whether the offsets are 0..size, each once",
        |call| truth(call, is_compact);
    "disjoint" | "is_disjoint", 2..=2, "disjoint(a, b)", "whether two layouts share no offset but 0",
        |call| call.done(disjoint(&looked_at(call, 0)?, &looked_at(call, 1)?));
    "congruent", 2..=2, "congruent(a, b)", "whether two tuples have one profile", |call| compare(call, congruent);
    "weakly_congruent", 2..=2, "weakly_congruent(a, b)", "whether the second has the first's profile or a finer one",
        |call| compare(call, weakly_congruent);
    "compatible", 2..=2, "compatible(a, b)", "whether coordinates of the first are coordinates of the second",
        |call| compare(call, compatible);
    "evenly_divides", 2..=2, "evenly_divides(shape, tiler)", "whether no tile sticks out",
        |call| call.done(evenly_divides(&call.shape(0)?, &call.tiler(1)?));
}
