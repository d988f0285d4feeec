//! A in registers is K-major.
use layout_types::atom::{MmaAtom, mma::{MajorMn, Registers, sm90::{F32F16F16, Wgmma}}};
use layout_types::prelude::*;
fn refused(_: <Wgmma<F32F16F16, int!(64), Registers, MajorMn> as MmaAtom>::CLayout) {}
fn main() {}
