//! `diagonals` is not an access.
use layout_types::prelude::*;
const CHOICE: layout_types::check::ChosenSwizzle =
    choose_swizzle!(tile (128,32), 16 bits, [rows of 16 bytes, diagonals]);
fn main() {}
