//! Compares tiled copies made for the operands of tiled MMAs with CuTe's print. The cases are not
//! in `atoms_tiled_copy.rs`, so that two compilers share the work.

mod atoms_records;
#[macro_use]
#[path = "atoms_records/tiled_copy.rs"]
mod tiled_copy;

use atoms_records::{Config, compare_compiled};
use layout_types::atom::copy::*;
use layout_types::atom::element::TFloat32;
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tiled::*;
use tiled_copy::All;

include!("data/atoms_tiled_copy_mma.rs");

#[test]
fn the_records_of_cute_are_equal_as_printed_and_start_where_they_start() {
    let records = include_str!("data/atoms_tiled_copy_mma.jsonl");
    compare_compiled(records, CONFIGS, |_| true, 312, 1230);
}
