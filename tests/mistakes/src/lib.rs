//! The catalogue of mistakes: what people get wrong in kernels, each beside its right twin, and where it is caught.
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

/// The kernels' PTX, for compute capability 9.0a.
///
/// # Errors
/// What the build said where it could not compile kernels, with the command that helps.
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
    /// By the compiler.
    Check,
    /// By the build of the kernel crate to PTX.
    Build,
    /// Before the kernel starts: by the launch's contract, the device's limits, or the host's types at run time.
    Launch,
    /// By the emulator, at the instruction.
    Emulator,
    /// By the comparison with float64 in a test.
    Test,
}

impl Caught {
    /// As the guide says it.
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

/// What the header of a mistake's file says.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The file's stem, and the kernel's name.
    pub name: String,
    /// One of [`CATEGORIES`].
    pub category: String,
    /// The earliest moment at which it is caught.
    pub caught: Caught,
    /// What people write.
    pub mistake: String,
    /// What to write instead.
    pub cure: String,
    /// What CuTe C++ with nvcc and compute-sanitizer says.
    pub cute: String,
    /// Where people met it: owner/repository#number.
    pub source: Option<String>,
    /// The pinned message.
    pub message: PathBuf,
}

/// The folder of the catalogue.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files `NAME.rs` of a folder by name.
///
/// # Panics
/// If the folder cannot be read.
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

/// The header of the file `name`, of which `caught` is the moment where it has no line of its own.
fn header(name: &str, text: &str, caught: Caught, message: PathBuf) -> Mistake {
    let field = |key: &str| -> Option<String> {
        let start = format!("//! {key}: ");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&start));
        let mut said = lines.next()?[start.len()..].to_owned();
        // Lines that are indented go on with the field above.
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

/// The mistakes that `cargo check` refuses, with their files' texts.
#[must_use]
pub fn checked() -> Vec<(Mistake, String)> {
    let of = |(name, text): (String, String)| {
        let message = folder().join(format!("check/{name}.stderr"));
        (header(&name, &text, Caught::Check, message), text)
    };
    files(&folder().join("check")).into_iter().map(of).collect()
}

/// The mistakes that the build of a kernel crate refuses before there is PTX, with their files' texts.
#[must_use]
pub fn built() -> Vec<(Mistake, String)> {
    let of = |(name, text): (String, String)| {
        let message = folder().join(format!("messages/{name}.txt"));
        (header(&name, &text, Caught::Build, message), text)
    };
    files(&folder().join("build")).into_iter().map(of).collect()
}

/// The mistakes that are found by a launch, with their files' texts.
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
