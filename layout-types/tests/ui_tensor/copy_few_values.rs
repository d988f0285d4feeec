//! 128 bits are eight halfs, but each thread has four.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};
type S2g = MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,4))>;
fn refused(_: <S2g as TiledCopyTraits>::LayoutTv) {}
fn main() {}
