//! Runs a matrix product on a device, and compares it with the float64 reference, with cuBLAS, and
//! with libraries in other processes.
//!
//! ```text
//!   seed ─► A, B, C, bias ─┬─► placed in memory, NaN between rows ─► kernel ─► D ──┬─► compared ─► GemmOutcome
//!                          └─► float64, by the definition ─────────────────────────┘
//! ```

use super::reference::{Expected, verdict_is_possible};
use super::setup::{RunInput, RunOutput, Setup};
use super::{RunOptions, RunOutcome, RunPhase};
use crate::CutletError;
use crate::gemm::{
    self, AccumulatorType, Activation, GemmProblem, InputType, KernelRequest, Library, OutputType,
};
use crate::kernels::Modules;
use half::{bf16, f16};
use host::cublas::{Compute, Cublas, CublasApi};
use host::reference::{Difference, GemmTolerance};
use host::{Clock, Kind, Time, Timing};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// A product to run and to validate. A, B and C are uniform in [-1, 1), or for s8 in its whole
/// range, and depend on `seed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmRun {
    /// The product.
    pub problem: GemmProblem,
    /// The kernel and the schedule. The default is the table's choice.
    pub request: KernelRequest<'static>,
    /// The seed of the data.
    pub seed: u64,
}

impl GemmRun {
    /// Makes a run of this problem by the table's kernel, with seed 0.
    #[must_use]
    pub fn new(problem: GemmProblem) -> Self {
        Self {
            problem,
            request: KernelRequest::default(),
            seed: 0,
        }
    }

    /// Sets the seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Requests the kernel of this name.
    #[must_use]
    pub fn with_kernel(mut self, name: &'static str) -> Self {
        self.request.configuration = Some(name);
        self
    }

    /// Whether D is only the product of packed matrices, so that cuBLAS can compute the same.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let GemmProblem {
            m,
            n,
            k,
            input,
            output,
            majors,
            accumulator,
            ..
        } = self.problem;
        self.problem
            == GemmProblem::new(m, n, k, input, output)
                .with_majors(majors)
                .with_accumulator(accumulator)
    }
}

impl Default for GemmRun {
    /// Returns a product of 512×512×512, with f16 in and out, A row-major and B column-major.
    fn default() -> Self {
        Self::new(GemmProblem::new(
            512,
            512,
            512,
            InputType::F16,
            OutputType::Same,
        ))
    }
}

/// The part of D to compare with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// All of D up to 4096³ multiplications, and 256 rows of a larger product.
    #[default]
    Auto,
    /// All of D.
    Full,
    /// 256 rows that the run's seed selects. The first and the last row are among them.
    Sampled,
    /// This number of rows, which the run's seed selects. The first and the last row are among
    /// them.
    Rows(usize),
}

/// The part of D that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Every element.
    Full,
    /// Every element of this many rows.
    Rows(usize),
}

/// A GEMM's result compared with the reference.
#[derive(Debug)]
pub struct GemmOutcome {
    /// The launch and its time.
    pub launched: RunOutcome,
    /// The way in which tiles were assigned to CTAs.
    pub schedule: gemm::Schedule,
    /// The kernel's accumulator type.
    pub accumulator: AccumulatorType,
    /// The distance from the reference.
    pub difference: Difference,
    /// The allowed distance.
    pub tolerance: GemmTolerance,
    /// The part of D that was compared.
    pub compared: Compared,
    /// Whether the bytes after D, and between its rows, are unchanged.
    pub guard_intact: bool,
}

impl GemmOutcome {
    /// Whether the result is right and nothing else was written.
    #[must_use]
    pub fn right(&self) -> bool {
        self.guard_intact && self.tolerance.admits(&self.difference)
    }
}

/// cuBLAS's result of the same product.
#[derive(Debug)]
pub struct CublasOutcome {
    /// The compute type of the call.
    pub compute: Compute,
    /// The library that computed it.
    pub api: CublasApi,
    /// The time and the distance from the reference, or the message if there is an error or no
    /// verdict.
    pub result: Result<(Time, Difference), String>,
    /// Whether the distance is within the tolerance.
    pub right: bool,
}

