//! A picture with coordinates: rectangles, lines and text in units of about a pixel, with the
//! origin at the top left.

use crate::palette::Paint;

/// Where the anchor of a text is along its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// What a text is for.
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

/// How heavy a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Between cells.
    Hair,
    /// Between groups.
    Group,
    /// Around all, and between the groups of outer modes.
    Outer,
}

impl Weight {
    /// The width of the line.
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
        /// Left.
        x: f32,
        /// Top.
        y: f32,
        /// Width.
        w: f32,
        /// Height.
        h: f32,
        /// Its colour.
        paint: Paint,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A coloured part of the preceding cell, for one more owner of the cell.
    Band {
        /// Left.
        x: f32,
        /// Top.
        y: f32,
        /// Width.
        w: f32,
        /// Height.
        h: f32,
        /// Its colour.
        paint: Paint,
    },
    /// A field of the key.
    Swatch {
        /// Left.
        x: f32,
        /// Top.
        y: f32,
        /// Width and height.
        size: f32,
        /// Its colour.
        paint: Paint,
    },
    /// A plate of paper under a label that crosses several colours.
    Cover {
        /// Left.
        x: f32,
        /// Top.
        y: f32,
        /// Width.
        w: f32,
        /// Height.
        h: f32,
    },
    /// A horizontal or vertical line.
    Line {
        /// The first end.
        from: (f32, f32),
        /// The second end.
        to: (f32, f32),
        /// How heavy the line is.
        weight: Weight,
    },
    /// A line of text.
    Text {
        /// The position of the anchor.
        x: f32,
        /// The middle of its height.
        y: f32,
        /// The size of its font.
        size: f32,
        /// Which point of the text the anchor is.
        anchor: Anchor,
        /// Whether the text runs upwards.
        upwards: bool,
        /// What the text is for.
        ink: Ink,
        /// The characters.
        text: String,
    },
}

/// A picture with coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// The items, in the order in which they are drawn.
    pub items: Vec<Item>,
}
