//! Runs a product with weights of few bits on a device, and compares it with the float64 reference.
//!
//! ```text
//!   seed ─► codes, scales, zeros ─┬─► packed ─► kernel ─► D ──┬─► compared ─► GemmOutcome
//!           X, C, bias            └─► dequantised, float64 ───┘
//! ```
//!
//! Law: the reference multiplies the weights that follow from codes and scales by the format's
//! definition. For a kernel of many rows, the reference rounds scales, minima and weights to the
//! activations' type, as that kernel's law says.

use super::gemm::{Compared, ForeignOutcome, GemmOutcome};
use super::groups::Groups;
use super::reference::{Expected, GemmData, place};
use super::setup::{Gaps, LEAST_SAMPLE, no_time, rows_to_compare};
use super::{GUARD, GemmRun, POISON, RunOptions, RunOutcome, RunPhase};
use crate::CutletError;
use crate::gemm::{AccumulatorType, InputType, KernelRequest, Order, OutputType, Schedule};
use crate::weights::{
    Body, FormatValue, Weights, WeightsChoice, WeightsLibrary, WeightsOperands, WeightsProblem,
    prepare,
};
use bytemuck::Pod;
use half::{bf16, f16};
use host::reference::{self, Element, Random};
use host::{Clock, Device, Kernel, Kind, Time, Timing, time_interleaved};
use std::time::Instant;

/// A product to run and to validate. X, C and the bias are uniform in [-1, 1), codes and zeros have
/// any value, and scales are such that weights have the size of numbers in [-1, 1). All depend on
/// `seed`.
#[derive(Clone, Copy, Debug)]
pub struct WeightsRun {
    /// The product.
    pub problem: WeightsProblem,
    /// The weights' format.
    pub format: FormatValue,
    /// The factor of all weights.
    pub tensor_scale: f32,
    /// The kernel. The default is the library's choice.
    pub kernel: Option<&'static str>,
    /// The seed of the data.
    pub seed: u64,
}

/// The operands of a product with such weights in another process.
pub struct ForeignWeightsOperands<'a> {
    /// M, N and K.
    pub extents: [u32; 3],
    /// X (m, k), row-major.
    pub x: &'a [u8],
    /// The codes of W (n, k), row-major, one byte each.
    pub codes: &'a [u8],
    /// The bits of the scale of each group of a row's codes, row by row.
    pub scales: &'a [u32],
    /// The rows of D that are compared.
    pub rows: &'a [usize],
}

/// A library in another process that computes products with such weights.
pub trait ForeignWeights {
    /// Computes a product, and returns the elements of the rows to compare.
    ///
    /// # Errors
    /// Returns a sentence, which becomes the [outcome](ForeignOutcome::result).
    fn compute(&mut self, operands: &ForeignWeightsOperands<'_>) -> Result<Vec<f64>, String>;
}

/// Random codes, and the random bits of scales and of zeros or minima.
struct Quantised {
    codes: Vec<u8>,
    groups: Vec<[u32; 2]>,
    shape: [usize; 3],
}

impl Quantised {
    fn new(run: &WeightsRun) -> Self {
        let WeightsRun {
            format, problem, ..
        } = run;
        let [n, k] = [problem.product.n, problem.product.k].map(|x| x as usize);
        let groups = format.groups(problem.product.k) as usize;
        let mut random = Random::new(run.seed ^ 0x5ca1e);
        let mask = ((1u32 << format.packed.bits) - 1) as u8;
        let codes: Vec<u8> = reference::fill_bits(!run.seed, n * k);
        let codes = codes.into_iter().map(|code| match code & mask {
            code if (format.is_code)(code.into()) => code,
            _ => 0,
        });
        // Numbers that are uniform in [-1, 1) have a mean square of a third.
        let size = (1.0 / 3.0 / mean_square(format)).sqrt();
        let mut chance = || random.below(1 << 32) as u32;
        let rows = (0..n).flat_map(|_| {
            let row = chance();
            let of_row: Vec<_> = (0..groups)
                .map(|_| (format.by_chance)(size, row, chance()))
                .collect();
            of_row
        });
        Self {
            groups: rows.collect(),
            codes: codes.collect(),
            shape: [n, k, groups],
        }
    }

