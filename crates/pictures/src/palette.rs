//! The colours: safe for the colour-blind, light and dark, every label readable on every one.
//!
//! ```text
//!   Category(n)    8 hues (seven of Okabe and Ito, 2008, and grey), each in 4 strengths: n % 8 the hue, n / 8 % 4 the strength
//!   Shade(s)       16 steps of one hue, 0 the weakest
//! ```
//!
//! Law: [`Rgb`] ink on any paint has a contrast of 4.5 or more, in both modes (WCAG 2.1, 1.4.3).

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// `rrggbb`.
    pub fn hex(self) -> String {
        format!("{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    fn mix(self, other: Self, part: f32) -> Self {
        let one =
            |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * part).round() as u8;
        Self(
            one(self.0, other.0),
            one(self.1, other.1),
            one(self.2, other.2),
        )
    }

    /// Relative luminance, 0 to 1 (WCAG 2.1).
    fn luminance(self) -> f32 {
        let linear = |c: u8| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// The contrast of two colours, 1 to 21 (WCAG 2.1).
pub fn contrast(a: Rgb, b: Rgb) -> f32 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Light or dark, decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Dark ink on white.
    Light,
    /// Light ink on near-black.
    Dark,
}

/// The colour of a cell by what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Paint {
    /// The background: a cell that means nothing by its colour.
    #[default]
    Blank,
    /// There is nothing in this cell.
    Void,
    /// One of 32 things; counted round.
    Category(u8),
    /// A quantity, 0 to 15.
    Shade(u8),
}

const OKABE_ITO: [Rgb; 7] = [
    Rgb(86, 180, 233),  // sky blue
    Rgb(230, 159, 0),   // orange
    Rgb(0, 158, 115),   // bluish green
    Rgb(204, 121, 167), // reddish purple
    Rgb(240, 228, 66),  // yellow
    Rgb(0, 114, 178),   // blue
    Rgb(213, 94, 0),    // vermillion
];

impl Mode {
    /// What the picture is drawn on.
    pub fn paper(self) -> Rgb {
        match self {
            Self::Light => Rgb(255, 255, 255),
            Self::Dark => Rgb(17, 19, 24),
        }
    }

    /// Titles and labels on paper.
    pub fn ink(self) -> Rgb {
        match self {
            Self::Light => Rgb(17, 19, 24),
            Self::Dark => Rgb(236, 239, 244),
        }
    }

    /// Ticks and names of axes.
    pub fn faint(self) -> Rgb {
        match self {
            Self::Light => Rgb(88, 94, 106),
            Self::Dark => Rgb(165, 172, 186),
        }
    }

    /// Lines between cells.
    pub fn hairline(self) -> Rgb {
        match self {
            Self::Light => Rgb(176, 182, 192),
            Self::Dark => Rgb(70, 76, 88),
        }
    }

    /// Lines between groups of cells.
    pub fn border(self) -> Rgb {
        match self {
            Self::Light => Rgb(17, 19, 24),
            Self::Dark => Rgb(236, 239, 244),
        }
    }

    /// The colour of a paint.
    pub fn fill(self, paint: Paint) -> Rgb {
        let paper = self.paper();
        match (paint, self) {
            (Paint::Blank, _) => paper,
            (Paint::Void, Self::Light) => Rgb(240, 241, 244),
            (Paint::Void, Self::Dark) => Rgb(30, 33, 40),
            (Paint::Category(n), _) => {
                let hue = match (OKABE_ITO.get(usize::from(n % 8)), self) {
                    (Some(hue), _) => *hue,
                    // The eighth is grey, away from the paper: a middle one is reddish purple to some eyes.
                    (None, Self::Light) => Rgb(104, 104, 104),
                    (None, Self::Dark) => Rgb(225, 225, 225),
                };
                let strength = usize::from(n / 8 % 4);
                let part = match self {
                    // How much paper is mixed in; the first strength is the one that most pictures use.
                    Self::Light => [0.50, 0.74, 0.22, 0.88][strength],
                    Self::Dark => [0.42, 0.64, 0.12, 0.80][strength],
                };
                hue.mix(paper, part)
            }
            (Paint::Shade(s), _) => {
                let part = f32::from(s.min(15)) / 15.0;
                match self {
                    Self::Light => Rgb(244, 249, 254).mix(Rgb(66, 133, 192), part),
                    Self::Dark => Rgb(26, 34, 46).mix(Rgb(72, 140, 200), part),
                }
            }
        }
    }

    /// Black or white, whichever is read better on a paint.
    pub fn ink_on(self, paint: Paint) -> Rgb {
        let fill = self.fill(paint);
        let (dark, light) = (Rgb(10, 11, 14), Rgb(255, 255, 255));
        if contrast(fill, dark) >= contrast(fill, light) {
            dark
        } else {
            light
        }
    }
}

impl Paint {
    /// A paint's name in style sheets: letters and digits.
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

    /// What people without one kind of cone see (Viénot, Brettel and Mollon, 1999, on linear light).
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
    fn the_eight_hues_stay_apart_for_the_colour_blind() {
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
                for a in 0..8u8 {
                    for b in 0..a {
                        let (x, y) = (
                            seen(mode.fill(Paint::Category(a)), eye),
                            seen(mode.fill(Paint::Category(b)), eye),
                        );
                        let apart = (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f32>().sqrt();
                        assert!(apart > 12.0, "{mode:?}: hues {a} and {b} are {apart} apart");
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
