//! A tiled copy: the thread that reads each cell, beside the thread that writes it.
//!
//! ```text
//!   source              destination
//!   T0 T0 T1 T1   ->    T0 T1 T2 T3        one tile, two thread-value layouts
//!   T2 T2 T3 T3         T0 T1 T2 T3
//! ```
//!
//! If source and destination have the same layout, there is only one panel.

use super::thread_value::{by_warp, key_of_threads, key_of_warps, owners_grid};
use crate::error::Result;
use crate::grid::Picture;
use crate::options::Options;
use layout_types::dynamic::{AnyLayout, IntTuple};

/// One side of a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The name of the side: `source: global memory`.
    pub name: String,
    /// Maps (thread, value) to the column-major index in the tile.
    pub tv: AnyLayout,
}

/// Draws source and destination of a tiled copy over one tile.
///
/// # Errors
/// Returns the errors of [`thread_value`](super::thread_value) for each side.
pub fn tiled_copy(
    name: &str,
    tile: &IntTuple,
    source: &Side,
    destination: &Side,
    options: &Options,
) -> Result<Picture> {
    let by_warp = by_warp(&source.tv);
    let title = options.title.clone().unwrap_or_else(|| name.to_string());
    let key = format!("tile {tile}; {}", key_of_threads(by_warp));
    let colours = if by_warp {
        key_of_warps(&[&source.tv, &destination.tv])?
    } else {
        Vec::new()
    };
    if source.tv == destination.tv {
        let both = format!("{} and {}", source.name, destination.name);
        let grid = owners_grid(&both, &source.tv, tile, ["m", "n"], false, by_warp)?;
        let mut picture = Picture::of(title, grid);
        picture.notes = vec![key, format!("{both} {}", source.tv)];
        picture.key = colours;
        return Ok(picture);
    }
    let from = owners_grid(&source.name, &source.tv, tile, ["m", "n"], false, by_warp)?;
    let to = owners_grid(
        &destination.name,
        &destination.tv,
        tile,
        ["m", "n"],
        false,
        by_warp,
    )?;
    // Tall panels are side by side, wide ones one below the other.
    let wide = from.columns.len > 2 * from.rows.len && from.columns.len > 24;
    Ok(Picture {
        title,
        notes: vec![
            key,
            format!("{} {}", source.name, source.tv),
            format!("{} {}", destination.name, destination.tv),
        ],
        panels: if wide {
            vec![vec![Some(from)], vec![Some(to)]]
        } else {
            vec![vec![Some(from), Some(to)]]
        },
        key: colours,
    })
}
