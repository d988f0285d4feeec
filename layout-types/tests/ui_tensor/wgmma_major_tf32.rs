//! B of 32-bit elements is K-major.
use layout_types::atom::{MmaAtom, mma::{MajorK, MajorMn, sm90::{F32TF32TF32, Shared, Wgmma}}};
use layout_types::prelude::*;
fn refused(_: <Wgmma<F32TF32TF32, int!(64), Shared, MajorK, MajorMn> as MmaAtom>::CLayout) {}
fn main() {}
