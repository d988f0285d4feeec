//! The plot of `cutlet bench gemm`: speed by shape, and under it the ratio, as an SVG file.
//!
//! ```text
//!   TFLOP/s │ ▌█ ▌█        a bar for each competitor
//!           └──────────
//!   ratio   │- 1 -------   cuBLAS's time over ours: above the line we are faster
//!           └──────────
//!             512³  2048³
//! ```
//!
//! Law: a bar's height is its value on the axis beside it; every number of the report has a bar, or
//! the reason why it has none; the picture contains every name. Colours are those of the layouts'
//! pictures, and follow the reader's light or dark.

use super::gemm::ShapeRow;
use pictures::{Mode, Paint};
use std::fmt::Write;
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Style, Text, Title};

/// The bars of one shape.
pub struct Bars {
    /// The shape as text.
    label: String,
    /// Competitors' names and speeds, in units of 10¹² operations per second.
    speeds: Vec<(String, f64)>,
    /// Ratios, each with the name of the competitor that it compares with.
    ratios: Vec<(String, f64)>,
}

/// Returns the bars of a report. Rows of the same shape are one group.
pub fn series(rows: &[ShapeRow]) -> Vec<Bars> {
    let mut all: Vec<Bars> = Vec::new();
    for row in rows {
        let (m, n, k) = (row.problem.m, row.problem.n, row.problem.k);
        let label = if m == n && n == k {
            format!("{m}³")
        } else {
            format!("{m}×{n}×{k}")
        };
        if all.last().is_none_or(|bars| bars.label != label) {
            all.push(Bars {
                label,
                speeds: Vec::new(),
                ratios: Vec::new(),
            });
        }
        let Some(bars) = all.last_mut() else { continue };
        let accumulator = row.problem.accumulator();
        bars.speeds.push((
            format!("cutlet, {accumulator} accumulator"),
            row.cutlet.tera_operations_per_second,
        ));
        for beside in row.competitors() {
            let name = beside.name();
            if let Some(ratio) = beside.ratio {
                bars.ratios
                    .push((format!("{accumulator} accumulator to {name}"), ratio));
            }
            if let Some(measured) = &beside.measured
                && bars.speeds.iter().all(|(other, _)| *other != name)
            {
                bars.speeds
                    .push((name, measured.tera_operations_per_second));
            }
        }
    }
    all
}

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
/// The top and the height of the two panels.
const PANELS: [(f64, f64); 2] = [(100.0, 300.0), (490.0, 180.0)];
const HEIGHT: f64 = 760.0;
/// The number of bar colours. Bar i of a shape has colour i modulo this number.
const COLOURS: usize = 8;

/// Returns the style of the picture's classes, in light and in dark.
fn style() -> String {
    let of = |mode: Mode| {
        let mut rules = format!(
            ".paper{{fill:#{}}}text{{fill:#{}}}.axis{{stroke:#{}}}.grid{{stroke:#{}}}",
            mode.paper().hex(),
            mode.ink().hex(),
            mode.ink().hex(),
            mode.hairline().hex()
        );
        for number in 0..COLOURS {
            let fill = mode.fill(Paint::Category(number as u8)).hex();
            let _ = write!(rules, ".s{number}{{fill:#{fill}}}");
        }
        rules
    };
    format!(
        "{}@media (prefers-color-scheme:dark){{{}}}",
        of(Mode::Light),
        of(Mode::Dark)
    )
}

/// The greatest width of a letter of 13 pixels.
const LETTER: f64 = 7.5;

/// Returns for each name of a legend the x at which it begins, and its row above the panel, where 0
/// is the nearest. A row has as many names as fit, at most 4.
fn legend(names: &[&str]) -> Vec<(f64, usize)> {
    let letters = names.iter().map(|name| name.chars().count()).max();
    let wanted = letters.unwrap_or(0) as f64 * LETTER + 30.0;
    let a_row = (((WIDTH - LEFT) / wanted) as usize).clamp(1, 4);
    let spacing = wanted.max(225.0_f64.min((WIDTH - LEFT) / a_row as f64));
    let rows = names.len().div_ceil(a_row);
    (0..names.len())
        .map(|number| {
            (
                LEFT + (number % a_row) as f64 * spacing,
                rows - 1 - number / a_row,
            )
        })
        .collect()
}

/// A function that returns the bars of a shape in one panel.
type SeriesOf = fn(&Bars) -> &Vec<(String, f64)>;

