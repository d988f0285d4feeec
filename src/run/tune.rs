//! Measures the fastest launch for one product, for users with their own shapes.
//!
//! ```text
//!   the model's ranking ─► the best twenty ─► right? ─► time ─► the fastest ─ Table::remember ─► what `gemm` takes from now on
//! ```
//!
//! Law: a launch that is wrong is never the fastest. [`gemm`](crate::gemm::gemm()) never tunes by
//! itself.

use super::{GemmRun, LaunchTrial, gemm_candidates};
use crate::CutletError;
use crate::gemm::{GemmProblem, KernelRequest, Library, Point};
use host::Timing;

/// The default number of launches of the ranking that are measured. At 86 random shapes (bf16, an
/// H200) the fastest of the first twenty took 1.001 times as long as the fastest of all, and at
/// most 1.03 times.
pub const BEST: usize = 20;

/// The measurements of a product.
#[derive(Clone, Debug)]
pub struct TunedGemm {
    /// The fastest launch, to be [remembered](crate::gemm::Table::remember), or `None` if none was
    /// right.
    pub point: Option<Point>,
    /// Each launch that was measured, in the order of the ranking, with its time.
    pub trials: Vec<(KernelRequest<'static>, LaunchTrial)>,
}

/// Compares and times the `best` launches that the choice ranks first for a product. Calls
/// `progress` with the number of each launch before it runs.
///
/// ```no_run
/// use cutlet::gemm::{GemmProblem, InputType, Library, OutputType, Table};
/// use cutlet::run::{self, BEST, GemmRun};
/// use host::{Device, Timing};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::gpu(0)?;
/// let problem = GemmProblem::new(300, 1280, 8192, InputType::Bf16, OutputType::Same);
/// let timing = Timing { warmup: 2, runs: 15 };
/// let tuned = run::tune_gemm(&*Library::of(&device)?, &GemmRun::new(problem), BEST, timing, &mut |_| ())?;
/// if let Some(point) = tuned.point {
///     Table::remember(device.name(), point)?;
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// Returns the errors of [`gemm_candidates`]. A launch that is wrong is no error.
pub fn tune_gemm(
    library: &Library,
    run: &GemmRun,
    best: usize,
    timing: Timing,
    progress: &mut dyn FnMut(usize),
) -> Result<TunedGemm, CutletError> {
    let candidates = library.best_trials(&run.problem, best)?;
    let found = gemm_candidates(library, run, &candidates, timing, progress)?;
    Ok(TunedGemm {
        point: fastest(&run.problem, &candidates, &found),
        trials: candidates.into_iter().zip(found).collect(),
    })
}

/// Returns the point of the fastest of some launches, or `None` if none was right.
#[must_use]
pub fn fastest(
    problem: &GemmProblem,
    candidates: &[KernelRequest<'static>],
    found: &[LaunchTrial],
) -> Option<Point> {
    let timed = candidates.iter().zip(found);
    let timed = timed.filter_map(|(candidate, trial)| Some((candidate, trial.time()?)));
    let (candidate, time) = timed.min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))?;
    Some(Point {
        kernel: candidate.configuration.unwrap_or_default().into(),
        schedule: candidate.schedule,
        tera_operations_per_second: time.tera_per_second(problem.operations()),
        ..Point::unmeasured(problem, candidates.len())
    })
}
