//! Compares every `wgmma`, with operands in every place that the types allow, with plain sums.
//!
//! ```text
//!   tile type ─► byte of each element ─► shared memory ─┐
//!        └─────► descriptor of each k block ────────────┴─► wgmma ─► D by CLayout ─► equal to the sum over k?
//! ```
//!
//! Law: this module computes no place of an element: A and B lie where the types of their tiles put
//! them, A's registers and D where the atom's layouts put them, and the descriptors are those of
//! the tiles' types.

mod instruction;
mod run;
mod tiles;

pub use instruction::{Index, Instruction, Left};
pub use run::{Outcome, Step, check};
pub use tiles::{Tile, left_tiles, right_tiles};
