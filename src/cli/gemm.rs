//! `cutlet gemm`: D = A·Bᵀ, validated.

use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::Progress;
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::run::{self, Check, Checked, GemmOutcome, GemmProblem, Input, Options, Output};
use serde::Serialize;

/// Computes D = A·Bᵀ and compares it with a float64 reference
///
/// A is M×K, B is N×K, D is M×N, all row-major. The products are summed in float32.
#[derive(Args)]
pub struct Arguments {
    /// Rows of A and of D
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    m: u32,
    /// Rows of B, columns of D
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// Columns of A and of B
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    #[command(flatten)]
    types: Types,
    /// How much of D to compare
    #[arg(long, value_enum, default_value_t = CheckArgument::Auto)]
    check: CheckArgument,
    #[command(flatten)]
    common: Common,
}

/// The types of a GEMM.
#[derive(Args, Clone, Copy)]
pub struct Types {
    /// The type of A and B
    #[arg(long, value_enum, default_value_t = InputArgument::F16)]
    dtype: InputArgument,
    /// The type of D [default: the type of A and B]
    #[arg(long, value_enum)]
    out: Option<OutputArgument>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InputArgument {
    F16,
    Bf16,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputArgument {
    F16,
    Bf16,
    F32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckArgument {
    /// All of it up to 4096×4096×4096, 256 rows beyond
    Auto,
    /// All of it
    Full,
    /// 256 rows
    Sampled,
}

impl Types {
    /// The kernel's types, and their names.
    pub fn resolve(self) -> Result<(Input, Output, [&'static str; 2]), Failure> {
        let (input, name) = match self.dtype {
            InputArgument::F16 => (Input::F16, "f16"),
            InputArgument::Bf16 => (Input::Bf16, "bf16"),
        };
        let out = match self.out {
            None => name,
            Some(OutputArgument::F16) => "f16",
            Some(OutputArgument::Bf16) => "bf16",
            Some(OutputArgument::F32) => "f32",
        };
        match out {
            "f32" => Ok((input, Output::F32, [name, out])),
            _ if out == name => Ok((input, Output::Same, [name, out])),
            _ => Err(Failure::Usage(format!(
                "there is no kernel from {name} to {out}: with --dtype {name}, --out is {name} or f32"
            ))),
        }
    }
}

#[derive(Serialize)]
struct GemmReport {
    problem: Problem,
    device: DeviceReport,
    launch: LaunchReport,
    tera_operations_per_second: f64,
    error: ErrorReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Problem {
    m: u32,
    n: u32,
    k: u32,
    dtype: &'static str,
    out: &'static str,
    seed: u64,
}

/// A distance from the float64 reference.
#[derive(Serialize)]
pub struct ErrorReport {
    pub relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    largest: f64,
    largest_allowed: f64,
    elements_compared: usize,
    rows_compared: Option<usize>,
    guard_intact: bool,
}

impl ErrorReport {
    pub fn new(outcome: &GemmOutcome) -> Self {
        Self {
            relative_frobenius: outcome.difference.relative,
            relative_frobenius_allowed: outcome.tolerance.relative,
            largest: outcome.difference.max_absolute,
            largest_allowed: outcome.tolerance.absolute,
            elements_compared: outcome.difference.elements,
            rows_compared: match outcome.checked {
                Checked::Full => None,
                Checked::Rows(rows) => Some(rows),
            },
            guard_intact: outcome.guard_intact,
        }
    }

    fn line(&self) -> String {
        let what = match self.rows_compared {
            None => format!("all {} elements", self.elements_compared),
            Some(rows) => format!("{rows} rows, {} elements,", self.elements_compared),
        };
        format!(
            "relative {:.2e} (allowed {:.2e}), largest {:.2e} (allowed {:.2e}): {what} against float64{}",
            self.relative_frobenius,
            self.relative_frobenius_allowed,
            self.largest,
            self.largest_allowed,
            output::guard(self.guard_intact)
        )
    }
}

impl Report for GemmReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Problem {
            m,
            n,
            k,
            dtype,
            out,
            seed,
        } = self.problem;
        let rate = output::rate(self.tera_operations_per_second * 1e12);
        let mut lines = vec![
            (
                "problem",
                format!(
                    "D = A·Bᵀ, {m}×{n}×{k} (M×N×K), {dtype} in, f32 sums, {out} out, seed {seed}"
                ),
            ),
            ("device", self.device.line()),
        ];
        lines.extend(self.launch.lines(&rate));
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
    let (input, output, [dtype, out]) = arguments.types.resolve()?;
    let &Arguments { m, n, k, .. } = arguments;
    let seed = arguments.common.seed;
    let problem = GemmProblem {
        m,
        n,
        k,
        input,
        output,
        seed,
    };
    problem.launch()?;
    let (device, module) = arguments.common.open()?;
    let progress = Progress::new();
    let outcome = run::gemm(
        &module,
        &problem,
        &Options {
            check: match arguments.check {
                CheckArgument::Auto => Check::Auto,
                CheckArgument::Full => Check::Full,
                CheckArgument::Sampled => Check::Sampled,
            },
            timing: arguments.common.timing(),
            progress: Some(&|stage| progress.show(stage)),
        },
    )?;
    drop(progress);
    let report = GemmReport {
        problem: Problem {
            m,
            n,
            k,
            dtype,
            out,
            seed,
        },
        device: DeviceReport::new(&device),
        launch: LaunchReport::new(&outcome.ran),
        tera_operations_per_second: outcome.ran.time.tera_per_second(problem.operations()),
        error: ErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
