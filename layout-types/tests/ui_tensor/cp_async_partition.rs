//! The partition refuses a tensor whose rows are 72 bytes apart, no multiple of 16 bytes.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
use layout_types::tensor::{GetSlice, Shared, Tensor};
fn part(to: &Tensor<Shared<half::f16>, layout!((32,32):(36,1))>) {
    let _ = G2s::get_slice(0).partition_d(to);
}
fn main() {}
