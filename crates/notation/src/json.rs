//! Converts values, errors and explanations to JSON.
//!
//! ```text
//! (4,2):(2,1)   {"kind":"layout","printed":"(4,2):(2,1)","shape":[4,2],"stride":[2,1],"laws":{..},"offsets":[0,2,..]}
//! ```
//!
//! Law: for a layout, a tuple or a number, `printed` reads back as the value; `offsets` lists the
//! offsets in index order, up to 4096 elements.

use layout_types::dynamic::{AnyLayout, Domain, IntTuple, Nested, Stride};
use serde_json::{Value as Json, json};

use crate::atoms::Operand;
use crate::error::{Error, ErrorKind};
use crate::explain::Explanation;
use crate::laws::Laws;
use crate::thread_value::ThreadValue;
use crate::tiled::Side;
use crate::value::Value;

/// The largest number of elements of a table; larger tables are omitted.
const LONGEST_TABLE: i64 = 4096;

fn nested(tuple: &IntTuple) -> Json {
    match tuple {
        Nested::Leaf(value) => json!(value),
        Nested::Tuple(modes) => modes.iter().map(nested).collect(),
    }
}

fn strides(tuple: &Nested<Stride>) -> Json {
    match tuple {
        Nested::Leaf(stride) if stride.is_basis() => json!(stride.to_string()),
        Nested::Leaf(stride) => json!(stride.value()),
        Nested::Tuple(modes) => modes.iter().map(strides).collect(),
    }
}

fn laws(laws: &Laws) -> Json {
    json!({
        "size": laws.size,
        "cosize": laws.cosize.as_ref().map(|cosize| match cosize.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => json!(cosize),
        }),
        "rank": laws.rank,
        "depth": laws.depth,
        "injective": laws.injective,
        "compact": laws.compact,
        "contiguous": laws.contiguous,
        "vector": laws.vector,
    })
}

fn layout(layout: &AnyLayout) -> Json {
    let (mut swizzles, mut inner) = (Vec::new(), layout);
    while let AnyLayout::Composed(outer) = inner {
        let swizzle = outer.swizzle();
        swizzles.push(json!({
            "bits": swizzle.bits(), "base": swizzle.base(), "shift": swizzle.shift(), "offset": outer.offset(),
        }));
        inner = outer.inner();
    }
    let domain = layout.domain();
    let offsets: Option<Vec<Json>> = match domain.size() {
        Ok(size) if size <= LONGEST_TABLE => (0..size)
            .map(|i| match layout {
                AnyLayout::Plain(plain) => plain.eval(i).ok().map(|at| nested(&at)),
                swizzled => swizzled.offset(i).ok().map(|at| json!(at)),
            })
            .collect(),
        _ => None,
    };
    json!({
        "printed": layout.to_string(),
        "shape": nested(domain.shape()),
        "stride": strides(domain.stride()),
        "swizzles": swizzles,
        "laws": laws(&Laws::of(layout)),
        "offsets": offsets,
    })
}

fn thread_value(tv: &ThreadValue) -> Json {
    let mut out = layout(tv.layout());
    out["name"] = json!(tv.name());
    out["tile"] = nested(tv.tile());
    out["modes"] = json!(tv.modes());
    out["threads"] = json!(tv.threads());
    out["values"] = json!(tv.values());
    if let Some(extents) = tv.extents() {
        out["extents"] = nested(extents);
    }
    out
}

fn printed(value: &Value) -> Json {
    json!({ "printed": value.to_string() })
}

