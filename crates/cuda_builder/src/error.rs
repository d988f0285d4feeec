//! The errors of [`CudaBuilder::build`](crate::CudaBuilder::build).
//!
//! Law: each error states what was found, what was tried or allowed, and the command that helps, if
//! there is one. `Debug` prints the same text as `Display`, because a build script reports its
//! error with `unwrap` or `?`, and both print the `Debug` form.
//!
//! ```text
//! build() ─┬─ before rustc: crate, toolchain, architecture, options, rust-src
//!          ├─ in rustc:     BuildFailed (its messages are passed through)
//!          └─ after rustc:  PTX missing, unusable, not copied
//! ```

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::arch::NvvmArch;
use crate::convergence::Divergent;
use crate::directives::DirectiveProblem;
use crate::ptx::PtxProblem;
use crate::requirements::NotOfArch;
use crate::rust_src::RustSrcError;
use crate::toolchain::ToolchainError;

/// Why no PTX was built.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// The path given to `CudaBuilder::new` is not a folder.
    #[error("the kernel crate {} does not exist (looked in {})", path.display(), from.display())]
    CratePathDoesntExist {
        /// The path as it was given.
        path: PathBuf,
        /// The folder from which a relative path starts.
        from: PathBuf,
    },
    /// The folder exists, but cargo finds no package in it.
    #[error("{} is not a crate: {reason}", path.display())]
    NotACrate {
        /// The folder.
        path: PathBuf,
        /// cargo's message.
        reason: String,
    },
    /// The package has no library that could be compiled to PTX.
    #[error(
        "the kernel crate `{package}` has no library to compile to PTX, only {}: give it a \
         src/lib.rs, with crate-type = [\"cdylib\", \"rlib\"]",
        list(found)
    )]
    NoLibrary {
        /// The package.
        package: String,
        /// The kinds of targets that the package has.
        found: Vec<String>,
    },
    /// There is no rustc that can build kernels.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// rustc's LLVM does not know the architecture.
    #[error(
        "rustc {release} cannot emit PTX for {arch} ({}): its LLVM knows {}",
        arch.sm(), list(allowed)
    )]
    UnsupportedArch {
        /// The requested architecture.
        arch: NvvmArch,
        /// The release of rustc.
        release: String,
        /// The processors that rustc's LLVM knows.
        allowed: Vec<String>,
    },
    /// An option of upstream that rustc's backend does not support was set.
    #[error("CudaBuilder::{option} cannot be honoured: {reason}")]
    UnsupportedOption {
        /// The call: `ftz(true)`.
        option: &'static str,
        /// Why the option is not supported, and what to do instead.
        reason: &'static str,
    },
    /// The source of `core` is not available.
    #[error(transparent)]
    RustSrc(#[from] RustSrcError),
    /// A folder or file of the build could not be created.
    #[error("could not prepare the kernel build: {}: {source}", path.display())]
    Prepare {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// cargo could not be started.
    #[error("could not start {}: {source}", cargo.display())]
    CargoNotRunnable {
        /// The program.
        cargo: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// rustc refused the kernels. Its messages were printed to standard error.
    #[error(
        "the kernel crate `{package}` does not compile for {arch} ({status}): rustc's messages \
         are above"
    )]
    BuildFailed {
        /// The package.
        package: String,
        /// The architecture.
        arch: NvvmArch,
        /// cargo's exit status.
        status: ExitStatus,
        /// rustc's messages, with colours if the terminal has them.
        rendered: String,
    },
    /// A dependency was built with `std`, which a GPU does not have. rustc's messages about it are
    /// not shown.
    #[error("{cure}")]
    NeedsStd {
        /// The crate that looks for `std`.
        dependency: String,
        /// The manifest that enables `std`, and what to write instead.
        cure: String,
    },
    /// The kernel crate uses `cuda_std` in its sources, but does not name it in its manifest.
    /// rustc's messages were printed.
    #[error(
        "the kernel crate `{package}` does not depend on `cuda_std`: add `cutlet-cuda-std`, whose library that is, to the \
         [dependencies] of its Cargo.toml, from where `cutlet-cuda-builder` comes"
    )]
    NeedsCudaStd {
        /// The package.
        package: String,
    },
    /// rustc refused the kernels for a reason with a known fix. Its messages were printed.
    #[error("{cure}")]
    Cured {
        /// What is wrong, and what to write instead.
        cure: String,
    },
    /// cargo succeeded, but there is no PTX.
    #[error("the kernel crate `{package}` compiled, but there is no PTX in {}", path.display())]
    PtxNotProduced {
        /// The package.
        package: String,
        /// The file that rustc should have written.
        path: PathBuf,
    },
    /// The file has no kernel, or is not PTX.
    #[error("the kernels' PTX cannot be used: {problem} ({})", path.display())]
    InvalidPtx {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file.
        problem: PtxProblem,
    },
    /// `CudaBuilder::kernels` names a kernel that the crate does not have.
    #[error(
        "the kernel crate `{package}` has no kernel `{name}`, which CudaBuilder::kernels names"
    )]
    NoSuchKernel {
        /// The package.
        package: String,
        /// The name.
        name: String,
    },
    /// A directive that a kernel requests cannot be written.
    #[error("{problem} (in {})", path.display())]
    Directive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: DirectiveProblem,
    },
    /// Only some threads of a warp or a warp group may reach an instruction that they must execute
    /// together.
    #[error("{}. Where the source has no such branch, rustc made it by a copy of the instruction: `CudaBuilder::jump_threading(false)`. The PTX is {}", sentences(found), path.display())]
    Divergent {
        /// The file.
        path: PathBuf,
        /// The instructions, at least one.
        found: Vec<Divergent>,
    },
    /// The kernels use an instruction that the requested architecture does not have.
    #[error(
        "the kernels are built for {arch}, which does not have {}: `.arch(NvvmArch::{:?})` of CudaBuilder",
        instructions(found),
        needed(found)
    )]
    NotOfArch {
        /// The requested architecture.
        arch: NvvmArch,
        /// The instructions, at least one, each once.
        found: Vec<NotOfArch>,
    },
    /// The PTX is for another architecture, because `build_args` or a flag in them set one.
    #[error("{} is for {found}, not for {}", path.display(), arch.sm())]
    WrongTarget {
        /// The file.
        path: PathBuf,
        /// The architecture in its `.target`.
        found: String,
        /// The requested architecture.
        arch: NvvmArch,
    },
    /// A deferred build would not match the sources from which the program was built.
    #[error(
        "{} or what it depends on, or rustc, is no longer what this program was built with: build the program again",
        path.display()
    )]
    Changed {
        /// The kernel crate.
        path: PathBuf,
    },
    /// The result could not be copied to the path of `copy_to` or `final_module_path`.
    #[error("could not copy {} to {}: {source}", from.display(), to.display())]
    FailedToCopyPtxFile {
        /// The source of the copy.
        from: PathBuf,
        /// The destination of the copy.
        to: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        "none".into()
    } else {
        items.join(", ")
    }
}

