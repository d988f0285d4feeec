//! Functions that map coordinates to offsets and back, and slices.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::value::{Slice, Value};

/// Reads a coordinate and a layout, in either order.
fn coord_and_layout(call: &Call) -> Result<(Coord, AnyLayout)> {
    let is_coord = |i: usize| call.value(i).coord().is_some();
    if is_coord(0) {
        Ok((call.coord(0)?, call.layout(1)?))
    } else {
        Ok((call.coord(1)?, call.layout(0)?))
    }
}

fn sliced(call: &Call) -> Result<Value> {
    let (coord, layout) = coord_and_layout(call)?;
    let refuse = |error| call.refused(error);
    Ok(Value::Slice(match &layout {
        AnyLayout::Plain(plain) => {
            let (layout, offset) = slice_and_offset(&coord, plain).map_err(refuse)?;
            Slice {
                layout: layout.into(),
                offset,
            }
        }
        AnyLayout::Composed(_) => {
            let (layout, offset) = slice_and_offset_any(&coord, &layout).map_err(refuse)?;
            Slice {
                layout,
                offset: Nested::Leaf(offset),
            }
        }
    }))
}

fn diced(call: &Call) -> Result<Value> {
    let (coord, layout) = coord_and_layout(call)?;
    call.done(dice(&coord, &layout))
}

fn to_index(call: &Call) -> Result<Value> {
    match coord_and_layout(call)? {
        (coord, AnyLayout::Plain(layout)) => call.done(crd2idx(&coord, &layout)),
        _ => Err(call.fail("`crd2idx` takes no layout behind a swizzle: write L(coordinate)")),
    }
}

functions! {
    "crd2idx", 2..=2, "crd2idx(coordinate, layout)",
        "the offset of a coordinate", to_index;
    "idx2crd", 2..=2, "idx2crd(index, shape)",
        "the coordinate of an index", |call| call.done(idx2crd(call.integer(0)?, &call.shape(1)?));
    "get_hier_coord", 2..=2, "get_hier_coord(layout, offset)",
        "the coordinate of an offset of a compact layout",
        |call| call.done(get_hier_coord(&call.plain(0)?, call.integer(1)?));
    "get_flat_coord", 2..=2, "get_flat_coord(layout, offset)",
        "the same with one index a mode", |call| call.done(get_flat_coord(&call.plain(0)?, call.integer(1)?));
    "get_1d_coord", 2..=2, "get_1d_coord(layout, offset)",
        "the same as one index",
        |call| call.done(get_1d_coord(&call.plain(0)?, call.integer(1)?).map(Value::Integer));
    "slice" | "slice_and_offset", 2..=2, "slice(coordinate, layout)",
        "the modes under `_`, and the offset of the first element", sliced;
    "dice", 2..=2, "dice(coordinate, layout)",
        "the modes that the coordinate fixes", diced;
}
