//! `cutlet attention`: computes softmax(scale Q Kᵀ + mask) V, or its gradients, and compares them
//! with a reference.

use super::gradients::GradientsReport;
use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::RunProgress;
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionProblem, AttentionType,
    BackwardKernels, FP8_CONFIGURATIONS, Fp8AttentionProblem, cheapest, default_scale,
    forward_configurations_by,
};
use cutlet::run::{
    self, AttentionOutcome, AttentionRun, Fp8AttentionRun, GradientsRun, PackedAttentionRun,
    PagedAttentionRun, RunOptions, ScoreRun,
};
use serde::Serialize;

/// Computes O = softmax(scale Q·Kᵀ + mask)·V, head by head, and compares it with a float64
/// reference
///
/// Q and O are (batches, heads, queries, dim), K and V (batches, key heads, keys, dim); with
/// --lengths (heads, rows of all sequences, dim). The kernels are for compute capability 8.0 and
/// newer; the emulator runs them too.
#[derive(Args)]
pub struct AttentionArguments {
    /// Queries of a head
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    queries: u32,
    /// Keys of a head [default: as many as queries]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keys: Option<u32>,
    /// Columns of a head: a multiple of 16 up to 256
    #[arg(long, default_value_t = 128, value_name = "NUMBER")]
    dim: u32,
    /// Columns of a head of V and O, 128 or 64 beside a dim of 64, 128 or 192 [default: dim]
    #[arg(long, value_name = "NUMBER")]
    dim_v: Option<u32>,
    /// Heads of queries
    #[arg(long, default_value_t = 2, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    heads: u32,
    /// Heads of keys, a divisor of the heads: neighbouring heads of queries share one [default: as
    /// many as heads]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    key_heads: Option<u32>,
    /// Batches
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// Rows of each sequence, as 100,7,300, of sequences one behind the other: each has as many
    /// keys as queries, and sees itself alone
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with_all = ["queries", "keys", "batches", "configuration"])]
    lengths: Vec<u32>,
    /// K and V in pages of so many rows of a cache, 8, 16, 32, ..., by a page table: each
    /// sequence's queries are the last ones of its keys
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["configuration"])]
    pages: Option<u32>,
    /// With --pages and --lengths: keys of each sequence [default: as many as rows]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NUMBERS",
        requires = "pages",
        requires = "lengths"
    )]
    key_lengths: Vec<u32>,
    /// The type of Q, K, V and O; of e4m3 O is bf16, with a dim of 128
    #[arg(long, value_enum, default_value_t = AttentionTypeArgument::Bf16)]
    dtype: AttentionTypeArgument,
    /// Of e4m3, each head of keys of each batch has scales of its own; else Q, K and V have one
    /// each
    #[arg(long)]
    scales_of_heads: bool,
    /// A query sees no key behind its own place, counted from the last of both
    #[arg(long)]
    causal: bool,
    /// A query sees LEFT keys before its own place and RIGHT behind it, as 100,40; a side that is
    /// left out (,40) has no end. With --causal LEFT stands alone
    #[arg(long, value_name = "LEFT,RIGHT", value_parser = window)]
    window: Option<Window>,
    /// Factor of the scores [default: 1 / sqrt(dim)]
    #[arg(long, value_name = "NUMBER")]
    scale: Option<f32>,
    /// Scores become NUMBER tanh(score / NUMBER) before the mask
    #[arg(long, value_name = "NUMBER")]
    soft_cap: Option<f32>,
    /// ALiBi: a score becomes less by its head's slope, 2^(-8 (head + 1) / heads), for each key
    /// between the query's own place and its key; the last of both are one place
    #[arg(long)]
    alibi: bool,
    /// Learnable sinks: a logit of each head, random, joins the denominator of its rows
    #[arg(long)]
    sinks: bool,
    /// Store the log-sum-exp of each row too
    #[arg(long)]
    lse: bool,
    /// Compute dQ, dK and dV instead, and with --sinks their gradient, of a random dO, and compare
    /// all of them
    #[arg(long, conflicts_with_all = ["configuration", "lse", "rows"])]
    backward: bool,
    /// Gradients with the same bits on every run, which fused kernels do not have
    #[arg(long, requires = "backward")]
    deterministic: bool,
    /// The kernels, by how they load: cp-async (and multiply by mma.sync), tma (and wgmma) or
    /// tma-umma (and tcgen05.mma, which no card has run) [default: the device's]
    #[arg(
        long,
        value_enum,
        value_name = "LOADS",
        conflicts_with = "configuration"
    )]
    loads: Option<Loads>,
    /// The kernel, by name [default: the one that takes the least]
    #[arg(long, value_name = "NAME")]
    configuration: Option<String>,
    /// The most rows of O to compare
    #[arg(long, default_value_t = 1024, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    #[command(flatten)]
    common: Common,
}

