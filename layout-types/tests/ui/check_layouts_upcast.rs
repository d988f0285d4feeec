//! The stride 12 and the unit of 8 do not divide one another.
use layout_types::prelude::*;
layouts! {
    type Words = upcast((8,4):(1,12), 8);
}
fn main() {}
