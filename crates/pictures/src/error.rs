//! The reasons why a value has no picture: each states the value found and the values allowed.

use layout_types::dynamic::LayoutError;

/// The result of drawing.
pub type Result<T, E = DrawError> = core::result::Result<T, E>;

/// The reason why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// The picture would have more cells than a picture can hold.
    #[error("{what} has {cells} cells, a picture at most {most}")]
    TooLarge {
        /// The layout or the tile.
        what: String,
        /// The number of its cells.
        cells: i64,
        /// The largest number of cells that is drawn.
        most: i64,
    },
    /// A thread-value layout maps to an offset outside its tile.
    #[error("{layout} reaches {offset}, outside the tile {tile} of {size} cells")]
    OutsideTile {
        /// The thread-value layout.
        layout: String,
        /// The offset outside the tile.
        offset: i64,
        /// The tile's shape.
        tile: String,
        /// The tile's size.
        size: i64,
    },
    /// A thread-value layout has no mode of threads or no mode of values.
    #[error(
        "{layout} has {rank} modes: a thread-value layout has two or more, the threads and the values"
    )]
    NotThreadValue {
        /// The layout.
        layout: String,
        /// The number of its modes.
        rank: usize,
    },
    /// The picture cannot use a number.
    #[error("{what} is {found}: it is from {least} to {most}")]
    Number {
        /// The quantity that the number specifies.
        what: &'static str,
        /// The number that was given.
        found: i64,
        /// The smallest number that is allowed.
        least: i64,
        /// The largest number that is allowed.
        most: i64,
    },
    /// The value is not a layout, atom, tiling or swizzle.
    #[error(
        "{value} is {kind}: drawn are layouts, thread-value layouts, atoms, tiled MMAs and copies, swizzles, boxes and operands of wgmma"
    )]
    NotDrawable {
        /// The kind of the value.
        kind: &'static str,
        /// The value.
        value: String,
    },
    /// A tiled MMA or copy has no layout for one of its sides.
    #[error("{0}")]
    NotTileable(String),
    /// The layout has no offset at a coordinate, or the offset does not fit.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The PNG cannot be made.
    #[error("a PNG of {width} by {height} pixels: {reason}")]
    Png {
        /// The number of pixels across.
        width: u32,
        /// The number of pixels down.
        height: u32,
        /// The encoder's message.
        reason: String,
    },
}
