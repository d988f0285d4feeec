//! The element is taken from a matrix whose extents are known only at run time.
use layout_types::prelude::*;
use layout_types::tensor::{Coordinates, Tensor};
fn element(matrix: &Tensor<Coordinates<2>, RaggedIdentity<int!(2)>>) {
    let _ = matrix.get((1u32, 2));
}
fn main() {}
