//! A thread-value layout: the thread that holds each cell of a tile.
//!
//! ```text
//!   (4,2):(2,1) over (2,4)        n  0      1      2      3
//!                          m  0     T0 V0  T1 V0  T2 V0  T3 V0
//!                             1     T0 V1  T1 V1  T2 V1  T3 V1
//! ```
//!
//! Law: thread `t` and value `v` are in the cell whose column-major index in the tile is the
//! layout's offset at `(t,v)`. A cell that several threads hold names all of them, or the first
//! thread and the number of the others; a cell that no thread holds is empty. Heavy lines separate
//! warps. The hue of a cell shows its thread modulo 8, as in CuTe's `print_latex`. If there are
//! several warps, the hue shows the warp: a cell that several warps hold has a band for each
//! further warp, and the key names the warps.

use super::{MOST_CELLS, category, drawable, key_of};
use crate::error::{DrawError, Result};
use crate::grid::{Axis, Cell, Facts, Grid, Key, Picture};
use crate::options::Options;
use layout_types::dynamic::{AnyLayout, Domain, IntTuple, idx2crd};

/// Draws the thread-value layout of a tile: mode 0 is the threads, the other modes are the values,
/// and offsets are column-major in `tile`.
///
/// # Errors
/// Returns [`NotThreadValue`](DrawError::NotThreadValue) for a layout of one mode;
/// [`OutsideTile`](DrawError::OutsideTile); [`TooLarge`](DrawError::TooLarge) for a tile of more
/// than [`MOST_CELLS`] cells or for more than sixteen times as many thread-value pairs; and
/// [`Layout`](DrawError::Layout).
///
/// ```
/// use pictures::{Options, kinds};
/// let tv = "(4,2):(2,1)".parse().unwrap();
/// let picture = kinds::thread_value(&tv, &"(2,4)".parse().unwrap(), &Options::default()).unwrap();
/// let grid = picture.grids().next().unwrap();
/// assert_eq!(grid.cell(1, 2).label, "T2\nV1");
/// ```
pub fn thread_value(tv: &AnyLayout, tile: &IntTuple, options: &Options) -> Result<Picture> {
    named_thread_value(tv, tile, ["m", "n"], options)
}

/// Draws a thread-value layout with other names for the tile's modes.
pub(crate) fn named_thread_value(
    tv: &AnyLayout,
    tile: &IntTuple,
    names: [&str; 2],
    options: &Options,
) -> Result<Picture> {
    let grid = owners_grid(
        "cell: thread and value that hold it",
        tv,
        tile,
        names,
        false,
        by_warp(tv),
    )?;
    let notation = format!("(thread,value) {tv} over {tile}");
    let mut picture = Picture::of(
        options.title.clone().unwrap_or_else(|| notation.clone()),
        grid,
    );
    if options.title.is_some() {
        picture.notes.push(notation);
    }
    picture.notes.push(key_of_threads(by_warp(tv)).into());
    picture.key = key_of_warps(&[tv])?;
    Ok(picture)
}

/// Whether colours show warps: true for more than 32 threads, as colours by thread would not
/// distinguish warps.
pub(super) fn by_warp(tv: &AnyLayout) -> bool {
    let threads = tv.domain().mode(0).map(|mode| mode.size());
    matches!(threads, Some(Ok(threads)) if threads > 32)
}

/// Returns the note that says what labels and colours mean.
pub(super) fn key_of_threads(by_warp: bool) -> &'static str {
    if by_warp {
        "T thread, V value; colour: warp, a band for each further one"
    } else {
        "T thread, V value; colour: thread modulo 32"
    }
}

/// Makes the key of the warps of these layouts, which is empty if colours do not show warps.
pub(super) fn key_of_warps(layouts: &[&AnyLayout]) -> Result<Vec<Key>> {
    let mut threads = 0;
    for tv in layouts.iter().filter(|tv| by_warp(tv)) {
        threads = threads.max(tv.domain().mode(0).map_or(Ok(0), |mode| mode.size())?);
    }
    let warps = (0..(threads + 31) / 32).map(|warp| (category(warp), warp));
    Ok(key_of(warps, "warp"))
}

