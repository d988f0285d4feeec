//! CuTe's layout algebra solved by the compiler: shapes, strides, layouts, tensors and atoms as types.
#![no_std]
// Inline assembly and intrinsics of NVPTX are unstable in rustc; kernel builds allow them, host builds never see them.
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics, abi_unadjusted),
    allow(internal_features)
)]

extern crate self as layout_types;

#[cfg(feature = "dynamic")]
extern crate alloc;

pub mod algebra;
pub mod algorithm;
pub mod arch;
pub mod atom;
pub mod check;
pub mod coord;
pub mod decimal;
pub mod dynamic;
mod exports;
pub mod extent;
mod front;
pub mod layout;
pub mod notation;
pub mod num;
pub mod print;
pub mod ragged;
pub mod shape;
pub mod tensor;
pub mod tiled;
pub mod tree;
pub mod unroll;

pub use exports::*;
