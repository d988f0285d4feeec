//! A layout as a grid: the offset in each cell, the coordinate on the axes.
//!
//! ```text
//!   (2,4):(4,1)         mode 1   0  1  2  3
//!              mode 0   0        0  1  2  3
//!                       1        4  5  6  7
//! ```
//!
//! Mode 0 runs down and mode 1 to the right; further modes also run to the right, each slower than
//! the mode before it. A layout of one mode is one row, or several rows of 32 if it has more than
//! 32 elements. Heavy lines mark where an inner mode ends.

use super::{category, drawable};
use crate::error::Result;
use crate::grid::{Axis, Cell, Facts, Grid, Key, Picture};
use crate::options::{ColourBy, Options};
use crate::palette::Paint;
use layout_types::dynamic::{AnyLayout, Domain, DynLayout, IntTuple, Nested, idx2crd};

/// The number of positions per row for a layout of one mode.
const WRAP: usize = 32;

/// Draws a layout, plain or with swizzles before it. Law: the cell at row `r` and column `c` has
/// the offset of index `r + rows * c`.
///
/// # Errors
/// Returns [`TooLarge`](crate::DrawError::TooLarge) for more than [`MOST_CELLS`](super::MOST_CELLS)
/// cells, [`Layout`](crate::DrawError::Layout) if an offset overflows, and
/// [`Number`](crate::DrawError::Number) for options that do not give a valid number of banks.
pub fn layout(layout: &AnyLayout, options: &Options) -> Result<Picture> {
    let notation = layout.to_string();
    let grid = grid(layout, options, "")?;
    let mut picture = Picture::of(
        options.title.clone().unwrap_or_else(|| notation.clone()),
        grid,
    );
    if options.title.is_some() {
        picture.notes.push(notation);
    }
    picture.key = key(options)?;
    Ok(picture)
}

/// Returns the key of a layout's colours, which is empty unless colours show banks.
pub(super) fn key(options: &Options) -> Result<Vec<Key>> {
    if options.colour != ColourBy::Bank {
        return Ok(Vec::new());
    }
    let banks = options.banks()?;
    let wide = 32 / banks;
    Ok((0..banks)
        .map(|group| {
            let (first, last) = (group * wide, group * wide + wide - 1);
            let text = if first == last {
                format!("bank {first}")
            } else {
                format!("banks {first}-{last}")
            };
            Key {
                paint: category(group),
                text,
            }
        })
        .collect())
}

/// The values of a layout by index: its offsets as text, and as numbers if they are integers.
pub(super) struct Values {
    pub(super) offsets: Vec<String>,
    pub(super) numbers: Option<Vec<i64>>,
    /// The least and the largest offset.
    bounds: (i64, i64),
}

impl Values {
    /// Computes every offset of a layout.
    pub(super) fn of(layout: &AnyLayout) -> Result<Self> {
        let size = drawable(layout, layout.size()?, super::MOST_CELLS)?;
        let domain = layout.domain();
        if layout.is_plain() && domain.has_basis() {
            let offsets = (0..size as i64)
                .map(|i| Ok(domain.eval(i)?.to_string()))
                .collect::<Result<_>>()?;
            return Ok(Self {
                offsets,
                numbers: None,
                bounds: (0, 0),
            });
        }
        let numbers = layout.table()?;
        let least = numbers.iter().copied().min().unwrap_or(0);
        let most = numbers.iter().copied().max().unwrap_or(0);
        Ok(Self {
            offsets: numbers.iter().map(ToString::to_string).collect(),
            numbers: Some(numbers),
            bounds: (least, most),
        })
    }

    /// Returns the colour of the element at an index.
    pub(super) fn paint(&self, index: usize, options: &Options, banks: i64) -> Paint {
        let Some(numbers) = &self.numbers else {
            return Paint::Blank;
        };
        match options.colour {
            ColourBy::None => Paint::Blank,
            ColourBy::Bank => category(options.bank(numbers[index]) * banks / 32),
            ColourBy::Auto | ColourBy::Offset => {
                let (least, most) = self.bounds;
                let span = (i128::from(most) - i128::from(least)).max(1);
                // The result is 0 to 15: `numbers[index] - least` is at most `span`.
                Paint::Shade(((i128::from(numbers[index]) - i128::from(least)) * 15 / span) as u8)
            }
        }
    }
}

