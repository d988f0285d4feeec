use layout_types::atom::{copy::Sm100_TMEM_LOAD_32dp32b8x, tmem::fragment::*};
use layout_types::{assert_tmem_copy, prelude::*};
// The accumulator of 64 rows has the lower 16 lanes of each warp's quarter.
type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((64,64),1,1))>;
assert_tmem_copy!(Sm100_TMEM_LOAD_32dp32b8x, D of f32);
fn main() {}
