//! `cutlet transpose`: dst = srcᵀ, validated bit for bit.

use super::output::{self, DeviceReport, ExactReport, LaunchReport, Report, Verdict};
use super::progress::Progress;
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::run::{self, Options, TransposeProblem, Width};
use serde::Serialize;

/// Transposes a row-major matrix and compares the result bit for bit
#[derive(Args)]
pub struct Arguments {
    /// Rows of the source
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Columns of the source
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    cols: u32,
    /// Bits of an element
    #[arg(long, value_enum, default_value_t = Bits::B32)]
    bits: Bits,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Bits {
    #[value(name = "16")]
    B16,
    #[value(name = "32")]
    B32,
}

#[derive(Serialize)]
struct TransposeReport {
    problem: Problem,
    device: DeviceReport,
    launch: LaunchReport,
    error: ExactReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Problem {
    rows: u32,
    cols: u32,
    bits: u32,
    seed: u64,
}

impl Report for TransposeReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Problem {
            rows,
            cols,
            bits,
            seed,
        } = self.problem;
        let problem = format!("dst = srcᵀ, src {rows}×{cols} of {bits}-bit elements, seed {seed}");
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
    let &Arguments { rows, cols, .. } = arguments;
    let (width, bits) = match arguments.bits {
        Bits::B16 => (Width::B16, 16),
        Bits::B32 => (Width::B32, 32),
    };
    let seed = arguments.common.seed;
    let problem = TransposeProblem {
        rows,
        cols,
        width,
        seed,
    };
    problem.launch()?;
    let (device, module) = arguments.common.open()?;
    let progress = Progress::new();
    let outcome = run::transpose(
        &module,
        &problem,
        &Options {
            timing: arguments.common.timing(),
            progress: Some(&|stage| progress.show(stage)),
            ..Options::default()
        },
    )?;
    drop(progress);
    let report = TransposeReport {
        problem: Problem {
            rows,
            cols,
            bits,
            seed,
        },
        device: DeviceReport::new(&device),
        launch: LaunchReport::new(&outcome.ran),
        error: ExactReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
