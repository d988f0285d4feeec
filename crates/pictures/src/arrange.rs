//! Turns a picture into a drawing: gives every item a position and a size.
//!
//! ```text
//!   title
//!   +-- panel (0,0) --+ +-- panel (0,1) --+      a column's cells begin at one x, a row's at one y, and all
//!   +-- panel (1,0) --+ +-- panel (1,1) --+      panels share one cell size: M of A is beside M of C
//!   key
//! ```
//!
//! Laws: cells of a panel touch and do not overlap; every item lies inside the drawing. Every label
//! is written in full as long as the picture with its labels is at most about 1600 units wide and
//! 2000 high. In a larger picture the cells shrink, and the first cell of each block, whose extents
//! are powers of two, carries the label.

use crate::axes::{CHARACTER, NOTE, TICK, column_axis, margins, row_axis, text_width};
use crate::drawing::{Anchor, Drawing, Ink, Item, Weight};
use crate::grid::{Grid, Picture};
use crate::options::{Labels, Options};

const TITLE: f32 = 14.0;
const PAD: f32 = 14.0;
const GAP: f32 = 26.0;
const BAND: f32 = 6.0;

/// The sizes that all panels of a picture share.
struct Sizes {
    cell: (f32, f32),
    /// The height of the bands, or 0 if no cell has bands.
    band: f32,
    font: f32,
    /// The rows and columns of a block if only blocks carry labels, or `None` in any other case.
    block: Option<(usize, usize)>,
    labels: bool,
}

impl Sizes {
    fn of(picture: &Picture, options: &Options) -> Self {
        let (mut rows, mut columns, mut letters, mut lines) = (1, 1, 1, 1);
        for grid in picture.grids() {
            rows = rows.max(grid.rows.len);
            columns = columns.max(grid.columns.len);
            for cell in &grid.cells {
                lines = lines.max(cell.label.lines().count());
                for line in cell.label.lines() {
                    letters = letters.max(line.chars().count());
                }
            }
        }
        let font: f32 = match columns {
            0..=8 => 12.0,
            9..=20 => 11.0,
            21..=40 => 9.5,
            _ => 8.5,
        };
        let across = letters as f32 * CHARACTER;
        // Bands lie below the labels.
        let bands = picture.grids().flat_map(|grid| &grid.cells);
        let bands = if bands.into_iter().any(|cell| !cell.bands.is_empty()) {
            BAND
        } else {
            0.0
        };
        let width = (across * font + 8.0).max(if columns <= 20 { 34.0 } else { 18.0 });
        let height =
            (lines as f32 * font * 1.2 + 6.0).max(if rows <= 20 { 28.0 } else { 15.0 }) + bands;
        let wide = width * columns as f32 > 1600.0 || height * rows as f32 > 2000.0;
        let blocks = match options.labels {
            Labels::Auto => wide,
            Labels::Blocks => true,
            Labels::All | Labels::None => false,
        };
        if !blocks && options.labels != Labels::None {
            return Self {
                cell: (width, height),
                band: bands,
                font,
                block: None,
                labels: true,
            };
        }
        let font = 9.0;
        let needed = (across * font + 6.0, lines as f32 * font * 1.15 + 4.0);
        let side = |count: usize, most: f32| {
            (1024.0 / count as f32)
                .floor()
                .clamp(3.0, most.ceil().max(3.0))
        };
        let cell = (side(columns, needed.0), side(rows, needed.1));
        let blocks = |side: f32, needed: f32| {
            let mut block = 1;
            while block as f32 * side < needed {
                block *= 2;
            }
            block
        };
        let mut block = (blocks(cell.1, needed.1), blocks(cell.0, needed.0));
        if block.0 > 1 && block.1 > 1 {
            block = (block.0.max(block.1), block.0.max(block.1));
        }
        Self {
            cell,
            band: if bands > 0.0 { cell.1 / 2.0 } else { 0.0 },
            font,
            block: Some(block),
            labels: options.labels != Labels::None,
        }
    }
}

