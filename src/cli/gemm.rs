//! `cutlet gemm`: computes a matrix product, and compares it with a reference.

use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::RunProgress;
use super::shape::{Group, Shape};
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::gemm::{
    AccumulatorType, Activation, CONFIGURATIONS, Epilogue, GemmProblem, InputType, KernelRequest,
    Library, Majors, Named, Scaling, Schedule, ScheduleRequest, output_name, output_of,
};
use cutlet::run::{self, Compared, Comparison, GemmOutcome, GemmRun, RunOptions, WeightsRun};
use cutlet::weights::{self, MENUS, WeightsProblem};
use serde::Serialize;

/// Computes D = act(alpha A·B + beta C + bias) and compares it with a float64 reference
///
/// A is M×K, B is K×N, C and D are M×N. Without options it is D = A·B, A row-major, B column-major,
/// D row-major.
#[derive(Args)]
pub struct GemmArguments {
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
    /// B as weights of few bits, of Hopper: a format such as int4:128, uint4:64, nf4:64, mxfp4:32,
    /// nvfp4:16, int8:row, e4m3:row, q4_K
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["batches", "groups", "layout", "explain_choice", "accumulator", "schedule", "scales", "gpus"])]
    weights: Option<String>,
    /// Number of products, one behind the other in memory
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    batches: u32,
    /// Rows of each group of a grouped product, whose groups each have a B, in place of --m; or
    /// M×N×K of each, in place of --n and --k too
    #[arg(long, value_delimiter = ',', num_args = 1.., value_name = "ROWS|MxNxK", conflicts_with_all = ["m", "batches", "beta"])]
    groups: Option<Vec<Group>>,
    /// Elements added to the leading dimension of every matrix
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=65_536))]
    padding: u32,
    /// Factor of the product
    #[arg(long, default_value_t = 1.0, value_name = "NUMBER")]
    alpha: f32,
    /// Factor of C
    #[arg(long, default_value_t = 0.0, value_name = "NUMBER")]
    beta: f32,
    /// Add a bias, a number per column of D
    #[arg(long)]
    bias: bool,
    /// Activation, the last operation
    #[arg(long, value_enum, default_value_t = ActivationArgument::None)]
    activation: ActivationArgument,
    /// How much of D to compare
    #[arg(long, value_enum, default_value_t = CompareArgument::Auto)]
    check: CompareArgument,
    /// Say why the kernel is chosen: the ten launches of the least estimates, and what each
    /// consists of
    #[arg(long, conflicts_with_all = ["configuration", "groups"])]
    explain_choice: bool,
    #[command(flatten)]
    distribute: super::distributed::DistributeArguments,
    #[command(flatten)]
    common: Common,
}

/// The types of a GEMM.
#[derive(Args, Clone)]
pub struct Types {
    /// The type of A and B: f16, bf16, tf32, s8, e4m3, e5m2
    #[arg(long, default_value = "f16", value_name = "TYPE", value_parser = InputType::read)]
    dtype: InputType,
    /// The type of D: that of A and B, or f32; of s8 also s32; of e4m3 and e5m2 also bf16 [default:
    /// the type of A and B, bf16 of 8-bit floats]
    #[arg(long, value_name = "TYPE")]
    out: Option<String>,
    /// The accumulator type: f32; f16 for f16; s32 for s8 [default: f32, s32 for s8]
    #[arg(long, value_name = "TYPE", value_parser = AccumulatorType::read)]
    pub accumulator: Option<AccumulatorType>,
    /// Orders of A and B: tn (A row-major, B column-major), nn, tt, nt
    #[arg(long, default_value = "tn", value_name = "ORDERS", value_parser = Majors::read)]
    layout: Majors,
    /// Scales of A and B: tensor (in alpha), or blocks (one for 1×128 of A, one for 128×128 of B;
    /// of e4m3)
    #[arg(long, default_value = "tensor", value_name = "SCALES", value_parser = Scaling::read)]
    scales: Scaling,
}

