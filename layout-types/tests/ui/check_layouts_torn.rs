//! The swizzle separates the elements of a unit.
use layout_types::prelude::*;
type Smem = Composition<Swizzle<2, 3, -3>, layout!((8,32):(32,1))>;
layouts! {
    type Words = upcast(Smem, 16);
}
fn main() {}
