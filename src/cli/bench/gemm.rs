//! `cutlet bench gemm`: matrix products beside cuBLAS, on the same data, interleaved.

use super::super::gemm::{ErrorReport, KernelArguments, ProblemReport, Types, schedule};
use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::progress::RunProgress;
use super::super::random_shapes::random_shapes;
use super::super::shape::Shape;
use super::super::{Common, Failure};
use super::random::RandomSummary;
use super::{needs_gpu, plot};
use clap::{Args, ValueEnum};
use cutlet::gemm::{AccumulatorType, GemmProblem, InputType, KernelRequest, Library, OutputType};
use cutlet::run::{self, CublasOutcome, GemmRun, LaunchTrial, RunOptions};
use host::cublas::{Compute, Cublas, CublasApi};
use host::{Kind, Time, Timing};
use serde::Serialize;
use std::path::PathBuf;

/// Times matrix products beside cuBLAS, for several shapes
///
/// Each result is compared with the float64 reference first, cuBLAS's too: where one of cuBLAS's is
/// missing or wrong, the exit status is 1. A sample of short kernels is as many as take 100 µs, one
/// behind the other; samples of all competitors alternate.
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
    /// What to time beside it
    #[arg(long, value_enum, default_value_t = Versus::Cublas)]
    vs: Versus,
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
    /// Nothing
    None,
}

/// Square, flat, deep and tall ones.
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
    shapes: Vec<ShapeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<RandomSummary>,
    verdict: Verdict,
    /// Why the times cannot be compared, a sentence for each competitor of each shape that failed.
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
    pub cublas: Vec<CublasReport>,
    error: ErrorReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    oracle: Option<OracleReport>,
    verdict: Verdict,
}

/// The fastest of all launches.
#[derive(Serialize)]
struct OracleReport {
    kernel: &'static str,
    schedule: String,
    /// The chosen launch's time over its.
    ratio: f64,
}

impl ShapeRow {
    /// The best competitor's time over ours, of those with a right result.
    pub(super) fn best_ratio(&self) -> Option<f64> {
        let right = self.cublas.iter().filter(|result| result.right);
        right
            .filter_map(|result| result.ratio)
            .min_by(f64::total_cmp)
    }

    /// The same of cuBLAS's own choice.
    pub(super) fn cublas_ratio(&self) -> Option<f64> {
        let is_own = |result: &&CublasReport| result.library == library_name(CublasApi::GemmEx);
        self.cublas.iter().find(is_own)?.ratio
    }

    /// The chosen launch's time over the fastest's.
    pub(super) fn over_oracle(&self) -> Option<f64> {
        Some(self.oracle.as_ref()?.ratio)
    }

    /// The fastest of all launches, and how much faster.
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
pub(super) struct CublasReport {
    /// cuBLAS or cublasLt.
    pub library: &'static str,
    pub compute: &'static str,
    #[serde(flatten)]
    pub measured: Option<Measured>,
    /// cuBLAS's time over ours: 1 is as fast, more is faster.
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

impl CublasReport {
    /// `cuBLAS 32F`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.library, self.compute)
    }

    fn new(cublas: &CublasOutcome, ours: &Time, operations: f64) -> Self {
        let found = cublas.result.as_ref().ok();
        Self {
            library: library_name(cublas.api),
            compute: compute_name(cublas.compute),
            measured: found.map(|(time, _)| Measured::new(time, operations)),
            ratio: found.map(|(time, _)| time.median / ours.median),
            relative_frobenius: found.map(|(_, difference)| difference.relative),
            right: cublas.right,
            error: cublas.result.as_ref().err().cloned(),
        }
    }

