//! A lane gives 16 bits to each row, half of an f32.
use layout_types::atom::copy::{Sm90_U16x2_STSM_T, ValLayoutSrc};
fn refused(_: ValLayoutSrc<Sm90_U16x2_STSM_T, f32>) {}
fn main() {}
