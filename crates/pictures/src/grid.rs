//! The content of a picture: grids of cells with axes, side by side and one below the other.
//!
//! ```text
//!            caption
//!              n  mode 1 (columns)
//!              0    1    2          <- ticks
//!   m     0  [ 0][ 3][ 6]
//!   mode 0 1 [ 1][ 4][ 7]           a cell: label, paint, group, facts
//! ```
//!
//! A picture has no sizes and no screen colours; the renderers choose them.

use crate::palette::Paint;
use layout_types::dynamic::{IntTuple, Nested};

/// The content of a picture: a matrix of grids, a title and a key of colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The title: the notation, or another name.
    pub title: String,
    /// Lines below the title.
    pub notes: Vec<String>,
    /// The grids by row and column; an entry may be empty.
    pub panels: Vec<Vec<Option<Grid>>>,
    /// The meaning of the colours.
    pub key: Vec<Key>,
}

/// One entry of a picture's key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The colour.
    pub paint: Paint,
    /// The meaning of the colour.
    pub text: String,
}

/// A rectangle of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The caption, which says what the grid shows.
    pub caption: String,
    /// The axis that runs down.
    pub rows: Axis,
    /// The axis that runs to the right.
    pub columns: Axis,
    /// The `rows.len * columns.len` cells, row by row.
    pub cells: Vec<Cell>,
}

/// An axis: its name, its unit and the positions on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity that the axis counts, with its unit.
    pub name: String,
    /// The number of positions.
    pub len: usize,
    /// The difference between the ticks of neighbouring positions: 1, or the elements of a vector.
    pub step: i64,
    /// The first position's tick.
    pub start: i64,
    /// The levels of a nested mode, the innermost first.
    pub levels: Vec<Level>,
}

/// A mode inside a mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The name of the mode: `0.1` is mode 1 of mode 0.
    pub name: String,
    /// The extent of the mode.
    pub extent: usize,
    /// The positions that one step of this mode covers.
    pub span: usize,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The label, which has one or two lines.
    pub label: String,
    /// The colour of the cell.
    pub paint: Paint,
    /// The colours of further owners, such as the other warps that hold the cell. They are drawn as
    /// bands at the lower edge of the cell.
    pub bands: Vec<Paint>,
    /// The group of the cell; a heavy line separates cells of different groups.
    pub group: u32,
    /// Facts about the cell.
    pub facts: Facts,
}

impl Cell {
    /// Returns an entry of the grid without an element.
    pub(crate) fn void() -> Self {
        Self {
            paint: Paint::Void,
            ..Self::default()
        }
    }
}

/// Facts about a cell, for readers that point at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The coordinate of the cell in the layout's own notation.
    pub coordinate: String,
    /// The layout's offset at this coordinate: an integer, or a coordinate if strides name modes.
    pub offset: Option<String>,
    /// The bank of shared memory, 0 to 31.
    pub bank: Option<i64>,
    /// The (thread, value) pairs that hold the cell.
    pub owners: Vec<(i64, i64)>,
    /// Further facts, in words.
    pub note: String,
}

impl Axis {
    /// Returns an axis without levels, whose ticks are `0..len`.
    pub fn plain(name: impl Into<String>, len: usize) -> Self {
        Self {
            name: name.into(),
            len,
            step: 1,
            start: 0,
            levels: Vec::new(),
        }
    }

    /// Returns the axis of a mode of a layout; `prefix` names the mode, as `0`.
    ///
    /// Precondition: the product of the extents is a `usize`. A mode with at most one extent above
    /// 1 has no levels.
    pub fn of_mode(name: impl Into<String>, shape: &IntTuple, prefix: &str) -> Self {
        fn walk(shape: &IntTuple, name: String, span: &mut usize, out: &mut Vec<Level>) {
            match shape {
                Nested::Leaf(extent) => {
                    let extent = usize::try_from(*extent).unwrap_or(1);
                    if extent > 1 {
                        out.push(Level {
                            name,
                            extent,
                            span: *span,
                        });
                    }
                    *span *= extent;
                }
                Nested::Tuple(modes) => {
                    for (i, mode) in modes.iter().enumerate() {
                        walk(mode, format!("{name}.{i}"), span, out);
                    }
                }
            }
        }
        let (mut levels, mut len) = (Vec::new(), 1);
        walk(shape, prefix.into(), &mut len, &mut levels);
        if levels.len() < 2 {
            levels.clear();
        }
        Self {
            levels,
            ..Self::plain(name, len)
        }
    }

    /// Returns the weight of the line before position `at`: 0 inside the innermost mode, `n` if the
    /// `n`-th mode advances at `at`.
    pub fn weight(&self, at: usize) -> usize {
        if at == 0 || at >= self.len {
            return 0;
        }
        self.levels
            .iter()
            .skip(1)
            .filter(|level| at.is_multiple_of(level.span))
            .count()
    }
}

impl Grid {
    /// Makes a grid from a function of row and column.
    pub fn new(
        caption: impl Into<String>,
        rows: Axis,
        columns: Axis,
        mut cell: impl FnMut(usize, usize) -> Cell,
    ) -> Self {
        let mut cells = Vec::with_capacity(rows.len * columns.len);
        for row in 0..rows.len {
            for column in 0..columns.len {
                cells.push(cell(row, column));
            }
        }
        Self {
            caption: caption.into(),
            rows,
            columns,
            cells,
        }
    }

    /// Returns the cell at a row and a column.
    pub fn cell(&self, row: usize, column: usize) -> &Cell {
        &self.cells[row * self.columns.len + column]
    }

    /// Returns the weight of the line to the left of a cell: 0 for a hairline, 1 between groups,
    /// more between groups of outer modes.
    pub fn left_weight(&self, row: usize, column: usize) -> usize {
        if column == 0 {
            return 0;
        }
        let differ = self.cell(row, column).group != self.cell(row, column - 1).group;
        self.columns.weight(column).max(usize::from(differ))
    }

    /// Returns the weight of the line above a cell.
    pub fn upper_weight(&self, row: usize, column: usize) -> usize {
        if row == 0 {
            return 0;
        }
        let differ = self.cell(row, column).group != self.cell(row - 1, column).group;
        self.rows.weight(row).max(usize::from(differ))
    }
}

impl Picture {
    /// Makes a picture of one grid.
    pub fn of(title: impl Into<String>, grid: Grid) -> Self {
        Self {
            title: title.into(),
            panels: vec![vec![Some(grid)]],
            ..Self::default()
        }
    }

    /// Returns the grids, row by row.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.panels.iter().flatten().flatten()
    }

    /// Puts grids that are side by side below each other. A picture with several rows of grids does
    /// not change.
    ///
    /// ```
    /// use pictures::{Options, draw_expression};
    /// let picture = draw_expression("Sw<2,3,3> o (8,32):(32,1)", &Options::default()).unwrap();
    /// let grids = picture.grids().count();
    /// assert_eq!(picture.stacked().grids().count(), grids);
    /// ```
    #[must_use]
    pub fn stacked(mut self) -> Self {
        if let [_] = self.panels[..]
            && let Some(row) = self.panels.pop()
        {
            self.panels = row.into_iter().map(|panel| vec![panel]).collect();
        }
        self
    }
}
