//! Runs several launches for one product, compares each with the float64 reference, and times the
//! right ones alternately.
//!
//! ```text
//!   candidates ─► right? ─► a quick time of each ─► those near the least ─► alternating, many samples ─► LaunchTrial for each
//! ```
//!
//! Law: a candidate that is wrong has no time. The finalists' samples alternate, so that a falling
//! clock affects them alike.

use super::RunOptions;
use super::gemm::{Comparison, GemmRun};
use super::reference::{Expected, verdict_is_possible};
use super::setup::{RunInput, RunOutput, Setup};
use crate::CutletError;
use crate::gemm::{GemmError, InputType, KernelChoice, KernelRequest, Library, OutputType};
use half::{bf16, f16};
use host::{Clock, Kind, Time, Timing};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// The outcome of a candidate.
#[derive(Clone, Debug)]
pub enum LaunchTrial {
    /// The device refuses the launch, for this reason: too little memory for the workspace, or too
    /// few resources.
    Refused(String),
    /// The result is wrong, or the kernel wrote out of bounds.
    Wrong,
    /// The result is right, and the quick time is not near the best.
    Slower(Time),
    /// The result is right, and the launch was timed alternately with the others near the best.
    Timed(Time),
}

impl LaunchTrial {
    /// Returns the time of a finalist, or `None` for any other trial.
    #[must_use]
    pub fn time(&self) -> Option<Time> {
        match self {
            Self::Timed(time) => Some(*time),
            Self::Refused(_) | Self::Wrong | Self::Slower(_) => None,
        }
    }
}

/// The quick timing that selects the finalists.
const QUICK: Timing = Timing { warmup: 1, runs: 3 };
/// The largest ratio of a finalist's quick time to the least quick time.
const NEAR: f64 = 1.25;
/// The largest number of finalists. Each has its own result in the device's memory.
const FINALISTS: usize = 5;

/// The timing of a launch in [`gemm_times`].
const ALONE: Timing = Timing { warmup: 1, runs: 5 };

