//! Builds Cutlet's own kernels: the settings and the steps that its build scripts and its program
//! share. It is not for kernels of others.
//!
//! ```text
//!   build.rs                         kernels that are embedded, keys for the others ─┐
//!   src/kernels.rs                   the others, at their first use ─────────────────┼─► recipe
//!   crates/first-kernels/build.rs    the four kernels of a first run ────────────────┘
//! ```
//!
//! Law: a kernel's PTX does not depend on which of the three builds it, apart from the numbers of
//! labels. `tests/kernel_modules.rs` of `cutlet` compares them.

use crate::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch, in_clippy};
use std::path::Path;
use std::{env, fs};

/// The architecture that every GPU from Ampere on can run.
pub const BASE: NvvmArch = NvvmArch::Compute80;

/// Returns the build of the kernel crate in `folder`.
pub fn recipe(folder: impl AsRef<Path>, arch: NvvmArch) -> CudaBuilder {
    CudaBuilder::new(folder)
        .arch(arch)
        // As in Rust, each operation rounds once, on the GPU, in the emulator and on the host.
        .fma_contraction(false)
        // Takes a fifth of the processor time, and gives the same PTX (docs/compile-time.md).
        .next_solver(true)
        .frontend_threads(2)
}

/// Returns the value of an environment variable. When it changes, the build script runs again.
pub fn variable(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).ok()
}

/// The options of a build, from the environment.
#[derive(Debug, Clone, Copy)]
pub struct KernelOptions {
    /// Whether to write `.loc` directives, which leave the code as it is, so that `cutlet profile`
    /// can count by lines of the source: `CUTLET_LINE_TABLES`.
    pub with_lines: bool,
    /// Whether to compile incrementally, for work on kernels: an edit then takes a tenth to a
    /// quarter of the time. It is off by default, even in a dev build, because its PTX is not the
    /// same byte for byte, and the PTX that is tested must be the PTX that is shipped:
    /// `CUTLET_INCREMENTAL_KERNELS`.
    pub incremental: bool,
    /// The architecture of the module for every GPU: `CUTLET_ARCH`. `sm_90` adds Hopper's stmatrix
    /// to the default, [`BASE`].
    pub base: NvvmArch,
}

impl KernelOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// Returns a message if `CUTLET_ARCH` names no architecture, or one older than Ampere.
    pub fn from_environment() -> Result<Self, String> {
        let is_on = |name: &str| variable(name).is_some_and(|value| value != "0");
        Ok(Self {
            with_lines: is_on("CUTLET_LINE_TABLES"),
            incremental: is_on("CUTLET_INCREMENTAL_KERNELS"),
            base: variable("CUTLET_ARCH").map_or(Ok(BASE), |name| ampere_or_newer(&name))?,
        })
    }

    /// Returns the build with these options.
    pub fn apply(&self, builder: CudaBuilder) -> CudaBuilder {
        let lines = match self.with_lines {
            true => DebugInfo::LineTables,
            false => DebugInfo::None,
        };
        let builder = builder.debug(lines).incremental(self.incremental);
        // An incremental build does not also use rustc's parallel frontend: both are experiments.
        match self.incremental {
            true => builder.frontend_threads(1),
            false => builder,
        }
    }
}

/// Returns the architecture with this name, or an error if it is older than Ampere.
fn ampere_or_newer(name: &str) -> Result<NvvmArch, String> {
    match name.parse::<NvvmArch>() {
        Ok(arch) if arch.capability_value() >= 80 => Ok(arch),
        Ok(_) => Err(format!(
            "CUTLET_ARCH is {name}: the kernels need sm_80 (Ampere) or newer"
        )),
        Err(unknown) => Err(format!("CUTLET_ARCH: {unknown}")),
    }
}

/// Returns why this build makes no kernels, or `None` if it makes them.
pub fn no_kernels() -> Option<&'static str> {
    if in_clippy() {
        return Some("this is a build for clippy, which executes nothing");
    }
    // docs.rs has no network, and executes nothing.
    env::var_os("DOCS_RS").map(|_| "this is a build of the documentation")
}

/// Builds kernels. If the source of `core` is missing, warns and returns the message.
///
/// # Errors
/// Returns the errors of [`CudaBuilder::build`], except that one.
pub fn build_or_warn(builder: CudaBuilder) -> Result<Option<String>, CudaBuilderError> {
    match builder.build() {
        Ok(_) => Ok(None),
        Err(CudaBuilderError::RustSrc(missing)) => {
            let message = missing.to_string();
            for line in message.lines() {
                println!("cargo::warning={line}");
            }
            Ok(Some(message))
        }
        Err(error) => Err(error),
    }
}

/// Writes a file only if its text differs, so that no source that includes the file is compiled
/// again.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_if_changed(path: &Path, text: &str) -> Result<(), CudaBuilderError> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|source| CudaBuilderError::Prepare {
        path: path.to_owned(),
        source,
    })
}
