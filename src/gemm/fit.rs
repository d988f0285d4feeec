//! Fits the constants of the [model](super::model) to measured launches.
//!
//! ```text
//!   (shape, kernel, schedule, time) .. ─► least squares of  log estimate - log time, launches near their shape's fastest weigh more
//!                                      └► a factor for each kernel: what its launches have in common that the constants do not explain
//! ```
//!
//! Law: the fit lowers the sum of squares, by the method of Levenberg and Marquardt. The constants
//! stay positive, because the fit works on their logarithms.

use super::model::{CONSTANTS, Constants, LaunchParts, Model, tile_name};
use super::{CONFIGURATIONS, ScheduleRequest};
use kernel_abi::gemm::{
    AccumulatorType, Configuration, GemmProblem, InputType, Majors, OutputType, Schedule,
};
use kernel_choice::{output_name, output_of};

/// The time of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The extents M, N and K.
    pub extents: [u32; 3],
    /// The type of D.
    pub output: OutputType,
    /// The kernel.
    pub kernel: String,
    /// The schedule.
    pub schedule: ScheduleRequest,
    /// The time in microseconds.
    pub microseconds: f64,
}

impl Measurement {
    /// The names of the columns.
    pub const COLUMNS: &'static str = "m,n,k,output,kernel,schedule,microseconds";

    /// Writes the measurement as a line of a file.
    #[must_use]
    pub fn line(&self) -> String {
        let [m, n, k] = self.extents;
        let Self {
            kernel,
            schedule,
            microseconds,
            ..
        } = self;
        let output =
            Self::configuration(kernel).map_or("", |of| output_name(of.input, self.output));
        format!("{m},{n},{k},{output},{kernel},{schedule},{microseconds:.3}")
    }

    /// Parses the measurement in a line.
    ///
    /// # Errors
    /// Returns a message with the line if it does not have the columns.
    pub fn of_line(line: &str) -> Result<Self, String> {
        let wrong = || format!("`{line}` has not the columns {}", Self::COLUMNS);
        let fields: Vec<&str> = line.split(',').collect();
        let &[m, n, k, output, kernel, schedule, microseconds] = fields.as_slice() else {
            return Err(wrong());
        };
        let extent = |text: &str| text.parse::<u32>().ok().filter(|&extent| extent > 0);
        let time = |text: &str| text.parse::<f64>().ok().filter(|&time| time > 0.0);
        // If the kernel no longer exists, D's type is not parsed.
        let output = match Self::configuration(kernel) {
            Some(of) => output_of(of.input, output)?,
            None => OutputType::Same,
        };
        match (extent(m), extent(n), extent(k), time(microseconds)) {
            (Some(m), Some(n), Some(k), Some(microseconds)) => Ok(Self {
                extents: [m, n, k],
                output,
                kernel: kernel.into(),
                schedule: schedule.parse()?,
                microseconds,
            }),
            _ => Err(wrong()),
        }
    }

    /// Returns the configuration with this name, or `None` if there is none.
    fn configuration(kernel: &str) -> Option<&'static Configuration> {
        CONFIGURATIONS.iter().find(|of| of.name == kernel)
    }

    /// Returns the kernel's configuration and the problem, or `None` if the kernel no longer
    /// exists.
    fn launch(&self) -> Option<(&'static Configuration, GemmProblem)> {
        let of = Self::configuration(&self.kernel)?;
        let [m, n, k] = self.extents;
        let problem = GemmProblem::new(m, n, k, of.input, self.output)
            .with_majors(of.majors)
            .with_accumulator(of.accumulator);
        Some((of, problem))
    }
}

/// A launch in the form that the fit uses.
#[derive(Clone)]
struct Sample {
    parts: LaunchParts,
    /// The index of the launch's configuration.
    configuration: usize,
    /// The logarithm of the configuration's factor.
    factor: f64,
    /// The measured time, in microseconds.
    time: f64,
    /// The time divided by the time of the shape's fastest launch.
    ratio: f64,
    /// A factor of the weight: 1 if the residual of the last turn was at most [`FAR`], else `FAR`
    /// divided by the residual.
    trust: f64,
    /// The extents and the type of D.
    product: ([u32; 3], OutputType),
}

impl Sample {
    /// Returns the weight of the launch in a fit. A slow launch, which is never chosen, counts
    /// less, and so does an outlier.
    fn weight(&self) -> f64 {
        self.trust / (1.0 + 3.0 * (self.ratio - 1.0))
    }

