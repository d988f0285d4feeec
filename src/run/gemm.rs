//! D = A·Bᵀ on a device, against the float64 reference.

use super::{GUARD, Options, Ran, Stage, memory, poisoned, unpoisoned};
use crate::{Error, kernels};
use gpu_kernels::contract::{Contract, Refused};
use gpu_kernels::gemm::Problem;
use half::{bf16, f16};
use host::reference::{self, Difference, Element, GemmTolerance};
use host::{Launch, Module};

pub use gpu_kernels::gemm::{Input, Output};

/// A GEMM: A is `(m, k)`, B `(n, k)`, D `(m, n)`, all row-major, A and B uniform in [-1, 1) by `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmProblem {
    /// Rows of A and D.
    pub m: u32,
    /// Rows of B, columns of D.
    pub n: u32,
    /// Columns of A and B.
    pub k: u32,
    /// The type of A and B.
    pub input: Input,
    /// The type of D.
    pub output: Output,
    /// What the data is made from.
    pub seed: u64,
}

impl Default for GemmProblem {
    /// 512×512×512, f16 in and out.
    fn default() -> Self {
        Self {
            m: 512,
            n: 512,
            k: 512,
            input: Input::F16,
            output: Output::Same,
            seed: 0,
        }
    }
}

impl GemmProblem {
    /// The launch that computes it, under its contract.
    ///
    /// # Errors
    /// [`Refused`] for an extent of 0 or beyond what a launch covers.
    pub fn launch(&self) -> Result<Launch, Refused> {
        let &Self { m, n, k, .. } = self;
        let scalars = [(3, "M", m), (4, "N", n), (5, "K", k)];
        Ok(kernels::contract(&self.stated()?, &scalars).launch())
    }

    fn stated(&self) -> Result<Contract<3>, Refused> {
        let &Self { m, n, k, .. } = self;
        Problem { m, n, k }.contract(self.input, self.output)
    }

    /// Multiplications and additions.
    #[must_use]
    pub fn operations(&self) -> f64 {
        2.0 * f64::from(self.m) * f64::from(self.n) * f64::from(self.k)
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
}

/// Rows that a sampled check looks at.
const SAMPLED_ROWS: usize = 256;

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
    /// The distance from the reference.
    pub difference: Difference,
    /// The distance that is allowed.
    pub tolerance: GemmTolerance,
    /// What was compared.
    pub checked: Checked,
    /// Whether what lies behind D is as it was.
    pub guard_intact: bool,
}

impl GemmOutcome {
    /// Whether the result is right and nothing else was written.
    #[must_use]
    pub fn right(&self) -> bool {
        self.guard_intact && self.tolerance.admits(&self.difference)
    }
}

/// Runs a GEMM with the kernels of `module` and compares its result with the float64 reference.
///
/// # Errors
/// [`Error::Problem`] for an extent of 0 or beyond what a launch covers, [`Error::Memory`] for a problem that
/// the machine cannot hold, [`Error::Host`] for what the device reports. A wrong result is no error.
pub fn gemm(
    module: &Module,
    problem: &GemmProblem,
    options: &Options<'_>,
) -> Result<GemmOutcome, Error> {
    match (problem.input, problem.output) {
        (Input::F16, Output::Same) => typed::<f16, f16>(module, problem, options),
        (Input::F16, Output::F32) => typed::<f16, f32>(module, problem, options),
        (Input::Bf16, Output::Same) => typed::<bf16, bf16>(module, problem, options),
        (Input::Bf16, Output::F32) => typed::<bf16, f32>(module, problem, options),
    }
}

fn typed<I: Element, O: Element>(
    module: &Module,
    problem: &GemmProblem,
    options: &Options<'_>,
) -> Result<GemmOutcome, Error> {
    let &GemmProblem { m, n, k, .. } = problem;
    let launch = problem.launch()?;
    let (rows, columns, depth) = (m as usize, n as usize, k as usize);
    let sampled = match options.check {
        Check::Auto => problem.operations() > 2.0 * 4096.0_f64.powi(3),
        Check::Full => false,
        Check::Sampled => true,
    };
    let compared = if sampled {
        rows.min(SAMPLED_ROWS)
    } else {
        rows
    };
    fits::<I, O>(module, problem, compared)?;

    options.tell(Stage::Inputs);
    let a: Vec<I> = reference::fill(problem.seed, rows * depth);
    let b: Vec<I> = reference::fill(!problem.seed, columns * depth);
    let device = module.device();
    let (d_a, d_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut d_d = poisoned::<O>(device, rows * columns)?;

    let kernel = module.kernel(problem.stated()?.kernel)?;
    let ran = super::run(&kernel, &launch, (&mut d_d, &d_a, &d_b, m, n, k), options)?;
    let (mut found, guard_intact) = unpoisoned(&d_d, rows * columns)?;
    drop((d_a, d_b, d_d));

    options.tell(Stage::Reference);
    let checked = if compared < rows {
        Checked::Rows(compared)
    } else {
        Checked::Full
    };
    let rows = reference::sample(problem.seed, rows, compared);
    let expected = reference::gemm_rows(&a, &b, (m as usize, columns, depth), &rows)?;
    if checked != Checked::Full {
        found = rows
            .iter()
            .flat_map(|&row| &found[row * columns..][..columns])
            .copied()
            .collect();
    }
    let difference = reference::difference(&found, &expected)?;
    Ok(GemmOutcome {
        ran,
        tolerance: GemmTolerance::new::<O>(depth, difference.rms),
        difference,
        checked,
        guard_intact,
    })
}

fn fits<I, O>(module: &Module, problem: &GemmProblem, compared: usize) -> Result<(), Error> {
    let [m, n, k] = [problem.m, problem.n, problem.k].map(u128::from);
    let inputs = (m * k + n * k) * size_of::<I>() as u128;
    let result = m * n * size_of::<O>() as u128 + GUARD as u128;
    // The reference in float64, and its packed block of B (256 columns).
    let reference = 8 * (compared as u128 * n + 256 * n);
    memory::check(
        module.device(),
        inputs + result + reference,
        inputs + result,
    )
}
