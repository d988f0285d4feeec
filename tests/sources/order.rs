//! Checks the order of a crate's top modules: no module imports a module above it.
//!
//! ```text
//!   emulator   exec       use crate::memory::global::Global;    below: right
//!              memory     use crate::exec::run::Context;        above: "memory -> exec: memory/footprint.rs"
//! ```
//!
//! Law: every top module of a crate is in its [`Order`] once. An import, which is `use` or a path
//! in code, of a module above is named as an exception, and at least one file needs each exception.
//! Tests may import anything.

use super::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

/// A crate's top modules, the lowest first, and the exceptions, which import a module above.
struct Order {
    folder: &'static str,
    modules: &'static str,
    exceptions: &'static [(&'static str, &'static str)],
}

impl Order {
    fn place(&self, module: &str) -> Option<usize> {
        self.modules.split_whitespace().position(|of| of == module)
    }
}

const EMULATOR: Order = Order {
    folder: "crates/emulator/src",
    modules: "
        counted excerpt names address schedule types swizzles numerics frame tensor_map
        place fault accept kinds config signature error texture
        reader ir profile findings report
        memory exec lower instructions program emulator",
    // An instruction in the code names the function that executes it.
    exceptions: &[("ir", "exec")],
};

const LAYOUT_TYPES: Order = Order {
    folder: "layout-types/src",
    modules: "
        dynamic notation num tree decimal coord extent unroll layout shape
        algebra values front ragged kinds
        atom tiled check arch algorithm tensor
        exports print",
    exceptions: &[
        // The kinds of types require the functions of each kind, and values use the same text.
        ("algebra", "kinds"),
        ("dynamic", "kinds"),
        ("dynamic", "values"),
        ("num", "algebra"),
        ("num", "kinds"),
        ("num", "tree"),
        ("tree", "kinds"),
        ("tree", "shape"),
        ("values", "kinds"),
        // Atoms, tilings and algorithms take tensors, whose partitions take tilings.
        ("algebra", "tensor"),
        ("algorithm", "tensor"),
        ("atom", "arch"),
        ("atom", "tensor"),
        ("tiled", "tensor"),
        // Constants in these modules compose the messages of their assertions by `check`.
        ("atom", "check"),
        ("coord", "check"),
        ("dynamic", "check"),
    ],
};

const HOST: Order = Order {
    folder: "host/src",
    modules: "
        contract launch refusal device args error named buffer target tensor_map gpu timing queue
        reference workspace signature module check kernel enqueue
        cublas interleaved attention transfer gemm collective",
    exceptions: &[
        // A launch carries the contract with which its own extents are compared.
        ("contract", "launch"),
        // A device makes buffers and modules, on a GPU or not, and a module makes its kernels.
        ("device", "buffer"),
        ("device", "error"),
        ("device", "gpu"),
        ("device", "module"),
        ("module", "kernel"),
        // One error type contains the errors of all modules.
        ("error", "collective"),
        ("error", "cublas"),
        ("error", "target"),
        ("error", "tensor_map"),
        ("queue", "collective"),
    ],
};

const KERNELS_SM90: Order = Order {
    folder: "gpu-kernels-sm90/src",
    modules: "warp_group attention weights gemm",
    exceptions: &[],
};

const PROGRAM: Order = Order {
    folder: "src",
    modules: "
        prelude gemm kernels error attention
        profile manifest weights check testing run
        guide new_project cli",
    exceptions: &[
        // One error type contains the errors of all modules.
        ("gemm", "error"),
        ("kernels", "error"),
        // A choice asks which kernels exist. Kernels that are left to their first use are built by
        // the configuration.
        ("gemm", "kernels"),
        ("kernels", "attention"),
        ("kernels", "weights"),
    ],
};

