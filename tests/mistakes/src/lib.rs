//! The catalogue of mistakes in kernels, each beside its right twin, and the moment at which each is caught.
//!
//! ```text
//!   check/NAME.rs         cfg(mistake), cfg(not(mistake))     cargo check ──► NAME.stderr
//!   kernels/src/NAME.rs   kernels NAME and NAME_right         build, launch, emulator, test ──► messages/NAME.txt
//!   build/NAME.rs         run(project, right)               the build of a crate ──► messages/NAME.txt
//!   launch/NAME.rs        run(bench, right)                   launch, emulator, test ──► messages/NAME.txt
//!                          └── the header of each: category, mistake, cure, CuTe ──► docs/guide/mistakes.md
//! ```
//!
//! Law: every mistake is caught where its header says, with its pinned message; no twin has a finding.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the kernels' PTX, for compute capability 9.0a.
///
/// # Errors
/// Returns the build's message if it could not compile kernels, with the command that helps.
pub fn ptx() -> Result<&'static str, &'static str> {
    const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));
    if WHY_NOT.is_empty() {
        Ok(include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx")))
    } else {
        Err(WHY_NOT)
    }
}

/// The categories, in the order of the guide's page.
pub const CATEGORIES: [&str; 16] = [
    "layouts and divides",
    "thread-value ownership",
    "retile and roles",
    "vectors and alignment",
    "predicates and ragged sizes",
    "swizzles and banks",
    "barriers",
    "cp.async",
    "ldmatrix and stmatrix",
    "accumulators and numerics",
    "types and conversions",
    "launches",
    "lifetimes of buffers",
    "races between blocks",
    "build and dependencies",
    "Hopper",
];

/// The earliest moment at which a mistake is caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caught {
    /// The compiler catches it.
    Check,
    /// The build of the kernel crate to PTX catches it.
    Build,
    /// The launch's contract, the device's limits, or the host's types at run time catch it, before the start.
    Launch,
    /// The emulator catches it, at the instruction.
    Emulator,
    /// The comparison with float64 in a test catches it.
    Test,
}

impl Caught {
    /// Returns the name of the moment in the guide.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Check => "`cargo check`",
            Self::Build => "the build",
            Self::Launch => "launch",
            Self::Emulator => "emulator",
            Self::Test => "test",
        }
    }
}

/// The fields of the header of a mistake's file.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The file's stem, and the kernel's name.
    pub name: String,
    /// A member of [`CATEGORIES`].
    pub category: String,
    /// The earliest moment at which the mistake is caught.
    pub caught: Caught,
    /// The wrong code, in words.
    pub mistake: String,
    /// The right code, in words.
    pub cure: String,
    /// The message of CuTe C++ with nvcc and compute-sanitizer.
    pub cute: String,
    /// The place where people met the mistake: owner/repository#number.
    pub source: Option<String>,
    /// The pinned message.
    pub message: PathBuf,
}

/// Returns the folder of the catalogue.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files `NAME.rs` of a folder, by name.
///
/// # Panics
/// Panics if the folder cannot be read.
#[must_use]
pub fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the catalogue's folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("a file of the catalogue");
            found.insert(stem.into_owned(), text);
        }
    }
    found
}

/// Returns the header of the file `name`. `caught` is the moment if the header has no line for it.
fn header(name: &str, text: &str, caught: Caught, message: PathBuf) -> Mistake {
    let field = |key: &str| -> Option<String> {
        let start = format!("//! {key}: ");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&start));
        let mut said = lines.next()?[start.len()..].to_owned();
        // Indented lines continue the field above.
        for line in lines.map_while(|line| line.strip_prefix("//!   ")) {
            said = format!("{said} {line}");
        }
        Some(said)
    };
    let needed = |key| field(key).unwrap_or_else(|| panic!("{name} has no line `//! {key}: `"));
    let mistake = Mistake {
        name: name.to_owned(),
        category: needed("category"),
        caught: match field("caught").as_deref() {
            None => caught,
            Some("build") => Caught::Build,
            Some("launch") => Caught::Launch,
            Some("emulator") => Caught::Emulator,
            Some("test") => Caught::Test,
            Some(other) => panic!("{name} is caught by `{other}`"),
        },
        mistake: needed("mistake"),
        cure: needed("cure"),
        cute: needed("CuTe"),
        source: field("source"),
        message,
    };
    assert!(
        CATEGORIES.contains(&mistake.category.as_str()),
        "{name}: no category `{}`",
        mistake.category
    );
    mistake
}

/// Returns the mistakes that `cargo check` refuses, with their files' texts.
#[must_use]
pub fn checked() -> Vec<(Mistake, String)> {
    let of = |(name, text): (String, String)| {
        let message = folder().join(format!("check/{name}.stderr"));
        (header(&name, &text, Caught::Check, message), text)
    };
    files(&folder().join("check")).into_iter().map(of).collect()
}

/// Returns the mistakes that a kernel crate's build refuses before there is PTX, with their texts.
#[must_use]
pub fn built() -> Vec<(Mistake, String)> {
    let of = |(name, text): (String, String)| {
        let message = folder().join(format!("messages/{name}.txt"));
        (header(&name, &text, Caught::Build, message), text)
    };
    files(&folder().join("build")).into_iter().map(of).collect()
}

/// Returns the mistakes that a launch finds, with their files' texts.
#[must_use]
pub fn executed() -> Vec<(Mistake, String)> {
    let mut found = Vec::new();
    for (place, caught) in [
        ("kernels/src", Caught::Emulator),
        ("launch", Caught::Launch),
    ] {
        for (name, text) in files(&folder().join(place)) {
            if !["lib", "mod"].contains(&name.as_str()) {
                let message = folder().join(format!("messages/{name}.txt"));
                found.push((header(&name, &text, caught, message), text));
            }
        }
    }
    found
}
