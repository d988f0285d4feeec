//! Slices of swizzled layouts, returned as plain layouts where possible.
//!
//! ```text
//! Sw<3,0,3> o 0 o (8,8):(8,1)      row 2 is  18 19 16 17 22 23 20 21
//!     sliced by (2,_)              = ((2,2,2)):((1,-2,4)) at offset 18
//! ```
//!
//! If a slice moves only bits that the swizzle changes, or only bits that the swizzle reads, the
//! swizzle is a fixed pattern of signs on the slice, which strides can express. Any other slice
//! keeps the swizzle, with the offset that [`part`] does not move outside. For example, a row of a
//! tile of 48 columns is `Sw<1,3,3> o 48 o (48):(1)`. Source: `cute/swizzle_layout.hpp`, "Slice a
//! Swizzled ComposedLayout".

use alloc::vec;
use alloc::vec::Vec;

use super::composed::{AnyLayout, Composed};
use super::composition::compose;
use super::coord::{Coord, CoordLeaf, crd2idx, slice};
use super::int_tuple::Nested;
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{Rule, Swizzle, part};

/// Returns the layout of a swizzle's bits: `(2^M, 2^B, 2^(|S|-B), 2^B, 1)`, with the strides that
/// `strides` gives for each part.
fn bit_layout(swizzle: Swizzle, strides: [Vec<i64>; 5]) -> Result<DynLayout> {
    let gap = swizzle.shift().unsigned_abs() - swizzle.bits();
    let widths = [swizzle.base(), swizzle.bits(), gap, swizzle.bits(), 0];
    let mut modes = Vec::new();
    for (width, strides) in widths.into_iter().zip(strides) {
        let part = match strides[..] {
            [stride] => DynLayout::leaf(1 << width, stride),
            _ => match strides.len() {
                0 => DynLayout::one(),
                _ => DynLayout::from_modes(
                    strides
                        .into_iter()
                        .map(|stride| DynLayout::leaf(2, stride))
                        .collect(),
                )?,
            },
        };
        modes.push(part);
    }
    DynLayout::from_modes(modes)
}

/// Returns the modes at which the coordinate has `_`, and the offset of the first element: CuTe's
/// `slice_and_offset` of a swizzled layout.
///
/// The result is a plain layout if the slice crosses only bits that the swizzle reads, or only bits
/// that the swizzle changes, or neither, and no sum with the first offset carries into these bits.
/// Otherwise the swizzle stays, with the part of the first offset that does not commute with the
/// swizzle ([`part`]).
///
/// Law: `slice(i) + offset == layout(coord with its _ replaced by i)`.
///
/// # Errors
/// Returns the errors of [`slice()`]; [`Rule::BasisStride`]; [`Rule::NegativeStride`] for a first
/// offset below 0; or [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::{AnyLayout, slice_and_offset_any};
/// let layout: AnyLayout = "Sw<3,0,3> o 0 o (8,8):(8,1)".parse().unwrap();
/// let (row, offset) = slice_and_offset_any(&"(2,_)".parse().unwrap(), &layout).unwrap();
/// assert_eq!((row.to_string().as_str(), offset), ("((2,2,2)):((1,-2,4))", 18));
///
/// let tile: AnyLayout = "Sw<1,3,3> o 0 o (8,48):(48,1)".parse().unwrap();
/// let (row, offset) = slice_and_offset_any(&"(1,_)".parse().unwrap(), &tile).unwrap();
/// assert_eq!((row.to_string().as_str(), offset), ("Sw<1,3,3> o 48 o (48):(1)", 0));
/// ```
pub fn slice_and_offset_any(coord: &Coord, layout: &AnyLayout) -> Result<(AnyLayout, i64)> {
    let fail = |rule| LayoutError::new("slice_and_offset", &[coord, layout], rule);
    // A refusal names the layout that was sliced, not its inner layout.
    let again = |error: LayoutError| error.again("slice_and_offset", &[coord, layout]);
    let outer = match layout {
        AnyLayout::Plain(plain) => {
            let Nested::Leaf(offset) = crd2idx(coord, plain).map_err(again)? else {
                return Err(fail(Rule::BasisStride));
            };
            return Ok((
                AnyLayout::Plain(slice(coord, plain).map_err(again)?),
                offset,
            ));
        }
        AnyLayout::Composed(outer) => outer,
    };
    let AnyLayout::Plain(inner) = outer.inner() else {
        // With a swizzle after a swizzle, the fixed coordinates pass through the inner one first.
        let (sliced, offset) = slice_and_offset_any(coord, outer.inner()).map_err(again)?;
        let offset = offset
            .checked_add(outer.offset())
            .ok_or(fail(Rule::Overflow))?;
        return Ok((
            AnyLayout::Composed(Composed::new(outer.swizzle(), offset, sliced)),
            0,
        ));
    };
    let sliced = slice(coord, inner).map_err(again)?;
    if coord
        .leaves()
        .into_iter()
        .all(|leaf| *leaf == CoordLeaf::Underscore)
    {
        return Ok((
            AnyLayout::Composed(Composed::new(
                outer.swizzle(),
                outer.offset(),
                sliced.into(),
            )),
            0,
        ));
    }
    let Nested::Leaf(start) = crd2idx(coord, inner).map_err(again)? else {
        return Err(fail(Rule::BasisStride));
    };
    let start = start
        .checked_add(outer.offset())
        .ok_or(fail(Rule::Overflow))?;
    let swizzle = outer.swizzle();
    let parting = sliced
        .to_flat(&mut Vec::new())
        .and_then(|flat| part(&flat, &swizzle, start))
        .map_err(fail)?;
    let strides = || affine(swizzle, start, &sliced).ok();
    if let Some(plain) = parting.linear.then(strides).flatten() {
        return Ok((AnyLayout::Plain(plain), swizzle.apply(start)));
    }
    Ok((
        AnyLayout::Composed(Composed::new(swizzle, parting.inside, sliced.into())),
        parting.outside,
    ))
}

/// Returns the slice from `start` with the swizzle built into its strides. Requires that the
/// swizzle moves each bit of the slice separately.
fn affine(swizzle: Swizzle, start: i64, sliced: &DynLayout) -> Result<DynLayout> {
    if sliced.rank() == 0 || swizzle.is_identity() {
        return Ok(sliced.clone());
    }
    let (y_mask, z_mask) = (swizzle.yyy_mask(), swizzle.zzz_mask());
    let b = swizzle.bits();
    let one = |stride: i64| vec![stride];
    // Each bit is one step: a changed bit counts up if the corresponding bit read is clear, and
    // down if it is set; a step of a bit read also steps the changed bit.
    let (y, z) = (y_mask & -y_mask, z_mask & -z_mask);
    let changed = |i: u32| {
        if start & (y << i) == 0 {
            z << i
        } else {
            -(z << i)
        }
    };
    let read = |i: u32| {
        if start & (z << i) == 0 {
            (y + z) << i
        } else {
            (y - z) << i
        }
    };
    let (low, high): (Vec<i64>, Vec<i64>) = if z < y {
        ((0..b).map(changed).collect(), (0..b).map(read).collect())
    } else {
        ((0..b).map(read).collect(), (0..b).map(changed).collect())
    };
    let base = swizzle.base();
    let bits = bit_layout(
        swizzle,
        [
            one(1),
            low,
            one(1 << (base + b)),
            high,
            one(1 << (base + b + swizzle.shift().unsigned_abs())),
        ],
    )?;
    compose(&bits, sliced)
}
