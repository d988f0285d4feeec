//! Instruction families, each whole in a file: its struct, how it is lowered, what it names, how it
//! executes.
//!
//! ```text
//! FAMILIES: [(["alloca"], stack::allocate), ..]      an instruction that begins with these words
//!                              └─► Op::Family(Allocate) ─► impl Instruction for Allocate
//! ```
//!
//! Law: a family is one file here and one line of [`FAMILIES`]. Families that were there before
//! this folder have their struct in `ir`, their lowering in `lower` and their `Instruction` in
//! `exec`.

mod stack;
mod store_bulk;

use crate::lower::FamilyEntry;

/// The families, by the opcode and the words behind it that their instructions begin with.
pub(crate) const FAMILIES: &[FamilyEntry] = &[
    (&["alloca"], stack::allocate),
    (&["stacksave"], stack::save),
    (&["stackrestore"], stack::restore),
    (&["st", "bulk"], store_bulk::lower),
];
