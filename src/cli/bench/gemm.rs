//! `cutlet bench gemm`: times matrix products beside cuBLAS, quack and DeepGEMM on the same data,
//! and alternates their samples.

use super::super::gemm::{ErrorReport, KernelArguments, ProblemReport, Types, schedule};
use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::progress::RunProgress;
use super::super::random_shapes::random_shapes;
use super::super::shape::Shape;
use super::super::{Common, Failure};
use super::competitor::{self, OperandFiles, PythonCompetitor, Started};
use super::random::RandomSummary;
use super::torch::Torch;
use super::{needs_gpu, plot};
use clap::{Args, ValueEnum};
use cutlet::gemm::{
    AccumulatorType, GemmProblem, InputType, KernelRequest, Library, Named, Order, OutputType,
    Scaling, output_name,
};
use cutlet::run::{
    self, CublasOutcome, ForeignOperands, ForeignOutcome, ForeignProduct, GemmRun, LaunchTrial,
    RunOptions,
};
use host::cublas::{Compute, Cublas, CublasApi};
use host::reference::Difference;
use host::{Kind, Time, Timing};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Times matrix products beside cuBLAS, quack or DeepGEMM, for several shapes
///
/// First compares each result with the float64 reference, the competitors' too: the exit status is
/// 1 if one of theirs is missing or wrong. A sample repeats a short kernel until it takes 100 µs, 3
/// ms for quack and DeepGEMM. Samples of cuBLAS alternate with ours, and so do rounds of the
/// others.
#[derive(Args)]
pub struct BenchGemmArguments {
    /// Shapes, M×N×K each
    #[arg(long, value_delimiter = ',', num_args = 1.., value_name = "MxNxK", default_values_t = SHAPES)]
    shapes: Vec<Shape>,
    /// So many random shapes in their place, and a summary: M of 1 to 16384, N and K of 64 to
    /// 32768, log-uniform, of 10^8 to 10^13 operations; of bytes beside cuBLAS rounded up to
    /// multiples of 16, which it asks for
    #[arg(long, value_name = "NUMBER", conflicts_with = "shapes", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    random: Option<u32>,
    /// What the random shapes are drawn from
    #[arg(long, default_value_t = 0, value_name = "NUMBER", requires = "random", value_parser = super::super::natural)]
    random_seed: u64,
    /// Time every launch that could have been chosen, too
    #[arg(long, requires = "random")]
    oracle: bool,
    /// What to time beside it; quack and DeepGEMM read the operands from files, and three rounds of
    /// theirs alternate with ours
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Versus::Cublas])]
    vs: Vec<Versus>,
    /// The Python interpreter that runs quack and DeepGEMM
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    /// Write a plot of speed and ratio by shape
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    types: Types,
    #[command(flatten)]
    kernel: KernelArguments,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Versus {
    /// cuBLAS, which must be installed
    Cublas,
    /// quack by its default configuration: of bf16 and f16
    Quack,
    /// quack by its fastest configuration; it compiles and times all of them at first use
    QuackTuned,
    /// DeepGEMM: of bf16, and of e4m3 with --scales blocks and bf16 out
    Deepgemm,
    /// Nothing
    None,
}

impl Versus {
    /// Returns the Python library, or `None` for cuBLAS and `none`.
    fn competitor(self) -> Option<&'static PythonCompetitor> {
        match self {
            Self::Quack => Some(&competitor::QUACK_UNTUNED),
            Self::QuackTuned => Some(&competitor::QUACK_TUNED),
            Self::Deepgemm => Some(&competitor::DEEP_GEMM),
            Self::Cublas | Self::None => None,
        }
    }
}

/// The default shapes: square, flat, deep and tall.
const SHAPES: [Shape; 7] = [
    Shape(512, 512, 512),
    Shape(2048, 2048, 2048),
    Shape(4096, 4096, 4096),
    Shape(8192, 8192, 8192),
    Shape(4096, 4096, 128),
    Shape(8192, 512, 4096),
    Shape(81_920, 256, 256),
];

#[derive(Serialize)]
struct BenchReport {
    seed: u64,
    device: DeviceReport,
    #[serde(serialize_with = "output::found_or_error")]
    cublas: Result<LibraryReport, String>,
    /// The name and version of each Python library, or why it is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<String>,
    shapes: Vec<ShapeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<RandomSummary>,
    verdict: Verdict,
    /// The reasons why the times cannot be compared: a sentence for each competitor of each shape
    /// that failed.
    not_compared: Vec<String>,
}