    fn residual(&self, constants: &Constants) -> f64 {
        self.factor + (self.parts.terms(constants).total / self.time).ln()
    }
}

/// Returns the schedule. If it needs a number of CTAs, this is the number of multiprocessors.
fn schedule(request: ScheduleRequest, multiprocessors: u32) -> Schedule {
    match request {
        ScheduleRequest::Auto | ScheduleRequest::Persistent => {
            Schedule::Persistent(multiprocessors)
        }
        ScheduleRequest::Tiles => Schedule::Tiles,
        ScheduleRequest::SplitK(slices) => Schedule::SplitK(slices),
        ScheduleRequest::ClusterSplitK(ctas) => Schedule::ClusterSplitK(ctas),
        ScheduleRequest::StreamK => Schedule::StreamK(multiprocessors),
    }
}

/// The launches of one kind, and how their configurations belong together.
struct Samples {
    /// The launches, by product, the fastest of each product first.
    all: Vec<Sample>,
    /// The names of the configurations, without the types.
    names: Vec<&'static str>,
    /// The index of each configuration's kernel.
    kernel_of: Vec<usize>,
}

/// Returns the measured launches of a kind that a model estimates. `factor` is the factor of a
/// configuration.
fn samples(
    kind: (InputType, AccumulatorType, Majors),
    measurements: &[Measurement],
    multiprocessors: u32,
    factor: impl Fn(&Configuration) -> f64,
) -> Samples {
    let mut names: Vec<&'static str> = Vec::new();
    // The kernels' names, and the index of each configuration's kernel among them.
    let (mut kernels, mut kernel_of): (Vec<&'static str>, Vec<usize>) = Default::default();
    let mut samples: Vec<Sample> = Vec::new();
    for measurement in measurements {
        let Some((of, problem)) = measurement.launch() else {
            continue;
        };
        let schedule = schedule(measurement.schedule, multiprocessors);
        let parts = LaunchParts::new(of, &problem, schedule, multiprocessors);
        let is_of_kind = (of.input, of.accumulator, of.majors) == kind;
        let (Some(parts), true) = (parts, is_of_kind) else {
            continue;
        };
        let place = |known: &mut Vec<&'static str>, name| {
            let place = known.iter().position(|known| *known == name);
            place.unwrap_or_else(|| {
                known.push(name);
                known.len() - 1
            })
        };
        let configuration = place(&mut names, tile_name(of.name));
        let kernel = place(&mut kernels, tile_name(of.kernel));
        if configuration == kernel_of.len() {
            kernel_of.push(kernel);
        }
        samples.push(Sample {
            parts,
            configuration,
            factor: factor(of).ln(),
            time: measurement.microseconds,
            ratio: 1.0,
            trust: 1.0,
            product: (measurement.extents, measurement.output),
        });
    }
    samples.sort_by(|a, b| {
        let place = |sample: &Sample| {
            let (extents, output) = sample.product;
            (extents, output as u8)
        };
        place(a).cmp(&place(b)).then(a.time.total_cmp(&b.time))
    });
    for of_shape in samples.chunk_by_mut(|a, b| a.product == b.product) {
        let least = of_shape[0].time;
        of_shape
            .iter_mut()
            .for_each(|sample| sample.ratio = sample.time / least);
    }
    Samples {
        all: samples,
        names,
        kernel_of,
    }
}

/// Returns how much longer a model's choices take than the fastest measured launches, as a
/// geometric mean over the measured shapes, or `None` if no launch was measured that the model
/// estimates. The model may have been fitted to other measurements.
#[must_use]
pub fn regret(model: &Model, measurements: &[Measurement], multiprocessors: u32) -> Option<f64> {
    let kind = (model.input, model.accumulator, model.majors);
    let of = samples(kind, measurements, multiprocessors, |of| model.factor(of));
    (!of.all.is_empty()).then(|| geometric_mean(&chosen(&of.all, &model.constants)))
}

