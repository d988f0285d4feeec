//! A build that a build script defers to its program. The program builds the PTX when it first
//! needs it, and stores it.
//!
//! ```text
//!   build script   defer()  ──► key of sources, options, rustc ──► embedded in the program;  nothing is compiled
//!   program        deferred(key) ──► <home>/deferred/<key>.ptx, if it was made before and its checksum is right
//!                  build_deferred(key) ──► the same file, made now, from the same sources
//!                  kernels(names)      ──► <home>/deferred/<key>/<names>.ptx, only of these kernels: seconds
//! ```
//!
//! Law: a program gets the PTX that its build script would have built, because the key is a hash of
//! the sources' contents, and a build from other sources fails. Programs with the same key (debug,
//! release and tests) share one file, which one of them builds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::builder::{CudaBuilder, DebugInfo, lock, prepare};
use crate::error::CudaBuilderError;
use crate::folders;
use crate::hash::Hash128;
use crate::kept::drop_oldest;
use crate::kernel_crate::{self, KernelCrate};
use crate::line_tables;
use crate::sealed;
use crate::toolchain::Toolchain;

/// The number of keys whose PTX is kept, so that switching between branches does not compile again.
const KEYS: usize = 8;
/// The number of selections of kernels that are kept per key.
const SELECTIONS: usize = 256;

/// A hash of those files of this crate that determine the PTX, together with the kernel crate and
/// rustc.
const OWN: u64 = {
    let files: [&[u8]; 11] = [
        include_bytes!("arch.rs"),
        include_bytes!("builder.rs"),
        include_bytes!("compile.rs"),
        include_bytes!("convergence/flow.rs"),
        include_bytes!("convergence/mod.rs"),
        include_bytes!("convergence/program.rs"),
        include_bytes!("convergence/uniformity.rs"),
        include_bytes!("crate_attrs.rs"),
        include_bytes!("directives.rs"),
        include_bytes!("environment.rs"),
        include_bytes!("line_tables.rs"),
    ];
    // The hash is FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut file = 0;
    while file < files.len() {
        let mut at = 0;
        while at < files[file].len() {
            hash = (hash ^ files[file][at] as u64).wrapping_mul(0x100_0000_01b3);
            at += 1;
        }
        file += 1;
    }
    hash
};

impl CudaBuilder {
    /// Compiles nothing. Returns the key by which the program builds and finds the PTX. Embed the
    /// key in the program. Rust-CUDA's `cuda_builder` has no such method.
    ///
    /// In a build script this method also instructs cargo to run the script again when a source
    /// file, a manifest or the lock file changes.
    ///
    /// ```no_run
    /// // build.rs
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let key = cuda_builder::CudaBuilder::new("kernels").defer()?;
    /// println!("cargo:rustc-env=KERNELS={key}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors that [`build`](Self::build) finds before the compiler starts: those of
    /// the crate and of the toolchain.
    pub fn defer(&self) -> Result<String, CudaBuilderError> {
        let (key, files) = self.fingerprint()?;
        if folders::out_dir().is_some() {
            for file in files {
                println!("cargo:rerun-if-changed={}", file.display());
            }
        }
        Ok(key)
    }

    /// Returns the PTX with this key, or `None` if no program has built it yet. Rust-CUDA's
    /// `cuda_builder` has no such method.
    #[must_use]
    pub fn deferred(&self, key: &str) -> Option<String> {
        sealed::read(&self.file_of(key).ok()?)
    }