    fn cell(&self) -> String {
        let cell = self
            .measured
            .as_ref()
            .map_or_else(|| format!("{:>20}", "-"), Measured::cell);
        let ratio = self
            .ratio
            .map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"));
        // What gave no result is told below the table.
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
                row.cublas
                    .iter()
                    .map(CublasReport::name)
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
                .cublas
                .iter()
                .map(|cublas| format!("  {}", cublas.cell()))
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

/// Says what is wrong with cuBLAS's results of a shape, a sentence each; nothing where all are
/// right.
fn failures(shape: &str, results: &[CublasReport]) -> Vec<String> {
    if results.is_empty() {
        return vec![format!("{shape}: cuBLAS was not run")];
    }
    let wrong = results.iter().filter(|result| !result.right);
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

/// The verdict over all shapes: right only where every result is, ours and cuBLAS's.
fn judge(ours: impl IntoIterator<Item = Verdict>, failures: &[String]) -> Verdict {
    if ours.into_iter().any(|verdict| verdict != Verdict::Right) {
        Verdict::Wrong
    } else if failures.is_empty() {
        Verdict::Right
    } else {
        Verdict::NotCompared
    }
}

/// What is timed beside a product: cuBLAS, and cublasLt with the fastest of its first 8 algorithms.
fn competitors(problem: &GemmProblem) -> Vec<(Compute, CublasApi)> {
    let computes = computes(problem.input, problem.output);
    let by = |api| computes.iter().map(move |&compute| (compute, api));
    // Of bytes to bytes and of 8-bit floats cuBLAS has what cublasLt has.
    let only_lt = problem.input.is_fp8()
        || (problem.input, problem.output) == (InputType::S8, OutputType::Same);
    if only_lt {
        by(CublasApi::Lt).collect()
    } else {
        by(CublasApi::GemmEx).chain(by(CublasApi::Lt)).collect()
    }
}

/// The compute types that cuBLAS has for a product of these types.
fn computes(input: InputType, output: OutputType) -> &'static [Compute] {
    match (input, output) {
        (InputType::F16, OutputType::Same) => &[Compute::F32, Compute::F16],
        (InputType::F16 | InputType::Bf16, _) => &[Compute::F32],
        (InputType::Tf32, _) => &[Compute::Tf32],
        // Its integer accumulator has no f32 result.
        (InputType::S8, OutputType::F32) => &[Compute::F32],
        (InputType::S8, _) => &[Compute::I32],
        (InputType::E4m3 | InputType::E5m2, _) => &[Compute::F32],
    }
}

/// `cutlet bench` without a command.
pub fn squares(sizes: &[u32], types: &Types, common: &Common) -> Result<Verdict, Failure> {
    let runs = sizes
        .iter()
        .map(|&size| Ok(GemmRun::new(types.problem((size, size, size))?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let beside = BenchExtras {
        versus: Versus::Cublas,
        oracle: false,
        random_seed: None,
    };
    bench(&runs, Vec::new(), common, &beside, None)
}

/// The shape with extents rounded up to multiples of 16: cuBLAS takes no others of bytes.
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
            match (is_of_bytes, arguments.vs) {
                (true, Versus::Cublas) => shapes.into_iter().map(of_sixteens).collect(),
                _ => shapes,
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
        // Of f16 both accumulators, unless one is named.
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
            versus: arguments.vs,
            oracle: arguments.oracle,
            random_seed: arguments.random.map(|_| arguments.random_seed),
        },
        arguments.svg.as_ref(),
    )
}

/// What is timed and told besides the products.
struct BenchExtras {
    versus: Versus,
    /// Every launch that could have been chosen.
    oracle: bool,
    /// The seed of random shapes, of which there is a summary.
    random_seed: Option<u64>,
}

/// How the launches of the oracle are timed.
const ORACLE: Timing = Timing {
    warmup: 2,
    runs: 15,
};

/// The fastest of all launches for a problem, and the time of the one that is chosen over its.
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

/// Times the problems; `left_out` says of which there is no row, and why.
fn bench(
    runs: &[GemmRun],
    left_out: Vec<String>,
    common: &Common,
    beside: &BenchExtras,
    svg: Option<&PathBuf>,
) -> Result<Verdict, Failure> {
    let versus = beside.versus;
    let modules = common.open()?;
    let device = modules.device().clone();
    needs_gpu(&device)?;
    let library = Library::new(&modules)?;
    let cublas = match versus {
        Versus::Cublas => Ok(Cublas::open(&device).map_err(|error| {
            Failure::Run(format!("{error}; `bench gemm --vs none` times without it"))
        })?),
        Versus::None => Err("not requested".to_string()),
    };
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
        let (outcome, results) = run::gemm_beside(&library, &run, &options, by_cublas)?;
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
                .map(|result| CublasReport::new(result, time, operations))
                .collect(),
            cutlet: Measured::new(time, operations),
            error: ErrorReport::new(&outcome),
            oracle,
            verdict: Verdict::of(outcome.right()),
        });
    }
    drop(progress);
    let mut not_compared = left_out;
    if let Versus::Cublas = versus {
        not_compared.extend(shapes.iter().flat_map(|row| {
            let ProblemReport { m, n, k, .. } = row.problem;
            let shape = format!("{m}×{n}×{k} {}", row.problem.types());
            failures(&shape, &row.cublas)
        }));
    }
    let report = BenchReport {
        seed: common.seed,
        device: DeviceReport::new(&device),
        cublas: cublas.map(|cublas| LibraryReport {
            path: cublas.path().into(),
            version: cublas.version(),
        }),
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

impl ProblemReport {
    /// `f16 f32 f16`: inputs, accumulator, outputs.
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

    fn result(right: bool, relative: Option<f64>, error: Option<&str>) -> CublasReport {
        CublasReport {
            library: "cuBLAS",
            compute: "32I",
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
        assert_eq!(failures("8×8×8", &[]), ["8×8×8: cuBLAS was not run"]);
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

    #[test]
    fn shapes_are_separated_by_commas_or_spaces() {
        use clap::Parser;
        #[derive(Parser)]
        struct BenchCommandLine {
            #[command(flatten)]
            arguments: BenchGemmArguments,
        }
        for line in [
            "bench --shapes 512 64x32x16 --vs none",
            "bench --shapes 512,64x32x16 --vs none",
        ] {
            let line = BenchCommandLine::try_parse_from(line.split(' '))
                .ok()
                .unwrap();
            assert_eq!(
                line.arguments.shapes,
                [Shape(512, 512, 512), Shape(64, 32, 16)]
            );
        }
    }
}
