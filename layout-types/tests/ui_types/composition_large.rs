//! The message has numbers above 1024.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4096,100000):(1,8192)), layout!(6000:5000)>) {}
fn main() {}
