//! With 128 rows N is a multiple of 16.
use half::f16;
use layout_types::atom::{MmaAtom, mma::{MajorK, sm100::Sm100_MMA_F16BF16_SS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F16BF16_SS<f16, f16, f32, int!(128), int!(40), MajorK, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
