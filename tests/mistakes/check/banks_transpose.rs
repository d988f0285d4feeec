//! category: swizzles and banks
//! mistake: A tile of 32 by 32 floats is written by rows and read by columns: 32 passes a read.
//! cure: A row of padding, or the swizzle that the message names.
//! CuTe: silent: 32 times slower.
//! source: NVIDIA/cutlass#1234
use layout_types::prelude::*;
#[cfg(mistake)]
type Tile = layout!((32,32):(32,1));
#[cfg(not(mistake))]
type Tile = layout!((32,32):(33,1));
assert_bank_conflict_free!(Tile, f32 32 bits, [rows of 4 bytes, columns of 4 bytes]);
