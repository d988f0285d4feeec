//! The message shows both layouts.
use layout_types::prelude::*;
assert_layout_eq!(layout!((4,2)), (4,2):(2,1));
fn main() {}
