//! Converts the vectors to types: each line of `data/algebra.jsonl` to a type expression.
//!
//! ```text
//!   {"op":"complement","in":{"a":"(2,2):(1,6)","m":24}}   ->   Complement<layout!((2,2):(1,6)), int!(24)>
//! ```

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Converts a tuple of the golden files to notation. The files hold a tuple as a string, a number,
/// or a list if it contains `_` or layouts.
pub fn notation(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(modes) => format!(
            "({})",
            modes.iter().map(notation).collect::<Vec<_>>().join(",")
        ),
        other => other.to_string(),
    }
}

/// The operands of one vector, which are written as types.
struct Operands<'a>(&'a Value);

impl Operands<'_> {
    fn text(&self, key: &str) -> String {
        notation(&self.0[key])
    }
    fn int(&self, key: &str) -> String {
        format!("int!({})", self.text(key))
    }
    fn tuple(&self, key: &str) -> String {
        format!("coord!({})", self.text(key))
    }
    fn shape(&self, key: &str) -> String {
        format!("shape!({})", self.text(key))
    }
    fn layout(&self, key: &str) -> String {
        let text = self.text(key);
        match text.split_once(" o 0 o ") {
            Some((swizzle, rest)) => {
                format!(
                    "Composition<{}, {}>",
                    swizzle_type(swizzle),
                    Operands(&serde_json::json!({"a": rest})).layout("a")
                )
            }
            None => format!("layout!({text})"),
        }
    }
    fn swizzled(&self) -> String {
        format!(
            "Composition<{}, {}>",
            swizzle_type(&self.text("sw")),
            self.layout("a")
        )
    }
    fn tiler(&self, key: &str) -> String {
        let (text, value) = (self.text(key), &self.0[key]);
        match value {
            Value::Array(_) => format!("tile!{text}"),
            _ if text.contains(':') => self.layout(key),
            _ => format!("shape!({text})"),
        }
    }
}

/// Writes `Sw<B,M,S>` as a type.
fn swizzle_type(text: &str) -> String {
    text.replace("Sw<", "Swizzle<")
}

/// Returns the number of numbers in a notation.
fn leaves(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .count()
}

