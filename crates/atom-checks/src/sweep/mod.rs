//! Runs many tiles through one `mma.sync` instruction: operands of every kind of number, a kernel
//! that reads them, and the differences from the emulator's arithmetic.
//!
//! ```text
//!   seed, tile number ─► Class, bands of exponents ─► A, B, C ─► registers ─┬─► kernel on a device ─► D ─┐
//!                                                                           └─► emulator's numerics ─────┴─► equal?
//! ```
//!
//! Law: a tile depends only on its instruction, the seed and its number, so any mismatch can be
//! reproduced.

mod class;
mod compare;
mod kernel;
mod report;
mod tile;
mod warpgroup;

pub use class::Class;
pub use compare::{Mismatch, Tally, compare, compare_by};
pub use kernel::{Words, ptx};
pub use report::{Report, exit};
pub use tile::Maker;
pub use warpgroup::{Variant, warpgroup_instructions, warpgroup_ptx};
