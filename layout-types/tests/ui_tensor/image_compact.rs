//! No coordinate has the offset 4.
use layout_types::prelude::*;
fn owns<L: Compact>() {}
fn main() {
    owns::<layout!((4,2):(1,5))>();
}
