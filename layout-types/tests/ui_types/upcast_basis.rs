//! A scaled-basis stride cannot be counted in other units.
use layout_types::prelude::*;
fn refused(_: Upcast<layout!((8,8):(1@0,1@1)), int!(4)>) {}
fn main() {}