/// Returns the type of a vector's result and its kind: a layout, a number, a shape, or the truth
/// values of predicates.
fn expression(op: &str, input: &Value) -> Option<(&'static str, String)> {
    let o = Operands(input);
    let a = || o.layout("a");
    let b = || o.layout("b");
    let tiler = || {
        o.tiler(if input.get("tiler").is_some() {
            "tiler"
        } else {
            "b"
        })
    };
    let has = |key: &str| input.get(key).is_some();
    let layout = |text: String| Some(("Layout", text));
    let divide = |name: &str| layout(format!("{name}<{}, {}>", a(), tiler()));
    let plain = |name: &str| layout(format!("{name}<{}>", a()));
    match op {
        "layout" => layout(a()),
        "coalesce" => plain("Coalesce"),
        "flatten" => plain("Flatten"),
        "filter" => plain("Filter"),
        "filter_zeros" => plain("FilterZeros"),
        "coalesce_by_profile" => layout(format!("CoalesceBy<{}, {}>", a(), o.shape("profile"))),
        "complement" if has("m") => layout(format!("Complement<{}, {}>", a(), o.shape("m"))),
        "complement" => layout(format!("Complement<{0}, Cosize<Filter<{0}>>>", a())),
        "composition" => layout(format!("Composition<{}, {}>", a(), b())),
        "composition_tiler" => divide("Composition"),
        "composition_swizzle" => layout(o.swizzled()),
        "logical_divide" | "logical_divide_tiler" => divide("LogicalDivide"),
        "zipped_divide" | "zipped_divide_tiler" => divide("ZippedDivide"),
        "tiled_divide" | "tiled_divide_tiler" => divide("TiledDivide"),
        "flat_divide" | "flat_divide_tiler" => divide("FlatDivide"),
        "logical_product" | "logical_product_tiler" => divide("LogicalProduct"),
        "zipped_product" | "zipped_product_tiler" => divide("ZippedProduct"),
        "tiled_product" | "tiled_product_tiler" => divide("TiledProduct"),
        "flat_product" | "flat_product_tiler" => divide("FlatProduct"),
        "blocked_product" => layout(format!("BlockedProduct<{}, {}>", a(), b())),
        "raked_product" => layout(format!("RakedProduct<{}, {}>", a(), b())),
        "zipped_divide_identity" => layout(format!(
            "ZippedDivide<Identity<{}>, {}>",
            o.shape("shape"),
            tiler()
        )),
        "right_inverse" => plain("RightInverse"),
        "left_inverse" => plain("LeftInverse"),
        "nullspace" => plain("Nullspace"),
        "with_shape" => layout(format!("WithShape<{}, {}>", a(), o.shape("shape"))),
        "upcast" => layout(format!("Upcast<{}, {}>", a(), o.int("n"))),
        "downcast" => layout(format!("Downcast<{}, {}>", a(), o.int("n"))),
        "recast_layout" => layout(format!(
            "Recast<{}, {}, {}>",
            a(),
            o.int("old_bits"),
            o.int("new_bits")
        )),
        "max_common_layout" => layout(format!("MaxCommonLayout<{}, {}>", a(), b())),
        "max_common_vector" => Some(("Number", format!("MaxCommonVector<{}, {}>", a(), b()))),
        "max_alignment" => Some(("Number", format!("MaxAlignment<{}>", a()))),
        "slice" => Some(("Slice", format!("{}, {}", a(), o.tuple("coord")))),
        "slice_and_offset" => Some(("Swizzled", format!("{}, {}", a(), o.tuple("coord")))),
        "dice" => layout(format!("Dice<{}, {}>", a(), o.tuple("coord"))),
        "crd2idx" => Some(("Offset", format!("{}, {}", a(), o.tuple("coord")))),
        "group" => layout(format!("Group<{}, {}, {}>", a(), o.int("b"), o.int("e"))),
        "take" => layout(format!("Take<{}, {}, {}>", a(), o.int("b"), o.int("e"))),
        "select" => layout(format!("Select<{}, {}>", a(), o.tuple("modes"))),
        "append" => layout(format!("Append<{}, {}>", a(), o.layout("x"))),
        "prepend" => layout(format!("Prepend<{}, {}>", a(), o.layout("x"))),
        "append_n" => layout(format!("AppendTo<{}, {}>", a(), o.int("n"))),
        "prepend_n" => layout(format!("PrependTo<{}, {}>", a(), o.int("n"))),
        "append_n_x" => layout(format!(
            "AppendTo<{}, {}, {}>",
            a(),
            o.int("n"),
            o.layout("x")
        )),
        "prepend_n_x" => layout(format!(
            "PrependTo<{}, {}, {}>",
            a(),
            o.int("n"),
            o.layout("x")
        )),
        "replace" => layout(format!(
            "Replace<{}, {}, {}>",
            a(),
            o.int("i"),
            o.layout("x")
        )),
        "zip" => layout(format!("Zip<{}, {}>", a(), b())),
        "zip1" => plain("ZipModes"),
        "tile_to_shape" if has("order") => layout(format!(
            "TileToShape<{}, {}, {}>",
            a(),
            o.shape("shape"),
            o.tuple("order")
        )),
        "tile_to_shape" => layout(format!("TileToShape<{}, {}>", a(), o.shape("shape"))),
        "make_layout_left" => layout(format!("LayoutLeft<{}>", o.shape("shape"))),
        "make_layout_right" => layout(format!("LayoutRight<{}>", o.shape("shape"))),
        "make_identity_layout" => layout(format!("Identity<{}>", o.shape("shape"))),
        "make_ordered_layout" => layout(format!(
            "MakeOrdered<{}, {}>",
            o.shape("shape"),
            o.tuple("order")
        )),
        "make_layout_like" => plain("MakeLike"),
        "make_fragment_like" => plain("MakeFragmentLike"),
        "ceil_div_layout" => Some((
            "Shape",
            format!("CeilDivLayout<{}, {}>", o.shape("m"), o.layout("tiler")),
        )),
        "domain_distribute" => layout(format!(
            "DomainDistribute<{}, {}>",
            o.shape("shape"),
            o.int("b")
        )),
        "predicates" => Some(("Predicates", format!("{}, {}", o.shape("a"), o.shape("b")))),
        "swizzle" => Some(("Swizzle", swizzle_type(&o.text("sw")))),
        "swizzled_tile_to_shape" => layout(format!(
            "TileToShape<{}, {}>",
            o.swizzled(),
            o.shape("shape")
        )),
        "swizzled_upcast" => layout(format!("Upcast<{}, {}>", o.swizzled(), o.int("n"))),
        "swizzled_downcast" => layout(format!("Downcast<{}, {}>", o.swizzled(), o.int("n"))),
        "swizzled_zipped_divide" => layout(format!("ZippedDivide<{}, {}>", o.swizzled(), tiler())),
        "swizzled_composition" => layout(format!("Composition<{}, {}>", o.swizzled(), b())),
        "idx2crd" => {
            let shape = o.shape("shape");
            Some((
                "Leaves",
                format!(
                    "{}, LayoutLeft<{shape}>, leaf_coordinates, {}",
                    leaves(&shape),
                    o.text("idx")
                ),
            ))
        }
        "get_hier_coord" => Some((
            "Leaves",
            format!(
                "{}, {}, coordinates_of, {}",
                leaves(&o.text("a")) / 2,
                a(),
                o.text("idx")
            ),
        )),
        other => panic!("no type for operation {other}"),
    }
}

/// Returns the source text of each operation's cases, by operation, and the number of vectors that
/// are covered.
pub fn sources(vectors: &[Value], refused: &BTreeSet<String>) -> (BTreeMap<String, String>, usize) {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut covered = 0;
    for (line, vector) in vectors.iter().enumerate() {
        let op = vector["op"].as_str().expect("an operation");
        if refused.contains(&format!("{op} {}", vector["in"])) {
            continue;
        }
        let Some((kind, text)) = expression(op, &vector["in"]) else {
            continue;
        };
        covered += 1;
        let file = files.entry(op.to_string()).or_insert_with(|| {
            "// Written by `types_golden.rs` from `data/algebra.jsonl`.\nuse super::*;\n\npub const CASES: &[Case] = cases![\n".to_string()
        });
        writeln!(file, "    {line} {kind}({text}),").expect("a string");
    }
    for file in files.values_mut() {
        file.push_str("];\n");
    }
    (files, covered)
}

/// Writes a crate with a line for each of these vectors, none of which may compile.
pub fn refusals(vectors: &[Value]) -> String {
    let mut text = String::from(
        "// Written by `types_golden.rs`.\n//! Vectors of CuTe that are refused, one a line: each line must be an error.\n\nuse layout_types::prelude::*;\n\n",
    );
    for (i, vector) in vectors.iter().enumerate() {
        let op = vector["op"].as_str().expect("an operation");
        let (kind, expression) = expression(op, &vector["in"]).expect("a type");
        assert_eq!(kind, "Layout", "{vector}");
        writeln!(text, "pub fn r{i}(_: {expression}) {{}}").expect("a string");
    }
    text
}
