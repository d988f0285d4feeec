//! Runs every atom on the emulator and, if there is one, on a GPU, and compares it with its plain
//! definition.
//!
//! ```text
//!   sm_80.ptx ─┬─► emulator ─► D ─┐
//!              └─► GPU      ─► D ─┴─► the definition's, bit for bit where the arithmetic is exact
//!   sm_90.ptx ─┬─► ..
//! ```
//!
//! The executable embeds the PTX, so it needs no other file on a machine with a GPU.

mod copy;
mod mma;
mod text;

use atom_checks::place::Place;
use host::{KernelArgs, Launch};

/// Runs an atom's kernel: one warp, with shared memory for the largest atom's bits.
pub fn run(place: &Place, name: &str, args: impl KernelArgs) {
    place.run(name, &Launch::new(1, 32).shared(1024), args);
}
