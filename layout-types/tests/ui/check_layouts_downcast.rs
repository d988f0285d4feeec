//! No mode has stride 1, so no two elements are neighbours.
use layout_types::prelude::*;
layouts! {
    type Halves = downcast((4,8):(2,8), 2);
}
fn main() {}
