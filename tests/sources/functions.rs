//! Checks the length of functions.
//!
//! ```text
//!   src/cli/tune.rs   fn measure(..) {      ─┐
//!                         ..                 ├─ 61 lines, of 120
//!                     }                     ─┘
//! ```
//!
//! Law: a function has at most [`MOST`] lines, including its signature, or [`EXCEPTIONS`] names it.
//! Every exception is longer. Tests are left out.

use super::sources;
use std::path::Path;
use std::{env, fs};

/// The largest number of lines in a function.
const MOST: usize = 120;

/// The functions that are longer: file and name.
const EXCEPTIONS: [(&str, &str); 13] = [
    // Tables with one row per entry.
    ("crates/pictures/examples/gallery.rs", "pictures"),
    ("src/manifest/structures.rs", "all"),
    // Kernels in one piece: their PTX follows the order of the text.
    ("examples/hopper-kernels/src/by_hand.rs", "hopper_8_by_hand"),
    ("examples/hopper-kernels/src/roles.rs", "run"),
    ("gpu-kernels/src/gemm/epilogue/store.rs", "store"),
    ("gpu-kernels/src/gemm/kernel/driver.rs", "compute"),
    ("gpu-kernels/src/hgemm_by_hand.rs", "hgemm_by_hand"),
    ("gpu-kernels/src/weights/kernel.rs", "run"),
    (
        "gpu-kernels-sm90/src/attention/decode/e4m3/merge.rs",
        "merge",
    ),
    ("gpu-kernels-sm90/src/gemm/kernel.rs", "run"),
    ("gpu-kernels-sm100/src/gemm/kernel.rs", "run"),
    // Not split yet.
    ("crates/kernel-abi/src/gemm/plan.rs", "plan"),
    ("src/run/decode.rs", "typed"),
];

/// Returns the functions of a text with more than `most` lines: name, and number of lines.
fn longer(text: &str, most: usize) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let Some(name) = function(code) else { continue };
        // A declaration in a trait, or a function on one line, has no body in the following lines.
        let signature_ends = |line: &&&str| line.ends_with([';', '{', '}']);
        let last = lines[i..].iter().find(signature_ends);
        if !last.is_some_and(|line| line.ends_with('{')) {
            continue;
        }
        let end = lines[i..]
            .iter()
            .position(|line| line.strip_prefix(indent).is_some_and(|rest| rest == "}"));
        if let Some(end) = end.filter(|end| end + 1 > most) {
            found.push((name, end + 1));
        }
    }
    found
}

/// Returns the name of the function whose definition begins with a line.
pub fn function(code: &str) -> Option<&str> {
    let (before, rest) = code.split_once("fn ")?;
    let known = [
        "", "pub", "crate", "super", "self", "in", "const", "unsafe", "async", "extern",
    ];
    let is_qualifier =
        |word: &str| known.contains(&word) || word.starts_with('"') || word.contains("::");
    let mut words = before.split(|c: char| c.is_whitespace() || "()".contains(c));
    if !words.all(is_qualifier) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0 && rest[end..].starts_with(['(', '<'])).then(|| &rest[..end])
}

#[test]
fn functions_fit_a_screen_or_two() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut needed) = (Vec::new(), Vec::new());
    let mut looked_at = 0;
    for path in sources(root) {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        looked_at += 1;
        let text = fs::read_to_string(&path).unwrap();
        for (function, lines) in longer(&text, MOST) {
            match EXCEPTIONS.contains(&(&*name, function)) {
                true => needed.push((name.clone(), function.to_owned())),
                false => wrong.push(format!("{name}: {function} has {lines} lines")),
            }
        }
    }
    assert!(looked_at > 800, "{looked_at} files");
    let is_needed =
        |&(file, of): &&(&str, &str)| needed.iter().any(|(f, o)| (&**f, &**o) == (file, of));
    let needless: Vec<_> = EXCEPTIONS.iter().filter(|of| !is_needed(of)).collect();
    assert!(
        wrong.is_empty(),
        "more than {MOST} lines:\n{}",
        wrong.join("\n")
    );
    assert!(
        needless.is_empty(),
        "exceptions that are none: {needless:?}"
    );
}

/// Checks that a function that is too long is found, but not a function that fits or a text that
/// only resembles a function.
#[test]
fn a_planted_long_function_is_found() {
    let body = "        let x = 1;\n".repeat(6);
    let text = format!(
        "impl S {{\n    pub(in crate::a) const unsafe fn long<T>(x: T) {{\n{body}    }}\n\n    fn short() {{\n    }}\n}}\n\
         // fn comment() {{\nlet f: fn(u32) = g;\nfn declared();\nfn also_long() {{\n{body}}}\n"
    );
    assert_eq!(longer(&text, 7), [("long", 8), ("also_long", 8)]);
    assert_eq!(longer(&text, 8), [("", 0); 0]);
}
