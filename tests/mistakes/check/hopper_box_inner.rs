//! category: Hopper
//! mistake: Rows of 256 bytes under a 128-byte swizzle.
//! cure: The inner extent of a box is at most the swizzle's line: 64 halfs.
//! CuTe: `cuTensorMapEncodeTiled` returns an error at run time.
use layout_types::{assert_tma_box, prelude::*};
#[cfg(mistake)]
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,128):(128,1))>;
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,64):(64,1))>;
assert_tma_box!(Smem, half::f16);
