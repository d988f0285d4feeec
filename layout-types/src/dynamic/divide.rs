//! Divides, and the tilers by which layouts are divided.
//!
//! ```text
//! zipped_divide((4,8):(8,1), (2,4))  =  ((2,4),(2,2)):((8,1),(16,4))      a tile is mode 0, which tile is mode 1
//! ```
//!
//! Law: a divide is the composition of the layout with (tile, complement of the tile).

use super::coalesce::{coalesce, filtered};
use super::composed::Domain;
use super::composition::{compose, compose_as_cute};
use super::coord::{Coord, CoordLeaf, slice};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{Rule, complement, holes, nests, rounds_up};
use alloc::vec::Vec;
use core::fmt;

// -- Tilers ---------------------------------------------------------------------------------------
//
// The right operand of a composition, divide or product: a layout, an integer, `_`, or a tuple of
// tilers that apply mode by mode.
//
// ```text
// (128,64)                by mode: 128 of mode 0, 64 of mode 1
// (4:1,_,(2,2))           4 of mode 0, all of mode 1, 2 by 2 of mode 2
// (2,4):(1,8)             one layout over the whole
// ```
//
// Source: CuTe's `Tile` and `Underscore`, `cute/layout.hpp`.

/// The right operand of compositions, divides and products.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// `_`: leaves the mode as it is.
    Underscore,
    /// The first `n` elements of the mode.
    Int(i64),
    /// The layout of the elements that are taken.
    Layout(DynLayout),
    /// One tiler per mode.
    Tuple(Vec<Tiler>),
}

impl From<i64> for Tiler {
    fn from(elements: i64) -> Self {
        Self::Int(elements)
    }
}

impl From<DynLayout> for Tiler {
    fn from(layout: DynLayout) -> Self {
        Self::Layout(layout)
    }
}

impl From<&DynLayout> for Tiler {
    fn from(layout: &DynLayout) -> Self {
        Self::Layout(layout.clone())
    }
}

impl From<&IntTuple> for Tiler {
    fn from(shape: &IntTuple) -> Self {
        match shape {
            Nested::Leaf(extent) => Self::Int(*extent),
            Nested::Tuple(modes) => Self::Tuple(modes.iter().map(Self::from).collect()),
        }
    }
}

impl From<IntTuple> for Tiler {
    fn from(shape: IntTuple) -> Self {
        Self::from(&shape)
    }
}

