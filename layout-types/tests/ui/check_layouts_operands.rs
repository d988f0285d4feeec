//! An operand is missing.
use layout_types::prelude::*;
layouts! {
    type A = composition((4,2):(2,1));
}
fn main() {}
