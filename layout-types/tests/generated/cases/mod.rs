// Written by `generated.rs`.
use super::case::*;

mod append;
mod append_to;
mod blocked_product;
mod coalesce;
mod coalesce_by;
mod complement;
mod composition;
mod cosize;
mod dice;
mod domain_distribute;
mod downcast;
mod exact_flat_divide;
mod exact_logical_divide;
mod exact_tiled_divide;
mod exact_upcast;
mod exact_zipped_divide;
mod filter;
mod filter_zeros;
mod flat_divide;
mod flat_product;
mod flatten;
mod group;
mod identity;
mod layout_left;
mod layout_right;
mod left_inverse;
mod logical_divide;
mod logical_product;
mod make_fragment_like;
mod make_like;
mod make_ordered;
mod max_alignment;
mod max_common_layout;
mod max_common_vector;
mod nullspace;
mod prepend;
mod prepend_to;
mod raked_product;
mod rank;
mod recast;
mod replace;
mod right_inverse;
mod select;
mod size;
mod slice;
mod slice_and_offset;
mod slice_offset;
mod take;
mod tile_to_shape;
mod tiled_divide;
mod tiled_product;
mod upcast;
mod with_shape;
mod zip;
mod zip_modes;
mod zipped_divide;
mod zipped_product;

/// The cases of every operation.
pub const ALL: &[&[Case]] = &[
    append::CASES,
    append_to::CASES,
    blocked_product::CASES,
    coalesce::CASES,
    coalesce_by::CASES,
    complement::CASES,
    composition::CASES,
    cosize::CASES,
    dice::CASES,
    domain_distribute::CASES,
    downcast::CASES,
    exact_flat_divide::CASES,
    exact_logical_divide::CASES,
    exact_tiled_divide::CASES,
    exact_upcast::CASES,
    exact_zipped_divide::CASES,
    filter::CASES,
    filter_zeros::CASES,
    flat_divide::CASES,
    flat_product::CASES,
    flatten::CASES,
    group::CASES,
    identity::CASES,
    layout_left::CASES,
    layout_right::CASES,
    left_inverse::CASES,
    logical_divide::CASES,
    logical_product::CASES,
    make_fragment_like::CASES,
    make_like::CASES,
    make_ordered::CASES,
    max_alignment::CASES,
    max_common_layout::CASES,
    max_common_vector::CASES,
    nullspace::CASES,
    prepend::CASES,
    prepend_to::CASES,
    raked_product::CASES,
    rank::CASES,
    recast::CASES,
    replace::CASES,
    right_inverse::CASES,
    select::CASES,
    size::CASES,
    slice::CASES,
    slice_and_offset::CASES,
    slice_offset::CASES,
    take::CASES,
    tile_to_shape::CASES,
    tiled_divide::CASES,
    tiled_product::CASES,
    upcast::CASES,
    with_shape::CASES,
    zip::CASES,
    zip_modes::CASES,
    zipped_divide::CASES,
    zipped_product::CASES,
];
