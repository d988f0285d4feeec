use layout_types::atom::{element::*, mma::{MajorK, sm100::Sm100_MMA_MXF8F6F4_SS}};
use layout_types::{assert_umma_scales, prelude::*, typenum::U128};
type Atom = Sm100_MMA_MXF8F6F4_SS<FloatE4M3, FloatE4M3, f32, FloatUE8M0, U128, U128, MajorK, MajorK>;
type Factors = layout!((((32,4),4),(32,1)):(((262144,4),8388608),(0,1)));
// This layout has one row in each lane, as an accumulator does.
assert_umma_scales!(Atom, layout!((128,(32,1)):(262144,(0,1))), Factors);
fn main() {}
