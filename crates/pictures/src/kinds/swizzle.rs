//! A swizzled layout before and after its swizzles, coloured by bank.
//!
//! ```text
//!   (8,64):(64,1) in 16-byte vectors          behind Sw<3,3,3>
//!    0  8 16 ..     one colour per column        0  8 16 ..      each row in another order:
//!   64 72 80 ..     8 rows read one column:     72 64 88 ..      8 rows read one column from
//!                   8 times the same banks                       8 different groups of banks
//! ```
//!
//! A cell is one access of [`Options::access_bytes`] if the layout keeps that many bytes contiguous
//! and aligned; otherwise it is one element.

use super::category;
use super::layout::{Places, Values, axes, key};
use crate::error::Result;
use crate::grid::{Axis, Cell, Facts, Grid, Picture};
use crate::options::{ColourBy, Options};
use crate::palette::Paint;
use layout_types::dynamic::{AnyLayout, Domain, idx2crd};

/// Draws a layout beside the same layout without its swizzles. A layout without swizzles is drawn
/// once.
///
/// # Errors
/// Returns the errors of [`layout`](super::layout).
pub fn swizzle(layout: &AnyLayout, options: &Options) -> Result<Picture> {
    let options = Options {
        colour: ColourBy::Bank,
        ..options.clone()
    };
    let notation = layout.to_string();
    let plain = AnyLayout::Plain(layout.domain().clone());
    // Both grids use one vector length, so that their cells correspond.
    let (before, after) = (Values::of(&plain)?, Values::of(layout)?);
    let both = vector(&plain, &before, &options)?.min(vector(layout, &after, &options)?);
    let grid = |layout: &AnyLayout, values: &Values, name: &str| {
        banks_grid(layout, values, both, name, &options)
    };
    let mut panels = vec![Some(grid(layout, &after, "after the swizzle")?)];
    if !layout.is_plain() {
        panels.insert(0, Some(grid(&plain, &before, "before the swizzle")?));
    }
    let width = both.columns.max(both.rows);
    let bits = i64::from(options.element_bits) * width as i64;
    Ok(Picture {
        title: options.title.clone().unwrap_or_else(|| notation.clone()),
        notes: vec![format!(
            "cell: offset of the first of {width} elements of {} bits ({} bytes); colour: bank of shared memory",
            options.element_bits,
            bits as f64 / 8.0
        )],
        panels: if panels
            .iter()
            .flatten()
            .all(|grid| grid.columns.len > 3 * grid.rows.len.max(8))
        {
            panels.into_iter().map(|panel| vec![panel]).collect()
        } else {
            vec![panels]
        },
        key: key(&options)?,
    })
}

/// The number of elements of a cell along rows and columns, at least one of which is 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Vector {
    rows: usize,
    columns: usize,
}

/// Returns the number of elements of one access, along a direction in which they are contiguous and
/// aligned, or one element if there is no such direction.
fn vector(layout: &AnyLayout, values: &Values, options: &Options) -> Result<Vector> {
    options.banks()?;
    let one = Vector {
        rows: 1,
        columns: 1,
    };
    let elements = (options.access_bytes * 8 / options.element_bits) as usize;
    let Some(numbers) = values
        .numbers
        .as_ref()
        .filter(|_| elements > 1 && layout.domain().rank() >= 2)
    else {
        return Ok(one);
    };
    let (rows, columns) = axes(layout.domain())?;
    let (rows, columns) = (rows.len, columns.len);
    let at = |row: usize, column: usize| numbers[row + rows * column];
    let together = |offsets: &mut dyn Iterator<Item = i64>| {
        let first = offsets.next().unwrap_or(0);
        first.rem_euclid(elements as i64) == 0
            && offsets
                .zip(first + 1..)
                .all(|(offset, wanted)| offset == wanted)
    };
    let along_columns = columns.is_multiple_of(elements)
        && (0..rows).all(|row| {
            (0..columns)
                .step_by(elements)
                .all(|first| together(&mut (first..first + elements).map(|column| at(row, column))))
        });
    if along_columns {
        return Ok(Vector {
            rows: 1,
            columns: elements,
        });
    }
    let along_rows = rows.is_multiple_of(elements)
        && (0..columns).all(|column| {
            (0..rows)
                .step_by(elements)
                .all(|first| together(&mut (first..first + elements).map(|row| at(row, column))))
        });
    Ok(if along_rows {
        Vector {
            rows: elements,
            columns: 1,
        }
    } else {
        one
    })
}

/// Makes the grid of a layout's accesses, coloured by bank.
fn banks_grid(
    layout: &AnyLayout,
    values: &Values,
    vector: Vector,
    name: &str,
    options: &Options,
) -> Result<Grid> {
    let banks = options.banks()?;
    let (all_rows, all_columns) = axes(layout.domain())?;
    let places = Places::new(
        layout.domain(),
        &all_rows,
        &all_columns,
        values.offsets.len(),
    );
    let shorten = |axis: Axis, by: usize| {
        if by == 1 {
            return axis;
        }
        Axis {
            step: axis.step * by as i64,
            name: format!("{}, {by} a cell", axis.name),
            ..Axis::plain(axis.name.clone(), axis.len / by)
        }
    };
    let (rows, columns) = (
        shorten(all_rows, vector.rows),
        shorten(all_columns, vector.columns),
    );
    let mut failure = None;
    let elements = vector.rows.max(vector.columns);
    let grid = Grid::new(format!("{name}: {layout}"), rows, columns, |row, column| {
        let (row, column) = (row * vector.rows, column * vector.columns);
        let Some(index) = places.index(row, column) else {
            return Cell::void();
        };
        let coordinate = match idx2crd(index as i64, layout.shape()) {
            Ok(coordinate) => coordinate.to_string(),
            Err(error) => {
                failure = Some(error);
                String::new()
            }
        };
        let bank = values
            .numbers
            .as_ref()
            .map(|numbers| options.bank(numbers[index]));
        Cell {
            label: values.offsets[index].clone(),
            paint: bank.map_or(Paint::Blank, |bank| category(bank * banks / 32)),
            bands: Vec::new(),
            group: 0,
            facts: Facts {
                coordinate,
                offset: Some(values.offsets[index].clone()),
                bank,
                note: if elements > 1 {
                    format!("{elements} elements")
                } else {
                    String::new()
                },
                ..Facts::default()
            },
        }
    });
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(grid),
    }
}
