//! Checks that the methods that kernels call have an example that runs.
//!
//! ```text
//!   Tensor::local_tile    called in gpu-kernels    its documentation has ```, without `ignore`, `no_run` or `text`
//! ```
//!
//! Law: each method of [`METHODS`] is called in the kernels' sources, and its documentation has a
//! block of code that is a doctest, which the doctests of this crate run.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The methods that kernels call in this crate and that a host can run, by type or trait; functions
/// have no prefix.
const METHODS: &[&str] = &[
    "Coordinates::inside",
    "Fragment::get",
    "Fragment::new",
    "Fragment::set",
    "Fragment::slice",
    "Fragment::view",
    "GetSlice::get_slice",
    "LayoutFn::at",
    "LayoutFn::coordinate",
    "LayoutFn::index",
    "LayoutFn::swizzled",
    "Mask::atom",
    "Mask::new",
    "Mask::only_if",
    "PipelineState::advance",
    "PipelineState::advance_by",
    "PipelineState::consumer",
    "PipelineState::producer",
    "PipelineState::stage",
    "PipelineTmaAsync::at",
    "PipelineTmaAsync::full",
    "Tensor::atoms_inside",
    "Tensor::atoms_inside_along",
    "Tensor::compose",
    "Tensor::engine",
    "Tensor::from_here",
    "Tensor::get",
    "Tensor::global",
    "Tensor::global_mut",
    "Tensor::global_static",
    "Tensor::global_static_mut",
    "Tensor::inside",
    "Tensor::local_tile",
    "Tensor::recast",
    "Tensor::set",
    "Tensor::shared",
    "Tensor::size",
    "Tensor::slice",
    "ThrCopy::partition_d",
    "ThrCopy::partition_s",
    "ThrCopy::retile_d",
    "ThrCopy::retile_s",
    "ThrMma::partition_c",
    "ThrMma::partition_fragment_a",
    "ThrMma::partition_fragment_b",
    "ThrMma::partition_fragment_c",
    "clear",
    "copy",
    "copy_if",
    "fill",
    "gemm",
    "identity_tensor",
    "reduce",
    "transform",
    "transform_in_place",
    "transform_with",
    "unroll",
    "unroll_type",
];

/// Finds the Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Returns the name of the type or trait in `impl<..> Trait for Name<..> {` or `pub trait Name: ..
/// {`.
fn owner(header: &str) -> Option<String> {
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        Some(text[..end.unwrap_or(text.len())].to_owned()).filter(|name| !name.is_empty())
    };
    let header = header
        .trim_start_matches("pub ")
        .trim_start_matches("unsafe ");
    if let Some(rest) = header.strip_prefix("trait ") {
        return name(rest);
    }
    let mut rest = header.strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.char_indices().find(|&(at, c)| {
            depth += i32::from(c == '<') - i32::from(c == '>' && !rest[..at].ends_with('-'));
            depth == 0
        })?;
        rest = &rest[end.0 + 1..];
    }
    let rest = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let path = rest.trim_start().split(['<', ' ', '{']).next()?;
    name(path.rsplit("::").next()?)
}

/// Returns the method that a line declares, or names in a list of the macros that declare methods.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(at) = line.find("fn ") {
        let words = ["pub", "const", "unsafe"];
        let plain = line[..at]
            .split_whitespace()
            .all(|word| words.contains(&word));
        let name = line[at + 3..].split(['<', '(']).next()?;
        return plain.then_some(name);
    }
    let name = line.strip_suffix(';')?.split_once(", ")?.0;
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && !name.is_empty()).then_some(name)
}

/// Whether documentation has a block of code that is run.
fn runs(documentation: &[&str]) -> bool {
    let mut inside = false;
    documentation
        .iter()
        .filter_map(|line| line.strip_prefix("/// ```"))
        .any(|fence| {
            inside = !inside;
            inside && matches!(fence.trim(), "" | "rust")
        })
}

/// Finds each documented method, with whether a method of its name has an example.
fn documented(text: &str, found: &mut HashMap<String, bool>) {
    let lines: Vec<_> = text.lines().collect();
    let mut of = None;
    let mut documentation = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("impl")
            || line.starts_with("pub trait")
            || line.starts_with("pub unsafe trait")
        {
            let end = lines[at..].iter().position(|line| line.contains('{'));
            of = owner(&lines[at..=at + end.unwrap_or(0)].join(" "));
        } else if *line == "}" {
            of = None;
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with("///") {
            documentation.push(trimmed);
        } else if !trimmed.starts_with("#[") {
            if let Some(name) = declared(line).filter(|_| !documentation.is_empty()) {
                let name = of
                    .as_ref()
                    .map_or(name.to_owned(), |of| format!("{of}::{name}"));
                *found.entry(name).or_default() |= runs(&documentation);
            }
            documentation.clear();
        }
    }
}

/// Whether a source calls a method of this name: `.name(`, `name::<..>(`, `name(`.
fn calls(text: &str, name: &str) -> bool {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| {
            line.match_indices(name).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let behind = &line[at + name.len()..];
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                    && !line[..at].ends_with("fn ")
                    && (behind.starts_with('(') || behind.starts_with("::<"))
            })
        })
}

#[test]
fn what_kernels_call_has_an_example_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut found = HashMap::new();
    for file in &files {
        documented(&fs::read_to_string(file).unwrap(), &mut found);
    }
    let mut kernels = Vec::new();
    for folder in ["gpu-kernels/src", "gpu-kernels-sm90/src", "examples"] {
        sources(&root.join("..").join(folder), &mut kernels);
    }
    let kernels: Vec<_> = kernels
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();

    assert!(METHODS.len() >= 50);
    let mut missing = Vec::new();
    for method in METHODS {
        let name = method.rsplit("::").next().unwrap();
        if !kernels.iter().any(|text| calls(text, name)) {
            missing.push(format!("{method} is called in no kernel"));
        }
        match found.get(*method) {
            None => missing.push(format!("{method} is not there, or has no documentation")),
            Some(false) => missing.push(format!("{method} has no example that runs")),
            Some(true) => (),
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn a_method_without_an_example_is_seen() {
    let mut found = HashMap::new();
    let text = "
impl<E: Engine, L> Tensor<E, L> {
    /// Moves.
    ///
    /// ```text
    ///   here -> there
    /// ```
    #[must_use]
    pub const unsafe fn told(&self) {}
    /// ```
    /// assert!(true);
    /// ```
    pub fn shown<C>(&self) {}
}
impl<L: From<[u8; 2]>> GetSlice for crate::tiled::TiledMma<L>
where
    L: Copy,
{
    /// ```no_run
    /// loop {}
    /// ```
    fn get_slice() {}
}
";
    documented(text, &mut found);
    let expected = [
        ("Tensor::told", false),
        ("Tensor::shown", true),
        ("TiledMma::get_slice", false),
    ];
    assert_eq!(
        found,
        expected.map(|(name, runs)| (name.to_owned(), runs)).into()
    );
}
