//! category: Hopper
//! mistake: A tile of f32 takes the swizzle atom of f16: on bytes it is none that the hardware has.
//! cure: The atom of the element: `LayoutKSw128Atom<f32>`.
//! CuTe: wrong numbers, or a static assertion of `make_gmma_desc`.
use layout_types::{assert_wgmma_operand, atom::{gmma::*, mma::MajorK}, prelude::*};
#[cfg(mistake)]
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64))>;
#[cfg(not(mistake))]
type Smem = TileToShape<LayoutKSw128Atom<f32>, shape!((128, 64))>;
assert_wgmma_operand!(Smem, f32, MajorK, 64);