/// Lists the (thread, value) pairs that hold each index of a tile.
pub(super) fn owners(tv: &AnyLayout, tile: &IntTuple) -> Result<Vec<Vec<(i64, i64)>>> {
    let domain = tv.domain();
    let Some(threads) = domain.mode(0).filter(|_| domain.rank() >= 2) else {
        return Err(DrawError::NotThreadValue {
            layout: tv.to_string(),
            rank: domain.rank(),
        });
    };
    let size = tile.product().map_err(|_| too_large(tile))?;
    let cells = drawable(tile, size, MOST_CELLS)?;
    let pairs = drawable(tv, tv.size()?, MOST_CELLS * 16)?;
    let threads = threads.size()?;
    let mut out = vec![Vec::new(); cells];
    for index in 0..pairs as i64 {
        let offset = tv.offset(index)?;
        let cell = usize::try_from(offset)
            .ok()
            .and_then(|at| out.get_mut(at))
            .ok_or_else(|| DrawError::OutsideTile {
                layout: tv.to_string(),
                offset,
                tile: tile.to_string(),
                size,
            })?;
        cell.push((index % threads, index / threads));
    }
    Ok(out)
}

fn too_large(tile: &IntTuple) -> DrawError {
    DrawError::TooLarge {
        what: tile.to_string(),
        cells: i64::MAX,
        most: MOST_CELLS,
    }
}

/// Makes the grid of a tile's owners. With `transposed`, mode 0 of the tile runs to the right.
pub(super) fn owners_grid(
    caption: &str,
    tv: &AnyLayout,
    tile: &IntTuple,
    names: [&str; 2],
    transposed: bool,
    by_warp: bool,
) -> Result<Grid> {
    let owners = owners(tv, tile)?;
    let first = tile
        .modes()
        .first()
        .cloned()
        .unwrap_or_else(|| IntTuple::from(1));
    let rest = IntTuple::Tuple(tile.modes().iter().skip(1).cloned().collect());
    let axis = |name: &str, shape: &IntTuple, prefix: &str| {
        Axis::of_mode(format!("{name} (elements)"), shape, prefix)
    };
    let (mode_0, mode_1) = (
        axis(names[0], &first, names[0]),
        axis(names[1], &rest, names[1]),
    );
    let height = mode_0.len;
    let (rows, columns) = if transposed {
        (mode_1, mode_0)
    } else {
        (mode_0, mode_1)
    };
    let mut failure = None;
    let grid = Grid::new(caption, rows, columns, |row, column| {
        let (i, j) = if transposed {
            (column, row)
        } else {
            (row, column)
        };
        let index = i + height * j;
        let mut cell = owned(&owners[index], by_warp);
        match idx2crd(index as i64, tile) {
            Ok(coordinate) => cell.facts.coordinate = coordinate.to_string(),
            Err(error) => failure = Some(error),
        }
        cell.facts.offset = Some(index.to_string());
        cell
    });
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(grid),
    }
}

/// Makes a cell with these owners.
fn owned(owners: &[(i64, i64)], by_warp: bool) -> Cell {
    let Some(&(thread, value)) = owners.first() else {
        return Cell::void();
    };
    let run = owners.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
    let threads = match owners {
        [_] => format!("T{thread}"),
        [_, (other, _)] => format!("T{thread},{other}"),
        [.., (last, _)] if run => format!("T{thread}-{last}"),
        more => format!("T{thread}+{}", more.len() - 1),
    };
    let mut warps: Vec<i64> = owners.iter().map(|(thread, _)| thread / 32).collect();
    warps.sort_unstable();
    warps.dedup();
    warps.retain(|warp| *warp != thread / 32);
    Cell {
        label: format!("{threads}\nV{value}"),
        paint: category(if by_warp { thread / 32 } else { thread }),
        bands: if by_warp {
            warps.into_iter().map(category).collect()
        } else {
            Vec::new()
        },
        // The cells of a warp are one group. The number of warps fits in 32 bits.
        group: u32::try_from(thread / 32).unwrap_or(u32::MAX),
        facts: Facts {
            owners: owners.to_vec(),
            ..Facts::default()
        },
    }
}
