//! From the syntax tree to code that runs: names to rows, words to operations, labels to places.
//!
//! ```text
//! syntax::Module ─module─► variables, signatures
//!                ─body───► drafts (slots, labels) ─flow─► meeting points ─allocate─► rows ─► ir::Function
//! ```
//!
//! Law: each instruction either becomes operations with PTX's meaning, every modifier understood,
//! or is an error that names it. Nothing is dropped.

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
mod multimem;
mod opcode;
mod operand;
mod pack;
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
pub(crate) use opcode::Family;
pub(crate) use slot::Slot;

use crate::numerics::minmax::{self, MinMax};
use crate::types::Type;

/// A bulk reduction by its name and type, with subnormal numbers of 32 bits flushed or not: old
/// value and operand to new value, as bits. Its minima are those of `min.f16` and `min.bf16`, and
/// there is no sum of `.s64` (measured on an H200).
pub(crate) fn reduction(name: &str, ty: Type, flush: bool) -> Option<fn(u64, u64, u64) -> u64> {
    const MIN: MinMax = MinMax::MIN;
    const MAX: MinMax = MinMax::MAX;
    match (name, ty) {
        ("min", Type::F16) => Some(|old, new, _| minmax::f16(old as u16, new as u16, MIN).into()),
        ("max", Type::F16) => Some(|old, new, _| minmax::f16(old as u16, new as u16, MAX).into()),
        ("min", Type::Bf16) => Some(|old, new, _| minmax::bf16(old as u16, new as u16, MIN).into()),
        ("max", Type::Bf16) => Some(|old, new, _| minmax::bf16(old as u16, new as u16, MAX).into()),
        ("add", Type::S64) => None,
        _ => {
            let (apply, flushed) = atomic::operation(name, ty)?;
            Some(flushed.filter(|_| flush).unwrap_or(apply))
        }
    }
}