#[derive(Serialize)]
struct LibraryReport {
    path: String,
    version: String,
}

#[derive(Serialize)]
pub(super) struct ShapeRow {
    pub problem: ProblemReport,
    kernel: String,
    schedule: String,
    pub cutlet: Measured,
    pub cublas: Vec<CompetitorReport>,
    /// The results of Python libraries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<CompetitorReport>,
    error: ErrorReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    oracle: Option<OracleReport>,
    verdict: Verdict,
}

/// The fastest of all launches for a problem.
#[derive(Serialize)]
struct OracleReport {
    kernel: &'static str,
    schedule: String,
    /// The chosen launch's time divided by the fastest launch's time.
    ratio: f64,
}

impl ShapeRow {
    /// Returns the competitors' results: those of cuBLAS's calls, then those of Python libraries.
    pub(super) fn competitors(&self) -> impl Iterator<Item = &CompetitorReport> {
        self.cublas.iter().chain(&self.others)
    }

    /// Returns the best competitor's time / ours, among those with a right result.
    pub(super) fn best_ratio(&self) -> Option<f64> {
        let right = self.competitors().filter(|result| result.right);
        right
            .filter_map(|result| result.ratio)
            .min_by(f64::total_cmp)
    }

    /// Returns the time of cuBLAS's own choice / ours.
    pub(super) fn cublas_ratio(&self) -> Option<f64> {
        let is_own = |result: &&CompetitorReport| result.library == library_name(CublasApi::GemmEx);
        self.cublas.iter().find(is_own)?.ratio
    }

    /// Returns the chosen launch's time divided by the fastest launch's time.
    pub(super) fn over_oracle(&self) -> Option<f64> {
        Some(self.oracle.as_ref()?.ratio)
    }

    /// Names the fastest of all launches, and the ratio of our time to its time.
    pub(super) fn oracle(&self) -> Option<String> {
        let oracle = self.oracle.as_ref()?;
        let OracleReport {
            kernel,
            schedule,
            ratio,
        } = oracle;
        Some(format!(
            "{kernel} ({schedule}), of which ours takes {ratio:.3}"
        ))
    }

    pub(super) fn extents(&self) -> [u32; 3] {
        let ProblemReport { m, n, k, .. } = self.problem;
        [m, n, k]
    }

    pub(super) fn shape(&self) -> String {
        let [m, n, k] = self.extents();
        format!("{m}×{n}×{k}")
    }

    pub(super) fn launch(&self) -> String {
        format!("{} ({})", self.kernel, self.schedule)
    }
}

#[derive(Serialize)]
pub(super) struct CompetitorReport {
    /// The library: cuBLAS, cublasLt, or a Python library.
    pub library: &'static str,
    /// cuBLAS's compute type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<&'static str>,
    #[serde(flatten)]
    pub measured: Option<Measured>,
    /// The competitor's time divided by ours: above 1, ours is faster.
    pub ratio: Option<f64>,
    relative_frobenius: Option<f64>,
    right: bool,
    error: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Measured {
    median_seconds: f64,
    min_seconds: f64,
    max_seconds: f64,
    samples: usize,
    pub tera_operations_per_second: f64,
}

impl Measured {
    fn new(time: &Time, operations: f64) -> Self {
        Self {
            median_seconds: time.median,
            min_seconds: time.min,
            max_seconds: time.max,
            samples: time.runs,
            tera_operations_per_second: time.tera_per_second(operations),
        }
    }

    fn cell(&self) -> String {
        format!(
            "{:>10.1} µs {:>6.1}",
            self.median_seconds * 1e6,
            self.tera_operations_per_second
        )
    }
}

fn compute_name(compute: Compute) -> &'static str {
    match compute {
        Compute::F32 => "32F",
        Compute::F16 => "16F",
        Compute::Tf32 => "32F_FAST_TF32",
        Compute::I32 => "32I",
    }
}

fn library_name(api: CublasApi) -> &'static str {
    match api {
        CublasApi::GemmEx => "cuBLAS",
        CublasApi::Lt => "cublasLt",
    }
}

