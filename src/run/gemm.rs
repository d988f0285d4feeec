//! A matrix product on a device, against the float64 reference, and against cuBLAS.
//!
//! ```text
//!   seed ─► A, B, C, bias ─┬─► placed in memory, NaN between rows ─► kernel ─► D ──┬─► compared ─► GemmOutcome
//!                          └─► float64, by the definition ─────────────────────────┘
//! ```

use super::reference::Expected;
use super::setup::{In, Out, Setup};
use super::{Options, Ran, Stage};
use crate::Error;
use crate::gemm::{
    self, AccumulatorType, Activation, Epilogue, GemmProblem, Library, Majors, Scheduling,
};
use half::{bf16, f16};
use host::cublas::{Compute, Cublas};
use host::reference::{Difference, GemmTolerance};
use host::{Clock, Kind, Module, Time};

pub use kernel_abi::gemm::{InputType as Input, OutputType as Output};

/// A product `D = act(alpha A B + beta C + bias)`: A is `(m, k)`, B `(k, n)`, C and D `(m, n)`; A, B and C uniform in [-1, 1),
/// of bytes in their whole range, by `seed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmRun {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// How many products, one behind the other.
    pub batches: u32,
    /// The type of A and B.
    pub input: Input,
    /// The accumulator type; by default f32, of s8 32-bit integers.
    pub accumulator: Option<AccumulatorType>,
    /// The type of C and D.
    pub output: Output,
    /// The orders of A and B.
    pub majors: Majors,
    /// Elements between the end of a row, or column, and the begin of the next, in every matrix.
    pub padding: u32,
    /// What happens to a sum.
    pub epilogue: Epilogue,
    /// How the work is shared out.
    pub schedule: Scheduling,
    /// The kernel; by default the table's.
    pub configuration: Option<&'static str>,
    /// What the data is made from.
    pub seed: u64,
}

impl Default for GemmRun {
    /// 512×512×512, f16 in and out, A row-major and B column-major.
    fn default() -> Self {
        Self {
            m: 512,
            n: 512,
            k: 512,
            batches: 1,
            input: Input::F16,
            accumulator: None,
            output: Output::Same,
            majors: Majors::Tn,
            padding: 0,
            epilogue: Epilogue::NONE,
            schedule: Scheduling::Auto,
            configuration: None,
            seed: 0,
        }
    }
}

impl GemmRun {
    /// It as kernels are asked for it.
    fn stated(&self) -> GemmProblem {
        let [a_rows, b_rows] = orders(self.majors);
        let [m, n, k, padding] = [self.m, self.n, self.k, self.padding].map(u64::from);
        let mut gemm = GemmProblem {
            majors: self.majors,
            lda: if a_rows { k } else { m } + padding,
            ldb: if b_rows { n } else { k } + padding,
            ldc: n + padding,
            ldd: n + padding,
            epilogue: self.epilogue,
            ..GemmProblem::new(self.m, self.n, self.k, self.input, self.output)
        };
        if self.batches > 1 {
            gemm = gemm.with_batches(self.batches);
        }
        if let Some(accumulator) = self.accumulator {
            gemm.accumulator = accumulator;
        }
        gemm
    }

    /// Multiplications and additions.
    #[must_use]
    pub fn operations(&self) -> f64 {
        2.0 * [self.m, self.n, self.k, self.batches]
            .map(f64::from)
            .iter()
            .product::<f64>()
    }

    /// Whether D is nothing but the product, of matrices without gaps: what cuBLAS is asked for beside it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.batches == 1 && self.padding == 0 && self.epilogue == Epilogue::NONE
    }
}

/// How much of D to compare with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// All of it up to 4096³ multiplications, 256 rows of it beyond.
    #[default]
    Auto,
    /// All of it.
    Full,
    /// 256 rows by the problem's seed, the first and the last among them.
    Sampled,
    /// So many rows by the problem's seed, the first and the last among them.
    Rows(usize),
}

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Every element.
    Full,
    /// Every element of this many rows.
    Rows(usize),
}

