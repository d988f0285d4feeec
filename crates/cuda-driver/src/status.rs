//! The result of the search for the driver.
//!
//! ```text
//!   search ──► Loaded { library, version }    Missing { tried: [name, why], .. }    Disabled { by }
//! ```
//!
//! Law: the result is determined once per process, at the first use, and does not change.
//!
//! Source: CUDA Driver API, *Version Management*.

use std::fmt;
use std::path::PathBuf;

/// Whether the process has a CUDA driver, and which one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriverStatus {
    /// The driver's library is open. `cuInit` reports whether there is a GPU.
    Loaded {
        /// The library's file, or the name under which the library was opened if the system does
        /// not report the file.
        library: PathBuf,
        /// The CUDA version that the driver supports, if it reports one.
        version: Option<DriverVersion>,
    },
    /// No library could be opened.
    Missing {
        /// The names that were tried, in order.
        tried: Vec<Attempt>,
    },
    /// The search was forbidden.
    Disabled {
        /// The source of the prohibition: an environment variable or the program.
        by: &'static str,
    },
}

/// A library that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The library's name or path.
    pub library: PathBuf,
    /// The system's message.
    pub error: String,
}

/// The CUDA version of a driver, as `cuDriverGetVersion` returns it.
///
/// ```
/// let version = cuda_driver::DriverVersion::from_number(12040);
/// assert_eq!((version.major, version.minor), (12, 4));
/// assert_eq!(version.to_string(), "12.4");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverVersion {
    /// The major number: 12 for 12.4.
    pub major: u32,
    /// The minor number: 4 for 12.4.
    pub minor: u32,
}

impl DriverVersion {
    /// Converts the driver's number, 1000 · major + 10 · minor.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self {
            major: number / 1000,
            minor: number % 1000 / 10,
        }
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Attempt {
    /// Returns the loader's message, without the library's name at its beginning.
    fn reason(&self) -> &str {
        let name = self.library.to_str().unwrap_or_default();
        let rest = self.error.strip_prefix(name);
        rest.and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&self.error)
    }
}

impl DriverStatus {
    /// Whether a driver is open.
    #[must_use]
    pub const fn is_loaded(&self) -> bool {
        matches!(self, Self::Loaded { .. })
    }
}

impl fmt::Display for DriverStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loaded {
                library,
                version: Some(version),
            } => write!(f, "{} (CUDA {version})", library.display()),
            Self::Loaded {
                library,
                version: None,
            } => write!(f, "{} (it does not tell its version)", library.display()),
            Self::Missing { tried } => {
                f.write_str("no CUDA driver:")?;
                let runs = tried.chunk_by(|one, next| one.reason() == next.reason());
                for (i, run) in runs.enumerate() {
                    f.write_str(if i == 0 { " " } else { "; " })?;
                    for (i, attempt) in run.iter().enumerate() {
                        f.write_str(if i == 0 { "" } else { ", " })?;
                        write!(f, "{}", attempt.library.display())?;
                    }
                    write!(f, ": {}", run[0].reason())?;
                }
                Ok(())
            }
            Self::Disabled { by } => write!(f, "no CUDA driver: disabled by {by}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_says_what_it_knows() {
        let loaded = |version| DriverStatus::Loaded {
            library: "/lib/libcuda.so.1".into(),
            version,
        };
        let version = DriverVersion::from_number(13000);
        assert_eq!(
            loaded(Some(version)).to_string(),
            "/lib/libcuda.so.1 (CUDA 13.0)"
        );
        assert!(loaded(None).to_string().contains("does not tell"));
        let attempt = |library: &str, error: &str| Attempt {
            library: library.into(),
            error: error.into(),
        };
        let missing = DriverStatus::Missing {
            tried: vec![attempt("a", "not there"), attempt("b", "not one")],
        };
        assert_eq!(
            missing.to_string(),
            "no CUDA driver: a: not there; b: not one"
        );
        // The loader's messages begin with the name. Libraries with the same reason share one
        // entry.
        let missing = DriverStatus::Missing {
            tried: vec![
                attempt("a", "a: not there"),
                attempt("/b/a", "/b/a: not there"),
                attempt("c", "not one"),
            ],
        };
        assert_eq!(
            missing.to_string(),
            "no CUDA driver: a, /b/a: not there; c: not one"
        );
        assert!(!missing.is_loaded());
        assert!(loaded(None).is_loaded());
        let disabled = DriverStatus::Disabled { by: "X" };
        assert_eq!(disabled.to_string(), "no CUDA driver: disabled by X");
    }
}
