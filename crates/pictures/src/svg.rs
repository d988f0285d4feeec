//! Renders a picture as SVG: text stays text, and with [`Theme::Auto`] colours follow the reader's
//! system.
//!
//! ```text
//!   <g class="panel" data-panel="0" data-rows="4" data-columns="8">
//!     <rect class="c0" x y width height data-r="1" data-c="2" data-k="(1,2)" data-o="10"/>   one per cell
//! ```
//!
//! Law: every cell of the picture is one `rect` with its row, column, coordinate and offset as
//! `data-` attributes, so the picture can be read back. A picture of up to 400 cells also has a
//! tooltip for each cell.

use crate::arrange::arrange;
use crate::drawing::{Anchor, Ink, Item, Weight};
use crate::grid::{Facts, Grid, Picture};
use crate::options::{Options, Theme};
use crate::palette::{Mode, Paint};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The largest number of cells with tooltips; with more cells the file would be mostly tooltips.
const TOOLTIPS: usize = 400;

/// Returns the width and height of the picture that [`render`] draws, in units of the drawing.
///
/// ```
/// use pictures::{Options, kinds, svg};
/// let layout = "(2,64):(64,1)".parse().unwrap();
/// let (width, height) = svg::size(&kinds::layout(&layout, &Options::default()).unwrap(), &Options::default());
/// assert!(width > height);
/// ```
pub fn size(picture: &Picture, options: &Options) -> (f32, f32) {
    let drawing = arrange(picture, options);
    (drawing.width, drawing.height)
}

/// Renders the picture as one SVG element, with its own style sheet and no external reference.
///
/// ```
/// use pictures::{Options, kinds, svg};
/// let layout = "4:2".parse().unwrap();
/// let text = svg::render(&kinds::layout(&layout, &Options::default()).unwrap(), &Options::default());
/// assert_eq!(text.matches("data-o=").count(), 4);
/// ```
pub fn render(picture: &Picture, options: &Options) -> String {
    let drawing = arrange(picture, options);
    let grids: Vec<&Grid> = picture.grids().collect();
    let tooltips = grids.iter().map(|grid| grid.cells.len()).sum::<usize>() <= TOOLTIPS;
    let (width, height) = (number(drawing.width), number(drawing.height));
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cutlet\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<style>\n{}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
        escape(&picture.title),
        style(&drawing.items, options.theme),
    );
    let mut panel = 0;
    let mut open = false;
    for item in &drawing.items {
        // The key is not part of a panel.
        if open && matches!(item, Item::Panel { .. } | Item::Swatch { .. }) {
            out.push_str("</g>\n");
            open = false;
        }
        match item {
            Item::Panel { index } => {
                (open, panel) = (true, *index);
                let grid = grids[panel];
                let _ = writeln!(
                    out,
                    "<g class=\"panel\" data-panel=\"{panel}\" data-rows=\"{}\" data-columns=\"{}\" data-caption=\"{}\">",
                    grid.rows.len,
                    grid.columns.len,
                    escape(&grid.caption),
                );
            }
            Item::Cell { row, column, .. } => {
                cell(
                    &mut out,
                    item,
                    &grids[panel].cell(*row, *column).facts,
                    tooltips,
                );
            }
            Item::Text { .. } => words(&mut out, item),
            _ => shape(&mut out, item),
        }
    }
    if open {
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// Writes a cell, with its facts as attributes, and as a tooltip if the picture is small enough.
fn cell(out: &mut String, item: &Item, facts: &Facts, tooltips: bool) {
    let Item::Cell {
        x,
        y,
        w,
        h,
        paint,
        row,
        column,
    } = item
    else {
        return;
    };
    let _ = write!(
        out,
        "<rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" data-r=\"{row}\" data-c=\"{column}\"{}",
        paint.name(),
        if *w < 9.0 { " n" } else { "" },
        number(*x),
        number(*y),
        number(*w),
        number(*h),
        attributes(facts),
    );
    if tooltips && !facts.coordinate.is_empty() {
        let _ = writeln!(out, "><title>{}</title></rect>", escape(&facts.words()));
    } else {
        out.push_str("/>\n");
    }
}

/// Writes items that have neither facts nor text: bands, swatches of the key, covers, lines.
fn shape(out: &mut String, item: &Item) {
    match item {
        Item::Band { x, y, w, h, paint } => {
            let (x, y, w, h) = (number(*x), number(*y), number(*w), number(*h));
            let _ = writeln!(
                out,
                "<rect class=\"{} band\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>",
                paint.name()
            );
        }
        Item::Swatch { x, y, size, paint } => {
            let (x, y, size) = (number(*x), number(*y), number(*size));
            let _ = writeln!(
                out,
                "<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\"/>",
                paint.name()
            );
        }
        Item::Cover { x, y, w, h } => {
            let (x, y, w, h) = (number(*x), number(*y), number(*w), number(*h));
            let _ = writeln!(
                out,
                "<rect class=\"cover\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"
            );
        }
        Item::Line { from, to, weight } => {
            let class = match weight {
                Weight::Hair => "hair",
                Weight::Group => "group",
                Weight::Outer => "outer",
            };
            let _ = writeln!(
                out,
                "<path class=\"{class}\" d=\"M{} {}L{} {}\"/>",
                number(from.0),
                number(from.1),
                number(to.0),
                number(to.1),
            );
        }
        Item::Panel { .. } | Item::Cell { .. } | Item::Text { .. } => {}
    }
}

/// Writes a text.
fn words(out: &mut String, item: &Item) {
    let Item::Text {
        x,
        y,
        size,
        anchor,
        upwards,
        ink,
        text,
    } = item
    else {
        return;
    };
    let class = match ink {
        Ink::Title => "title".to_string(),
        Ink::Plain => "plain".to_string(),
        Ink::Faint => "faint".to_string(),
        Ink::On(paint) => format!("on-{}", paint.name()),
    };
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " m",
        Anchor::End => " e",
    };
    // The base line of letters lies 0.35 of the font size below the middle.
    let (x, base) = (
        number(*x),
        number(*y + if *upwards { 0.0 } else { size * 0.35 }),
    );
    let turn = if *upwards {
        format!(" transform=\"rotate(-90 {x} {base})\"")
    } else {
        String::new()
    };
    let _ = writeln!(
        out,
        "<text class=\"{class}{anchor}\" x=\"{x}\" y=\"{base}\" font-size=\"{}\"{turn}>{}</text>",
        number(*size),
        escape(text),
    );
}

