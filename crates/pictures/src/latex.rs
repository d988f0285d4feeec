//! Renders a picture as LaTeX with TikZ, for a paper.
//!
//! ```text
//!   \begin{tikzpicture}[x=0.75pt,y=-0.75pt]      one unit is 0.75 pt: 8x8 is as wide as a column
//!   \fill[c0] (60,80) rectangle +(34,28);        neighbours of one colour are one rectangle
//!   \node[on-c0] at (77,94) {0};
//! ```
//!
//! Law: the output is the drawing that [`arrange`] returns, in the colours that the SVG has in the
//! same theme (`Auto` is drawn as light). The output needs no package but `tikz`.

use crate::arrange::arrange;
use crate::drawing::{Anchor, Ink, Item, Weight};
use crate::grid::Picture;
use crate::options::{Options, Theme};
use crate::palette::{Mode, Paint};
use crate::svg::number;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Renders a whole document with a page as large as the picture: `pdflatex` makes a PDF of it.
///
/// ```
/// use pictures::{Options, kinds, latex};
/// let layout = "4:2".parse().unwrap();
/// let text = latex::render(&kinds::layout(&layout, &Options::default()).unwrap(), &Options::default());
/// assert!(text.contains("\\begin{tikzpicture}") && text.ends_with("\\end{document}\n"));
/// ```
pub fn render(picture: &Picture, options: &Options) -> String {
    let drawing = arrange(picture, options);
    // Sets the paper size by hand, so that the standard document class suffices.
    let (width, height) = (drawing.width * UNIT + 2.0, drawing.height * UNIT + 2.0);
    format!(
        "\\documentclass{{article}}\n\\usepackage{{tikz}}\n\\pagestyle{{empty}}\n\
         \\setlength{{\\paperwidth}}{{{w}pt}}\\setlength{{\\paperheight}}{{{h}pt}}\n\
         \\ifdefined\\pdfpagewidth\\pdfpagewidth={w}pt\\pdfpageheight={h}pt\\fi\n\
         \\ifdefined\\pagewidth\\pagewidth={w}pt\\pageheight={h}pt\\fi\n\
         \\hoffset=-1in\\voffset=-1in\\oddsidemargin=1pt\\topmargin=1pt\\headheight=0pt\\headsep=0pt\n\
         \\textwidth={w}pt\\textheight={h}pt\\parindent=0pt\\topskip=0pt\n\
         \\begin{{document}}\n{}\\end{{document}}\n",
        figure(picture, options),
        w = number(width),
        h = number(height),
    )
}

/// The number of points per unit of the drawing.
const UNIT: f32 = 0.75;

/// Renders only the `tikzpicture` with its colours, for `\input` into a document that loads `tikz`.
pub fn figure(picture: &Picture, options: &Options) -> String {
    let drawing = arrange(picture, options);
    let mode = match options.theme {
        Theme::Dark => Mode::Dark,
        Theme::Auto | Theme::Light => Mode::Light,
    };
    let mut out = format!(
        "% {}\n{{\\frenchspacing\\begin{{tikzpicture}}[x={UNIT}pt,y=-{UNIT}pt,every node/.style={{inner sep=0pt,outer sep=0pt,\
         font=\\ttfamily}}]\n",
        picture.title.replace(['\n', '\r'], " ")
    );
    colours(&mut out, &drawing.items, mode);
    let (width, height) = (number(drawing.width), number(drawing.height));
    let _ = writeln!(
        out,
        "\\fill[cutletpaper] (0,0) rectangle ({width},{height});"
    );
    let mut run: Option<(f32, f32, f32, f32, Paint)> = None;
    let mut hair = Vec::new();
    for item in &drawing.items {
        if let Item::Cell {
            x, y, w, h, paint, ..
        } = item
        {
            if *w >= 9.0 {
                hair.push((*x, *y, *w, *h));
            }
            match &mut run {
                Some((left, top, wide, high, same))
                    if *same == *paint
                        && *top == *y
                        && *high == *h
                        && (*left + *wide - *x).abs() < 0.01 =>
                {
                    *wide += *w;
                }
                _ => {
                    flush(&mut out, &mut run);
                    run = Some((*x, *y, *w, *h, *paint));
                }
            }
            continue;
        }
        flush(&mut out, &mut run);
        for (x, y, w, h) in hair.drain(..) {
            let _ = writeln!(
                out,
                "\\draw[cutlethair,line width=0.3pt] ({},{}) rectangle +({},{});",
                number(x),
                number(y),
                number(w),
                number(h)
            );
        }
        write_item(&mut out, item);
    }
    flush(&mut out, &mut run);
    out.push_str("\\end{tikzpicture}}\n");
    out
}

