//! The block of a product mode by mode has elements twice.
use layout_types::prelude::*;
layouts! {
    type Copies = blocked_product((2,2):(1,1), (3,4):(1,3));
}
fn main() {}
