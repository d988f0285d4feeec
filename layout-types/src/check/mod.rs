//! Checks for authors of kernels. `cargo check` runs them, and an error is at the line of the
//! check.
//!
//! ```text
//!   types  --Reflect-->  Value  --rule of dynamic::rules-->  Ok, or a sentence in decimals  -->  a compile error
//! ```
//!
//! - [`assert_composable!`](crate::assert_composable), [`assert_divides!`](crate::assert_divides):
//!   the algebra's own rules.
//! - [`assert_covers!`](crate::assert_covers): a thread-value layout covers its tile exactly once.
//! - [`assert_contiguous!`](crate::assert_contiguous): a copy's values are whole, aligned vectors,
//!   through the swizzle.
//! - [`assert_bank_conflict_free!`](crate::assert_bank_conflict_free): the lanes of a phase are on
//!   banks of their own.
//! - [`assert_layout_eq!`](crate::assert_layout_eq): two layouts are the same; shows both.
//! - [`assert_wgmma_operand!`](crate::assert_wgmma_operand),
//!   [`assert_tma_box!`](crate::assert_tma_box),
//!   [`assert_tma_strides!`](crate::assert_tma_strides): tiles that `wgmma` reads and bulk copies
//!   fill.
//! - [`assert_register_budget!`](crate::assert_register_budget),
//!   [`assert_shared_memory!`](crate::assert_shared_memory),
//!   [`assert_multicast!`](crate::assert_multicast),
//!   [`assert_bulk_copy!`](crate::assert_bulk_copy),
//!   [`assert_retile_c_to_a!`](crate::assert_retile_c_to_a): other limits of Hopper.
//! - [`assert_tensor_memory!`](crate::assert_tensor_memory),
//!   [`assert_tmem_lanes!`](crate::assert_tmem_lanes),
//!   [`assert_tmem_copy!`](crate::assert_tmem_copy),
//!   [`assert_umma_operand!`](crate::assert_umma_operand),
//!   [`assert_umma_scales!`](crate::assert_umma_scales): Blackwell's columns, a warp's lanes, and
//!   where `tcgen05.mma` has its operands.
//! - [`Keys`]: the numbers of a GEMM's configuration agree with each other and with its types.
//! - [`layouts!`](crate::layouts): names results of operations, in CuTe's names, and checks each.
//! - [`choose_swizzle!`](crate::choose_swizzle): the swizzle with the fewest bank conflicts.
//!
//! All of these are constants, and all numbers of a layout are constants too. So the macros of
//! `static_assertions` work on them, and on the layouts that they name
//! (`const_assert_eq!(A::SIZE, 64)`, `assert_type_eq_all!(A, B)`). Only `assert_type_ne_all!` needs
//! types that are written out: it uses coherence, which does not evaluate the result of an
//! operation.

// A refusal carries its whole sentence: there is no allocator while a constant is evaluated.
#![allow(clippy::result_large_err)]

mod admissible;
mod asserts;
mod banks;
mod chooser;
mod covers;
mod gmma;
mod hopper;
mod keys;
mod lanes;
mod layouts;
#[cfg(feature = "dynamic")]
mod of_layout;
mod parts;
mod text;
mod tilings;
mod tma;
mod tmem;
mod value;

pub use admissible::{Verdict, complement, composition};
pub use asserts::Reflect;
pub use asserts::{equal, require};
pub use banks::{all_conflict_free, conflict_free, conflict_free_by};
pub use chooser::Function;
pub use chooser::{ChosenSwizzle, MAX_ACCESSES, choose};
pub use covers::{cells, covers, covers_by};
pub use gmma::Swizzling;
pub use gmma::{GmmaLayout, UmmaLayout};
pub use hopper::{
    REGISTERS, SHARED_BYTES, bulk_copy, multicast, register_budget, retile_c_to_a,
    retile_c_to_a_permuted, same_tile, shared_memory, stages,
};
pub use keys::{Keys, same_name};
pub use lanes::Lanes;
pub use lanes::contiguous;
pub use layouts::{AsLayout, NotationOperands};
pub use parts::{Parts, conflict_free_parts};
pub use text::sentence;
pub use text::{CAPACITY, Text};
pub use tilings::{cast, inverse};
pub use tilings::{divide, product, tile_to_shape};
pub use tma::{MAX_BOX, TmaBox, tma_strides};
pub use tmem::{
    TMEM_COLUMNS, TMEM_LANES, TmemExtent, same_words, tensor_memory, tensor_memory_of, tmem_groups,
    tmem_lanes, tmem_part,
};
pub use value::{MAX_NODES, Node, Value};

/// The examples of the guide, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/algebra.md")]
pub struct Guide;
