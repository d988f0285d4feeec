//! The vectors printed by CuTe C++, each written as an expression of the language.

// Each test uses a part of this module.
#![allow(dead_code)]

use serde_json::Value;

pub const ALGEBRA: &str = include_str!("../../../../layout-types/tests/data/algebra.jsonl");
pub const INADMISSIBLE: &str =
    include_str!("../../../../layout-types/tests/data/inadmissible.jsonl");
pub const DIFFERENCES: &str = include_str!("../../../../layout-types/tests/data/differences.jsonl");

pub fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

/// Converts a tuple of the files to notation. The files hold a tuple as a string, a number, or a
/// list if it contains `_` or layouts.
pub fn notation(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('[', "(").replace(']', ")"),
        Value::Array(modes) => {
            let modes: Vec<String> = modes.iter().map(notation).collect();
            // One layout in parentheses is the layout; a comma makes it a tuple.
            let comma = if modes.len() == 1 && modes[0].contains(':') {
                ","
            } else {
                ""
            };
            format!("({}{comma})", modes.join(","))
        }
        other => other.to_string(),
    }
}

/// The expression of an operation, and the expressions of further values that its vector states.
pub struct Written {
    pub expression: String,
    pub more: Vec<(&'static str, String)>,
}

/// Converts an operation of the files to an expression.
pub fn written(op: &str, input: &Value) -> Written {
    let of = |key: &str| notation(&input[key]);
    let has = |key: &str| input.get(key).is_some();
    let tiler = || of(if has("tiler") { "tiler" } else { "b" });
    let call = |name: &str, keys: &[&str]| {
        let operands: Vec<String> = keys.iter().map(|key| of(key)).collect();
        format!("{name}({})", operands.join(", "))
    };
    let swizzled = || format!("({} o {})", of("sw"), of("a"));
    let mut more = Vec::new();
    let expression = match op {
        "append" | "prepend" => call(op, &["a", "x"]),
        "append_n" | "prepend_n" => call(&op[..op.len() - 2], &["a", "n"]),
        "append_n_x" | "prepend_n_x" => {
            format!(
                "{}<{}>({}, {})",
                &op[..op.len() - 4],
                of("n"),
                of("a"),
                of("x")
            )
        }
        "blocked_product" | "raked_product" | "max_common_layout" | "max_common_vector" | "zip" => {
            call(op, &["a", "b"])
        }
        "ceil_div_layout" => call("ceil_div", &["m", "tiler"]),
        "coalesce" | "filter" | "filter_zeros" | "flatten" | "nullspace" | "left_inverse"
        | "right_inverse" | "make_fragment_like" | "make_layout_like" | "max_alignment" => {
            call(op, &["a"])
        }
        "coalesce_by_profile" => call("coalesce", &["a", "profile"]),
        "complement" if has("m") => call(op, &["a", "m"]),
        "complement" => call(op, &["a"]),
        // Half of these are written as a call, half with the sign.
        "composition" if of("a").len() % 2 == 0 => call(op, &["a", "b"]),
        "composition" => format!("{} o {}", of("a"), of("b")),
        "composition_tiler" => format!("composition({}, {})", of("a"), tiler()),
        "composition_swizzle" => format!("{} o {}", of("sw"), of("a")),
        "crd2idx" => call(op, &["coord", "a"]),
        "dice" => call(op, &["coord", "a"]),
        "domain_distribute" => call(op, &["shape", "b"]),
        "downcast" | "upcast" => format!("{op}<{}>({})", of("n"), of("a")),
        "recast_layout" => call(op, &["a", "old_bits", "new_bits"]),
        "get_hier_coord" => {
            more.push(("flat", call("get_flat_coord", &["a", "idx"])));
            more.push(("oned", call("get_1d_coord", &["a", "idx"])));
            call(op, &["a", "idx"])
        }
        "idx2crd" => call(op, &["idx", "shape"]),
        "group" | "take" => format!("{op}<{},{}>({})", of("b"), of("e"), of("a")),
        "select" => {
            let modes = of("modes");
            format!("select<{}>({})", modes.trim_matches(['(', ')']), of("a"))
        }
        "replace" => call(op, &["a", "i", "x"]),
        "layout" => {
            for key in ["size", "cosize", "rank", "depth", "coshape"] {
                if !of("a").starts_with("Sw") {
                    more.push((key, format!("{key}({})", of("a"))));
                }
            }
            of("a")
        }
        "logical_divide_tiler"
        | "zipped_divide_tiler"
        | "tiled_divide_tiler"
        | "flat_divide_tiler"
        | "logical_product_tiler"
        | "zipped_product_tiler"
        | "tiled_product_tiler"
        | "flat_product_tiler" => {
            format!(
                "{}({}, {})",
                op.trim_end_matches("_tiler"),
                of("a"),
                tiler()
            )
        }
        "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide" | "logical_product"
        | "zipped_product" | "tiled_product" | "flat_product" => {
            format!("({}).{op}({})", of("a"), tiler())
        }
        "zipped_divide_identity" => {
            format!(
                "zipped_divide(make_identity_layout({}), {})",
                of("shape"),
                tiler()
            )
        }
        "make_identity_layout" | "make_layout_left" | "make_layout_right" => call(op, &["shape"]),
        "make_ordered_layout" => call(op, &["shape", "order"]),
        "predicates" => {
            for key in ["congruent", "weakly_congruent", "compatible"] {
                more.push((key, call(key, &["a", "b"])));
            }
            call("size", &["a"])
        }
        "slice" | "slice_and_offset" => {
            more.push((
                "offset",
                format!("slice({}, {}).offset", of("coord"), of("a")),
            ));
            match of("coord").strip_prefix('(') {
                Some(coords) => format!("({})({}", of("a"), coords),
                None => format!("({})({})", of("a"), of("coord")),
            }
        }
        "swizzle" => of("sw"),
        "swizzled_composition" => format!("{} o {}", swizzled(), tiler()),
        "swizzled_downcast" => format!("downcast({}, {})", swizzled(), of("n")),
        "swizzled_upcast" => format!("upcast({}, {})", swizzled(), of("n")),
        "swizzled_tile_to_shape" => format!("tile_to_shape({}, {})", swizzled(), of("shape")),
        "swizzled_zipped_divide" => format!("zipped_divide({}, {})", swizzled(), tiler()),
        "tile_to_shape" if has("order") => call(op, &["a", "shape", "order"]),
        "tile_to_shape" => call(op, &["a", "shape"]),
        "with_shape" => call(op, &["a", "shape"]),
        "zip1" => call("zip", &["a"]),
        other => panic!("no expression for operation {other}"),
    };
    Written { expression, more }
}
