//! A layout that is not injective has no complement.
use layout_types::prelude::*;
layouts! {
    type Holes = complement((4,4):(1,2), 64);
}
fn main() {}
