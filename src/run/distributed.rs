//! Runs a product over several devices, and compares it with the float64 reference.
//!
//! ```text
//!   seed ─► A, B ─► each device's part ─► tasks ─► D's rows, from where they lie ─► compared ─► DistributedOutcome
//! ```

use crate::CutletError;
use crate::gemm::InputType;
use crate::gemm::distributed::{DistributedGemm, DistributedProblem, Parallel, Parts};
use half::{bf16, f16};
use host::reference::{self, Difference, Element, GemmTolerance};
use host::{Clock, Device, Kind, Time};

/// A distributed product to run and to validate. A and B are uniform in [-1, 1), and depend on
/// `seed`.
#[derive(Clone, Debug)]
pub struct DistributedRun {
    /// The product. Its [`chunks`](DistributedProblem::chunks) is replaced by each number of the
    /// list below.
    pub problem: DistributedProblem,
    /// The type of A, B and D: f16 or bf16.
    pub input: InputType,
    /// The numbers of pieces that are run and timed. There is at least one.
    pub chunks: Vec<usize>,
    /// The seed of the data.
    pub seed: u64,
    /// The number of rows of D that are compared. The seed selects them.
    pub rows: usize,
    /// On GPUs, the number of samples of a time, and the number of consecutive products in each
    /// sample.
    pub timing: (usize, usize),
    /// Whether to time the products without the copies, and the copies without the products, too.
    pub parts: bool,
}

/// The outcome of a distributed product for one number of pieces.
#[derive(Debug)]
pub struct DistributedOutcome {
    /// The number of pieces of a device's rows.
    pub chunks: usize,
    /// The names of the kernels, each once.
    pub kernels: Vec<&'static str>,
    /// The time of one of many consecutive products, from idle devices to idle devices, or `None`
    /// on emulated devices.
    pub time: Option<Time>,
    /// The times of the products without the copies and of the copies without the products, if they
    /// were requested.
    pub parts: Option<[Time; 2]>,
    /// The largest distance from the reference over all copies of D.
    pub difference: Difference,
    /// The allowed distance.
    pub tolerance: GemmTolerance,
}

impl DistributedOutcome {
    /// Whether D is right on every device that has it.
    #[must_use]
    pub fn right(&self) -> bool {
        self.tolerance.admits(&self.difference)
    }
}

/// Runs a distributed product, with each number of pieces.
///
/// # Errors
/// Returns [`CutletError::Distributed`] for a product without a part for each device,
/// [`CutletError::NoDistributedKernel`] for a type other than f16 and bf16, and the devices'
/// errors. A wrong result is no error.
pub fn distributed_gemm(
    devices: &[Device],
    run: &DistributedRun,
) -> Result<Vec<DistributedOutcome>, CutletError> {
    match run.input {
        InputType::F16 => typed::<f16>(devices, run),
        InputType::Bf16 => typed::<bf16>(devices, run),
        _ => Err(CutletError::NoDistributedKernel {
            input: crate::gemm::Named::name(run.input),
        }),
    }
}

fn typed<T>(
    devices: &[Device],
    run: &DistributedRun,
) -> Result<Vec<DistributedOutcome>, CutletError>
where
    T: Element + crate::gemm::InputElement + crate::gemm::OutputElement<T>,
{
    let DistributedProblem {
        m, n, k, parallel, ..
    } = run.problem;
    let a: Vec<T> = reference::fill(run.seed, m * k);
    let b: Vec<T> = reference::fill(!run.seed, n * k);
    let rows = reference::sample(run.seed, m, run.rows.clamp(1, m));
    let expected = reference::gemm_rows(&a, &b, (m, n, k), &rows)?;
    let rms = (expected.iter().map(|x| x * x).sum::<f64>() / expected.len() as f64).sqrt();
    let mut tolerance = GemmTolerance::new::<T>(k, rms);
    if parallel != Parallel::Column {
        // Each device rounds its product, and each device except the first rounds the sum that it
        // passes on.
        let roundings = 2.0 * devices.len() as f64 - 1.0;
        tolerance.relative *= roundings.sqrt();
        tolerance.absolute *= roundings;
    }
    let mut distributed = DistributedGemm::<T, T>::new(devices, run.problem)?;
    distributed.load(&a, &b)?;
    let mut outcomes = Vec::new();
    for &chunks in &run.chunks {
        distributed.poison()?;
        distributed.set_chunks(chunks);
        let on_gpus = devices.iter().all(|device| device.kind() == Kind::Gpu);
        let (mut kernels, time, parts) = distributed.with_program(|program| {
            let time = |parts| {
                let (samples, runs) = run.timing;
                program.time(parts, 1, runs)?;
                let seconds = program.time(parts, samples.max(1), runs.max(1))?;
                Ok::<_, CutletError>(Time::from_samples(Clock::Wall, seconds))
            };
            // The whole product also runs before the parts: rows of A that have not arrived are
            // zeros, whose products take less power.
            program.enqueue()?;
            let parts = (on_gpus && run.parts)
                .then(|| Ok::<_, CutletError>([time(Parts::Products)?, time(Parts::Copies)?]))
                .transpose()?;
            // The whole product runs last, so that D is the product.
            let time = on_gpus.then(|| time(Parts::All)).transpose()?;
            Ok((program.kernels().to_vec(), time, parts))
        })?;
        kernels.sort_unstable();
        kernels.dedup();
        let mut worst: Option<Difference> = None;
        for copy in distributed.rows(&rows)? {
            let difference = reference::difference(&copy, &expected)?;
            let worse = worst.as_ref().is_none_or(|worst| {
                difference.relative.is_nan() || difference.relative > worst.relative
            });
            if worse {
                worst = Some(difference);
            }
        }
        let Some(difference) = worst else { continue };
        outcomes.push(DistributedOutcome {
            chunks,
            kernels,
            time,
            parts,
            difference,
            tolerance,
        });
    }
    Ok(outcomes)
}
