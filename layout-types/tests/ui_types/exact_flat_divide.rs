//! 4 does not divide 6.
use layout_types::prelude::*;
fn refused(_: ExactFlatDivide<layout!(6:1), int!(4)>) {}
fn main() {}
