//! `cutlet bench`: times kernels and their competitors in one run.
//!
//! ```text
//!   bench              square products beside cuBLAS
//!   bench gemm         products of any shape beside cuBLAS, quack, DeepGEMM; a plot
//!   bench weights      products with weights of few bits beside quack, and cuBLAS in bf16
//!   bench attention    attention beside cuDNN, FlashAttention-2 and -4
//!   bench decode       attention of one query to keys in pages, held against a copy
//!   bench distributed  collectives, and products over several GPUs
//!   bench zero-cost    the GEMM on layouts beside the same with its indices by hand
//! ```

mod attention;
mod competitor;
mod decode;
mod distributed;
mod gemm;
mod plot;
mod random;
mod torch;
mod weights;
mod zero_cost;

use super::gemm::Types;
use super::output::Verdict;
use super::{Common, Failure};
use clap::{Args, Subcommand};
use host::{Device, Kind};

/// Times kernels beside others in the same run; needs a GPU
///
/// Without a command it is `bench gemm` of square products. Each time is the median of many samples
/// by CUDA events, interleaved with the competitors'. Each result is compared with the float64
/// reference first.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// Sizes: each is M, N and K
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [512, 1024, 2048, 4096, 8192],
        value_parser = clap::value_parser!(u32).range(1..))]
    sizes: Vec<u32>,
    #[command(flatten)]
    types: Types,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum BenchCommand {
    Gemm(gemm::BenchGemmArguments),
    Weights(weights::BenchWeightsArguments),
    Attention(attention::BenchAttentionArguments),
    Decode(decode::BenchDecodeArguments),
    Distributed(distributed::BenchDistributedArguments),
    ZeroCost(zero_cost::ZeroCostArguments),
}

/// Runs the command.
pub fn run(arguments: &BenchArguments) -> Result<Verdict, Failure> {
    match &arguments.command {
        Some(BenchCommand::Gemm(arguments)) => gemm::run(arguments),
        Some(BenchCommand::Weights(arguments)) => weights::run(arguments),
        Some(BenchCommand::Attention(arguments)) => attention::run(arguments),
        Some(BenchCommand::Decode(arguments)) => decode::run(arguments),
        Some(BenchCommand::Distributed(arguments)) => distributed::run(arguments),
        Some(BenchCommand::ZeroCost(arguments)) => zero_cost::run(arguments),
        None => gemm::squares(&arguments.sizes, &arguments.types, &arguments.common),
    }
}

/// Returns an error if the device is not a GPU.
fn needs_gpu(device: &Device) -> Result<(), Failure> {
    if device.kind() == Kind::Gpu {
        return Ok(());
    }
    let why = device
        .why_not_gpu()
        .map_or(String::new(), |why| format!(" ({why})"));
    Err(Failure::Run(format!(
        "bench needs a GPU{why}: a time on the emulator says nothing about one"
    )))
}