/// An element type of Q, K and V.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AttentionTypeArgument {
    F16,
    Bf16,
    E4m3,
}

/// The way in which kernels load. It also decides the instruction by which they multiply.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Loads {
    CpAsync,
    Tma,
    TmaUmma,
}

impl Loads {
    /// Returns the loads as the tables name them.
    pub fn of_table(self) -> AttentionLoads {
        match self {
            Self::CpAsync => AttentionLoads::CpAsync,
            Self::Tma => AttentionLoads::Tma,
            Self::TmaUmma => AttentionLoads::TmaUmma,
        }
    }
}

impl AttentionTypeArgument {
    /// Returns the type of O.
    fn output(self) -> AttentionType {
        match self {
            Self::F16 => AttentionType::F16,
            Self::Bf16 | Self::E4m3 => AttentionType::Bf16,
        }
    }
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

/// The problem, as the reports print it.
#[derive(Serialize)]
pub struct AttentionProblemReport {
    batches: u32,
    heads: u32,
    key_heads: u32,
    queries: u32,
    keys: u32,
    /// The lengths of packed sequences, whose rows `queries` and `keys` count.
    lengths: Option<Vec<u32>>,
    /// The number of keys of a page, if K and V are in pages.
    page_size: Option<u32>,
    dim: u32,
    dim_v: u32,
    dtype: &'static str,
    mask: String,
    scale: f32,
    soft_cap: Option<f32>,
    alibi: bool,
    sinks: bool,
    /// For e4m3: whether each head or each tensor has its own scale.
    scales: Option<&'static str>,
    lse: bool,
    seed: u64,
}

impl AttentionProblemReport {
    fn new(problem: &AttentionProblem, seed: u64) -> Self {
        Self {
            batches: problem.batches,
            heads: problem.heads,
            key_heads: problem.key_heads,
            queries: problem.queries,
            keys: problem.keys,
            lengths: None,
            page_size: None,
            dim: problem.dim,
            dim_v: problem.dim_v,
            dtype: problem.element.name(),
            mask: match problem.mask {
                AttentionMask::Full => "full".into(),
                AttentionMask::Causal => "causal".into(),
                AttentionMask::Window { before, after: 0 } => {
                    format!("causal, {} before", keys(before))
                }
                AttentionMask::Window { before, after } => {
                    format!("{} before, {} behind", keys(before), keys(after))
                }
            },
            scale: problem.scale,
            soft_cap: None,
            alibi: false,
            sinks: false,
            scales: None,
            lse: problem.lse,
            seed,
        }
    }

    /// Returns the report with the score parts of a run.
    fn scored(self, score: ScoreRun) -> Self {
        Self {
            soft_cap: score.soft_cap,
            alibi: score.alibi,
            sinks: score.sinks,
            ..self
        }
    }

    /// Returns the formula of O and the problem, as one line.
    pub fn line(&self) -> String {
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
        let score = match self.soft_cap {
            None => format!("{scale} Q·Kᵀ"),
            Some(cap) => format!("{cap} tanh({scale} Q·Kᵀ / {cap})"),
        };
        let bias = if self.alibi { " - slope·distance" } else { "" };
        let sinks = if self.sinks { ", sinks" } else { "" };
        let extents = match &self.lengths {
            None => format!(
                "{batches}×{heads}×{queries}×{dim} (batches×heads×queries×dim), {key_heads} of {keys} keys"
            ),
            Some(lengths) => format!(
                "{}, {queries} rows in all, {heads} heads of {dim}, {key_heads} of keys",
                lengths_line(lengths)
            ),
        };
        let of_v = match self.dim_v {
            same if same == self.dim => String::new(),
            of_v => format!(", {of_v} columns of V"),
        };
        let pages = match self.page_size {
            None => String::new(),
            Some(rows) => format!(", in pages of {rows}"),
        };
        let scales = match self.scales {
            Some(of) => format!(" with scales {of}, P rounded to e4m3, O bf16"),
            None => String::new(),
        };
        format!(
            "O = softmax({score}{bias})·V{sinks}, {mask}, {extents}{of_v}{pages}, {dtype}{scales}, seed {seed}{lse}"
        )
    }
}

/// Returns a number of keys of a window in words.
fn keys(count: u32) -> String {
    match count {
        NO_END => "all keys".into(),
        1 => "1 key".into(),
        count => format!("{count} keys"),
    }
}

/// Returns the number of sequences and their numbers of rows in words.
fn lengths_line(lengths: &[u32]) -> String {
    let least = lengths.iter().min().copied().unwrap_or(0);
    let most = lengths.iter().max().copied().unwrap_or(0);
    match lengths.len() {
        1 => format!("one sequence of {most} rows"),
        count if least == most => format!("{count} sequences of {most} rows"),
        count => format!("{count} sequences of {least} to {most} rows"),
    }
}

/// The distance of a result from the reference.
#[derive(Serialize)]
pub struct AttentionErrorReport {
    relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    largest: f64,
    largest_allowed: f64,
    lse_largest: Option<f64>,
    lse_allowed: Option<f64>,
    rows_compared: usize,
    guard_intact: bool,
}

impl AttentionErrorReport {
    /// Returns the report of an outcome.
    pub fn new(outcome: &AttentionOutcome) -> Self {
        Self {
            relative_frobenius: outcome.difference.relative,
            relative_frobenius_allowed: outcome.agreement.relative,
            largest: outcome.agreement.off,
            largest_allowed: outcome.agreement.bound,
            lse_largest: outcome.lse.map(|lse| lse.error()),
            lse_allowed: outcome.lse.map(|lse| lse.allowed),
            rows_compared: outcome.rows,
            guard_intact: outcome.guard_intact,
        }
    }

