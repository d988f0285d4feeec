//! The requirements of a module and its kernels: the target, and a kernel's parameters and limits.
//!
//! ```text
//! .target sm_90a                                             Target
//! .entry k(.param .u64 p, .param .b8 q[16]) .maxntid 256     Signature of two Params
//! ```
//!
//! Law: these values are as written in the PTX; the arguments of a launch are compared with them.

use std::fmt;

/// The device that a module is for: `.target sm_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The major version: 9 for `sm_90a`.
    pub major: u32,
    /// The minor version: 0 for `sm_90a`.
    pub minor: u32,
    /// The suffix `a` (only this compute capability) or `f` (only this family): `sm_90a`,
    /// `sm_100f`.
    pub suffix: Option<char>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

/// The requirements of a kernel on its launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name in the PTX.
    pub name: String,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The most threads of a block: the product of `.maxntid` or `.reqntid`.
    pub max_threads: Option<u32>,
    /// The bytes of shared memory of the kernel's own variables.
    pub static_shared: usize,
    /// Whether the kernel uses an `.extern .shared` array, whose size the launch determines.
    pub uses_dynamic_shared: bool,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// The name in the PTX.
    pub name: String,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes.
    pub align: usize,
    /// The type as PTX writes it: `.u64`, `.b8[16]`.
    pub ty: String,
}
