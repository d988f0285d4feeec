//! A and B of 16-bit elements must be of one type.
use half::{bf16, f16};
use layout_types::atom::{MmaAtom, mma::{MajorK, sm100::Sm100_MMA_F16BF16_SS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F16BF16_SS<f16, bf16, f32, int!(128), int!(64), MajorK, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
