//! `cutlet new`: a project with one kernel, one assertion, one test on the emulator and one benchmark.
//!
//! ```text
//!   my-kernels/  Cargo.toml  build.rs ──compiles──► kernels/ ──PTX──► src/lib.rs ◄── tests/  benches/
//! ```
//!
//! Law: what it writes builds and passes its tests as written; it writes all of it or nothing, and overwrites nothing.

mod names;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use super::output::{self, Verdict};

/// Writes a new project with a kernel, its test on the emulator and its benchmark
#[derive(Args)]
pub struct NewArguments {
    /// The folder to make; its name is the package's
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Take Cutlet's crates from this folder [default: where this program was built, or the registry]
    #[arg(long, value_name = "FOLDER", conflicts_with = "git")]
    cutlet: Option<PathBuf>,
    /// Take Cutlet's crates from this git repository
    #[arg(long, value_name = "URL")]
    git: Option<String>,
}

/// A file of the template: where it goes, and its text.
const FILES: [(&str, &str); 13] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.in")),
    ("build.rs", include_str!("template/build.rs.in")),
    ("src/lib.rs", include_str!("template/lib.rs.in")),
    (
        "kernels/Cargo.toml",
        include_str!("template/kernels.toml.in"),
    ),
    ("kernels/src/lib.rs", include_str!("template/kernels.rs.in")),
    ("tests/transpose.rs", include_str!("template/test.rs.in")),
    ("benches/transpose.rs", include_str!("template/bench.rs.in")),
    (
        ".cargo/config.toml",
        include_str!("template/config.toml.in"),
    ),
    (
        "toolkit/lib64/libcuda.so",
        include_str!("template/libcuda.so.in"),
    ),
    (
        "rust-toolchain.toml",
        include_str!("template/rust-toolchain.toml.in"),
    ),
    (".gitignore", include_str!("template/gitignore.in")),
    ("README.md", include_str!("template/README.md.in")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml.in")),
];

/// Where the project takes Cutlet's crates from.
enum Origin {
    Folder(PathBuf),
    Git(String),
    Registry,
}

impl Origin {
    fn of(arguments: &NewArguments) -> Result<Self, Failure> {
        if let Some(url) = &arguments.git {
            return Ok(Self::Git(url.clone()));
        }
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let is_cutlet = |folder: &Path| folder.join("layout-types/Cargo.toml").is_file();
        match &arguments.cutlet {
            Some(folder) if !is_cutlet(folder) => Err(Failure::Usage(format!(
                "{} is not Cutlet's source: it has no layout-types/Cargo.toml",
                folder.display()
            ))),
            Some(folder) => Ok(Self::Folder(fs::canonicalize(folder).map_err(|error| {
                Failure::Run(format!("{} cannot be read: {error}", folder.display()))
            })?)),
            None if is_cutlet(here) => Ok(Self::Folder(here.into())),
            None => Ok(Self::Registry),
        }
    }

    /// The dependency on the crate `name`, as the manifest has it.
    fn dependency(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => {
                let path = match name {
                    "cuda_builder" | "cuda_std" => folder.join("crates").join(name),
                    _ => folder.join(name),
                };
                format!("{{ path = {:?} }}", path.to_string_lossy())
            }
            Self::Git(url) => format!("{{ git = {url:?} }}"),
            Self::Registry => format!("{:?}", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// The package's name, from the folder's.
fn package(folder: &Path) -> Result<&str, Failure> {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    match names::refusal(name) {
        None => Ok(name),
        Some(why) => Err(Failure::Usage(why)),
    }
}

/// Runs the command.
pub fn run(arguments: &NewArguments) -> Result<Verdict, Failure> {
    let folder = &arguments.folder;
    let name = package(folder)?;
    let origin = Origin::of(arguments)?;
    if folder.exists() {
        return Err(Failure::Run(format!(
            "{} exists; nothing was written",
            folder.display()
        )));
    }
    let filled = |text: &str| {
        let with_names = text
            .replace("{name}", name)
            .replace("{crate}", &name.replace('-', "_"));
        ["host", "cuda_builder", "cuda_std", "layout-types"]
            .iter()
            .fold(with_names, |text, dependency| {
                let hole = format!("= {{{}}}", dependency.replace('-', "_"));
                text.replace(&hole, &format!("= {}", origin.dependency(dependency)))
            })
    };
    write_all(folder, filled).map_err(|error| {
        // What was begun is the command's own: the folder was not there before.
        let _ = fs::remove_dir_all(folder);
        Failure::Run(format!(
            "{} cannot be written: {error}; nothing was kept",
            folder.display()
        ))
    })?;
    let shown = folder.display();
    output::write(&format!(
        "{shown}: a transpose kernel, its layouts and assertions, a test and a benchmark\n\n  cd {shown}\n  cargo test      # on the emulator: no GPU needed\n  cargo bench     # on a GPU, beside the device's own copy\n"
    ))?;
    Ok(Verdict::Right)
}

fn write_all(folder: &Path, filled: impl Fn(&str) -> String) -> std::io::Result<()> {
    for (file, text) in FILES {
        let file = folder.join(file);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, filled(text))?;
    }
    Ok(())
}