/// A GEMM's result compared with the reference.
#[derive(Debug)]
pub struct GemmOutcome {
    /// The launch.
    pub ran: Ran,
    /// How the work was shared out.
    pub schedule: gemm::Schedule,
    /// The type that was summed in.
    pub accumulator: AccumulatorType,
    /// The distance from the reference.
    pub difference: Difference,
    /// The distance that is allowed.
    pub tolerance: GemmTolerance,
    /// What was compared.
    pub checked: Checked,
    /// Whether what lies behind D, and between its rows, is as it was.
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
pub struct Theirs {
    /// What it summed in.
    pub compute: Compute,
    /// How long it took, and its distance from the reference; or what it said.
    pub result: Result<(Time, Difference), String>,
    /// Whether the distance is one that is allowed.
    pub right: bool,
}

/// Runs a product with the kernels of `module` and compares its result with the float64 reference.
///
/// # Errors
/// [`Error::Problem`] for an extent of 0 or beyond what a launch covers, [`Error::Memory`] for a problem that
/// the machine cannot hold, [`Error::Host`] for what the device reports. A wrong result is no error.
pub fn gemm(
    module: &Module,
    problem: &GemmRun,
    options: &Options<'_>,
) -> Result<GemmOutcome, Error> {
    let library = Library::new(module.clone())?;
    Ok(gemm_beside(&library, problem, options, None)?.0)
}

/// Runs a product with loaded kernels, and beside it cuBLAS in these compute types, timed alternately in one run.
///
/// A sample of short kernels is as many of them, one behind the other, as take 100 µs.
///
/// # Errors
/// As [`gemm()`].
pub fn gemm_beside(
    library: &Library,
    problem: &GemmRun,
    options: &Options<'_>,
    cublas: Option<(&Cublas, &[Compute])>,
) -> Result<(GemmOutcome, Vec<Theirs>), Error> {
    let run = match (problem.input, problem.output) {
        (Input::F16, Output::F32) => typed::<f16, f32>,
        (Input::F16, _) => typed::<f16, f16>,
        (Input::Bf16, Output::F32) => typed::<bf16, f32>,
        (Input::Bf16, _) => typed::<bf16, bf16>,
        (Input::Tf32, _) => typed::<f32, f32>,
        (Input::S8, Output::Same) => typed::<i8, i8>,
        (Input::S8, Output::F32) => typed::<i8, f32>,
        (Input::S8, Output::S32) => typed::<i8, i32>,
    };
    run(library, problem, options, cublas)
}

fn typed<I: In, O: Out<I>>(
    library: &Library,
    problem: &GemmRun,
    options: &Options<'_>,
    cublas: Option<(&Cublas, &[Compute])>,
) -> Result<(GemmOutcome, Vec<Theirs>), Error> {
    // Whether there is a launch at all, before anything is allocated.
    library.choose(&problem.stated(), problem.schedule, problem.configuration)?;
    let mut setup = Setup::<I, O>::new(library, problem, options)?;
    let once = setup.once(problem.schedule, problem.configuration, options)?;
    options.tell(Stage::Reference);
    let accumulator = once.choice.accumulator;
    let expected = Expected::new(problem, &setup.logical, &setup.rows, accumulator)?;
    let (difference, tolerance) = setup.compare(&once.found, &expected)?;
    let guard_intact = setup.gaps.intact(&once.found);
    let mut theirs = Vec::new();
    let mut beside = Vec::new();
    if let Some((cublas, computes)) = cublas.filter(|_| problem.is_plain()) {
        for &compute in computes {
            let (result, their_d) = setup.by_cublas(cublas, compute, &expected)?;
            theirs.push(result);
            beside.push(their_d);
        }
    }
    let time = match setup.device.kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![once.seconds]),
        Kind::Gpu => {
            options.tell(Stage::Timing);
            setup.time(
                options,
                cublas.map(|(cublas, _)| cublas),
                &mut theirs,
                &mut beside,
            )?
        }
    };
    let rows = setup.rows.len();
    let outcome = GemmOutcome {
        ran: Ran {
            kernel: once.choice.kernel.into(),
            launch: once.choice.launch,
            time,
            emulated: once.report,
        },
        schedule: once.choice.schedule,
        accumulator,
        tolerance,
        difference,
        checked: if rows < problem.m as usize * problem.batches as usize {
            Checked::Rows(rows)
        } else {
            Checked::Full
        },
        guard_intact,
    };
    Ok((outcome, theirs))
}

/// Whether A and B are row-major.
pub(super) fn orders(majors: Majors) -> [bool; 2] {
    match majors {
        Majors::Tn => [true, false],
        Majors::Nn => [false, false],
        Majors::Tt => [true, true],
        Majors::Nt => [false, true],
    }
}

/// Of an activation, its value.
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
