//! The errors of a launch file, each with its place in the file.
//!
//! ```text
//!   reduce.toml:4:18: unknown variable `m`; there are n
//!       grid = "ceil_div(m, 256)"
//!                        ^
//! ```

use std::path::{Path, PathBuf};
use thiserror::Error;

/// A launch file that cannot be used: the place, its line, and the error.
///
/// ```
/// let text = "ptx = \"a.ptx\"\nentry = \"k\"\ngrid = \"4 +\"\nblock = 32\n";
/// let error = launch_file::LaunchFile::parse(text, "a.toml".as_ref()).unwrap_err();
/// assert_eq!((error.line, error.column), (3, 12));
/// assert!(error.to_string().starts_with("a.toml:3:12: "), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}:{column}: {kind}{}", file.display(), self.picture())]
pub struct LaunchFileError {
    /// The launch file.
    pub file: PathBuf,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in the line, from 1, in characters.
    pub column: usize,
    /// The line's text.
    pub excerpt: String,
    /// The kind of the error.
    pub kind: Box<LaunchFileErrorKind>,
}

/// The kind of an error in a launch file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LaunchFileErrorKind {
    /// The file cannot be read.
    #[error("{0}")]
    Read(String),
    /// The file is not TOML.
    #[error("{0}")]
    Toml(String),
    /// A required key is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A key has no meaning in its table.
    #[error("unknown key `{key}`; there are {allowed}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that have a meaning.
        allowed: String,
    },
    /// A value does not have the kind, or is not one of the values, that the key takes.
    #[error("{key} is {expected}, not {found}")]
    Value {
        /// The key.
        key: String,
        /// The values that the key takes.
        expected: String,
        /// The value in the file.
        found: String,
    },
    /// A kind of finding does not exist, or no kernel can continue after it.
    #[error(transparent)]
    NotAcceptable(emulator::NotAcceptable),
    /// The module does not have the variable.
    #[error("the module has no variable `{name}`; it has {available}")]
    NoVariable {
        /// The name.
        name: String,
        /// The variables that the module has.
        available: String,
    },
    /// A range of a variable reaches beyond its end.
    #[error("variable `{name}` has {size}: {offset} and {bytes} from there are beyond its end")]
    VariableBounds {
        /// The variable.
        name: String,
        /// Its size, as text.
        size: String,
        /// The offset in bytes, as text.
        offset: String,
        /// The number of bytes from the offset on, as text.
        bytes: String,
    },
    /// A tensor map is not valid at these sizes.
    #[error("{error}{}", at(sizes))]
    TensorMap {
        /// The error of the map.
        error: host::TensorMapError,
        /// The sizes, such as `n = 5, m = 3`. The text is empty if there are no sizes.
        sizes: String,
    },
    /// An expression cannot be read.
    #[error("expected {expected}, found {found}")]
    Expression {
        /// The tokens that may be at this place.
        expected: &'static str,
        /// The token that is there.
        found: String,
    },
    /// A name in an expression is not a size.
    #[error("unknown variable `{name}`; there are {known}")]
    UnknownVariable {
        /// The name.
        name: String,
        /// The sizes.
        known: String,
    },
    /// A function is not known, or has the wrong number of arguments.
    #[error(
        "no function `{name}` of {arguments}; there are ceil_div(a, b), round_up(a, b), min(a, b), max(a, b)"
    )]
    UnknownFunction {
        /// The name.
        name: String,
        /// The number of arguments.
        arguments: usize,
    },
    /// An expression has no value at these sizes, or its value is out of the range that the key
    /// takes.
    #[error("{problem}{}", at(sizes))]
    Evaluation {
        /// The problem of the value.
        problem: String,
        /// The sizes, such as `n = 5, m = 3`. The text is empty if there are no sizes.
        sizes: String,
    },
}

/// A size that a launch file does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} has no size `{name}`; it has {known}", file.display())]
pub struct UnknownSize {
    /// The launch file.
    pub file: PathBuf,
    /// The name.
    pub name: String,
    /// The sizes that the file has.
    pub known: String,
}

fn at(sizes: &str) -> String {
    if sizes.is_empty() {
        String::new()
    } else {
        format!(" at {sizes}")
    }
}

impl LaunchFileError {
    /// Makes an error at byte `offset` of `source`.
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
