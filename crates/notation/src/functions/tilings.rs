//! Divides and products.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::value::Value;

type By = fn(&AnyLayout, Tiler) -> layout_types::dynamic::Result<AnyLayout>;
type Whole = fn(&AnyLayout, &DynLayout) -> layout_types::dynamic::Result<AnyLayout>;

fn by_tiler(call: &Call, f: By) -> Result<Value> {
    call.done(f(&call.layout(0)?, call.tiler(1)?))
}

fn by_layout(call: &Call, f: Whole) -> Result<Value> {
    call.done(f(&call.layout(0)?, &call.plain(1)?))
}

fn to_shape(call: &Call) -> Result<Value> {
    let (block, shape) = (call.layout(0)?, call.shape(1)?);
    if call.len() == 2 {
        return call.done(tile_to_shape(&block, &shape));
    }
    call.done(tile_to_shape_by(&block, &shape, &call.tuple(2)?))
}

fn ceil_div(call: &Call) -> Result<Value> {
    let shape = call.shape(0)?;
    match call.value(1) {
        Value::Integer(_) | Value::Tuple(_) => {
            let by = call.shape(1)?;
            let rest = shape.ceil_div(&by);
            rest.map(Value::from)
                .map_err(|rule| call.fail(format!("{shape} / {by}: {rule}")))
        }
        _ => call.done(ceil_div_layout(&shape, &call.plain(1)?)),
    }
}

/// Evaluates CuTe's `local_tile`: returns the tile at a coordinate. A `_` in the coordinate keeps
/// all tiles along its mode.
fn local_tile(call: &Call) -> Result<Value> {
    let tiles = zipped_divide(&call.layout(0)?, call.tiler(1)?);
    let tiles = tiles.map_err(|error| call.refused(error))?;
    let open = Nested::Leaf(CoordLeaf::Underscore);
    let all = |i: usize| match tiles.shape().get(i) {
        Some(Nested::Tuple(modes)) => Nested::Tuple(vec![open.clone(); modes.len()]),
        _ => open.clone(),
    };
    let which = match (call.coord(2)?, all(1)) {
        (Nested::Tuple(mut given), Nested::Tuple(rest)) => {
            if given.len() < rest.len() {
                given.resize(rest.len(), open.clone());
            }
            Nested::Tuple(given)
        }
        (given, _) => given,
    };
    let coord = Nested::Tuple(vec![all(0), which]);
    let refuse = |error| call.refused(error);
    let (layout, offset) = match &tiles {
        AnyLayout::Plain(plain) => {
            let (layout, offset) = slice_and_offset(&coord, plain).map_err(refuse)?;
            (layout.into(), offset)
        }
        swizzled => {
            let (layout, offset) = slice_and_offset_any(&coord, swizzled).map_err(refuse)?;
            (layout, Nested::Leaf(offset))
        }
    };
    Ok(Value::Slice(crate::value::Slice { layout, offset }))
}

functions! {
    "logical_divide", 2..=2, "logical_divide(layout, tiler)",
        "each mode as (tile, rest)", |call| by_tiler(call, logical_divide);
    "zipped_divide", 2..=2, "zipped_divide(layout, tiler)",
        "((tiles), (rests))", |call| by_tiler(call, zipped_divide);
    "tiled_divide", 2..=2, "tiled_divide(layout, tiler)",
        "((tiles), rest, rest, ..)", |call| by_tiler(call, tiled_divide);
    "flat_divide", 2..=2, "flat_divide(layout, tiler)",
        "(tile, tile, .., rest, rest, ..)", |call| by_tiler(call, flat_divide);
    "exact_logical_divide", 2..=2, "exact_logical_divide(layout, tiler)",
        "logical_divide where no tile sticks out", |call| by_tiler(call, exact_logical_divide);
    "exact_zipped_divide", 2..=2, "exact_zipped_divide(layout, tiler)",
        "zipped_divide where no tile sticks out", |call| by_tiler(call, exact_zipped_divide);
    "exact_tiled_divide", 2..=2, "exact_tiled_divide(layout, tiler)",
        "tiled_divide where no tile sticks out", |call| by_tiler(call, exact_tiled_divide);
    "exact_flat_divide", 2..=2, "exact_flat_divide(layout, tiler)",
        "flat_divide where no tile sticks out", |call| by_tiler(call, exact_flat_divide);
    "local_tile", 3..=3, "local_tile(layout, tiler, coordinate of the tile)",
        "one tile, or with `_` all tiles along a mode", local_tile;
    "ceil_div", 2..=2, "ceil_div(shape, shape or layout)",
        "how many tiles there are", ceil_div;
    "logical_product", 2..=2, "logical_product(block, tiler)",
        "(block, places of its copies)", |call| by_tiler(call, logical_product);
    "zipped_product", 2..=2, "zipped_product(block, tiler)",
        "((blocks), (places))", |call| by_tiler(call, zipped_product);
    "tiled_product", 2..=2, "tiled_product(block, tiler)",
        "((blocks), place, place, ..)", |call| by_tiler(call, tiled_product);
    "flat_product", 2..=2, "flat_product(block, tiler)",
        "(block, block, .., place, place, ..)", |call| by_tiler(call, flat_product);
    "blocked_product", 2..=2, "blocked_product(block, tiler)",
        "blocks side by side, each whole", |call| by_layout(call, blocked_product);
    "raked_product", 2..=2, "raked_product(block, tiler)",
        "blocks interleaved", |call| by_layout(call, raked_product);
    "tile_to_shape", 2..=3, "tile_to_shape(block, shape, order)",
        "the block repeated to fill a shape", to_shape;
}