impl From<&Tiler> for Tiler {
    fn from(tiler: &Tiler) -> Self {
        tiler.clone()
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Underscore => f.write_str("_"),
            Self::Int(extent) => extent.fmt(f),
            Self::Layout(layout) => layout.fmt(f),
            Self::Tuple(modes) => {
                f.write_str("(")?;
                for (i, mode) in modes.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    mode.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

// -- Divides --------------------------------------------------------------------------------------
//
// Operations that split a layout into tiles.
//
// ```text
// layout (128,32) by tiler (64,16)
// logical_divide   ((64,2),(16,2))      each mode its tile and its rest
// zipped_divide    ((64,16),(2,2))      the tiles together, the rests together
// tiled_divide     ((64,16),2,2)
// flat_divide      (64,16,2,2)
// ```
//
// Laws of `logical_divide(a, b)` by a layout: mode 0 is `composition(a, b)`, mode 1 repeats it over
// `a`. Every element of `a` is in some tile, and in only one if the tiler is injective. As in CuTe,
// the last tiles may reach beyond each mode of the coalesced `a` separately: `12:1` by 5 is
// `(5,3)`, 15 elements, and `(4,3):(3,1)` by 3 is `(3,(2,3))`, 18 elements. If no tile reaches
// beyond a mode, the result is `composition(a, (b, complement(b, a)))`; the `exact_` divides refuse
// everything else. Source: `cute/layout.hpp`, "Logical divide".

/// Whether the tiles must fill the layout exactly or may reach beyond it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    RoundUp,
    Exact,
}

fn by_tiler(operation: &'static str, a: &DynLayout, tiler: &Tiler, fit: Fit) -> Result<DynLayout> {
    match tiler {
        Tiler::Underscore => Ok(a.clone()),
        Tiler::Int(elements) => {
            let b = DynLayout::new(
                Nested::Leaf(*elements),
                Nested::Leaf(i64::from(*elements > 1).into()),
            )
            .map_err(|error| error.again(operation, &[a, tiler]))?;
            by_layout(operation, a, &b, fit)
        }
        Tiler::Layout(b) => by_layout(operation, a, b, fit),
        Tiler::Tuple(tilers) => {
            let mut modes = a.modes();
            if tilers.len() > modes.len() {
                let rule = Rule::RankAbove {
                    found: tilers.len(),
                    most: modes.len(),
                };
                return Err(LayoutError::new(operation, &[a, tiler], rule));
            }
            for (i, (mode, part)) in modes.iter_mut().zip(tilers).enumerate() {
                *mode = by_tiler(operation, mode, part, fit)
                    .map_err(|error| error.within(operation, &[a, tiler]).at(&[i]))?;
            }
            DynLayout::from_modes(modes)
        }
    }
}

fn by_layout(operation: &'static str, a: &DynLayout, b: &DynLayout, fit: Fit) -> Result<DynLayout> {
    let fail = |rule| LayoutError::new(operation, &[a, b], rule);
    let within = |error: LayoutError| error.within(operation, &[a, b]);
    let tile = filtered(b).map_err(fail)?;
    // CuTe passes the coalesced shape to the complement, not its size, so the rest can be larger.
    let extents: Vec<i64> = coalesce(a)?.shape().leaves().into_iter().copied().collect();
    let rest = DynLayout::from_flat(&holes(&tile, &extents).map_err(fail)?, &[]);
    let both = DynLayout::from_modes(alloc::vec![b.clone(), rest.clone()])?;
    if fit == Fit::Exact {
        nests(&tile).map_err(fail)?;
        let tiled = b
            .size()?
            .checked_mul(rest.size()?)
            .ok_or(fail(Rule::Overflow))?;
        if tiled != a.size()? {
            return Err(fail(Rule::Ragged {
                tiled,
                size: a.size()?,
            }));
        }
        return compose(a, &both).map_err(within);
    }
    let strict = compose(a, &both);
    let full = nests(&tile).and_then(|()| complement(&tile, &extents));
    match (strict, full) {
        (Ok(result), Ok(_)) => Ok(result),
        // The tile must be exactly the elements that the tiler names. Copies of the tile may reach
        // beyond each mode of `a`.
        (strict, full) => match (compose(a, b), covered(a, b, &rest)) {
            (Ok(_), Ok(())) => compose_as_cute(a, &both).map_err(within),
            (_, Err(uncounted)) => match (full, strict) {
                (Err(rule), _) => Err(fail(rule)),
                (_, Err(error)) => Err(within(error)),
                _ => Err(fail(uncounted)),
            },
            (Err(error), _) => Err(within(error)),
        },
    }
}

/// Checks that each element of `a` is in exactly one copy of the tile, where the copies may reach
/// beyond each mode of `a`.
fn covered(a: &DynLayout, tile: &DynLayout, rest: &DynLayout) -> core::result::Result<(), Rule> {
    let flat = |layout: &DynLayout| layout.to_flat(&mut Vec::new());
    rounds_up(
        &flat(a)?.coalesce(true),
        a.shape().product()?,
        &flat(tile)?,
        &flat(rest)?,
    )
}

/// Gathers the first halves of the pairs that a tiler made into mode 0. Mode 1 gets the second
/// halves and the modes that the tiler does not name. CuTe's `tile_unzip`.
pub(super) fn tile_unzip(
    operation: &'static str,
    layout: &DynLayout,
    tiler: &Tiler,
) -> Result<DynLayout> {
    type Halves = (DynLayout, DynLayout);
    fn zip2_by(
        of: &DynLayout,
        guide: &Tiler,
        repeats: bool,
        at: &mut Vec<usize>,
    ) -> core::result::Result<Halves, Rule> {
        match guide {
            Tiler::Tuple(guides) => {
                let modes = of.modes();
                if guides.len() > modes.len() {
                    return Err(Rule::RankAbove {
                        found: guides.len(),
                        most: modes.len(),
                    });
                }
                let (mut tiles, mut rests) = (Vec::new(), Vec::new());
                for (i, (mode, guide)) in modes.iter().zip(guides).enumerate() {
                    at.push(i);
                    let (tile, rest) = zip2_by(mode, guide, repeats, at)?;
                    at.pop();
                    tiles.push(tile);
                    rests.push(rest);
                }
                rests.extend_from_slice(&modes[guides.len()..]);
                let tuple = |modes| DynLayout::from_modes(modes).map_err(|error| error.rule());
                Ok((tuple(tiles)?, tuple(rests)?))
            }
            _ => match (of.shape(), of.mode(0), of.mode(1)) {
                (Nested::Tuple(pair), Some(tile), Some(rest)) if pair.len() == 2 => {
                    Ok((tile, rest))
                }
                // Only `_` leaves a mode that is not a pair.
                (shape, ..) => Err(Rule::Unpaired {
                    instead: if repeats { 1 } else { shape.product()? },
                }),
            },
        }
    }
    let mut at = Vec::new();
    let repeats = operation.ends_with("product");
    let (tile, rest) = zip2_by(layout, tiler, repeats, &mut at)
        .map_err(|rule| LayoutError::new(operation, &[layout, tiler], rule).at(&at))?;
    DynLayout::from_modes(alloc::vec![tile, rest])
}

/// Unpacks mode 1 into its modes, or both modes with `both`: `layout(_, (_,..))` or
/// `layout((_,..), (_,..))`. A mode of rank 1 is left as it is, whether 1-tuple or leaf.
pub(super) fn spread(layout: &DynLayout, both: bool) -> Result<DynLayout> {
    let all = |mode: usize| -> Coord {
        match layout.shape().get(mode).map_or(1, Nested::rank) {
            1 => Nested::Leaf(CoordLeaf::Underscore),
            rank => Nested::Tuple(alloc::vec![Nested::Leaf(CoordLeaf::Underscore); rank]),
        }
    };
    let first = if both {
        all(0)
    } else {
        Nested::Leaf(CoordLeaf::Underscore)
    };
    slice(&Nested::Tuple(alloc::vec![first, all(1)]), layout)
}

/// The form of a divide's result.
#[derive(Clone, Copy)]
enum Form {
    Logical,
    Zipped,
    Tiled,
    Flat,
}

fn divide<L: Domain>(
    operation: &'static str,
    a: &L,
    tiler: Tiler,
    form: Form,
    fit: Fit,
) -> Result<L> {
    a.map_domain(operation, &[&tiler], |domain| {
        let logical = by_tiler(operation, domain, &tiler, fit)?;
        let zipped = match form {
            Form::Logical => return Ok(logical),
            _ => tile_unzip(operation, &logical, &tiler)
                .map_err(|error| error.again(operation, &[domain, &tiler]))?,
        };
        match form {
            Form::Tiled => spread(&zipped, false),
            Form::Flat => spread(&zipped, true),
            _ => Ok(zipped),
        }
    })
}

macro_rules! divides {
    ($($(#[$doc:meta])* $name:ident, $exact:ident, $form:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// The tiler's strides must nest ([`Rule::Overlap`], [`Rule::Gap`],
        /// [`Rule::NegativeStride`]) and `a` after tile and rest must be a layout (see
        /// [`composition`](super::composition())). [`Rule::RankAbove`] for a tuple of more modes
        /// than `a` has.
        pub fn $name<L: Domain>(a: &L, tiler: impl Into<Tiler>) -> Result<L> {
            divide(stringify!($name), a, tiler.into(), Form::$form, Fit::RoundUp)
        }

        #[doc = concat!("[`", stringify!($name), "`] where the tiles fill the layout exactly.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($name), "`], and [`Rule::Ragged`].")]
        pub fn $exact<L: Domain>(a: &L, tiler: impl Into<Tiler>) -> Result<L> {
            divide(stringify!($exact), a, tiler.into(), Form::$form, Fit::Exact)
        }
    )*};
}

divides! {
    /// Splits each mode that the tiler names into `(tile, rest)`.
    ///
    /// ```
    /// use layout_types::dynamic::{DynLayout, Tiler, exact_logical_divide, logical_divide};
    /// let layout: DynLayout = "(128,64):(64,1)".parse().unwrap();
    /// let tiler: Tiler = "(48,16)".parse().unwrap();
    /// assert_eq!(logical_divide(&layout, &tiler).unwrap().to_string(), "((48,3),(16,4)):((64,3072),(1,16))");
    /// assert!(exact_logical_divide(&layout, &tiler).is_err());
    /// ```
    logical_divide, exact_logical_divide, Logical;
    /// Returns [`logical_divide`] as `((tiles), (rests, modes that the tiler does not name))`.
    ///
    /// ```
    /// use layout_types::dynamic::{DynLayout, Tiler, zipped_divide};
    /// let layout: DynLayout = "(128,32):(1,128)".parse().unwrap();
    /// let tiler: Tiler = "(64,16)".parse().unwrap();
    /// assert_eq!(zipped_divide(&layout, &tiler).unwrap().to_string(), "((64,16),(2,2)):((1,128),(64,2048))");
    /// ```
    zipped_divide, exact_zipped_divide, Zipped;
    /// Returns [`logical_divide`] as `((tiles), rests..., modes that the tiler does not name...)`.
    tiled_divide, exact_tiled_divide, Tiled;
    /// Returns [`logical_divide`] as `(tiles..., rests..., modes that the tiler does not name...)`.
    flat_divide, exact_flat_divide, Flat;
}

/// Returns the shape of the rest mode of [`logical_divide`] of a target shape by a layout, even if
/// the divide is refused: CuTe's `ceil_div(shape, layout)`, for grid dimensions.
///
/// # Errors
/// Returns the errors of [`complement`](super::complement()).
pub fn ceil_div_layout(target: &super::IntTuple, tiler: &DynLayout) -> Result<super::IntTuple> {
    Ok(super::complement(tiler, target.clone())?.shape().clone())
}
