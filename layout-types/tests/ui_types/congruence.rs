//! The stride is an integer where the shape is a tuple.
use layout_types::prelude::*;
fn refused(_: <Layout<shape!((4,2)), int!(1)> as LayoutFn>::With<Nil>) {}
fn main() {}
