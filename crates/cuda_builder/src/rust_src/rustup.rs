//! A link of the chain that finds `rust-src` (see [`super`]): `rustup component add rust-src`.
//!
//! Law: rustup adds the component to exactly the toolchain in use. The link succeeds only if the
//! source is then in that toolchain's sysroot.
//!
//! ```text
//! sysroot .../toolchains/<name>  ─>  rustup component add rust-src --toolchain <name>
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

use super::link::Outcome;
use super::{Search, in_sysroot};
use crate::process;

/// Returns rustup's name for the toolchain of `sysroot`, or `None` if the toolchain does not belong
/// to rustup.
pub(super) fn toolchain_name(sysroot: &Path) -> Option<&str> {
    (sysroot.parent()?.file_name()? == "toolchains")
        .then(|| sysroot.file_name()?.to_str())
        .flatten()
}

/// Returns the path of rustup and the toolchain's name, or the reason for which the link cannot be
/// tried.
pub(super) fn could<'a>(search: &Search<'a>) -> Result<(PathBuf, &'a str), String> {
    let rustup = search
        .machine
        .find("rustup")
        .ok_or("there is no rustup in PATH")?;
    let name = toolchain_name(&search.toolchain.sysroot).ok_or_else(|| {
        format!(
            "the toolchain in {} is not one of rustup's",
            search.toolchain.sysroot.display()
        )
    })?;
    if !search.machine.network {
        return Err("CARGO_NET_OFFLINE forbids the network".into());
    }
    Ok((rustup, name))
}

pub(super) fn fetch(search: &Search) -> Outcome {
    let (rustup, name) = match could(search) {
        Ok(both) => both,
        Err(why) => return Outcome::NotTried(why),
    };
    let mut command = Command::new(rustup);
    command
        .args(["component", "add", "rust-src", "--toolchain", name])
        .env("PATH", &search.machine.path)
        // The error quotes the last lines of the output, which should be the message and not a
        // backtrace.
        .env("RUST_BACKTRACE", "0");
    match process::run(&mut command, search.machine.time_limit) {
        Err(error) => Outcome::Failed(format!("rustup: {error}")),
        Ok(done) if !done.status.success() => {
            Outcome::Failed(format!("rustup: {}: {}", done.status, done.last_words()))
        }
        Ok(_) => match in_sysroot(search.toolchain) {
            Outcome::Missing(what) => {
                Outcome::Failed(format!("rustup ended well, but there is {what}"))
            }
            outcome => outcome,
        },
    }
}
