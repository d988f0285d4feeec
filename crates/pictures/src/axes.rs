//! The axes of a panel: ticks, levels of nested modes, and names.
//!
//! ```text
//!              n (elements)
//!              0         1       mode n.1     a nested mode: positions, name at the end
//!              0    1    0    1  mode n.0
//!              0    1    2    3          the index
//! ```
//!
//! If ticks would touch, only every 2^n-th tick is drawn.

use crate::drawing::{Anchor, Ink, Item};
use crate::grid::{Axis, Grid, Level};

/// The width of a character relative to the size of its font, for DejaVu Sans Mono and nearly every
/// other monospace font.
pub(crate) const CHARACTER: f32 = 0.602;
/// The font size of captions.
pub(crate) const NOTE: f32 = 11.0;
/// The font size of ticks.
pub(crate) const TICK: f32 = 9.0;

/// Returns the width of a text.
pub(crate) fn text_width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * CHARACTER * size
}

/// Returns the margins that a panel needs around its cells: left, top, right, bottom.
pub(crate) fn margins(grid: &Grid) -> (f32, f32, f32, f32) {
    let row_digits = tick_text(&grid.rows, grid.rows.len.saturating_sub(1)).len();
    let levels = |axis: &Axis| axis.levels.len() as f32;
    let left = 18.0
        + row_digits as f32 * TICK * CHARACTER
        + 6.0
        + grid.rows.levels.iter().map(level_width).sum::<f32>();
    let top = 17.0 + 15.0 + 12.0 * (1.0 + levels(&grid.columns)) + 3.0;
    let right = grid
        .columns
        .levels
        .iter()
        .map(|level| text_width(&mode_name(level), TICK))
        .fold(0.0, f32::max);
    (left, top, right + 4.0, 0.0)
}

/// Returns the name of the nested mode whose coordinates a row of ticks shows. Only columns show
/// this name: the ticks of rows are in the same order from the cells outwards, and have no space
/// for it.
fn mode_name(level: &Level) -> String {
    format!("mode {}", level.name)
}

fn level_width(level: &Level) -> f32 {
    let digits = (level.extent - 1).to_string().len();
    digits as f32 * TICK * CHARACTER + 5.0
}

fn tick_text(axis: &Axis, at: usize) -> String {
    (axis.start + at as i64 * axis.step).to_string()
}

/// Returns the smallest power of two by which to thin out ticks so that ticks of width `room` do
/// not touch.
fn tick_step(room: f32, pitch: f32) -> usize {
    let mut step = 1;
    while pitch * (step as f32) < room {
        step *= 2;
    }
    step
}

fn tick(items: &mut Vec<Item>, x: f32, y: f32, anchor: Anchor, text: String) {
    items.push(Item::Text {
        x,
        y,
        size: TICK,
        anchor,
        upwards: false,
        ink: Ink::Faint,
        text,
    });
}

/// Draws the axis above a panel whose cells begin at `(x, y)` and are `w` wide.
pub(crate) fn column_axis(items: &mut Vec<Item>, grid: &Grid, w: f32, (x, y): (f32, f32)) {
    let axis = &grid.columns;
    let widest = text_width(&tick_text(axis, axis.len - 1), TICK) + 3.0;
    let step = tick_step(widest, w);
    for at in (0..axis.len).step_by(step) {
        tick(
            items,
            x + (at as f32 + 0.5) * w,
            y - 8.0,
            Anchor::Middle,
            tick_text(axis, at),
        );
    }
    let mut line = y - 8.0;
    for level in &axis.levels {
        line -= 12.0;
        let pitch = w * level.span as f32;
        let step = tick_step(
            (level.extent - 1).to_string().len() as f32 * TICK * CHARACTER + 3.0,
            pitch,
        );
        for at in (0..axis.len / level.span).filter(|at| (at % level.extent).is_multiple_of(step)) {
            let text = (at % level.extent).to_string();
            tick(
                items,
                x + (at as f32 + 0.5) * pitch,
                line,
                Anchor::Middle,
                text,
            );
        }
        tick(
            items,
            x + axis.len as f32 * w + 4.0,
            line,
            Anchor::Start,
            mode_name(level),
        );
    }
    items.push(Item::Text {
        x,
        y: line - 14.0,
        size: TICK + 1.0,
        anchor: Anchor::Start,
        upwards: false,
        ink: Ink::Faint,
        text: axis.name.clone(),
    });
}

/// Draws the axis left of a panel whose cells begin at `(x, y)` and are `h` high.
pub(crate) fn row_axis(items: &mut Vec<Item>, grid: &Grid, h: f32, (x, y): (f32, f32)) {
    let axis = &grid.rows;
    let step = tick_step(TICK + 1.0, h);
    for at in (0..axis.len).step_by(step) {
        tick(
            items,
            x - 5.0,
            y + (at as f32 + 0.5) * h,
            Anchor::End,
            tick_text(axis, at),
        );
    }
    let mut right = x - 5.0 - text_width(&tick_text(axis, axis.len - 1), TICK) - 5.0;
    for level in &axis.levels {
        let pitch = h * level.span as f32;
        let step = tick_step(TICK + 1.0, pitch);
        for at in (0..axis.len / level.span).filter(|at| (at % level.extent).is_multiple_of(step)) {
            let text = (at % level.extent).to_string();
            tick(
                items,
                right,
                y + (at as f32 + 0.5) * pitch,
                Anchor::End,
                text,
            );
        }
        right -= level_width(level);
    }
    items.push(Item::Text {
        x: right - 6.0,
        y,
        size: TICK + 1.0,
        anchor: Anchor::End,
        upwards: true,
        ink: Ink::Faint,
        text: axis.name.clone(),
    });
}
