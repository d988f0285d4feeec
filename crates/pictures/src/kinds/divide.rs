//! A layout divided by a tiler: the layout with its tiles marked, and the division's result as a
//! grid.
//!
//! ```text
//!   (4,4):(1,4) / (2,2)      0  4 | 8 12          tile   0  1  2  3
//!                            1  5 | 9 13               0 0  2  8 10
//!                           ------+------              1 1  3  9 11        one column per tile
//!                            2  6 |10 14               2 4  6 12 14
//!                            3  7 |11 15               3 5  7 13 15
//! ```
//!
//! If a tile has many elements, the right side has two grids: one tile in its own shape, and the
//! first element of each tile.
//!
//! Law: element `i` of tile `r` is the cell `(i,r)` on the right and the cell on the left whose
//! fact names `(i,r)`; both cells have the same offset. If the tiler rounds up, elements of the
//! result outside the layout have no cell on the left, and an empty cell on the right.

use super::layout::{Places, Values, axes};
use super::{MOST_CELLS, category, drawable, key_of};
use crate::error::{DrawError, Result};
use crate::grid::{Axis, Cell, Facts, Grid, Picture};
use crate::options::Options;
use crate::palette::Paint;
use layout_types::dynamic::{
    AnyLayout, Domain, DynLayout, Tiler, idx2crd, make_identity_layout, zipped_divide,
};

/// The largest number of elements of a tile that is always drawn as a column.
const SHORT: usize = 16;

/// Draws a layout and its [`zipped_divide`].
///
/// # Errors
/// Returns the errors of [`zipped_divide`] as [`Layout`](crate::DrawError::Layout), and the errors
/// of [`layout`](super::layout).
pub fn divide(layout: &AnyLayout, tiler: &Tiler, options: &Options) -> Result<Picture> {
    let divided = zipped_divide(layout, tiler)?;
    drawable(&divided, divided.size()?, MOST_CELLS)?;
    let table = origins(layout, tiler)?;
    let modes = divided.domain().modes();
    let (tile, rest) = match modes.as_slice() {
        [tile, rest, ..] => (tile.clone(), rest.clone()),
        _ => (divided.domain().clone(), divided.domain().clone()),
    };
    let inside = tile.size()?;
    let mut place_of = vec![None; layout.size()? as usize];
    for (i, at) in table.iter().enumerate() {
        if let Some(slot) = at.and_then(|at| place_of.get_mut(at)) {
            *slot = Some((i as i64 % inside, i as i64 / inside));
        }
    }
    let paint = &hues(&rest)?;
    let left = whole(layout, &place_of, paint, options)?;
    let offsets = Values::of(&divided)?;
    let (elements, tiles) = (tile.size()? as usize, rest.size()? as usize);
    let at = |element: usize, tile: usize| {
        let index = element + elements * tile;
        let origin = table[index];
        Cell {
            label: offsets.offsets[index].clone(),
            paint: match origin {
                Some(_) => paint(tile as i64),
                None => Paint::Void,
            },
            bands: Vec::new(),
            group: tile as u32,
            facts: Facts {
                coordinate: format!("({element},{tile})"),
                offset: Some(offsets.offsets[index].clone()),
                bank: offsets
                    .numbers
                    .as_ref()
                    .map(|numbers| options.bank(numbers[index])),
                note: match origin.map(|index| coordinate(layout, index)) {
                    Some(Ok(at)) => format!("at {at} of the layout"),
                    _ => "outside the layout".into(),
                },
                ..Facts::default()
            },
        }
    };
    let right = if elements <= left.rows.len.max(SHORT) {
        vec![Grid::new(
            format!("zipped_divide: {divided}"),
            Axis::of_mode(
                format!("element of a tile: {}", tile.shape()),
                tile.shape(),
                "0",
            ),
            Axis::of_mode(format!("tile: {}", rest.shape()), rest.shape(), "1"),
            at,
        )]
    } else {
        // As a matrix the result would be very tall, so its two modes are drawn separately, each in
        // its own shape.
        let by_itself =
            |caption: String, mode: &DynLayout, count: usize, place: &dyn Fn(usize) -> Cell| {
                let (rows, columns) = axes(mode)?;
                let places = Places::new(mode, &rows, &columns, count);
                Ok::<Grid, DrawError>(Grid::new(caption, rows, columns, |row, column| {
                    places.index(row, column).map_or_else(Cell::void, place)
                }))
            };
        vec![
            by_itself("mode 0: a tile".into(), &tile, elements, &|element| {
                at(element, 0)
            })?,
            by_itself(
                "mode 1: where each tile begins".into(),
                &rest,
                tiles,
                &|tile| at(0, tile),
            )?,
        ]
    };
    let mut notation = format!("{layout} / {tiler}");
    if right.len() > 1 {
        notation = format!("{notation} = {divided}");
    }
    let mut picture = Picture {
        title: options.title.clone().unwrap_or_else(|| notation.clone()),
        notes: vec!["cell: offset (elements); colour and heavy lines: the tile".into()],
        panels: vec![[left].into_iter().chain(right).map(Some).collect()],
        key: key_of((0..tiles as i64).map(|tile| (paint(tile), tile)), "tile"),
    };
    if options.title.is_some() {
        picture.notes.insert(0, notation);
    }
    Ok(picture)
}

