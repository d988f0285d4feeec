//! Functions that treat a layout as a tuple of its modes.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::error::Result;
use crate::value::Value;

fn indices(call: &Call) -> Result<Vec<usize>> {
    if let (2, Value::Tuple(_)) = (call.len(), call.value(1)) {
        let modes = call.tuple(1)?;
        return modes
            .leaves()
            .into_iter()
            .map(|mode| {
                usize::try_from(*mode)
                    .map_err(|_| call.wrong(1, format!("there is no mode {mode}")))
            })
            .collect();
    }
    (1..call.len()).map(|i| call.index(i)).collect()
}

fn selected(call: &Call) -> Result<Value> {
    let modes = indices(call)?;
    if let Value::Tuple(elements) = call.value(0) {
        let pick = |mode: &usize| {
            let found = elements.get(*mode).cloned();
            found.ok_or_else(|| call.fail(format!("the tuple has no element {mode}")))
        };
        return Ok(Value::Tuple(modes.iter().map(pick).collect::<Result<_>>()?));
    }
    call.done(select(&call.layout(0)?, &modes))
}

/// Evaluates CuTe's `get<i,j>` and `layout<i,j>`: selects a mode of a mode.
fn part(call: &Call) -> Result<Value> {
    let mut value = match call.value(0) {
        Value::Tuple(_) | Value::Integer(_) => call.value(0).clone(),
        _ => call.layout(0)?.into(),
    };
    for i in indices(call)? {
        let missing = || call.fail(format!("{value} has no mode {i}"));
        value = match &value {
            Value::Tuple(modes) => modes.get(i).cloned().ok_or_else(missing)?,
            Value::Layout(layout) => {
                let picked = layout.map_domain("get", &[], |domain| {
                    let mode = domain.mode(i);
                    Ok(mode.unwrap_or_else(|| domain.clone()))
                });
                if i >= layout.domain().rank() {
                    return Err(missing());
                }
                call.done(picked)?
            }
            _ if i == 0 => value,
            _ => return Err(missing()),
        };
    }
    Ok(value)
}

type Extend = fn(&AnyLayout, &DynLayout) -> layout_types::dynamic::Result<AnyLayout>;
type ExtendTo =
    fn(&AnyLayout, usize, Option<&DynLayout>) -> layout_types::dynamic::Result<AnyLayout>;

/// Appends to `a`: `append(a, x)`, `append(a, rank)`, or `append(a, x, rank)` with `x` and `rank`
/// in either order.
fn extend(call: &Call, one: Extend, to: ExtendTo) -> Result<Value> {
    let layout = call.layout(0)?;
    let (rank, mode) = match (call.value(1), call.len()) {
        (Value::Integer(_), 2) => (Some(1), None),
        (Value::Integer(_), _) => (Some(1), Some(2)),
        (_, 2) => (None, Some(1)),
        _ => (Some(2), Some(1)),
    };
    let mode = mode.map(|i| call.plain(i)).transpose()?;
    match (rank, mode) {
        (None, Some(mode)) => call.done(one(&layout, &mode)),
        (Some(rank), mode) => call.done(to(&layout, call.index(rank)?, mode.as_ref())),
        (None, None) => Err(call.fail("a mode or a rank is needed")),
    }
}

fn flat(call: &Call) -> Result<Value> {
    match call.value(0) {
        tuple @ Value::Tuple(_) if tuple.int_tuple().is_some() => {
            Ok(call.tuple(0)?.flatten().into())
        }
        _ => call.done(flatten(&call.layout(0)?)),
    }
}

fn zipped(call: &Call) -> Result<Value> {
    if call.len() == 1 {
        return call.done(zip_modes(&call.layout(0)?));
    }
    call.done(zip(&call.plain(0)?, &call.plain(1)?))
}

functions! {
    "select", 2..=usize::MAX, "select(layout, mode, mode, ..)",
        "these modes, in this order", selected;
    "get" | "layout", 2..=usize::MAX, "get(layout, mode, ..)",
        "a mode, or a mode of a mode", part;
    "take", 3..=3, "take(layout, begin, end)",
        "the modes from begin to before end",
        |call| call.done(take(&call.layout(0)?, call.index(1)?, call.index(2)?));
    "group" | "group_modes", 3..=3, "group(layout, begin, end)",
        "the modes from begin to before end as one",
        |call| call.done(group(&call.layout(0)?, call.index(1)?, call.index(2)?));
    "flatten", 1..=1, "flatten(layout)",
        "without nesting", flat;
    "append", 2..=3, "append(layout, mode) or append(layout, rank, mode)",
        "one more mode, or as many as a rank needs", |call| extend(call, append, append_to);
    "prepend", 2..=3, "prepend(layout, mode) or prepend(layout, rank, mode)",
        "the same in front", |call| extend(call, prepend, prepend_to);
    "replace", 3..=3, "replace(layout, i, mode)",
        "another mode i", |call| call.done(replace(&call.layout(0)?, call.index(1)?, &call.plain(2)?));
    "zip", 1..=2, "zip(a, b) or zip(layout)",
        "mode by mode a pair", zipped;
}
