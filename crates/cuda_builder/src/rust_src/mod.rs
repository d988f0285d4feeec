//! Finds the source of `core` (`rust-src`), which `-Zbuild-std` compiles for the GPU. It goes
//! through a chain of places and ways to get the source, which are called links.
//!
//! Law: a [`Location`] is the `library` tree of exactly the release of the rustc in use. If no link
//! finds the source, the error states the result of each [`Link`], and names one command that
//! helps.
//!
//! ```text
//! named ─> sysroot ─> /usr/src ─> cache ─> rustup ─> apt ─> RustSrcError
//! └───────── locate(): reads only ──────┘ └ provision() ┘   (the one command)
//! ```

mod apt;
mod apt_sources;
mod cache;
mod link;
mod rustup;
mod workspace;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use link::{Link, Location, Outcome, Report, RustSrcError, Step};
pub(crate) use workspace::{core_workspace, outside_of_workspaces, stamp};

use crate::process;
use crate::toolchain::Toolchain;

/// The variable that names the user's own `library` folder, which takes precedence over every other
/// source.
pub const NAMED_BY: &str = "CUDA_BUILDER_RUST_SRC";

/// The parts of a machine that the chain may use. Tests make links fail by passing another machine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Machine {
    /// A `library` folder given by hand: the value of [`NAMED_BY`].
    pub named: Option<PathBuf>,
    /// Where distributions keep source: `/usr/src`.
    pub usr_src: PathBuf,
    /// The folders in which `rustup`, `apt-get`, `dpkg-deb` and `tar` are looked for.
    pub path: OsString,
    /// The configuration of apt: `/etc/apt`.
    pub apt: PathBuf,
    /// The file that names the distribution: `/etc/os-release`.
    pub os_release: PathBuf,
    /// Whether the network may be used. It may not if cargo's own switch, `CARGO_NET_OFFLINE`, is
    /// set.
    pub network: bool,
    /// The time that any one link may take.
    pub time_limit: Duration,
}

impl Machine {
    /// Returns this machine, as its environment describes it.
    pub fn here() -> Self {
        let offline = env::var("CARGO_NET_OFFLINE").is_ok_and(|value| value == "true");
        Self {
            named: env::var_os(NAMED_BY)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from),
            usr_src: "/usr/src".into(),
            path: process::own_path(),
            apt: "/etc/apt".into(),
            os_release: "/etc/os-release".into(),
            network: !offline,
            time_limit: Duration::from_secs(120),
        }
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        process::find_in_path(program, &self.path)
    }
}

/// The input of every link.
struct Search<'a> {
    toolchain: &'a Toolchain,
    cache: &'a Path,
    machine: &'a Machine,
}

/// Reports where `rust-src` is, without changing anything. For a link that would fetch `rust-src`,
/// the report says whether the link could be tried.
///
/// `cache` is the folder into which [`provision`] unpacks: see
/// [`default_cache`](crate::default_cache).
///
/// Law: if the report has a location, [`provision`] with the same arguments returns it.
///
/// ```
/// use cuda_builder::{Toolchain, default_cache, rust_src};
/// let toolchain = Toolchain::detect()?;
/// let report = rust_src::locate(&toolchain, &default_cache(), &rust_src::Machine::here());
/// println!("{report}");
/// # Ok::<(), cuda_builder::ToolchainError>(())
/// ```
pub fn locate(toolchain: &Toolchain, cache: &Path, machine: &Machine) -> Report {
    walk(toolchain, cache, machine, false)
}

/// Finds `rust-src`, or fetches it: into the sysroot by rustup, or otherwise into `cache` by apt.
///
/// Postcondition: the location's folder is complete and stays complete. If two processes provision
/// the same cache at once, both end with a complete tree.
///
/// # Errors
/// Returns [`RustSrcError`] if every link failed. The error states what each link reported.
pub fn provision(
    toolchain: &Toolchain,
    cache: &Path,
    machine: &Machine,
) -> Result<(Location, Report), RustSrcError> {
    let report = walk(toolchain, cache, machine, true);
    match report.location() {
        Some(location) => Ok((location, report)),
        None => Err(RustSrcError {
            command: help(toolchain, machine),
            report,
        }),
    }
}

fn walk(toolchain: &Toolchain, cache: &Path, machine: &Machine, fetch: bool) -> Report {
    let search = Search {
        toolchain,
        cache,
        machine,
    };
    let mut report = Report {
        release: toolchain.release.clone(),
        steps: Vec::new(),
    };
    for link in Link::ALL {
        let started = Instant::now();
        let outcome = match link {
            Link::Named => named(&search),
            Link::Sysroot => in_sysroot(toolchain),
            Link::UsrSrc => in_usr_src(&search),
            Link::Cache => cache::look(cache, &toolchain.release),
            Link::Rustup if fetch => rustup::fetch(&search),
            Link::Rustup => rustup::could(&search).map_or_else(Outcome::NotTried, |_| {
                Outcome::NotTried("can be tried".into())
            }),
            Link::Apt if fetch => apt::fetch(&search),
            Link::Apt => apt::could(&search).map_or_else(Outcome::NotTried, |_| {
                Outcome::NotTried("can be tried".into())
            }),
        };
        let found = matches!(outcome, Outcome::Found(_));
        report.steps.push(Step {
            link,
            outcome,
            took: started.elapsed(),
        });
        if found {
            break;
        }
    }
    report
}

fn named(search: &Search) -> Outcome {
    match &search.machine.named {
        None => Outcome::NotTried(format!("{NAMED_BY} is not set")),
        Some(library) => match workspace::missing_part(library) {
            None => Outcome::Found(library.clone()),
            Some(part) => Outcome::Failed(format!(
                "{NAMED_BY} names {}, which has no {part}",
                library.display()
            )),
        },
    }
}

/// Returns the `library` folder of the `rust-src` component of a sysroot.
fn sysroot_library(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust/library")
}

fn in_sysroot(toolchain: &Toolchain) -> Outcome {
    present(sysroot_library(&toolchain.sysroot))
}

fn in_usr_src(search: &Search) -> Outcome {
    if !search.toolchain.is_stable() {
        return Outcome::NotTried(not_packaged(search.toolchain));
    }
    let folder = format!("rustc-{}", search.toolchain.release);
    present(search.machine.usr_src.join(folder).join("library"))
}

fn not_packaged(toolchain: &Toolchain) -> String {
    format!(
        "distributions package stable releases only, and this is {}",
        toolchain.release
    )
}

fn present(library: PathBuf) -> Outcome {
    if !library.is_dir() {
        return Outcome::Missing(format!("no folder {}", library.display()));
    }
    match workspace::missing_part(&library) {
        None => Outcome::Found(library),
        Some(part) => Outcome::Failed(format!("{} has no {part}", library.display())),
    }
}

/// Returns the one command that would provide `rust-src` on this machine.
fn help(toolchain: &Toolchain, machine: &Machine) -> String {
    let by_apt = machine.find("rustup").is_none() && machine.find("apt-get").is_some();
    if by_apt && toolchain.is_stable() {
        format!("sudo apt-get install 'rust-src={}*'", toolchain.release)
    } else if let Some(name) = rustup::toolchain_name(&toolchain.sysroot) {
        format!("rustup component add rust-src --toolchain {name}")
    } else {
        "rustup component add rust-src".into()
    }
}

#[cfg(all(test, unix))]
mod tests;
