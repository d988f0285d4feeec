//! No `wgmma` has N = 264.
use layout_types::atom::{MmaAtom, mma::sm90::{F32F16F16, Shared, Wgmma}};
use layout_types::prelude::*;
fn refused(_: <Wgmma<F32F16F16, int!(264), Shared> as MmaAtom>::CLayout) {}
fn main() {}
