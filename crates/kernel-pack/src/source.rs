//! The input from which a file of kernels is made.

use std::collections::BTreeMap;

/// A module whose kernels are packed.
#[derive(Clone, Debug)]
pub struct PackSource {
    /// The architecture of the module, such as `sm_80`.
    pub target: String,
    /// The text of the module before the first kernel.
    pub head: String,
    /// The text of each kernel, by name.
    pub kernels: BTreeMap<String, String>,
}
