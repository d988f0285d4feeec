//! Layouts with negative strides are not compared.
use layout_types::prelude::*;
fn refused(_: IsDisjoint<layout!((4,2):(-1,8)), layout!((2,2):(4,1))>) {}
fn main() {}