/// Times every candidate for a plain problem separately, on random operands, and compares no
/// result. A model of times is fitted to these times. This takes a tenth of the time of
/// [`gemm_candidates`].
///
/// # Errors
/// Returns the errors of [`gemm()`](super::gemm()). A launch that the device refuses is a trial,
/// and no error.
pub fn gemm_times(
    library: &Library,
    run: &GemmRun,
    candidates: &[KernelRequest<'_>],
) -> Result<Vec<LaunchTrial>, CutletError> {
    let typed = match (run.problem.input, run.problem.output) {
        (InputType::F16, _) => times::<f16, f16>,
        (InputType::Bf16, _) => times::<bf16, bf16>,
        (InputType::Tf32, _) => times::<f32, f32>,
        (InputType::S8, OutputType::Same) => times::<i8, i8>,
        (InputType::S8, _) => times::<i8, i32>,
        (InputType::E4m3, _) => times::<FloatE4M3, bf16>,
        (InputType::E5m2, _) => times::<FloatE5M2, bf16>,
    };
    typed(library, run, candidates)
}

fn times<I: RunInput, O: RunOutput<I>>(
    library: &Library,
    run: &GemmRun,
    candidates: &[KernelRequest<'_>],
) -> Result<Vec<LaunchTrial>, CutletError> {
    let options = RunOptions {
        timing: Some(ALONE),
        ..RunOptions::default()
    };
    let mut setup = Setup::<I, O>::for_times(library, run)?;
    let mut trials = Vec::with_capacity(candidates.len());
    for request in candidates {
        let choice = library.choose(&run.problem, request)?;
        trials.push(
            match setup.time(&choice, &options, None, &mut [], &mut []) {
                Ok(time) => LaunchTrial::Slower(time),
                Err(error) if is_refusal(&error) => LaunchTrial::Refused(error.to_string()),
                Err(error) => return Err(error),
            },
        );
    }
    Ok(trials)
}

/// Compares and times every candidate for a problem. Calls `progress` with the number of each
/// candidate before it runs.
///
/// # Errors
/// Returns the errors of [`gemm()`](super::gemm()). A candidate that is wrong is no error.
pub fn gemm_candidates(
    library: &Library,
    run: &GemmRun,
    candidates: &[KernelRequest<'_>],
    timing: Timing,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<LaunchTrial>, CutletError> {
    let typed = match (run.problem.input, run.problem.output) {
        (InputType::F16, _) => typed::<f16, f16>,
        (InputType::Bf16, _) => typed::<bf16, bf16>,
        (InputType::Tf32, _) => typed::<f32, f32>,
        (InputType::S8, OutputType::Same) => typed::<i8, i8>,
        (InputType::S8, _) => typed::<i8, i32>,
        (InputType::E4m3, _) => typed::<FloatE4M3, bf16>,
        (InputType::E5m2, _) => typed::<FloatE5M2, bf16>,
    };
    typed(library, run, candidates, timing, progress)
}

fn typed<I: RunInput, O: RunOutput<I>>(
    library: &Library,
    run: &GemmRun,
    candidates: &[KernelRequest<'_>],
    timing: Timing,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<LaunchTrial>, CutletError> {
    let options = RunOptions {
        compare: Comparison::Rows(64),
        timing: Some(QUICK),
        ..RunOptions::default()
    };
    let choices = candidates
        .iter()
        .map(|request| library.choose(&run.problem, request))
        .collect::<Result<Vec<_>, _>>()?;
    // Checks this before anything is allocated.
    for choice in &choices {
        verdict_is_possible(&run.problem, choice.plan.problem.accumulator)?;
    }
    let mut setup = Setup::<I, O>::new(library, run, &[], &options)?;
    let mut expected: Option<Expected> = None;
    let mut trials = Vec::with_capacity(choices.len());
    for (at, choice) in choices.iter().enumerate() {
        progress(at);
        let result = match setup.once(choice, &options) {
            Ok(result) => result,
            Err(error) if is_refusal(&error) => {
                trials.push(LaunchTrial::Refused(error.to_string()));
                continue;
            }
            Err(error) => return Err(error),
        };
        let expected = match &expected {
            Some(expected) => expected,
            None => {
                let problem = &choice.plan.problem;
                let accumulator = problem.accumulator;
                expected.insert(Expected::new(
                    problem,
                    &setup.data,
                    &setup.rows,
                    accumulator,
                )?)
            }
        };
        let (difference, tolerance) = setup.compare(&result.d, expected)?;
        let right = tolerance.admits(&difference) && setup.gaps.intact(&result.d);
        trials.push(match (right, setup.device.kind()) {
            (false, _) => LaunchTrial::Wrong,
            (true, Kind::Emulator) => {
                LaunchTrial::Timed(Time::from_samples(Clock::Wall, vec![result.seconds]))
            }
            (true, Kind::Gpu) => {
                LaunchTrial::Slower(setup.time(choice, &options, None, &mut [], &mut [])?)
            }
        });
    }
    let finalists = finalists(&trials);
    let chosen: Vec<&KernelChoice> = finalists.iter().map(|&at| &choices[at]).collect();
    for (at, time) in finalists.into_iter().zip(setup.time_each(&chosen, timing)?) {
        trials[at] = LaunchTrial::Timed(time);
    }
    Ok(trials)
}

/// Whether a launch was refused before it began, so that the device is unharmed.
fn is_refusal(error: &CutletError) -> bool {
    let host = match error {
        CutletError::Host(host) | CutletError::Gemm(GemmError::Host(host)) => host,
        _ => return false,
    };
    matches!(
        host,
        host::Error::OutOfMemory { .. } | host::Error::Refused { .. }
    )
}

/// Returns the places of the candidates near the best by their quick times, the fastest first.
fn finalists(trials: &[LaunchTrial]) -> Vec<usize> {
    let quick = |at: usize| match &trials[at] {
        LaunchTrial::Slower(time) => Some((at, time.median)),
        LaunchTrial::Refused(_) | LaunchTrial::Wrong | LaunchTrial::Timed(_) => None,
    };
    let mut all: Vec<(usize, f64)> = (0..trials.len()).filter_map(quick).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let least = all.first().map_or(0.0, |(_, least)| *least);
    all.into_iter()
        .take(FINALISTS)
        .filter(|(_, time)| *time <= NEAR * least)
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_near_the_best_go_on() {
        let slower = |seconds| LaunchTrial::Slower(Time::from_samples(Clock::Wall, vec![seconds]));
        let found = [
            slower(1.2),
            LaunchTrial::Wrong,
            slower(1.0),
            slower(2.0),
            slower(1.24),
        ];
        assert_eq!(finalists(&found), [2, 0, 4]);
        assert_eq!(finalists(&[LaunchTrial::Wrong]), [0; 0]);
        let many: Vec<_> = (0..20).map(|_| slower(1.0)).collect();
        assert_eq!(finalists(&many).len(), FINALISTS);
    }
}
