//! `cutlet attention --backward`: the report of the gradients of Q, K and V.

use super::attention::AttentionProblemReport;
use super::output::{self, DeviceReport, Report, Verdict};
use cutlet::run::{GradientsOutcome, GradientsRun};
use serde::Serialize;

/// The report of a run's gradients.
#[derive(Serialize)]
pub struct GradientsReport {
    problem: AttentionProblemReport,
    device: DeviceReport,
    kernels: Vec<&'static str>,
    time_seconds: f64,
    time_runs: usize,
    time_by: String,
    tera_operations_per_second: f64,
    dq: GradientError,
    dk: GradientError,
    dv: GradientError,
    /// The error of the sinks' gradient, if there are sinks.
    d_sinks: Option<GradientError>,
    guard_intact: bool,
    verdict: Verdict,
    #[serde(skip)]
    time: String,
}

/// The distance of a gradient from the reference.
#[derive(Serialize)]
struct GradientError {
    relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    largest: f64,
    largest_allowed: f64,
}

impl GradientsReport {
    pub fn new(
        problem: AttentionProblemReport,
        device: DeviceReport,
        (run, outcome): (&GradientsRun, &GradientsOutcome),
    ) -> Self {
        let error = |i: usize| GradientError {
            relative_frobenius: outcome.differences[i].relative,
            relative_frobenius_allowed: outcome.agreements[i].relative,
            largest: outcome.agreements[i].off,
            largest_allowed: outcome.agreements[i].bound,
        };
        let [dq, dk, dv] = [0, 1, 2].map(error);
        let time = &outcome.time;
        Self {
            problem,
            device,
            kernels: outcome.kernels.clone(),
            time_seconds: time.median,
            time_runs: time.runs,
            time_by: time.clock.to_string(),
            tera_operations_per_second: time.tera_per_second(run.operations()),
            dq,
            dk,
            dv,
            d_sinks: run.score.sinks.then(|| error(3)),
            guard_intact: outcome.guard_intact,
            verdict: Verdict::of(outcome.right()),
            time: time.to_string(),
        }
    }
}

impl Report for GradientsReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let rate = output::rate(self.tera_operations_per_second * 1e12);
        let error = |of: &GradientError| {
            format!(
                "relative {:.2e} (allowed {:.2e}), largest {:.2e} (allowed {:.2e}), against float64{}",
                of.relative_frobenius,
                of.relative_frobenius_allowed,
                of.largest,
                of.largest_allowed,
                output::guard(self.guard_intact)
            )
        };
        let mut lines = vec![
            ("problem", format!("dQ, dK, dV of {}", self.problem.line())),
            ("device", self.device.line()),
            ("kernels", self.kernels.join(", ")),
            ("time", format!("{}, {rate}", self.time)),
            ("dQ", error(&self.dq)),
            ("dK", error(&self.dk)),
            ("dV", error(&self.dv)),
        ];
        lines.extend(self.d_sinks.as_ref().map(|of| ("d sinks", error(of))));
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}