/// The operands of a product in another process: the bytes that our kernel reads.
pub struct ForeignOperands<'a> {
    /// The product.
    pub problem: &'a GemmProblem,
    /// The bytes of A in its order.
    pub a: &'a [u8],
    /// The bytes of B in its order.
    pub b: &'a [u8],
    /// The scales of A and of B, if the problem has scales of blocks.
    pub scales: [&'a [f32]; 2],
    /// The rows of D that are compared.
    pub rows: &'a [usize],
}

/// A library in another process that computes the same products.
pub trait ForeignProduct {
    /// Computes a product, and returns the elements of the rows to compare.
    ///
    /// # Errors
    /// Returns a sentence, which becomes the [outcome](ForeignOutcome::result).
    fn compute(&mut self, operands: &ForeignOperands<'_>) -> Result<Vec<f64>, String>;
    /// Times a round of samples of the product that was computed last, and returns the seconds.
    ///
    /// # Errors
    /// Returns a sentence, which becomes the [outcome](ForeignOutcome::result).
    fn time(&mut self, timing: Timing) -> Result<f64, String>;
}

/// Another process's result of the same product.
#[derive(Debug)]
pub struct ForeignOutcome {
    /// The time, as the median of a few rounds, and the distance from the reference, or the reason
    /// why there is no result.
    pub result: Result<(Time, Difference), String>,
    /// Whether the distance is within the tolerance.
    pub right: bool,
}

/// Runs a product with the kernels of `module` and compares its result with the float64 reference.
///
/// # Errors
/// Returns [`CutletError::Problem`] if an extent is 0 or too large for a launch,
/// [`CutletError::NoVerdict`] for a k at which the accumulators lose too much,
/// [`CutletError::Memory`] for a problem that the machine cannot hold, and [`CutletError::Host`]
/// for the device's errors. A wrong result is no error.
pub fn gemm(
    modules: impl Into<Modules>,
    run: &GemmRun,
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, CutletError> {
    let library = Library::new(modules)?;
    Ok(gemm_beside(&library, run, options, None)?.0)
}

/// Runs a product with loaded kernels, and the same product by cuBLAS in these compute types and by
/// these of its libraries. Their samples alternate in one run.
///
/// A sample of a short kernel has as many consecutive launches as take 100 µs.
///
/// # Errors
/// Returns the errors of [`gemm()`].
pub fn gemm_beside(
    library: &Library,
    run: &GemmRun,
    options: &RunOptions<'_>,
    cublas: Option<(&Cublas, &[(Compute, CublasApi)])>,
) -> Result<(GemmOutcome, Vec<CublasOutcome>), CutletError> {
    let (outcome, by_cublas, _) = gemm_beside_others(library, run, options, cublas, &mut [])?;
    Ok((outcome, by_cublas))
}

/// Does the same as [`gemm_beside`], and also runs libraries in other processes. Their rounds
/// alternate with ours, so that our time is the median of the same number of rounds.
///
/// # Errors
/// Returns the errors of [`gemm()`].
pub fn gemm_beside_others(
    library: &Library,
    run: &GemmRun,
    options: &RunOptions<'_>,
    cublas: Option<(&Cublas, &[(Compute, CublasApi)])>,
    others: &mut [&mut dyn ForeignProduct],
) -> Result<(GemmOutcome, Vec<CublasOutcome>, Vec<ForeignOutcome>), CutletError> {
    by_type(library, run, &[], options, ProductBeside { cublas, others })
}

/// The competitors that run beside a product.
struct ProductBeside<'a, 'b> {
    cublas: Option<(&'a Cublas, &'a [(Compute, CublasApi)])>,
    others: &'a mut [&'b mut dyn ForeignProduct],
}

/// The number of rounds. In each, our kernel and each other process are timed in turn.
pub(super) const ROUNDS: usize = 3;

/// Runs a [grouped](GemmProblem::groups) product with loaded kernels, and compares its result with
/// the float64 reference. The list has the rows of each group. If groups have [their own
/// extents](GemmProblem::own_extents), it has M, N and K of each, and N and K are at most the
/// problem's.
///
/// # Errors
/// Returns the errors of [`gemm()`], and [`CutletError::Gemm`] if the problem has another number of
/// groups.
pub fn grouped_gemm(
    library: &Library,
    run: &GemmRun,
    groups: &[u32],
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, CutletError> {
    let beside = ProductBeside {
        cublas: None,
        others: &mut [],
    };
    Ok(by_type(library, run, groups, options, beside)?.0)
}

fn by_type(
    library: &Library,
    run: &GemmRun,
    groups: &[u32],
    options: &RunOptions<'_>,
    beside: ProductBeside<'_, '_>,
) -> Result<(GemmOutcome, Vec<CublasOutcome>, Vec<ForeignOutcome>), CutletError> {
    let typed = match (run.problem.input, run.problem.output) {
        (InputType::F16, OutputType::F32) => typed::<f16, f32>,
        (InputType::F16, _) => typed::<f16, f16>,
        (InputType::Bf16, OutputType::F32) => typed::<bf16, f32>,
        (InputType::Bf16, _) => typed::<bf16, bf16>,
        (InputType::Tf32, _) => typed::<f32, f32>,
        (InputType::S8, OutputType::Same) => typed::<i8, i8>,
        (InputType::S8, OutputType::F32) => typed::<i8, f32>,
        (InputType::S8, _) => typed::<i8, i32>,
        (InputType::E4m3, OutputType::Same) => typed::<FloatE4M3, FloatE4M3>,
        (InputType::E4m3, OutputType::F32) => typed::<FloatE4M3, f32>,
        (InputType::E4m3, _) => typed::<FloatE4M3, bf16>,
        (InputType::E5m2, OutputType::Same) => typed::<FloatE5M2, FloatE5M2>,
        (InputType::E5m2, OutputType::F32) => typed::<FloatE5M2, f32>,
        (InputType::E5m2, _) => typed::<FloatE5M2, bf16>,
    };
    typed(library, run, groups, options, beside)
}

fn typed<I: RunInput, O: RunOutput<I>>(
    library: &Library,
    run: &GemmRun,
    groups: &[u32],
    options: &RunOptions<'_>,
    ProductBeside { cublas, others }: ProductBeside<'_, '_>,
) -> Result<(GemmOutcome, Vec<CublasOutcome>, Vec<ForeignOutcome>), CutletError> {
    // Chooses the launch, and checks that a verdict is possible, before anything is allocated.
    let choice = library.choose(&run.problem, &run.request)?;
    let accumulator = choice.plan.problem.accumulator;
    verdict_is_possible(&run.problem, accumulator)?;
    let mut setup = Setup::<I, O>::new(library, run, groups, options)?;
    let result = setup.once(&choice, options)?;
    options.report(RunPhase::Reference);
    let expected = Expected::new(&run.problem, &setup.data, &setup.rows, accumulator)?;
    let (difference, tolerance) = setup.compare(&result.d, &expected)?;
    let guard_intact = setup.gaps.intact(&result.d);
    let mut outcomes = Vec::new();
    let mut beside = Vec::new();
    if let Some((cublas, competitors)) = cublas.filter(|_| run.is_plain()) {
        for &competitor in competitors {
            let (outcome, d) = setup.by_cublas(cublas, competitor, &expected)?;
            outcomes.push(outcome);
            beside.push(d);
        }
    }
    let mut foreign = Vec::new();
    for other in others.iter_mut() {
        foreign.push(setup.by_other(&mut **other, &expected)?);
    }
    let time = match setup.device.kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![result.seconds]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            let first = setup.time(
                &choice,
                options,
                cublas.map(|(cublas, _)| cublas),
                &mut outcomes,
                &mut beside,
            )?;
            match foreign.iter().any(|of| of.result.is_ok()) {
                true => setup.time_rounds(&choice, options, first, others, &mut foreign)?,
                false => first,
            }
        }
    };
    let rows = setup.rows.len();
    let outcome = GemmOutcome {
        launched: RunOutcome {
            kernel: choice.configuration.into(),
            launch: result.launch,
            time,
            emulated: result.report,
        },
        schedule: choice.schedule,
        accumulator,
        tolerance,
        difference,
        compared: if rows < setup.gaps.written() {
            Compared::Rows(rows)
        } else {
            Compared::Full
        },
        guard_intact,
    };
    Ok((outcome, outcomes, foreign))
}

/// Returns the activation's value at `x`.
pub(super) fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::None => x,
        Activation::Relu => x.max(0.0),
        Activation::Gelu => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
            x / 2.0 * (1.0 + inner.tanh())
        }
    }
}
