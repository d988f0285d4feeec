//! The target may be a shape, and the message shows the shape.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((3,3):(2,3)), shape!((4,5))>) {}
fn main() {}
