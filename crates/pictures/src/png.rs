//! Renders a picture as PNG, with an embedded font so that every machine gives the same pixels.
//!
//! ```text
//!   Drawing ── scale ──► rectangles and lines, filled      letters: outlines of the embedded font, filled
//! ```
//!
//! Law: one unit is `scale` pixels, and the background is opaque. The font is a part of DejaVu Sans
//! Mono (Latin letters and a few signs; `fonts/LICENSE`); other characters are left blank.

use crate::arrange::arrange;
use crate::drawing::{Anchor, Ink, Item};
use crate::error::{DrawError, Result};
use crate::grid::Picture;
use crate::options::{Options, Theme};
use crate::palette::{Mode, Rgb};
use tiny_skia::{FillRule, Paint as Fill, Path, PathBuilder, Pixmap, Rect, Transform};
use ttf_parser::{Face, OutlineBuilder};

const FONT: &[u8] = include_bytes!("../fonts/DejaVuSansMono-subset.ttf");

/// The largest number of pixels of a picture: 64 million, which take 256 MB while it is drawn. A
/// scale that gives more pixels is refused.
const MOST_PIXELS: f32 = 64.0e6;

/// Renders the picture as a PNG file with [`Options::scale`] pixels per unit; [`Theme::Auto`] is
/// light.
///
/// # Errors
/// Returns [`DrawError::Png`] for a scale that is not from 0.1 to 8, or that gives more than 64
/// million pixels.
///
/// ```
/// use pictures::{Options, kinds, png};
/// let layout = "(2,2)".parse::<layout_types::dynamic::AnyLayout>().unwrap_or("(2,2):(1,2)".parse().unwrap());
/// let bytes = png::render(&kinds::layout(&layout, &Options::default()).unwrap(), &Options::default()).unwrap();
/// assert_eq!(&bytes[1..4], b"PNG");
/// ```
pub fn render(picture: &Picture, options: &Options) -> Result<Vec<u8>> {
    let drawing = arrange(picture, options);
    let mode = match options.theme {
        Theme::Dark => Mode::Dark,
        Theme::Auto | Theme::Light => Mode::Light,
    };
    let scale = options.scale;
    // The casts saturate if the value is too large; the check of `MOST_PIXELS` then refuses it.
    let (width, height) = (
        (drawing.width * scale).ceil() as u32,
        (drawing.height * scale).ceil() as u32,
    );
    let refuse = |reason: &str| DrawError::Png {
        width,
        height,
        reason: reason.into(),
    };
    if !(0.1..=8.0).contains(&scale) {
        return Err(refuse("the scale is from 0.1 to 8"));
    }
    if width as f32 * height as f32 > MOST_PIXELS {
        return Err(refuse(
            "more than 64 million pixels: choose a smaller scale",
        ));
    }
    let mut canvas = Pixmap::new(width, height).ok_or_else(|| refuse("no such size"))?;
    let face = Face::parse(FONT, 0).map_err(|error| refuse(&error.to_string()))?;
    canvas.fill(colour(mode.paper()));
    let mut pen = Pen {
        canvas,
        scale,
        face,
        mode,
    };
    for item in &drawing.items {
        pen.draw(item);
    }
    pen.canvas
        .encode_png()
        .map_err(|error| refuse(&error.to_string()))
}

fn colour(rgb: Rgb) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(rgb.0, rgb.1, rgb.2, 255)
}

struct Pen<'f> {
    canvas: Pixmap,
    scale: f32,
    face: Face<'f>,
    mode: Mode,
}

