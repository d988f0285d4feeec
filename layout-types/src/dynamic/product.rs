//! Products, which repeat a layout over another layout.
//!
//! ```text
//! block (2,2):(1,2)   tiler (3,4):(1,3)
//! logical_product, zipped_product   ((2,2),(3,4)):((1,2),(4,12))    the block, then where the copies go
//! blocked_product                   ((2,3),(2,4)):((1,4),(2,12))    mode by mode, block inside
//! raked_product                     ((3,2),(4,2)):((4,1),(12,2))    mode by mode, block outside
//! ```
//!
//! Laws of `logical_product(block, tiler)`: mode 0 is `block`; mode 1 is `tiler` mapped into the
//! holes of `block`, so that copies of an injective block at different places are disjoint. Source:
//! `cute/layout.hpp`, "Logical product", "Rank-sensitive products".

use alloc::vec;

use super::coalesce::filtered;
use super::composed::Domain;
use super::composition::compose;
use super::divide::Tiler;
use super::divide::{spread, tile_unzip};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::modes::zip_pair;
use super::modes::{make_layout_left, make_ordered_layout};
use super::parse::{LayoutError, Result};
use super::rules::{Rule, holes};

fn by_layout(operation: &'static str, block: &DynLayout, tiler: &DynLayout) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new(operation, &[block, tiler], rule);
    let filtered = filtered(block).map_err(fail)?;
    let needed = tiler.cosize()?;
    let target = block
        .size()?
        .checked_mul(needed)
        .ok_or(fail(Rule::Overflow))?;
    let places = holes(&filtered, &[target]).map_err(fail)?;
    // Past its end, the complement continues with the stride of its last mode. These places are
    // after the block if the target ends after the block. Otherwise the last mode fills a hole of
    // the block, and the places past the mode's end overlap the block.
    let (places_size, end) = (places.size(), filtered.cosize());
    match (places_size, end) {
        (Some(size), Some(end)) if needed > size && target <= end_of(&filtered, end) => {
            return Err(fail(Rule::Places {
                needed,
                places: size,
            }));
        }
        (Some(_), Some(_)) => {}
        _ => return Err(fail(Rule::Overflow)),
    }
    let places = DynLayout::from_flat(&places, &[]);
    let copies =
        compose(&places, tiler).map_err(|error| error.within(operation, &[block, tiler]))?;
    let product = DynLayout::from_modes(vec![block.clone(), copies])?;
    product.fits().map_err(fail)?;
    Ok(product)
}

/// Returns the offset at which the mode of largest stride ends.
fn end_of(filtered: &super::rules::Flat, cosize: i64) -> i64 {
    let order = filtered.sorted();
    let last = order[filtered.len() - 1];
    filtered
        .stride(last)
        .checked_mul(filtered.shape(last))
        .unwrap_or(cosize)
}

fn by_tiler(operation: &'static str, block: &DynLayout, tiler: &Tiler) -> Result<DynLayout> {
    match tiler {
        Tiler::Underscore => Ok(block.clone()),
        Tiler::Int(elements) => {
            let b = DynLayout::new(
                Nested::Leaf(*elements),
                Nested::Leaf(i64::from(*elements > 1).into()),
            )
            .map_err(|error| error.again(operation, &[block, tiler]))?;
            by_layout(operation, block, &b)
        }
        Tiler::Layout(b) => by_layout(operation, block, b),
        Tiler::Tuple(tilers) => {
            let mut modes = block.modes();
            if tilers.len() > modes.len() {
                let rule = Rule::RankAbove {
                    found: tilers.len(),
                    most: modes.len(),
                };
                return Err(LayoutError::new(operation, &[block, tiler], rule));
            }
            for (i, (mode, part)) in modes.iter_mut().zip(tilers).enumerate() {
                *mode = by_tiler(operation, mode, part)
                    .map_err(|error| error.within(operation, &[block, tiler]).at(&[i]))?;
            }
            DynLayout::from_modes(modes)
        }
    }
}

/// Returns `(block, places of its copies)` for a layout as tiler; a tuple of tilers applies mode by
/// mode.
///
/// # Errors
/// Returns [`Rule::Overlap`] if the block is not injective; [`Rule::Places`] if the block's holes
/// are too few for the copies; [`Rule::NegativeStride`]; [`Rule::BasisStride`]; [`Rule::Overflow`];
/// or the errors of [`composition`](super::composition()) of the holes with the tiler.
///
/// ```
/// use layout_types::dynamic::{DynLayout, logical_product};
/// let block: DynLayout = "(2,2):(4,1)".parse().unwrap();
/// let tiler: DynLayout = "6:1".parse().unwrap();
/// assert_eq!(logical_product(&block, &tiler).unwrap().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// ```
pub fn logical_product<L: Domain>(block: &L, tiler: impl Into<Tiler>) -> Result<L> {
    let tiler = tiler.into();
    block.map_domain("logical_product", &[&tiler], |domain| {
        by_tiler("logical_product", domain, &tiler)
    })
}

fn zipped(operation: &'static str, block: &DynLayout, tiler: &Tiler) -> Result<DynLayout> {
    tile_unzip(operation, &by_tiler(operation, block, tiler)?, tiler)
        .map_err(|error| error.again(operation, &[block, tiler]))
}

/// Returns [`logical_product`] as `((blocks), (places, modes that the tiler does not name))`.
///
/// # Errors
/// Returns the errors of [`logical_product`].
pub fn zipped_product<L: Domain>(block: &L, tiler: impl Into<Tiler>) -> Result<L> {
    let tiler = tiler.into();
    block.map_domain("zipped_product", &[&tiler], |domain| {
        zipped("zipped_product", domain, &tiler)
    })
}

