//! From the syntax tree to code that runs: names to rows, words to operations, labels to places.
//!
//! ```text
//! syntax::Module ─module─► variables, signatures
//!                ─body───► drafts (slots, labels) ─flow─► meeting points ─allocate─► rows ─► ir::Function
//! ```
//!
//! Law: each instruction either becomes operations with PTX's meaning, every modifier understood, or is an error that
//! names it. Nothing is dropped.

mod allocate;
mod arithmetic;
mod atomic;
mod bits;
mod body;
mod bulk;
mod cluster;
mod compare;
mod condemn;
mod control;
mod convert;
mod float;
mod flow;
mod half;
mod hints;
mod initialised;
mod instruction;
mod mbarrier;
mod memory;
mod module;
mod moves;
mod opcode;
mod operand;
mod pack;
mod provenance;
mod rows;
mod scope;
mod slot;
mod special;
mod stack;
mod tensor;
mod texture;
mod tile;
mod variable;
mod video;
mod warp;
mod wgmma;
mod wmma;

pub(crate) use module::lower;

/// A reduction of numbers in memory by its name and type, with subnormal numbers of 32 bits flushed or not: old value and operand
/// to new value, as bits.
pub(crate) fn reduction(
    name: &str,
    ty: crate::types::Type,
    flush: bool,
) -> Option<fn(u64, u64, u64) -> u64> {
    let (apply, flushed) = atomic::operation(name, ty)?;
    Some(flushed.filter(|_| flush).unwrap_or(apply))
}
