//! `cutlet bench weights`: times products with weights of few bits against quack, and against
//! cuBLAS in bf16. The weights are cold in the L2 cache.
//!
//! ```text
//!   format × (N, K) × tokens ─► right against float64 ─► times in turn: ours, or every kernel of the menu, cuBLAS, and quack
//! ```

use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::{Common, Failure};
use super::competitor::{self, OperandFiles, PythonCompetitor, Started};
use super::torch::Torch;
use clap::{Args, ValueEnum};
use cutlet::gemm::{InputType, Named};
use cutlet::run::{
    self, ColdWeights, Comparison, ForeignOutcome, ForeignWeights, ForeignWeightsOperands,
    RunOptions, WeightsRun,
};
use cutlet::weights::{self, MENUS, WeightsLibrary, WeightsProblem};
use host::cublas::Cublas;
use host::{Clock, Time, Timing};
use serde::Serialize;
use serde_json::json;

/// Times products with weights of few bits beside cuBLAS's of bf16 and quack's, the weights cold in
/// the L2 cache
///
/// First compares each kernel's result for 1000 rows of the weights with the float64 reference,
/// quack's too: the exit status is 1 if one of quack's is missing or wrong.
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
    /// What to time beside it
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [WeightsVersus::Cublas])]
    vs: Vec<WeightsVersus>,
    /// The Python interpreter that runs quack
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    /// Time every kernel that takes the tokens, too
    #[arg(long)]
    oracle: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WeightsVersus {
    /// cuBLAS in bf16, where it is installed
    Cublas,
    /// quack, of int4 in groups of 32, 64 or 128 and bf16
    Quack,
    /// Nothing
    None,
}

/// The extents N and K of the weights.
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
    /// quack's version, or why it is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<String>,
    rows: Vec<WeightsPoint>,
    verdict: Verdict,
}

/// quack's product compared with ours.
#[derive(Serialize)]
struct QuackPoint {
    seconds: f64,
    /// quack's time / ours.
    ratio: f64,
    relative_frobenius: f64,
    right: bool,
}

/// quack's result, or why there is none.
#[derive(Serialize)]
struct QuackReport(#[serde(serialize_with = "output::found_or_error")] Result<QuackPoint, String>);

impl QuackReport {
    fn is_right(&self) -> bool {
        self.0.as_ref().is_ok_and(|found| found.right)
    }

    fn cell(&self) -> String {
        match &self.0 {
            Ok(found) => format!(
                "  quack {:7.2} µs, × {:.2}{}",
                found.seconds * 1e6,
                found.ratio,
                if found.right { "" } else { " WRONG" }
            ),
            Err(why) => format!("  quack: {why}"),
        }
    }
}

#[derive(Serialize)]
struct WeightsPoint {
    weights: String,
    m: u32,
    n: u32,
    k: u32,
    kernel: &'static str,
    seconds: f64,
    /// The bytes of codes and scales divided by the time.
    bytes_per_second: f64,
    cublas_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quack: Option<QuackReport>,
    relative_frobenius: f64,
    right: bool,
    /// Every kernel's time, with `--oracle`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<(&'static str, f64)>,
}

impl Report for WeightsBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("device", self.device.line())];
        lines.extend(self.beside.iter().map(|of| ("beside", of.clone())));
        for row in &self.rows {
            let quack = row.quack.as_ref().map(QuackReport::cell);
            let beside = row.cublas_seconds.map_or_else(String::new, |of| {
                format!("  cuBLAS {:7.2} µs, × {:.2}", of * 1e6, of / row.seconds)
            });
            let mut line = format!(
                "{:10} {:4} × {:5} × {:5}  {:30} {:7.2} µs  {:5.0} GB/s{beside}{}  error {:.1e}{}",
                row.weights,
                row.m,
                row.n,
                row.k,
                row.kernel,
                row.seconds * 1e6,
                row.bytes_per_second * 1e-9,
                quack.unwrap_or_default(),
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

/// The number of rows of D that are compared with float64.
const COMPARED: usize = 4;
/// The largest number of rows of W from which the compared rows are computed.
const CHECKED_ROWS: u32 = 1000;

/// The number of rounds, in which ours and quack's alternate.
const ROUNDS: usize = 3;
/// The least duration of a sample of quack, in seconds.
const LEAST: f64 = 3e-3;

/// Computes and times products with weights by quack.
struct Quack<'a> {
    process: &'a mut Torch,
    group: u32,
}

/// Returns the columns of a group of a format, or an error if quack does not have the format.
fn group_of(name: &str, dtype: InputType) -> Result<u32, String> {
    let group = match (name, dtype) {
        ("int4:32", InputType::Bf16) => Some(32),
        ("int4:64", InputType::Bf16) => Some(64),
        ("int4:128", InputType::Bf16) => Some(128),
        _ => None,
    };
    group.ok_or_else(|| "it is asked for int4 in groups of 32, 64 or 128, and bf16".into())
}

impl ForeignWeights for Quack<'_> {
    fn compute(&mut self, operands: &ForeignWeightsOperands<'_>) -> Result<Vec<f64>, String> {
        let [m, n, k] = operands.extents;
        // Two codes per byte, the first in the low half. A code is its number + 8, as in ours.
        let packed: Vec<u8> = (operands.codes.chunks_exact(2))
            .map(|of| of[0] | of[1] << 4)
            .collect();
        let scales: Vec<u16> = operands.scales.iter().map(|&bits| bits as u16).collect();
        let files = OperandFiles::write(&[
            ("x", operands.x),
            ("packed", &packed),
            ("scales", bytemuck::cast_slice(&scales)),
        ])?;
        let mut question =
            json!({"m": m, "n": n, "k": k, "group": self.group, "compared": operands.rows});
        files.name_in(&mut question);
        let answer = self.process.ask(&question)?;
        competitor::rows(&answer["quack"], operands.rows.len() * n as usize)
    }
}

