//! The source from which a new project takes this project's packages.
//!
//! ```text
//!   --cutlet FOLDER ─────────────────────────────► path
//!   --git URL [--rev REV] ───────────────────────► git at REV, else at the commit that the program was built of
//!   neither:  built in a folder that is there ───► path
//!             built by cargo from a repository ──► that repository, at its commit
//!             feature `published` ───────────────► the registry
//!             else ──────────────────────────────► refused
//! ```
//!
//! Law: no manifest names a package that somebody else may have made. Before the packages are
//! published, anybody can take their names on the registry, so only a program that was built with
//! the feature `published` uses the registry.

use std::path::{Path, PathBuf};
use std::process::Command;

use thiserror::Error;

/// The packages of this project on which others can depend, and the folder of each.
pub const PACKAGES: [(&str, &str); 24] = [
    ("cutlet", "."),
    ("cutlet-cuda-builder", "crates/cuda_builder"),
    ("cutlet-cuda-driver", "crates/cuda-driver"),
    ("cutlet-cuda-std", "crates/cuda_std"),
    ("cutlet-cuda-std-macros", "crates/cuda_std_macros"),
    ("cutlet-distribute", "crates/distribute"),
    ("cutlet-emulator", "crates/emulator"),
    ("cutlet-explorer", "crates/explorer"),
    ("cutlet-files", "crates/files"),
    ("cutlet-first-kernels", "crates/first-kernels"),
    ("cutlet-gpu-kernels", "gpu-kernels"),
    ("cutlet-gpu-kernels-sm100", "gpu-kernels-sm100"),
    ("cutlet-gpu-kernels-sm90", "gpu-kernels-sm90"),
    ("cutlet-host", "host"),
    ("cutlet-kernel-abi", "crates/kernel-abi"),
    ("cutlet-kernel-choice", "crates/kernel-choice"),
    ("cutlet-kernel-pack", "crates/kernel-pack"),
    ("cutlet-kernels", "crates/cutlet-kernels"),
    ("cutlet-launch-file", "crates/launch-file"),
    ("cutlet-layout-types", "layout-types"),
    ("cutlet-layout-types-macros", "layout-types/macros"),
    ("cutlet-notation", "crates/notation"),
    ("cutlet-ops", "crates/cutlet-ops"),
    ("cutlet-pictures", "crates/pictures"),
];

/// The facts that the build knows about its repository. `build.rs` says when they are known.
const BUILT_OF_COMMIT: &str = env!("CUTLET_COMMIT");
const BUILT_FROM_REPOSITORY: &str = env!("CUTLET_REPOSITORY");

/// The source from which a project takes this project's packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A folder with this project's source.
    Folder(PathBuf),
    /// A git repository, at a commit.
    Git {
        /// The repository.
        url: String,
        /// The commit, a tag, or another revision that git accepts.
        rev: String,
    },
    /// The registry, at this program's version.
    Registry,
}

/// The reason why the program does not know where its packages are.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OriginUnknown {
    /// A folder is not this project's source.
    #[error("{} is not Cutlet's source: it has no layout-types/Cargo.toml", .0.display())]
    NotCutlet(PathBuf),
    /// The folder in which the program was built is gone, and the packages are not known to be
    /// published.
    #[error(
        "the source that this program was built from, {}, is not there, and Cutlet's packages are not on the registry: name a folder by \
         --cutlet, or a repository by --git",
        .0.display()
    )]
    Gone(PathBuf),
    /// The program does not know its commit.
    #[error(
        "this program does not know which commit it was built of: name one by --rev, so that the project stays what it is when {0} changes"
    )]
    NoCommit(String),
}

fn is_cutlet(folder: &Path) -> bool {
    folder.join("layout-types/Cargo.toml").is_file()
}