fn flush(out: &mut String, run: &mut Option<(f32, f32, f32, f32, Paint)>) {
    if let Some((x, y, w, h, paint)) = run.take() {
        let _ = writeln!(
            out,
            "\\fill[cutlet{}] ({},{}) rectangle +({},{});",
            paint.name(),
            number(x),
            number(y),
            number(w),
            number(h)
        );
    }
}

fn colours(out: &mut String, items: &[Item], mode: Mode) {
    let mut paints: BTreeSet<Paint> = BTreeSet::new();
    for item in items {
        if let Item::Cell { paint, .. } | Item::Band { paint, .. } | Item::Swatch { paint, .. } =
            item
        {
            paints.insert(*paint);
        }
    }
    let mut define = |name: &str, rgb: crate::palette::Rgb| {
        let _ = writeln!(
            out,
            "\\definecolor{{cutlet{name}}}{{HTML}}{{{}}}",
            rgb.hex().to_uppercase()
        );
    };
    define("paper", mode.paper());
    define("ink", mode.ink());
    define("faint", mode.faint());
    define("hair", mode.hairline());
    define("border", mode.border());
    for paint in paints {
        define(&paint.name(), mode.fill(paint));
        define(&format!("on{}", paint.name()), mode.ink_on(paint));
    }
}

fn write_item(out: &mut String, item: &Item) {
    match item {
        Item::Panel { .. } | Item::Cell { .. } => {}
        Item::Band { x, y, w, h, paint } => {
            flush(out, &mut Some((*x, *y, *w, *h, *paint)));
        }
        Item::Swatch { x, y, size, paint } => {
            let (x, y, size) = (number(*x), number(*y), number(*size));
            let _ = writeln!(
                out,
                "\\filldraw[fill=cutlet{},draw=cutlethair,line width=0.3pt] ({x},{y}) rectangle +({size},{size});",
                paint.name()
            );
        }
        Item::Cover { x, y, w, h } => {
            let (x, y, w, h) = (number(*x), number(*y), number(*w), number(*h));
            let _ = writeln!(
                out,
                "\\fill[cutletpaper,fill opacity=0.86] ({x},{y}) rectangle +({w},{h});"
            );
        }
        Item::Line { from, to, weight } => {
            let width = match weight {
                Weight::Hair => 0.3,
                Weight::Group => 0.9,
                Weight::Outer => 1.6,
            };
            let _ = writeln!(
                out,
                "\\draw[cutletborder,line width={width}pt,line cap=rect] ({},{}) -- ({},{});",
                number(from.0),
                number(from.1),
                number(to.0),
                number(to.1)
            );
        }
        Item::Text {
            x,
            y,
            size,
            anchor,
            upwards,
            ink,
            text,
        } => {
            let colour = match ink {
                Ink::Title | Ink::Plain => "ink".to_string(),
                Ink::Faint => "faint".to_string(),
                Ink::On(paint) => format!("on{}", paint.name()),
            };
            let anchor = match anchor {
                Anchor::Start => "west",
                Anchor::Middle => "center",
                Anchor::End => "east",
            };
            let turn = if *upwards { ",rotate=90" } else { "" };
            // Letters of Computer Modern's typewriter font are 0.525 of the font size wide; the
            // drawing assumes 0.602.
            let points = number(size * UNIT * 1.06);
            let _ = writeln!(
                out,
                "\\node[anchor={anchor},text=cutlet{colour}{turn}] at ({},{}) {{\\fontsize{{{points}}}{{{points}}}\\selectfont {}}};",
                number(*x),
                number(*y),
                escape(text)
            );
        }
    }
}

/// Escapes text for LaTeX. Characters that a standard installation has no sign for are dropped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '#' | '$' | '%' | '&' | '_' => {
                out.push('\\');
                out.push(c);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\u{b7}' => out.push_str("$\\cdot$"),
            '\u{d7}' => out.push_str("$\\times$"),
            '\u{2218}' => out.push_str("$\\circ$"),
            '\u{2192}' => out.push_str("$\\rightarrow$"),
            c if c.is_ascii() && !c.is_control() => out.push(c),
            _ => {}
        }
    }
    out
}