    fn upload(&self, run: &WeightsRun, device: &Device) -> Result<Weights, CutletError> {
        let [n, k, groups] = self.shape;
        let of_group = |row: u32, group: u32| self.groups[row as usize * groups + group as usize];
        Weights::upload(
            device,
            &run.format,
            (n as u32, k as u32),
            |row, column| self.codes[row as usize * k + column as usize].into(),
            |row, group| of_group(row, group)[0],
            |row, group| of_group(row, group)[1],
        )?
        .with_tensor_scale(run.tensor_scale)
    }

    /// Returns the weights as numbers, (n, k): by the format's definition, or as a kernel of many
    /// rows rounds them to `I`. Every kernel rounds a table's numbers to `I`.
    fn numbers<I: Element>(&self, run: &WeightsRun, rounds: bool) -> Vec<f32> {
        let [_, k, groups] = self.shape;
        let group = k / groups;
        let format = &run.format;
        let round = |x: f64| I::from_f64(x).to_f64();
        let values: Vec<f64> = (0..1 << format.packed.bits)
            .map(|code| round((format.value)(code).into()))
            .collect();
        let of_groups: Vec<_> = (self.groups.iter())
            .map(|&[scale, offset]| {
                let (scale, offset) = ((format.scale)(scale), (format.offset)(offset));
                // A scale of a whole row multiplies the row's sum, so that it is not rounded.
                let [scale, offset] = [scale, offset].map(f64::from);
                if rounds && format.packed.group.is_some() {
                    [round(scale), round(offset)]
                } else {
                    [scale, offset]
                }
            })
            .collect();
        let number = |(at, code): (usize, &u8)| {
            let [scale, offset] = of_groups[at / k * groups + at % k / group];
            let value = values[usize::from(*code)];
            let weight = if format.minima {
                scale * value - offset
            } else {
                scale * (value - offset)
            };
            if rounds && format.packed.group.is_some() {
                round(weight) as f32
            } else {
                weight as f32
            }
        };
        self.codes.iter().enumerate().map(number).collect()
    }
}

/// Returns the mean square of a format's numbers minus a uniformly drawn zero.
fn mean_square(format: &FormatValue) -> f64 {
    let zeros = if format.packed.zeros || format.minima {
        16
    } else {
        1
    };
    let codes = (0..1u32 << format.packed.bits).filter(|&code| (format.is_code)(code));
    let all = codes.flat_map(|code| (0..zeros).map(move |zero| (code, zero)));
    let squares: Vec<f64> = all
        .map(|(code, zero)| (f64::from((format.value)(code)) - f64::from(zero)).powi(2))
        .collect();
    squares.iter().sum::<f64>() / squares.len() as f64
}

/// Runs the product with loaded kernels and compares its result with the float64 reference.
///
/// # Errors
/// Returns the errors of [`WeightsLibrary::choose`], and [`CutletError::NoVerdict`],
/// [`CutletError::Memory`] and [`CutletError::Host`]. A wrong result is no error.
pub fn weights_gemm(
    library: &WeightsLibrary,
    run: &WeightsRun,
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, CutletError> {
    let choice = library.choose(&run.problem, run.kernel)?;
    let kernel = library.kernel(choice.configuration.kernel)?;
    weights_gemm_by(&kernel, &choice, run, options)
}

/// Runs the product as [`weights_gemm`] does, with a kernel from a crate of your own.
///
/// # Errors
/// Returns the errors of [`weights_gemm`].
pub fn weights_gemm_by(
    kernel: &Kernel,
    choice: &WeightsChoice,
    run: &WeightsRun,
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, CutletError> {
    Ok(weights_gemm_beside(kernel, choice, run, options, None)?.0)
}

/// Runs the product as [`weights_gemm_by`] does, and the same product in another process. The
/// other's weights are compared as they are rounded to the activations' type. The other is not
/// timed here.
///
/// # Errors
/// Returns the errors of [`weights_gemm`].
pub fn weights_gemm_beside(
    kernel: &Kernel,
    choice: &WeightsChoice,
    run: &WeightsRun,
    options: &RunOptions<'_>,
    other: Option<&mut dyn ForeignWeights>,
) -> Result<(GemmOutcome, Option<ForeignOutcome>), CutletError> {
    let typed = match (run.problem.product.input, run.problem.product.output) {
        (InputType::F16, OutputType::F32) => typed::<f16, f32>,
        (InputType::F16, _) => typed::<f16, f16>,
        (_, OutputType::F32) => typed::<bf16, f32>,
        _ => typed::<bf16, bf16>,
    };
    typed(kernel, choice, run, options, other)
}

fn typed<I: Element + Pod, O: Element + Pod>(
    kernel: &Kernel,
    choice: &WeightsChoice,
    run: &WeightsRun,
    options: &RunOptions<'_>,
    other: Option<&mut dyn ForeignWeights>,
) -> Result<(GemmOutcome, Option<ForeignOutcome>), CutletError> {
    let product = choice.plan.product;
    let device = kernel.device();
    let of_product = GemmRun {
        problem: product,
        request: KernelRequest::default(),
        seed: run.seed,
    };
    let [m, n, k] = [product.m, product.n, product.k].map(|x| x as usize);
    // The memory of the codes, and of two copies of their numbers, one of which is the reference's.
    let on_device = (n * k) as u128 + ((m * k) as u128 + (m * n) as u128) * 4;
    super::memory::check(device, (n * k) as u128 * 10 + 2 * on_device, on_device)?;
    let rows = rows_to_compare(&of_product, m, options.compare);
    options.report(RunPhase::Inputs);
    let quantised = Quantised::new(run);
    let weights = quantised.upload(run, device)?;
    let rounds = matches!(choice.configuration.body, Body::ManyRows { .. });
    let x: Vec<I> = reference::fill(run.seed, m * k);
    let data_of = |rounds| {
        GemmData::<f32, O>::of_numbers(
            &product,
            x.iter().map(|x| x.to_f64() as f32).collect(),
            quantised.numbers::<I>(run, rounds),
            run.seed,
        )
    };
    let data = data_of(rounds);
    let mut of_reference = product;
    of_reference.epilogue.alpha *= run.tensor_scale;
    let mut foreign = None;
    if let Some(other) = other {
        let scales: Vec<u32> = quantised.groups.iter().map(|of| of[0]).collect();
        let found = other.compute(&ForeignWeightsOperands {
            extents: [product.m, product.n, product.k],
            x: bytemuck::cast_slice(&x),
            codes: &quantised.codes,
            scales: &scales,
            rows: &rows,
        });
        let mut right = false;
        let result = match found {
            Err(why) => Err(why),
            Ok(numbers) => {
                let found: Vec<O> = numbers.into_iter().map(O::from_f64).collect();
                let data = data_of(true);
                let expected = Expected::new(&of_reference, &data, &rows, AccumulatorType::F32)?;
                let (difference, tolerance) = expected.compare(&found)?;
                right = tolerance.admits(&difference);
                Ok((no_time(), difference))
            }
        };
        foreign = Some(ForeignOutcome { result, right });
    }
    drop(quantised);
    let gaps = Gaps::new(&product, m, Groups::new(&product, &[]));
    let x = device.upload(&place(&x, (product.m, product.k), Order::Rows, product.lda))?;
    let c = device.upload(&data.c_in_memory(&product))?;
    let bias = device.upload(&data.bias)?;
    let mut d = device.alloc::<O>(gaps.elements() + GUARD / size_of::<O>())?;
    d.fill_bytes(POISON)?;
    let operands = WeightsOperands {
        x: &x,
        weights: &weights,
        c: (product.epilogue.beta != 0.0).then_some(&c),
        bias: product.epilogue.bias.then_some(&bias),
        d: &mut d,
    };
    let prepared = prepare(kernel, choice, operands)?;
    let start = Instant::now();
    let result = prepared.run(Some(&|done, total| {
        options.report(RunPhase::Kernel(done, total));
    }))?;
    let seconds = start.elapsed().as_secs_f64();
    let time = match device.kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![seconds]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
            time_interleaved(&[&prepared], timing, LEAST_SAMPLE)?[0].0
        }
    };
    let launch = prepared.launch().clone();
    drop(prepared);
    options.report(RunPhase::Reference);
    let found = d.to_vec()?;
    let expected = Expected::new(&of_reference, &data, &rows, AccumulatorType::F32)?;
    let (difference, tolerance) = expected.compare(&gaps.rows(&found, &rows))?;
    let outcome = GemmOutcome {
        launched: RunOutcome {
            kernel: choice.configuration.kernel.into(),
            launch,
            time,
            emulated: result.report,
        },
        schedule: Schedule::Persistent(choice.plan.launch.grid[0]),
        accumulator: AccumulatorType::F32,
        difference,
        tolerance,
        compared: if rows.len() < m {
            Compared::Rows(rows.len())
        } else {
            Compared::Full
        },
        guard_intact: gaps.intact(&found),
    };
    Ok((outcome, foreign))
}
