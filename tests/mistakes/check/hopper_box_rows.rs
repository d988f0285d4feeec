//! category: Hopper
//! mistake: A TMA box of 512 rows.
//! cure: At most 256 elements along each dimension: two boxes.
//! CuTe: `cuTensorMapEncodeTiled` returns an error at run time.
use layout_types::{assert_tma_box, atom::gmma::LayoutKSw128Atom, prelude::*};
#[cfg(mistake)]
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((512, 64))>;
#[cfg(not(mistake))]
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((256, 64))>;
assert_tma_box!(Smem, half::f16);
