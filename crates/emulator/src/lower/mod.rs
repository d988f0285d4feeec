//! Lowers the syntax tree to executable code: names to rows, words to operations, labels to places.
//!
//! ```text
//! syntax::Module ─module─► variables, signatures
//!                ─body───► drafts (slots, labels) ─flow─► meeting points ─allocate─► rows ─► ir::Function
//! ```
//!
//! Law: each instruction either becomes operations with PTX's meaning, with every modifier
//! understood, or is an error that names it. Nothing is dropped.

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
mod lives;
mod mbarrier;
mod memory;
mod module;
mod moves;
mod multimem;
mod opcode;
mod operand;
mod pack;
mod pressure;
mod provenance;
mod scope;
mod slot;
mod special;
mod store_async;
mod tcgen05;
mod tensor;
mod tensor_map;
mod texture;
mod tile;
mod undefined;
mod variable;
mod video;
mod warp;
mod wgmma;
mod wmma;

pub(crate) use flow::Flow;
pub(crate) use instruction::{Lowered, Lowering};
pub(crate) use module::lower;
pub(crate) use opcode::FamilyEntry;
pub(crate) use slot::Slot;
