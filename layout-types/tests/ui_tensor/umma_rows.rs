//! One CTA has 64 or 128 rows, a pair 128 or 256.
use half::bf16;
use layout_types::atom::{MmaAtom, mma::{MajorK, sm100::Sm100_MMA_F16BF16_SS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_F16BF16_SS<bf16, bf16, f32, int!(256), int!(128), MajorK, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
