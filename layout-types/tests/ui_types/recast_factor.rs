//! A recast from 16 to 48 bits counts in units of 3, which is no power of two.
use layout_types::prelude::*;
fn refused(_: Recast<Composition<Swizzle<2, 3, 3>, layout!((9,33):(33,1))>, int!(16), int!(48)>) {}
fn main() {}
