//! A finding after which a launch continued, as its report lists it.
//!
//! ```text
//! Config::accept                    a rule accepts it: `accepted` is the rule's number
//! Config::continue_past_findings    `accepted` is none
//! ```
//!
//! Law: findings of one kind, by one instruction and with one earlier access, form one entry.

use crate::fault::Fault;

/// Findings of one kind and by one instruction after which a launch continued.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// The first of the findings.
    pub fault: Box<Fault>,
    /// The number of accesses of lanes that have the finding.
    pub count: u64,
    /// The rule of `Config::accept` that accepts the finding, or `None` if the launch continued
    /// without such a rule.
    pub accepted: Option<usize>,
}
