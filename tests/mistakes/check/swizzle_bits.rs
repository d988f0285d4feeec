//! category: swizzles and banks
//! mistake: Swizzle<1,3,3> for rows of 64 bytes: one bit is not enough.
//! cure: Swizzle<2,3,3>: as many bits as rows share banks.
//! CuTe: silent: twice as slow.
//! source: NVIDIA/cutlass#3172
use layout_types::prelude::*;
#[cfg(mistake)]
type Smem = Composition<Swizzle<1, 3, 3>, layout!((8,32):(32,1))>;
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
assert_bank_conflict_free!(Smem, 16 bits, [rows of 16 bytes, ldmatrix]);
