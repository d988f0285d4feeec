//! Why there is no picture: what was found, and what would have been allowed.

use layout_types::dynamic::LayoutError;

/// The result of drawing.
pub type Result<T, E = DrawError> = core::result::Result<T, E>;

/// A picture that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// More cells than a picture holds.
    #[error("{what} has {cells} cells, a picture at most {most}")]
    TooLarge {
        /// The layout or the tile.
        what: String,
        /// Its cells.
        cells: i64,
        /// The most that are drawn.
        most: i64,
    },
    /// A thread-value layout that leaves its tile.
    #[error("{layout} reaches {offset}, outside the tile {tile} of {size} cells")]
    OutsideTile {
        /// The thread-value layout.
        layout: String,
        /// Where it points to.
        offset: i64,
        /// The tile's shape.
        tile: String,
        /// The tile's size.
        size: i64,
    },
    /// A thread-value layout without a mode of threads and a mode of values.
    #[error(
        "{layout} has {rank} modes: a thread-value layout has two or more, the threads and the values"
    )]
    NotThreadValue {
        /// The layout.
        layout: String,
        /// Its modes.
        rank: usize,
    },
    /// A number that a picture cannot use.
    #[error("{what} is {found}: it is from {least} to {most}")]
    Number {
        /// What it stands for.
        what: &'static str,
        /// What was given.
        found: i64,
        /// The smallest that is drawn.
        least: i64,
        /// The largest that is drawn.
        most: i64,
    },
    /// A value that is no layout, atom, tiling or swizzle.
    #[error(
        "{value} is {kind}: drawn are layouts, thread-value layouts, atoms, tiled MMAs and copies, swizzles, boxes and operands of wgmma"
    )]
    NotDrawable {
        /// What it is.
        kind: &'static str,
        /// The value.
        value: String,
    },
    /// A tiled MMA or copy that has no layout for one of its sides.
    #[error("{0}")]
    NotTileable(String),
    /// The layout has no offset there, or not one that fits.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The pixels could not be had.
    #[error("a PNG of {width} by {height} pixels: {reason}")]
    Png {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// What the encoder says.
        reason: String,
    },
}
