//! `cutlet gemm`: a matrix product, validated.

use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::Progress;
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::gemm::{
    AccumulatorType, Activation, CONFIGURATIONS, Epilogue, Majors, Named, Schedule, Scheduling,
    output_name, output_of,
};
use cutlet::run::{self, Check, Checked, GemmOutcome, GemmRun, Input, Options, Output};
use serde::Serialize;

/// Computes D = act(alpha A·B + beta C + bias) and compares it with a float64 reference
///
/// A is M×K, B is K×N, C and D are M×N. Without options it is D = A·B, A row-major, B column-major, D row-major.
#[derive(Args)]
pub struct Arguments {
    /// Rows of A and of D
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    m: u32,
    /// Columns of B and of D
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// Columns of A, rows of B
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    #[command(flatten)]
    types: Types,
    #[command(flatten)]
    kernel: KernelArguments,
    /// So many products, one behind the other
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    batches: u32,
    /// Elements between the end of a row, or column, and the begin of the next, in every matrix
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=65_536))]
    padding: u32,
    /// What the product is multiplied by
    #[arg(long, default_value_t = 1.0, value_name = "NUMBER")]
    alpha: f32,
    /// What C is multiplied by
    #[arg(long, default_value_t = 0.0, value_name = "NUMBER")]
    beta: f32,
    /// Add a number to each column
    #[arg(long)]
    bias: bool,
    /// What is applied last
    #[arg(long, value_enum, default_value_t = ActivationArgument::None)]
    activation: ActivationArgument,
    /// How much of D to compare
    #[arg(long, value_enum, default_value_t = CheckArgument::Auto)]
    check: CheckArgument,
    #[command(flatten)]
    common: Common,
}

/// The types of a GEMM.
#[derive(Args, Clone)]
pub struct Types {
    /// The type of A and B: f16, bf16, tf32, s8
    #[arg(long, default_value = "f16", value_name = "TYPE", value_parser = Input::read)]
    dtype: Input,
    /// The type of D: that of A and B, or f32; of s8 also s32 [default: the type of A and B]
    #[arg(long, value_name = "TYPE")]
    out: Option<String>,
    /// The accumulator type: f32; f16 for f16; s32 for s8 [default: f32, s32 for s8]
    #[arg(long, value_name = "TYPE", value_parser = AccumulatorType::read)]
    pub accumulator: Option<AccumulatorType>,
    /// Orders of A and B: tn (A row-major, B column-major), nn, tt, nt
    #[arg(long, default_value = "tn", value_name = "ORDERS", value_parser = Majors::read)]
    layout: Majors,
}

/// Which kernel, and how its work is shared out.
#[derive(Args, Clone)]
pub struct KernelArguments {
    /// auto, tiles, persistent, stream-k, or split-k:<parts>
    #[arg(long, default_value = "auto", value_name = "SCHEDULE")]
    pub schedule: Scheduling,
    /// The kernel, by name [default: the one that the table has for the shape]
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
}

impl KernelArguments {
    /// The kernel of the name that was given.
    pub fn configuration(&self) -> Result<Option<&'static str>, Failure> {
        let Some(name) = &self.configuration else {
            return Ok(None);
        };
        // Several configurations are of one kernel: it is named once.
        let mut names: Vec<&'static str> = Vec::new();
        for configuration in CONFIGURATIONS {
            if !names.contains(&configuration.kernel) {
                names.push(configuration.kernel);
            }
        }
        match names.iter().find(|kernel| *kernel == name) {
            Some(kernel) => Ok(Some(kernel)),
            None => Err(Failure::Usage(format!(
                "there is no kernel {name}; there are: {}",
                names.join(", ")
            ))),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ActivationArgument {
    /// Nothing
    None,
    /// Negative results become 0
    Relu,
    /// GELU, in the form with the hyperbolic tangent
    Gelu,
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
    /// A problem of these types; what it leaves open is as by default.
    pub fn problem(&self, (m, n, k): (u32, u32, u32)) -> Result<GemmRun, Failure> {
        let input = self.dtype;
        let output = match &self.out {
            None => Output::Same,
            Some(out) => output_of(input, out).map_err(Failure::Usage)?,
        };
        match (input, self.accumulator) {
            (_, None)
            | (Input::S8, Some(AccumulatorType::S32))
            | (Input::F16, Some(AccumulatorType::F16)) => {}
            (Input::F16 | Input::Bf16 | Input::Tf32, Some(AccumulatorType::F32)) => {}
            (_, Some(accumulator)) => {
                return Err(Failure::Usage(format!(
                    "products of {} are not summed in {}",
                    input.name(),
                    accumulator.name()
                )));
            }
        }
        Ok(GemmRun {
            m,
            n,
            k,
            input,
            output,
            accumulator: self.accumulator,
            majors: self.layout,
            ..GemmRun::default()
        })
    }
}

#[derive(Serialize)]
struct GemmReport {
    problem: Problem,
    device: DeviceReport,
    launch: LaunchReport,
    schedule: String,
    tera_operations_per_second: f64,
    error: ErrorReport,
    verdict: Verdict,
}

/// A problem, as every report has it.
#[derive(Clone, Serialize)]
pub struct Problem {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    batches: u32,
    dtype: &'static str,
    accumulator: &'static str,
    out: &'static str,
    layout: &'static str,
    padding: u32,
    alpha: f32,
    beta: f32,
    bias: bool,
    activation: &'static str,
    seed: u64,
}

impl Problem {
    pub fn new(problem: &GemmRun, accumulator: AccumulatorType) -> Self {
        let epilogue = problem.epilogue;
        Self {
            m: problem.m,
            n: problem.n,
            k: problem.k,
            batches: problem.batches,
            dtype: problem.input.name(),
            accumulator: accumulator.name(),
            out: output_name(problem.input, problem.output),
            layout: problem.majors.name(),
            padding: problem.padding,
            alpha: epilogue.alpha,
            beta: epilogue.beta,
            bias: epilogue.bias,
            activation: match epilogue.activation {
                Activation::None => "none",
                Activation::Relu => "relu",
                Activation::Gelu => "gelu",
            },
            seed: problem.seed,
        }
    }

    pub fn dtype(&self) -> &'static str {
        self.dtype
    }

    pub fn accumulator(&self) -> &'static str {
        self.accumulator
    }

