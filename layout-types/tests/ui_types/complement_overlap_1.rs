//! The modes overlap.
use layout_types::prelude::*;
fn refused(_: Complement<layout!(((2,2),(2,2)):((1,8),(8,4))), int!(32)>) {}
fn main() {}