/// Cuts a text into lines of at most `most` characters, at a space or after a comma if possible.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > most.max(8) {
        let most = most.max(8);
        let cut = (most / 2..most)
            .rev()
            .find(|&i| rest[i] == ' ' || rest[i] == ',')
            .map_or(most, |i| i + 1);
        let tail = rest.split_off(cut);
        lines.push(rest.iter().collect::<String>().trim_end().to_string());
        rest = tail;
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// Places every item of a picture.
///
/// Precondition: every grid has as many cells as its axes state, as grids from [`Grid::new`] have.
pub fn arrange(picture: &Picture, options: &Options) -> Drawing {
    let sizes = Sizes::of(picture, options);
    let matrix_columns = picture.panels.iter().map(Vec::len).max().unwrap_or(0);
    // For each column: left margin, cells, right margin. For each row: top margin, cells, bottom
    // margin.
    let mut columns = vec![(0.0f32, 0.0f32, 0.0f32); matrix_columns];
    let mut rows = vec![(0.0f32, 0.0f32, 0.0f32); picture.panels.len()];
    for (row, panels) in picture.panels.iter().enumerate() {
        for (column, grid) in panels.iter().enumerate() {
            let Some(grid) = grid else { continue };
            let (left, top, right, bottom) = margins(grid);
            let caption =
                text_width(&grid.caption, NOTE).max(text_width(&grid.columns.name, TICK + 1.0));
            let cells = grid.columns.len as f32 * sizes.cell.0;
            let axis = text_width(&grid.rows.name, TICK + 1.0);
            let slot = &mut columns[column];
            *slot = (
                slot.0.max(left),
                slot.1.max(cells),
                slot.2.max(right).max(caption - cells),
            );
            let slot = &mut rows[row];
            let height = grid.rows.len as f32 * sizes.cell.1;
            *slot = (
                slot.0.max(top),
                slot.1.max(height),
                slot.2.max(bottom).max(axis - height),
            );
        }
    }
    let content: f32 = columns.iter().map(|c| c.0 + c.1 + c.2).sum::<f32>()
        + GAP * matrix_columns.saturating_sub(1) as f32;
    let inner = content.max(text_width(&picture.title, TITLE).min(440.0));
    let width = inner + 2.0 * PAD;
    let mut out = Drawing {
        width,
        height: 0.0,
        items: Vec::new(),
    };
    let mut y = PAD;
    let mut write = |y: &mut f32, text: &str, size: f32, ink: Ink| {
        for line in wrap(text, (inner / (size * CHARACTER)) as usize) {
            out.items.push(Item::Text {
                x: PAD,
                y: *y + size * 0.6,
                size,
                anchor: Anchor::Start,
                upwards: false,
                ink,
                text: line,
            });
            *y += size * 1.4;
        }
    };
    write(&mut y, &picture.title, TITLE, Ink::Title);
    for note in &picture.notes {
        write(&mut y, note, NOTE, Ink::Faint);
    }
    if sizes.labels
        && let Some((down, right)) = sizes.block.filter(|block| *block != (1, 1))
    {
        let note = format!("labels: the first cell of each block of {down} x {right}");
        write(&mut y, &note, NOTE, Ink::Faint);
    }
    y += 6.0;
    let mut index = 0;
    for (panels, slot) in picture.panels.iter().zip(&rows) {
        let mut x = PAD;
        for (panel, column) in panels.iter().zip(&columns) {
            if let Some(grid) = panel {
                out.items.push(Item::Panel { index });
                index += 1;
                place(&mut out.items, grid, &sizes, (x + column.0, y + slot.0));
            }
            x += column.0 + column.1 + column.2 + GAP;
        }
        y += slot.0 + slot.1 + slot.2 + GAP * 0.5;
    }
    y = key(&mut out.items, picture, inner, y);
    out.height = y + PAD;
    out
}

/// Draws the key of colours, with as many entries per line as fit.
fn key(items: &mut Vec<Item>, picture: &Picture, width: f32, mut y: f32) -> f32 {
    if picture.key.is_empty() {
        return y;
    }
    let mut x = 0.0;
    y += 4.0;
    for entry in &picture.key {
        let needed = 16.0 + text_width(&entry.text, 10.0) + 14.0;
        if x > 0.0 && x + needed > width + 14.0 {
            (x, y) = (0.0, y + 17.0);
        }
        items.push(Item::Swatch {
            x: PAD + x,
            y,
            size: 12.0,
            paint: entry.paint,
        });
        items.push(Item::Text {
            x: PAD + x + 16.0,
            y: y + 6.0,
            size: 10.0,
            anchor: Anchor::Start,
            upwards: false,
            ink: Ink::Plain,
            text: entry.text.clone(),
        });
        x += needed;
    }
    y + 16.0
}