/// Lists the first few instructions, and states how many more there are.
fn instructions(found: &[NotOfArch]) -> String {
    let first: Vec<String> = found.iter().take(2).map(ToString::to_string).collect();
    match found.len() - first.len() {
        0 => first.join(" and "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns the architecture that has all these instructions.
fn needed(found: &[NotOfArch]) -> NvvmArch {
    let needed = found.iter().map(NotOfArch::needed);
    let last = needed.max_by_key(|arch| (arch.capability_value(), arch.is_architecture_variant()));
    last.unwrap_or_default()
}

/// Lists the first few findings, and states how many more there are.
fn sentences(found: &[Divergent]) -> String {
    // Copies of one instruction under one branch are listed once.
    let mut apart: Vec<&Divergent> = Vec::new();
    for one in found {
        let same = |other: &&Divergent| {
            one.source.is_some()
                && (
                    &one.kernel,
                    &one.instruction,
                    &one.source,
                    &one.branch_source,
                ) == (
                    &other.kernel,
                    &other.instruction,
                    &other.source,
                    &other.branch_source,
                )
        };
        if !apart.iter().any(same) {
            apart.push(one);
        }
    }
    let first: Vec<String> = apart.iter().take(3).map(|one| one.to_string()).collect();
    let more = apart.len() - first.len();
    let rest = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    let lines = match found.iter().all(|one| one.source.is_none()) {
        true => "; `.debug(DebugInfo::LineTables)` of CudaBuilder names the lines of the source",
        false => "",
    };
    first.join("; ") + &rest + lines
}

impl fmt::Debug for CudaBuilderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_one_instruction_are_said_once() {
        let copy = |line, source: &str| Divergent {
            kernel: "k".into(),
            line,
            instruction: "bar.sync".into(),
            threads: 32,
            branch: 7,
            predicate: "%p1".into(),
            source: Some(source.into()),
            branch_source: Some("src/lib.rs:3".into()),
        };
        let found = [10, 20, 30].map(|line| copy(line, "src/lib.rs:5"));
        let said = "k, src/lib.rs:5 (PTX line 10): bar.sync has to be executed by 32 threads together, and the branch on %p1 at src/lib.rs:3 \
                    (PTX line 7) may part them";
        assert_eq!(sentences(&found), said);
        let [first, ..] = found;
        let two = sentences(&[first, copy(40, "src/lib.rs:6")]);
        assert!(
            two.starts_with(said) && two.contains("; k, src/lib.rs:6"),
            "{two}"
        );
    }
}