/// Fits a model to the measurements of its kind. Returns `None` if there are fewer than ten
/// measurements per constant of launches that the model estimates.
#[must_use]
pub fn fit(
    kind: (InputType, AccumulatorType, Majors),
    measurements: &[Measurement],
    multiprocessors: u32,
) -> Option<Model> {
    let (input, accumulator, majors) = kind;
    let Samples {
        all: mut samples,
        names,
        kernel_of,
    } = samples(kind, measurements, multiprocessors, |_| 1.0);
    if samples.len() < 10 * CONSTANTS {
        return None;
    }
    let left_out = left_out(&samples, &kernel_of);
    let (constants, factors) = fitted(&mut samples, &kernel_of);
    let near = || samples.iter().filter(|sample| sample.ratio <= 1.3);
    let squares: f64 = near()
        .map(|sample| sample.residual(&constants).powi(2))
        .sum();
    let kernels = names.into_iter().zip(factors);
    Some(Model {
        input,
        accumulator,
        majors,
        constants,
        kernels: kernels
            .map(|(name, factor)| (name.into(), factor))
            .collect(),
        launches: samples.len(),
        error: (squares / near().count() as f64).sqrt(),
        regret: geometric_mean(&chosen(&samples, &constants)),
        left_out,
    })
}

/// The number of turns between constants and factors: more turns change neither.
const TURNS: usize = 3;
/// A configuration's factor is pulled towards its kernel's factor, and a kernel's factor towards 1,
/// with the weight of this number of launches.
const DRAWN: f64 = 20.0;

/// The residual (a logarithm) beyond which a launch counts linearly instead of quadratically (Huber
/// loss), because the model lacks a part of its time.
const FAR: f64 = 0.5;

/// Returns the constants that fit best, and the factor of each configuration. The logarithms of the
/// factors and the trust are stored in the samples. `kernel_of` holds the index of each
/// configuration's kernel.
fn fitted(samples: &mut [Sample], kernel_of: &[usize]) -> (Constants, Vec<f64>) {
    let mut constants = START;
    let mut factors = vec![0.0; kernel_of.len()];
    for _ in 0..TURNS {
        constants = least_squares(samples, constants);
        // The shrunk mean of the launches' logarithms, minus `rest`, over each group to which
        // `part` maps configurations.
        let common = |part: &dyn Fn(usize) -> usize, rest: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let mut sums = vec![(0.0, DRAWN); kernel_of.len()];
            for sample in &*samples {
                let (sum, weight) = &mut sums[part(sample.configuration)];
                let unsaid = sample.factor - sample.residual(&constants);
                *sum += sample.weight() * (unsaid - rest(sample.configuration));
                *weight += sample.weight();
            }
            sums.iter().map(|(sum, weight)| sum / weight).collect()
        };
        let of_kernels = common(&|of| kernel_of[of], &|_| 0.0);
        let own = common(&|of| of, &|of| of_kernels[kernel_of[of]]);
        factors = (own.iter().zip(kernel_of))
            .map(|(own, &kernel)| own + of_kernels[kernel])
            .collect();
        for sample in &mut *samples {
            sample.factor = factors[sample.configuration];
            sample.trust = (FAR / sample.residual(&constants).abs()).min(1.0);
        }
    }
    (constants, factors.into_iter().map(f64::exp).collect())
}

/// The number of parts into which shapes are divided, to see how well a fit to the other parts
/// chooses.
const FOLDS: usize = 5;

/// Returns the geometric mean, over shapes, of `Sample::ratio` of the launch that a fit to the
/// other shapes chooses.
fn left_out(samples: &[Sample], kernel_of: &[usize]) -> f64 {
    let shapes: Vec<&[Sample]> = samples.chunk_by(|a, b| a.product == b.product).collect();
    let mut ratios = Vec::new();
    for fold in 0..FOLDS {
        let of_fold = |wanted: bool| -> Vec<Sample> {
            let shapes = shapes.iter().enumerate();
            let shapes = shapes.filter(|(at, _)| (at % FOLDS == fold) == wanted);
            shapes.flat_map(|(_, shape)| shape.to_vec()).collect()
        };
        let (mut others, mut own) = (of_fold(false), of_fold(true));
        let (constants, factors) = fitted(&mut others, kernel_of);
        own.iter_mut()
            .for_each(|sample| sample.factor = factors[sample.configuration].ln());
        ratios.extend(chosen(&own, &constants));
    }
    geometric_mean(&ratios)
}

/// Returns for each shape `Sample::ratio` of the launch with the least estimate.
fn chosen(samples: &[Sample], constants: &Constants) -> Vec<f64> {
    samples
        .chunk_by(|a, b| a.product == b.product)
        .filter_map(|of_shape| {
            let estimate =
                |sample: &Sample| sample.factor.exp() * sample.parts.terms(constants).total;
            let least = |a: &&Sample, b: &&Sample| estimate(a).total_cmp(&estimate(b));
            Some(of_shape.iter().min_by(least)?.ratio)
        })
        .collect()
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (logarithms / ratios.len().max(1) as f64).exp()
}

