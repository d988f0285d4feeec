//! A finding that a launch went on from, as its report has it.
//!
//! ```text
//! Config::accept                    a rule accepts it: `accepted` is the rule's number
//! Config::continue_past_findings    `accepted` is none
//! ```
//!
//! Law: findings of one kind by one instruction, and with one earlier access, are one.

use crate::fault::Fault;

/// Findings that a launch went on from: of one kind, by one instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// The first one.
    pub fault: Box<Fault>,
    /// Accesses of lanes for which it was found.
    pub count: u64,
    /// The rule of `Config::accept` that accepts it; none where the launch went on all the same.
    pub accepted: Option<usize>,
}
