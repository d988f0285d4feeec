//! The strides are too large for a search.
use layout_types::prelude::*;
fn refused(_: IsDisjoint<layout!((6,7,8):(35000000,33000001,31000007)), layout!((2,3):(5,7))>) {}
fn main() {}
