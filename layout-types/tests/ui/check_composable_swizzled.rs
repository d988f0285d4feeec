//! The inner layout of a swizzled left side must admit the composition.
use layout_types::prelude::*;
type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
assert_composable!(Smem, layout!(5:7));
fn main() {}
