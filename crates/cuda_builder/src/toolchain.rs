//! The compiler that builds the kernels.
//!
//! Kernels are compiled by the rustc that builds the caller. In a build script cargo names this
//! rustc in `RUSTC`; elsewhere it is `rustc` on the `PATH`. All facts come from rustc itself, not
//! from folder names.
//!
//! ```text
//! rustc -vV                     -> release 1.95.0, commit, host, LLVM
//! rustc --print sysroot         -> where rust-src would be
//! rustc --print target-cpus ... -> the sm_XX that its LLVM can emit
//! ```

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process;

/// The target for which kernels are compiled.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// The oldest rustc with which the NVPTX backend, `-Zbuild-std` and `--emit=asm` were tested.
pub const OLDEST: (u32, u32) = (1, 95);

/// The time limit for rustc, which answers in milliseconds. The limit allows for a loaded machine
/// and a cold disk.
const LIMIT: Duration = Duration::from_secs(60);

/// A rustc with its cargo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The compiler: a path, or a name to be looked up in `PATH`.
    pub rustc: PathBuf,
    /// The cargo that belongs to this rustc.
    pub cargo: PathBuf,
    /// rustc's release: `1.95.0`, `1.97.0-nightly`.
    pub release: String,
    /// The commit from which rustc was built, if rustc states it.
    pub commit: Option<String>,
    /// The machine on which rustc runs: `x86_64-unknown-linux-gnu`.
    pub host: String,
    /// The version of rustc's LLVM, if rustc states it.
    pub llvm: Option<String>,
    /// The folder with rustc's libraries and, with the `rust-src` component, their source.
    pub sysroot: PathBuf,
}

/// Why there is no usable kernel compiler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// rustc could not be run, or ended with an error.
    #[error("could not run `{command}`: {reason}")]
    NotRunnable {
        /// The command that was run.
        command: String,
        /// What went wrong.
        reason: String,
    },
    /// rustc ran, but its output does not have the expected format.
    #[error("`{command}` answered without a line `{line}`; is it really rustc? It said: {answer}")]
    Unintelligible {
        /// The command that was run.
        command: String,
        /// The line that was expected.
        line: &'static str,
        /// The output.
        answer: String,
    },
    /// rustc is older than [`OLDEST`].
    #[error(
        "rustc {found} is too old to compile kernels: {}.{} or later is needed (`rustup update`, \
         or name a later toolchain in rust-toolchain.toml)",
        OLDEST.0, OLDEST.1
    )]
    TooOld {
        /// The release that was found.
        found: String,
    },
    /// rustc's LLVM was built without the NVPTX backend.
    #[error("rustc {release} cannot compile for {TARGET}: {reason}")]
    NoNvptx {
        /// The release that was found.
        release: String,
        /// rustc's own message.
        reason: String,
    },
}

impl Toolchain {
    /// Returns the toolchain for the current folder: `RUSTC` and `CARGO` if cargo set these
    /// variables, otherwise `rustc` and `cargo` on the `PATH`.
    ///
    /// # Errors
    /// Returns a [`ToolchainError`] if rustc cannot be run, or is too old.
    ///
    /// ```
    /// let toolchain = cuda_builder::Toolchain::detect()?;
    /// assert!(toolchain.sysroot.is_dir());
    /// assert!(toolchain.ptx_targets()?.contains(&"sm_80".to_owned()));
    /// # Ok::<(), cuda_builder::ToolchainError>(())
    /// ```
    pub fn detect() -> Result<Self, ToolchainError> {
        Self::detect_in(Path::new("."))
    }

    /// Returns the toolchain for `folder`. With rustup, different folders can have different
    /// toolchains.
    ///
    /// # Errors
    /// Returns the errors of [`detect`](Self::detect).
    pub fn detect_in(folder: &Path) -> Result<Self, ToolchainError> {
        let named = |variable: &str, name: &str| {
            env::var_os(variable)
                .filter(|value| !value.is_empty())
                .map_or_else(|| PathBuf::from(name), PathBuf::from)
        };
        Self::ask(named("RUSTC", "rustc"), named("CARGO", "cargo"), folder)
    }

