//! A pair with A in tensor memory has N in steps of 32.
use half::f16;
use layout_types::atom::{MmaAtom, mma::{MajorK, sm100::Sm100_MMA_F16BF16_2x1SM_TS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F16BF16_2x1SM_TS<f16, f16, f32, int!(256), int!(48), MajorK, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
