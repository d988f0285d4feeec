//! Draws pictures of layouts.
//!
//! ```text
//!   text ─ draw_expression ─┐
//!   Value ─ draw ───────────┴► kinds::layout, mma, .. ─► Picture: grids of cells with axes, groups and facts
//!                                                    │
//!                         terminal::render  ◄────────┤
//!                                                    ▼
//!                                             Drawing: rectangles, lines and text with coordinates
//!                                                    │
//!                                     svg::render ◄──┼──► png::render
//!                                                    ▼
//!                                             latex::render
//! ```
//!
//! Law: every cell of a picture is drawn once, at its coordinate, and carries the offset that the
//! layout computes there. The renderers draw the whole picture and nothing else. If labels would
//! not be legible, only the first cell of each block carries one; the axes and colours remain.
//!
//! ```
//! use pictures::{Options, kinds, svg, terminal};
//! let layout = "(4,8):(8,1)".parse().unwrap();
//! let picture = kinds::layout(&layout, &Options::default()).unwrap();
//! assert!(svg::render(&picture, &Options::default()).starts_with("<svg "));
//! print!("{}", terminal::render(&picture, &Options::default()));
//! ```

mod arrange;
mod axes;
mod drawing;
mod error;
mod expression;
mod format;
mod grid;
pub mod kinds;
pub mod latex;
mod options;
mod palette;
#[cfg(feature = "png")]
pub mod png;
pub mod svg;
pub mod terminal;
mod values;

pub use arrange::arrange;
pub use drawing::{Anchor, Drawing, Ink, Item, Weight};
pub use error::{DrawError, Result};
pub use expression::{ExpressionError, draw_expression};
pub use format::{Format, render};
pub use grid::{Axis, Cell, Facts, Grid, Key, Level, Picture};
pub use options::{ColourBy, Labels, Options, Theme};
pub use palette::{Mode, Paint, Rgb, contrast};
pub use values::draw;
