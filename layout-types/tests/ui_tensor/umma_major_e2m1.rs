//! Floats of 4 bits are K-major.
use layout_types::atom::{MmaAtom, element::*, mma::{MajorK, MajorMn, sm100::Sm100_MMA_F8F6F4_SS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F8F6F4_SS<FloatE4M3, Unpacked<FloatE2M1>, f32, int!(128), int!(64), MajorK, MajorMn>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
