//! `cutlet bench`: the GEMM beside cuBLAS, in the same run, on the same data.

use super::gemm::{ErrorReport, Types};
use super::output::{self, DeviceReport, Report, Verdict};
use super::progress::Progress;
use super::{Common, Failure};
use clap::Args;
use cutlet::kernels;
use cutlet::run::{self, GemmProblem, Input, Options, Output};
use half::{bf16, f16};
use host::cublas::{Cublas, CublasElement};
use host::{Device, Kind, Time, Timing, reference};
use serde::Serialize;

/// Times the GEMM beside cuBLAS, for several sizes; needs a GPU
///
/// Each time is the median of many runs by CUDA events. Each result is compared with the float64 reference.
#[derive(Args)]
pub struct Arguments {
    /// Sizes: each is M, N and K
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [512, 1024, 2048, 4096, 8192],
        value_parser = clap::value_parser!(u32).range(1..))]
    sizes: Vec<u32>,
    #[command(flatten)]
    types: Types,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct BenchReport {
    dtype: &'static str,
    out: &'static str,
    seed: u64,
    device: DeviceReport,
    #[serde(serialize_with = "output::found_or_error")]
    cublas: Result<Library, String>,
    sizes: Vec<Row>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Library {
    path: String,
    version: String,
}

#[derive(Serialize)]
struct Row {
    size: u32,
    kernel: String,
    cutlet: Measured,
    cublas: Option<Measured>,
    /// cuBLAS's time over ours: 1 is as fast, more is faster.
    ratio: Option<f64>,
    error: ErrorReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Measured {
    median_seconds: f64,
    min_seconds: f64,
    max_seconds: f64,
    runs: usize,
    tera_operations_per_second: f64,
}

impl Measured {
    fn new(time: &Time, operations: f64) -> Self {
        Self {
            median_seconds: time.median,
            min_seconds: time.min,
            max_seconds: time.max,
            runs: time.runs,
            tera_operations_per_second: time.tera_per_second(operations),
        }
    }

    fn cell(&self) -> String {
        format!(
            "{:>10.1} µs {:>7.1}",
            self.median_seconds * 1e6,
            self.tera_operations_per_second
        )
    }
}

impl Report for BenchReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self {
            dtype, out, seed, ..
        } = self;
        let runs = self.sizes.first().map_or(0, |row| row.cutlet.runs);
        let mut lines = vec![
            (
                "problem",
                format!(
                    "D = A·Bᵀ, {dtype} in, f32 sums, {out} out, seed {seed}, median of {runs} by CUDA events"
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
            (
                "",
                format!(
                    "{:>6}  {:>10}    {:>7}  {:>10}    {:>7}  {:>6}  {:>9}",
                    "M=N=K", "cutlet", "TFLOP/s", "cuBLAS", "TFLOP/s", "ratio", "error"
                ),
            ),
        ];
        lines.extend(self.sizes.iter().map(|row| {
            let cublas = row
                .cublas
                .as_ref()
                .map_or_else(|| format!("{:>21}", "-"), Measured::cell);
            let ratio = row
                .ratio
                .map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"));
            let line = format!(
                "{:>6}  {}  {cublas}  {ratio:>6}  {:>9.2e}  {}",
                row.size,
                row.cutlet.cell(),
                row.error.relative_frobenius,
                row.verdict.word()
            );
            ("", line)
        }));
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
    let ptx = kernels::ptx()?;
    let device = arguments.common.device.open()?;
    if device.kind() != Kind::Gpu {
        let why = device
            .why_not_gpu()
            .map_or(String::new(), |why| format!(" ({why})"));
        return Err(Failure::Run(format!(
            "bench needs a GPU{why}: a time on the emulator says nothing about one"
        )));
    }
    let module = device.load(ptx)?;
    let cublas = Cublas::open(&device);
    let timing = arguments
        .common
        .timing()
        .unwrap_or(Timing::sensible(Kind::Gpu));
    let progress = Progress::new();
    let mut sizes = Vec::new();
    for &size in &arguments.sizes {
        progress.title(format!("{size}: "));
        let problem = GemmProblem {
            m: size,
            n: size,
            k: size,
            input,
            output,
            seed: arguments.common.seed,
        };
        let options = Options {
            timing: Some(timing),
            progress: Some(&|stage| progress.show(stage)),
            ..Options::default()
        };
        let outcome = run::gemm(&module, &problem, &options)?;
        let ours = Measured::new(&outcome.ran.time, problem.operations());
        let theirs = match &cublas {
            Ok(cublas) => Some(Measured::new(
                &time_cublas(cublas, &device, &problem, timing)?,
                problem.operations(),
            )),
            Err(_) => None,
        };
        sizes.push(Row {
            size,
            kernel: outcome.ran.kernel.clone(),
            ratio: theirs
                .as_ref()
                .map(|theirs| theirs.median_seconds / ours.median_seconds),
            cutlet: ours,
            cublas: theirs,
            error: ErrorReport::new(&outcome),
            verdict: Verdict::of(outcome.right()),
        });
    }
    drop(progress);
    let report = BenchReport {
        dtype,
        out,
        seed: arguments.common.seed,
        device: DeviceReport::new(&device),
        cublas: cublas
            .map(|cublas| Library {
                path: cublas.path().into(),
                version: cublas.version(),
            })
            .map_err(|error| error.to_string()),
        verdict: Verdict::of(sizes.iter().all(|row| row.verdict == Verdict::Right)),
        sizes,
    };
    output::print(&report, arguments.common.json)
}

/// The same problem by cuBLAS, on the same data.
fn time_cublas(
    cublas: &Cublas,
    device: &Device,
    problem: &GemmProblem,
    timing: Timing,
) -> Result<Time, Failure> {
    match (problem.input, problem.output) {
        (Input::F16, Output::Same) => time_typed::<f16, f16>(cublas, device, problem, timing),
        (Input::F16, Output::F32) => time_typed::<f16, f32>(cublas, device, problem, timing),
        (Input::Bf16, Output::Same) => time_typed::<bf16, bf16>(cublas, device, problem, timing),
        (Input::Bf16, Output::F32) => time_typed::<bf16, f32>(cublas, device, problem, timing),
    }
}

fn time_typed<I: CublasElement, O: CublasElement>(
    cublas: &Cublas,
    device: &Device,
    problem: &GemmProblem,
    timing: Timing,
) -> Result<Time, Failure> {
    let &GemmProblem { m, n, k, seed, .. } = problem;
    let (rows, columns, depth) = (m as usize, n as usize, k as usize);
    let a = device.upload(&reference::fill::<I>(seed, rows * depth))?;
    let b = device.upload(&reference::fill::<I>(!seed, columns * depth))?;
    let mut d = device.alloc::<O>(rows * columns)?;
    Ok(cublas.time_gemm_ex(&mut d, &a, &b, (m, n, k), timing)?)
}