/// Returns the colour of each tile: 32 tiles have 32 colours, and tiles that are neighbours in
/// either direction differ in hue. If the number of tiles in a column is a multiple of eight, the
/// hues are rotated from column to column: a column then has all eight tiles of one strength, and
/// row neighbours still differ.
fn hues(rest: &DynLayout) -> Result<impl Fn(i64) -> Paint> {
    let down = rest.mode(0).map_or(Ok(1), |mode| mode.size())?.max(1);
    let turn = if down % 8 == 0 { 3 } else { 0 };
    Ok(move |tile: i64| category(tile / 8 * 8 + (tile + tile / down * turn) % 8))
}

/// Formats a coordinate of the layout.
fn coordinate(layout: &AnyLayout, index: usize) -> Result<String> {
    Ok(idx2crd(index as i64, layout.shape())?.to_string())
}

/// Draws the layout itself, each cell in the colour of its tile; `place_of` holds the element and
/// the tile of each cell.
fn whole(
    layout: &AnyLayout,
    place_of: &[Option<(i64, i64)>],
    paint: impl Fn(i64) -> Paint,
    options: &Options,
) -> Result<Grid> {
    let values = Values::of(layout)?;
    let size = values.offsets.len();
    let (rows, columns) = axes(layout.domain())?;
    let places = Places::new(layout.domain(), &rows, &columns, size);
    let mut failure = None;
    let grid = Grid::new(
        "the layout, cut into tiles",
        rows,
        columns,
        |row, column| {
            let Some(index) = places.index(row, column) else {
                return Cell::void();
            };
            let place = place_of[index];
            Cell {
                label: values.offsets[index].clone(),
                paint: place.map_or(Paint::Blank, |(_, tile)| paint(tile)),
                bands: Vec::new(),
                group: place.map_or(u32::MAX, |(_, tile)| tile as u32),
                facts: Facts {
                    coordinate: coordinate(layout, index).unwrap_or_else(|error| {
                        failure = Some(error);
                        String::new()
                    }),
                    offset: Some(values.offsets[index].clone()),
                    bank: values
                        .numbers
                        .as_ref()
                        .map(|numbers| options.bank(numbers[index])),
                    note: place.map_or_else(
                        || "in no tile".into(),
                        |(element, tile)| format!("element {element} of tile {tile}"),
                    ),
                    ..Facts::default()
                },
            }
        },
    );
    match failure {
        Some(error) => Err(error),
        None => Ok(grid),
    }
}

/// Returns, for each element of the division, its index in the layout, or `None` for an element
/// outside the layout, where the tiler rounds up.
fn origins(layout: &AnyLayout, tiler: &Tiler) -> Result<Vec<Option<usize>>> {
    // Divides the layout's coordinates in the same way. A coordinate outside the layout has a
    // position that is too large; as an index it would carry into the next mode and look valid.
    let shape = layout.shape();
    let divided = zipped_divide(&make_identity_layout(shape)?, tiler)?;
    let extents = shape.leaves();
    (0..divided.size()?)
        .map(|i| {
            let coordinate = divided.eval(i)?;
            let positions = coordinate.leaves();
            let mut index = 0i64;
            let mut step = 1i64;
            for (position, extent) in positions.iter().zip(&extents) {
                if !(0..**extent).contains(*position) {
                    return Ok(None);
                }
                index += **position * step;
                step *= **extent;
            }
            // The layout has at most `MOST_CELLS` elements, so the index fits.
            Ok(usize::try_from(index)
                .ok()
                .filter(|_| positions.len() == extents.len()))
        })
        .collect()
}
