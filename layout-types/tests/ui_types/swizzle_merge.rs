//! The merged swizzle would exchange bits 0 and 2, which are not a run of bits.
use layout_types::prelude::*;
fn refused(_: MergeSwizzles<Swizzle<1, 0, 3>, Swizzle<1, 2, 3>>) {}
fn main() {}
