//! Strides that do not divide one another have no left inverse.
use layout_types::prelude::*;
layouts! {
    type Back = left_inverse((4,2):(2,3));
}
fn main() {}
