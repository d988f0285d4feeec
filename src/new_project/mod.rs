//! The project for a user's own kernels that `cutlet new` writes.
//!
//! ```text
//!   my-kernels/  Cargo.toml  build.rs ──compiles──► kernels/ ──PTX──► src/lib.rs ◄── tests/  benches/
//! ```
//!
//! Law: the project builds and passes its tests as written. `cutlet new` writes all of it or
//! nothing, and overwrites nothing. Every dependency is a package of this project from [`Origin`],
//! or `half`.
//!
//! ```
//! use cutlet::new_project::{NewProject, Origin, Template};
//!
//! let folder = std::env::temp_dir().join(format!("my-gemm-{}", std::process::id()));
//! let origin = Origin::Folder(env!("CARGO_MANIFEST_DIR").into());
//! NewProject { folder: &folder, template: Template::Gemm, origin }.write()?;
//! assert!(folder.join("kernels/src/lib.rs").is_file());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod checkout;
mod names;
mod origin;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use thiserror::Error;

pub use origin::{Origin, OriginUnknown, PACKAGES, commit};

/// The choice of files with which a new project begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// A transpose kernel with its layouts and assertions.
    Kernel,
    /// A GEMM of a configuration and an epilogue of its own.
    Gemm,
    /// Attention with a score function of its own.
    Attention,
}

/// A file of a template: its path in the project, and its text.
type File = (&'static str, &'static str);

/// The files of every project.
const ALL: [File; 6] = [
    (
        ".cargo/config.toml",
        include_str!("template/all/config.toml.in"),
    ),
    (
        ".github/workflows/ci.yml",
        include_str!("template/all/ci.yml.in"),
    ),
    (
        "toolkit/lib64/libcuda.so",
        include_str!("template/all/libcuda.so.in"),
    ),
    (
        "rust-toolchain.toml",
        include_str!("template/all/rust-toolchain.toml.in"),
    ),
    (".gitignore", include_str!("template/all/gitignore.in")),
    ("rustfmt.toml", include_str!("template/all/rustfmt.toml.in")),
];

/// The files of one template.
macro_rules! files {
    ($folder:literal: $($file:literal from $text:literal,)*) => {
        &[$(($file, include_str!(concat!("template/", $folder, "/", $text, ".in"))),)*]
    };
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 3] = [Self::Kernel, Self::Gemm, Self::Attention];

    fn files(self) -> impl Iterator<Item = File> {
        let own: &[File] = match self {
            Self::Kernel => files! { "kernel":
                "Cargo.toml" from "Cargo.toml",
                "build.rs" from "build.rs",
                "src/lib.rs" from "lib.rs",
                "kernels/Cargo.toml" from "kernels.toml",
                "kernels/src/lib.rs" from "kernels.rs",
                "tests/transpose.rs" from "test.rs",
                "benches/transpose.rs" from "bench.rs",
                "README.md" from "README.md",
            },
            Self::Gemm => files! { "gemm":
                "Cargo.toml" from "Cargo.toml",
                "build.rs" from "build.rs",
                "src/lib.rs" from "lib.rs",
                "kernels/Cargo.toml" from "kernels.toml",
                "kernels/src/lib.rs" from "kernels.rs",
                "tests/gemm.rs" from "test.rs",
                "benches/gemm.rs" from "bench.rs",
                "README.md" from "README.md",
            },
            Self::Attention => files! { "attention":
                "Cargo.toml" from "Cargo.toml",
                "build.rs" from "build.rs",
                "src/lib.rs" from "lib.rs",
                "kernels/Cargo.toml" from "kernels.toml",
                "kernels/src/lib.rs" from "kernels.rs",
                "tests/attention.rs" from "test.rs",
                "benches/attention.rs" from "bench.rs",
                "README.md" from "README.md",
            },
        };
        ALL.into_iter().chain(own.iter().copied())
    }
}

/// A project to write.
#[derive(Clone, Debug)]
pub struct NewProject<'a> {
    /// The folder to create. Its name is the package's.
    pub folder: &'a Path,
    /// The choice of files with which the project begins.
    pub template: Template,
    /// The source of this project's packages.
    pub origin: Origin,
}

