//! The block is not injective.
use layout_types::prelude::*;
fn refused(_: FlatProduct<layout!((4,4):(1,2)), layout!(2:1)>) {}
fn main() {}