    /// Returns the distances and the allowed distances, as one line.
    pub fn line(&self) -> String {
        let lse = match (self.lse_largest, self.lse_allowed) {
            (Some(error), Some(allowed)) => {
                format!("; log-sum-exp {error:.2e} (allowed {allowed:.2e})")
            }
            _ => String::new(),
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

/// Returns the kernel with this name.
fn named(
    kernels: &[&'static AttentionConfiguration],
    name: &str,
) -> Result<&'static AttentionConfiguration, Failure> {
    let mut found = kernels.iter().copied();
    found.find(|of| of.kernel == name).ok_or_else(|| {
        let all: Vec<&str> = kernels.iter().map(|of| of.kernel).collect();
        Failure::Usage(format!(
            "there is no kernel {name}; there are: {}",
            all.join(", ")
        ))
    })
}

/// The numbers of keys before a query's own place and after it. The second is `None` if the user
/// gave one number.
type Window = (u32, Option<u32>);

/// A window without an end: more keys than there can be.
const NO_END: u32 = u32::MAX;

/// Reads a window, LEFT or LEFT,RIGHT. Of the two numbers, one may be left out.
fn window(text: &str) -> Result<Window, String> {
    let side = |text: &str| match text {
        "" => Ok(NO_END),
        number => number
            .parse()
            .map_err(|_| format!("{number} is no number of keys")),
    };
    match text.split_once(',') {
        Some((left, right)) => Ok((side(left)?, Some(side(right)?))),
        None => Ok((side(text)?, None)),
    }
}

impl AttentionArguments {
    fn mask(&self) -> AttentionMask {
        match (self.causal, self.window) {
            (_, Some((before, after))) => AttentionMask::Window {
                before,
                after: after.unwrap_or(0),
            },
            (true, None) => AttentionMask::Causal,
            (false, None) => AttentionMask::Full,
        }
    }

    /// Whether V has another number of columns than K.
    fn has_own_dim_v(&self) -> bool {
        self.dim_v.is_some_and(|dim_v| dim_v != self.dim)
    }

    /// Returns the score parts of the run.
    fn score(&self) -> ScoreRun {
        ScoreRun {
            soft_cap: self.soft_cap,
            alibi: self.alibi,
            sinks: self.sinks,
        }
    }

    /// Returns the run of sequences of one length.
    fn run(&self) -> Result<AttentionRun, Failure> {
        let &Self {
            queries,
            dim,
            heads,
            batches,
            ..
        } = self;
        let scale = self.scale.unwrap_or_else(|| default_scale(dim));
        let extents = (batches, heads, queries, dim);
        let of = AttentionProblem::new(self.dtype.output(), extents, self.mask(), scale).with_keys(
            self.keys.unwrap_or(queries),
            self.key_heads.unwrap_or(heads),
        );
        let of = of.with_values(self.dim_v.unwrap_or(dim));
        let score = self.score();
        let kernels: Vec<&'static AttentionConfiguration> = match self.dtype {
            AttentionTypeArgument::E4m3 => FP8_CONFIGURATIONS.iter().collect(),
            _ => (AttentionLoads::ALL.into_iter())
                .flat_map(forward_configurations_by)
                .filter(|of| of.parts.computes(score.parts()))
                .collect(),
        };
        let by = self.configuration.as_ref();
        let by = by.map(|name| named(&kernels, name)).transpose()?;
        // Packed sequences and 8-bit floats have tables of their own. An invalid problem is refused
        // later.
        let has_table = self.lengths.is_empty()
            && self.dtype != AttentionTypeArgument::E4m3
            && of.check().is_ok();
        let loads = self.loads.filter(|_| has_table);
        let by_loads = |loads: Loads| {
            let all = kernels.iter().copied();
            cheapest(all.filter(|by| by.loads == loads.of_table()), &of)
        };
        Ok(AttentionRun {
            problem: AttentionProblem {
                lse: self.lse,
                ..of
            },
            score,
            configuration: by.or_else(|| loads.and_then(by_loads)),
            seed: self.common.seed,
            rows: self.rows as usize,
        })
    }

    /// Returns the run of 8-bit floats.
    fn fp8(&self, of: AttentionRun) -> Fp8AttentionRun {
        Fp8AttentionRun {
            problem: Fp8AttentionProblem {
                of: of.problem,
                scales_of_heads: self.scales_of_heads,
            },
            configuration: of.configuration,
            seed: of.seed,
            rows: of.rows,
        }
    }

    /// Refuses options that do not fit the element type.
    fn check_type(&self) -> Result<(), Failure> {
        let is_fp8 = self.dtype == AttentionTypeArgument::E4m3;
        let refused = |what: &str| Err(Failure::Usage(what.into()));
        match () {
            () if is_fp8 && !self.lengths.is_empty() => {
                refused("--lengths is of f16 and bf16: e4m3 has no packed sequences")
            }
            () if is_fp8 && self.backward => {
                refused("--backward is of f16 and bf16: e4m3 has no gradients")
            }
            () if is_fp8 && self.loads == Some(Loads::CpAsync) => {
                refused("--loads cp-async is of f16 and bf16: the kernels of e4m3 load by TMA")
            }
            () if is_fp8 && self.soft_cap.is_some() => {
                refused("--soft-cap is of f16 and bf16: e4m3 has none")
            }
            () if self.causal && matches!(self.window, Some((_, Some(_)))) => {
                refused("--causal and --window LEFT,RIGHT: a causal window has a left side alone")
            }
            () if !self.causal && matches!(self.window, Some((_, None))) => refused(
                "--window LEFT is of --causal; without it both sides are given: --window LEFT,RIGHT",
            ),
            () if is_fp8 && self.pages.is_some() => {
                refused("--pages is of f16 and bf16: e4m3 has none")
            }
            () if self.backward && self.pages.is_some() => {
                refused("--backward and --pages: there are no gradients of keys in pages")
            }
            () if is_fp8 && self.has_own_dim_v() => {
                refused("--dim-v is of f16 and bf16: V of e4m3 has 128 columns")
            }
            () if self.backward && self.has_own_dim_v() => {
                refused("--backward and --dim-v: gradients have one head dimension")
            }
            () if is_fp8 && self.alibi => refused("--alibi is of f16 and bf16: e4m3 has none"),
            () if is_fp8 && self.sinks => refused("--sinks is of f16 and bf16: e4m3 has none"),
            () if !is_fp8 && self.scales_of_heads => {
                refused("--scales-of-heads is of --dtype e4m3: f16 and bf16 have no scales")
            }
            () => Ok(()),
        }
    }

    /// Returns the run of packed sequences.
    fn packed(&self) -> PackedAttentionRun {
        PackedAttentionRun {
            element: self.dtype.output(),
            lengths: self.lengths.clone(),
            heads: [self.heads, self.key_heads.unwrap_or(self.heads)],
            dim: self.dim,
            dim_v: self.dim_v,
            mask: self.mask(),
            scale: self.scale,
            score: self.score(),
            loads: self.loads.map(Loads::of_table),
            lse: self.lse,
            seed: self.common.seed,
            rows: self.rows as usize,
        }
    }

    /// Returns the run with keys in pages.
    fn paged(&self, page_size: u32) -> Result<PagedAttentionRun, Failure> {
        let lengths: Vec<[u32; 2]> = if self.lengths.is_empty() {
            let keys = self.keys.unwrap_or(self.queries);
            vec![[self.queries, keys]; self.batches as usize]
        } else if self.key_lengths.is_empty() {
            self.lengths.iter().map(|&rows| [rows, rows]).collect()
        } else if self.key_lengths.len() == self.lengths.len() {
            let keys = self.key_lengths.iter();
            (self
                .lengths
                .iter()
                .zip(keys)
                .map(|(&rows, &keys)| [rows, keys]))
            .collect()
        } else {
            let (keys, rows) = (self.key_lengths.len(), self.lengths.len());
            return Err(Failure::Usage(format!(
                "--key-lengths are of {keys} sequences, --lengths of {rows}"
            )));
        };
        Ok(PagedAttentionRun {
            element: self.dtype.output(),
            lengths,
            packed: !self.lengths.is_empty(),
            heads: [self.heads, self.key_heads.unwrap_or(self.heads)],
            dims: [self.dim, self.dim_v.unwrap_or(self.dim)],
            page_size,
            mask: self.mask(),
            scale: self.scale,
            score: self.score(),
            loads: self.loads.map(Loads::of_table),
            lse: self.lse,
            seed: self.common.seed,
            rows: self.rows as usize,
        })
    }

    /// Returns the run of the gradients, of sequences of one length or packed.
    fn gradients(&self, uniform: &AttentionRun) -> GradientsRun {
        let is_packed = !self.lengths.is_empty();
        GradientsRun {
            problem: if is_packed {
                self.packed().problem().all
            } else {
                uniform.problem
            },
            lengths: is_packed.then(|| self.lengths.clone()),
            kernels: match self.deterministic {
                true => BackwardKernels::Deterministic,
                false => BackwardKernels::Fastest,
            },
            score: self.score(),
            loads: self.loads.map(Loads::of_table),
            seed: self.common.seed,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &AttentionArguments) -> Result<Verdict, Failure> {
    arguments.check_type()?;
    let seed = arguments.common.seed;
    let uniform = arguments.run()?;
    let modules = arguments.common.open()?;
    let progress = RunProgress::new();
    let show = |phase| progress.show(phase);
    let options = RunOptions {
        timing: arguments.common.timing(),
        progress: Some(&show),
        ..RunOptions::default()
    };
    if arguments.backward {
        let of = arguments.gradients(&uniform);
        let outcome = run::gradients(&modules, &of, &options)?;
        drop(progress);
        let problem = AttentionProblemReport {
            lengths: of.lengths.clone(),
            ..AttentionProblemReport::new(&of.problem, seed).scored(of.score)
        };
        let device = DeviceReport::new(modules.device());
        let report = GradientsReport::new(problem, device, (&of, &outcome));
        return output::print(&report, arguments.common.json);
    }
    let (outcome, operations, problem) = if arguments.dtype == AttentionTypeArgument::E4m3 {
        let outcome = run::fp8_attention(&modules, &arguments.fp8(uniform), &options)?;
        let problem = AttentionProblemReport {
            dtype: "e4m3",
            scales: Some(if arguments.scales_of_heads {
                "of heads"
            } else {
                "of tensors"
            }),
            ..AttentionProblemReport::new(&uniform.problem, seed)
        };
        (outcome, uniform.problem.operations(), problem)
    } else if let Some(page_size) = arguments.pages {
        let paged = arguments.paged(page_size)?;
        let outcome = run::paged_attention(&modules, &paged, &options)?;
        let operations = paged.operations();
        let keys = paged.lengths.iter().map(|&[_, keys]| keys).max();
        let of = AttentionProblem {
            keys: keys.unwrap_or(0),
            ..paged.problem().of
        };
        let problem = AttentionProblemReport {
            lengths: (paged.packed).then(|| paged.lengths.iter().map(|of| of[0]).collect()),
            page_size: Some(page_size),
            ..AttentionProblemReport::new(&of, seed).scored(paged.score)
        };
        (outcome, operations, problem)
    } else if arguments.lengths.is_empty() {
        let outcome = run::attention(&modules, &uniform, &options)?;
        let problem = AttentionProblemReport::new(&uniform.problem, seed).scored(uniform.score);
        (outcome, uniform.problem.operations(), problem)
    } else {
        let packed = arguments.packed();
        let outcome = run::packed_attention(&modules, &packed, &options)?;
        let problem = AttentionProblemReport::new(&packed.problem().all, seed);
        let operations = packed.operations();
        let problem = AttentionProblemReport {
            lengths: Some(packed.lengths),
            ..problem.scored(packed.score)
        };
        (outcome, operations, problem)
    };
    drop(progress);
    let time = &outcome.launched.time;
    let report = AttentionReport {
        problem,
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.launched),
        tera_operations_per_second: time.tera_per_second(operations),
        error: AttentionErrorReport::new(&outcome),
        verdict: Verdict::of(outcome.right()),
    };
    output::print(&report, arguments.common.json)
}
