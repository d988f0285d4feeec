//! category: Hopper
//! mistake: A tensor map of rows of 300 halfs: strides must be multiples of 16 bytes.
//! cure: Pad the rows to 304, or pack the matrix.
//! CuTe: `cuTensorMapEncodeTiled` returns an error at run time.
use layout_types::{assert_tma_strides, prelude::*};
#[cfg(mistake)]
type Matrix = layout!((1000,300):(300,1));
#[cfg(not(mistake))]
type Matrix = layout!((1000,300):(304,1));
assert_tma_strides!(Matrix, half::f16);
