//! The error of an expression, and its place.
//!
//! ```text
//! error: no operation or atom is named `zipped_divid`
//!   | zipped_divid((8,6), (4,3))
//!   | ^^^^^^^^^^^^
//!   = help: there is `zipped_divide`
//! ```
//!
//! Law: for every text, the caret marks the smallest part of the text that is at fault.

use std::fmt;
use std::ops::Range;

use layout_types::dynamic::LayoutError;
use thiserror::Error as ThisError;

/// The result of reading or evaluating an expression.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum ErrorKind {
    /// The text is not an expression.
    #[error("{0}")]
    Syntax(String),
    /// The name is unknown.
    #[error("{0}")]
    Name(String),
    /// The operation does not take this operand.
    #[error("{0}")]
    Operand(String),
    /// An operation of the algebra is not admissible; the error holds the rule, the mode and the
    /// numbers.
    #[error("{0}")]
    Refused(LayoutError),
    /// An operation on tiled copies and MMAs is not admissible.
    #[error("{0}")]
    NotTileable(String),
    /// The expression exceeds a limit on its size or time.
    #[error("{0}")]
    TooLarge(String),
}

/// A fault and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub struct Error {
    kind: Box<ErrorKind>,
    span: Range<usize>,
    help: Option<String>,
    source_text: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, span: Range<usize>) -> Self {
        Self {
            kind: Box::new(kind),
            span,
            help: None,
            source_text: String::new(),
        }
    }

    pub(crate) fn syntax(message: impl Into<String>, span: Range<usize>) -> Self {
        Self::new(ErrorKind::Syntax(message.into()), span)
    }

    pub(crate) fn operand(message: impl Into<String>, span: Range<usize>) -> Self {
        Self::new(ErrorKind::Operand(message.into()), span)
    }

    pub(crate) fn too_large(message: impl Into<String>, span: Range<usize>) -> Self {
        Self::new(ErrorKind::TooLarge(message.into()), span)
    }

    pub(crate) fn refused(error: LayoutError, span: Range<usize>) -> Self {
        Self::new(ErrorKind::Refused(error), span)
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn in_text(mut self, text: &str) -> Self {
        self.source_text = text.to_string();
        self
    }

    /// Returns the kind of fault.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the range of bytes in the text that are at fault, or an empty range where something
    /// is missing.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns a hint about what to write instead, or `None` if no hint is known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns the message without the text.
    pub fn message(&self) -> String {
        self.kind.to_string()
    }

    /// Returns the line of the text with the fault and a line of carets below the fault, both cut
    /// to a window of at most 100 columns.
    fn excerpt(&self) -> (String, String) {
        let text = &self.source_text;
        let at = self.span.start.min(text.len());
        let begin = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let line: Vec<char> = text[begin..].lines().next().unwrap_or("").chars().collect();
        let column = text[begin..at].chars().count();
        let end = self.span.end.clamp(at, text.len());
        let width = text[at..end].chars().take_while(|c| *c != '\n').count();
        const WINDOW: usize = 100;
        let first = if line.len() <= WINDOW || column < WINDOW / 2 {
            0
        } else {
            column - WINDOW / 2
        };
        let shown: String = line
            .iter()
            .skip(first)
            .take(WINDOW)
            .map(|c| if c.is_control() { ' ' } else { *c })
            .collect();
        let carets = width.clamp(1, WINDOW.saturating_sub(column - first).max(1));
        (
            shown,
            format!("{}{}", " ".repeat(column - first), "^".repeat(carets)),
        )
    }
}

impl fmt::Display for Error {
    /// Prints the message, the line at fault with a caret, and the help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, caret) = self.excerpt();
        write!(f, "{}\n  | {line}\n  | {caret}", self.kind)?;
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}