/// Returns the code of a file, without comments and without its module of tests.
fn code(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test, "].map(|begin| text.find(begin));
    let end = tests.into_iter().flatten().min().unwrap_or(text.len());
    // A declaration of a module in another file does not end the code.
    let is_inline = text[end..]
        .lines()
        .nth(1)
        .is_some_and(|line| line.ends_with('{'));
    let text = if is_inline { &text[..end] } else { text };
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the names after `prefix` in code: `crate::a::B` gives `a`, `crate::{a, b::C}` gives
/// both.
fn behind<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let word = |text: &'a str| &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())];
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // A `super::` after `super::` belongs to another path. A `super::` in an indented line
        // belongs to a module within the file, or to its functions, and not to the file.
        let before = code[..at].chars().next_back();
        let line = &code[code[..at].rfind('\n').map_or(0, |end| end + 1)..];
        let is_inner = prefix.starts_with("super") && line.starts_with(' ');
        if is_inner || before.is_some_and(|c| is_word(c) || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && is_word(c) => {
                    found.push(word(&list[i..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the modules of the items that a crate's root exports: `pub use a::{B, c::D};`.
fn at_root(root: &str) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for (at, begin) in root.match_indices("\npub use ") {
        let path = &root[at + begin.len()..];
        let path = &path[..path.find(';').unwrap_or(path.len())];
        let Some((module, items)) = path.split_once("::") else {
            continue;
        };
        let words = items.split(|c| !is_word(c)).filter(|word| !word.is_empty());
        found.extend(words.map(|word| (word, module)));
    }
    found
}

/// Returns the imports of a crate's modules, each with the files that have it. `files` are paths
/// and texts, `root` is the text of `lib.rs`.
fn imports<'a>(
    modules: &'a str,
    root: &str,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<(&'a str, &'a str), BTreeSet<&'a str>> {
    let (at_root, known) = (at_root(root), |name: &str| {
        modules.split_whitespace().find(|module| *module == name)
    });
    let mut found = BTreeMap::<_, BTreeSet<&str>>::new();
    for (file, text) in files {
        let path: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
        let Some(from) = known(path[0]) else { continue };
        let depth = path.iter().filter(|part| **part != "mod").count();
        let code = code(text);
        let from_root = behind(&code, "crate::");
        let from_above = behind(&code, &"super::".repeat(depth));
        for name in from_root.into_iter().chain(from_above) {
            let to = known(name).or_else(|| known(at_root.get(name)?));
            if let Some(to) = to.filter(|to| *to != from) {
                found.entry((from, to)).or_default().insert(file);
            }
        }
    }
    found
}

/// Returns what is wrong with a crate: imports upwards, unneeded exceptions, modules without a
/// place.
fn wrong(order: &Order, root: &str, files: &[(String, String)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let tops: BTreeSet<&str> = files
        .iter()
        .map(|(file, _)| {
            file.split('/')
                .next()
                .unwrap_or(file)
                .trim_end_matches(".rs")
        })
        .filter(|top| !matches!(*top, "lib" | "main" | "bin"))
        .collect();
    let placed: BTreeSet<&str> = order.modules.split_whitespace().collect();
    if placed.len() != order.modules.split_whitespace().count() || placed != tops {
        let differ: Vec<_> = placed.symmetric_difference(&tops).collect();
        wrong.push(format!(
            "not in the order, or twice, or no module: {differ:?}"
        ));
    }
    let texts = files
        .iter()
        .map(|(file, text)| (file.as_str(), text.as_str()));
    let upwards: BTreeMap<_, _> = imports(order.modules, root, texts)
        .into_iter()
        .filter(|((from, to), _)| order.place(from) < order.place(to))
        .collect();
    for ((from, to), files) in &upwards {
        if !order.exceptions.contains(&(from, to)) {
            let files: Vec<_> = files.iter().copied().collect();
            wrong.push(format!("{from} -> {to}: {}", files.join(", ")));
        }
    }
    for (from, to) in order.exceptions {
        if !upwards.contains_key(&(*from, *to)) {
            wrong.push(format!("{from} -> {to}: an exception that no file needs"));
        }
    }
    wrong
}

/// Returns every file below a folder that has code of the crate itself.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for path in sources(folder) {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        if !name.ends_with("tests.rs") && !name.contains("tests/") {
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    files
}

#[test]
fn no_module_imports_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for order in &[EMULATOR, LAYOUT_TYPES, HOST, KERNELS_SM90, PROGRAM] {
        let folder = root.join(order.folder);
        let lib = fs::read_to_string(folder.join("lib.rs")).unwrap();
        let files = files(&folder);
        assert!(files.len() > 10, "{}: {} files", order.folder, files.len());
        let wrong = wrong(order, &lib, &files);
        found.extend(
            wrong
                .iter()
                .map(|wrong| format!("{}: {wrong}", order.folder)),
        );
    }
    assert!(found.is_empty(), "out of order:\n{}", found.join("\n"));
}

/// Checks that bytes of global memory are read and written only after the checks: only files that
/// import the traits which access them do so, and these files are next to the checks and to the
/// bytes.
#[test]
fn bytes_of_global_memory_are_touched_behind_the_checks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/emulator/src");
    let touching = touching(&files(&folder));
    assert!(touching.0 > 4, "{} files", touching.0);
    assert_eq!(touching.1, [""; 0]);
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let planted = [
        file(
            "exec/global/warp.rs",
            "use crate::memory::allocation::RawBytes;\n",
        ),
        file(
            "exec/bulk.rs",
            "use crate::memory::allocation::{Kind, RawBytes};\n",
        ),
        file("exec/run.rs", "// RawSpans\n"),
    ];
    assert_eq!(
        self::touching(&planted),
        (1, vec!["exec/bulk.rs".to_owned()])
    );
}

/// Returns how many files of the emulator access bytes of global memory where they may, and which
/// other files do.
fn touching(files: &[(String, String)]) -> (usize, Vec<String>) {
    let beside = ["exec/global/", "memory/allocation.rs", "memory/global.rs"];
    let touches = |text: &str| {
        ["RawBytes", "RawSpans"]
            .iter()
            .any(|name| code(text).contains(name))
    };
    let names = files
        .iter()
        .filter(|(_, text)| touches(text))
        .map(|(name, _)| name.clone());
    let (inside, outside): (Vec<_>, Vec<_>) =
        names.partition(|name| beside.iter().any(|place| name.starts_with(place)));
    (inside.len(), outside)
}

/// Checks that an import upwards is found, as a path in code, in braces, by `super` and by the
/// root's name, but not an import downwards, in a comment or in a test.
#[test]
fn a_planted_import_is_found() {
    let order = Order {
        folder: "",
        modules: "low middle high",
        exceptions: &[("low", "middle"), ("middle", "high")],
    };
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let root = "\npub use high::{Top, other::Peak};\n";
    let right = [
        file(
            "low.rs",
            "use crate::middle::Middle;\n#[cfg(test)]\nmod tests {\n    use crate::high::Top;\n}\n",
        ),
        file("middle/mod.rs", "// use crate::nothing;\nmod part;\n"),
        file(
            "middle/part.rs",
            "use super::Low;\nfn f() { crate::high::f(); }\n",
        ),
        file("high.rs", "use crate::{low, middle::{self, part}};\n"),
    ];
    assert_eq!(wrong(&order, root, &right), [""; 0]);
    for planted in [
        "use crate::high::f;",
        "use crate::{low::f, high::g};",
        "use super::super::high;",
        "use crate::Peak;",
        "fn f() -> crate::high::Top {}",
    ] {
        let mut files = right.to_vec();
        files[2].1 = "fn f() { crate::high::f(); }\n".to_owned();
        files.push(file("low/part.rs", planted));
        assert_eq!(
            wrong(&order, root, &files),
            ["low -> high: low/part.rs"],
            "{planted}"
        );
    }
    let without = [right[0].clone(), right[1].clone(), right[3].clone()];
    let needless = "middle -> high: an exception that no file needs";
    assert_eq!(wrong(&order, root, &without), [needless]);
    let unplaced = [&right[..], &[file("new.rs", "")]].concat();
    assert_eq!(wrong(&order, root, &unplaced).len(), 1);
}
