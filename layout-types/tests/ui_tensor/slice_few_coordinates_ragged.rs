//! Three coordinates for the four modes of the tiles of a matrix with run-time extents.
use layout_types::prelude::*;
use layout_types::tensor::{__, Coordinates, Tensor};
type Tiles = RaggedDivide<RaggedIdentity<int!(2)>, tile!(128, 32)>;
fn cut(tiles: &Tensor<Coordinates<2>, Tiles>) {
    let _ = tiles.slice((__, __, 1u32));
}
fn main() {}
