//! Launch files as TOML: sizes, expressions over them, parameters with their fills.

use super::module::{Kernel, Parameter};
use super::source::Source;
use std::fmt::Write as _;

/// Returns a launch file for a kernel. Most of its parameters fit the kernel.
pub fn launch_file(s: &mut Source, kernel: &Kernel) -> String {
    let mut text = format!("ptx = \"k.ptx\"\nentry = \"{}\"\n", kernel.name);
    if s.rarely(32) {
        text += s.of(&[
            "target = \"sm_80\"\n",
            "target = \"sm_9\"\n",
            "target = 90\n",
        ]);
    }
    let _ = writeln!(text, "grid = {}", extents(s));
    let _ = writeln!(text, "block = {}", extents(s));
    if s.below(2) == 1 {
        let _ = writeln!(text, "shared = {}", expression(s, 0));
    }
    let _ = writeln!(text, "sizes = {}", sizes(s));
    text += "parameters = [\n";
    let extra = usize::from(s.rarely(8));
    let plain = [Parameter::Word];
    for parameter in kernel.parameters.iter().chain(&plain[..extra]) {
        let _ = writeln!(text, "  {},", argument(s, *parameter));
    }
    text += "]\n";
    text
}

fn sizes(s: &mut Source) -> String {
    if s.rarely(24) {
        return "[{ n = 1, m = 2 }, { n = 31, m = 0 }]".into();
    }
    let list = |s: &mut Source| {
        let values: Vec<String> = (0..1 + s.below(3)).map(|_| number(s)).collect();
        format!("[{}]", values.join(", "))
    };
    format!("{{ n = {}, m = {} }}", list(s), list(s))
}

fn number(s: &mut Source) -> String {
    match s.below(12) {
        11 => s
            .of(&[
                "-1",
                "0x10",
                "9223372036854775807",
                "-9223372036854775808",
                "1_000",
            ])
            .into(),
        10 => (s.size() % (1 << 62)).to_string(),
        _ => s.below(70).to_string(),
    }
}

fn extents(s: &mut Source) -> String {
    match s.below(6) {
        0..=2 => expression(s, 0),
        3 => format!("[{}, {}]", expression(s, 0), 1 + s.below(3)),
        4 => format!("[{}, 1, {}]", 1 + s.below(40), 1 + s.below(3)),
        _ => s
            .of(&["32", "1", "64", "[]", "[1, 1, 1, 1]", "0", "2147483647"])
            .into(),
    }
}

/// Returns a number, or a string with an expression.
fn expression(s: &mut Source, depth: usize) -> String {
    if s.below(2) == 0 {
        return (1 + s.below(40)).to_string();
    }
    let mut text = String::from("\"");
    sum(s, depth, &mut text);
    text.push('"');
    text
}

fn sum(s: &mut Source, depth: usize, text: &mut String) {
    if depth > 6 && !s.rarely(8) {
        return *text += "n";
    }
    match s.below(12) {
        0..=2 => *text += "n",
        3 => *text += "m",
        4 => *text += &number(s),
        5 | 6 => {
            sum(s, depth + 1, text);
            *text += s.of(&[" + ", " - ", " * ", " / ", " % "]);
            sum(s, depth + 1, text);
        }
        7 | 8 => {
            *text += s.of(&["ceil_div(", "round_up(", "min(", "max("]);
            sum(s, depth + 1, text);
            *text += ", ";
            *text += s.of(&["32", "n", "0", "7"]);
            *text += ")";
        }
        9 => {
            let open = if s.rarely(8) { s.below(100) } else { 1 };
            *text += &"(".repeat(open);
            sum(s, depth + 1, text);
            *text += &")".repeat(open);
        }
        10 => {
            *text += "-";
            sum(s, depth + 1, text);
        }
        _ => *text += s.of(&["n)", "q", "", "n n", "1e3", "min(1)"]),
    }
}

fn argument(s: &mut Source, parameter: Parameter) -> String {
    let ty = s.of(&[
        "f32", "u32", "u8", "i64", "f16", "bf16", "f64", "i16", "u64",
    ]);
    match parameter {
        Parameter::Word => format!("{{ type = \"u32\", value = {} }}", expression(s, 0)),
        Parameter::Bytes(bytes) => {
            let bytes = bytes.min(64) as usize;
            format!("{{ type = \"bytes\", value = \"{}\" }}", "0a".repeat(bytes))
        }
        Parameter::Pointer => {
            let length = match s.below(4) {
                0 => expression(s, 0),
                1 => "\"n * 64 + 1024\"".into(),
                _ => s
                    .of(&["4096", "1024", "1", "1099511627776", "300000"])
                    .into(),
            };
            let fill = s.of(&[
                "\"zeros\"",
                "\"iota\"",
                "\"poison\"",
                "\"uninitialised\"",
                "{ value = 1.5 }",
                "{ values = [1, -2, 3] }",
                "{ random = [-1, 1], seed = 7 }",
                "{ random = \"bits\" }",
                "{ random = [0, 1e308] }",
                "{ file = \"/dev/zero\" }",
                "{ file = \"missing.bin\" }",
                "\"zeroes\"",
            ]);
            let output = s.of(&[
                "",
                ", output = \"print\"",
                ", output = \"hash\"",
                ", output = { print = 100000 }",
                ", output = { hash = \"0123456789abcdef\" }",
            ]);
            format!("{{ name = \"x\", type = \"{ty}\", length = {length}, fill = {fill}{output} }}")
        }
    }
}
