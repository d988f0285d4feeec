//! The parts of the algebra that the crate root exports. The names that kernels use are documented
//! here. The traits that these names use are documented in their modules: they are bounds of
//! generic code, and diagnostics name them.

#[doc(inline)]
pub use crate::algebra::cast::{Downcast, ExactUpcast, Recast, Upcast};
#[doc(inline)]
pub use crate::algebra::coalescing::Coalesce;
#[doc(inline)]
pub use crate::algebra::common_vectors::{
    CeilDivLayout, DomainDistribute, MaxAlignment, MaxCommonLayout, MaxCommonVector, WithShape,
};
#[doc(inline)]
pub use crate::algebra::complements::Complement;
#[doc(inline)]
pub use crate::algebra::compose::{Composition, Tiler};
#[doc(inline)]
pub use crate::algebra::divide::{
    ExactFlatDivide, ExactLogicalDivide, ExactTiledDivide, ExactZippedDivide, FlatDivide,
    LogicalDivide, TiledDivide, ZippedDivide,
};
#[doc(inline)]
pub use crate::algebra::flatten::{CoalesceBy, Filter, FilterZeros, Flatten};
#[doc(inline)]
pub use crate::algebra::images::{
    Compact, DisjointFrom, Injective, IsCompact, IsDisjoint, IsInjective,
};
#[doc(inline)]
pub use crate::algebra::inverse::{LeftInverse, Nullspace, RightInverse};
#[doc(inline)]
pub use crate::algebra::make::{Identity, MakeFragmentLike, MakeLike, MakeOrdered};
#[doc(inline)]
pub use crate::algebra::modes::{
    Append, AppendTo, GetMode, Group, Prepend, PrependTo, Replace, Select, Take, Zip, ZipModes,
};
#[doc(inline)]
pub use crate::algebra::predicate::{IsCompatible, IsCongruent, IsWeaklyCongruent};
#[doc(inline)]
pub use crate::algebra::product::{
    BlockedProduct, FlatProduct, LogicalProduct, RakedProduct, TiledProduct, ZippedProduct,
};
#[doc(inline)]
pub use crate::algebra::shape_tiling::{ColumnMajor, TileToShape};
#[doc(inline)]
pub use crate::algebra::slice::SliceAndOffset;
#[doc(inline)]
pub use crate::algebra::swizzle::{ComposedLayout, Swizzle};
#[doc(inline)]
pub use crate::algebra::swizzle_types::MergeSwizzles;
#[doc(inline)]
pub use crate::coord::{Coord, Idx, Pattern, Strides};
#[doc(inline)]
pub use crate::extent::{CeilDiv, Ext, Extent};
#[doc(inline)]
pub use crate::front::{Lay, Tree, Tuple};
#[doc(inline)]
pub use crate::layout::{
    Cosize, Depth, Dice, Layout, LayoutFn, Rank, ShapeOf, Size, Slice, StaticLayout, StrideOf,
};
#[doc(inline)]
pub use crate::num::E;
#[doc(inline)]
pub use crate::ragged::{
    Ragged, RaggedDivide, RaggedIdentity, RuntimeMode, SliceTensor, TensorLayout,
};
#[doc(inline)]
pub use crate::shape::{LayoutLeft, LayoutRight, ShapeTree};
#[doc(inline)]
pub use crate::tree::{Cons, Nil, Underscore};

#[doc(hidden)]
pub use crate::algebra::cast::{DowncastBy, ExactUpcastBy, RecastTo, UpcastBy};
#[doc(hidden)]
pub use crate::algebra::coalescing::CoalesceLayout;
#[doc(hidden)]
pub use crate::algebra::common_vectors::{Aligned, CommonWith};
#[doc(hidden)]
pub use crate::algebra::complements::Complementable;
#[doc(hidden)]
pub use crate::algebra::compose::Compose;
#[doc(hidden)]
pub use crate::algebra::divide::{
    ExactFlatDivideBy, ExactLogicalDivideBy, ExactTiledDivideBy, ExactZippedDivideBy, FlatDivideBy,
    LogicalDivideBy, TiledDivideBy, ZippedDivideBy,
};
#[doc(hidden)]
pub use crate::algebra::flatten::CoalesceByProfile;
#[doc(hidden)]
pub use crate::algebra::images::{ComparesImage, DecidesInjective, HasImage};
#[doc(hidden)]
pub use crate::algebra::inverse::{LeftInvertible, RightInvertible};
#[doc(hidden)]
pub use crate::algebra::make::{FragmentLike, LikeLayout};
#[doc(hidden)]
pub use crate::algebra::modes::{
    Appendable, Groupable, Prependable, Replaceable, Selectable, Takeable, ZipWith, Zippable,
};
#[doc(hidden)]
pub use crate::algebra::product::{
    BlockedProductBy, FlatProductBy, LogicalProductBy, RakedProductBy, TiledProductBy,
    ZippedProductBy,
};
#[doc(hidden)]
pub use crate::algebra::shape_tiling::TileTo;
#[doc(hidden)]
pub use crate::algebra::slice::{SliceAt, SliceOffset};
#[doc(hidden)]
pub use crate::algebra::swizzle::{OffsetMap, Sw};
#[doc(hidden)]
pub use crate::algebra::swizzle_types::MergeWith;
#[doc(hidden)]
pub use crate::ragged::{RaggedDivideBy, SliceTensorBy};
#[doc(hidden)]
pub use crate::tree::Show;
#[doc(no_inline)]
pub use typenum;

#[doc(hidden)]
pub use layout_types_macros as __notation;

/// Everything that code with layouts needs.
pub mod prelude {
    pub use super::*;
    pub use crate::tensor::{__, GetSlice, Int, Tensor};
    pub use crate::unroll::{unroll, unroll_type};
    pub use crate::{
        assert_bank_conflict_free, assert_composable, assert_contiguous, assert_covers,
        assert_divides, assert_layout_eq, assert_supports, choose_swizzle, layouts,
    };
    pub use crate::{coord, int, layout, shape, tile};
}