/// The initial constants: roughly those of an H200.
const START: Constants = Constants {
    cycle: 5.5e-4,
    k_tile: 0.01,
    k_tile_pingpong: 0.04,
    issue: 0.02,
    l2_byte: 7e-8,
    read_byte: 2.7e-7,
    write_byte: 3.5e-7,
    unaligned_read: 0.8,
    sliced_read: 1.3,
    unaligned_write: 0.5,
    short_chunk: 0.8,
    store_byte: 1.4e-5,
    tile: 0.7,
    tile_pingpong: 0.4,
    wave: 2.8,
    reduction: 1.9,
    slice_byte: 4.5e-7,
    cluster_split: 0.8,
    cluster_slice_byte: 9.5e-6,
    cluster: 0.36,
    packing: 2.0,
    packed_byte: 6e-7,
    norm_of_k_tile: 1.3,
    norm_of_launch: 2.7,
};

/// The residual beyond which a launch counts linearly, not quadratically, so that a launch that the
/// model does not describe does not distort the fit.
const SCALE: f64 = 0.1;
const ITERATIONS: usize = 40;
/// The difference of a logarithm with which a derivative is computed.
const DIFFERENCE: f64 = 1e-4;
/// The strength with which a constant is pulled to its initial value: a factor of e costs as much
/// as this number of launches whose estimate is off by [`SCALE`]. It determines the constants on
/// which few measurements depend.
const PRIOR: f64 = 4.0;

/// Returns the sum of the residuals' squares (linear beyond [`SCALE`]), and of the squared
/// distances from [`START`].
fn cost(samples: &[Sample], constants: &Constants) -> f64 {
    let of = |sample: &Sample| {
        let scaled = sample.weight() * sample.residual(constants) / SCALE;
        2.0 * ((1.0 + scaled * scaled).sqrt() - 1.0)
    };
    let distances = logarithms(constants).into_iter().zip(logarithms(&START));
    let distances: f64 = distances.map(|(at, start)| (at - start).powi(2)).sum();
    samples.iter().map(of).sum::<f64>() + PRIOR * distances
}

fn logarithms(constants: &Constants) -> Row {
    constants.to_array().map(f64::ln)
}

/// Lowers [`cost`] from `start` on, by the damped steps of Levenberg and Marquardt.
fn least_squares(samples: &[Sample], start: Constants) -> Constants {
    let of = |logarithms: &[f64; CONSTANTS]| Constants::from_array(logarithms.map(f64::exp));
    let mut at = logarithms(&start);
    let mut best = cost(samples, &of(&at));
    let mut damping = 1e-2;
    for _ in 0..ITERATIONS {
        let (normal, gradient) = normal_equations(samples, &at, of);
        let mut lower = false;
        while damping < 1e9 && !lower {
            let mut damped = normal;
            for (i, row) in damped.iter_mut().enumerate() {
                row[i] += damping * (row[i] + 1e-6);
            }
            let step = solve(damped, gradient);
            // A constant on which no measurement depends keeps its value.
            let next = std::array::from_fn(|i| at[i] - step[i].clamp(-1.0, 1.0));
            let found = cost(samples, &of(&next));
            lower = found < best;
            if lower {
                (at, damping) = (next, damping / 4.0);
                let little = best - found < 1e-7 * best;
                best = found;
                if little {
                    return of(&at);
                }
            } else {
                damping *= 4.0;
            }
        }
    }
    of(&at)
}

type Row = [f64; CONSTANTS];

