//! What is wrong, where, and with which operands.
//!
//! ```text
//! composition (4,4):(4,1) o (2,2):(3,1) is not admissible: together the modes of the right side reach 4 ...
//! ^operation  ^operands                                     ^the rule, in decimals
//! ```

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::rules::Rule;

/// The result of an operation on layouts.
pub type Result<T, E = LayoutError> = core::result::Result<T, E>;

/// An operation that was refused: the operation, its operands as CuTe prints them, the mode at fault and
/// the rule broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    operation: &'static str,
    operands: Vec<String>,
    mode: Vec<usize>,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Rule(Rule),
    Within(Box<LayoutError>),
}

impl LayoutError {
    pub(super) fn new(operation: &'static str, operands: &[&dyn fmt::Display], rule: Rule) -> Self {
        Self {
            operation,
            operands: operands.iter().map(ToString::to_string).collect(),
            mode: Vec::new(),
            reason: Reason::Rule(rule),
        }
    }

    /// The same refusal as a step of a larger operation.
    pub(super) fn within(self, operation: &'static str, operands: &[&dyn fmt::Display]) -> Self {
        Self {
            operation,
            operands: operands.iter().map(ToString::to_string).collect(),
            mode: Vec::new(),
            reason: Reason::Within(Box::new(self)),
        }
    }

    pub(super) fn at(mut self, mode: &[usize]) -> Self {
        self.mode = mode.to_vec();
        self
    }

    /// The operation as CuTe names it.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The operands in CuTe's order and notation.
    pub fn operands(&self) -> &[String] {
        &self.operands
    }

    /// The mode at fault, outermost index first; empty where no single mode is. For a refusal inside a
    /// larger operation, the mode of the operation that refused.
    pub fn mode(&self) -> &[usize] {
        match &self.reason {
            Reason::Within(inner) if self.mode.is_empty() => inner.mode(),
            _ => &self.mode,
        }
    }

    /// The rule broken.
    pub fn rule(&self) -> Rule {
        match &self.reason {
            Reason::Rule(rule) => *rule,
            Reason::Within(inner) => inner.rule(),
        }
    }
}

/// The word or sign between an operation's first and second operand.
fn joiner(operation: &str) -> &'static str {
    match operation {
        "composition" | "max_common_layout" | "max_common_vector" => " o ",
        name if name.ends_with("divide") || name.ends_with("cast") || name == "ceil_div" => " / ",
        name if name.ends_with("product") => " x ",
        _ => ", ",
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        for (i, operand) in self.operands.iter().enumerate() {
            let before = match i {
                0 => " ",
                1 => joiner(self.operation),
                _ => ", ",
            };
            write!(f, "{before}{operand}")?;
        }
        write!(f, " is not admissible: ")?;
        if let Some((first, rest)) = self.mode.split_first() {
            write!(f, "mode {first}")?;
            rest.iter().try_for_each(|mode| write!(f, ".{mode}"))?;
            write!(f, ": ")?;
        }
        match &self.reason {
            Reason::Rule(rule) => write!(f, "{rule}"),
            Reason::Within(inner) => write!(f, "{inner}"),
        }
    }
}

impl core::error::Error for LayoutError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.reason {
            Reason::Rule(_) => None,
            Reason::Within(inner) => Some(&**inner),
        }
    }
}
