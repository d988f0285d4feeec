//! Rows of 33 elements do not all start at a multiple of 16 bytes.
use layout_types::prelude::*;
const CHOICE: layout_types::check::ChosenSwizzle =
    choose_swizzle!(tile (128,32):(33,1), 16 bits, [rows of 16 bytes]);
fn main() {}
