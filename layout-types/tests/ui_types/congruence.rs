//! A stride that is no tuple where the shape is one.
use layout_types::prelude::*;
fn refused(_: <Layout<shape!((4,2)), int!(1)> as LayoutFn>::With<Nil>) {}
fn main() {}
