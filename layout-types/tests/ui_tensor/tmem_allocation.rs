//! Columns are allocated in powers of two from 32 to 512.
use layout_types::atom::tmem::{allocation::TmemAllocation, fragment::OneSm};
use layout_types::prelude::*;
unsafe fn refused() {
    unsafe { TmemAllocation::<int!(640), OneSm>::allocate(0) }
}
fn main() {}
