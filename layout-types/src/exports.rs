//! What the crate root shows of the algebra.

pub use crate::algebra::coalesce::{Coalesce, CoalesceLayout};
pub use crate::algebra::complement::{Complement, Complementable};
pub use crate::algebra::composition::{Compose, Composition, Tiler};
pub use crate::algebra::divide::{
    FlatDivide, FlatDivideBy, LogicalDivide, LogicalDivideBy, TiledDivide, TiledDivideBy,
    ZippedDivide, ZippedDivideBy,
};
pub use crate::algebra::product::{LogicalProduct, LogicalProductBy};
pub use crate::algebra::swizzle::{ComposedLayout, OffsetMap, Sw, Swizzle};
pub use crate::algebra::tile_to_shape::{TileTo, TileToShape};
pub use crate::coord::{Coord, Idx, Pattern, Strides};
pub use crate::front::{Lay, Tree, Tuple};
pub use crate::layout::{
    Cosize, Depth, Dice, Layout, LayoutFn, Rank, ShapeOf, Size, Slice, StaticLayout, StrideOf,
};
pub use crate::num::E;
pub use crate::shape::{LayoutLeft, LayoutRight, ShapeTree};
pub use crate::tree::{Cons, Nil, Underscore};
pub use typenum;

#[doc(hidden)]
pub use layout_types_macros as __notation;

/// Everything that code with layouts needs.
pub mod prelude {
    pub use super::*;
    pub use crate::unroll::{unroll, unroll_type};
    pub use crate::{coord, int, layout, shape, tile};
}
