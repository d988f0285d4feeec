//! Turing has no cp.async.
use layout_types::prelude::*;
use layout_types::atom::copy::{Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL};
assert_supports!(75, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL<u128>);
fn main() {}
