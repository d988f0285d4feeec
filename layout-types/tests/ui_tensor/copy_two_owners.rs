//! Threads 2 steps apart and values 2 apart meet.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::{TiledCopy, TiledCopyTraits};
type Twice = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,2)), tile!(4, 2)>;
fn refused(_: <Twice as TiledCopyTraits>::LayoutTv) {}
fn main() {}
