//! The cases, in one module for each operation. `types_golden.rs` writes the modules.

pub use layout_types::notation::Described;
pub use layout_types::num::Bool;
pub use layout_types::prelude::*;
pub use layout_types::typenum::Unsigned;

/// The line of the vector, counted from 0, and the result of the types.
pub type Case = (usize, Found);

/// The result of an operation.
pub enum Found {
    Layout(Described, usize),
    Number(i64),
    Offset(fn() -> i64),
    Leaves(fn() -> Vec<i64>),
    Shape(Described),
    Sliced(Described, fn() -> i64),
    Predicates {
        size: i64,
        congruent: bool,
        weakly_congruent: bool,
        compatible: bool,
    },
    Swizzle {
        yyy: i64,
        zzz: i64,
        apply: fn(i64) -> i64,
    },
}

macro_rules! cases {
    ($($line:literal $kind:ident($($text:tt)*)),* $(,)?) => {
        &[$(($line, found!($kind $($text)*))),*]
    };
}
macro_rules! found {
    (Layout $t:ty) => {
        Found::Layout(<$t as LayoutFn>::DESCRIBED, <$t as LayoutFn>::COSIZE)
    };
    (Number $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (Shape $t:ty) => {
        Found::Shape(<LayoutLeft<$t> as LayoutFn>::DESCRIBED)
    };
    (Slice $l:ty, $c:ty) => {
        Found::Sliced(<Slice<$l, $c> as LayoutFn>::DESCRIBED, || {
            <$l as LayoutFn>::at(<$c>::default())
        })
    };
    (Swizzled $l:ty, $c:ty) => {
        Found::Sliced(<SliceAndOffset<$l, $c> as LayoutFn>::DESCRIBED, || {
            <SliceOffset<$l, $c> as Unsigned>::I64
        })
    };
    (Leaves $n:literal, $l:ty, $find:ident, $i:literal) => {
        Found::Leaves(|| <$l as LayoutFn>::$find::<i64, $n>($i).to_vec())
    };
    (Offset $l:ty, $c:ty) => {
        Found::Offset(|| <$l as LayoutFn>::at(<$c>::default()))
    };
    (Predicates $a:ty, $b:ty) => {
        Found::Predicates {
            size: <<$a as ShapeTree>::Size as Unsigned>::I64,
            congruent: <IsCongruent<$a, $b> as Bool>::VALUE,
            weakly_congruent: <IsWeaklyCongruent<$a, $b> as Bool>::VALUE,
            compatible: <IsCompatible<$a, $b> as Bool>::VALUE,
        }
    };
    (Swizzle $s:ty) => {
        Found::Swizzle {
            yyy: <$s>::YYY,
            zzz: <$s>::ZZZ,
            apply: <$s>::apply,
        }
    };
}

pub mod append;
pub mod append_n;
pub mod append_n_x;
pub mod blocked_product;
pub mod ceil_div_layout;
pub mod coalesce;
pub mod coalesce_by_profile;
pub mod complement;
pub mod composition;
pub mod composition_swizzle;
pub mod composition_tiler;
pub mod crd2idx;
pub mod dice;
pub mod domain_distribute;
pub mod downcast;
pub mod filter;
pub mod filter_zeros;
pub mod flat_divide;
pub mod flat_divide_tiler;
pub mod flat_product;
pub mod flatten;
pub mod get_hier_coord;
pub mod group;
pub mod idx2crd;
pub mod layout;
pub mod left_inverse;
pub mod logical_divide;
pub mod logical_divide_tiler;
pub mod logical_product;
pub mod logical_product_tiler;
pub mod make_fragment_like;
pub mod make_identity_layout;
pub mod make_layout_left;
pub mod make_layout_like;
pub mod make_layout_right;
pub mod make_ordered_layout;
pub mod max_alignment;
pub mod max_common_layout;
pub mod max_common_vector;
pub mod nullspace;
pub mod predicates;
pub mod prepend;
pub mod prepend_n;
pub mod prepend_n_x;
pub mod raked_product;
pub mod recast_layout;
pub mod replace;
pub mod right_inverse;
pub mod select;
pub mod slice;
pub mod slice_and_offset;
pub mod swizzle;
pub mod swizzled_composition;
pub mod swizzled_downcast;
pub mod swizzled_tile_to_shape;
pub mod swizzled_upcast;
pub mod swizzled_zipped_divide;
pub mod take;
pub mod tile_to_shape;
pub mod tiled_divide;
pub mod tiled_divide_tiler;
pub mod tiled_product;
pub mod tiled_product_tiler;
pub mod upcast;
pub mod with_shape;
pub mod zip;
pub mod zip1;
pub mod zipped_divide;
pub mod zipped_divide_identity;
pub mod zipped_divide_tiler;
pub mod zipped_product;
pub mod zipped_product_tiler;

/// Returns all cases, by operation.
pub fn all() -> Vec<(&'static str, &'static [Case])> {
    vec![
        ("append", append::CASES),
        ("append_n", append_n::CASES),
        ("append_n_x", append_n_x::CASES),
        ("blocked_product", blocked_product::CASES),
        ("ceil_div_layout", ceil_div_layout::CASES),
        ("coalesce", coalesce::CASES),
        ("coalesce_by_profile", coalesce_by_profile::CASES),
        ("complement", complement::CASES),
        ("composition", composition::CASES),
        ("composition_swizzle", composition_swizzle::CASES),
        ("composition_tiler", composition_tiler::CASES),
        ("crd2idx", crd2idx::CASES),
        ("dice", dice::CASES),
        ("domain_distribute", domain_distribute::CASES),
        ("downcast", downcast::CASES),
        ("filter", filter::CASES),
        ("filter_zeros", filter_zeros::CASES),
        ("flat_divide", flat_divide::CASES),
        ("flat_divide_tiler", flat_divide_tiler::CASES),
        ("flat_product", flat_product::CASES),
        ("flatten", flatten::CASES),
        ("get_hier_coord", get_hier_coord::CASES),
        ("group", group::CASES),
        ("idx2crd", idx2crd::CASES),
        ("layout", layout::CASES),
        ("left_inverse", left_inverse::CASES),
        ("logical_divide", logical_divide::CASES),
        ("logical_divide_tiler", logical_divide_tiler::CASES),
        ("logical_product", logical_product::CASES),
        ("logical_product_tiler", logical_product_tiler::CASES),
        ("make_fragment_like", make_fragment_like::CASES),
        ("make_identity_layout", make_identity_layout::CASES),
        ("make_layout_left", make_layout_left::CASES),
        ("make_layout_like", make_layout_like::CASES),
        ("make_layout_right", make_layout_right::CASES),
        ("make_ordered_layout", make_ordered_layout::CASES),
        ("max_alignment", max_alignment::CASES),
        ("max_common_layout", max_common_layout::CASES),
        ("max_common_vector", max_common_vector::CASES),
        ("nullspace", nullspace::CASES),
        ("predicates", predicates::CASES),
        ("prepend", prepend::CASES),
        ("prepend_n", prepend_n::CASES),
        ("prepend_n_x", prepend_n_x::CASES),
        ("raked_product", raked_product::CASES),
        ("recast_layout", recast_layout::CASES),
        ("replace", replace::CASES),
        ("right_inverse", right_inverse::CASES),
        ("select", select::CASES),
        ("slice", slice::CASES),
        ("slice_and_offset", slice_and_offset::CASES),
        ("swizzle", swizzle::CASES),
        ("swizzled_composition", swizzled_composition::CASES),
        ("swizzled_downcast", swizzled_downcast::CASES),
        ("swizzled_tile_to_shape", swizzled_tile_to_shape::CASES),
        ("swizzled_upcast", swizzled_upcast::CASES),
        ("swizzled_zipped_divide", swizzled_zipped_divide::CASES),
        ("take", take::CASES),
        ("tile_to_shape", tile_to_shape::CASES),
        ("tiled_divide", tiled_divide::CASES),
        ("tiled_divide_tiler", tiled_divide_tiler::CASES),
        ("tiled_product", tiled_product::CASES),
        ("tiled_product_tiler", tiled_product_tiler::CASES),
        ("upcast", upcast::CASES),
        ("with_shape", with_shape::CASES),
        ("zip", zip::CASES),
        ("zip1", zip1::CASES),
        ("zipped_divide", zipped_divide::CASES),
        ("zipped_divide_identity", zipped_divide_identity::CASES),
        ("zipped_divide_tiler", zipped_divide_tiler::CASES),
        ("zipped_product", zipped_product::CASES),
        ("zipped_product_tiler", zipped_product_tiler::CASES),
    ]
}
