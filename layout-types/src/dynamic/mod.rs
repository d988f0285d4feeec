//! The algebra on values: the run-time mirror of the types.
//!
//! This module has the same operations under the same names as the types, on `DynLayout` values
//! that are read from and printed in CuTe's notation. Messages, tools and cross-checks use it;
//! kernels never need it. Without the crate's feature `dynamic`, only [`rules`] exists, which needs
//! no allocator.
//!
//! ```text
//! "(6,2):(8,2)" --parse--> DynLayout --composition, divide, ...--> DynLayout --print--> "((2,2),3):((24,2),8)"
//!                                            \--> LayoutError: operation, operands, mode, rule
//! ```
//!
//! Wherever CuTe's result is the function that the operation promises, the result here equals
//! CuTe's character for character; otherwise the operation is refused.
//! `docs/differences-from-cute.md` lists the refusals.
//!
#![cfg_attr(feature = "dynamic", doc = "```")]
#![cfg_attr(not(feature = "dynamic"), doc = "```ignore")]
//! use layout_types::dynamic::*;
//!
//! let smem: AnyLayout = "Sw<2,3,3> o 0 o (8,32):(32,1)".parse()?;
//! let tile = tile_to_shape(&smem, &"(128,32)".parse()?)?;
//! let halves = exact_zipped_divide(&tile, "(64,32)".parse::<Tiler>()?)?;
//! assert_eq!(halves.to_string(), "Sw<2,3,3> o 0 o ((64,32),(2,1)):((32,1),(2048,0))");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod rules;

#[cfg(feature = "dynamic")]
mod cast;
#[cfg(feature = "dynamic")]
mod coalesce;
#[cfg(feature = "dynamic")]
mod composed;
#[cfg(feature = "dynamic")]
mod composition;
#[cfg(feature = "dynamic")]
mod coord;
#[cfg(feature = "dynamic")]
mod divide;
#[cfg(feature = "dynamic")]
mod int_tuple;
#[cfg(feature = "dynamic")]
mod layout;
#[cfg(feature = "dynamic")]
mod modes;
#[cfg(feature = "dynamic")]
mod parse;
#[cfg(feature = "dynamic")]
mod predicate;
#[cfg(feature = "dynamic")]
mod product;
#[cfg(feature = "dynamic")]
mod swizzle_slice;
#[cfg(feature = "dynamic")]
mod tree;

#[cfg(feature = "dynamic")]
mod exports {
    pub use super::cast::{Cast, downcast, exact_upcast, recast_layout, upcast};
    pub use super::coalesce::{coalesce, coalesce_by, filter, filter_by, filter_zeros};
    pub use super::coalesce::{complement, complement_in_cosize};
    pub use super::coalesce::{left_inverse, nullspace, right_inverse};
    pub use super::composed::{
        AnyLayout, Composed, Domain, composition_any, left_inverse_any, max_alignment_any,
        max_common_layout_any, max_common_vector_any, right_inverse_any, swizzle_behind, swizzled,
    };
    pub use super::composition::{composition, with_shape};
    pub use super::composition::{
        domain_distribute, max_alignment, max_common_layout, max_common_vector,
    };
    pub use super::coord::{
        Coord, CoordLeaf, crd2idx, dice, get_1d_coord, get_flat_coord, get_hier_coord, idx2crd,
        slice, slice_and_offset,
    };
    pub use super::divide::Tiler;
    pub use super::divide::{
        ceil_div_layout, exact_flat_divide, exact_logical_divide, exact_tiled_divide,
        exact_zipped_divide, flat_divide, logical_divide, tiled_divide, zipped_divide,
    };
    pub use super::int_tuple::Stride;
    pub use super::int_tuple::{IntTuple, Nested};
    pub use super::layout::{DynLayout, coshape, cosize, depth, rank, size};
    pub use super::modes::{
        append, append_to, flatten, group, prepend, prepend_to, replace, select, take, zip,
        zip_modes,
    };
    pub use super::modes::{
        make_fragment_like, make_identity_layout, make_layout_left, make_layout_like,
        make_layout_right, make_ordered_layout,
    };
    pub use super::parse::ParseError;
    pub use super::parse::{LayoutError, Result};
    pub use super::predicate::{
        compatible, congruent, disjoint, evenly_divides, is_compact, is_injective, weakly_congruent,
    };
    pub use super::product::{
        blocked_product, flat_product, logical_product, raked_product, tile_to_shape,
        tile_to_shape_by, tiled_product, zipped_product,
    };
    pub use super::rules::{
        AccessShape, Conflicts, Rule, Swizzle, SwizzleChoice, Tile, choose_swizzle, conflicts,
    };
    pub use super::swizzle_slice::slice_and_offset_any;
}

#[cfg(feature = "dynamic")]
pub use exports::*;
