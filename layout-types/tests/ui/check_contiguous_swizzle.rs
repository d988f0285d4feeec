//! A swizzle that moves units of 4 elements does not keep vectors of 8 together.
use layout_types::prelude::*;
type Torn = Composition<Swizzle<2, 2, 3>, layout!((32,8):(1,32))>;
assert_contiguous!(Torn, 8, 2);
fn main() {}
