//! Draws a picture in the terminal: labels on coloured fields, or only coloured fields if labels do
//! not fit.
//!
//! ```text
//!        0  1  2  3
//!     0  0  4│ 8 12       │ and ─ stand between groups
//!     1  1  5│ 9 13
//!       ─────┼──────
//!     2  2  6│10 14
//! ```
//!
//! Law: without colour the text holds no escape sequence. A grid that is wider than
//! [`Options::terminal_columns`] is drawn with one character per cell and no labels. If that is
//! still too wide, the grid is cut, and the last line says how much is missing.

use crate::grid::{Grid, Picture};
use crate::options::{Options, Theme};
use crate::palette::{Mode, Paint, Rgb};
use anstyle::{Color, RgbColor, Style};
use std::fmt::Write;

/// Renders the picture as text.
///
/// ```
/// use pictures::{Options, kinds, terminal};
/// let options = Options { terminal_colour: false, ..Options::default() };
/// let layout = "(2,3):(3,1)".parse().unwrap();
/// let text = terminal::render(&kinds::layout(&layout, &options).unwrap(), &options);
/// assert!(text.contains("0  0 1 2\n"), "{text}");
/// ```
pub fn render(picture: &Picture, options: &Options) -> String {
    let mode = match options.theme {
        // Most terminals are dark; the ink of a label is chosen by the colour of its field.
        Theme::Auto | Theme::Dark => Mode::Dark,
        Theme::Light => Mode::Light,
    };
    let paints = Paints {
        mode,
        colour: options.terminal_colour,
    };
    let mut out = String::new();
    let _ = writeln!(out, "{}", paints.bold(&picture.title));
    for note in &picture.notes {
        let _ = writeln!(out, "{note}");
    }
    for panels in &picture.panels {
        let blocks: Vec<Block> = panels
            .iter()
            .flatten()
            .map(|grid| block(grid, options, &paints))
            .collect();
        let width: usize = blocks.iter().map(|block| block.width + 3).sum();
        if blocks.len() > 1 && width <= options.terminal_columns + 3 {
            out.push('\n');
            let height = blocks
                .iter()
                .map(|block| block.lines.len())
                .max()
                .unwrap_or(0);
            for line in 0..height {
                let mut row = String::new();
                for block in &blocks {
                    match block.lines.get(line) {
                        Some((text, wide)) => {
                            row.push_str(text);
                            row.push_str(&" ".repeat(block.width - wide + 3));
                        }
                        None => row.push_str(&" ".repeat(block.width + 3)),
                    }
                }
                let _ = writeln!(out, "{}", row.trim_end_matches(' '));
            }
        } else {
            for block in &blocks {
                out.push('\n');
                for (text, _) in &block.lines {
                    let _ = writeln!(out, "{}", text.trim_end_matches(' '));
                }
            }
        }
    }
    if !picture.key.is_empty() {
        out.push('\n');
        let entries: Vec<String> = picture
            .key
            .iter()
            .map(|entry| match paints.colour {
                true => format!("{} {}", paints.field(entry.paint, "  "), entry.text),
                false => entry.text.clone(),
            })
            .collect();
        for line in entries.chunks(8) {
            let _ = writeln!(out, "{}", line.join("  "));
        }
    }
    out
}

struct Paints {
    mode: Mode,
    colour: bool,
}

impl Paints {
    fn field(&self, paint: Paint, text: &str) -> String {
        if !self.colour || paint == Paint::Blank {
            return text.to_string();
        }
        let rgb = |rgb: Rgb| Some(Color::Rgb(RgbColor(rgb.0, rgb.1, rgb.2)));
        let style = Style::new()
            .bg_color(rgb(self.mode.fill(paint)))
            .fg_color(rgb(self.mode.ink_on(paint)));
        format!("{style}{text}{style:#}")
    }

    fn bold(&self, text: &str) -> String {
        if !self.colour {
            return text.to_string();
        }
        let style = Style::new().bold();
        format!("{style}{text}{style:#}")
    }
}

/// Lines, each with its width on the screen.
struct Block {
    lines: Vec<(String, usize)>,
    width: usize,
}

impl Block {
    fn push(&mut self, text: String, width: usize) {
        self.width = self.width.max(width);
        self.lines.push((text, width));
    }

    fn say(&mut self, text: &str, most: usize) {
        let text: String = text.chars().take(most.max(20)).collect();
        let width = text.chars().count();
        self.push(text, width);
    }
}