    /// Builds the PTX that [`defer`](Self::defer) left to the program, or waits until another
    /// process has built it. Rust-CUDA's `cuda_builder` has no such method.
    ///
    /// A builder with [`kernels`](Self::kernels) builds only the named kernels, under the key of
    /// all kernels. For one kernel out of many, such a build takes seconds. In that case the
    /// [`build_args`](Self::build_args) are not part of the key, so they may select features with
    /// which the build is even faster.
    ///
    /// The path of the crate must be absolute here, and all such programs must have the
    /// [`build_folder`](Self::build_folder) that [`folder_of`](crate::folder_of) returns.
    ///
    /// ```no_run
    /// // the program
    /// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
    /// let key = option_env!("KERNELS").unwrap_or_default();
    /// let builder = cuda_builder::CudaBuilder::new("/path/to/kernels").build_folder("/path/to/target/cuda-builder");
    /// let ptx = match builder.deferred(key) {
    ///     Some(ptx) => ptx,
    ///     None => builder.build_deferred(key)?,
    /// };
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`CudaBuilderError::Changed`] if the sources, the options or rustc differ from those
    /// at [`defer`](Self::defer), and the errors of [`build`](Self::build).
    pub fn build_deferred(&self, key: &str) -> Result<String, CudaBuilderError> {
        let file = self.file_of(key)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        // One build runs per key at a time. Builds with another key do not wait.
        let of_key = self.home()?.join("deferred").join(key);
        let _lock = lock(&of_key).map_err(|source| prepare(&of_key, source))?;
        if let Some(ptx) = self.deferred(key) {
            return Ok(ptx);
        }
        if self.fingerprint()?.0 != key {
            return Err(CudaBuilderError::Changed {
                path: self.path_to_crate.clone(),
            });
        }
        let home = self.home()?;
        let mut ptx = String::new();
        self.build_in(&home, &mut ptx)?;
        if self.line_info() == DebugInfo::LineTables {
            ptx = line_tables::named(&ptx, &file);
        }
        let most = if self.kernels.is_empty() {
            KEYS
        } else {
            SELECTIONS
        };
        let kept = sealed::write(&file, &ptx).and_then(|()| drop_oldest(folder, most));
        kept.map_err(|source| prepare(&file, source))?;
        Ok(ptx)
    }

    fn file_of(&self, key: &str) -> Result<PathBuf, CudaBuilderError> {
        let file = self.home()?.join("deferred").join(key);
        if self.kernels.is_empty() {
            return Ok(file.with_extension("ptx"));
        }
        let mut hash = Hash128::new();
        for word in self.kernels.iter().chain(&self.build_args) {
            hash.add(word.as_bytes());
        }
        Ok(file.join(hash.name()).with_extension("ptx"))
    }

    /// Returns a hash of everything from which the PTX is made, and the files that the hash
    /// includes.
    fn fingerprint(&self) -> Result<(String, Vec<PathBuf>), CudaBuilderError> {
        let folder = kernel_crate::folder(&self.path_to_crate)?;
        let toolchain = Toolchain::detect_in(&folder)?;
        let (kernels, packages) = KernelCrate::read_with_packages(folder, &toolchain)?;
        let mut files = vec![
            kernels.workspace.join("Cargo.toml"),
            kernels.workspace.join("Cargo.lock"),
        ];
        for package in packages {
            files.push(package.join("Cargo.toml"));
            files.push(package.join("build.rs"));
            let sources = package.join("src");
            below(&sources, &mut files).map_err(|source| prepare(&sources, source))?;
        }
        files.retain(|file| file.is_file());
        files.sort();
        files.dedup();

        let mut hash = Hash128::new();
        hash.add(&OWN.to_le_bytes());
        let Toolchain {
            commit,
            release,
            host,
            ..
        } = &toolchain;
        hash.add(format!("{commit:?} {release} {host}").as_bytes());
        // The hash includes all options except the crate's location, the verbosity, and the
        // selection of kernels.
        let build_args = match self.kernels.is_empty() {
            true => self.build_args.clone(),
            false => Vec::new(),
        };
        let options = CudaBuilder {
            path_to_crate: PathBuf::new(),
            build_args,
            kernels: Vec::new(),
            ptx_file_copy_path: None,
            frontend_threads: 1,
            quiet: false,
            home: None,
            machine: None,
            ..self.clone()
        };
        hash.add(format!("{options:?}").as_bytes());
        for file in &files {
            hash.add(file.as_os_str().as_encoded_bytes());
            hash.add(&fs::read(file).map_err(|source| prepare(file, source))?);
        }
        Ok((hash.name(), files))
    }
}

/// Adds the files below `folder` to `files`. The folder need not exist.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