impl Quack<'_> {
    /// Makes the process create random weights, with enough copies that each launch finds its copy
    /// cold.
    fn prepare_cold(&mut self, [m, n, k]: [u32; 3]) -> Result<(), String> {
        let question = json!({"m": m, "n": n, "k": k, "group": self.group, "compared": []});
        let answer = self.process.ask(&question)?;
        competitor::rows(&answer["quack"], 0).map(drop)
    }

    /// Returns our time and quack's result, from alternating rounds. `first` is the time of our
    /// first round, and `again` times another.
    fn in_turn(
        mut self,
        extents: [u32; 3],
        foreign: ForeignOutcome,
        (first, again): (f64, &dyn Fn() -> Result<f64, Failure>),
        timing: Timing,
    ) -> Result<(f64, QuackReport), Failure> {
        let (mut ours, mut theirs) = (vec![first], Vec::new());
        let computed = foreign.result.map(|(_, difference)| difference);
        let mut result = computed.and_then(|of| self.prepare_cold(extents).map(|()| of));
        for round in 0..ROUNDS {
            if result.is_err() {
                break;
            }
            if round > 0 {
                ours.push(again()?);
            }
            match competitor::time(self.process, "quack", timing, LEAST) {
                Ok(of_round) => theirs.push(of_round),
                Err(why) => result = Err(why),
            }
        }
        let median = |of| Time::from_samples(Clock::CudaEvents, of).median;
        let (ours, theirs) = (median(ours), median(theirs));
        let report = result.map(|difference| QuackPoint {
            seconds: theirs,
            ratio: theirs / ours,
            relative_frobenius: difference.relative,
            right: foreign.right,
        });
        Ok((ours, QuackReport(report)))
    }
}

