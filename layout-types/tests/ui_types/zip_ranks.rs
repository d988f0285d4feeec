//! The modes have the ranks 2 and 3.
use layout_types::prelude::*;
fn refused(_: ZipModes<layout!(((2,3),(2,3,4)))>) {}
fn main() {}
