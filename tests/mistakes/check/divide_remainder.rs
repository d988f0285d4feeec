//! category: layouts and divides
//! mistake: A tile of 48 rows cuts 128 rows: the divide rounds up to 144 and the last tile reaches past the
//!   end.
//! cure: Choose a tile that divides the extent, or predicate the residue tile.
//! CuTe: silent: `zipped_divide` rounds up; out-of-bounds accesses at run time.
//! source: NVIDIA/cutlass#3513
use layout_types::prelude::*;
type Tensor = layout!((128,64):(64,1));
#[cfg(mistake)]
assert_divides!(Tensor, (48, 16));
#[cfg(not(mistake))]
assert_divides!(Tensor, (32, 16));