/// Returns the matrix and the right side of the step's normal equations.
fn normal_equations(
    samples: &[Sample],
    at: &Row,
    of: impl Fn(&Row) -> Constants,
) -> ([Row; CONSTANTS], Row) {
    let here = of(at);
    let beside: Vec<Constants> = (0..CONSTANTS)
        .map(|i| {
            let mut at = *at;
            at[i] += DIFFERENCE;
            of(&at)
        })
        .collect();
    let mut normal = [[0.0; CONSTANTS]; CONSTANTS];
    let mut gradient = [0.0; CONSTANTS];
    for sample in samples {
        let residual = sample.residual(&here);
        let weight = sample.weight();
        let scaled = weight * residual / SCALE;
        let weight = weight * weight / (1.0 + scaled * scaled).sqrt();
        let slopes: Row =
            std::array::from_fn(|i| (sample.residual(&beside[i]) - residual) / DIFFERENCE);
        for i in 0..CONSTANTS {
            gradient[i] += weight * slopes[i] * residual;
            for j in 0..CONSTANTS {
                normal[i][j] += weight * slopes[i] * slopes[j];
            }
        }
    }
    // The cost divides residuals by SCALE; these equations do not.
    let prior = PRIOR * SCALE * SCALE;
    for (i, start) in logarithms(&START).into_iter().enumerate() {
        normal[i][i] += prior;
        gradient[i] += prior * (at[i] - start);
    }
    (normal, gradient)
}

/// Solves a system of equations by elimination with pivots. A column of zeros gives 0.
fn solve(mut matrix: [Row; CONSTANTS], mut right: Row) -> Row {
    for column in 0..CONSTANTS {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..CONSTANTS)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let of_pivot = matrix[column];
        if of_pivot[column].abs() < 1e-300 {
            continue;
        }
        for row in column + 1..CONSTANTS {
            let factor = matrix[row][column] / of_pivot[column];
            for (value, of_pivot) in matrix[row].iter_mut().zip(of_pivot) {
                *value -= factor * of_pivot;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; CONSTANTS];
    for row in (0..CONSTANTS).rev() {
        let known: f64 = (row + 1..CONSTANTS)
            .map(|column| matrix[row][column] * solution[column])
            .sum();
        if matrix[row][row].abs() >= 1e-300 {
            solution[row] = (right[row] - known) / matrix[row][row];
        }
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: (InputType, AccumulatorType, Majors) =
        (InputType::Bf16, AccumulatorType::F32, Majors::Tn);

    /// Checks that the fit recovers the constants from times that the model computed with them.
    #[test]
    fn a_fit_finds_the_constants_that_made_the_times() {
        let values = START.to_array();
        let truth = Constants::from_array(std::array::from_fn(|i| {
            values[i] * if i % 2 == 0 { 1.3 } else { 0.8 }
        }));
        let mut measurements = Vec::new();
        for m in [1, 40, 200, 1000, 5000] {
            for n in [64, 1000, 4096] {
                for k in [64, 520, 8192] {
                    for of in CONFIGURATIONS.iter().filter(|of| {
                        (of.input, of.accumulator, of.majors) == KIND && !of.is_grouped()
                    }) {
                        for request in ["persistent", "split-k:3", "cluster-split-k:4"] {
                            let mut measurement = Measurement {
                                extents: [m, n, k],
                                output: OutputType::Same,
                                kernel: of.name.into(),
                                schedule: request.parse().unwrap(),
                                microseconds: 1.0,
                            };
                            let problem = measurement.launch().unwrap().1;
                            let schedule = schedule(measurement.schedule, 132);
                            if of.plan(&problem, schedule).is_err() {
                                continue;
                            }
                            if let Some(parts) = LaunchParts::new(of, &problem, schedule, 132) {
                                measurement.microseconds = parts.terms(&truth).total;
                                measurements.push(measurement);
                            }
                        }
                    }
                }
            }
        }
        let model = fit(KIND, &measurements, 132).unwrap();
        assert!(model.error < 0.01, "{model:?}");
        assert!(model.regret < 1.005, "{model:?}");
        assert!(fit(KIND, &measurements[..100], 132).is_none());
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for line in [
            "7,8,9,bf16,gemm_bf16_f32_tn_64x64x64_s8_wgmma_pp,split-k:3,12.500",
            "7,8,9,s32,gemm_s8_s32_tn_64x64x128_s8_wgmma_pp,persistent,12.500",
            "7,8,9,s8,gemm_s8_s32_tn_64x64x128_s8_wgmma_pp,persistent,12.500",
        ] {
            assert_eq!(Measurement::of_line(line).unwrap().line(), line);
        }
        for wrong in [
            "7,8,9,bf16,k,split-k:3",
            "0,8,9,bf16,k,tiles,1.0",
            "7,8,9,bf16,k,tiles,-1.0",
            "7,8,9,bf16,k,no,1",
            "7,8,9,s32,gemm_bf16_f32_tn_64x64x64_s8_wgmma_pp,tiles,1",
        ] {
            assert!(Measurement::of_line(wrong).is_err(), "{wrong}");
        }
    }
}
