//! The roofline: the rate that a chip's published peaks allow at the arithmetic intensity that was
//! counted.
//!
//! ```text
//! operations a second |        ______ peak of the unit
//!                     |      /:
//!                     |    /  :   ceiling at the kernel's intensity
//!                     |  /    :
//!                     +-------+------- operations for each byte
//! ```
//!
//! Law: the ceiling is the lesser of the unit's peak and intensity times bandwidth. The intensity
//! is per byte of the sectors that are requested from the L1 cache. Caches answer some of these
//! requests, so that fewer bytes come from memory, where the intensity is no lower. The picture
//! compares counts with published figures: nothing in it was timed.
//!
//! Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.

use super::picture::scaled;
use emulator::profile::{Chip, Flops, Unit};
use serde::Serialize;
use std::fmt::Write;

/// The place of a launch under a chip's roofline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// The operations for each byte of sectors.
    pub intensity: f64,
    /// The unit that does most of the operations.
    pub unit: &'static str,
    /// The unit's published peak, in operations per second.
    pub peak: f64,
    /// The published bandwidth of the chip's memory, in bytes per second.
    pub bandwidth: f64,
    /// The rate that both allow at this intensity, in operations per second.
    pub ceiling: f64,
    /// The bound that gives the ceiling: `memory` or `compute`.
    pub bound: &'static str,
    /// The published peaks of the units that the launch uses.
    pub peaks: Vec<(&'static str, f64)>,
}

impl Roofline {
    /// Returns the roofline at an intensity, or `None` if no peak of the busiest unit is published.
    pub fn new(chip: &Chip, flops: &Flops, intensity: f64) -> Option<Self> {
        let working = || flops.units().filter(|(unit, _)| *unit != Unit::Special);
        let (unit, _) = working().max_by_key(|(_, count)| *count)?;
        let peak = chip.peak(unit)?;
        let by_memory = intensity * chip.bandwidth;
        Some(Self {
            intensity,
            unit: unit.name(),
            peak,
            bandwidth: chip.bandwidth,
            ceiling: peak.min(by_memory),
            bound: if by_memory < peak {
                "memory"
            } else {
                "compute"
            },
            peaks: working()
                .filter_map(|(unit, _)| Some((unit.name(), chip.peak(unit)?)))
                .collect(),
        })
    }

    /// Draws the picture, for a chip of that name.
    pub fn svg(&self, chip: &str) -> String {
        let (width, height) = (640.0, 360.0);
        let (left, right, top, bottom) = (70.0, 20.0, 20.0, 50.0);
        // The axes span the decades around everything that is shown.
        let ridge = self.peak / self.bandwidth;
        let x_from = self.intensity.min(ridge).log10().floor().min(-1.0);
        let x_to = (self.intensity.max(ridge).log10().ceil() + 1.0).max(3.0);
        let highest = self
            .peaks
            .iter()
            .map(|(_, peak)| *peak)
            .fold(self.peak, f64::max);
        // The names above the roofs need space.
        let y_to = (2.0 * highest).log10().ceil();
        let y_from = (self.ceiling.log10().floor() - 1.0).min(y_to - 3.0);
        let x =
            |value: f64| left + (value.log10() - x_from) / (x_to - x_from) * (width - left - right);
        let y = |value: f64| {
            height - bottom - (value.log10() - y_from) / (y_to - y_from) * (height - top - bottom)
        };
        let (x_min, x_max) = (10_f64.powf(x_from), 10_f64.powf(x_to));
        let (y_min, y_max) = (10_f64.powf(y_from), 10_f64.powf(y_to));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" class=\"roof\" role=\"img\" aria-label=\"Roofline of {chip}\">"
        );
        for decade in x_from as i32..=x_to as i32 {
            let at = x(10_f64.powi(decade));
            let _ = write!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{:.1}\" class=\"grid\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" class=\"m\">{}</text>",
                height - bottom,
                height - bottom + 16.0,
                scaled(10_f64.powi(decade))
            );
        }
        for decade in y_from as i32..=y_to as i32 {
            let at = y(10_f64.powi(decade));
            let _ = write!(
                svg,
                "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" class=\"grid\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" class=\"e\">{}</text>",
                width - right,
                left - 6.0,
                at + 4.0,
                scaled(10_f64.powi(decade))
            );
        }
        // Draws the roof: memory up to the ridge, then each unit's peak.
        let low = (y_min / self.bandwidth).max(x_min);
        for (name, peak) in &self.peaks {
            let ridge = (peak / self.bandwidth).min(x_max);
            let class = if *name == self.unit {
                "line"
            } else {
                "line thin"
            };
            let _ = write!(
                svg,
                "<polyline points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" class=\"{class}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" class=\"e\">{name} {}op/s</text>",
                x(low),
                y(low * self.bandwidth),
                x(ridge),
                y((ridge * self.bandwidth).min(*peak).min(y_max)),
                x(x_max),
                y(*peak),
                x(x_max) - 4.0,
                y(*peak) - 6.0,
                unit_of(*peak)
            );
        }
        let (at, ceiling) = (x(self.intensity), y(self.ceiling));
        let anchor = if at > 0.62 * width {
            " class=\"e kernel\""
        } else {
            " class=\"kernel\""
        };
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{ceiling:.1}\" y2=\"{:.1}\" class=\"at\"/>\
             <circle cx=\"{at:.1}\" cy=\"{ceiling:.1}\" r=\"5\" class=\"dot\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\"{anchor}>{} op/B: at most {}op/s ({})</text>",
            height - bottom,
            if at > 0.62 * width {
                at - 10.0
            } else {
                at + 10.0
            },
            ceiling + 34.0,
            scaled(self.intensity),
            unit_of(self.ceiling),
            self.bound
        );
        // The name is drawn after the kernel's line, and covers the line's dashes where the two
        // cross.
        let middle = low.powf(0.8) * ridge.min(x_max).powf(0.2);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\">memory {}B/s</text>",
            x(middle) + 10.0,
            y(middle * self.bandwidth) + 14.0,
            unit_of(self.bandwidth)
        );
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"m\">operations for each byte of global memory's sectors \
             (counted)</text><text x=\"{left}\" y=\"13\">operations a second (published peaks of {chip})</text></svg>",
            (left + width - right) / 2.0,
            height - 12.0
        );
        svg
    }
}

/// Formats a rate such as `989 T`, with the space that a unit needs.
fn unit_of(value: f64) -> String {
    let text = scaled(value);
    if text.contains(' ') { text } else { text + " " }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_is_the_lesser() {
        let chip = Chip::of("sm_90").unwrap();
        let flops = Flops::of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 1, 32);
        for intensity in [0.01, 1.0, 100.0, 206.0, 207.0, 1e4] {
            let roofline = Roofline::new(chip, &flops, intensity).unwrap();
            assert!(roofline.ceiling <= roofline.peak);
            assert!(roofline.ceiling <= intensity * chip.bandwidth);
            let reached = if roofline.bound == "memory" {
                intensity * chip.bandwidth
            } else {
                roofline.peak
            };
            assert_eq!(roofline.ceiling, reached);
            let svg = roofline.svg(chip.name);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
