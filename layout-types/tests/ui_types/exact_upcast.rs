//! 6 elements do not fill words of 4.
use layout_types::prelude::*;
fn refused(_: ExactUpcast<layout!((6,8):(1,8)), int!(4)>) {}
fn main() {}
