//! The colours: distinguishable for colour-blind readers, light and dark, every label readable on
//! every colour.
//!
//! ```text
//!   Category(n)    8 hues (seven of Okabe and Ito, 2008, and grey), each in 4 strengths: n % 8 the hue, n / 8 % 4 the strength
//!   Shade(s)       16 steps of one hue, 0 the weakest: the nearest to the paper
//! ```
//!
//! Laws, in light and dark mode: a paint of either kind (category or shade) has a contrast of 3 or
//! more on the paper (WCAG 2.1, 1.4.11), and the ink on a paint has a contrast of 4.5 or more
//! (1.4.3). People with three kinds of cones or with two can tell all 32 categories apart.

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Returns the colour as `rrggbb`.
    pub fn hex(self) -> String {
        format!("{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Returns the linear intensities of red, green and blue, 0 to 1.
    fn linear(self) -> [f32; 3] {
        [self.0, self.1, self.2].map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// Returns the relative luminance, 0 to 1 (WCAG 2.1).
    fn luminance(self) -> f32 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Returns the hue at another luminance, by mixing in black or white light.
    fn at_luminance(self, wanted: f32) -> Self {
        let own = self.luminance();
        let [r, g, b] = self.linear().map(|light| {
            let light = if wanted <= own {
                light * wanted / own
            } else {
                light + (1.0 - light) * (wanted - own) / (1.0 - own)
            };
            let c = if light <= 0.003_130_8 {
                12.92 * light
            } else {
                1.055 * light.powf(1.0 / 2.4) - 0.055
            };
            (c * 255.0).round() as u8
        });
        Self(r, g, b)
    }
}

/// Returns the contrast of two colours, 1 to 21 (WCAG 2.1).
pub fn contrast(a: Rgb, b: Rgb) -> f32 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A theme, decided to be light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Dark ink on white.
    Light,
    /// Light ink on near-black.
    Dark,
}

/// The colour of a cell, by its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Paint {
    /// The background, for a cell whose colour has no meaning.
    #[default]
    Blank,
    /// The colour of an entry without an element.
    Void,
    /// The number of a thing, modulo 32.
    Category(u8),
    /// A quantity, 0 to 15.
    Shade(u8),
}

const HUES: [Rgb; 8] = [
    Rgb(86, 180, 233),  // sky blue
    Rgb(230, 159, 0),   // orange
    Rgb(0, 158, 115),   // bluish green
    Rgb(204, 121, 167), // reddish purple
    Rgb(240, 228, 66),  // yellow
    Rgb(0, 114, 178),   // blue
    Rgb(213, 94, 0),    // vermillion
    Rgb(128, 128, 128), // grey
];
/// The hue of quantities.
const SHADE: Rgb = Rgb(66, 133, 192);

/// The luminances of the categories on white, by strength and hue: at most 0.3, which gives a
/// contrast of 3. Hues that some people confuse have luminances far apart; a search maximised the
/// smallest distance.
const ON_WHITE: [[f32; 8]; 4] = [
    [0.295, 0.295, 0.295, 0.295, 0.197, 0.077, 0.295, 0.072],
    [0.258, 0.241, 0.108, 0.132, 0.034, 0.115, 0.258, 0.295],
    [0.172, 0.172, 0.151, 0.172, 0.295, 0.028, 0.072, 0.051],
    [0.063, 0.020, 0.241, 0.032, 0.123, 0.161, 0.115, 0.020],
];
/// The luminances of the categories on near-black: at least 0.12.
const ON_BLACK: [[f32; 8]; 4] = [
    [0.552, 0.414, 0.125, 0.850, 0.736, 0.167, 0.167, 0.435],
    [0.414, 0.736, 0.342, 0.125, 0.772, 0.125, 0.245, 0.192],
    [0.233, 0.478, 0.175, 0.212, 0.810, 0.414, 0.222, 0.359],
    [0.296, 0.326, 0.269, 0.638, 0.552, 0.736, 0.125, 0.526],
];

impl Mode {
    /// Returns the background that the picture is drawn on.
    pub fn paper(self) -> Rgb {
        match self {
            Self::Light => Rgb(255, 255, 255),
            Self::Dark => Rgb(17, 19, 24),
        }
    }

    /// Returns the colour of titles and labels on paper.
    pub fn ink(self) -> Rgb {
        match self {
            Self::Light => Rgb(17, 19, 24),
            Self::Dark => Rgb(236, 239, 244),
        }
    }

    /// Returns the colour of ticks and names of axes.
    pub fn faint(self) -> Rgb {
        match self {
            Self::Light => Rgb(88, 94, 106),
            Self::Dark => Rgb(165, 172, 186),
        }
    }

    /// Returns the colour of lines between cells.
    pub fn hairline(self) -> Rgb {
        match self {
            Self::Light => Rgb(176, 182, 192),
            Self::Dark => Rgb(70, 76, 88),
        }
    }

    /// Returns the colour of lines between groups of cells.
    pub fn border(self) -> Rgb {
        match self {
            Self::Light => Rgb(17, 19, 24),
            Self::Dark => Rgb(236, 239, 244),
        }
    }