impl CompetitorReport {
    /// Returns the competitor's name, such as `cuBLAS 32F`.
    pub(super) fn name(&self) -> String {
        let compute = self.compute.map(|compute| format!(" {compute}"));
        format!("{}{}", self.library, compute.unwrap_or_default())
    }

    fn new(
        (library, compute): (&'static str, Option<&'static str>),
        (result, right): (&Result<(Time, Difference), String>, bool),
        ours: &Time,
        operations: f64,
    ) -> Self {
        let found = result.as_ref().ok();
        Self {
            library,
            compute,
            measured: found.map(|(time, _)| Measured::new(time, operations)),
            ratio: found.map(|(time, _)| time.median / ours.median),
            relative_frobenius: found.map(|(_, difference)| difference.relative),
            right,
            error: result.as_ref().err().cloned(),
        }
    }

    fn of_cublas(of: &CublasOutcome, ours: &Time, operations: f64) -> Self {
        let name = (library_name(of.api), Some(compute_name(of.compute)));
        Self::new(name, (&of.result, of.right), ours, operations)
    }

    fn of_other(name: &'static str, of: &ForeignOutcome, ours: &Time, operations: f64) -> Self {
        Self::new((name, None), (&of.result, of.right), ours, operations)
    }

    fn cell(&self) -> String {
        let cell = self
            .measured
            .as_ref()
            .map_or_else(|| format!("{:>20}", "-"), Measured::cell);
        let ratio = self
            .ratio
            .map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"));
        // A note below the table names each competitor without a result.
        let mark = if self.right || self.measured.is_none() {
            ""
        } else {
            " WRONG"
        };
        format!("{cell}  {ratio:>5}{mark}")
    }
}

impl Report for BenchReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let samples = self.shapes.first().map_or(0, |row| row.cutlet.samples);
        let mut lines = vec![
            (
                "problem",
                format!(
                    "D = A·B, seed {}, medians of {samples} samples by CUDA events, interleaved",
                    self.seed
                ),
            ),
            ("device", self.device.line()),
            (
                "cuBLAS",
                match &self.cublas {
                    Ok(library) => format!("{} ({})", library.version, library.path),
                    Err(why) => why.clone(),
                },
            ),
        ];
        lines.extend(self.beside.iter().map(|of| ("beside", of.clone())));
        if let Some(random) = &self.random {
            lines.extend(random.lines());
            lines.extend(self.not_compared.iter().map(|why| ("", why.clone())));
            lines.push(("verdict", self.verdict.name().into()));
            return lines;
        }
        let competitors = self
            .shapes
            .iter()
            .map(|row| {
                row.competitors()
                    .map(CompetitorReport::name)
                    .collect::<Vec<_>>()
            })
            .max_by_key(Vec::len)
            .unwrap_or_default();
        let mut head = format!(
            "{:>16} {:>13}  {:>13} {:>6}",
            "M×N×K", "in acc out", "cutlet", "TFLOP/s"
        );
        for competitor in &competitors {
            head += &format!("  {competitor:>13} {:>6}  ratio", "TFLOP/s");
        }
        lines.push(("", format!("{head}  {:>9}  verdict  kernel", "error")));
        for row in &self.shapes {
            let ProblemReport { m, n, k, .. } = row.problem;
            let beside: String = row
                .competitors()
                .map(|of| format!("  {}", of.cell()))
                .collect();
            let line = format!(
                "{:>16} {:>13}  {}{beside}  {:>9.2e}  {:>7}  {} ({})",
                format!("{m}×{n}×{k}"),
                row.problem.types(),
                row.cutlet.cell(),
                row.error.relative_frobenius,
                row.verdict.name(),
                row.kernel,
                row.schedule
            );
            lines.push(("", line));
        }
        lines.extend(self.not_compared.iter().map(|why| ("", why.clone())));
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Returns one sentence for each competitor's result of a shape that is missing or wrong.
fn failures<'a>(
    shape: &str,
    results: impl IntoIterator<Item = &'a CompetitorReport>,
) -> Vec<String> {
    let wrong = results.into_iter().filter(|result| !result.right);
    wrong
        .map(|result| {
            let why = match (&result.error, result.relative_frobenius) {
                (Some(error), _) => format!("gave no result: {error}"),
                (None, Some(relative)) => {
                    format!(
                        "gave a wrong result, relative error {relative:.2e}; its time says nothing"
                    )
                }
                (None, None) => "gave no result".into(),
            };
            format!("{shape}: {} {why}", result.name())
        })
        .collect()
}

