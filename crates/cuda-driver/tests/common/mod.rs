//! Builds the fake driver, and lists every driver function as the linker resolves it.
#![allow(dead_code)] // Each test file uses its part.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::Command;

#[macro_use]
#[path = "../../src/symbols.rs"]
mod symbols;

macro_rules! declare {
    ($($index:literal $name:ident;)+) => {
        mod linked {
            unsafe extern "C" {
                $(pub fn $name() -> u32;)+
            }
        }

        /// Every function of the table, as the linker resolves its name. The functions are declared
        /// without arguments, because the functions that answer in these tests read none.
        pub const LINKED: &[(&CStr, unsafe extern "C" fn() -> u32)] = &[
            $((
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                },
                linked::$name,
            ),)+
        ];
    };
}
with_symbols!(declare);

/// Builds the fake driver's library with this machine's cargo, and returns its path.
pub fn fake_driver() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-driver");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fake-driver");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", &target)
        .status()
        .expect("cargo runs");
    assert!(build.success(), "the fake driver does not build");
    let name = format!(
        "{}fake_driver{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    target.join("debug").join(name)
}