impl Facts {
    /// Returns the facts of a cell as one line.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if !self.coordinate.is_empty() {
            parts.push(format!("coordinate {}", self.coordinate));
        }
        if let Some(offset) = &self.offset {
            parts.push(format!("offset {offset}"));
        }
        if let Some(bank) = self.bank {
            parts.push(format!("bank {bank}"));
        }
        match self.owners.as_slice() {
            [] => {}
            [(thread, value)] => parts.push(format!("thread {thread}, value {value}")),
            [(thread, value), .., (last, last_value)] => parts.push(format!(
                "{} owners, thread {thread}, value {value} to thread {last}, value {last_value}",
                self.owners.len()
            )),
        }
        if !self.note.is_empty() {
            parts.push(self.note.clone());
        }
        parts.join(" · ")
    }
}

fn attributes(facts: &Facts) -> String {
    let mut out = String::new();
    let mut put = |name: &str, value: &str| {
        let _ = write!(out, " data-{name}=\"{}\"", escape(value));
    };
    if !facts.coordinate.is_empty() {
        put("k", &facts.coordinate);
    }
    if let Some(offset) = &facts.offset {
        put("o", offset);
    }
    if let Some(bank) = facts.bank {
        put("b", &bank.to_string());
    }
    if let Some((thread, value)) = facts.owners.first() {
        put("t", &thread.to_string());
        put("v", &value.to_string());
        if facts.owners.len() > 1 {
            put("n", &facts.owners.len().to_string());
        }
    }
    if !facts.note.is_empty() {
        put("w", &facts.note);
    }
    out
}

/// Returns the style sheet for the paints and inks that occur.
fn style(items: &[Item], theme: Theme) -> String {
    let mut paints: BTreeSet<Paint> = BTreeSet::new();
    for item in items {
        if let Item::Cell { paint, .. } | Item::Band { paint, .. } | Item::Swatch { paint, .. } =
            item
        {
            paints.insert(*paint);
        }
    }
    let colours = |mode: Mode| {
        let mut out = String::new();
        let hex = |rgb: crate::palette::Rgb| format!("#{}", rgb.hex());
        let _ = writeln!(
            out,
            ".cutlet .paper,.cutlet .cover{{fill:{}}}",
            hex(mode.paper())
        );
        let _ = writeln!(
            out,
            ".cutlet .title,.cutlet .plain{{fill:{}}}",
            hex(mode.ink())
        );
        let _ = writeln!(out, ".cutlet .faint{{fill:{}}}", hex(mode.faint()));
        let _ = writeln!(out, ".cutlet rect{{stroke:{}}}", hex(mode.hairline()));
        let _ = writeln!(
            out,
            ".cutlet .group,.cutlet .outer{{stroke:{}}}",
            hex(mode.border())
        );
        for paint in &paints {
            let name = paint.name();
            let _ = writeln!(
                out,
                ".cutlet .{name}{{fill:{}}}.cutlet .on-{name}{{fill:{}}}",
                hex(mode.fill(*paint)),
                hex(mode.ink_on(*paint))
            );
        }
        out
    };
    let mut out = String::from(
        ".cutlet text{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;white-space:pre}\n\
         .cutlet .m{text-anchor:middle}.cutlet .e{text-anchor:end}.cutlet .title{font-weight:bold}\n\
         .cutlet rect{stroke-width:.5}.cutlet .n{stroke:none!important;shape-rendering:crispEdges}\n\
         .cutlet .paper,.cutlet .cover,.cutlet .band{stroke:none!important}.cutlet .cover{fill-opacity:.86}\n\
         .cutlet path{fill:none;stroke-linecap:square}\n",
    );
    for (name, weight) in [("group", Weight::Group), ("outer", Weight::Outer)] {
        let _ = writeln!(out, ".cutlet .{name}{{stroke-width:{}}}", weight.width());
    }
    // Labels lie over cells. A pointer reaches the cell below, and text can still be selected.
    match theme {
        Theme::Light => out + &colours(Mode::Light),
        Theme::Dark => out + &colours(Mode::Dark),
        Theme::Auto => {
            out + &colours(Mode::Light)
                + "@media (prefers-color-scheme:dark){\n"
                + &colours(Mode::Dark)
                + "}\n"
        }
    }
}

/// Formats a number with at most two decimals, without trailing zeros.
pub(crate) fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Escapes text for XML; characters that XML does not allow are dropped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}