/// Returns the verdict over all shapes: wrong if one of our results is wrong, and not compared if a
/// competitor's result is missing or wrong.
fn judge(ours: impl IntoIterator<Item = Verdict>, failures: &[String]) -> Verdict {
    if ours.into_iter().any(|verdict| verdict != Verdict::Right) {
        Verdict::Wrong
    } else if failures.is_empty() {
        Verdict::Right
    } else {
        Verdict::NotCompared
    }
}

/// Returns the competitors of a product: cuBLAS, and cublasLt with the fastest of its first 8
/// algorithms.
fn competitors(problem: &GemmProblem) -> Vec<(Compute, CublasApi)> {
    let computes = computes(problem.input, problem.output);
    let by = |api| computes.iter().map(move |&compute| (compute, api));
    // For products of bytes to bytes and of 8-bit floats, cuBLAS has only cublasLt.
    let only_lt = problem.input.is_fp8()
        || (problem.input, problem.output) == (InputType::S8, OutputType::Same);
    if only_lt {
        by(CublasApi::Lt).collect()
    } else {
        by(CublasApi::GemmEx).chain(by(CublasApi::Lt)).collect()
    }
}

/// Returns the compute types that cuBLAS has for a product of these types.
fn computes(input: InputType, output: OutputType) -> &'static [Compute] {
    match (input, output) {
        (InputType::F16, OutputType::Same) => &[Compute::F32, Compute::F16],
        (InputType::F16 | InputType::Bf16, _) => &[Compute::F32],
        (InputType::Tf32, _) => &[Compute::Tf32],
        // cuBLAS's integer accumulator has no f32 result.
        (InputType::S8, OutputType::F32) => &[Compute::F32],
        (InputType::S8, _) => &[Compute::I32],
        (InputType::E4m3 | InputType::E5m2, _) => &[Compute::F32],
    }
}

/// Runs `cutlet bench` without a command.
pub fn squares(sizes: &[u32], types: &Types, common: &Common) -> Result<Verdict, Failure> {
    let runs = sizes
        .iter()
        .map(|&size| Ok(GemmRun::new(types.problem((size, size, size))?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let beside = BenchExtras {
        versus: &[Versus::Cublas],
        python: "python3",
        oracle: false,
        random_seed: None,
    };
    bench(&runs, Vec::new(), common, &beside, None)
}

/// Returns the shape with extents rounded up to multiples of 16, which cuBLAS requires for bytes.
fn of_sixteens(Shape(m, n, k): Shape) -> Shape {
    let [m, n, k] = [m, n, k].map(|extent| extent.next_multiple_of(16));
    Shape(m, n, k)
}

/// Runs the command.
pub fn run(arguments: &BenchGemmArguments) -> Result<Verdict, Failure> {
    let mut runs = Vec::new();
    let mut left_out = Vec::new();
    let shapes = match arguments.random {
        Some(count) => {
            let shapes = random_shapes(count as usize, arguments.random_seed);
            let is_of_bytes = arguments.types.problem((16, 16, 16))?.input.bytes() == 1;
            match is_of_bytes && arguments.vs.contains(&Versus::Cublas) {
                true => shapes.into_iter().map(of_sixteens).collect(),
                false => shapes,
            }
        }
        None => arguments.shapes.clone(),
    };
    for Shape(m, n, k) in shapes {
        let run = GemmRun {
            request: arguments.kernel.request()?,
            ..GemmRun::new(arguments.types.problem((m, n, k))?)
        };
        runs.push(run);
        // For f16, runs both accumulators unless the user names one.
        let types = (run.problem.input, run.problem.output);
        if types == (InputType::F16, OutputType::Same)
            && arguments.types.accumulator.is_none()
            && run.request.configuration.is_none()
            && arguments.random.is_none()
        {
            match run::verdict_is_possible(&run.problem, AccumulatorType::F16) {
                Ok(()) => runs.push(GemmRun {
                    problem: run.problem.with_accumulator(AccumulatorType::F16),
                    ..run
                }),
                Err(why) => left_out.push(format!("{m}×{n}×{k} f16 f16 f16: {why}")),
            }
        }
    }
    bench(
        &runs,
        left_out,
        &arguments.common,
        &BenchExtras {
            versus: &arguments.vs,
            python: &arguments.python,
            oracle: arguments.oracle,
            random_seed: arguments.random.map(|_| arguments.random_seed),
        },
        arguments.svg.as_ref(),
    )
}

/// The competitors, the oracle and the summary of a benchmark.
struct BenchExtras<'a> {
    versus: &'a [Versus],
    /// The interpreter that runs the Python libraries.
    python: &'a str,
    /// Whether to time every launch that the choice considers.
    oracle: bool,
    /// The seed of random shapes, if the report summarises them.
    random_seed: Option<u64>,
}

/// The timing of the oracle's launches.
const ORACLE: Timing = Timing {
    warmup: 2,
    runs: 15,
};

/// Returns the fastest of all launches for a problem, and the chosen launch's time divided by its
/// time.
fn oracle(library: &Library, run: &GemmRun) -> Result<Option<OracleReport>, Failure> {
    let trials = library.trials(&run.problem);
    let choice = library.choose(&run.problem, &run.request)?;
    let found = run::gemm_candidates(library, run, &trials, ORACLE, &mut |_| {})?;
    let time = |trial: &LaunchTrial| match trial {
        LaunchTrial::Slower(time) | LaunchTrial::Timed(time) => Some(time.median),
        LaunchTrial::Refused(_) | LaunchTrial::Wrong => None,
    };
    let finalists = trials.iter().zip(&found);
    let finalists = finalists.filter_map(|(request, trial)| Some((request, trial.time()?.median)));
    let Some((fastest, least)) = finalists.min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Ok(None);
    };
    let is_chosen = |request: &KernelRequest<'_>| {
        library.choose(&run.problem, request).is_ok_and(|of| {
            (of.configuration, of.schedule) == (choice.configuration, choice.schedule)
        })
    };
    let chosen = trials
        .iter()
        .zip(&found)
        .find(|(request, _)| is_chosen(request));
    let chosen = chosen.and_then(|(_, trial)| time(trial)).unwrap_or(least);
    Ok(Some(OracleReport {
        kernel: fastest.configuration.unwrap_or_default(),
        schedule: fastest.schedule.to_string(),
        ratio: (chosen / least).max(1.0),
    }))
}

