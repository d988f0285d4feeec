//! Compares the fields of tensor maps with the tiles from which they are derived. Compares the
//! effect of TMA loads, multicasts, stores and additions through the maps with their definitions,
//! element by element, on the emulator and on a Hopper GPU if there is one.
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