/// The reason why `cutlet new` wrote no project.
#[derive(Debug, Error)]
pub enum NewProjectError {
    /// The folder's name is not a valid name of a package.
    #[error("{0}")]
    Name(String),
    /// The folder exists already.
    #[error("{} exists; nothing was written", .0.display())]
    Exists(PathBuf),
    /// A file or folder cannot be written.
    #[error("{} cannot be written: {source}; nothing was kept", folder.display())]
    Write {
        /// The project's folder.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl NewProject<'_> {
    /// Writes the project.
    ///
    /// # Errors
    /// Returns a [`NewProjectError`], and removes everything that it wrote.
    pub fn write(&self) -> Result<(), NewProjectError> {
        let folder = self.folder;
        let name = folder.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        if let Some(why) = names::refusal(name) {
            return Err(NewProjectError::Name(why));
        }
        // A broken link counts as existing too: somebody made it.
        if folder.symlink_metadata().is_ok() {
            return Err(NewProjectError::Exists(folder.into()));
        }
        self.write_files(name).map_err(|source| {
            // The folder was not there before, so everything in it is from this call.
            let _ = fs::remove_dir_all(folder);
            NewProjectError::Write {
                folder: folder.into(),
                source,
            }
        })
    }

    fn write_files(&self, name: &str) -> io::Result<()> {
        for (file, text) in self.template.files() {
            let file = self.folder.join(file);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            files::write(file, self.filled(name, text))?;
        }
        Ok(())
    }

    /// Fills the placeholders in the text of a file.
    fn filled(&self, name: &str, text: &str) -> String {
        let with_names = text
            .replace("{name}", name)
            .replace("{crate}", &name.replace('-', "_"));
        PACKAGES
            .iter()
            .fold(with_names, |text, &(package, folder)| {
                let hole = format!("{{{package}}}");
                if text.contains(&hole) {
                    text.replace(&hole, &self.origin.keys(folder))
                } else {
                    text
                }
            })
    }
}

/// Makes a git repository of `folder`, unless the folder already is in one; returns whether it did.
/// Without the program `git` it does nothing.
#[must_use]
pub fn init_git(folder: &Path) -> bool {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(folder);
        let quiet = git.stdin(Stdio::null()).stdout(Stdio::null());
        let status = quiet.stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    !git(&["rev-parse", "--is-inside-work-tree"]) && git(&["init", "--quiet"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use toml::de::{DeTable, DeValue};

    fn origins() -> [Origin; 3] {
        [
            Origin::Folder("/a folder/with \"quotes\"".into()),
            Origin::Git {
                url: "https://example.org/cutlet.git".into(),
                rev: "0123456789abcdef0123456789abcdef01234567".into(),
            },
            Origin::Registry,
        ]
    }

    /// Parses a manifest, and returns it as JSON.
    fn manifest(text: &str) -> Value {
        json(&DeValue::Table(
            DeTable::parse(text).expect("a manifest").into_inner(),
        ))
    }

    fn json(value: &DeValue) -> Value {
        match value {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Boolean(truth) => (*truth).into(),
            DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
            DeValue::Table(table) => table
                .iter()
                .map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())))
                .collect(),
            _ => Value::Null,
        }
    }

    /// Returns the dependencies of every kind in a manifest.
    fn dependencies(manifest: &Value) -> Vec<(String, Value)> {
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        let tables = kinds.iter().filter_map(|kind| manifest[*kind].as_object());
        tables
            .flatten()
            .map(|(name, from)| (name.clone(), from.clone()))
            .collect()
    }

    /// Checks that every kernel states at its definition an assertion that fails if its copies
    /// would become scalar. `attention_kernel!` states it for its own kernel.
    #[test]
    fn every_kernel_asserts_its_vectors() {
        for template in Template::ALL {
            let kernels = template
                .files()
                .find(|(file, _)| *file == "kernels/src/lib.rs");
            if let Some((_, text)) = kernels {
                let asserts = ["assert_contiguous!(", "attention_kernel!"];
                let any = asserts.into_iter().any(|words| text.contains(words));
                assert!(any, "{template:?}");
            }
        }
    }

    #[test]
    fn every_dependency_is_this_projects_or_half() {
        for (template, origin) in Template::ALL
            .iter()
            .flat_map(|&template| origins().map(|origin| (template, origin)))
        {
            let project = NewProject {
                folder: Path::new("my-project"),
                template,
                origin: origin.clone(),
            };
            let mut seen = BTreeSet::new();
            for (file, text) in template.files() {
                let text = project.filled("my-project", text);
                assert!(!text.contains("{cutlet"), "{file}");
                assert!(!text.contains("{name}") && !text.contains("{crate}"));
                if !file.ends_with("Cargo.toml") {
                    continue;
                }
                for (name, from) in dependencies(&manifest(&text)) {
                    assert!(from.get("package").is_none() && from.get("registry").is_none());
                    let key = |key: &str| from.get(key).and_then(|value| value.as_str());
                    if name == "half" || name == "my-project-kernels" {
                        continue;
                    }
                    let own = PACKAGES.iter().find(|(package, _)| *package == name);
                    let Some((_, folder)) = own else {
                        panic!("{template:?}: {name} is not this project's");
                    };
                    seen.insert(name);
                    match &origin {
                        Origin::Folder(of) => {
                            let path = key("path").map(PathBuf::from);
                            assert_eq!(path, Some(of.join(folder)));
                        }
                        Origin::Git { url, rev } => {
                            assert_eq!((key("git"), key("rev")), (Some(&**url), Some(&**rev)));
                        }
                        Origin::Registry => {
                            assert_eq!(key("version"), Some(env!("CARGO_PKG_VERSION")));
                        }
                    }
                }
            }
            assert!(seen.len() >= 2, "{template:?}");
        }
    }

    #[test]
    fn the_packages_are_those_that_the_workspace_publishes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (package, folder) in PACKAGES {
            let text =
                fs::read_to_string(root.join(folder).join("Cargo.toml")).expect("a manifest");
            let manifest = manifest(&text);
            assert_eq!(manifest["package"]["name"].as_str(), Some(package));
            assert!(manifest["package"].get("publish").is_none(), "{package}");
            assert!(names::refusal(package).is_some(), "{package}");
        }
        // No package is missing, and a package that is not published has no version.
        let text = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace");
        let workspace = manifest(&text);
        let members = workspace["workspace"]["dependencies"].as_object();
        for (name, of) in members.expect("a table") {
            if of.get("path").is_some() {
                let package = of.get("package").and_then(|package| package.as_str());
                let published = of.get("version").is_some();
                let listed = PACKAGES.iter().any(|(listed, _)| Some(*listed) == package);
                assert_eq!(published, listed, "{name}");
            }
        }
    }
}
