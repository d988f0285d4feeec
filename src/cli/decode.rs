//! `cutlet decode`: computes attention of one query per head to keys in pages of a cache, and
//! compares it with a reference.

use super::attention::AttentionErrorReport;
use super::output::{self, DeviceReport, LaunchReport, Report, Verdict};
use super::progress::RunProgress;
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::attention::{AttentionType, CacheElement};
use cutlet::run::{self, DecodeRun, Latent, ReadRate, RunOptions};
use serde::Serialize;

/// Computes attention of one query a head and sequence to keys in pages of a cache, and compares it
/// with a float64 reference
///
/// With `--mla` attention is latent, in the absorbed form that DeepSeek's models decode by: one
/// head of keys of 576 columns, whose first 512 are V, and one or more queries a sequence, causal.
///
/// Q and O are (sequences, heads, dim), K and V (pages, page size, key heads, dim); which pages a
/// sequence has is drawn by the seed. The kernels are for compute capability 9.0; the emulator runs
/// them too. On a GPU the rate at which keys and values are read is held against the device's own
/// copy, measured in the same run.
#[derive(Args)]
pub struct DecodeArguments {
    /// Sequences of `--context` keys each
    #[arg(long, default_value_t = 4, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    sequences: u32,
    /// Keys of each sequence
    #[arg(long, default_value_t = 1000, value_name = "NUMBER")]
    context: u32,
    /// Keys of each sequence, one by one, instead of so many sequences of one length
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with_all = ["sequences", "context"])]
    lengths: Vec<u32>,
    /// Keys of a page: a power of two from 8 on
    #[arg(long, default_value_t = 64, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    page_size: u32,
    /// Heads of queries
    #[arg(long, default_value_t = 8, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    heads: u32,
    /// Heads of keys, a divisor of the heads: neighbouring heads of queries share one, 64 at most
    #[arg(long, default_value_t = 1, value_name = "NUMBER", conflicts_with = "mla", value_parser = clap::value_parser!(u32).range(1..))]
    key_heads: u32,
    /// Columns of a head: 64, 96, 128, 192 or 256
    #[arg(
        long,
        default_value_t = 128,
        value_name = "NUMBER",
        conflicts_with = "mla"
    )]
    dim: u32,
    #[command(flatten)]
    latent: LatentArguments,
    /// The type of Q and O, and of K and V where `--cache` names no other
    #[arg(long, value_enum, default_value_t = TypeArgument::Bf16)]
    dtype: TypeArgument,
    /// The type of K and V: that of Q and O, or e4m3 with scales
    #[arg(long, value_enum, default_value_t = CacheArgument::Same, conflicts_with = "mla")]
    cache: CacheArgument,
    /// One scale of K and one of V, in place of one of both for each head of keys (`--cache e4m3`)
    #[arg(long)]
    one_scale: bool,
    /// Factor of the scores [default: 1 / sqrt(dim), with `--mla` 1 / sqrt(192)]
    #[arg(long, value_name = "NUMBER")]
    scale: Option<f32>,
    /// CTAs that the keys of all sequences are split over [default: one a multiprocessor]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    ctas: Option<u32>,
    /// Scores become NUMBER tanh(score / NUMBER)
    #[arg(long, value_name = "NUMBER", conflicts_with = "mla")]
    soft_cap: Option<f32>,
    /// The most rows of O to compare
    #[arg(long, default_value_t = 256, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    #[command(flatten)]
    common: Common,
}

/// The options of latent attention.
#[derive(Args)]
pub struct LatentArguments {
    /// Latent attention (MLA, absorbed): one head of keys of 576 columns, V their first 512
    #[arg(long)]
    mla: bool,
    /// Queries of a sequence, its last positions: causal (`--mla`)
    #[arg(long, default_value_t = 1, value_name = "NUMBER", requires = "mla", value_parser = clap::value_parser!(u32).range(1..))]
    queries: u32,
}

/// The columns of K and of V in DeepSeek's latent attention. The scores are scaled by the third
/// number, the head dimension of the uncompressed keys.
const LATENT_DIM: u32 = 576;
const LATENT_DIM_V: u32 = 512;
const LATENT_SCALE_DIM: f32 = 192.0;

impl LatentArguments {
    /// Returns the head dimension, the description of latent attention, and the scale. Without
    /// `--mla` they are `dim`, `None` and `scale`.
    pub fn of(&self, dim: u32, scale: Option<f32>) -> (u32, Option<Latent>, Option<f32>) {
        if !self.mla {
            return (dim, None, scale);
        }
        let latent = Latent {
            dim_v: LATENT_DIM_V,
            queries: self.queries,
        };
        let scale = scale.unwrap_or(LATENT_SCALE_DIM.sqrt().recip());
        (LATENT_DIM, Some(latent), Some(scale))
    }
}

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TypeArgument {
    F16,
    Bf16,
}

impl TypeArgument {
    /// Returns the library's name of the type.
    pub fn element(self) -> AttentionType {
        match self {
            Self::F16 => AttentionType::F16,
            Self::Bf16 => AttentionType::Bf16,
        }
    }
}

/// The element type of a cache.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheArgument {
    /// That of Q and O
    Same,
    /// 8-bit floats, times a scale of each head of keys
    E4m3,
}

impl CacheArgument {
    /// Returns the library's name of the element type.
    pub fn element(self) -> CacheElement {
        match self {
            Self::Same => CacheElement::OfQueries,
            Self::E4m3 => CacheElement::E4m3,
        }
    }
}

