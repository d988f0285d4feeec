//! `cutlet bench weights`: products with weights of few bits, the weights cold, beside cuBLAS in
//! bf16.
//!
//! ```text
//!   format × (N, K) × tokens ─► right against float64 ─► times in turn: ours, or every kernel of the menu, and cuBLAS
//! ```

use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::{Common, Failure};
use clap::Args;
use cutlet::gemm::{InputType, Named};
use cutlet::run::{self, ColdWeights, Comparison, RunOptions, WeightsRun};
use cutlet::weights::{self, MENUS, WeightsLibrary, WeightsProblem};
use host::Timing;
use host::cublas::Cublas;
use serde::Serialize;

/// Times products with weights of few bits beside cuBLAS's of bf16, the weights cold in the L2
/// cache
///
/// Each kernel's result of 1000 rows of the weights is compared with the float64 reference first.
#[derive(Args)]
pub struct BenchWeightsArguments {
    /// Formats, such as int4:128, nvfp4:16, e4m3:row, q4_K
    #[arg(long, value_delimiter = ',', value_name = "FORMATS", default_values_t = [String::from("int4:128")])]
    weights: Vec<String>,
    /// N×K of the weights
    #[arg(long, value_delimiter = ',', value_name = "NxK", default_values_t = [Extents(28672, 8192), Extents(8192, 8192), Extents(4096, 4096)])]
    shapes: Vec<Extents>,
    /// Tokens, M
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [1, 8, 16, 32, 64, 128, 256, 512],
        value_parser = clap::value_parser!(u32).range(1..))]
    tokens: Vec<u32>,
    /// The type of X and D: bf16, f16
    #[arg(long, default_value = "bf16", value_name = "TYPE", value_parser = InputType::read)]
    dtype: InputType,
    /// Time every kernel that takes the tokens, too
    #[arg(long)]
    oracle: bool,
    #[command(flatten)]
    common: Common,
}

/// N and K.
#[derive(Clone, Copy)]
struct Extents(u32, u32);

impl std::fmt::Display for Extents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

impl std::str::FromStr for Extents {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let all: Option<Vec<u32>> = text.split(['x', '×']).map(|of| of.parse().ok()).collect();
        match all.as_deref() {
            Some(&[n, k]) if n > 0 && k > 0 => Ok(Self(n, k)),
            _ => Err("it is N×K, such as 4096x4096".into()),
        }
    }
}

#[derive(Serialize)]
struct WeightsBench {
    device: DeviceReport,
    dtype: &'static str,
    rows: Vec<WeightsPoint>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct WeightsPoint {
    weights: String,
    m: u32,
    n: u32,
    k: u32,
    kernel: &'static str,
    seconds: f64,
    /// Codes and scales over the time.
    bytes_per_second: f64,
    cublas_seconds: Option<f64>,
    relative_frobenius: f64,
    right: bool,
    /// Every kernel's time, with `--oracle`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<(&'static str, f64)>,
}

impl Report for WeightsBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("device", self.device.line())];
        for row in &self.rows {
            let beside = row.cublas_seconds.map_or_else(String::new, |of| {
                format!("  cuBLAS {:7.2} µs, × {:.2}", of * 1e6, of / row.seconds)
            });
            let mut line = format!(
                "{:10} {:4} × {:5} × {:5}  {:30} {:7.2} µs  {:5.0} GB/s{beside}  error {:.1e}{}",
                row.weights,
                row.m,
                row.n,
                row.k,
                row.kernel,
                row.seconds * 1e6,
                row.bytes_per_second * 1e-9,
                row.relative_frobenius,
                if row.right { "" } else { " WRONG" }
            );
            for (name, seconds) in &row.others {
                let short = name.rsplit('_').next().unwrap_or(name);
                line += &format!("  {short} {:.2}", seconds * 1e6);
            }
            lines.push(("product", line));
        }
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Rows of D that are compared with float64.
const COMPARED: usize = 4;
/// Rows of W that they are computed of, at most.
const CHECKED_ROWS: u32 = 1000;

/// Runs the command.
pub fn run(arguments: &BenchWeightsArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    let device = modules.device().clone();
    super::needs_gpu(&device)?;
    let library = WeightsLibrary::new(&modules);
    let cublas = Cublas::open(&device).ok();
    let timing = arguments.common.timing().unwrap_or(Timing {
        warmup: 5,
        runs: 40,
    });
    let mut rows = Vec::new();
    for &Extents(n, k) in &arguments.shapes {
        for (at, name) in arguments.weights.iter().enumerate() {
            let usage = |error: cutlet::CutletError| Failure::Usage(error.to_string());
            let format = weights::format(name, arguments.dtype).map_err(usage)?;
            // cuBLAS's time depends on no format.
            let cublas = cublas.as_ref().filter(|_| at == 0);
            let cold = ColdWeights::new(&device, format, (n, k), cublas.is_some())?;
            for &m in &arguments.tokens {
                let problem = WeightsProblem::new((m, n, k), arguments.dtype, format.packed);
                let chosen = library.choose(&problem, None)?.configuration.kernel;
                // Packing and the reference take the host longer than all launches: some rows of W.
                let some = (m, n.min(CHECKED_ROWS), k);
                let of_run = WeightsRun {
                    problem: WeightsProblem::new(some, arguments.dtype, format.packed),
                    format: *format,
                    tensor_scale: 1.0,
                    kernel: Some(chosen),
                    seed: arguments.common.seed,
                };
                let options = RunOptions {
                    compare: Comparison::Rows(COMPARED),
                    timing: Some(Timing { warmup: 1, runs: 1 }),
                    progress: None,
                };
                let outcome = run::weights_gemm(&library, &of_run, &options)?;
                let mut kernels = vec![chosen];
                if arguments.oracle {
                    let menu = MENUS
                        .iter()
                        .find(|of| std::ptr::eq(&raw const of.format, format));
                    let all = menu.iter().flat_map(|of| of.configurations);
                    let others = all.map(|of| of.kernel).filter(|&kernel| {
                        kernel != chosen && library.choose(&problem, Some(kernel)).is_ok()
                    });
                    kernels.extend(others);
                }
                let times = cold.times(&library, &problem, &kernels, cublas, timing)?;
                let seconds = times[0].median;
                let beside = times.get(kernels.len()).map(|time| time.median);
                let of_others = times.iter().map(|time| time.median);
                rows.push(WeightsPoint {
                    weights: name.clone(),
                    m,
                    n,
                    k,
                    kernel: chosen,
                    seconds,
                    bytes_per_second: cold.bytes() as f64 / seconds,
                    cublas_seconds: beside,
                    relative_frobenius: outcome.difference.relative,
                    right: outcome.right(),
                    others: kernels.into_iter().zip(of_others).skip(1).collect(),
                });
            }
        }
    }
    let bench = WeightsBench {
        device: DeviceReport::new(&device),
        dtype: arguments.dtype.name(),
        verdict: Verdict::of(rows.iter().all(|row| row.right)),
        rows,
    };
    output::print(&bench, arguments.common.json)
}
