//! The transposed matrices have 16-bit elements, so a lane would get half of an f32.
use layout_types::atom::copy::{Sm75_U16x8_LDSM_T, ValLayoutDst};
fn refused(_: ValLayoutDst<Sm75_U16x8_LDSM_T, f32>) {}
fn main() {}
