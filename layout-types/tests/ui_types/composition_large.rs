//! Numbers above 1024 in the message.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4096,100000):(1,8192)), layout!(6000:5000)>) {}
fn main() {}
