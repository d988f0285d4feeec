//! Views of the same elements in other coordinates: the operations that CuTe has both on layouts
//! and on tensors.
//!
//! ```text
//!   t.zipped_divide::<tile!(4, 3)>()      (tile,rest)          t.coalesce()      fewest modes
//! ```
//!
//! Law: the engine does not change, and the layout is the result of the operation with the same
//! name: `t.f().get(i)` is the element at offset `F<L>(i)`.
//!
//! Source: CuTe `cute/tensor_impl.hpp`, the overloads for tensors.

use super::Tensor;
use super::engine::Engine;
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::divide::{FlatDivideBy, LogicalDivideBy, TiledDivideBy, ZippedDivideBy};
use crate::layout::LayoutFn;

macro_rules! divides {
    ($($name:ident, $trait:ident, $shape:literal;)*) => {$(
        #[doc = concat!("CuTe's `", stringify!($name), "(tensor, tiler)`: `", $shape, "`. Ragged tiles are counted whole, as CuTe does.")]
        #[inline(always)]
        #[must_use]
        pub fn $name<T>(&self) -> Tensor<E, <L as $trait<T>>::Output>
        where
            L: $trait<T>,
        {
            Tensor::at_engine(self.engine())
        }
    )*};
}

/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::identity_tensor;
/// let t = identity_tensor::<layout!((8,6):(1@0,1@1)), 2>();
/// let tiles = t.zipped_divide::<tile!(4, 3)>();
/// assert_eq!(tiles.layout().to_string(), "((4,3),(2,2)):((1@0,1@1),(4@0,3@1))");
/// assert_eq!(tiles.get(((1u32, 2), (1, 1))), [4 + 1, 3 + 2]);
/// assert_eq!(t.slice((__, 2u32)).coalesce().layout().to_string(), "8:1@0");
/// ```
impl<E: Engine, L: LayoutFn> Tensor<E, L> {
    divides! {
        logical_divide, LogicalDivideBy, "((Tile0,Rest0),(Tile1,Rest1),..)";
        zipped_divide, ZippedDivideBy, "((Tile0,Tile1,..),(Rest0,Rest1,..))";
        tiled_divide, TiledDivideBy, "((Tile0,Tile1,..),Rest0,Rest1,..)";
        flat_divide, FlatDivideBy, "(Tile0,Tile1,..,Rest0,Rest1,..)";
    }

    /// Returns the same elements in as few modes as possible: CuTe's `coalesce(tensor)`.
    #[inline(always)]
    #[must_use]
    pub fn coalesce(&self) -> Tensor<E, L::With<CoalescedTree<L::Modes>>> {
        Tensor::at_engine(self.engine())
    }
}