/// Returns the axes of a layout: mode 0 as rows, and all other modes as columns.
pub(super) fn axes(domain: &DynLayout) -> Result<(Axis, Axis)> {
    let modes = domain.modes();
    let named = |i: usize, shape: &IntTuple| format!("mode {i}: {shape} (index)");
    Ok(match modes.as_slice() {
        [] => (Axis::plain("", 1), Axis::plain("", 1)),
        [only] => {
            let size = drawable(domain, only.size()?, super::MOST_CELLS)?;
            if size > WRAP {
                let rows = Axis {
                    step: WRAP as i64,
                    ..Axis::plain("index of the row's first", size.div_ceil(WRAP))
                };
                (rows, Axis::plain(format!("index, rows of {WRAP}"), WRAP))
            } else {
                (
                    Axis::plain("", 1),
                    Axis::of_mode(named(0, only.shape()), only.shape(), "0"),
                )
            }
        }
        [first, second] => (
            Axis::of_mode(named(0, first.shape()), first.shape(), "0"),
            Axis::of_mode(named(1, second.shape()), second.shape(), "1"),
        ),
        [first, rest @ ..] => {
            let shape: IntTuple =
                Nested::Tuple(rest.iter().map(|mode| mode.shape().clone()).collect());
            let mut columns = Axis::of_mode(
                format!("modes 1 to {}: {shape} (index)", rest.len()),
                &shape,
                "",
            );
            for level in &mut columns.levels {
                // The path `.0.1` in the tuple of modes 1, 2, .. is mode 1.1 of the layout.
                let path: Vec<usize> = level
                    .name
                    .split('.')
                    .filter_map(|part| part.parse().ok())
                    .collect();
                let path: Vec<String> = path
                    .iter()
                    .enumerate()
                    .map(|(i, at)| (at + usize::from(i == 0)).to_string())
                    .collect();
                level.name = path.join(".");
            }
            (
                Axis::of_mode(named(0, first.shape()), first.shape(), "0"),
                columns,
            )
        }
    })
}

/// Maps a row and a column of a layout's [`axes`] to an element.
pub(super) struct Places {
    wrapped: bool,
    height: usize,
    width: usize,
    size: usize,
}

impl Places {
    /// Places `size` elements of a layout on these axes. A layout of a single mode is wrapped: it
    /// fills one row after the other.
    pub(super) fn new(domain: &DynLayout, rows: &Axis, columns: &Axis, size: usize) -> Self {
        Self {
            wrapped: domain.rank() == 1,
            height: rows.len,
            width: columns.len,
            size,
        }
    }

    /// Returns the element's index, or `None` beyond the last element of a wrapped layout.
    pub(super) fn index(&self, row: usize, column: usize) -> Option<usize> {
        let index = if self.wrapped {
            row * self.width + column
        } else {
            row + self.height * column
        };
        (index < self.size).then_some(index)
    }
}

/// Makes the grid of a layout.
pub(super) fn grid(layout: &AnyLayout, options: &Options, caption: &str) -> Result<Grid> {
    let banks = options.banks()?;
    let values = Values::of(layout)?;
    let (rows, columns) = axes(layout.domain())?;
    let shape = layout.shape();
    let places = Places::new(layout.domain(), &rows, &columns, values.offsets.len());
    let what = if values.numbers.is_some() {
        "offset"
    } else {
        "coordinate"
    };
    let caption = if caption.is_empty() {
        format!("cell: {what} (elements)")
    } else {
        caption.to_string()
    };
    let mut failure = None;
    let grid = Grid::new(caption, rows, columns, |row, column| {
        let Some(index) = places.index(row, column) else {
            return Cell::void();
        };
        let coordinate = match idx2crd(index as i64, shape) {
            Ok(coordinate) => coordinate.to_string(),
            Err(error) => {
                failure = Some(error);
                String::new()
            }
        };
        Cell {
            label: values.offsets[index].clone(),
            paint: values.paint(index, options, banks),
            bands: Vec::new(),
            group: 0,
            facts: Facts {
                coordinate,
                offset: Some(values.offsets[index].clone()),
                bank: values
                    .numbers
                    .as_ref()
                    .map(|numbers| options.bank(numbers[index])),
                ..Facts::default()
            },
        }
    });
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(grid),
    }
}
