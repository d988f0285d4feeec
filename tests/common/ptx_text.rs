//! Extracts entries from a PTX module's text: a module of one kernel is parsed in a thirtieth of
//! the time for the whole module.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use std::collections::BTreeMap;

/// The text with which a kernel begins.
pub const ENTRY: &str = ".visible .entry ";
/// The text with which a kernel ends.
pub const END: &str = "\n}";

/// Returns a module with only the kernel `name`, so that tens of megabytes need not be searched.
pub fn alone(name: &str) -> String {
    cutlet::kernels::alone(name).unwrap().unwrap()
}

/// Returns the text of the kernel `name`, from its name to before its closing brace.
pub fn entry<'a>(ptx: &'a str, name: &str) -> &'a str {
    let start = ptx.find(&format!("{ENTRY}{name}(")).unwrap() + ENTRY.len();
    &ptx[start..start + ptx[start..].find(END).unwrap()]
}

/// Returns the module with one kernel, `name`, which has this text.
pub fn with_one_entry(ptx: &str, name: &str, text: &str) -> String {
    with_entries(ptx, &[(name, text)])
}

/// Returns the module with only these kernels, each with its text.
pub fn with_entries(ptx: &str, entries: &[(&str, &str)]) -> String {
    let mut alone = String::new();
    let mut rest = ptx;
    while let Some(start) = rest.find(ENTRY) {
        alone.push_str(&rest[..start]);
        rest = &rest[start + ENTRY.len()..];
        for (name, text) in entries {
            if rest.starts_with(&format!("{name}(")) {
                alone.push_str(&[ENTRY, text, END].concat());
            }
        }
        rest = &rest[rest.find(END).unwrap() + END.len()..];
    }
    alone + rest
}

/// Returns the text of each kernel, by its name.
pub fn entries(ptx: &str) -> BTreeMap<&str, &str> {
    let mut texts = host::entry_texts(ptx);
    for text in texts.values_mut() {
        *text = text.strip_prefix(ENTRY).unwrap_or(text);
        *text = text.strip_suffix("\n}\n").unwrap_or(text);
    }
    texts
}

/// Returns the text without the kernel's number in labels, which counts the kernels before this
/// one.
pub fn without_labels(text: &str) -> Vec<&str> {
    let mut pieces = text.split("$L__BB");
    let begin = pieces.next();
    let rests = pieces.map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    begin.into_iter().chain(rests).collect()
}
