//! `cutlet attention`: softmax(scale Q Kᵀ + mask) V, validated.

use super::decode::TypeArgument;
use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::RunProgress;
use super::{Common, Failure};
use clap::Args;
use cutlet::attention::{AttentionMask, AttentionProblem, CONFIGURATIONS, default_scale};
use cutlet::run::{self, AttentionOutcome, AttentionRun, RunOptions};
use serde::Serialize;

/// Computes O = softmax(scale Q·Kᵀ + mask)·V, head by head, and compares it with a float64 reference
///
/// Q and O are (batches, heads, queries, dim), K and V (batches, key heads, keys, dim). The kernels are for compute capability 9.0; the
/// emulator runs them too.
#[derive(Args)]
pub struct AttentionArguments {
    /// Queries of a head
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    queries: u32,
    /// Keys of a head [default: as many as queries]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keys: Option<u32>,
    /// Columns of a head: 64, 96, 128, 192 or 256
    #[arg(long, default_value_t = 128, value_name = "NUMBER")]
    dim: u32,
    /// Heads of queries
    #[arg(long, default_value_t = 2, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    heads: u32,
    /// Heads of keys, a divisor of the heads: neighbouring heads of queries share one [default: as many as heads]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    key_heads: Option<u32>,
    /// Batches
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// The type of Q, K, V and O
    #[arg(long, value_enum, default_value_t = TypeArgument::Bf16)]
    dtype: TypeArgument,
    /// A query sees no key behind its own place, counted from the last of both
    #[arg(long)]
    causal: bool,
    /// A causal query sees its own key and so many before it, and no others
    #[arg(long, value_name = "NUMBER", requires = "causal")]
    window: Option<u32>,
    /// Factor of the scores [default: 1 / sqrt(dim)]
    #[arg(long, value_name = "NUMBER")]
    scale: Option<f32>,
    /// Store the log-sum-exp of each row too
    #[arg(long)]
    lse: bool,
    /// The kernel, by name [default: the one that takes the least]
    #[arg(long, value_name = "NAME")]
    configuration: Option<String>,
    /// The most rows of O to compare
    #[arg(long, default_value_t = 1024, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct AttentionReport {
    problem: AttentionProblemReport,
    device: DeviceReport,
    launch: LaunchReport,
    tera_operations_per_second: f64,
    error: AttentionErrorReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct AttentionProblemReport {
    batches: u32,
    heads: u32,
    key_heads: u32,
    queries: u32,
    keys: u32,
    dim: u32,
    dtype: &'static str,
    mask: String,
    scale: f32,
    lse: bool,
    seed: u64,
}

impl AttentionProblemReport {
    fn new(run: &AttentionRun) -> Self {
        let problem = &run.problem;
        Self {
            batches: problem.batches,
            heads: problem.heads,
            key_heads: problem.key_heads,
            queries: problem.queries,
            keys: problem.keys,
            dim: problem.dim,
            dtype: problem.element.name(),
            mask: match problem.mask {
                AttentionMask::Full => "full".into(),
                AttentionMask::Causal => "causal".into(),
                AttentionMask::Window { before, .. } => format!("causal, {before} keys before"),
            },
            scale: problem.scale,
            lse: problem.lse,
            seed: run.seed,
        }
    }

    fn line(&self) -> String {
        let Self {
            batches,
            heads,
            key_heads,
            queries,
            keys,
            dim,
            dtype,
            mask,
            scale,
            seed,
            ..
        } = self;
        let lse = if self.lse { ", log-sum-exp stored" } else { "" };
        format!(
            "O = softmax({scale} Q·Kᵀ)·V, {mask}, {batches}×{heads}×{queries}×{dim} (batches×heads×queries×dim), {key_heads} of {keys} keys, \
             {dtype}, seed {seed}{lse}"
        )
    }
}

/// The distance from the reference.
#[derive(Serialize)]
pub struct AttentionErrorReport {
    relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    largest: f64,
    largest_allowed: f64,
    lse_largest: Option<f64>,
    rows_compared: usize,
    guard_intact: bool,
}

impl AttentionErrorReport {
    /// That of an outcome.
    pub fn new(outcome: &AttentionOutcome) -> Self {
        Self {
            relative_frobenius: outcome.difference.relative,
            relative_frobenius_allowed: outcome.relative_allowed,
            largest: outcome.difference.max_absolute,
            largest_allowed: outcome.absolute_allowed,
            lse_largest: outcome.lse_error,
            rows_compared: outcome.rows,
            guard_intact: outcome.guard_intact,
        }
    }

    /// Distances, and what is allowed.
    pub fn line(&self) -> String {
        let lse = match self.lse_largest {
            None => String::new(),
            Some(error) => format!(
                "; log-sum-exp {error:.2e} (allowed {:.2e})",
                AttentionOutcome::LSE_ALLOWED
            ),
        };
        format!(
            "relative {:.2e} (allowed {:.2e}), largest {:.2e} (allowed {:.2e}): {} rows against float64{lse}{}",
            self.relative_frobenius,
            self.relative_frobenius_allowed,
            self.largest,
            self.largest_allowed,
            self.rows_compared,
            output::guard(self.guard_intact)
        )
    }
}

impl Report for AttentionReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let rate = output::rate(self.tera_operations_per_second * 1e12);
        let mut lines = vec![
            ("problem", self.problem.line()),
            ("device", self.device.line()),
        ];
        lines.extend(self.launch.lines(&rate));
        lines.push(("error", self.error.line()));
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the command.
pub fn run(arguments: &AttentionArguments) -> Result<Verdict, Failure> {
    let &AttentionArguments {
        queries,
        dim,
        heads,
        batches,
        ..
    } = arguments;
    let element = arguments.dtype.element();
    let mask = match (arguments.causal, arguments.window) {
        (_, Some(before)) => AttentionMask::Window { before, after: 0 },
        (true, None) => AttentionMask::Causal,
        (false, None) => AttentionMask::Full,
    };
    let scale = arguments.scale.unwrap_or_else(|| default_scale(dim));
    let mut problem = AttentionProblem::new(element, (batches, heads, queries, dim), mask, scale)
        .with_keys(
            arguments.keys.unwrap_or(queries),
            arguments.key_heads.unwrap_or(heads),
        );
    problem.lse = arguments.lse;
    let configuration = match &arguments.configuration {
        None => None,
        Some(name) => {
            let of = CONFIGURATIONS.iter().find(|of| of.kernel == name);
            Some(of.ok_or_else(|| {
                let all: Vec<&str> = CONFIGURATIONS.iter().map(|of| of.kernel).collect();
                Failure::Usage(format!(
                    "there is no kernel {name}; there are: {}",
                    all.join(", ")
                ))
            })?)
        }
    };
    let run = AttentionRun {
        problem,
        configuration,
        seed: arguments.common.seed,
        rows: arguments.rows as usize,
    };
    let modules = arguments.common.open()?;
    let progress = RunProgress::new();
    let show = |phase| progress.show(phase);
    let options = RunOptions {
        timing: arguments.common.timing(),
        progress: Some(&show),
        ..RunOptions::default()
    };
    let outcome = run::attention(&modules, &run, &options)?;
    drop(progress);
    let time = &outcome.launched.time;
    let report = AttentionReport {
        problem: AttentionProblemReport::new(&run),
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.launched),
        tera_operations_per_second: time.tera_per_second(problem.operations()),
        error: AttentionErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
