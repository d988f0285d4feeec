//! No `wgmma` of 8-bit integers has N = 40.
use layout_types::atom::{MmaAtom, mma::sm90::{S32S8S8, Shared, Wgmma}};
use layout_types::prelude::*;
fn refused(_: <Wgmma<S32S8S8, int!(40), Shared> as MmaAtom>::CLayout) {}
fn main() {}
