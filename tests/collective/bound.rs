//! Computes how far a result may be from the exact result: as far as each rounding on its way
//! allows, and no further.
//!
//! ```text
//!   products ─ groups of mma.sync ─► sum ± error ─ alpha, beta C, bias, activation ─► value ± error ─ round ─► lowest..=highest
//! ```
//!
//! Law: let `s` be the exact sum of a group's `g` products and of the previous sum, and let `t` be
//! the largest of these `g + 1` terms. A tensor core cuts every term at one place, which is at most
//! `cut t`, so its result differs from `s` by at most `(g + 1) cut t` and a rounding of the result:
//! `2^-23 |s|` if it cuts to f32, `2^-11 |s|` if it rounds to f16 (`docs/emulator.md`, "The rule").
//! Every later step of f32 arithmetic rounds to nearest, `2^-24`. Both ends are rounded to D's type
//! as the kernel rounds. Rounding is monotonic, so a right result lies between them. Sums of bytes
//! are exact, and the f32 arithmetic after them is done here as in the kernel: except with GELU,
//! only one result is right.

use half::{bf16, f16};
use kernel_abi::gemm::{AccumulatorType, Activation, GemmProblem, InputType, OutputType};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// The roundings of a device's sums.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The number of products in a group.
    group: usize,
    /// The place at which a term is cut, relative to the largest term.
    cut: f64,
    /// The rounding of a group's sum, relative and absolute.
    round: [f64; 2],
    /// The rounding when two parts of a sum are added.
    add: f64,
}

impl Rule {
    /// Returns the roundings of a product on a device of this compute capability.
    pub fn of(gemm: &GemmProblem, (major, _): (u32, u32)) -> Self {
        let (bytes, bits) = if major < 9 { (16, 24) } else { (32, 25) };
        // For 8-bit floats `wgmma` keeps 13 bits, of the terms and of their sum.
        let bits = if gemm.input.is_fp8() { 13 } else { bits };
        let power = |exponent: i32| 2f64.powi(exponent);
        let (round, add) = match gemm.accumulator {
            AccumulatorType::F32 if gemm.input.is_fp8() => ([power(-13), power(-149)], power(-24)),
            AccumulatorType::F32 => ([power(-23), power(-149)], power(-24)),
            AccumulatorType::F16 => ([power(-11), power(-25)], power(-11)),
            AccumulatorType::S32 => ([0.0; 2], 0.0),
        };
        Self {
            group: bytes / gemm.input.bytes() as usize,
            cut: power(-bits),
            round,
            add,
        }
    }
}

/// A sum, and how far a device's sum may be from it.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The exact sum. f64 adds integers, and such products of 22 bits, with an error that is
    /// negligible here.
    pub value: f64,
    /// A bound that no order of roundings exceeds.
    pub error: f64,
    /// Eight standard deviations, if the roundings to nearest were independent and each as large as
    /// possible (Higham, Mary, "A New Approach to Probabilistic Rounding Error Analysis", 2019), or
    /// `error` if groups are cut, because a cut is one-sided.
    pub likely: f64,
}

/// Returns the sum of the products of two rows, in up to `parts` parts. Each part consists of whole
/// groups and begins at 0.
///
/// With one part, the sum before a group is known. With more parts, it is the difference of two
/// such sums.
pub fn sum(a: &[f64], b: &[f64], rule: &Rule, parts: u32) -> Sum {
    let exact = rule.round[0] == 0.0;
    let (mut total, mut low, mut high) = (0.0f64, 0.0f64, 0.0f64);
    if exact || parts > 1 {
        for (a, b) in a.chunks(rule.group).zip(b.chunks(rule.group)) {
            total += a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            (low, high) = (low.min(total), high.max(total));
        }
    }
    if exact {
        return Sum {
            value: total,
            error: 0.0,
            likely: 0.0,
        };
    }
    let range = high - low;
    let (mut value, mut error, mut cuts, mut squares) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for (a, b) in a.chunks(rule.group).zip(b.chunks(rule.group)) {
        let (mut group, mut largest) = (0.0f64, 0.0f64);
        for (a, b) in a.iter().zip(b) {
            group += a * b;
            largest = largest.max((a * b).abs());
        }
        let (before, after) = if parts > 1 {
            (range, range)
        } else {
            (value.abs(), (value + group).abs())
        };
        value += group;
        let cut = (rule.group + 1) as f64 * rule.cut * (before + error).max(largest);
        let round = rule.round[0] * (after + error + cut) + rule.round[1];
        error += cut + round;
        cuts += cut;
        squares += round * round;
    }
    if parts > 1 {
        for _ in 0..parts {
            let round = rule.add * (range + error) + rule.round[1];
            error += round;
            squares += round * round;
        }
    }
    // A rounding to nearest is off by up to half of the last place, uniformly distributed: the mean
    // of its square is a third of the largest square.
    let likely = cuts + 8.0 * (squares / 3.0).sqrt();
    Sum {
        value,
        error,
        likely: if rule.round[0] > 1e-4 {
            likely.min(error)
        } else {
            error
        },
    }
}

/// A value, and how far the device's value may be from it.
#[derive(Clone, Copy, Debug)]
struct About(f64, f64);

