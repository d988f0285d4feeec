//! What can be wrong with a launch file, and where in it.
//!
//! ```text
//!   reduce.toml:4:18: unknown variable `m`; there are n
//!       grid = "ceil_div(m, 256)"
//!                        ^
//! ```

use std::path::{Path, PathBuf};
use thiserror::Error;

/// A launch file that cannot be used: the place, its line, and what is wrong.
///
/// ```
/// let text = "ptx = \"a.ptx\"\nentry = \"k\"\ngrid = \"4 +\"\nblock = 32\n";
/// let error = cutlet::launch_file::LaunchFile::parse(text, "a.toml".as_ref()).unwrap_err();
/// assert_eq!((error.line, error.column), (3, 12));
/// assert!(error.to_string().starts_with("a.toml:3:12: "), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}:{column}: {kind}{}", file.display(), self.picture())]
pub struct LaunchFileError {
    /// The launch file.
    pub file: PathBuf,
    /// Line of it, from 1.
    pub line: usize,
    /// Column in the line, from 1, in characters.
    pub column: usize,
    /// The line's text.
    pub excerpt: String,
    /// What is wrong.
    pub kind: Box<LaunchFileErrorKind>,
}

/// What is wrong with a launch file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LaunchFileErrorKind {
    /// It cannot be read.
    #[error("{0}")]
    Read(String),
    /// It is not TOML.
    #[error("{0}")]
    Toml(String),
    /// A key that must be there is not.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A key that means nothing here.
    #[error("unknown key `{key}`; there are {allowed}")]
    UnknownKey {
        /// The key.
        key: String,
        /// Those that mean something.
        allowed: String,
    },
    /// A value that is not of the kind, or not among those, that the key takes.
    #[error("{key} is {expected}, not {found}")]
    Value {
        /// The key.
        key: String,
        /// What it takes.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A kind of finding that no kernel can go on from, or that does not exist.
    #[error(transparent)]
    NotAcceptable(emulator::NotAcceptable),
    /// A variable that the module does not have.
    #[error("the module has no variable `{name}`; it has {available}")]
    NoVariable {
        /// The name.
        name: String,
        /// Those that it has.
        available: String,
    },
    /// A range of a variable beyond its end.
    #[error("variable `{name}` has {size}: {offset} and {bytes} from there are beyond its end")]
    VariableBounds {
        /// The variable.
        name: String,
        /// Its size, as text.
        size: String,
        /// The offset in bytes, as text.
        offset: String,
        /// The bytes behind it, as text.
        bytes: String,
    },
    /// A tensor map that cannot be, at these sizes.
    #[error("{error}{}", at(sizes))]
    TensorMap {
        /// What is wrong with it.
        error: host::TensorMapError,
        /// `n = 5, m = 3`; empty where there are no sizes.
        sizes: String,
    },
    /// An expression that cannot be read.
    #[error("expected {expected}, found {found}")]
    Expression {
        /// What may stand here.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A name in an expression that is no size.
    #[error("unknown variable `{name}`; there are {known}")]
    UnknownVariable {
        /// The name.
        name: String,
        /// The sizes.
        known: String,
    },
    /// A function that is not known, or with the wrong number of arguments.
    #[error(
        "no function `{name}` of {arguments}; there are ceil_div(a, b), round_up(a, b), min(a, b), max(a, b)"
    )]
    UnknownFunction {
        /// The name.
        name: String,
        /// The number of arguments.
        arguments: usize,
    },
    /// An expression without a value, or with one outside of what the key takes, at these sizes.
    #[error("{problem}{}", at(sizes))]
    Evaluation {
        /// What is wrong.
        problem: String,
        /// `n = 5, m = 3`; empty where there are no sizes.
        sizes: String,
    },
}

fn at(sizes: &str) -> String {
    if sizes.is_empty() {
        String::new()
    } else {
        format!(" at {sizes}")
    }
}

impl LaunchFileError {
    /// An error at byte `offset` of `source`.
    pub(super) fn at(file: &Path, source: &str, offset: usize, kind: LaunchFileErrorKind) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let start = source[..offset].rfind('\n').map_or(0, |i| i + 1);
        let end = source[offset..]
            .find('\n')
            .map_or(source.len(), |i| offset + i);
        Self {
            file: file.to_owned(),
            line: source[..start].matches('\n').count() + 1,
            column: source[start..offset].chars().count() + 1,
            excerpt: source[start..end].trim_end().to_owned(),
            kind: Box::new(kind),
        }
    }

    fn picture(&self) -> String {
        if self.excerpt.is_empty() {
            return String::new();
        }
        let indent: String = self
            .excerpt
            .chars()
            .take(self.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        format!("\n    {}\n    {indent}^", self.excerpt)
    }
}