    pub fn out(&self) -> &'static str {
        self.out
    }

    /// `D = relu(0.5 A·B + 2 C + bias)`.
    fn formula(&self) -> String {
        let mut sum = match self.alpha {
            1.0 => "A·B".to_string(),
            alpha => format!("{alpha} A·B"),
        };
        if self.beta != 0.0 {
            sum += &format!(" + {} C", self.beta);
        }
        if self.bias {
            sum += " + bias";
        }
        match self.activation {
            "none" => format!("D = {sum}"),
            activation => format!("D = {activation}({sum})"),
        }
    }

    fn line(&self) -> String {
        let Self {
            m,
            n,
            k,
            dtype,
            accumulator,
            out,
            layout,
            seed,
            ..
        } = self;
        let mut line = format!(
            "{}, {m}×{n}×{k} (M×N×K), {dtype} in ({layout}), {accumulator} accumulator, {out} out, seed {seed}",
            self.formula()
        );
        if self.batches > 1 {
            line += &format!(", {} batches", self.batches);
        }
        if self.padding > 0 {
            line += &format!(", rows {} elements apart", self.padding);
        }
        line
    }
}

/// A distance from the float64 reference.
#[derive(Serialize)]
pub struct ErrorReport {
    pub relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    largest: f64,
    largest_allowed: f64,
    elements_compared: usize,
    elements_not_finite: usize,
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
            elements_not_finite: outcome.difference.not_finite,
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
        let not_finite = match self.elements_not_finite {
            0 => String::new(),
            some => format!("; {some} are NaN or infinite, as in the reference"),
        };
        format!(
            "relative {:.2e} (allowed {:.2e}), largest {:.2e} (allowed {:.2e}): {what} against float64{not_finite}{}",
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
        let rate = output::rate(self.tera_operations_per_second * 1e12);
        let mut lines = vec![
            ("problem", self.problem.line()),
            ("device", self.device.line()),
        ];
        lines.extend(self.launch.lines(&rate));
        lines.push(("schedule", self.schedule.clone()));
        lines.push(("error", self.error.line()));
        lines.push(("verdict", self.verdict.word().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// A schedule in words.
pub fn schedule(schedule: Schedule) -> String {
    match schedule {
        Schedule::Tiles => "a tile a block".into(),
        Schedule::SplitK(parts) => format!("a tile's k by {parts} blocks"),
        Schedule::StreamK(blocks) => format!("all tiles' k by {blocks} blocks evenly"),
        Schedule::Persistent(blocks) => format!("tiles by {blocks} blocks in turn"),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let &Arguments {
        m,
        n,
        k,
        alpha,
        beta,
        bias,
        ..
    } = arguments;
    let problem = GemmRun {
        batches: arguments.batches,
        padding: arguments.padding,
        epilogue: Epilogue {
            alpha,
            beta,
            bias,
            activation: match arguments.activation {
                ActivationArgument::None => Activation::None,
                ActivationArgument::Relu => Activation::Relu,
                ActivationArgument::Gelu => Activation::Gelu,
            },
        },
        schedule: arguments.kernel.schedule,
        configuration: arguments.kernel.configuration()?,
        seed: arguments.common.seed,
        ..arguments.types.problem((m, n, k))?
    };
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
        problem: Problem::new(&problem, outcome.accumulator),
        device: DeviceReport::new(&device),
        launch: LaunchReport::new(&outcome.ran),
        schedule: schedule(outcome.schedule),
        tera_operations_per_second: outcome.ran.time.tera_per_second(problem.operations()),
        error: ErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
