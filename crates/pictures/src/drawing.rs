//! A picture with coordinates: rectangles, lines and text in units of about a pixel, with the
//! origin at the top left.

use crate::palette::Paint;

/// The point of a text that lies at the text's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The position is the beginning of the text.
    Start,
    /// The position is the middle of the text.
    Middle,
    /// The position is the end of the text.
    End,
}

/// The role of a text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The title.
    Title,
    /// Text on paper.
    Plain,
    /// Ticks and names.
    Faint,
    /// A label on a coloured cell.
    On(Paint),
}

/// The weight of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The line is between cells.
    Hair,
    /// The line is between groups.
    Group,
    /// The line is around all cells, or between the groups of outer modes.
    Outer,
}

impl Weight {
    /// Returns the width of the line.
    pub fn width(self) -> f32 {
        match self {
            Self::Hair => 0.5,
            Self::Group => 1.4,
            Self::Outer => 2.4,
        }
    }
}

/// One item of a drawing, with its position.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Begins a panel: the cells up to the next `Panel` belong to this grid.
    Panel {
        /// The index of the grid in the order of [`Picture::grids`](crate::Picture::grids).
        index: usize,
    },
    /// A cell of the panel.
    Cell {
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// The width.
        w: f32,
        /// The height.
        h: f32,
        /// The colour of the cell.
        paint: Paint,
        /// The row of the cell.
        row: usize,
        /// The column of the cell.
        column: usize,
    },
    /// A coloured part of the preceding cell, for one more owner of the cell.
    Band {
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// The width.
        w: f32,
        /// The height.
        h: f32,
        /// The colour of the band.
        paint: Paint,
    },
    /// A field of the key.
    Swatch {
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// The width and height.
        size: f32,
        /// The colour of the field.
        paint: Paint,
    },
    /// A plate of paper under a label that crosses several colours.
    Cover {
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// The width.
        w: f32,
        /// The height.
        h: f32,
    },
    /// A horizontal or vertical line.
    Line {
        /// The first end.
        from: (f32, f32),
        /// The second end.
        to: (f32, f32),
        /// The weight of the line.
        weight: Weight,
    },
    /// A line of text.
    Text {
        /// The position of the anchor.
        x: f32,
        /// The middle of the text's height.
        y: f32,
        /// The size of the text's font.
        size: f32,
        /// The point of the text that lies at `x`.
        anchor: Anchor,
        /// Whether the text runs upwards.
        upwards: bool,
        /// The role of the text.
        ink: Ink,
        /// The characters.
        text: String,
    },
}

/// A picture with coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The width of the drawing.
    pub width: f32,
    /// The height of the drawing.
    pub height: f32,
    /// The items, in the order in which they are drawn.
    pub items: Vec<Item>,
}
