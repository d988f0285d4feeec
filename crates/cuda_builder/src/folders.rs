//! The folders in which the kernel build keeps its files.
//!
//! Law: the folder is below the caller's target folder, but the calling cargo does not lock it, so
//! the inner cargo never waits for the outer cargo. The folder is the same in every run, so a
//! second build compiles only what changed.
//!
//! ```text
//! target/debug/build/<package>/out        OUT_DIR of the build script
//! target/cuda-builder/                    home(): shared by debug, release, check, ...
//!        ├── rust-src/1.95.0/library      the cache of rust_src
//!        ├── core-<hash>/                 the small workspace of core
//!        ├── target/sm_80/                target folder of the inner cargo, one per architecture
//!        ├── target-of-others/sm_80/      the same, of crates whose workspace does not have this folder, where there is no /proc
//!        ├── ptx/                         the latest PTX, one file per crate and options
//!        ├── kept/                        PTX of earlier builds, by a hash of its inputs
//!        └── deferred/                    PTX that a program built at its first use
//! ```

use std::env;
use std::path::{Path, PathBuf};

/// Returns the folder for builds. It is derived from the build script's `OUT_DIR`, or else from the
/// target folder in use.
pub(crate) fn home() -> PathBuf {
    match out_dir() {
        Some(out_dir) => home_of(&out_dir),
        None => env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| PathBuf::from("target"), PathBuf::from)
            .join("cuda-builder"),
    }
}

/// Returns `OUT_DIR` if this process is a build script. Programs and tests that cargo runs also
/// have the variable `OUT_DIR`, but not `NUM_JOBS`.
///
/// Source: the Cargo Book, "Environment variables Cargo sets for build scripts".
pub(crate) fn out_dir() -> Option<PathBuf> {
    env::var_os("CARGO_MANIFEST_DIR")?;
    env::var_os("NUM_JOBS")?;
    env::var_os("OUT_DIR").map(PathBuf::from)
}

/// Returns the folder in which the build script with the `OUT_DIR` `out_dir` keeps its builds. Pass
/// it to [`CudaBuilder::build_folder`] in a program that builds kernels itself, with
/// `env!("OUT_DIR")` as `out_dir`.
///
/// ```
/// # use std::path::Path;
/// let folder = cuda_builder::folder_of(Path::new("/w/target/debug/build/app-1f2e/out"));
/// assert_eq!(folder, Path::new("/w/target/cuda-builder"));
/// ```
///
/// [`CudaBuilder::build_folder`]: crate::CudaBuilder::build_folder
pub fn folder_of(out_dir: &Path) -> PathBuf {
    home_of(out_dir)
}

fn home_of(out_dir: &Path) -> PathBuf {
    // <target>[/<triple>]/<profile>/build/<package>/out
    let above = |levels: usize| out_dir.ancestors().nth(levels);
    let root = above(5)
        .filter(|dir| dir.join(".rustc_info.json").is_file())
        .or_else(|| above(4))
        .filter(|dir| dir.parent().is_some());
    root.unwrap_or(out_dir).join("cuda-builder")
}

/// Returns the folder into which [`rust_src::provision`](crate::rust_src::provision) unpacks
/// `rust-src` in this process. It is below the target folder of the build script, or else below
/// `CARGO_TARGET_DIR`, or else below `target`.
pub fn default_cache() -> PathBuf {
    home().join("rust-src")
}

/// Returns the folder into which the build script with the `OUT_DIR` `out_dir` unpacks `rust-src`.
///
/// A program that reports what its own build script found passes `env!("OUT_DIR")`.
///
/// ```
/// # use std::path::Path;
/// let cache = cuda_builder::cache_of(Path::new("/w/target/debug/build/app-1f2e/out"));
/// assert_eq!(cache, Path::new("/w/target/cuda-builder/rust-src"));
/// ```
pub fn cache_of(out_dir: &Path) -> PathBuf {
    home_of(out_dir).join("rust-src")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn profiles_and_targets_share_one_folder_below_target() {
        let scratch = Scratch::new("home");
        scratch.write("target/.rustc_info.json", "{}");
        let target = scratch.path().join("target");
        for out in [
            "debug/build/app-1/out",
            "release/build/app-2/out",
            "x86_64-unknown-linux-musl/debug/build/app-3/out",
        ] {
            assert_eq!(
                home_of(&target.join(out)),
                target.join("cuda-builder"),
                "{out}"
            );
        }
    }

    #[test]
    fn a_strange_out_dir_keeps_the_build_to_itself() {
        assert_eq!(home_of(Path::new("/out")), Path::new("/out/cuda-builder"));
        assert_eq!(home_of(Path::new("out")), Path::new("out/cuda-builder"));
    }
}
