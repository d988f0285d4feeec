//! One kernel for each MMA atom and each copy atom, with only that instruction.
//!
//! ```text
//!   matrices, bits ──by the atom's layouts──► registers ──the instruction──► registers ──by the layouts──► matrices, bits
//! ```
//!
//! Law: a kernel has its atom's name. Its result depends on the atom's *types* (the elements that
//! each thread holds) and on the atom's *instruction*; the plain definition holds only if both are
//! right. If the kernel's target does not have an atom, there is no kernel for it.
//!
//! The module [`algorithms`] has kernels of whole algorithms on tensors, named `tensor_*`.
//!
//! The crate `atom-checks` runs the kernels.

pub mod algorithms;
pub mod copy;
pub mod mma;
pub mod moves;
