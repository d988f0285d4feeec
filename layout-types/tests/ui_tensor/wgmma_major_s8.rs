//! A of 8-bit elements is K-major.
use layout_types::atom::{MmaAtom, mma::{MajorK, MajorMn, sm90::{S32S8S8, Shared, Wgmma}}};
use layout_types::prelude::*;
fn refused(_: <Wgmma<S32S8S8, int!(64), Shared, MajorMn, MajorK> as MmaAtom>::CLayout) {}
fn main() {}
