//! Compositions, complements, inverses, and functions that reduce a layout's modes or change its
//! units.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::value::Value;

fn compose(call: &Call) -> Result<Value> {
    if let Some(swizzle) = call.swizzle(0) {
        if let Some(inner) = call.swizzle(1) {
            let merged = swizzle.compose(&inner);
            return merged
                .map(Value::Swizzle)
                .map_err(|rule| call.fail(rule.to_string()));
        }
        return Ok(Value::Layout(match call.layout(1)? {
            AnyLayout::Plain(plain) => swizzled(swizzle, plain),
            inner if swizzle.is_identity() => inner,
            inner => AnyLayout::Composed(Composed::new(swizzle, 0, inner)),
        }));
    }
    let left = call.layout(0)?;
    if let Some(swizzle) = call.swizzle(1) {
        return match left {
            AnyLayout::Plain(left) => call.done(swizzle_behind(&left, swizzle)),
            AnyLayout::Composed(_) => {
                Err(call.wrong(1, "a swizzle behind a layout behind a swizzle is no layout"))
            }
        };
    }
    match call.value(1) {
        // A number, a tuple or `_` is a tiler, applied by mode.
        Value::Integer(_) | Value::Tuple(_) | Value::Underscore => {
            call.done(composition(&left, call.tiler(1)?))
        }
        _ => call.done(composition_any(&left, &call.layout(1)?)),
    }
}

fn complement_of(call: &Call) -> Result<Value> {
    let layout = call.layout(0)?;
    if call.len() == 1 {
        return call.done(complement_in_cosize(&layout));
    }
    call.done(complement(&layout, call.shape(1)?))
}

fn by_profile(
    call: &Call,
    whole: fn(&AnyLayout) -> layout_types::dynamic::Result<AnyLayout>,
    by: fn(&AnyLayout, &IntTuple) -> layout_types::dynamic::Result<AnyLayout>,
) -> Result<Value> {
    let layout = call.layout(0)?;
    if call.len() == 1 {
        return call.done(whole(&layout));
    }
    call.done(by(&layout, &call.tuple(1)?))
}

fn recast(call: &Call) -> Result<Value> {
    let (old, new) = (call.bits(1)?, call.bits(2)?);
    call.done(recast_layout(&call.layout(0)?, old.into(), new.into()))
}

functions! {
    "composition" | "compose", 2..=2, "composition(layout, layout or tiler), or A o B",
        "the first after the second", compose;
    "complement", 1..=2, "complement(layout, target)",
        "where copies of the layout go so that together they fill the target", complement_of;
    "coalesce", 1..=2, "coalesce(layout, profile)",
        "the same function with the fewest modes, or each mode of a profile so",
        |call| by_profile(call, coalesce, coalesce_by);
    "filter", 1..=2, "filter(layout, profile)",
        "coalesced, without the modes of stride 0", |call| by_profile(call, filter, filter_by);
    "filter_zeros", 1..=1, "filter_zeros(layout)",
        "modes of stride 0 made size 1", |call| call.done(filter_zeros(&call.layout(0)?));
    "right_inverse", 1..=1, "right_inverse(layout)",
        "from offsets to indices, as far as the offsets have no hole",
        |call| call.done(right_inverse_any(&call.layout(0)?));
    "left_inverse", 1..=1, "left_inverse(layout)",
        "from the offsets that an injective layout has to indices",
        |call| call.done(left_inverse_any(&call.layout(0)?));
    "nullspace", 1..=1, "nullspace(layout)",
        "the indices that do not move the offset", |call| call.done(nullspace(&call.plain(0)?));
    "max_common_layout", 2..=2, "max_common_layout(a, b)",
        "the longest run of elements that lie alike in both",
        |call| call.done(max_common_layout_any(&call.layout(0)?, &call.layout(1)?));
    "max_common_vector", 2..=2, "max_common_vector(a, b)",
        "how many contiguous elements lie alike in both",
        |call| call.done(max_common_vector_any(&call.layout(0)?, &call.layout(1)?).map(Value::Integer));
    "max_alignment", 1..=1, "max_alignment(layout)",
        "the widest vector that the layout allows everywhere",
        |call| call.done(max_alignment_any(&call.layout(0)?).map(Value::Integer));
    "upcast", 2..=2, "upcast(layout, n)",
        "n neighbouring elements counted as one", |call| call.done(upcast(&call.layout(0)?, call.positive(1)?));
    "exact_upcast", 2..=2, "exact_upcast(layout, n)",
        "upcast where the elements fill whole units",
        |call| call.done(exact_upcast(&call.layout(0)?, call.positive(1)?));
    "downcast", 2..=2, "downcast(layout, n)",
        "each element counted as n", |call| call.done(downcast(&call.layout(0)?, call.positive(1)?));
    "recast_layout" | "recast", 3..=3, "recast_layout(layout, old type, new type)",
        "the layout in elements of another width", recast;
    "with_shape", 2..=2, "with_shape(layout, shape)",
        "the layout with another shape", |call| call.done(with_shape(&call.layout(0)?, &call.shape(1)?));
    "domain_distribute", 2..=2, "domain_distribute(shape, n)",
        "n elements spread over a shape",
        |call| call.done(domain_distribute(&call.shape(0)?, call.positive(1)?));
}