/// Draws the SVG.
pub fn draw(title: &str, all: &[Bars]) -> String {
    let text = |x: f64, y: f64, anchor: &str, size: f64, content: &str| {
        Text::new(content)
            .set("x", round(x))
            .set("y", round(y))
            .set("text-anchor", anchor)
            .set("font-size", size)
    };
    let mut document = Document::new()
        .set("viewBox", (0, 0, WIDTH as u32, HEIGHT as u32))
        .set("width", 0.8 * WIDTH)
        .set("height", 0.8 * HEIGHT)
        .set("font-family", "sans-serif")
        .add(Title::new(title))
        .add(Style::new(style()))
        .add(
            Rectangle::new()
                .set("width", "100%")
                .set("height", "100%")
                .set("class", "paper"),
        )
        .add(text(WIDTH / 2.0, 28.0, "middle", 18.0, title));
    let panels: [(&str, SeriesOf); 2] = [
        ("TFLOP/s", |bars| &bars.speeds),
        ("cuBLAS's time / cutlet's", |bars| &bars.ratios),
    ];
    for (at, ((axis, values), (top, height))) in panels.into_iter().zip(PANELS).enumerate() {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in all.iter().flat_map(values) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let largest = all
            .iter()
            .flat_map(values)
            .map(|(_, value)| *value)
            .fold(if at == 1 { 1.0 } else { 0.0 }, f64::max);
        let spacing = nice_spacing(largest);
        let limit = (largest / spacing).ceil().max(1.0) * spacing;
        let y = |value: f64| top + height * (1.0 - value / limit);
        let mut panel = Group::new();
        let ticks = (limit / spacing).round() as usize;
        for tick in 0..=ticks {
            let value = tick as f64 * spacing;
            panel = panel
                .add(line([LEFT, y(value), WIDTH - RIGHT, y(value)], "grid", 1.0))
                .add(text(
                    LEFT - 8.0,
                    y(value) + 4.0,
                    "end",
                    12.0,
                    &number(value),
                ));
        }
        let middle = top + height / 2.0;
        panel = panel.add(
            text(20.0, middle, "middle", 13.0, axis)
                .set("transform", format!("rotate(-90 20 {})", round(middle))),
        );
        for ((number, name), (x, row)) in names.iter().enumerate().zip(legend(&names)) {
            let above = top - 34.0 - 18.0 * row as f64;
            panel = panel.add(bar([x, above, 12.0, 12.0], number)).add(text(
                x + 18.0,
                above + 11.0,
                "start",
                13.0,
                name,
            ));
        }
        let group_width = (WIDTH - LEFT - RIGHT) / all.len().max(1) as f64;
        let width = group_width * 0.8 / names.len().max(1) as f64;
        for (group, bars) in all.iter().enumerate() {
            let start = LEFT + group as f64 * group_width + group_width * 0.1;
            for (name, value) in values(bars) {
                let place = names.iter().position(|other| other == name).unwrap_or(0);
                let x = start + place as f64 * width;
                let said = Title::new(format!("{}, {name}: {value:.3}", bars.label));
                let shape = [x, y(*value), width * 0.92, top + height - y(*value)];
                panel = panel.add(bar(shape, place).add(said));
            }
            let label = text(
                start + group_width * 0.4,
                top + height + 18.0,
                "middle",
                12.0,
                &bars.label,
            );
            panel = panel.add(label);
        }
        panel = panel.add(line([LEFT, y(0.0), WIDTH - RIGHT, y(0.0)], "axis", 1.0));
        if at == 1 {
            panel = panel.add(line([LEFT, y(1.0), WIDTH - RIGHT, y(1.0)], "axis", 1.5));
        }
        document = document.add(panel);
    }
    let last = PANELS[1].0 + PANELS[1].1;
    document = document.add(text(
        WIDTH / 2.0,
        last + 48.0,
        "middle",
        13.0,
        "M×N×K; medians in one run, interleaved; above 1 in the lower panel cutlet is faster",
    ));
    format!("{document}\n")
}

fn line([x1, y1, x2, y2]: [f64; 4], class: &str, width: f64) -> Line {
    Line::new()
        .set("x1", round(x1))
        .set("y1", round(y1))
        .set("x2", round(x2))
        .set("y2", round(y2))
        .set("class", class)
        .set("stroke-width", width)
}

