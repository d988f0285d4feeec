//! Every `wgmma` out of operands in every place that the types allow, against plain sums.
//!
//! ```text
//!   tile type ─► byte of each element ─► shared memory ─┐
//!        └─────► descriptor of each k block ────────────┴─► wgmma ─► D by CLayout ─► equal to the sum over k?
//! ```
//!
//! Law: no place of an element stands here: A and B lie where their tiles' types have them, A's
//! registers and D where the atom's layouts have them, and the descriptors are those that the
//! tiles' types give.

mod instruction;
mod run;
mod tiles;

pub use instruction::{Index, Instruction, Left};
pub use run::{Outcome, Step, check};
pub use tiles::{Tile, left_tiles, right_tiles};
