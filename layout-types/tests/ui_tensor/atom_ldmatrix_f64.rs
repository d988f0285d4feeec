//! A lane gets 32 bits of each matrix, half of an f64.
use layout_types::atom::copy::{Sm75_U32x4_LDSM_N, ValLayoutDst};
fn refused(_: ValLayoutDst<Sm75_U32x4_LDSM_N, f64>) {}
fn main() {}
