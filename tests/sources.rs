//! What the sources themselves are held to: a name has one meaning, and no index of Hopper's attention is worked out by hand.
//!
//! ```text
//!   host/src/signature.rs   pub struct Parameter { ──┐
//!   src/manifest/mod.rs     pub struct Parameter { ──┴─► "Parameter: host/src/signature.rs:36, src/manifest/mod.rs:55"
//!
//!   kernel.rs, mainloop.rs  operators that work out an index, in lines that are no comment and no import, found
//! ```
//!
//! Law: no two types of `gpu-kernels`, `host` and `src` share a name. In the roles and the mainloop of attention on Hopper, of which every
//! configuration's kernel is made, no index is worked out by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folders whose types are told apart by their names alone.
const FOLDERS: [&str; 3] = ["gpu-kernels/src", "host/src", "src"];

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The type that a line of Rust defines: a struct, an enum, a union or a trait.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().peekable();
    while words
        .next_if(|word| {
            word.starts_with("pub") || *word == "in" || word.ends_with(')') || *word == "unsafe"
        })
        .is_some()
    {}
    words.next_if(|word| matches!(*word, "struct" | "enum" | "union" | "trait"))?;
    let word = words.next()?;
    let end = word
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(word.len());
    // In a macro's body a name may be `$name`.
    (end > 0).then(|| &word[..end])
}

/// The types of sources that have a name more than once, with the places of each.
fn shared<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut places = BTreeMap::<&str, Vec<String>>::new();
    for (file, text) in sources {
        for (line, name) in text
            .lines()
            .zip(1..)
            .filter_map(|(text, line)| Some((line, defined(text)?)))
        {
            places
                .entry(name)
                .or_default()
                .push(format!("{file}:{line}"));
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect()
}

#[test]
fn no_two_types_share_a_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<_> = FOLDERS
        .iter()
        .flat_map(|folder| sources(&root.join(folder)))
        .map(|path| {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    assert!(files.len() > 100, "{} files", files.len());
    let shared = shared(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    assert!(
        shared.is_empty(),
        "types of one name:\n{}",
        shared.join("\n")
    );
}

/// The check finds what it is for, and takes no use of a name for a definition.
#[test]
fn a_planted_name_is_found() {
    let sources = [
        (
            "a.rs",
            "/// A struct Tile.\npub(super) struct Tile<T> {\n    pub tile: Tile<u8>,\n}\npub unsafe trait Plain: Copy {}",
        ),
        (
            "b.rs",
            "use a::Tile;\n\npub enum Tile {\n    Empty,\n}\n    pub struct $name;\nstruct Plane(u8);",
        ),
    ];
    assert_eq!(shared(sources), ["Tile: a.rs:2, b.rs:3"]);
}

/// The lines of Rust that are code: no comment, not empty, and no import.
fn code(text: &str) -> Vec<&str> {
    let mut in_import = false;
    let lines = text.lines().filter(|line| {
        let line = line.trim();
        let begins = line.starts_with("use ");
        let is_import = begins || in_import;
        in_import = is_import && !line.ends_with(';');
        !(is_import || line.is_empty() || line.starts_with("//"))
    });
    lines.collect()
}

/// The lines with an operator that works out an index: a product, a quotient, a remainder, a shift, or the thread's number as it is.
fn worked_out<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let operators = [" * ", " / ", " % ", " << ", " >> ", "(thread_idx_x"];
    let has = |line: &&&str| operators.iter().any(|of| line.contains(of));
    lines.iter().filter(has).map(|line| line.trim()).collect()
}

#[test]
fn attention_works_out_no_index() {
    let read = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let hopper = [
        "gpu-kernels-sm90/src/attention/kernel.rs",
        "gpu-kernels-sm90/src/attention/mainloop.rs",
    ]
    .map(read);
    let lines: Vec<&str> = hopper.iter().flat_map(|text| code(text)).collect();
    assert!(lines.len() > 100, "{} lines", lines.len());
    assert_eq!(worked_out(&lines), [""; 0]);
}

/// Code is told from comments, and what is worked out is found.
#[test]
fn a_planted_index_is_found() {
    let text = "//! Law.\n\nuse a::{\n    b,\n};\nuse c;\n\n/// Doc.\nfn f() {\n    // Why.\n    let i = row * 64;\n    *i += 1;\n}\n";
    let lines = code(text);
    assert_eq!(
        lines,
        ["fn f() {", "    let i = row * 64;", "    *i += 1;", "}"]
    );
    assert_eq!(worked_out(&lines), ["let i = row * 64;"]);
}
