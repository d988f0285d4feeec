//! A in tensor memory is K-major.
use half::f16;
use layout_types::atom::{MmaAtom, mma::{MajorK, MajorMn, sm100::Sm100_MMA_F16BF16_TS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F16BF16_TS<f16, f16, f32, int!(128), int!(64), MajorMn, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
