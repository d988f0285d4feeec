//! The error points to the entry that is wrong.
use layout_types::prelude::*;
layouts! {
    type A = (4,6,8):(2,3,5);
    type Fine = composition(A, 2:1);
    type Wrong = composition(A, 6:3);
    type AlsoFine = composition(A, 4:1);
}
fn main() {}
