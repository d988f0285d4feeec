//! A swizzle that moves 4 elements whole tears 8.
use layout_types::prelude::*;
type Torn = Composition<Swizzle<2, 2, 3>, layout!((32,8):(1,32))>;
assert_contiguous!(Torn, 8, 2);
fn main() {}