/// Runs the command.
pub fn run(arguments: &BenchWeightsArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    let device = modules.device().clone();
    super::needs_gpu(&device)?;
    let library = WeightsLibrary::new(&modules);
    let is_wanted = |of| arguments.vs.contains(&of);
    let cublas = is_wanted(WeightsVersus::Cublas).then(|| Cublas::open(&device).ok());
    let cublas = cublas.flatten();
    let others: &[&'static PythonCompetitor] = match is_wanted(WeightsVersus::Quack) {
        true => &[&competitor::QUACK_WEIGHTS],
        false => &[],
    };
    let mut started = Started::all(&arguments.python, others);
    let beside: Vec<String> = started.iter().map(Started::line).collect();
    let timing = arguments.common.timing().unwrap_or(Timing {
        warmup: 5,
        runs: 40,
    });
    let mut rows = Vec::new();
    for &Extents(n, k) in &arguments.shapes {
        for (at, name) in arguments.weights.iter().enumerate() {
            let usage = |error: cutlet::CutletError| Failure::Usage(error.to_string());
            let format = weights::format(name, arguments.dtype).map_err(usage)?;
            // cuBLAS's time does not depend on the format.
            let cublas = cublas.as_ref().filter(|_| at == 0);
            let cold = ColdWeights::new(&device, format, (n, k), cublas.is_some())?;
            for &m in &arguments.tokens {
                let problem = WeightsProblem::new((m, n, k), arguments.dtype, format.packed);
                let chosen = library.choose(&problem, None)?.configuration.kernel;
                // Packing and the reference take the host longer than all launches, so that only
                // some rows of W are used.
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
                let mut quack = None;
                let mut why_no_quack = None;
                if let Some(of) = started.first_mut() {
                    match (&mut of.process, group_of(name, arguments.dtype)) {
                        (Ok(process), Ok(group)) => quack = Some(Quack { process, group }),
                        (Ok(_), Err(why)) => why_no_quack = Some(why),
                        (Err(_), _) => {}
                    }
                }
                let foreign = quack.as_mut().map(|of| of as &mut dyn ForeignWeights);
                let choice = library.choose(&of_run.problem, of_run.kernel)?;
                let kernel = library.kernel(choice.configuration.kernel)?;
                let (outcome, foreign) =
                    run::weights_gemm_beside(&kernel, &choice, &of_run, &options, foreign)?;
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
                let mut seconds = times[0].median;
                let mut of_quack = why_no_quack.map(|why| QuackReport(Err(why)));
                if let (Some(quack), Some(foreign)) = (quack, foreign) {
                    let again = || {
                        let times = cold.times(&library, &problem, &[chosen], None, timing)?;
                        Ok(times[0].median)
                    };
                    let of_both = quack.in_turn([m, n, k], foreign, (seconds, &again), timing)?;
                    seconds = of_both.0;
                    of_quack = Some(of_both.1);
                }
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
                    quack: of_quack,
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
        verdict: if !rows.iter().all(|row| row.right) {
            Verdict::Wrong
        } else if started.iter().any(|of| of.process.is_err())
            || !(rows.iter().filter_map(|row| row.quack.as_ref())).all(QuackReport::is_right)
        {
            Verdict::NotCompared
        } else {
            Verdict::Right
        },
        beside,
        rows,
    };
    output::print(&bench, arguments.common.json)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::competitor::testing::FAKE_PYTHON;
    use super::*;
    use half::bf16;
    use host::reference::{fill, fill_bits};

    /// Compares the product of random codes and scales in quack's process with the same product in
    /// float64.
    #[test]
    fn quack_s_weights_are_ours() {
        let (m, n, k) = (3, 6, 256);
        let dtype = InputType::Bf16;
        let format = weights::format("int4:128", dtype).unwrap();
        let codes: Vec<u8> = fill_bits::<u8>(1, n * k).iter().map(|of| of & 15).collect();
        let x: Vec<bf16> = fill(2, m * k);
        let scales: Vec<bf16> = fill(3, n * k / 128);
        let scales: Vec<u32> = scales.iter().map(|of| of.to_bits().into()).collect();
        let rows = [0, 2];
        let operands = ForeignWeightsOperands {
            extents: [m, n, k].map(|of| of as u32),
            x: bytemuck::cast_slice(&x),
            codes: &codes,
            scales: &scales,
            rows: &rows,
        };
        let expected = rows.iter().flat_map(|&row| {
            let (x, codes, scales) = (&x, &codes, &scales);
            (0..n).map(move |column| {
                let product = |at: usize| {
                    let place = column * k + at;
                    let weight = format.weight(codes[place].into(), scales[place / 128], 0);
                    // quack rounds each weight to bf16.
                    bf16::from_f64(weight).to_f64() * x[row * k + at].to_f64()
                };
                (0..k).map(product).sum::<f64>()
            })
        });
        let expected: Vec<f64> = expected.collect();
        let mut started = Started::all(FAKE_PYTHON, &[&competitor::QUACK_WEIGHTS]);
        let process = started[0].process.as_mut().unwrap();
        let group = group_of("int4:128", dtype).unwrap();
        let mut quack = Quack { process, group };
        let found = quack.compute(&operands).unwrap();
        let is_near = |expected: &[f64]| {
            let mut pairs = found.iter().zip(expected);
            found.len() == expected.len() && pairs.all(|(a, b)| (a - b).abs() < 1e-9)
        };
        assert!(is_near(&expected), "{found:?} {expected:?}");
        let mut planted = expected;
        planted[7] += 1e-3;
        assert!(!is_near(&planted));

        quack.prepare_cold([2, 128, 256]).unwrap();
        let timing = Timing { warmup: 0, runs: 2 };
        assert!(competitor::time(quack.process, "quack", timing, 1e-4).unwrap() > 0.0);
        assert!(group_of("int4:128", InputType::F16).is_err());
        assert!(group_of("nvfp4:16", dtype).is_err());
    }
}
