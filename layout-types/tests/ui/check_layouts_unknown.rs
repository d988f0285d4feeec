//! `compose` is not an operation.
use layout_types::prelude::*;
layouts! {
    type A = compose((4,2), 2:1);
}
fn main() {}