    /// Returns the colour of a paint.
    pub fn fill(self, paint: Paint) -> Rgb {
        let paper = self.paper();
        match (paint, self) {
            (Paint::Blank, _) => paper,
            (Paint::Void, Self::Light) => Rgb(240, 241, 244),
            (Paint::Void, Self::Dark) => Rgb(30, 33, 40),
            (Paint::Category(n), _) => {
                let (hue, strength) = (usize::from(n % 8), usize::from(n / 8 % 4));
                let luminances = match self {
                    Self::Light => &ON_WHITE,
                    Self::Dark => &ON_BLACK,
                };
                HUES[hue].at_luminance(luminances[strength][hue])
            }
            (Paint::Shade(s), _) => {
                // Each step has the same ratio of contrasts.
                let (weakest, strongest): (f32, f32) = match self {
                    Self::Light => (0.29, 0.015),
                    Self::Dark => (0.125, 0.75),
                };
                let part = f32::from(s.min(15)) / 15.0;
                let ratio = (strongest + 0.05) / (weakest + 0.05);
                SHADE.at_luminance((weakest + 0.05) * ratio.powf(part) - 0.05)
            }
        }
    }

    /// Returns black or white, whichever has the higher contrast on a paint.
    pub fn ink_on(self, paint: Paint) -> Rgb {
        let fill = self.fill(paint);
        let (dark, light) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        if contrast(fill, dark) >= contrast(fill, light) {
            dark
        } else {
            light
        }
    }
}

impl Paint {
    /// Returns a paint's name in style sheets, which consists of letters and digits.
    pub fn name(self) -> String {
        match self {
            Self::Blank => "b".into(),
            Self::Void => "v".into(),
            Self::Category(n) => format!("c{}", n % 32),
            Self::Shade(s) => format!("s{}", s.min(15)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paints() -> Vec<Paint> {
        let mut all = vec![Paint::Blank, Paint::Void];
        all.extend((0..32).map(Paint::Category));
        all.extend((0..16).map(Paint::Shade));
        all
    }

    #[test]
    fn every_label_is_readable_on_every_paint() {
        for mode in [Mode::Light, Mode::Dark] {
            for paint in paints() {
                let found = contrast(mode.fill(paint), mode.ink_on(paint));
                assert!(found >= 4.5, "{mode:?} {paint:?}: {found}");
            }
            for ink in [mode.ink(), mode.faint()] {
                assert!(contrast(mode.paper(), ink) >= 4.5);
            }
            assert!(contrast(mode.paper(), mode.border()) >= 7.0);
        }
    }

    /// Returns the colour that people without one kind of cone see (Viénot, Brettel and Mollon,
    /// 1999, on linear light).
    fn seen(rgb: Rgb, matrix: [[f32; 3]; 3]) -> [f32; 3] {
        let linear = [rgb.0, rgb.1, rgb.2].map(|c| (f32::from(c) / 255.0).powf(2.2));
        matrix.map(|row| {
            (0..3)
                .map(|i| row[i] * linear[i])
                .sum::<f32>()
                .max(0.0)
                .powf(1.0 / 2.2)
                * 255.0
        })
    }

    #[test]
    fn every_paint_stands_out_from_the_paper() {
        for mode in [Mode::Light, Mode::Dark] {
            for paint in paints() {
                let found = contrast(mode.fill(paint), mode.paper());
                let means_something = !matches!(paint, Paint::Blank | Paint::Void);
                assert!(
                    !means_something || found >= 3.0,
                    "{mode:?} {paint:?}: {found}"
                );
            }
        }
    }

    #[test]
    fn the_categories_stay_apart_for_the_colour_blind() {
        let eyes = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [
                [0.11238, 0.88762, 0.0],
                [0.11238, 0.88762, 0.0],
                [0.00401, -0.00401, 1.0],
            ],
            [
                [0.29275, 0.70725, 0.0],
                [0.29275, 0.70725, 0.0],
                [-0.02234, 0.02234, 1.0],
            ],
        ];
        for mode in [Mode::Light, Mode::Dark] {
            for eye in eyes {
                for a in 0..32u8 {
                    for b in 0..a {
                        let (x, y) = (
                            seen(mode.fill(Paint::Category(a)), eye),
                            seen(mode.fill(Paint::Category(b)), eye),
                        );
                        let apart = (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f32>().sqrt();
                        // Most pictures use only the first eight categories.
                        let least = if a < 8 { 30.0 } else { 12.0 };
                        assert!(apart > least, "{mode:?}: {a} and {b} are {apart} apart");
                    }
                }
            }
        }
    }

    #[test]
    fn shades_grow_steadily() {
        for mode in [Mode::Light, Mode::Dark] {
            let steps: Vec<f32> = (0..16)
                .map(|s| contrast(mode.paper(), mode.fill(Paint::Shade(s))))
                .collect();
            assert!(
                steps.windows(2).all(|pair| pair[0] < pair[1]),
                "{mode:?}: {steps:?}"
            );
        }
    }
}