/// Returns the name of a cache's element type, or `None` if it is Q's type.
pub fn cache_name(cache: CacheElement) -> Option<&'static str> {
    match cache {
        CacheElement::OfQueries => None,
        CacheElement::E4m3 => Some("e4m3"),
    }
}

#[derive(Serialize)]
struct DecodeReport {
    problem: DecodeProblemReport,
    device: DeviceReport,
    launch: LaunchReport,
    /// The rates, or `None` on the emulator.
    read: Option<ReadReport>,
    error: AttentionErrorReport,
    verdict: Verdict,
}

#[derive(Serialize)]
struct DecodeProblemReport {
    lengths: Vec<u32>,
    page_size: u32,
    heads: u32,
    key_heads: u32,
    dim: u32,
    /// The columns of V and O.
    dim_v: u32,
    /// The queries of a sequence.
    queries: u32,
    dtype: &'static str,
    cache: Option<&'static str>,
    scale: f32,
    soft_cap: Option<f32>,
    seed: u64,
}

impl DecodeProblemReport {
    fn new(run: &DecodeRun) -> Self {
        let [heads, key_heads] = run.heads;
        let problem = run.problem();
        Self {
            lengths: run.lengths.clone(),
            page_size: run.page_size,
            heads,
            key_heads,
            dim: problem.dim,
            dim_v: problem.dim_v,
            queries: problem.queries,
            dtype: run.element.name(),
            cache: cache_name(run.cache),
            scale: problem.scale,
            soft_cap: run.soft_cap,
            seed: run.seed,
        }
    }

    fn line(&self) -> String {
        let Self {
            lengths,
            page_size,
            heads,
            key_heads,
            dim,
            dim_v,
            queries,
            dtype,
            cache,
            scale,
            soft_cap,
            seed,
        } = self;
        let score = match soft_cap {
            None => format!("{scale} q·Kᵀ"),
            Some(cap) => format!("{cap} tanh({scale} q·Kᵀ / {cap})"),
        };
        let least = lengths.iter().min().copied().unwrap_or(0);
        let most = lengths.iter().max().copied().unwrap_or(0);
        let keys = if least == most {
            format!("{most}")
        } else {
            format!("{least} to {most}")
        };
        let latent = if dim_v == dim {
            String::new()
        } else {
            format!("{queries} queries each, V the first {dim_v} columns of K, ")
        };
        format!(
            "O = softmax({score})·V, {} sequences of {keys} keys in pages of {page_size}, {heads} heads of {dim}, {key_heads} of keys, \
             {latent}{dtype}{}, seed {seed}",
            lengths.len(),
            cache
                .map(|of| format!(", K and V in {of}"))
                .unwrap_or_default()
        )
    }
}

/// The rate at which keys and values are read, and the rate of the products.
#[derive(Clone, Copy, Serialize)]
pub struct ReadReport {
    tera_flops: f64,
    tera_bytes_per_second: f64,
    copy_tera_bytes_per_second: f64,
    share_of_copy: f64,
}

impl From<ReadRate> for ReadReport {
    fn from(of: ReadRate) -> Self {
        Self {
            tera_flops: of.operations_per_second * 1e-12,
            tera_bytes_per_second: of.bytes_per_second * 1e-12,
            copy_tera_bytes_per_second: of.copied_per_second * 1e-12,
            share_of_copy: of.share(),
        }
    }
}

impl ReadReport {
    /// Returns the rate, the copy's rate, the share of it, and the products' rate as one line.
    pub fn line(&self) -> String {
        format!(
            "{:.3} TB/s of keys and values, {:.1} % of a copy's {:.3} TB/s, {:.1} TFLOP/s",
            self.tera_bytes_per_second,
            100.0 * self.share_of_copy,
            self.copy_tera_bytes_per_second,
            self.tera_flops
        )
    }
}

impl Report for DecodeReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let rate = match &self.read {
            Some(read) => read.line(),
            None => "no rate of an emulator".into(),
        };
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
pub fn run(arguments: &DecodeArguments) -> Result<Verdict, Failure> {
    if arguments.one_scale && arguments.cache.element() == CacheElement::OfQueries {
        return Err(Failure::Usage(
            "`--one-scale` is of a cache with scales: `--cache e4m3`".into(),
        ));
    }
    let lengths = if arguments.lengths.is_empty() {
        vec![arguments.context; arguments.sequences as usize]
    } else {
        arguments.lengths.clone()
    };
    let (dim, latent, scale) = arguments.latent.of(arguments.dim, arguments.scale);
    let run = DecodeRun {
        element: arguments.dtype.element(),
        cache: arguments.cache.element(),
        scales_of_heads: !arguments.one_scale,
        lengths,
        heads: [arguments.heads, arguments.key_heads],
        dim,
        latent,
        page_size: arguments.page_size,
        scale,
        ctas: arguments.ctas,
        soft_cap: arguments.soft_cap,
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
    let outcome = run::decode(&modules, &run, &options)?;
    drop(progress);
    let report = DecodeReport {
        problem: DecodeProblemReport::new(&run),
        device: DeviceReport::new(modules.device()),
        launch: LaunchReport::new(&outcome.attention.launched),
        read: outcome.rate.map(ReadReport::from),
        error: AttentionErrorReport::new(&outcome.attention),
        verdict: Verdict::of(outcome.attention.right()),
    };
    output::print(&report, arguments.common.json)
}