/// The kernel and its schedule.
#[derive(Args, Clone)]
pub struct KernelArguments {
    /// auto, tiles, persistent, stream-k, split-k:<slices>, or cluster-split-k:<CTAs>
    #[arg(long, default_value = "auto", value_name = "SCHEDULE")]
    pub schedule: ScheduleRequest,
    /// The kernel, by name; those with `wgmma` are for compute capability 9.0 alone, those with
    /// `umma`, which no card has run, for 10.0 alone [default: the one that the table has for the
    /// shape]
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
}

impl KernelArguments {
    /// Returns the request that the options make.
    ///
    /// # Errors
    /// Returns [`Failure::Usage`] if no kernel has the name.
    pub fn request(&self) -> Result<KernelRequest<'static>, Failure> {
        let schedule = self.schedule;
        let Some(name) = &self.configuration else {
            return Ok(KernelRequest {
                schedule,
                configuration: None,
            });
        };
        if let Some(of) = CONFIGURATIONS.iter().find(|of| of.name == name) {
            return Ok(KernelRequest {
                schedule,
                configuration: Some(of.name),
            });
        }
        Err(Failure::Usage(format!(
            "there is no kernel {name}; there are: {}",
            names().join(", ")
        )))
    }
}

/// Returns the names of the configurations of matrix products, each once. A kernel for several
/// orders of A and B has one configuration for each order; they have the same name, and are
/// neighbours.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = CONFIGURATIONS.iter().map(|of| of.name).collect();
    names.dedup();
    names
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
enum CompareArgument {
    /// All of it up to 4096×4096×4096, 256 rows beyond
    Auto,
    /// All of it
    Full,
    /// 256 rows
    Sampled,
}

impl Types {
    /// Returns the problem with these types and extents, packed, with the identity epilogue.
    ///
    /// # Errors
    /// Returns [`Failure::Usage`] if no product has these types together.
    pub fn problem(&self, (m, n, k): (u32, u32, u32)) -> Result<GemmProblem, Failure> {
        let input = self.dtype;
        let output = match &self.out {
            None => input.default_output(),
            Some(out) => output_of(input, out).map_err(Failure::Usage)?,
        };
        let accumulator = self.accumulator.unwrap_or(input.default_accumulator());
        if !accumulator.accepts(input) {
            return Err(Failure::Usage(format!(
                "products of {} have no accumulator of {}",
                input.name(),
                accumulator.name()
            )));
        }
        if self.scales == Scaling::Blocks && input != InputType::E4m3 {
            return Err(Failure::Usage(format!(
                "scales of blocks are for e4m3, not for {}",
                input.name()
            )));
        }
        Ok(GemmProblem::new(m, n, k, input, output)
            .with_majors(self.layout)
            .with_accumulator(accumulator)
            .with_scaling(self.scales))
    }
}

#[derive(Serialize)]
struct GemmReport {
    problem: ProblemReport,
    device: DeviceReport,
    launch: LaunchReport,
    schedule: String,
    tera_operations_per_second: f64,
    error: ErrorReport,
    verdict: Verdict,
}

/// A problem, as it appears in every report.
#[derive(Clone, Serialize)]
pub struct ProblemReport {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    batches: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Group>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    dtype: &'static str,
    accumulator: &'static str,
    out: &'static str,
    layout: &'static str,
    scales: &'static str,
    padding: u64,
    alpha: f32,
    beta: f32,
    bias: bool,
    activation: &'static str,
    seed: u64,
}

impl ProblemReport {
    /// Returns the report of a run whose kernel has this accumulator.
    pub fn new(run: &GemmRun, accumulator: AccumulatorType) -> Self {
        let problem = &run.problem;
        let epilogue = problem.epilogue;
        Self {
            m: problem.m,
            n: problem.n,
            k: problem.k,
            batches: problem.batches,
            groups: Vec::new(),
            weights: None,
            dtype: problem.input.name(),
            accumulator: accumulator.name(),
            out: output_name(problem.input, problem.output),
            layout: problem.majors.name(),
            scales: problem.scaling.name(),
            padding: problem.ldd - u64::from(problem.n),
            alpha: epilogue.alpha,
            beta: epilogue.beta,
            bias: epilogue.bias,
            activation: match epilogue.activation {
                Activation::None => "none",
                Activation::Relu => "relu",
                Activation::Gelu => "gelu",
            },
            seed: run.seed,
        }
    }