/// Draws one panel, whose cells begin at `(x, y)`.
fn place(items: &mut Vec<Item>, grid: &Grid, sizes: &Sizes, (x, y): (f32, f32)) {
    let (w, h) = sizes.cell;
    let (rows, columns) = (grid.rows.len, grid.columns.len);
    for row in 0..rows {
        for column in 0..columns {
            items.push(Item::Cell {
                x: x + column as f32 * w,
                y: y + row as f32 * h,
                w,
                h,
                paint: grid.cell(row, column).paint,
                row,
                column,
            });
            let bands = &grid.cell(row, column).bands;
            let each = w / bands.len().max(1) as f32;
            for (i, paint) in bands.iter().enumerate() {
                items.push(Item::Band {
                    x: x + column as f32 * w + i as f32 * each,
                    y: y + (row + 1) as f32 * h - sizes.band,
                    w: each,
                    h: sizes.band,
                    paint: *paint,
                });
            }
        }
    }
    lines(items, grid, sizes, (x, y));
    if sizes.labels {
        labels(items, grid, sizes, (x, y));
    }
    column_axis(items, grid, w, (x, y));
    row_axis(items, grid, h, (x, y));
    let top = y - margins(grid).1;
    items.push(Item::Text {
        x,
        y: top + 8.0,
        size: NOTE,
        anchor: Anchor::Start,
        upwards: false,
        ink: Ink::Plain,
        text: grid.caption.clone(),
    });
}

fn weight(n: usize) -> Weight {
    if n > 1 { Weight::Outer } else { Weight::Group }
}

/// Draws the frame and the lines between groups; collinear lines that touch become one.
fn lines(items: &mut Vec<Item>, grid: &Grid, sizes: &Sizes, (x, y): (f32, f32)) {
    let (w, h) = sizes.cell;
    let (rows, columns) = (grid.rows.len, grid.columns.len);
    let mut runs = |count: usize,
                    weight_at: &dyn Fn(usize) -> usize,
                    line: &dyn Fn(usize, usize) -> ((f32, f32), (f32, f32))| {
        let mut begin = 0;
        for at in 1..=count {
            if at == count || weight_at(at) != weight_at(begin) {
                if weight_at(begin) > 0 {
                    let (from, to) = line(begin, at);
                    items.push(Item::Line {
                        from,
                        to,
                        weight: weight(weight_at(begin)),
                    });
                }
                begin = at;
            }
        }
    };
    for column in 1..columns {
        let at = x + column as f32 * w;
        runs(rows, &|row| grid.left_weight(row, column), &|a, b| {
            ((at, y + a as f32 * h), (at, y + b as f32 * h))
        });
    }
    for row in 1..rows {
        let at = y + row as f32 * h;
        runs(
            columns,
            &|column| grid.upper_weight(row, column),
            &|a, b| ((x + a as f32 * w, at), (x + b as f32 * w, at)),
        );
    }
    let (right, bottom) = (x + columns as f32 * w, y + rows as f32 * h);
    for (from, to) in [
        ((x, y), (right, y)),
        ((x, bottom), (right, bottom)),
        ((x, y), (x, bottom)),
        ((right, y), (right, bottom)),
    ] {
        items.push(Item::Line {
            from,
            to,
            weight: Weight::Group,
        });
    }
}

fn labels(items: &mut Vec<Item>, grid: &Grid, sizes: &Sizes, (x, y): (f32, f32)) {
    let (w, h) = sizes.cell;
    let block = sizes.block.unwrap_or((1, 1));
    for row in (0..grid.rows.len).step_by(block.0) {
        for column in (0..grid.columns.len).step_by(block.1) {
            let cell = grid.cell(row, column);
            let lines: Vec<&str> = cell.label.lines().collect();
            let pitch = sizes.font * 1.15;
            let (left, top) = (x + column as f32 * w, y + row as f32 * h);
            let (middle, first, ink, anchor) = if block != (1, 1) {
                // The label begins in the block's first cell and lies on a plate, as it crosses
                // other colours.
                let width = lines
                    .iter()
                    .map(|line| text_width(line, sizes.font))
                    .fold(0.0, f32::max);
                items.push(Item::Cover {
                    x: left + 1.0,
                    y: top + 1.0,
                    w: width + 3.0,
                    h: pitch * lines.len() as f32 + 1.0,
                });
                (
                    left + 2.5,
                    top + 1.0 + pitch / 2.0,
                    Ink::Plain,
                    Anchor::Start,
                )
            } else {
                let above = pitch * (lines.len().saturating_sub(1)) as f32 / 2.0;
                (
                    left + w / 2.0,
                    top + (h - sizes.band) / 2.0 - above,
                    Ink::On(cell.paint),
                    Anchor::Middle,
                )
            };
            for (i, line) in lines.iter().enumerate() {
                items.push(Item::Text {
                    x: middle,
                    y: first + pitch * i as f32,
                    size: sizes.font,
                    anchor,
                    upwards: false,
                    ink,
                    text: (*line).to_string(),
                });
            }
        }
    }
}