/// Whether any row has a line before this column.
fn separated(grid: &Grid, column: usize) -> bool {
    (0..grid.rows.len).any(|row| grid.left_weight(row, column) > 0)
}

/// Returns the character at which lines meet, given whether there is a line up, down, left and
/// right.
fn crossing(arms: (bool, bool, bool, bool)) -> char {
    match arms {
        (false, false, false, false) => ' ',
        (false, false, ..) => '─',
        (_, _, false, false) => '│',
        (false, true, false, true) => '┌',
        (false, true, true, false) => '┐',
        (true, false, false, true) => '└',
        (true, false, true, false) => '┘',
        (true, true, false, true) => '├',
        (true, true, true, false) => '┤',
        (false, true, true, true) => '┬',
        (true, false, true, true) => '┴',
        (true, true, true, true) => '┼',
    }
}

fn block(grid: &Grid, options: &Options, paints: &Paints) -> Block {
    let label = |row, column| grid.cell(row, column).label.replace('\n', " ");
    let widest = grid
        .cells
        .iter()
        .map(|cell| cell.label.replace('\n', " ").chars().count())
        .max()
        .unwrap_or(1)
        .max(1);
    let tick =
        |axis: &crate::grid::Axis, at: usize| (axis.start + at as i64 * axis.step).to_string();
    let margin = (0..grid.rows.len)
        .map(|row| tick(&grid.rows, row).len())
        .max()
        .unwrap_or(1);
    let separators: Vec<bool> = (0..grid.columns.len)
        .map(|column| separated(grid, column))
        .collect();
    let lines = separators.iter().filter(|separator| **separator).count();
    let room = options.terminal_columns.saturating_sub(margin + 2);
    let full = widest.max(tick(&grid.columns, grid.columns.len - 1).len());
    let labels = (full + 1) * grid.columns.len + lines <= room || !options.terminal_colour;
    let cell = if labels { full } else { 1 };
    let pitch = if labels { cell + 1 } else { 1 };
    let shown = if labels && !options.terminal_colour {
        grid.columns.len
    } else {
        // Each line between groups takes one character, but only if there are labels.
        grid.columns.len.min(room / pitch)
    };
    let mut block = Block {
        lines: Vec::new(),
        width: 0,
    };
    block.say(&grid.caption, room);
    for (what, axis) in [("down: ", &grid.rows), ("right: ", &grid.columns)] {
        if !axis.name.is_empty() {
            block.say(&format!("{what}{}", axis.name), room);
        }
    }
    let mut head = " ".repeat(margin + 2);
    let step = (1..)
        .map(|power| 1 << (power - 1))
        .find(|step| step * pitch > full)
        .unwrap_or(1);
    for column in (0..shown).step_by(if labels { 1 } else { step }) {
        if labels {
            if separators[column] {
                head.push(' ');
            }
            let _ = write!(head, "{:>cell$} ", tick(&grid.columns, column));
        } else {
            let _ = write!(head, "{:<step$}", tick(&grid.columns, column));
        }
    }
    let width = head.chars().count();
    block.push(head, width);
    for row in 0..grid.rows.len {
        if labels && (0..shown).any(|column| grid.upper_weight(row, column) > 0) {
            let mut line = " ".repeat(margin + 1);
            for (column, separated) in separators.iter().enumerate().take(shown) {
                let here = grid.upper_weight(row, column) > 0;
                if *separated {
                    let arms = (
                        grid.left_weight(row - 1, column) > 0,
                        grid.left_weight(row, column) > 0,
                        column > 0 && grid.upper_weight(row, column - 1) > 0,
                        here,
                    );
                    line.push(crossing(arms));
                }
                let dash = if here { "─" } else { " " };
                line.push_str(&dash.repeat(pitch));
            }
            let width = line.chars().count();
            block.push(line, width);
        }
        let mut line = format!("{:>margin$} ", tick(&grid.rows, row));
        let mut width = margin + 1;
        for (column, separated) in separators.iter().enumerate().take(shown) {
            let paint = grid.cell(row, column).paint;
            if labels {
                if *separated {
                    line.push(if grid.left_weight(row, column) > 0 {
                        '│'
                    } else {
                        ' '
                    });
                    width += 1;
                }
                line.push_str(&paints.field(paint, &format!(" {:>cell$}", label(row, column))));
            } else {
                line.push_str(&paints.field(paint, " "));
            }
            width += pitch;
        }
        block.push(line, width);
    }
    if shown < grid.columns.len {
        block.say(
            &format!("{} more columns to the right", grid.columns.len - shown),
            room,
        );
    }
    block
}