impl About {
    /// Returns the value after one rounding to f32.
    fn rounded(self) -> Self {
        Self(
            self.0,
            self.1 + (self.0.abs() + self.1) * 2f64.powi(-24) + 2f64.powi(-149),
        )
    }
    fn times(self, factor: f32) -> Self {
        let factor = f64::from(factor);
        let product = Self(self.0 * factor, self.1 * factor.abs());
        // Multiplying by one is exact.
        if factor == 1.0 {
            product
        } else {
            product.rounded()
        }
    }
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1).rounded()
    }
    /// Returns `x / (1 + exp(-2 u))`, where `u = sqrt(2 / pi) (x + 0.044715 x^3)`. Its slope is at
    /// most 1.13.
    ///
    /// The exponent is off by at most 8 roundings, `ex2.approx` by 2 units in the last place and
    /// `rcp.approx` by one unit (PTX ISA). A unit is 2 roundings. The addition and the last product
    /// are off by one rounding each.
    fn gelu(self) -> Self {
        let x = self.0;
        let t = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
        let share = 1.0 / (1.0 + (-t).exp());
        let roundings = (1.0 - share) * (8.0 * t.abs() + 4.0) + 4.0;
        let off = (x * share).abs() * roundings * 2f64.powi(-24);
        Self(x * share, 1.13 * self.1 + 1.01 * off + 1e-30)
    }
}

/// The right elements of D.
#[derive(Clone, Copy, Debug)]
pub struct Right {
    /// The exact value, before it is rounded to D's type.
    pub value: f64,
    /// About how far a right element may be from the exact value.
    pub allowed: f64,
    /// The smallest right element.
    pub lowest: f64,
    /// The largest right element.
    pub highest: f64,
}

impl Right {
    /// Returns how far a right element is from the exact value, as a multiple of the allowed
    /// distance, or 0 if it is the only right element. Returns `None` if the element is not right.
    pub fn error_of(&self, element: f64) -> Option<f64> {
        let right = self.lowest <= element && element <= self.highest;
        right.then(|| {
            if self.lowest < self.highest {
                (element - self.value).abs() / self.allowed
            } else {
                0.0
            }
        })
    }
}

/// Returns the right elements of D for this element of C and this bias.
pub fn finish(
    gemm: &GemmProblem,
    sum: f64,
    error: f64,
    c: Option<f64>,
    bias: Option<f32>,
) -> Right {
    if gemm.output == OutputType::S32 {
        let value = f64::from(sum as i64 as i32);
        return Right {
            value,
            allowed: 0.0,
            lowest: value,
            highest: value,
        };
    }
    let epilogue = &gemm.epilogue;
    let mut about = if gemm.accumulator == AccumulatorType::S32 {
        let mut x = sum as i64 as i32 as f32 * epilogue.alpha;
        if let Some(c) = c {
            x += epilogue.beta * c as f32;
        }
        if let Some(bias) = bias {
            x += bias;
        }
        About(x.into(), 0.0)
    } else {
        let mut about = About(sum, error).times(epilogue.alpha);
        if let Some(c) = c {
            about = about.plus(About(c, 0.0).times(epilogue.beta));
        }
        if let Some(bias) = bias {
            about = about.plus(About(bias.into(), 0.0));
        }
        about
    };
    match epilogue.activation {
        Activation::None => {}
        Activation::Relu => {
            let (low, high) = (about.0 - about.1, about.0 + about.1);
            let (low, high) = (low.max(0.0), high.max(0.0));
            about = About((low + high) / 2.0, (high - low) / 2.0);
        }
        Activation::Gelu => about = about.gelu(),
    }
    let half = match (gemm.output, gemm.input) {
        (OutputType::Same, InputType::F16) => about.0.abs() * 2f64.powi(-11) + 2f64.powi(-25),
        (OutputType::Same, InputType::Bf16) => about.0.abs() * 2f64.powi(-8),
        (OutputType::Same, InputType::S8) => 0.5,
        (OutputType::Bf16, _) => about.0.abs() * 2f64.powi(-8),
        (OutputType::Same, InputType::E4m3) => about.0.abs() * 2f64.powi(-4) + 2f64.powi(-10),
        (OutputType::Same, InputType::E5m2) => about.0.abs() * 2f64.powi(-3) + 2f64.powi(-17),
        _ => about.0.abs() * 2f64.powi(-24),
    };
    Right {
        value: about.0,
        allowed: about.1 + half,
        lowest: round(gemm, about.0 - about.1, f32::next_down),
        highest: round(gemm, about.0 + about.1, f32::next_up),
    }
}

/// Returns an end as an f32 that is not nearer to the value, rounded to D's type.
fn round(gemm: &GemmProblem, end: f64, outwards: impl Fn(f32) -> f32) -> f64 {
    let mut x = end as f32;
    if f64::from(x) != end {
        x = outwards(x);
    }
    match (gemm.output, gemm.input) {
        (OutputType::Same, InputType::F16) => f16::from_f32(x).to_f64(),
        (OutputType::Same, InputType::Bf16) | (OutputType::Bf16, _) => bf16::from_f32(x).to_f64(),
        (OutputType::Same, InputType::E4m3) => FloatE4M3::from_f32(x).to_f32().into(),
        (OutputType::Same, InputType::E5m2) => FloatE5M2::from_f32(x).to_f32().into(),
        (OutputType::Same, InputType::S8) => f64::from(x).round_ties_even().clamp(-128.0, 127.0),
        (OutputType::F32 | OutputType::S32, _) | (OutputType::Same, InputType::Tf32) => x.into(),
    }
}
