//! A matrix product on a device, against the float64 reference, against cuBLAS, and against
//! libraries of other processes.
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

/// A product to run and to validate: A, B and C are uniform in [-1, 1), of s8 in all of their
/// range, by `seed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmRun {
    /// The product.
    pub problem: GemmProblem,
    /// The kernel and the schedule; by default the table's.
    pub request: KernelRequest<'static>,
    /// The seed of the data.
    pub seed: u64,
}

impl GemmRun {
    /// A run of this problem by the table's kernel, with seed 0.
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

    /// Whether D is nothing but the product of packed matrices: what cuBLAS computes beside it.
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
    /// 512×512×512, f16 in and out, A row-major and B column-major.
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

/// How much of D to compare with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// All of it up to 4096³ multiplications, 256 rows of it beyond.
    #[default]
    Auto,
    /// All of it.
    Full,
    /// 256 rows by the run's seed, the first and the last among them.
    Sampled,
    /// So many rows by the run's seed, the first and the last among them.
    Rows(usize),
}

/// How much of D was compared.
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
    /// How tiles were assigned to CTAs.
    pub schedule: gemm::Schedule,
    /// The kernel's accumulator type.
    pub accumulator: AccumulatorType,
    /// The distance from the reference.
    pub difference: Difference,
    /// The distance that is allowed.
    pub tolerance: GemmTolerance,
    /// How much of D was compared.
    pub compared: Compared,
    /// Whether the bytes behind D, and between its rows, are unchanged.
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
    /// Its compute type.
    pub compute: Compute,
    /// The library that computed it.
    pub api: CublasApi,
    /// Its time and its distance from the reference; or its error message, or why there is no
    /// verdict.
    pub result: Result<(Time, Difference), String>,
    /// Whether the distance is within the tolerance.
    pub right: bool,
}

/// What a library of another process computes a product from: the bytes that our kernel reads.
pub struct ForeignOperands<'a> {
    /// The product.
    pub problem: &'a GemmProblem,
    /// A in its order.
    pub a: &'a [u8],
    /// B in its order.
    pub b: &'a [u8],
    /// The scales of A and of B, where the problem has scales of blocks.
    pub scales: [&'a [f32]; 2],
    /// The rows of D that are compared.
    pub rows: &'a [usize],
}

/// A library of another process that computes the same products.
pub trait ForeignProduct {
    /// Computes a product, and gives the elements of the rows to compare.
    ///
    /// # Errors
    /// A sentence, which is the [outcome](ForeignOutcome::result).
    fn compute(&mut self, operands: &ForeignOperands<'_>) -> Result<Vec<f64>, String>;
    /// Seconds of the product computed last, a round of samples.
    ///
    /// # Errors
    /// A sentence, which is the [outcome](ForeignOutcome::result).
    fn time(&mut self, timing: Timing) -> Result<f64, String>;
}

/// Another process's result of the same product.
#[derive(Debug)]
pub struct ForeignOutcome {
    /// Its time, the median of a few rounds, and its distance from the reference; or why there is
    /// none.
    pub result: Result<(Time, Difference), String>,
    /// Whether the distance is within the tolerance.
    pub right: bool,
}

/// Runs a product with the kernels of `module` and compares its result with the float64 reference.
///
/// # Errors
/// [`CutletError::Problem`] for an extent of 0 or beyond what a launch covers,
/// [`CutletError::NoVerdict`] for a k at which the accumulators lose too much,
/// [`CutletError::Memory`] for a problem that the machine cannot hold, [`CutletError::Host`] for
/// what the device reports. A wrong result is no error.
pub fn gemm(
    modules: impl Into<Modules>,
    run: &GemmRun,
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, CutletError> {
    let library = Library::new(modules)?;
    Ok(gemm_beside(&library, run, options, None)?.0)
}

/// Runs a product with loaded kernels, and beside it cuBLAS in these compute types and by these
/// libraries, timed alternately in one run.
///
/// A sample of short kernels is as many launches, one behind the other, as take 100 µs.
///
/// # Errors
/// As [`gemm()`].
pub fn gemm_beside(
    library: &Library,
    run: &GemmRun,
    options: &RunOptions<'_>,
    cublas: Option<(&Cublas, &[(Compute, CublasApi)])>,
) -> Result<(GemmOutcome, Vec<CublasOutcome>), CutletError> {
    let (outcome, by_cublas, _) = gemm_beside_others(library, run, options, cublas, &mut [])?;
    Ok((outcome, by_cublas))
}

/// As [`gemm_beside`], and beside it libraries of other processes, whose rounds of times alternate
/// with ours: our time is then the median of as many rounds.
///
/// # Errors
/// As [`gemm()`].
pub fn gemm_beside_others(
    library: &Library,
    run: &GemmRun,
    options: &RunOptions<'_>,
    cublas: Option<(&Cublas, &[(Compute, CublasApi)])>,
    others: &mut [&mut dyn ForeignProduct],
) -> Result<(GemmOutcome, Vec<CublasOutcome>, Vec<ForeignOutcome>), CutletError> {
    by_type(library, run, &[], options, ProductBeside { cublas, others })
}

/// What is compared and timed beside a product.
struct ProductBeside<'a, 'b> {
    cublas: Option<(&'a Cublas, &'a [(Compute, CublasApi)])>,
    others: &'a mut [&'b mut dyn ForeignProduct],
}

/// Rounds of ours and each other process's in turn.
pub(super) const ROUNDS: usize = 3;

/// Runs a [grouped](GemmProblem::groups) product with loaded kernels, and compares its result with
/// the float64 reference. The list has the rows of each group, or, with [extents of their
/// own](GemmProblem::own_extents), M, N and K of each, N and K no larger than the problem's.
///
/// # Errors
/// As [`gemm()`]; [`CutletError::Gemm`] where the problem has another number of groups.
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
    // The launch, and whether a verdict is possible, before anything is allocated.
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