/// Returns [`logical_product`] as `((blocks), places..., modes that the tiler does not name...)`.
///
/// # Errors
/// Returns the errors of [`logical_product`].
pub fn tiled_product<L: Domain>(block: &L, tiler: impl Into<Tiler>) -> Result<L> {
    let tiler = tiler.into();
    block.map_domain("tiled_product", &[&tiler], |domain| {
        spread(&zipped("tiled_product", domain, &tiler)?, false)
    })
}

/// Returns [`logical_product`] as `(blocks..., places..., modes that the tiler does not name...)`.
///
/// # Errors
/// Returns the errors of [`logical_product`].
pub fn flat_product<L: Domain>(block: &L, tiler: impl Into<Tiler>) -> Result<L> {
    let tiler = tiler.into();
    block.map_domain("flat_product", &[&tiler], |domain| {
        spread(&zipped("flat_product", domain, &tiler)?, true)
    })
}

fn ranked(
    operation: &'static str,
    block: &DynLayout,
    tiler: &DynLayout,
    raked: bool,
) -> Result<DynLayout> {
    let rank = block.rank().max(tiler.rank());
    let fail = |rule| LayoutError::new(operation, &[block, tiler], rule);
    let pad = |layout: &DynLayout| -> Result<DynLayout> {
        let shape = layout
            .shape()
            .pad(rank, &Nested::Leaf(1), false)
            .map_err(fail)?;
        let stride = layout
            .stride()
            .pad(rank, &Nested::Leaf(0.into()), false)
            .map_err(fail)?;
        DynLayout::new(shape, stride)
    };
    let product = by_layout(operation, &pad(block)?, &pad(tiler)?)?;
    let modes = product.modes();
    let (block, places) = (&modes[0], &modes[1]);
    if raked {
        zip_pair(operation, places, block)
    } else {
        zip_pair(operation, block, places)
    }
}

/// Pairs `(block, places)` mode by mode: the blocks lie side by side, each in one piece. The rank
/// is the larger of the block's and the tiler's.
///
/// # Errors
/// Returns the errors of [`logical_product`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, blocked_product};
/// let block: DynLayout = "(2,2):(1,2)".parse().unwrap();
/// let tiler: DynLayout = "(3,4):(1,3)".parse().unwrap();
/// assert_eq!(blocked_product(&block, &tiler).unwrap().to_string(), "((2,3),(2,4)):((1,4),(2,12))");
/// ```
pub fn blocked_product<L: Domain>(block: &L, tiler: &DynLayout) -> Result<L> {
    block.map_domain("blocked_product", &[tiler], |domain| {
        ranked("blocked_product", domain, tiler, false)
    })
}

/// Pairs `(places, block)` mode by mode: the blocks are interleaved. The rank is the larger of the
/// block's and the tiler's.
///
/// # Errors
/// Returns the errors of [`logical_product`].
pub fn raked_product<L: Domain>(block: &L, tiler: &DynLayout) -> Result<L> {
    block.map_domain("raked_product", &[tiler], |domain| {
        ranked("raked_product", domain, tiler, true)
    })
}

/// Repeats the block to fill a shape, first along mode 0, then along mode 1 and so on.
///
/// Law: the shape of the result refines `shape`.
///
/// # Errors
/// Returns [`Rule::RankAbove`] if the block has more modes than the shape; [`Rule::BlockDivides`]
/// if a mode of the block does not divide the shape's mode; or the errors of [`blocked_product`].
///
/// ```
/// use layout_types::dynamic::{AnyLayout, tile_to_shape};
/// let atom: AnyLayout = "Sw<3,3,3> o 0 o (8,64):(64,1)".parse().unwrap();
/// let tile = tile_to_shape(&atom, &"(128,64)".parse().unwrap()).unwrap();
/// assert_eq!(tile.to_string(), "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))");
/// ```
pub fn tile_to_shape<L: Domain>(block: &L, shape: &IntTuple) -> Result<L> {
    block.map_domain("tile_to_shape", &[shape], |domain| {
        fill(domain, shape, None)
    })
}

/// Fills a shape like [`tile_to_shape`], but repeats along the mode of least `order` first: CuTe's
/// third argument.
///
/// # Errors
/// Returns the errors of [`tile_to_shape`], or [`Rule::Congruence`] if `order` is not a flat tuple
/// of the shape's rank.
pub fn tile_to_shape_by<L: Domain>(block: &L, shape: &IntTuple, order: &IntTuple) -> Result<L> {
    block.map_domain("tile_to_shape", &[shape, order], |domain| {
        fill(domain, shape, Some(order))
    })
}

fn fill(block: &DynLayout, shape: &IntTuple, order: Option<&IntTuple>) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new("tile_to_shape", &[block, shape], rule);
    let rank = shape.rank();
    let padded_shape = block
        .shape()
        .pad(rank, &Nested::Leaf(1), false)
        .map_err(fail)?;
    let padded_stride = block
        .stride()
        .pad(rank, &Nested::Leaf(0.into()), false)
        .map_err(fail)?;
    let padded = DynLayout::new(padded_shape, padded_stride)?;
    let blocks = padded.shape().product_each().map_err(fail)?;
    let wanted = shape.product_each().map_err(fail)?;
    for (i, (block, wanted)) in blocks.leaves().into_iter().zip(wanted.leaves()).enumerate() {
        if wanted % block != 0 {
            return Err(fail(Rule::BlockDivides {
                block: *block,
                shape: *wanted,
            })
            .at(&[i]));
        }
    }
    let copies = wanted.ceil_div(&blocks).map_err(fail)?;
    let tiler = match order {
        None => make_layout_left(&copies)?,
        Some(order) => make_ordered_layout(&copies, order)?,
    };
    ranked("tile_to_shape", &padded, &tiler, false)
}
