//! The kernels `tensor_*` of `atom-kernels`, whole algorithms on tensors: on the emulator, and on a
//! GPU where there is one, against loops.
//!
//! ```text
//!   sm_80.ptx, sm_90.ptx ─► emulator, GPU ─► result == the loop's, bit for bit
//! ```
//!
//! The executable holds the PTX: carried to a machine with a GPU, it needs nothing else.

mod copies;
mod elements;
mod products;
mod text;