impl Pen<'_> {
    fn fill(&mut self, rgb: Rgb, alpha: f32) -> Fill<'static> {
        let mut fill = Fill::default();
        let mut colour = colour(rgb);
        colour.set_alpha(alpha);
        fill.set_color(colour);
        fill.anti_alias = true;
        fill
    }

    /// Fills a rectangle whose edges lie on whole pixels, so that neighbours touch without a seam.
    fn block(&mut self, x: f32, y: f32, w: f32, h: f32, rgb: Rgb, alpha: f32) {
        let fill = self.fill(rgb, alpha);
        let s = self.scale;
        let (left, top) = ((x * s).round(), (y * s).round());
        let (right, bottom) = (((x + w) * s).round(), ((y + h) * s).round());
        if let Some(rect) = Rect::from_ltrb(left, top, right.max(left + 1.0), bottom.max(top + 1.0))
        {
            self.canvas
                .fill_rect(rect, &fill, Transform::identity(), None);
        }
    }

    fn frame(&mut self, x: f32, y: f32, w: f32, h: f32) {
        let rgb = self.mode.hairline();
        let thin = (0.5 * self.scale).max(1.0) / self.scale;
        self.block(x, y, w, thin, rgb, 1.0);
        self.block(x, y, thin, h, rgb, 1.0);
        self.block(x, y + h, w, thin, rgb, 1.0);
        self.block(x + w, y, thin, h, rgb, 1.0);
    }

    fn draw(&mut self, item: &Item) {
        match item {
            Item::Panel { .. } => {}
            Item::Cell {
                x, y, w, h, paint, ..
            } => {
                self.block(*x, *y, *w, *h, self.mode.fill(*paint), 1.0);
                if *w >= 9.0 {
                    self.frame(*x, *y, *w, *h);
                }
            }
            Item::Band { x, y, w, h, paint } => {
                self.block(*x, *y, *w, *h, self.mode.fill(*paint), 1.0);
            }
            Item::Swatch { x, y, size, paint } => {
                self.block(*x, *y, *size, *size, self.mode.fill(*paint), 1.0);
                self.frame(*x, *y, *size, *size);
            }
            Item::Cover { x, y, w, h } => self.block(*x, *y, *w, *h, self.mode.paper(), 0.86),
            Item::Line { from, to, weight } => {
                let wide = weight.width();
                let (x, y) = (from.0.min(to.0) - wide / 2.0, from.1.min(to.1) - wide / 2.0);
                let (w, h) = ((to.0 - from.0).abs() + wide, (to.1 - from.1).abs() + wide);
                self.block(x, y, w, h, self.mode.border(), 1.0);
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
                let rgb = match ink {
                    Ink::Title | Ink::Plain => self.mode.ink(),
                    Ink::Faint => self.mode.faint(),
                    Ink::On(paint) => self.mode.ink_on(*paint),
                };
                self.text(text, (*x, *y), *size, *anchor, *upwards, rgb);
            }
        }
    }

    fn text(
        &mut self,
        text: &str,
        (x, y): (f32, f32),
        size: f32,
        anchor: Anchor,
        upwards: bool,
        rgb: Rgb,
    ) {
        let unit = size / f32::from(self.face.units_per_em());
        let advance = self
            .face
            .glyph_index('0')
            .and_then(|glyph| self.face.glyph_hor_advance(glyph))
            .unwrap_or(1233);
        let step = f32::from(advance) * unit;
        let length = step * text.chars().count() as f32;
        let begin = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -length / 2.0,
            Anchor::End => -length,
        };
        let mut pen = Outline(PathBuilder::new(), 0.0);
        for (i, c) in text.chars().enumerate() {
            if let Some(glyph) = self.face.glyph_index(c) {
                pen.1 = (begin + step * i as f32) / unit;
                self.face.outline_glyph(glyph, &mut pen);
            }
        }
        let Some(path) = pen.0.finish() else { return };
        // Font units grow upwards; the base line lies 0.35 of the font size below the middle.
        let s = self.scale;
        let upright = Transform::from_row(unit, 0.0, 0.0, -unit, 0.0, size * 0.35);
        let turned = if upwards {
            // `y` is the end of the text, at the top.
            Transform::from_row(0.0, -unit, -unit, 0.0, 0.0, 0.0)
        } else {
            upright
        };
        let place = turned.post_translate(x, y).post_scale(s, s);
        let fill = self.fill(rgb, 1.0);
        self.stroke(&path, &fill, place);
    }

    fn stroke(&mut self, path: &Path, fill: &Fill<'static>, place: Transform) {
        self.canvas
            .fill_path(path, fill, FillRule::Winding, place, None);
    }
}

/// The path of letters; the number is the position at which the current letter begins, in font
/// units.
struct Outline(PathBuilder, f32);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x + self.1, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x + self.1, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1 + self.1, y1, x + self.1, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0
            .cubic_to(x1 + self.1, y1, x2 + self.1, y2, x + self.1, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
