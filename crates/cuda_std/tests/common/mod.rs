//! Builds the fixture crates to PTX, and parses the parts of PTX that the tests compare.
#![allow(dead_code)] // Each test file uses its part.

pub mod device;

use cuda_builder::{CudaBuilder, NvvmArch};
use std::path::Path;
use std::sync::Mutex;

/// Returns the PTX of a crate under `tests/fixtures`, built without contraction to `fma`. On a
/// machine without the toolchain, `CUDA_STD_FIXTURES` names a folder of files `<fixture>.ptx` that
/// were built elsewhere.
pub fn build(fixture: &str, arch: NvvmArch) -> String {
    if let Some(folder) = std::env::var_os("CUDA_STD_FIXTURES") {
        let path = Path::new(&folder).join(format!("{fixture}.ptx"));
        return std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    // Only one build runs at a time, because two builds of the same crate for different GPUs would
    // write the same file.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _one = BUILDING.lock().unwrap_or_else(|broken| broken.into_inner());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(fixture);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("target/tmp");
    let path = CudaBuilder::new(&folder)
        .build_folder(target.join("cuda-builder"))
        .arch(arch)
        .fma_contraction(false)
        .build()
        .unwrap_or_else(|error| panic!("{fixture}: {error}"));
    std::fs::read_to_string(path).expect("the builder's PTX is readable")
}

/// One entry of a PTX module.
#[derive(Debug)]
pub struct Entry {
    pub name: String,
    /// The declarations of the parameters, without their names: `.u64`, `.align 8 .b8[16]`.
    pub parameters: Vec<String>,
    pub body: String,
}

impl Entry {
    /// Returns the number of instructions that start with `prefix`.
    pub fn count(&self, prefix: &str) -> usize {
        self.instructions()
            .filter(|instruction| instruction.starts_with(prefix))
            .count()
    }

    pub fn has(&self, prefix: &str) -> bool {
        self.count(prefix) > 0
    }

    /// Returns the instructions, without labels, predicates, comments and directives.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        self.body
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("//") && !line.ends_with(':'))
            .map(|line| match line.strip_prefix('@') {
                Some(rest) => rest
                    .split_once(char::is_whitespace)
                    .map_or("", |(_, i)| i.trim()),
                None => line,
            })
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
    }
}

/// Returns the entries of a module as LLVM prints it.
pub fn entries(ptx: &str) -> Vec<Entry> {
    ptx.split(".visible .entry ")
        .skip(1)
        .map(|text| {
            let (name, rest) = text.split_once('(').expect("a parameter list");
            let (parameters, rest) = rest.split_once(")\n{").expect("a body");
            let (body, _) = rest.split_once("\n}").expect("its end");
            Entry {
                name: name.to_owned(),
                parameters: parameters
                    .split(',')
                    .filter_map(|p| parameter(name, p))
                    .collect(),
                body: body.to_owned(),
            }
        })
        .collect()
}

fn parameter(entry: &str, text: &str) -> Option<String> {
    let text = text.trim();
    let declaration = text.strip_prefix(".param ")?;
    let at = declaration.find(&format!("{entry}_param_"))?;
    let array = declaration[at..]
        .find('[')
        .map_or("", |open| &declaration[at + open..]);
    let kind = declaration[..at].trim();
    // The type behind a pointer is a hint to the assembler, and not part of the calling convention.
    let kind = kind.split(" .ptr").next().unwrap_or(kind);
    Some(format!("{kind}{array}"))
}