    /// Returns the report with the groups of a grouped product.
    fn with_groups(self, groups: &[Group]) -> Self {
        Self {
            groups: groups.to_vec(),
            ..self
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

    /// Returns the formula, such as `D = relu(0.5 A·B + 2 C + bias)`.
    fn formula(&self) -> String {
        let mut linear = match self.alpha {
            1.0 => "A·B".to_string(),
            alpha => format!("{alpha} A·B"),
        };
        if self.beta != 0.0 {
            linear += &format!(" + {} C", self.beta);
        }
        if self.bias {
            linear += " + bias";
        }
        match self.activation {
            "none" => format!("D = {linear}"),
            activation => format!("D = {activation}({linear})"),
        }
    }

    pub fn line(&self) -> String {
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
        if let Some(weights) = &self.weights {
            line += &format!(", B as weights {weights}");
        }
        if self.scales != Scaling::Tensor.name() {
            line += &format!(", scales of {}", self.scales);
        }
        let rows = || self.groups.iter().map(Group::rows);
        if let (Some(least), Some(most)) = (rows().min(), rows().max()) {
            line += &format!(
                ", {} of {least} to {most} rows",
                emulator::counted(self.groups.len(), "group")
            );
            if self.groups.iter().any(|group| group.extents().is_some()) {
                line += ", each with an N and a K of its own";
            }
        }
        if self.batches > 1 {
            line += &format!(", {} batches", self.batches);
        }
        if self.padding > 0 {
            line += &format!(", leading dimensions padded by {} elements", self.padding);
        }
        line
    }
}

/// The distance of a result from the float64 reference.
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
            rows_compared: match outcome.compared {
                Compared::Full => None,
                Compared::Rows(rows) => Some(rows),
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
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Describes a schedule.
pub fn schedule(schedule: Schedule) -> String {
    match schedule {
        Schedule::Tiles => "one CTA per tile".into(),
        Schedule::SplitK(slices) => format!("split-K, {slices} CTAs per tile"),
        Schedule::ClusterSplitK(ctas) => {
            format!("split-K in clusters, {ctas} CTAs per tile")
        }
        Schedule::StreamK(ctas) => format!("stream-K by {ctas} CTAs"),
        Schedule::Persistent(ctas) => format!("persistent, {ctas} CTAs"),
    }
}

/// Returns the list of the groups as the kernel reads it, whether the list has M, N and K of each
/// group, and the extents of the whole product. N and K are those of the options, or the largest of
/// a group.
fn of_groups(groups: &[Group], of_all: [u32; 2]) -> Result<(Vec<u32>, bool, [u32; 3]), Failure> {
    let rows: u64 = groups.iter().map(|group| u64::from(group.rows())).sum();
    let m = u32::try_from(rows)
        .map_err(|_| Failure::Usage(format!("the groups have {rows} rows together")))?;
    let own: Vec<[u32; 3]> = groups
        .iter()
        .filter_map(|group| group.extents().map(|Shape(m, n, k)| [m, n, k]))
        .collect();
    if own.is_empty() {
        let [n, k] = of_all;
        return Ok((groups.iter().map(Group::rows).collect(), false, [m, n, k]));
    }
    if own.len() < groups.len() {
        return Err(Failure::Usage(
            "--groups has rows of some groups, and M×N×K of others: it takes one kind".into(),
        ));
    }
    let most = |at: usize| own.iter().map(|of| of[at]).max().unwrap_or(0);
    Ok((own.concat(), true, [m, most(1), most(2)]))
}

impl GemmArguments {
    fn options(&self) -> RunOptions<'static> {
        RunOptions {
            compare: match self.check {
                CompareArgument::Auto => Comparison::Auto,
                CompareArgument::Full => Comparison::Full,
                CompareArgument::Sampled => Comparison::Sampled,
            },
            timing: self.common.timing(),
            progress: None,
        }
    }
}

/// Runs a product whose B has weights of few bits.
fn of_weights(
    arguments: &GemmArguments,
    problem: &GemmProblem,
    name: &str,
) -> Result<Verdict, Failure> {
    let usage = |error: cutlet::CutletError| Failure::Usage(error.to_string());
    let format = weights::format(name, problem.input).map_err(usage)?;
    let kernel = match &arguments.kernel.configuration {
        None => None,
        Some(name) => {
            let mut all = MENUS.iter().flat_map(|menu| menu.configurations);
            let found = all.find(|of| of.kernel == name).map(|of| of.kernel);
            let unknown = || Failure::Usage(format!("there is no kernel {name} for weights"));
            Some(found.ok_or_else(unknown)?)
        }
    };
    let run = WeightsRun {
        problem: WeightsProblem {
            product: *problem,
            packed: format.packed,
        },
        format: *format,
        tensor_scale: 1.0,
        kernel,
        seed: arguments.common.seed,
    };
    let modules = arguments.common.open()?;
    let progress = RunProgress::new();
    let show = |phase| progress.show(phase);
    let options = RunOptions {
        progress: Some(&show),
        ..arguments.options()
    };
    let outcome = run::weights_gemm(&weights::WeightsLibrary::new(&modules), &run, &options)?;
    drop(progress);
    let of_product = GemmRun {
        problem: *problem,
        request: KernelRequest::default(),
        seed: run.seed,
    };
    let time = &outcome.launched.time;
    let report = GemmReport {
        problem: ProblemReport {
            weights: Some(format.packed.to_string()),
            ..ProblemReport::new(&of_product, outcome.accumulator)
        },
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.launched),
        schedule: schedule(outcome.schedule),
        tera_operations_per_second: time.tera_per_second(problem.operations()),
        error: ErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}

/// Runs the command.
pub fn run(arguments: &GemmArguments) -> Result<Verdict, Failure> {
    let groups = arguments.groups.as_deref().unwrap_or_default();
    let (list, own_extents, [m, n, k]) = match groups {
        [] => (Vec::new(), false, [arguments.m, arguments.n, arguments.k]),
        _ => of_groups(groups, [arguments.n, arguments.k])?,
    };
    let &GemmArguments {
        alpha, beta, bias, ..
    } = arguments;
    let problem = arguments.types.problem((m, n, k))?;
    let by_devices = super::distributed::run(
        &arguments.distribute,
        (m, n, k),
        problem.input,
        &arguments.kernel,
        &arguments.common,
    );
    if let Some(verdict) = by_devices {
        return verdict;
    }
    let mut problem = problem
        .with_padding(arguments.padding)
        .with_epilogue(Epilogue {
            alpha,
            beta,
            bias,
            activation: match arguments.activation {
                ActivationArgument::None => Activation::None,
                ActivationArgument::Relu => Activation::Relu,
                ActivationArgument::Gelu => Activation::Gelu,
            },
        });
    if arguments.batches > 1 {
        problem = problem.with_batches(arguments.batches);
    }
    if !groups.is_empty() {
        problem = problem
            .with_groups(groups.len() as u32)
            .with_own_extents(own_extents);
    }
    if let Some(name) = &arguments.weights {
        return of_weights(arguments, &problem, name);
    }
    let run = GemmRun {
        problem,
        request: arguments.kernel.request()?,
        seed: arguments.common.seed,
    };
    let modules = arguments.common.open()?;
    if arguments.explain_choice {
        return super::explain::run(&Library::new(&modules)?, &run, arguments.common.json);
    }
    let progress = RunProgress::new();
    let show = |phase| progress.show(phase);
    let options = RunOptions {
        progress: Some(&show),
        ..arguments.options()
    };
    let outcome = if groups.is_empty() {
        run::gemm(&modules, &run, &options)?
    } else {
        run::grouped_gemm(&Library::new(&modules)?, &run, &list, &options)?
    };
    drop(progress);
    let operations = if own_extents {
        let of = |group: &Group| group.extents().map_or(0.0, Shape::operations);
        groups.iter().map(of).sum()
    } else {
        problem.operations()
    };
    let time = &outcome.launched.time;
    let report = GemmReport {
        problem: ProblemReport::new(&run, outcome.accumulator).with_groups(groups),
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.launched),
        schedule: schedule(outcome.schedule),
        tera_operations_per_second: time.tera_per_second(operations),
        error: ErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
