//! The links of the chain that finds `rust-src`, and their results: one [`Step`] per link, in a
//! [`Report`].
//!
//! Law: a report has one step per link, in the chain's order, and ends with the first link that
//! found something, or with the last link.
//!
//! ```text
//! sysroot    no folder .../lib/rustlib/src/rust/library
//! /usr/src   no folder /usr/src/rustc-1.95.0/library
//! cache      found: target/cuda-builder/rust-src/1.95.0/library
//! ```

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A place where `rust-src` may be, or a way to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Link {
    /// The folder that [`NAMED_BY`](super::NAMED_BY) names.
    Named,
    /// rustup's `rust-src` component, below the sysroot.
    Sysroot,
    /// A distribution's package: `/usr/src/rustc-<release>`.
    UsrSrc,
    /// The folder that an earlier run unpacked below the target folder.
    Cache,
    /// `rustup component add rust-src`.
    Rustup,
    /// The Debian package `rust-src` of the same release, by the machine's own apt mirror.
    Apt,
}

impl Link {
    /// All links, in the order of the chain.
    pub const ALL: [Link; 6] = [
        Link::Named,
        Link::Sysroot,
        Link::UsrSrc,
        Link::Cache,
        Link::Rustup,
        Link::Apt,
    ];

    /// Returns a short name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Link::Named => "named",
            Link::Sysroot => "sysroot",
            Link::UsrSrc => "/usr/src",
            Link::Cache => "cache",
            Link::Rustup => "rustup",
            Link::Apt => "apt",
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The result of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A complete `library` folder.
    Found(PathBuf),
    /// `rust-src` is not in this place. This is usual and not an error.
    Missing(String),
    /// The link was not tried, for the reason in the text.
    NotTried(String),
    /// The link was tried and failed, with the message in the text.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Found(path) => write!(f, "found: {}", path.display()),
            Outcome::Missing(what) => f.write_str(what),
            Outcome::NotTried(why) => write!(f, "not tried: {why}"),
            Outcome::Failed(how) => write!(f, "failed: {how}"),
        }
    }
}

/// A link with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The link.
    pub link: Link,
    /// The link's result.
    pub outcome: Outcome,
    /// The time that the link took.
    pub took: Duration,
}

/// A complete `library` folder, with the link that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The folder that contains `core`, `alloc`, `compiler-builtins`, ...
    pub library: PathBuf,
    /// The link that found the folder.
    pub link: Link,
}

/// The results of the links for one release of rustc.
///
/// `Display` prints one line per link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The release for which the source was looked for: `1.95.0`.
    pub release: String,
    /// The result of each link, up to the end of the chain.
    pub steps: Vec<Step>,
}

impl Report {
    /// Returns the place of `rust-src`, or `None` if no link found it.
    pub fn location(&self) -> Option<Location> {
        self.steps.iter().find_map(|step| match &step.outcome {
            Outcome::Found(library) => Some(Location {
                library: library.clone(),
                link: step.link,
            }),
            _ => None,
        })
    }

    /// Returns the result of `link`, or `None` if the chain did not reach it.
    pub fn outcome(&self, link: Link) -> Option<&Outcome> {
        self.steps
            .iter()
            .find(|step| step.link == link)
            .map(|step| &step.outcome)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "  {:<10} {}", step.link, step.outcome)?;
        }
        Ok(())
    }
}

/// No link of the chain found `rust-src`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the source of Rust's `core` (rust-src) for rustc {}, which kernels are built with, is not \
     on this machine and could not be fetched.\n\
     What was tried:\n{report}\n\
     Run this, then build again:\n  {command}",
    report.release
)]
pub struct RustSrcError {
    /// The results of all links.
    pub report: Report,
    /// The one command that would help.
    pub command: String,
}
