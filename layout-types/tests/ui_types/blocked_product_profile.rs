//! A 1-tuple and an integer do not zip.
use layout_types::prelude::*;
fn refused(_: BlockedProduct<layout!((2):(1)), layout!(8:3)>) {}
fn main() {}
