//! What the crate root shows of the algebra.

pub use crate::algebra::cast::{
    Downcast, DowncastBy, ExactUpcast, ExactUpcastBy, Recast, RecastTo, Upcast, UpcastBy,
};
pub use crate::algebra::coalescing::{Coalesce, CoalesceLayout};
pub use crate::algebra::common_vectors::{
    Aligned, CeilDivLayout, CommonWith, DomainDistribute, MaxAlignment, MaxCommonLayout,
    MaxCommonVector, WithShape,
};
pub use crate::algebra::complements::{Complement, Complementable};
pub use crate::algebra::compose::{Compose, Composition, Tiler};
pub use crate::algebra::divide::{
    ExactFlatDivide, ExactFlatDivideBy, ExactLogicalDivide, ExactLogicalDivideBy, ExactTiledDivide,
    ExactTiledDivideBy, ExactZippedDivide, ExactZippedDivideBy, FlatDivide, FlatDivideBy,
    LogicalDivide, LogicalDivideBy, TiledDivide, TiledDivideBy, ZippedDivide, ZippedDivideBy,
};
pub use crate::algebra::flatten::{CoalesceBy, CoalesceByProfile, Filter, FilterZeros, Flatten};
pub use crate::algebra::images::{
    Compact, ComparesImage, DecidesInjective, DisjointFrom, HasImage, Injective, IsCompact,
    IsDisjoint, IsInjective,
};
pub use crate::algebra::inverse::{
    LeftInverse, LeftInvertible, Nullspace, RightInverse, RightInvertible,
};
pub use crate::algebra::make::{
    FragmentLike, Identity, LikeLayout, MakeFragmentLike, MakeLike, MakeOrdered,
};
pub use crate::algebra::modes::{
    Append, AppendTo, Appendable, GetMode, Group, Groupable, Prepend, PrependTo, Prependable,
    Replace, Replaceable, Select, Selectable, Take, Takeable, Zip, ZipModes, ZipWith, Zippable,
};
pub use crate::algebra::predicate::{IsCompatible, IsCongruent, IsWeaklyCongruent};
pub use crate::algebra::product::{
    BlockedProduct, BlockedProductBy, FlatProduct, FlatProductBy, LogicalProduct, LogicalProductBy,
    RakedProduct, RakedProductBy, TiledProduct, TiledProductBy, ZippedProduct, ZippedProductBy,
};
pub use crate::algebra::shape_tiling::{ColumnMajor, TileTo, TileToShape};
pub use crate::algebra::slice::{SliceAndOffset, SliceAt, SliceOffset};
pub use crate::algebra::swizzle::{ComposedLayout, OffsetMap, Sw, Swizzle};
pub use crate::algebra::swizzle_types::{MergeSwizzles, MergeWith};
pub use crate::coord::{Coord, Idx, Pattern, Strides};
pub use crate::extent::{CeilDiv, Ext, Extent};
pub use crate::front::{Lay, Tree, Tuple};
pub use crate::layout::{
    Cosize, Depth, Dice, Layout, LayoutFn, Rank, ShapeOf, Size, Slice, StaticLayout, StrideOf,
};
pub use crate::num::E;
pub use crate::ragged::{
    Ragged, RaggedDivide, RaggedDivideBy, RaggedIdentity, RuntimeMode, SliceTensor, SliceTensorBy,
    TensorLayout,
};
pub use crate::shape::{LayoutLeft, LayoutRight, ShapeTree};
pub use crate::tree::{Cons, Nil, Show, Underscore};
pub use typenum;

#[doc(hidden)]
pub use layout_types_macros as __notation;

/// Everything that code with layouts needs.
pub mod prelude {
    pub use super::*;
    pub use crate::tensor::{__, GetSlice, Tensor};
    pub use crate::unroll::{unroll, unroll_type};
    pub use crate::{
        assert_bank_conflict_free, assert_composable, assert_contiguous, assert_covers,
        assert_divides, assert_layout_eq, assert_supports, choose_swizzle, layouts,
    };
    pub use crate::{coord, int, layout, shape, tile};
}
