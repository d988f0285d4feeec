//! Every atom runs: on the emulator, and on a GPU where there is one, against its plain definition.
//!
//! ```text
//!   sm_80.ptx ─┬─► emulator ─► D ─┐
//!              └─► GPU      ─► D ─┴─► the definition's, bit for bit where the arithmetic is exact
//!   sm_90.ptx ─┬─► ..
//! ```
//!
//! The executable holds the PTX: carried to a machine with a GPU, it needs nothing else.

mod copy;
mod mma;
mod text;

use atom_checks::place::Place;
use host::{KernelArgs, Launch};

/// Runs an atom's kernel: one warp, with shared memory for the largest atom's bits.
pub fn run(place: &Place, name: &str, args: impl KernelArgs) {
    place.run(name, &Launch::new(1, 32).shared(1024), args);
}
