//! Step by step.

use std::fmt;

use crate::error::Result;
use crate::evaluate::Application;
use crate::value::Value;

/// Each operation of an expression, told.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The operations in the order in which they were done.
    pub steps: Vec<Step>,
    /// What came out.
    pub outcome: Result<Value>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation with its operands.
    pub title: String,
    /// The bytes of the text that ask for it.
    pub span: std::ops::Range<usize>,
    /// How it is done, a line each.
    pub lines: Vec<String>,
    /// What it returns, or why it is refused.
    pub outcome: Result<String, String>,
}

impl Explanation {
    pub(crate) fn new(_text: &str, _record: Vec<Application>, outcome: Result<Value>) -> Self {
        Self {
            steps: Vec::new(),
            outcome,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(value) => value.fmt(f),
            Err(error) => error.fmt(f),
        }
    }
}
