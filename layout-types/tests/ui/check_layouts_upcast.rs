//! Units that cut a step.
use layout_types::prelude::*;
layouts! {
    type Words = upcast((8,4):(1,12), 8);
}
fn main() {}