/// Times the problems. `left_out` has a sentence for each problem that gets no row.
fn bench(
    runs: &[GemmRun],
    left_out: Vec<String>,
    common: &Common,
    beside: &BenchExtras<'_>,
    svg: Option<&PathBuf>,
) -> Result<Verdict, Failure> {
    let versus = beside.versus;
    let modules = common.open()?;
    let device = modules.device().clone();
    needs_gpu(&device)?;
    let library = Library::new(&modules)?;
    let cublas = match versus.contains(&Versus::Cublas) {
        true => Ok(Cublas::open(&device).map_err(|error| {
            Failure::Run(format!("{error}; `bench gemm --vs none` times without it"))
        })?),
        false => Err("not requested".to_string()),
    };
    let others: Vec<_> = versus.iter().filter_map(|of| of.competitor()).collect();
    let mut started = Started::all(beside.python, &others);
    let lines: Vec<String> = started.iter().map(Started::line).collect();
    let timing = common.timing().unwrap_or(Timing::sensible(Kind::Gpu));
    let progress = RunProgress::new();
    let mut shapes = Vec::new();
    for run in runs {
        let run = run.with_seed(common.seed);
        let problem = run.problem;
        let (m, n, k) = (problem.m, problem.n, problem.k);
        progress.title(format!("{m}×{n}×{k}: "));
        let options = RunOptions {
            timing: Some(timing),
            progress: Some(&|phase| progress.show(phase)),
            ..RunOptions::default()
        };
        let competitors = competitors(&problem);
        let by_cublas = cublas
            .as_ref()
            .ok()
            .map(|cublas| (cublas, competitors.as_slice()));
        let mut in_python: Vec<PythonProduct<'_>> =
            (started.iter_mut()).filter_map(PythonProduct::of).collect();
        let names: Vec<&'static str> = in_python.iter().map(|of| of.name).collect();
        let mut foreign: Vec<&mut dyn ForeignProduct> = (in_python.iter_mut())
            .map(|of| of as &mut dyn ForeignProduct)
            .collect();
        let (outcome, results, theirs) =
            run::gemm_beside_others(&library, &run, &options, by_cublas, &mut foreign)?;
        let oracle = if beside.oracle {
            oracle(&library, &run)?
        } else {
            None
        };
        let time = &outcome.launched.time;
        let operations = problem.operations();
        shapes.push(ShapeRow {
            problem: ProblemReport::new(&run, outcome.accumulator),
            kernel: outcome.launched.kernel.clone(),
            schedule: schedule(outcome.schedule),
            cublas: results
                .iter()
                .map(|result| CompetitorReport::of_cublas(result, time, operations))
                .collect(),
            others: (names.iter().zip(&theirs))
                .map(|(name, of)| CompetitorReport::of_other(name, of, time, operations))
                .collect(),
            cutlet: Measured::new(time, operations),
            error: ErrorReport::new(&outcome),
            oracle,
            verdict: Verdict::of(outcome.right()),
        });
    }
    drop(progress);
    let mut not_compared = left_out;
    not_compared.extend((started.iter()).filter_map(|of| Some(of.process.as_ref().err()?.clone())));
    for row in &shapes {
        let ProblemReport { m, n, k, .. } = row.problem;
        let shape = format!("{m}×{n}×{k} {}", row.problem.types());
        if cublas.is_ok() && row.cublas.is_empty() {
            not_compared.push(format!("{shape}: cuBLAS was not run"));
        }
        not_compared.extend(failures(&shape, row.competitors()));
    }
    let report = BenchReport {
        seed: common.seed,
        device: DeviceReport::new(&device),
        cublas: cublas.map(|cublas| LibraryReport {
            path: cublas.path().into(),
            version: cublas.version(),
        }),
        beside: lines,
        verdict: judge(shapes.iter().map(|row| row.verdict), &not_compared),
        not_compared,
        random: (beside.random_seed).map(|seed| RandomSummary::new(&shapes, seed)),
        shapes,
    };
    if let Some(file) = svg {
        let title = format!("Matrix products on {}", device.name());
        let text = plot::draw(&title, &plot::series(&report.shapes));
        files::write(file, text).map_err(|error| {
            Failure::Run(format!("{} cannot be written: {error}", file.display()))
        })?;
    }
    output::print(&report, common.json)
}

