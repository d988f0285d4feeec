//! The two swizzles have different shifts.
use layout_types::prelude::*;
fn refused(_: MergeSwizzles<Swizzle<1, 0, 3>, Swizzle<1, 1, 4>>) {}
fn main() {}