/// Returns a bar in the colour of its place among a shape's bars.
fn bar([x, y, width, height]: [f64; 4], place: usize) -> Rectangle {
    Rectangle::new()
        .set("x", round(x))
        .set("y", round(y))
        .set("width", round(width))
        .set("height", round(height))
        .set("class", format!("s{}", place % COLOURS))
}

/// Rounds to a hundredth, which is finer than any screen.
fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

fn number(value: f64) -> String {
    format!("{}", round(value))
}

/// Returns 1, 2 or 5 times a power of ten, so that `largest` is at most eight intervals.
fn nice_spacing(largest: f64) -> f64 {
    if !(largest > 0.0 && largest.is_finite()) {
        return 1.0;
    }
    let decade = 10_f64.powf((largest / 8.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|spacing| largest / spacing <= 8.0)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_few_and_round() {
        for largest in [0.3, 1.0, 1.31, 7.9, 8.1, 24.0, 480.0, 707.0, 9999.0] {
            let spacing = nice_spacing(largest);
            assert!(
                (1.0..=8.001).contains(&(largest / spacing)),
                "{largest}: {spacing}"
            );
            let digits = spacing / 10_f64.powf(spacing.log10().floor() + 1e-9);
            assert!(
                [1.0, 2.0, 5.0, 10.0]
                    .iter()
                    .any(|x| (x - digits).abs() < 1e-6),
                "{spacing}"
            );
        }
        assert_eq!(nice_spacing(0.0), 1.0);
    }

    /// Returns the value of an attribute of the element whose title contains `what`.
    fn attribute(svg: &str, what: &str, name: &str) -> f64 {
        let at = svg.find(what).unwrap();
        let element = &svg[svg[..at].rfind("<rect").unwrap()..at];
        let value = element.split(&format!(" {name}=\"")).nth(1).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    }

    #[test]
    fn bars_are_as_high_as_their_values() {
        let bars = |label: &str, ours: f64, cublas: f64| Bars {
            label: label.into(),
            speeds: vec![("cutlet".into(), ours), ("cuBLAS".into(), cublas)],
            ratios: vec![("ratio".into(), ours / cublas)],
        };
        let svg = draw(
            "Products <on> a device",
            &[bars("512³", 30.0, 60.0), bars("1×2×3", 400.0, 300.0)],
        );
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("TFLOP/s") && svg.contains("Products &lt;on&gt; a device"));
        let height = |what| attribute(&svg, what, "height");
        let unit = height("1×2×3, cutlet: 400") / 400.0;
        assert!((height("512³, cuBLAS: 60") - 60.0 * unit).abs() < 0.02);
        assert!((height("512³, cutlet: 30") - 30.0 * unit).abs() < 0.02);
        let bottom = |what| attribute(&svg, what, "y") + height(what);
        assert!((bottom("512³, cutlet: 30") - bottom("1×2×3, cuBLAS: 300")).abs() < 0.02);
        assert!(height("512³, ratio: 0.5") > 0.0);
    }

    #[test]
    fn every_name_is_inside_and_has_a_colour_that_stands_out() {
        let measured = ["cutlet, f32 accumulator", "cuBLAS 32F", "cuBLAS 16F"];
        let more = ["cublasLt 32F", "cublasLt 16F", "cutlet, f16 accumulator"];
        let long = "f32 accumulator to cublasLt 16F";
        for names in [
            &measured[..],
            &[measured, more].concat(),
            &[long; 4],
            &[long; 6],
        ] {
            let places = legend(names);
            for (name, (x, row)) in names.iter().zip(&places) {
                let end = x + 18.0 + name.chars().count() as f64 * LETTER;
                assert!(end <= WIDTH && *row < 3, "{name}: {end}, row {row}");
            }
            for (at, place) in places.iter().enumerate() {
                assert!(places[..at].iter().all(|other| other != place));
            }
        }
        for mode in [Mode::Light, Mode::Dark] {
            for number in 0..COLOURS {
                let fill = mode.fill(Paint::Category(number as u8));
                assert!(pictures::contrast(fill, mode.paper()) >= 3.0, "{number}");
                assert!(style().contains(&format!(".s{number}{{fill:#{}}}", fill.hex())));
            }
        }
    }

    #[test]
    fn nothing_is_a_plot_too() {
        assert!(draw("empty", &[]).contains("empty"));
    }
}
