//! Checks rules for the sources: a name has one meaning, no index of Hopper's attention is computed
//! by hand, a comment is at most as wide as a page, a function is at most two pages long, and a
//! crate's modules have an order (`sources/order.rs`).
//!
//! ```text
//!   host/src/signature.rs   pub struct Parameter { ──┐
//!   src/manifest/mod.rs     pub struct Parameter { ──┴─► "Parameter: host/src/signature.rs:36, src/manifest/mod.rs:55"
//!
//!   kernel.rs, mainloop.rs  operators that compute an index, in lines that are neither comments nor imports: found
//! ```
//!
//! Law: no two types of `gpu-kernels`, `host` and `src` share a name. In the roles and the mainloop
//! of attention on Hopper, from which every configuration's kernel is made, no index is computed by
//! hand. Sentences of comments have at most 100 columns in every file of the project, also in the
//! templates of `cutlet new`; pictures, tables and links may have any width.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "sources/functions.rs"]
mod functions;
#[path = "sources/order.rs"]
mod order;
#[path = "sources/sentences.rs"]
mod sentences;

/// The folders whose types must be distinguishable by name.
const FOLDERS: [&str; 3] = ["gpu-kernels/src", "host/src", "src"];

/// Finds every file below a folder, except those that cargo made.
fn all_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name());
        if name == "target" || name.as_encoded_bytes()[0] == b'.' {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            all_files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Returns every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    all_files(folder, &mut found);
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    found
}

/// Returns the type that a line of Rust defines: a struct, an enum, a union or a trait.
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

/// Returns the types that have a name more than once, with the places of each.
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

/// Checks that a planted name is found, and that a use of a name does not count as a definition.
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

/// Returns the lines of Rust that are code: not comments, not empty, and not imports.
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

/// Returns the lines with an operator that computes an index: a product, a quotient, a remainder, a
/// shift, or the unchanged thread index.
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

/// Checks that comments do not count as code, and that a computed index is found.
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

/// The largest width of a sentence's line in a comment, including its indent.
const WIDEST: usize = 100;

/// Returns the lines of comments that are wider than [`WIDEST`] and could be wrapped: not in a
/// block of text or code, not a row of a table, not the target of a link, and with a space within
/// the columns.
fn too_wide(text: &str) -> Vec<usize> {
    let mut in_block = false;
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_block = false;
            continue;
        };
        let sentence = comment.trim_start_matches(['/', '!']).trim_start();
        if sentence.starts_with("```") {
            in_block = !in_block;
        }
        let is_aligned = sentence.contains("   ");
        let is_link = sentence.starts_with('[') && sentence.contains("]: ");
        let is_one_word = !sentence.contains(' ') || sentence.starts_with('`');
        if line.chars().count() > WIDEST
            && !(in_block || sentence.starts_with('|') || is_aligned || is_link || is_one_word)
        {
            found.push(number);
        }
    }
    found
}

#[test]
fn comments_fit_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    all_files(root, &mut files);
    let is = |path: &Path, extension: &str| path.extension().is_some_and(|of| of == extension);
    let stem = |path: &Path| path.file_stem().map(ToOwned::to_owned);
    // A file whose compile error is pinned keeps the lines that the error names.
    let pinned: BTreeSet<_> = files
        .iter()
        .filter(|path| is(path, "stderr"))
        .map(|path| stem(path))
        .collect();
    let mut looked_at = 0;
    let mut found = Vec::new();
    // The templates of `cutlet new` are Rust, too.
    let is_rust = |path: &Path| {
        is(path, "rs") || is(path, "in") && stem(path).is_some_and(|name| is(name.as_ref(), "rs"))
    };
    for path in files.iter().filter(|path| is_rust(path)) {
        let of_tests = path.components().any(|part| part.as_os_str() == "tests");
        // The header of a mistake has one field per line.
        let is_mistake = path.starts_with(root.join("tests/mistakes"));
        if is_mistake || of_tests && pinned.contains(&stem(path)) {
            continue;
        }
        looked_at += 1;
        let lines = too_wide(&fs::read_to_string(path).unwrap());
        let name = path.strip_prefix(root).unwrap().display();
        found.extend(lines.iter().map(|line| format!("{name}:{line}")));
    }
    assert!(looked_at > 1000, "{looked_at} files");
    assert!(found.is_empty(), "wider than {WIDEST}: {found:#?}");
}

/// Checks that a sentence that is too wide is found, but not a picture.
#[test]
fn a_planted_wide_comment_is_found() {
    let wide = "word ".repeat(24);
    let text = format!(
        "//! {wide}\n//!\n//! ```text\n//! {wide}\n//! ```\nfn f() {{\n    // {wide}\n}}\n/// | {wide} |\n"
    );
    assert_eq!(too_wide(&text), [1, 7]);
}
