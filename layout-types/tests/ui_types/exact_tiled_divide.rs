//! 5 does not divide 12.
use layout_types::prelude::*;
fn refused(_: ExactTiledDivide<layout!(12:1), layout!(5:1)>) {}
fn main() {}
