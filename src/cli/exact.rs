//! The run and the report of a kernel whose result is compared bit for bit, for any problem.
//!
//! ```text
//!   problem   c = a + b, 1000000 float32 elements, seed 0
//!   device .. launch .. error .. verdict
//! ```

use super::output::{self, DeviceReport, ExactReport, LaunchReport, Report, Verdict};
use super::progress::RunProgress;
use super::{Common, Failure};
use cutlet::CutletError;
use cutlet::run::{ExactOutcome, RunOptions};
use host::Module;
use serde::Serialize;

/// A problem as a report shows it.
pub trait ProblemLine: Serialize {
    /// Returns the problem in one line.
    fn line(&self) -> String;
}

#[derive(Serialize)]
struct ExactRun<P> {
    problem: P,
    device: DeviceReport,
    launch: LaunchReport,
    error: ExactReport,
    verdict: Verdict,
}

impl<P: ProblemLine> Report for ExactRun<P> {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("problem", self.problem.line()),
            ("device", self.device.line()),
        ];
        lines.extend(self.launch.lines(&self.error.rate()));
        lines.push(("error", self.error.line()));
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs `kernel` on the requested device, and reports.
pub fn run<P: ProblemLine>(
    common: &Common,
    problem: P,
    kernel: impl FnOnce(&Module, &RunOptions<'_>) -> Result<ExactOutcome, CutletError>,
) -> Result<Verdict, Failure> {
    let modules = common.open()?;
    let progress = RunProgress::new();
    let outcome = kernel(
        modules.base(),
        &RunOptions {
            timing: common.timing(),
            progress: Some(&|phase| progress.show(phase)),
            ..RunOptions::default()
        },
    )?;
    drop(progress);
    let report = ExactRun {
        problem,
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.launched),
        error: ExactReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, common.json)
}