/// Computes and times products by a Python library.
struct PythonProduct<'a> {
    name: &'static str,
    process: &'a mut Torch,
    /// The operand files of the latest product.
    files: Option<OperandFiles>,
}

impl<'a> PythonProduct<'a> {
    /// Returns the product by a library, or `None` if the library's process did not start.
    fn of(started: &'a mut Started) -> Option<Self> {
        Some(Self {
            name: started.of.name,
            process: started.process.as_mut().ok()?,
            files: None,
        })
    }
}

impl ForeignProduct for PythonProduct<'_> {
    fn compute(&mut self, operands: &ForeignOperands<'_>) -> Result<Vec<f64>, String> {
        let (problem, [of_a, of_b]) = (operands.problem, operands.scales);
        let mut all = vec![("a", operands.a), ("b", operands.b)];
        if problem.scaling == Scaling::Blocks {
            all.push(("scales_a", bytemuck::cast_slice(of_a)));
            all.push(("scales_b", bytemuck::cast_slice(of_b)));
        }
        let files = OperandFiles::write(&all)?;
        let [a, b] = problem.majors.orders();
        let GemmProblem { m, n, k, .. } = *problem;
        let mut question = json!({
            "m": m, "n": n, "k": k, "dtype": problem.input.name(),
            "out": output_name(problem.input, problem.output),
            "a_rows": a == Order::Rows, "b_rows": b == Order::Rows, "compared": operands.rows,
        });
        files.name_in(&mut question);
        self.files = Some(files);
        let answer = self.process.ask(&question)?;
        competitor::rows(&answer[self.name], operands.rows.len() * n as usize)
    }

    fn time(&mut self, timing: Timing) -> Result<f64, String> {
        competitor::time(self.process, self.name, timing, LEAST_SAMPLE)
    }
}

/// The least duration of a sample in another process, in seconds.
const LEAST_SAMPLE: f64 = 3e-3;

