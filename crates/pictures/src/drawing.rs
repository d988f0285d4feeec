//! A picture with places: rectangles, lines and text in units of about a pixel, the origin top
//! left.

use crate::palette::Paint;

/// Where a text's anchor is along its line.
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
    /// A label on a paint.
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
    /// Its width.
    pub fn width(self) -> f32 {
        match self {
            Self::Hair => 0.5,
            Self::Group => 1.4,
            Self::Outer => 2.4,
        }
    }
}

/// One thing at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A panel begins: the cells up to the next one are of this grid.
    Panel {
        /// Which, as [`Picture::grids`](crate::Picture::grids) counts.
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
    /// A part of the cell before it, for one more thing that it belongs to.
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
    /// A line, level or upright.
    Line {
        /// From.
        from: (f32, f32),
        /// To.
        to: (f32, f32),
        /// How heavy.
        weight: Weight,
    },
    /// A line of text.
    Text {
        /// Where its anchor stands.
        x: f32,
        /// The middle of its height.
        y: f32,
        /// The size of its font.
        size: f32,
        /// Where the anchor is.
        anchor: Anchor,
        /// Written upwards.
        upwards: bool,
        /// What it is for.
        ink: Ink,
        /// What it says.
        text: String,
    },
}

/// A picture with places.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// What is drawn, in this order.
    pub items: Vec<Item>,
}