impl Origin {
    /// Returns the origin that the options of the command line select.
    ///
    /// # Errors
    /// Returns an [`OriginUnknown`] if no origin is known.
    pub fn of(
        folder: Option<&Path>,
        url: Option<&str>,
        rev: Option<&str>,
    ) -> Result<Self, OriginUnknown> {
        if let Some(url) = url {
            let rev = rev.map(str::to_owned).or_else(commit);
            return match rev {
                Some(rev) => Ok(Self::Git {
                    url: url.into(),
                    rev,
                }),
                None => Err(OriginUnknown::NoCommit(url.into())),
            };
        }
        if let Some(folder) = folder {
            return match folder.canonicalize() {
                Ok(whole) if is_cutlet(&whole) => Ok(Self::Folder(whole)),
                _ => Err(OriginUnknown::NotCutlet(folder.into())),
            };
        }
        Self::by_build(
            Path::new(env!("CARGO_MANIFEST_DIR")),
            (BUILT_FROM_REPOSITORY, BUILT_OF_COMMIT),
            cfg!(feature = "published"),
        )
    }

    /// Returns the origin that follows from the folder in which the program was built, and from the
    /// repository from which cargo took it.
    fn by_build(
        here: &Path,
        (repository, commit): (&str, &str),
        published: bool,
    ) -> Result<Self, OriginUnknown> {
        if !repository.is_empty() && !commit.is_empty() {
            Ok(Self::Git {
                url: repository.into(),
                rev: commit.into(),
            })
        } else if is_cutlet(here) {
            Ok(Self::Folder(here.into()))
        } else if published {
            Ok(Self::Registry)
        } else {
            Err(OriginUnknown::Gone(here.into()))
        }
    }

    /// Returns the keys of a dependency on the package in `folder` of the source, in the format of
    /// a manifest.
    pub(super) fn keys(&self, folder: &str) -> String {
        match self {
            Self::Folder(source) => {
                let path = source.join(folder);
                format!("path = {}", quoted(&path.display().to_string()))
            }
            Self::Git { url, rev } => format!("git = {}, rev = {}", quoted(url), quoted(rev)),
            Self::Registry => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// Quotes a string for a manifest: each escape of JSON is also one of TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the commit from which this program was built, or `None` if it is not known: the one that
/// the build recorded, or else that of the folder in which it was built.
#[must_use]
pub fn commit() -> Option<String> {
    if !BUILT_OF_COMMIT.is_empty() {
        return Some(BUILT_OF_COMMIT.into());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The commit would be that of another repository if the source was unpacked into one.
    if !here.join(".git").exists() {
        return None;
    }
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(here).args(["rev-parse", "HEAD"]).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn the_registry_is_asked_only_where_the_packages_are_published() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let gone = Path::new("/no/such/folder");
        let by = |here, repository, published| Origin::by_build(here, repository, published);
        let folder = Origin::Folder(here.into());
        assert_eq!(by(here, ("", ""), false), Ok(folder.clone()));
        assert_eq!(by(here, ("", COMMIT), true), Ok(folder));
        let refused = by(gone, ("", COMMIT), false).unwrap_err();
        assert!(refused.to_string().contains("--git"), "{refused}");
        assert_eq!(by(gone, ("", ""), true), Ok(Origin::Registry));
        // A folder that cargo checked out may be removed by cargo.
        let git = Origin::Git {
            url: "https://example.org/c".into(),
            rev: COMMIT.into(),
        };
        for here in [here, gone] {
            let found = by(here, ("https://example.org/c", COMMIT), false);
            assert_eq!(found, Ok(git.clone()));
        }
    }

    #[test]
    fn options_win() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = Origin::of(Some(here), None, None);
        assert_eq!(found, Ok(Origin::Folder(here.canonicalize().unwrap())));
        let refused = Origin::of(Some(&here.join("src")), None, None).unwrap_err();
        assert!(refused.to_string().contains("not Cutlet's source"));
        let git = Origin::of(None, Some("u"), Some("v1"));
        let (url, rev) = ("u".into(), "v1".into());
        assert_eq!(git, Ok(Origin::Git { url, rev }));
        // In a checkout, the commit is that of the checkout.
        if here.join(".git").exists() {
            let Ok(Origin::Git { rev, .. }) = Origin::of(None, Some("u"), None) else {
                panic!("no commit");
            };
            assert!(rev.len() >= 40 && rev.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
}
