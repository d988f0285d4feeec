//! Tiled MMAs and tiled copies as values: atoms laid over threads and values, and tensors cut among
//! them.
//!
//! ```text
//! tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))      .A .B .C    partition_a(mma, L)
//! make_tiled_copy(UniversalCopy<u128>, f16, (32,4):(4,1), (1,8))    .S .D       partition_s(copy, L)   retile(copy, L)
//! ```
//!
//! Law: what `layout_types::tiled` says of types, here of values: for every thread and value a
//! partition's offset is the tensor's offset of the cell that the thread-value layout gives. Both
//! print what CuTe prints. Source: CuTe `cute/atom/mma_atom.hpp`, `cute/atom/copy_atom.hpp`.

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

/// Why atoms cannot be tiled so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TileError {
    /// An operation of the algebra, on the way, is not admissible.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The atoms do not fit.
    #[error("{0}")]
    Atoms(String),
}

type Result<T, E = TileError> = std::result::Result<T, E>;

/// `(a, b)` as a tiler by mode.
fn pair(a: Tiler, b: Tiler) -> Tiler {
    Tiler::Tuple(vec![a, b])
}

/// Mode `i` of a layout that has it.
fn mode(layout: &DynLayout, i: usize) -> Result<DynLayout> {
    layout
        .mode(i)
        .ok_or_else(|| TileError::Atoms(format!("the layout {layout} has no mode {i}")))
}

/// The column-major layout of a shape, stride 1 also where a mode has one element is not kept:
/// CuTe's `make_layout`.
fn left(shape: &[i64]) -> Result<DynLayout> {
    let shape = Nested::Tuple(shape.iter().copied().map(Nested::Leaf).collect());
    Ok(make_layout_left(&shape)?)
}

/// The product of an extent tuple.
fn product(shape: &IntTuple) -> Result<i64> {
    shape
        .product()
        .map_err(|_: Rule| TileError::Atoms(format!("the size of {shape} does not fit in 64 bits")))
}
