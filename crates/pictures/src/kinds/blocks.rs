//! A tile of shared memory with its banks, cut into the blocks that one instruction takes: TMA's
//! boxes or operands of `wgmma`.
//!
//! ```text
//!   Sw<3,3,3> o (128,128) in boxes of 128 by 64        | box (0,0) | box (0,1) |    a heavy line between them
//! ```

use super::swizzle;
use crate::error::Result;
use crate::grid::Picture;
use crate::options::Options;
use layout_types::dynamic::{AnyLayout, Domain};

/// The blocks of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The name of a block: `box`.
    pub what: &'static str,
    /// The elements of a block along mode 0 and mode 1, at least 1 each.
    pub extents: [i64; 2],
}

/// Draws the tile before and after its swizzle, coloured by bank, with a heavy line around each
/// block.
///
/// # Errors
/// Returns the errors of [`swizzle`].
///
/// ```
/// use pictures::{Options, draw};
/// let tile = notation::eval("tma_box(Sw<3,3,3> o (16,64):(64,1), f16)").unwrap();
/// let picture = draw(&tile, &Options::default()).unwrap();
/// let cell = &picture.grids().last().unwrap().cells[9];
/// assert!(cell.facts.bank == Some(0) && cell.facts.note.starts_with("box (0,0)"));
/// ```
pub fn blocks(tile: &AnyLayout, blocks: &Blocks, options: &Options) -> Result<Picture> {
    let mut picture = swizzle(tile, options)?;
    let sizes = tile.domain().modes();
    let extent = match sizes.get(1) {
        Some(mode) => mode.size()?,
        None => 1,
    };
    let [rows, columns] = blocks.extents;
    // The blocks along mode 1, and after them the blocks of the next stage.
    let across = (extent / columns).max(1);
    for grid in picture.panels.iter_mut().flatten().flatten() {
        for (i, cell) in grid.cells.iter_mut().enumerate() {
            let (down, along) = (i / grid.columns.len, i % grid.columns.len);
            let row = down as i64 * grid.rows.step;
            let column = along as i64 * grid.columns.step;
            let stage = column / extent;
            let (m, n) = (row / rows, column % extent / columns);
            cell.group = (m * across + n + (stage << 16)) as u32;
            let mut note = format!("{} ({m},{n})", blocks.what);
            if stage > 0 {
                note += &format!(", stage {stage}");
            }
            if !cell.facts.note.is_empty() {
                note += &format!("; {}", cell.facts.note);
            }
            cell.facts.note = note;
        }
    }
    Ok(picture)
}
