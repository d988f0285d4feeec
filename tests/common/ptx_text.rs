//! Entries of a PTX module's text: a module of one kernel is read in a thirtieth of the time that
//! the whole takes.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use std::collections::BTreeMap;

/// What a kernel begins with.
pub const ENTRY: &str = ".visible .entry ";
/// What a kernel ends with.
pub const END: &str = "\n}";

/// A module of the kernel `name` alone: of tens of megabytes nothing else is searched.
pub fn alone(name: &str) -> String {
    cutlet::kernels::alone(name).unwrap().unwrap()
}

/// The text of the kernel `name`, from its name to before its closing brace.
pub fn entry<'a>(ptx: &'a str, name: &str) -> &'a str {
    let start = ptx.find(&format!("{ENTRY}{name}(")).unwrap() + ENTRY.len();
    &ptx[start..start + ptx[start..].find(END).unwrap()]
}

/// The module without its kernels, but for `name` with this text.
pub fn with_one_entry(ptx: &str, name: &str, text: &str) -> String {
    with_entries(ptx, &[(name, text)])
}

/// The module without its kernels, but for these, each with its text.
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

/// The text of each kernel, by its name.
pub fn entries(ptx: &str) -> BTreeMap<&str, &str> {
    let mut texts = host::entry_texts(ptx);
    for text in texts.values_mut() {
        *text = text.strip_prefix(ENTRY).unwrap_or(text);
        *text = text.strip_suffix("\n}\n").unwrap_or(text);
    }
    texts
}

/// The text with the labels' numbers of their kernels taken out, which count the kernels before.
pub fn without_labels(text: &str) -> Vec<&str> {
    let mut pieces = text.split("$L__BB");
    let begin = pieces.next();
    let rests = pieces.map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    begin.into_iter().chain(rests).collect()
}
