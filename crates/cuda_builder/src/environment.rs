//! Selects the environment variables of the outer cargo that the inner cargo sees.
//!
//! A build script inherits the variables that cargo, clippy, rust-analyzer and the user's shell set
//! for the *host* build. Most of them would break the kernel build or, worse, change it silently.
//!
//! Law: cargo and rustc read many variables that control what they build and how. Of these
//! variables, the inner cargo sees only those that control network access, output, and the location
//! of cargo's files.
//!
//! ```text
//! CARGO_HOME, CARGO_NET_*, CARGO_HTTP_*, CARGO_REGISTR*_*, CARGO_TERM_*, CARGO_CACHE_*   pass
//! CARGO_*, RUSTC*, RUSTFLAGS, RUSTDOC*, MAKEFLAGS, TARGET, PROFILE, DEP_*, CLIPPY_* ...  do not
//! ```
//!
//! Source: the Cargo Book, "Environment Variables" and "Configuration".

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::folders;

const PASS: [&str; 8] = [
    "CARGO_HOME",
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTRY_",
    "CARGO_REGISTRIES_",
    "CARGO_SOURCE_",
    "CARGO_TERM_",
    "CARGO_CACHE_",
];

const STOP_PREFIXES: [&str; 6] = ["CARGO", "__CARGO", "RUSTC", "RUSTDOC", "DEP_", "CLIPPY_"];

const STOP: [&str; 13] = [
    "CUDA_BUILDER_KERNELS",
    "RUSTFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
    "TARGET",
    "HOST",
    "OUT_DIR",
    "PROFILE",
    "OPT_LEVEL",
    "DEBUG",
    "NUM_JOBS",
    "SYSROOT",
    "RUST_TARGET_PATH",
];

/// Returns whether this variable must not reach the inner cargo.
pub(crate) fn stopped(name: &str) -> bool {
    !PASS.iter().any(|pass| name.starts_with(pass))
        && (STOP.contains(&name) || STOP_PREFIXES.iter().any(|stop| name.starts_with(stop)))
}

/// Returns whether this process is a build script that clippy runs. Code that clippy checks is
/// never executed, and clippy keeps its builds of a workspace apart from all other builds. Under
/// clippy, a build script can therefore write an empty file instead of PTX.
///
/// ```
/// // build.rs
/// if cuda_builder::in_clippy() {
///     return; // after the code that writes the file that the program includes
/// }
/// ```
///
/// Source: the Cargo Book, "Environment Variables", `RUSTC_WORKSPACE_WRAPPER`.
pub fn in_clippy() -> bool {
    let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    folders::out_dir().is_some() && wraps_clippy(Path::new(&wrapper))
}

fn wraps_clippy(wrapper: &Path) -> bool {
    wrapper
        .file_stem()
        .is_some_and(|name| name == "clippy-driver")
}

/// Returns the value of `CARGO_TERM_COLOR` for the inner cargo, whose output is always a pipe.
/// There are colours if the output of this process goes to a terminal, directly or through the
/// outer cargo.
pub(crate) fn colour() -> &'static str {
    let choice = env::var("CARGO_TERM_COLOR").unwrap_or_default();
    let plain = env::var("NO_COLOR").is_ok_and(|value| !value.is_empty());
    choose(&choice, plain, ends_in_terminal)
}

fn choose(choice: &str, plain: bool, terminal: impl Fn() -> bool) -> &'static str {
    match choice {
        "always" => "always",
        "never" => "never",
        _ if !plain && terminal() => "always",
        _ => "never",
    }
}

fn ends_in_terminal() -> bool {
    if folders::out_dir().is_none() {
        return io::stderr().is_terminal();
    }
    // A build script writes into a pipe to cargo. Only the operating system knows where that cargo
    // writes, and only some systems provide this information.
    #[cfg(target_os = "linux")]
    {
        let cargo = std::os::unix::process::parent_id();
        std::fs::read_link(format!("/proc/{cargo}/fd/2"))
            .is_ok_and(|to| to.starts_with("/dev/pts") || to.starts_with("/dev/tty"))
    }
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clippy_is_known_by_its_driver() {
        assert!(wraps_clippy(Path::new("/t/bin/clippy-driver")));
        for other in ["", "sccache", "/clippy-driver/sccache"] {
            assert!(!wraps_clippy(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn colours_are_where_they_are_asked_for_or_can_be_seen() {
        let (seen, unseen) = (|| true, || false);
        assert_eq!(choose("always", true, unseen), "always");
        assert_eq!(choose("never", false, seen), "never");
        for unsaid in ["", "auto"] {
            assert_eq!(choose(unsaid, false, seen), "always");
            assert_eq!(choose(unsaid, false, unseen), "never");
            assert_eq!(choose(unsaid, true, seen), "never");
        }
    }

    #[test]
    fn what_tells_cargo_what_to_build_is_stopped() {
        for name in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_MAKEFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_BUILD_RUSTC_WRAPPER",
            "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
            "CARGO_CFG_TARGET_ARCH",
            "CARGO_FEATURE_X",
            "CARGO_UNSTABLE_BUILD_STD",
            "CARGO_INCREMENTAL",
            "__CARGO_TESTS_ONLY_SRC_ROOT",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "RUSTFLAGS",
            "RUSTDOCFLAGS",
            "CLIPPY_ARGS",
            "TARGET",
            "OUT_DIR",
            "DEP_CUDA_INCLUDE",
            "MAKEFLAGS",
        ] {
            assert!(stopped(name), "{name}");
        }
    }

    #[test]
    fn what_says_how_to_work_passes() {
        for name in [
            "PATH",
            "HOME",
            "RUSTUP_HOME",
            "RUSTUP_TOOLCHAIN",
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "CARGO_REGISTRIES_MINE_TOKEN",
            "CARGO_TERM_COLOR",
            "HTTPS_PROXY",
            "LD_LIBRARY_PATH",
            "RUST_BACKTRACE",
            "TMPDIR",
        ] {
            assert!(!stopped(name), "{name}");
        }
    }
}
