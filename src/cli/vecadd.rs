//! `cutlet vecadd`: c = a + b, validated bit for bit.

use super::output::{self, DeviceReport, ExactReport, LaunchReport, Report, Verdict};
use super::progress::Progress;
use super::{Common, Failure};
use clap::Args;
use cutlet::run::{self, Options, VecaddProblem};
use serde::Serialize;

/// Adds two float32 vectors and compares the result bit for bit
#[derive(Args)]
pub struct Arguments {
    /// Elements of each vector
    #[arg(long, default_value_t = 1_000_000, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct VecaddReport {
    problem: Problem,
    device: DeviceReport,
    launch: LaunchReport,
    error: ExactReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Problem {
    n: u32,
    seed: u64,
}

impl Report for VecaddReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Problem { n, seed } = self.problem;
        let problem = format!("c = a + b, {n} float32 elements, seed {seed}");
        let mut lines = vec![("problem", problem), ("device", self.device.line())];
        lines.extend(self.launch.lines(&self.error.rate()));
        lines.push(("error", self.error.line()));
        lines.push(("verdict", self.verdict.word().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let n = arguments.n;
    let seed = arguments.common.seed;
    let problem = VecaddProblem { n, seed };
    problem.launch()?;
    let (device, module) = arguments.common.open()?;
    let progress = Progress::new();
    let outcome = run::vecadd(
        &module,
        &problem,
        &Options {
            timing: arguments.common.timing(),
            progress: Some(&|stage| progress.show(stage)),
            ..Options::default()
        },
    )?;
    drop(progress);
    let report = VecaddReport {
        problem: Problem { n, seed },
        device: DeviceReport::new(&device),
        launch: LaunchReport::new(&outcome.ran),
        error: ExactReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