impl ProblemReport {
    /// Returns the types of inputs, accumulator and outputs, such as `f16 f32 f16`.
    fn types(&self) -> String {
        format!("{} {} {}", self.dtype(), self.accumulator(), self.out())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_cublas() {
        assert_eq!(
            [Compute::F32, Compute::F16, Compute::Tf32, Compute::I32].map(compute_name),
            ["32F", "16F", "32F_FAST_TF32", "32I"]
        );
    }

    fn result(right: bool, relative: Option<f64>, error: Option<&str>) -> CompetitorReport {
        CompetitorReport {
            library: "cuBLAS",
            compute: Some("32I"),
            measured: None,
            ratio: None,
            relative_frobenius: relative,
            right,
            error: error.map(str::to_string),
        }
    }

    #[test]
    fn a_competitor_that_fails_is_no_comparison() {
        let right = result(true, Some(0.0), None);
        let wrong = result(false, Some(0.5), None);
        let absent = result(false, None, Some("cublasGemmEx returned a status"));
        assert_eq!(failures("8×8×8", std::slice::from_ref(&right)), [""; 0]);
        assert_eq!(
            failures("8×8×8", &[right, wrong, absent]),
            [
                "8×8×8: cuBLAS 32I gave a wrong result, relative error 5.00e-1; its time says nothing",
                "8×8×8: cuBLAS 32I gave no result: cublasGemmEx returned a status",
            ]
        );
        let why = ["8×8×8: cuBLAS was not run".to_string()];
        let (good, bad) = (Verdict::Right, Verdict::Wrong);
        assert_eq!(judge([good, good], &[]), Verdict::Right);
        assert_eq!(judge([good, good], &why), Verdict::NotCompared);
        assert_eq!(judge([good, bad], &why), Verdict::Wrong);
        assert_eq!(judge([good, bad], &[]), Verdict::Wrong);
    }

    #[test]
    fn cublas_computes_what_it_has() {
        for (input, output, expected) in [
            (
                InputType::F16,
                OutputType::Same,
                &[Compute::F32, Compute::F16][..],
            ),
            (InputType::F16, OutputType::F32, &[Compute::F32]),
            (InputType::Tf32, OutputType::Same, &[Compute::Tf32]),
            (InputType::S8, OutputType::Same, &[Compute::I32]),
            (InputType::S8, OutputType::S32, &[Compute::I32]),
            (InputType::S8, OutputType::F32, &[Compute::F32]),
            (InputType::E4m3, OutputType::Bf16, &[Compute::F32]),
        ] {
            assert_eq!(computes(input, output), expected);
        }
        let of = |input, output| competitors(&GemmProblem::new(64, 64, 64, input, output));
        let f32_by = |api| (Compute::F32, api);
        assert_eq!(
            of(InputType::Bf16, OutputType::Same),
            [f32_by(CublasApi::GemmEx), f32_by(CublasApi::Lt)]
        );
        assert_eq!(
            of(InputType::E4m3, OutputType::Same),
            [f32_by(CublasApi::Lt)]
        );
    }

    /// Parses the arguments of a command line.
    fn parsed(line: &str) -> Option<BenchGemmArguments> {
        use clap::Parser;
        #[derive(Parser)]
        struct BenchCommandLine {
            #[command(flatten)]
            arguments: BenchGemmArguments,
        }
        let line = BenchCommandLine::try_parse_from(line.split(' ')).ok()?;
        Some(line.arguments)
    }

    #[test]
    fn shapes_are_separated_by_commas_or_spaces() {
        for line in [
            "bench --shapes 512 64x32x16 --vs none",
            "bench --shapes 512,64x32x16 --vs none",
        ] {
            let shapes = parsed(line).unwrap().shapes;
            assert_eq!(shapes, [Shape(512, 512, 512), Shape(64, 32, 16)]);
        }
    }

    /// Compares products of random operands with float64: ours on the emulator, and each library's,
    /// computed from the same bytes.
    #[cfg(unix)]
    #[test]
    fn libraries_products_are_held_to_the_reference() {
        use super::competitor::testing::FAKE_PYTHON;
        use cutlet::gemm::Majors;
        use cutlet::kernels::Modules;
        use host::Device;

        let modules = Modules::load(&Device::emulator()).unwrap();
        let library = Library::with(modules, Default::default());
        let of = [
            &competitor::QUACK_UNTUNED,
            &competitor::QUACK_TUNED,
            &competitor::DEEP_GEMM,
        ];
        let refused =
            "it is asked for products of bf16, and of e4m3 with scales of blocks, not of f16";
        let mut started = Started::all(FAKE_PYTHON, &of);
        let f16 = |majors| {
            GemmProblem::new(20, 24, 40, InputType::F16, OutputType::Same).with_majors(majors)
        };
        for majors in [Majors::Tn, Majors::Nn, Majors::Tt] {
            let run = GemmRun::new(f16(majors)).with_seed(majors as u64);
            let mut in_python: Vec<_> = started.iter_mut().filter_map(PythonProduct::of).collect();
            let mut foreign: Vec<&mut dyn ForeignProduct> = (in_python.iter_mut())
                .map(|of| of as &mut dyn ForeignProduct)
                .collect();
            let (ours, _, theirs) =
                run::gemm_beside_others(&library, &run, &RunOptions::default(), None, &mut foreign)
                    .unwrap();
            assert!(ours.right());
            assert!(theirs[0].result.is_ok() && theirs[0].right);
            // The fake tuned quack has an error of 1 in one element.
            assert!(theirs[1].result.is_ok() && !theirs[1].right);
            let why = theirs[2].result.as_ref().err().unwrap();
            assert!(
                !theirs[2].right && (majors != Majors::Tn || why == refused),
                "{why}"
            );
        }
    }

    /// Sends the scales of blocks, in the order of our files, through DeepGEMM's process.
    #[cfg(unix)]
    #[test]
    fn scales_of_blocks_are_those_of_our_rows_and_columns() {
        use super::competitor::testing::FAKE_PYTHON;
        use host::reference::{Element, fill, fill_bits};
        use layout_types::atom::element::FloatE4M3;

        let (m, n, k) = (5, 130, 260);
        let problem = GemmProblem::new(m, n, k, InputType::E4m3, OutputType::Bf16)
            .with_scaling(Scaling::Blocks);
        // Clears bit 6, so that no value is NaN.
        let bits = |seed, count: u32| -> Vec<u8> {
            let all: Vec<u8> = fill_bits(seed, count as usize);
            all.into_iter().map(|of| of & 0xbf).collect()
        };
        let (a, b) = (bits(1, m * k), bits(2, n * k));
        let [of_a, of_b] = problem.scaling.counts(&problem);
        let (of_a, of_b): (Vec<f32>, Vec<f32>) = (fill(3, of_a as usize), fill(4, of_b as usize));
        let value = |bits: u8| FloatE4M3(bits).to_f64();
        let [m, n, k] = [m, n, k].map(|of| of as usize);
        let element = |i: usize, j: usize| -> f64 {
            let product = |at: usize| {
                let scale_a = of_a[at / 128 * m + i];
                let scale_b = of_b[j / 128 * k.div_ceil(128) + at / 128];
                value(a[i * k + at]) * value(b[j * k + at]) * f64::from(scale_a * scale_b)
            };
            (0..k).map(product).sum()
        };
        let rows = [0, 3];
        let operands = ForeignOperands {
            problem: &problem,
            a: &a,
            b: &b,
            scales: [&of_a, &of_b],
            rows: &rows,
        };
        let mut started = Started::all(FAKE_PYTHON, &[&competitor::DEEP_GEMM]);
        let mut of = PythonProduct::of(&mut started[0]).unwrap();
        let found = of.compute(&operands).unwrap();
        let places = rows.iter().flat_map(|&i| (0..n).map(move |j| (i, j)));
        for (found, (i, j)) in found.iter().zip(places) {
            let expected = element(i, j);
            let allowed = 1e-5 * expected.abs().max(1.0);
            assert!(
                (found - expected).abs() <= allowed,
                "({i}, {j}): {found}, {expected}"
            );
        }
        assert!(of.time(Timing { warmup: 0, runs: 2 }).unwrap() > 0.0);
    }

    #[test]
    fn competitors_are_named_by_a_list() {
        let of = |line: &str| {
            let arguments = parsed(line)?;
            let names = (arguments.vs.iter()).map(|of| Some(of.competitor()?.name));
            Some(names.collect::<Vec<_>>())
        };
        assert_eq!(of("bench"), Some(vec![None]));
        assert_eq!(
            of("bench --vs cublas,quack,quack-tuned,deepgemm"),
            Some(vec![
                None,
                Some("quack"),
                Some("quack, tuned"),
                Some("DeepGEMM")
            ])
        );
        assert_eq!(of("bench --vs fa4"), None);
    }
}