/// Converts a value.
///
/// ```
/// let json = notation::json::value(&notation::eval("(4,2):(2,1)").unwrap());
/// assert_eq!(json["shape"], serde_json::json!([4, 2]));
/// assert_eq!(json["offsets"][1], 2);
/// assert_eq!(json["laws"]["compact"], true);
/// ```
#[must_use]
pub fn value(of: &Value) -> Json {
    let mut out = match of {
        Value::Integer(number) => json!({ "printed": of.to_string(), "value": number }),
        Value::Boolean(truth) => json!({ "printed": of.to_string(), "value": truth }),
        Value::Layout(plain) => layout(plain),
        Value::Slice(slice) => {
            let mut out = layout(&slice.layout);
            out["offset"] = nested(&slice.offset);
            out
        }
        Value::ThreadValue(tv) => thread_value(tv),
        Value::Redistribution(redistribution) => json!({
            "printed": of.to_string(), "from": thread_value(redistribution.from()),
            "to": thread_value(redistribution.to()), "between": redistribution.between(),
        }),
        Value::Partition(partition) => {
            let mut out = layout(partition.part());
            out["thread"] = layout(&AnyLayout::Plain(partition.thread().clone()));
            out
        }
        Value::MmaAtom(atom) => json!({
            "printed": of.to_string(), "ptx": atom.ptx(), "sm": atom.sm(), "shape": atom.shape(),
            "types": atom.types(), "ThrID": atom.thr_id().to_string(),
            "A": thread_value(&atom.operand(Operand::A)),
            "B": thread_value(&atom.operand(Operand::B)),
            "C": thread_value(&atom.operand(Operand::C)),
        }),
        Value::CopyAtom(atom) => json!({
            "printed": of.to_string(), "ptx": atom.operation().ptx(), "element": atom.element().name(),
            "threads": atom.threads(), "source": layout(&atom.source().clone().into()),
            "destination": layout(&atom.destination().clone().into()),
            "reference": layout(&atom.reference().clone().into()),
        }),
        Value::TiledMma(mma) => {
            let operand = |operand| mma.operand(operand).ok().map(|tv| thread_value(&tv));
            json!({
                "printed": of.to_string(), "tile": mma.tile(), "threads": mma.threads(),
                "thr_layout_vmnk": mma.thr_layout_vmnk().to_string(),
                "A": operand(Operand::A), "B": operand(Operand::B), "C": operand(Operand::C),
            })
        }
        Value::TiledCopy(copy) => {
            let side = |side| copy.side(side).ok().map(|tv| thread_value(&tv));
            json!({
                "printed": of.to_string(), "tile": nested(copy.tile()), "tiler": copy.tiler().to_string(),
                "threads": copy.threads(), "source": side(Side::Source), "destination": side(Side::Destination),
                "fragment": thread_value(&copy.fragment()),
            })
        }
        Value::Conflicts(conflicts) => json!({
            "printed": of.to_string(), "ways": conflicts.ways, "extra": conflicts.extra, "bytes": conflicts.bytes,
            "worst": conflicts.worst.as_ref().map(|phase| json!({
                "threads": [phase.threads.start, phase.threads.end], "value": phase.value, "bank": phase.bank,
                "wanted_by": phase.wanted_by,
            })),
        }),
        Value::TmaTile(tile) => json!({
            "printed": of.to_string(), "tile": layout(&tile.tile), "box": tile.extents(), "boxes": tile.tma.boxes,
            "inner_mode": tile.tma.inner, "swizzle": tile.swizzle().to_string(), "bytes": tile.tma.bytes,
            "tile_bytes": tile.tma.tile_bytes(), "starts": tile.starts,
        }),
        Value::WgmmaOperand(operand) => json!({
            "printed": of.to_string(), "tile": layout(&operand.tile), "major": operand.major.to_string(),
            "rows": operand.rows, "columns": operand.columns, "swizzle": operand.swizzle().to_string(),
            "leading_byte_offset": operand.gmma.leading, "stride_byte_offset": operand.gmma.stride,
            "blocks": [operand.gmma.blocks.0, operand.gmma.blocks.1], "starts": operand.starts,
            "descriptors": operand.descriptors(),
        }),
        other => printed(other),
    };
    out["kind"] = json!(of.kind().trim_start_matches("a ").trim_start_matches("an "));
    out
}

/// Converts an error: its message, its place as bytes, and what to write instead.
///
/// ```
/// let json = notation::json::error(&notation::eval("(4,2):(2,1").unwrap_err());
/// assert_eq!(json["error"]["span"], serde_json::json!([10, 10]));
/// ```
#[must_use]
pub fn error(of: &Error) -> Json {
    let kind = match of.kind() {
        ErrorKind::Syntax(_) => "syntax",
        ErrorKind::Name(_) => "name",
        ErrorKind::Operand(_) => "operand",
        ErrorKind::Refused(_) => "refused",
        ErrorKind::NotTileable(_) => "not tileable",
        ErrorKind::TooLarge(_) => "too large",
    };
    let mode = match of.kind() {
        ErrorKind::Refused(refused) => Some(refused.mode().to_vec()),
        _ => None,
    };
    let span = of.span();
    json!({ "error": {
        "kind": kind, "message": of.message(), "span": [span.start, span.end], "help": of.help(), "mode": mode,
    }})
}

/// Converts an explanation: its outcome, and each operation on the way.
#[must_use]
pub fn explanation(of: &Explanation) -> Json {
    let mut out = match &of.outcome {
        Ok(result) => value(result),
        Err(failed) => error(failed),
    };
    let steps: Vec<Json> = of
        .steps
        .iter()
        .map(|step| {
            json!({
                "operation": step.title, "span": [step.span.start, step.span.end], "lines": step.lines,
                "result": step.outcome.as_ref().ok(), "refused": step.outcome.as_ref().err(),
            })
        })
        .collect();
    out["steps"] = json!(steps);
    out
}
