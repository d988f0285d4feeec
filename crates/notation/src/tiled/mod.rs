//! Tiled MMAs and tiled copies as values: atoms repeated over threads and values, and tensors
//! partitioned among the threads.
//!
//! ```text
//! tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))      .A .B .C    partition_a(mma, L)
//! make_tiled_copy(UniversalCopy<u128>, f16, (32,4):(4,1), (1,8))    .S .D       partition_s(copy, L)   retile(copy, L)
//! ```
//!
//! Law: as for the types of `layout_types::tiled`, each element of a partition has the tensor's
//! offset of the cell that the thread-value layout assigns to this thread and value. Values and
//! types print what CuTe prints. Source: CuTe `cute/atom/mma_atom.hpp`, `cute/atom/copy_atom.hpp`.

mod copy;
mod make_copy;
mod mma;
mod partition;

pub use copy::{Side, TiledCopy};
pub use mma::TiledMma;
pub use partition::Partition;

use layout_types::dynamic::{
    DynLayout, IntTuple, LayoutError, Nested, Rule, Tiler, make_layout_left,
};
use thiserror::Error;

/// The reasons why atoms cannot be tiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TileError {
    /// An intermediate operation of the algebra is not admissible.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The atoms and the tile, tensor or layout do not fit.
    #[error("{0}")]
    Atoms(String),
}

type Result<T, E = TileError> = std::result::Result<T, E>;

/// Makes the tiler `(a, b)`, which is applied by mode.
fn pair(a: Tiler, b: Tiler) -> Tiler {
    Tiler::Tuple(vec![a, b])
}

/// Returns mode `i` of a layout, or an error if the layout has no such mode.
fn mode(layout: &DynLayout, i: usize) -> Result<DynLayout> {
    layout
        .mode(i)
        .ok_or_else(|| TileError::Atoms(format!("the layout {layout} has no mode {i}")))
}

/// Makes the column-major layout of a shape as CuTe's `make_layout` does: a mode of one element has
/// stride 0.
fn left(shape: &[i64]) -> Result<DynLayout> {
    let shape = Nested::Tuple(shape.iter().copied().map(Nested::Leaf).collect());
    Ok(make_layout_left(&shape)?)
}

/// Returns the product of an extent tuple.
fn product(shape: &IntTuple) -> Result<i64> {
    shape
        .product()
        .map_err(|_: Rule| TileError::Atoms(format!("the size of {shape} does not fit in 64 bits")))
}
