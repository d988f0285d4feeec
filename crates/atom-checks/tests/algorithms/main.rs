//! Runs the kernels `tensor_*` of `atom-kernels`, which are whole algorithms on tensors, on the
//! emulator and, if there is one, on a GPU, and compares them with loops.
//!
//! ```text
//!   sm_80.ptx, sm_90.ptx ─► emulator, GPU ─► result == the loop's, bit for bit
//! ```
//!
//! The executable embeds the PTX, so it needs no other file on a machine with a GPU.

mod copies;
mod elements;
mod products;
mod text;
