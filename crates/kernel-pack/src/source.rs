//! What a file of kernels is made of.

use std::collections::BTreeMap;

/// A module whose kernels are packed.
#[derive(Clone, Debug)]
pub struct PackSource {
    /// Its architecture, `sm_80`.
    pub target: String,
    /// Its text before the first kernel.
    pub head: String,
    /// The text of each kernel.
    pub kernels: BTreeMap<String, String>,
}
