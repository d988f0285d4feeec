//! Instruction families, one per file: the struct, its lowering, the rows that it names, its
//! execution.
//!
//! ```text
//! FAMILIES: [(["alloca"], stack::allocate), ..]      an instruction that begins with these words
//!                              └─► Op::Family(Allocate) ─► impl Instruction for Allocate
//! ```
//!
//! Law: a family here is one file, and one entry of [`FAMILIES`] for each opcode. Older families
//! have their struct in `ir`, their lowering in `lower` and their `Instruction` in `exec`.

mod launch_control;
mod stack;
mod store_bulk;

use crate::lower::FamilyEntry;

/// The families' lowerings, by the opcode and the modifiers that an instruction begins with.
pub(crate) const FAMILIES: &[FamilyEntry] = &[
    (&["alloca"], stack::allocate),
    (&["stacksave"], stack::save),
    (&["stackrestore"], stack::restore),
    (&["st", "bulk"], store_bulk::lower),
    (
        &["clusterlaunchcontrol", "try_cancel"],
        launch_control::try_cancel,
    ),
    (
        &["clusterlaunchcontrol", "query_cancel"],
        launch_control::query_cancel,
    ),
];
