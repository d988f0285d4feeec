//! Functions that make layouts, tuples and swizzles.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::value::Value;

/// Makes a layout: `make_layout(shape)`, `(shape, stride)`, `(layout, layout, ..)`.
fn layout(call: &Call) -> Result<Value> {
    let is_shape = call.value(0).int_tuple().is_some();
    match (is_shape, call.len()) {
        (true, 1) => call.done(make_layout_left(&call.shape(0)?)),
        (true, 2) => match call.value(1).stride() {
            Some(stride) => call.done(DynLayout::new(call.shape(0)?, stride)),
            None => Err(call.wrong(
                1,
                format!("a stride is expected here, not {}", call.value(1).kind()),
            )),
        },
        (true, _) => {
            call.at_most(2)?;
            Err(call.fail("a shape and a stride are expected"))
        }
        (false, _) => {
            let modes = (0..call.len())
                .map(|i| call.plain(i))
                .collect::<Result<Vec<_>>>()?;
            call.done(DynLayout::from_modes(modes))
        }
    }
}

fn tuple(call: &Call) -> Result<Value> {
    let elements: Vec<Value> = (0..call.len()).map(|i| call.value(i).clone()).collect();
    match elements
        .iter()
        .find(|value| value.tiler().is_none() && value.stride().is_none())
    {
        Some(other) => Err(call.fail(format!("a tuple holds no {other}"))),
        None => Ok(Value::Tuple(elements)),
    }
}

fn swizzle(call: &Call) -> Result<Value> {
    let part = |i: usize| -> Result<i32> {
        let value = call.integer(i)?;
        i32::try_from(value).map_err(|_| call.wrong(i, format!("no swizzle has {value} bits")))
    };
    let bits = |i: usize| -> Result<u32> {
        let value = part(i)?;
        u32::try_from(value)
            .map_err(|_| call.wrong(i, format!("at least 0 is needed, not {value}")))
    };
    let (b, m, s) = (bits(0)?, bits(1)?, part(2)?);
    if s == i32::MIN {
        return Err(call.wrong(2, "no swizzle shifts so far"));
    }
    Swizzle::new(b, m, s)
        .map(Value::Swizzle)
        .map_err(|rule| call.fail(rule.to_string()))
}

fn ordered(call: &Call) -> Result<Value> {
    call.done(make_ordered_layout(&call.shape(0)?, &call.tuple(1)?))
}

/// Reads `Int<8>`, an integer as C++ writes it.
fn integer(call: &Call) -> Result<Value> {
    call.integer(0).map(Value::Integer)
}

functions! {
    "make_layout" | "Layout", 1..=usize::MAX, "make_layout(shape, stride) or make_layout(layout, layout, ..)",
        "a layout of a shape and a stride, column-major without one; layouts side by side", layout;
    "make_tuple" | "make_shape" | "make_stride" | "make_coord" | "make_tile" | "make_tiler" | "Shape" | "Stride"
        | "Coord" | "Tile" | "Step",
        0..=usize::MAX, "make_tuple(a, b, ..)", "a tuple", tuple;
    "Int" | "C", 1..=1, "Int<8>", "a number", integer;
    "Sw" | "Swizzle", 3..=3, "Sw<B,M,S>",
        "B bits, M bits from the right, exclusive-ored with those S higher", swizzle;
    "make_layout_left", 1..=1, "make_layout_left(shape)",
        "column-major", |call| call.done(make_layout_left(&call.shape(0)?));
    "make_layout_right", 1..=1, "make_layout_right(shape)",
        "row-major", |call| call.done(make_layout_right(&call.shape(0)?));
    "make_ordered_layout", 2..=2, "make_ordered_layout(shape, order)",
        "compact, the mode of least order contiguous", ordered;
    "make_layout_like", 1..=1, "make_layout_like(layout)",
        "compact, strides ordered as in the layout", |call| call.done(make_layout_like(&call.plain(0)?));
    "make_fragment_like", 1..=1, "make_fragment_like(layout)",
        "registers for it, mode 0 first", |call| call.done(make_fragment_like(&call.plain(0)?));
    "make_identity_layout", 1..=1, "make_identity_layout(shape)",
        "from coordinates to themselves", |call| call.done(make_identity_layout(&call.shape(0)?));
}
