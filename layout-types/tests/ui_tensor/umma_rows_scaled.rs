//! A block-scaled product of one CTA has 128 rows.
use layout_types::atom::{MmaAtom, element::*, mma::{MajorK, sm100::Sm100_MMA_MXF8F6F4_SS}};
use layout_types::prelude::*;
type Atom = Sm100_MMA_MXF8F6F4_SS<FloatE4M3, FloatE4M3, f32, FloatUE8M0, int!(64), int!(128), MajorK, MajorK>;
fn refused(_: <Atom as MmaAtom>::CLayout) {}
fn main() {}
