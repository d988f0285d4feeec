//! The destination's lanes have 16 bits of each row.
use layout_types::atom::copy::{Sm75_U32x1_MOVM_T, ValLayoutDst};
fn refused(_: ValLayoutDst<Sm75_U32x1_MOVM_T, f32>) {}
fn main() {}
