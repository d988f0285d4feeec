//! `cutlet bench decode`: times attention of one query per head to keys in pages, or latent
//! attention of one or more queries, and compares the rate with the device's own copy.
//!
//! ```text
//!   contexts x page sizes ─► cutlet decode ─► time, TB/s of keys and values, share of a copy's TB/s in the same run, TFLOP/s
//! ```

use super::super::decode::{CacheArgument, LatentArguments, ReadReport, TypeArgument, cache_name};
use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::{Common, Failure};
use clap::Args;
use cutlet::run::{DecodeRun, RunOptions, decode};
use serde::Serialize;

/// Times attention of one query a head and sequence to keys in pages, and holds it against the
/// device's copy
///
/// Bytes are those of K and V that must be read, once each; a copy reads and writes its bytes.
#[derive(Args)]
pub struct BenchDecodeArguments {
    /// Keys of each sequence
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [1024, 8192, 32768],
        value_parser = clap::value_parser!(u32).range(1..))]
    contexts: Vec<u32>,
    /// Keys of a page
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [16, 64, 256],
        value_parser = clap::value_parser!(u32).range(1..))]
    page_sizes: Vec<u32>,
    /// Sequences
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    sequences: u32,
    /// Heads of queries
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    heads: u32,
    /// Heads of keys
    #[arg(long, value_name = "NUMBER", default_value_t = 8, conflicts_with = "mla", value_parser = clap::value_parser!(u32).range(1..))]
    key_heads: u32,
    /// Columns of a head
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 128,
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
    /// CTAs that the keys of all sequences are split over [default: one a multiprocessor]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    ctas: Option<u32>,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct DecodeBench {
    device: DeviceReport,
    dtype: &'static str,
    cache: Option<&'static str>,
    sequences: u32,
    heads: [u32; 2],
    dim: u32,
    queries: u32,
    rows: Vec<DecodePoint>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct DecodePoint {
    context: u32,
    page_size: u32,
    kernel: String,
    seconds: f64,
    read: Option<ReadReport>,
    relative_frobenius: f64,
    right: bool,
}

impl Report for DecodeBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let [heads, key_heads] = self.heads;
        let mut lines = vec![
            ("device", self.device.line()),
            (
                "problem",
                format!(
                    "{} sequences of {} queries, {heads} heads of {}, {key_heads} of keys, {}{}",
                    self.sequences,
                    self.queries,
                    self.dim,
                    self.dtype,
                    (self.cache.map(|of| format!(", K and V in {of}"))).unwrap_or_default()
                ),
            ),
        ];
        for row in &self.rows {
            let read = row.read.as_ref().map(ReadReport::line).unwrap_or_default();
            lines.push((
                "decode",
                format!(
                    "context {:<6}  pages of {:<4} {:.1} µs  {read}  error {:.1e}{}",
                    row.context,
                    row.page_size,
                    row.seconds * 1e6,
                    row.relative_frobenius,
                    if row.right { "" } else { " WRONG" }
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

/// The number of rows of O that are compared with float64.
const COMPARED: usize = 32;

/// Runs the command.
pub fn run(arguments: &BenchDecodeArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    super::needs_gpu(modules.device())?;
    let options = RunOptions {
        timing: arguments.common.timing(),
        ..RunOptions::default()
    };
    let (dim, latent, scale) = arguments.latent.of(arguments.dim, None);
    let key_heads = if latent.is_some() {
        1
    } else {
        arguments.key_heads
    };
    let heads = [arguments.heads, key_heads];
    let mut rows = Vec::new();
    for &context in &arguments.contexts {
        for &page_size in &arguments.page_sizes {
            let run = DecodeRun {
                element: arguments.dtype.element(),
                cache: arguments.cache.element(),
                scales_of_heads: true,
                lengths: vec![context; arguments.sequences as usize],
                heads,
                dim,
                latent,
                page_size,
                scale,
                ctas: arguments.ctas,
                soft_cap: None,
                seed: arguments.common.seed,
                rows: COMPARED,
            };
            let outcome = decode(&modules, &run, &options)?;
            rows.push(DecodePoint {
                context,
                page_size,
                kernel: outcome.attention.launched.kernel.clone(),
                seconds: outcome.attention.launched.time.median,
                read: outcome.rate.map(ReadReport::from),
                relative_frobenius: outcome.attention.difference.relative,
                right: outcome.attention.right(),
            });
        }
    }
    let bench = DecodeBench {
        device: DeviceReport::new(modules.device()),
        dtype: arguments.dtype.element().name(),
        cache: cache_name(arguments.cache.element()),
        sequences: arguments.sequences,
        heads,
        dim,
        queries: latent.map_or(1, |of| of.queries),
        verdict: Verdict::of(rows.iter().all(|row| row.right)),
        rows,
    };
    output::print(&bench, arguments.common.json)
}
