//! Atoms: the instructions that multiply and copy, as types that state which thread holds which
//! elements.
//!
//! ```text
//!   MmaAtom   Shape_MNK, ThrID, ALayout, BLayout, CLayout        (thread, value) -> element of A (M,K), B (N,K), C (M,N)
//!   CopyAtom  ThrID, SrcLayout, DstLayout, RefLayout             (thread, bit)   -> bit of what is moved
//! ```
//!
//! Law: an atom contains only facts. Its layouts are those of the PTX ISA's figures, named and
//! written as in CuTe: `SM80_16x8x16_F32F16F16F32_TN` is [`mma::Sm80_16x8x16_F32F16F16F32_TN`].
//! [`tiled`](crate::tiled) builds tiled operations from atoms.
//!
//! The accumulator of [`mma::Sm80_16x8x16_F32F16F16F32_TN`]:
//!
#![doc = include_str!("../pictures/thread-value.html")]
//!
//! Source: CuTe `cute/atom/mma_traits_sm*.hpp`, `cute/atom/copy_traits_sm*.hpp`; PTX ISA,
//! *Warp-level matrix instructions*.

pub mod convert;
pub mod copy;
pub mod element;
mod facts;
pub mod gmma;
pub mod half_pair;
pub mod mma;
pub mod smem_operand;
pub mod tmem;
pub mod umma;

pub use copy::{CopyAtom, CopyFacts, CopyValues};
pub use element::Element;
pub use facts::LayoutFacts;
pub use facts::RegisterArray;
pub use facts::{ExistsOn, Instruction, IsSupported, Supports, supported};
pub use mma::{MmaAtom, MmaFacts, MmaOp};
