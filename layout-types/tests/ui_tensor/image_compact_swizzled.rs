//! The swizzle moves the last 8 of 24 elements past the end.
use layout_types::prelude::*;
fn owns<L: Compact>() {}
fn main() {
    owns::<Composition<Swizzle<1, 3, 1>, layout!((8,3):(1,8))>>();
}
