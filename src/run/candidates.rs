//! Several launches for one product, each compared with the float64 reference, the right ones timed in turn.
//!
//! ```text
//!   candidates ─► right? ─► a quick time of each ─► those near the least ─► in turn, many samples ─► Candidate for each
//! ```
//!
//! Law: a candidate that is wrong has no time. The least times are of one run of turns, so that a clock that sinks meets all that
//! could be best alike.

use super::Options;
use super::gemm::{Check, GemmRun, Input};
use super::reference::Expected;
use super::setup::{In, Out, Setup};
use crate::Error;
use crate::gemm::{GemmError, Library, Scheduling};
use half::{bf16, f16};
use host::{Clock, Kind, Time, Timing};

/// What became of a candidate.
#[derive(Clone, Debug)]
pub enum Candidate {
    /// It cannot be launched here, for this reason: the device has no room for its workspace, or not the resources.
    Refused(String),
    /// Its result is wrong, or it wrote where it must not.
    Wrong,
    /// It is right and was seen to be slower than the best.
    Slower(Time),
    /// It is right and was timed in turn with the others that are near the best.
    Timed(Time),
}

impl Candidate {
    /// Its time in the last round, for one that came so far.
    #[must_use]
    pub fn time(&self) -> Option<Time> {
        match self {
            Self::Timed(time) => Some(*time),
            Self::Refused(_) | Self::Wrong | Self::Slower(_) => None,
        }
    }
}

/// A sample of what a candidate may take, before it is decided who goes on.
const QUICK: Timing = Timing { warmup: 1, runs: 3 };
/// Candidates go on whose quick time is at most so many times the least.
const NEAR: f64 = 1.25;
/// So many at most: each has a result of its own in the device's memory.
const FINALISTS: usize = 5;

/// Compares and times every candidate for a problem; `told` hears of each before it runs.
///
/// # Errors
/// As [`gemm()`](super::gemm()). A candidate that is wrong is no error.
pub fn gemm_candidates(
    library: &Library,
    problem: &GemmRun,
    candidates: &[(&'static str, Scheduling)],
    timing: Timing,
    told: &mut dyn FnMut(usize),
) -> Result<Vec<Candidate>, Error> {
    let run = match problem.input {
        Input::F16 => typed::<f16, f16>,
        Input::Bf16 => typed::<bf16, bf16>,
        Input::Tf32 => typed::<f32, f32>,
        Input::S8 => typed::<i8, i32>,
    };
    run(library, problem, candidates, timing, told)
}

fn typed<I: In, O: Out<I>>(
    library: &Library,
    problem: &GemmRun,
    candidates: &[(&'static str, Scheduling)],
    timing: Timing,
    told: &mut dyn FnMut(usize),
) -> Result<Vec<Candidate>, Error> {
    let options = Options {
        check: Check::Rows(64),
        timing: Some(QUICK),
        ..Options::default()
    };
    let mut setup = Setup::<I, O>::new(library, problem, &options)?;
    let mut expected: Option<Expected> = None;
    let mut found = Vec::with_capacity(candidates.len());
    for (at, &(kernel, schedule)) in candidates.iter().enumerate() {
        told(at);
        let once = match setup.once(schedule, Some(kernel), &options) {
            Ok(once) => once,
            Err(error) if is_refusal(&error) => {
                found.push(Candidate::Refused(error.to_string()));
                continue;
            }
            Err(error) => return Err(error),
        };
        let expected = match &expected {
            Some(expected) => expected,
            None => {
                let accumulator = once.choice.accumulator;
                expected.insert(Expected::new(
                    problem,
                    &setup.logical,
                    &setup.rows,
                    accumulator,
                )?)
            }
        };
        let (difference, tolerance) = setup.compare(&once.found, expected)?;
        let right = tolerance.admits(&difference) && setup.gaps.intact(&once.found);
        found.push(match (right, setup.device.kind()) {
            (false, _) => Candidate::Wrong,
            (true, Kind::Emulator) => {
                Candidate::Timed(Time::from_samples(Clock::Wall, vec![once.seconds]))
            }
            (true, Kind::Gpu) => Candidate::Slower(setup.time(&options, None, &mut [], &mut [])?),
        });
    }
    let last = finalists(&found);
    let of_last: Vec<_> = last.iter().map(|&at| candidates[at]).collect();
    for (at, time) in last.into_iter().zip(setup.time_each(&of_last, timing)?) {
        found[at] = Candidate::Timed(time);
    }
    Ok(found)
}

/// Whether a launch did not begin, so that the device is as it was.
fn is_refusal(error: &Error) -> bool {
    let host = match error {
        Error::Host(host) | Error::Gemm(GemmError::Host(host)) => host,
        _ => return false,
    };
    matches!(
        host,
        host::Error::OutOfMemory { .. } | host::Error::Refused { .. }
    )
}

/// The places of those that are near the best by their quick times, the fastest first.
fn finalists(found: &[Candidate]) -> Vec<usize> {
    let quick = |at: usize| match &found[at] {
        Candidate::Slower(time) => Some((at, time.median)),
        Candidate::Refused(_) | Candidate::Wrong | Candidate::Timed(_) => None,
    };
    let mut all: Vec<(usize, f64)> = (0..found.len()).filter_map(quick).collect();
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
        let slower = |seconds| Candidate::Slower(Time::from_samples(Clock::Wall, vec![seconds]));
        let found = [
            slower(1.2),
            Candidate::Wrong,
            slower(1.0),
            slower(2.0),
            slower(1.24),
        ];
        assert_eq!(finalists(&found), [2, 0, 4]);
        assert_eq!(finalists(&[Candidate::Wrong]), [0; 0]);
        let many: Vec<_> = (0..20).map(|_| slower(1.0)).collect();
        assert_eq!(finalists(&many).len(), FINALISTS);
    }
}
