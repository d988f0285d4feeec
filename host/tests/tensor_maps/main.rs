//! Tensor maps: their fields against the tiles that they are derived from, and what a TMA load, a
//! multicast, a store and an addition do through them, element by element, on the emulator and on
//! the GPU where there is one of Hopper's.
//!
//! ```text
//!   tensor ──load at l──► shared memory ──raw──► out          out = the box by its definition, swizzled
//!          (to one block       └──store at s──► other tensor   = the box's elements, in units of 16 bytes
//!           or to a mask)      └──add at s────► other tensor   = its elements and the box's, summed
//! ```

mod addition;
#[path = "../common/mod.rs"]
mod common;
mod definition;
mod derived;
mod kernels;
mod multicast;
mod round_trip;
