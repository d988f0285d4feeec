//! The elements do not fill the units.
use layout_types::prelude::*;
layouts! {
    type Words = exact_upcast((6,8):(1,8), 4);
}
fn main() {}
