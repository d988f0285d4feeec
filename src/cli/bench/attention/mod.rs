//! `cutlet bench attention`: times attention, and the attention of other libraries in the same run:
//! cuDNN and FlashAttention-2 in PyTorch, and FlashAttention-4, if they are installed.
//!
//! ```text
//!   Q, K, V, random   ─┬─► our kernels ────────────────────► O, or with dO the gradients, rows against float64 ┐
//!                      └─► files ─► each library's process ─► the same, the same rows ──────────────────────────┴─► times in turn, three rounds
//! ```

mod competitors;
mod forward;
mod gradients;

use super::super::attention::Loads;
use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::{Common, Failure};
use super::competitor::{self, Started};
use clap::{Args, ValueEnum};
use cutlet::attention::{AttentionMask, AttentionProblem, AttentionType, Heads, default_scale};
use half::{bf16, f16};
use host::Timing;
use host::reference;
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::Range;

/// Times attention, or with --backward its gradients, beside cuDNN and FlashAttention-2, which
/// PyTorch has, and FlashAttention-4
///
/// Batches × length is `--tokens`, heads × dim `--width`. The libraries read our operands from
/// files, and their rounds alternate; a time is the median of three rounds' medians. The report
/// names the package of a missing library, and goes on without it. With e4m3, our bf16 kernel and
/// the libraries read the same operands in bf16. With --backward, the error is the largest of those
/// of O, dQ, dK and dV; the float64 reference of dK and dV uses our O and log-sum-exp. The table
/// names the kernel of dK and dV, and counts five products for the rate.
#[derive(Args)]
pub struct BenchAttentionArguments {
    /// Queries and keys of a head
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [1024, 2048, 4096, 8192, 16384],
        value_parser = clap::value_parser!(u32).range(1..))]
    lengths: Vec<u32>,
    /// Columns of a head
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [64, 128, 256],
        value_parser = clap::value_parser!(u32).range(1..))]
    dims: Vec<u32>,
    /// Which keys a query sees
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Mask::Full, Mask::Causal])]
    masks: Vec<Mask>,
    /// The type of Q, K, V and O
    #[arg(long, value_enum, default_value_t = Dtype::Bf16)]
    dtype: Dtype,
    /// Batches × length
    #[arg(long, value_name = "NUMBER", default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..))]
    tokens: u32,
    /// Heads × dim
    #[arg(long, value_name = "NUMBER", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,
    /// The gradients of Q, K and V, all launches, in place of O
    #[arg(long)]
    backward: bool,
    /// Compute gradients by kernels that give the same bits on every run, FlashAttention-4's too;
    /// PyTorch keeps its default kernels
    #[arg(long, requires = "backward")]
    deterministic: bool,
    /// The kernels, by how they load: cp-async (and multiply by mma.sync), tma (and wgmma) or
    /// tma-umma (and tcgen05.mma) [default: the device's]
    #[arg(long, value_enum, value_name = "LOADS")]
    loads: Option<Loads>,
    /// What to time beside it
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [AttentionVersus::Torch])]
    vs: Vec<AttentionVersus>,
    /// The Python interpreter that runs the libraries
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mask {
    Full,
    Causal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AttentionVersus {
    /// cuDNN and FlashAttention-2, which PyTorch has
    Torch,
    /// FlashAttention-4
    Fa4,
    /// Nothing
    None,
}

impl AttentionVersus {
    fn competitor(self) -> Option<&'static competitor::PythonCompetitor> {
        match self {
            Self::Torch => Some(&competitor::PYTORCH),
            Self::Fa4 => Some(&competitor::FA4),
            Self::None => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dtype {
    F16,
    Bf16,
    E4m3,
}

#[derive(Serialize)]
struct AttentionBench {
    device: DeviceReport,
    dtype: &'static str,
    backward: bool,
    /// The name and version of each library, or why it is missing.
    beside: Vec<String>,
    rows: Vec<Row>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Row {
    dim: u32,
    length: u32,
    batches: u32,
    heads: u32,
    mask: &'static str,
    kernel: &'static str,
    seconds: f64,
    tera_operations_per_second: f64,
    relative_frobenius: f64,
    right: bool,
    competitors: Vec<Competitor>,
}

#[derive(Serialize)]
struct Competitor {
    name: String,
    #[serde(serialize_with = "output::found_or_error")]
    found: Result<Beside, String>,
}

#[derive(Serialize)]
struct Beside {
    seconds: f64,
    /// The competitor's time / ours: our speed-up.
    ratio: f64,
    relative_frobenius: f64,
    right: bool,
}

impl Report for AttentionBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("device", self.device.line())];
        lines.extend(self.beside.iter().map(|of| ("beside", of.clone())));
        for row in &self.rows {
            let wrong = |right| if right { "" } else { " WRONG" };
            let beside: Vec<String> = row
                .competitors
                .iter()
                .map(|of| match &of.found {
                    Ok(found) => format!(
                        "{} {:.1} µs, ratio {:.3}{}",
                        of.name,
                        found.seconds * 1e6,
                        found.ratio,
                        wrong(found.right)
                    ),
                    Err(why) => format!("{}: {why}", of.name),
                })
                .collect();
            lines.push((
                row.mask,
                format!(
                    "d {:<3}  S {:<6} {:.1} µs  {:.0} TFLOP/s  error {:.1e}{}  {}  {}",
                    row.dim,
                    row.length,
                    row.seconds * 1e6,
                    row.tera_operations_per_second,
                    row.relative_frobenius,
                    wrong(row.right),
                    beside.join("; "),
                    row.kernel
                ),
            ));
        }
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// The number of rows of each result that are compared with float64.
const COMPARED: usize = 32;
/// The least duration of a sample in seconds: a kernel is repeated until a sample lasts as long.
const LEAST: f64 = 3e-3;
/// The number of rounds. In each round, ours and each competitor's are timed in turn.
const ROUNDS: usize = 3;

/// A point of the table: the problem, and the heads of each of its tensors.
struct AttentionPoint {
    mask: Mask,
    of: Heads,
    problem: AttentionProblem,
    timing: Timing,
}

impl AttentionPoint {
    fn new(
        arguments: &BenchAttentionArguments,
        element: AttentionType,
        (dim, length, mask): (u32, u32, Mask),
    ) -> Self {
        let of = Heads {
            batches: (arguments.tokens / length).max(1),
            heads: (arguments.width / dim).max(1),
            rows: length,
            columns: dim,
        };
        let band = match mask {
            Mask::Full => AttentionMask::Full,
            Mask::Causal => AttentionMask::Causal,
        };
        let extents = (of.batches, of.heads, length, dim);
        Self {
            mask,
            of,
            problem: AttentionProblem::new(element, extents, band, default_scale(dim)),
            timing: arguments.common.timing().unwrap_or(Timing {
                warmup: 3,
                runs: 10,
            }),
        }
    }

    /// Returns the number of rows of each tensor, counted over all heads.
    fn rows(&self) -> usize {
        (self.of.batches * self.of.heads * self.of.rows) as usize
    }

    /// Returns the rows that are compared.
    fn compared(&self, seed: u64) -> Vec<usize> {
        reference::sample(seed, self.rows(), COMPARED)
    }

    /// Returns the range of elements of a row's head in its tensor, and the row's number in the
    /// head.
    fn head_of(&self, row: usize) -> (Range<usize>, usize) {
        let (rows, columns) = (self.of.rows as usize, self.of.columns as usize);
        let head = row / rows * rows;
        (head * columns..(head + rows) * columns, row % rows)
    }

    /// Returns these rows of a tensor.
    fn rows_of<T: Copy>(&self, all: &[T], rows: &[usize]) -> Vec<T> {
        let columns = self.of.columns as usize;
        let rows = rows.iter().map(|row| &all[row * columns..][..columns]);
        rows.flatten().copied().collect()
    }

    /// Returns the question to a library, without the files of its operands.
    fn question(&self, compared: &[usize]) -> Value {
        let Heads {
            batches,
            heads,
            rows,
            columns,
        } = self.of;
        json!({
            "batches": batches, "heads": heads, "rows": rows, "dim": columns, "dtype": self.problem.element.name(),
            "causal": self.mask == Mask::Causal, "scale": self.problem.scale, "compared": compared,
        })
    }

    /// Makes the row of the table.
    fn row(
        &self,
        kernel: &'static str,
        (seconds, operations): (f64, f64),
        (relative_frobenius, right): (f64, bool),
        competitors: Vec<Competitor>,
    ) -> Row {
        Row {
            dim: self.of.columns,
            length: self.of.rows,
            batches: self.of.batches,
            heads: self.of.heads,
            mask: match self.mask {
                Mask::Full => "full",
                Mask::Causal => "causal",
            },
            kernel,
            seconds,
            tera_operations_per_second: operations / seconds * 1e-12,
            relative_frobenius,
            right,
            competitors,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &BenchAttentionArguments) -> Result<Verdict, Failure> {
    if arguments.backward && arguments.dtype == Dtype::E4m3 {
        let why = "--backward is of f16 and bf16: e4m3 has no gradients";
        return Err(Failure::Usage(why.into()));
    }
    if arguments.loads.is_some() && arguments.dtype == Dtype::E4m3 {
        let why = "--loads is of f16 and bf16: e4m3 has kernels by TMA alone";
        return Err(Failure::Usage(why.into()));
    }
    let modules = arguments.common.open()?;
    super::needs_gpu(modules.device())?;
    let others: Vec<_> = (arguments.vs.iter())
        .filter_map(|of| of.competitor())
        .collect();
    let mut started = Started::all(&arguments.python, &others);
    let mut bench = AttentionBench {
        device: DeviceReport::new(modules.device()),
        dtype: match arguments.dtype {
            Dtype::F16 => "f16",
            Dtype::Bf16 => "bf16",
            Dtype::E4m3 => "e4m3",
        },
        backward: arguments.backward,
        beside: started.iter().map(Started::line).collect(),
        rows: Vec::new(),
        verdict: Verdict::Right,
    };
    for &dim in &arguments.dims {
        for &length in &arguments.lengths {
            for &mask in &arguments.masks {
                let at = (dim, length, mask);
                let element = match arguments.dtype {
                    Dtype::F16 => AttentionType::F16,
                    Dtype::Bf16 | Dtype::E4m3 => AttentionType::Bf16,
                };
                let point = &AttentionPoint::new(arguments, element, at);
                let of = match (element, arguments.backward) {
                    (AttentionType::F16, false) => forward::point::<f16>,
                    (AttentionType::Bf16, false) => forward::point::<bf16>,
                    (AttentionType::F16, true) => gradients::point::<f16>,
                    (AttentionType::Bf16, true) => gradients::point::<bf16>,
                };
                bench
                    .rows
                    .push(of(&modules, arguments, point, &mut started)?);
            }
        }
    }
    let beside =
        |row: &Row| (row.competitors.iter()).all(|of| of.found.as_ref().is_ok_and(|of| of.right));
    let is_missing = started.iter().any(|of| of.process.is_err());
    bench.verdict = if !bench.rows.iter().all(|row| row.right) {
        Verdict::Wrong
    } else if is_missing || !bench.rows.iter().all(beside) {
        Verdict::NotCompared
    } else {
        Verdict::Right
    };
    output::print(&bench, arguments.common.json)
}