    /// Runs `rustc` in `folder` and reads its version and folders.
    ///
    /// # Errors
    /// Returns the errors of [`detect`](Self::detect).
    pub fn ask(rustc: PathBuf, cargo: PathBuf, folder: &Path) -> Result<Self, ToolchainError> {
        let version = answer(&rustc, &["-vV"], folder)?;
        let field = |line: &'static str| {
            version
                .lines()
                .find_map(|l| l.strip_prefix(line))
                .map(|value| value.trim().to_owned())
                .ok_or_else(|| ToolchainError::Unintelligible {
                    command: shown(&rustc, &["-vV"]),
                    line,
                    answer: version.trim().to_owned(),
                })
        };
        let release = field("release:")?;
        match major_minor(&release) {
            Some(version) if version >= OLDEST => {}
            Some(_) => return Err(ToolchainError::TooOld { found: release }),
            None => {
                return Err(ToolchainError::Unintelligible {
                    command: shown(&rustc, &["-vV"]),
                    line: "release: <major>.<minor>.<patch>",
                    answer: version.trim().to_owned(),
                });
            }
        }
        let sysroot = answer(&rustc, &["--print", "sysroot"], folder)?;
        Ok(Self {
            commit: field("commit-hash:").ok().filter(|hash| hash != "unknown"),
            host: field("host:")?,
            llvm: field("LLVM version:").ok(),
            sysroot: PathBuf::from(sysroot.trim()),
            rustc,
            cargo,
            release,
        })
    }

    /// Returns the processors for which rustc's LLVM emits PTX: `sm_70`, `sm_90a`, ...
    ///
    /// # Errors
    /// Returns [`ToolchainError::NoNvptx`] if LLVM emits PTX for no processor.
    pub fn ptx_targets(&self) -> Result<Vec<String>, ToolchainError> {
        let args = ["--print", "target-cpus", "--target", TARGET];
        let none = |reason| ToolchainError::NoNvptx {
            release: self.release.clone(),
            reason,
        };
        let listing = answer(&self.rustc, &args, Path::new(".")).map_err(|error| match error {
            ToolchainError::NotRunnable { reason, .. } => none(reason),
            other => other,
        })?;
        let targets: Vec<String> = listing
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| name.starts_with("sm_"))
            .map(str::to_owned)
            .collect();
        if targets.is_empty() {
            return Err(none(format!("it lists no processor: {}", listing.trim())));
        }
        Ok(targets)
    }

    /// Returns whether the release is stable (`1.95.0`), and not a beta, a nightly or a local
    /// build. Distributions package stable releases under their number.
    pub fn is_stable(&self) -> bool {
        self.release.chars().all(|c| c.is_ascii_digit() || c == '.')
    }
}

fn major_minor(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(['.', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn shown(program: &Path, args: &[&str]) -> String {
    format!("{} {}", program.display(), args.join(" "))
}

fn answer(rustc: &Path, args: &[&str], folder: &Path) -> Result<String, ToolchainError> {
    let failed = |reason: String| ToolchainError::NotRunnable {
        command: shown(rustc, args),
        reason,
    };
    let mut command = Command::new(rustc);
    command.args(args).current_dir(folder);
    let done = process::run(&mut command, LIMIT).map_err(|error| failed(error.to_string()))?;
    if done.status.success() {
        Ok(done.stdout)
    } else {
        Err(failed(format!("{}: {}", done.status, done.last_words())))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing::{Scratch, script};

    #[test]
    fn releases_are_compared_by_number() {
        assert_eq!(major_minor("1.95.0"), Some((1, 95)));
        assert_eq!(major_minor("1.100.0-nightly"), Some((1, 100)));
        assert!(major_minor("1.100.0") > major_minor("1.95.0"));
        assert_eq!(major_minor("rustc"), None);
    }

    fn fake(scratch: &Scratch, version: &str) -> Result<Toolchain, ToolchainError> {
        let rustc = script(
            &scratch.path().join("rustc"),
            &format!(
                "case $1 in -vV) printf '{version}' ;; *) [ $2 = sysroot ] && echo /nowhere || \
                 {{ echo 'error: no such target' >&2; exit 1; }} ;; esac"
            ),
        );
        Toolchain::ask(rustc, "cargo".into(), Path::new("."))
    }

    #[test]
    fn an_old_compiler_is_refused_by_its_number() {
        let scratch = Scratch::new("old-rustc");
        let error = fake(&scratch, "rustc\\nrelease: 1.80.1\\nhost: h\\n").unwrap_err();
        assert_eq!(
            error,
            ToolchainError::TooOld {
                found: "1.80.1".into()
            }
        );
        assert!(error.to_string().contains("1.95"), "{error}");
    }

    #[test]
    fn something_else_called_rustc_is_refused() {
        let scratch = Scratch::new("no-rustc");
        let error = fake(&scratch, "hello\\n").unwrap_err();
        assert!(matches!(
            error,
            ToolchainError::Unintelligible {
                line: "release:",
                ..
            }
        ));
        let error = Toolchain::ask("no-such-rustc".into(), "cargo".into(), Path::new("."));
        assert!(
            matches!(error, Err(ToolchainError::NotRunnable { .. })),
            "{error:?}"
        );
    }

    #[test]
    fn a_compiler_without_nvptx_says_so_in_its_own_words() {
        let scratch = Scratch::new("no-nvptx");
        let toolchain = fake(&scratch, "rustc\\nrelease: 1.95.0\\nhost: h\\n").unwrap();
        assert!(toolchain.is_stable());
        let error = toolchain.ptx_targets().unwrap_err();
        assert!(error.to_string().contains("no such target"), "{error}");
    }
}
