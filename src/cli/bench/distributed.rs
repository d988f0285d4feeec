//! `cutlet bench distributed`: times collectives by NCCL, and products over several GPUs that
//! exchange data while they compute.
//!
//! `examples/distributed/torch_sequence.py` times PyTorch's product followed by its collective, in
//! the same way.

use super::super::device::DeviceChoice;
use super::super::distributed::{Distribute, devices};
use super::super::gemm::KernelArguments;
use super::super::output::{self, Report, Verdict};
use super::super::{Common, Failure};
use clap::Args;
use cutlet::gemm::InputType;
use cutlet::gemm::distributed::DistributedProblem;
use cutlet::run::{DistributedRun, distributed_gemm};
use half::bf16;
use host::collective::{CollectiveCall, Communicator};
use host::{Device, Enqueue};
use serde::Serialize;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Times collectives and distributed products of bf16 on several GPUs
#[derive(Args)]
pub struct BenchDistributedArguments {
    /// How many GPUs, the first ones
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    gpus: u32,
    /// Shapes: each M,N,K
    #[arg(long, value_delimiter = ' ', num_args = 0.., value_name = "M,N,K", value_parser = shape,
        default_values = ["8192,8192,8192", "16384,12288,4096", "16384,4096,12288", "16384,16384,16384"])]
    shapes: Vec<[usize; 3]>,
    /// How products are distributed
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Distribute::Column, Distribute::Row])]
    distribute: Vec<Distribute>,
    /// Numbers of pieces of a device's rows
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [1, 2, 4])]
    chunks: Vec<usize>,
    /// MiB of collectives; none with 0
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [64, 1024])]
    mebibytes: Vec<usize>,
    /// Time a product's parts, too: the products without the copies, and the copies without the
    /// products
    #[arg(long)]
    parts: bool,
    #[command(flatten)]
    kernel: KernelArguments,
    #[command(flatten)]
    common: Common,
}

fn shape(text: &str) -> Result<[usize; 3], String> {
    let extents: Vec<usize> = text
        .split(',')
        .filter_map(|extent| extent.parse().ok())
        .collect();
    match extents[..] {
        [m, n, k] if m * n * k > 0 => Ok([m, n, k]),
        _ => Err("it is three numbers, such as 8192,8192,8192".into()),
    }
}

#[derive(Serialize)]
struct DistributedBench {
    devices: Vec<String>,
    connected_by: String,
    collectives: Vec<CollectiveRow>,
    products: Vec<ProductRow>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct CollectiveRow {
    call: &'static str,
    bytes: usize,
    seconds: f64,
    /// The bandwidth as NCCL's tests define it: the bytes that a link has to carry, divided by the
    /// time.
    bus_gigabytes_per_second: f64,
    right: bool,
}

#[derive(Serialize)]
struct ProductRow {
    distribute: &'static str,
    shape: [usize; 3],
    chunks: usize,
    seconds: f64,
    /// The seconds of the products without the copies, and of the copies without the products.
    parts_seconds: Option<[f64; 2]>,
    tera_operations_per_second: f64,
    relative_frobenius: f64,
    right: bool,
    kernels: Vec<&'static str>,
}

impl Report for DistributedBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![(
            "devices",
            format!("{}, {}", self.devices.join(", "), self.connected_by),
        )];
        for row in &self.collectives {
            lines.push((
                row.call,
                format!(
                    "{} MiB  {:.1} µs  {:.1} GB/s on the bus{}",
                    row.bytes >> 20,
                    row.seconds * 1e6,
                    row.bus_gigabytes_per_second,
                    if row.right { "" } else { "  WRONG" }
                ),
            ));
        }
        for row in &self.products {
            let [m, n, k] = row.shape;
            let parts = row.parts_seconds.map_or_else(String::new, |parts| {
                let [products, copies] = parts.map(|seconds| seconds * 1e6);
                format!("  products alone {products:.1} µs, copies alone {copies:.1} µs")
            });
            lines.push((
                row.distribute,
                format!(
                    "{m}×{n}×{k}  {} pieces  {:.1} µs{parts}  {:.0} TFLOP/s  error {:.2e}{}  {}",
                    row.chunks,
                    row.seconds * 1e6,
                    row.tera_operations_per_second,
                    row.relative_frobenius,
                    if row.right { "" } else { "  WRONG" },
                    row.kernels.join(", ")
                ),
            ));
        }
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

const LIMIT: Duration = Duration::from_secs(60);
const CALLS: [CollectiveCall; 4] = [
    CollectiveCall::AllReduce,
    CollectiveCall::AllGather,
    CollectiveCall::ReduceScatter,
    CollectiveCall::AllToAll,
];

/// The interval of the compared elements of a collective's result: every 997th is compared.
const LOOKED_AT: usize = 997;

/// Returns the median time of a call whose larger buffer has `bytes`, and whether its result is
/// right. Every element that rank `r` sends is `r + 1`.
fn collective(
    rank: &Communicator,
    barrier: &Barrier,
    call: CollectiveCall,
    bytes: usize,
) -> Result<(f64, bool), host::Error> {
    let (size, device) = (rank.size(), rank.device());
    let all = bytes / size_of::<bf16>() / size * size;
    let one = all / size;
    let (sent, received) = match call {
        CollectiveCall::AllGather => (one, all),
        CollectiveCall::ReduceScatter => (all, one),
        _ => (all, all),
    };
    let mine = bf16::from_f32(rank.rank() as f32 + 1.0);
    let send = device.upload(&vec![mine; sent])?;
    let mut receive = device.alloc::<bf16>(received)?;
    receive.fill_bytes(0xff)?;
    let prepared = rank.prepare(call, &send, &mut receive)?;
    let runs = if bytes > 256 << 20 { 10 } else { 40 };
    let mut samples = Vec::new();
    for sample in 0..8 {
        barrier.wait();
        let start = Instant::now();
        for _ in 0..runs {
            prepared.enqueue()?;
        }
        prepared.wait()?;
        if sample > 0 {
            samples.push(start.elapsed().as_secs_f64() / runs as f64);
        }
    }
    samples.sort_by(f64::total_cmp);
    let sum = (1..=size).map(|rank| rank as f32).sum::<f32>();
    let found = receive.to_vec()?;
    let right = found
        .iter()
        .enumerate()
        .step_by(LOOKED_AT)
        .all(|(at, found)| {
            let expected = match call {
                CollectiveCall::AllReduce | CollectiveCall::ReduceScatter => sum,
                _ => (at / one) as f32 + 1.0,
            };
            found.to_f32() == expected
        });
    Ok((samples[samples.len() / 2], right))
}

fn collectives(
    devices: &[Device],
    mebibytes: &[usize],
) -> Result<(String, Vec<CollectiveRow>), Failure> {
    let ranks = Communicator::of(devices, LIMIT)?;
    let (about, size) = (ranks[0].about(), devices.len() as f64);
    let cases: Vec<(CollectiveCall, usize)> = mebibytes
        .iter()
        .filter(|&&size| size > 0)
        .flat_map(|&size| CALLS.map(|call| (call, size << 20)))
        .collect();
    let barrier = Barrier::new(ranks.len());
    let results: Vec<Result<Vec<(f64, bool)>, host::Error>> = std::thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| {
                let (cases, barrier) = (&cases, &barrier);
                scope.spawn(move || {
                    cases
                        .iter()
                        .map(|&(call, bytes)| collective(&rank, barrier, call, bytes))
                        .collect()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    let results = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let rows = cases.iter().enumerate().map(|(i, &(call, bytes))| {
        let seconds = results.iter().map(|rank| rank[i].0).fold(0.0, f64::max);
        let share = match call {
            CollectiveCall::AllReduce => 2.0 * (size - 1.0) / size,
            _ => (size - 1.0) / size,
        };
        CollectiveRow {
            call: call.name(),
            bytes,
            seconds,
            bus_gigabytes_per_second: share * bytes as f64 / seconds * 1e-9,
            right: results.iter().all(|rank| rank[i].1),
        }
    });
    Ok((about, rows.collect()))
}

/// Runs the command.
pub fn run(arguments: &BenchDistributedArguments) -> Result<Verdict, Failure> {
    if arguments.common.device == DeviceChoice::Emulator || Device::gpu_count().is_err() {
        return Err(Failure::Run(
            "bench needs GPUs: a time on emulated devices says nothing about them; `cutlet gemm --gpus` runs on both".into(),
        ));
    }
    let devices = devices(arguments.common.device, arguments.gpus)?;
    let (connected_by, collectives) = if arguments.mebibytes.iter().all(|&size| size == 0) {
        ("no collectives".into(), Vec::new())
    } else {
        collectives(&devices, &arguments.mebibytes)?
    };
    let configuration = arguments.kernel.request()?.configuration;
    let mut products = Vec::new();
    for &[m, n, k] in &arguments.shapes {
        for distribute in &arguments.distribute {
            let parallel = distribute.parallel();
            let run = DistributedRun {
                problem: DistributedProblem {
                    m,
                    n,
                    k,
                    parallel,
                    chunks: 1,
                    configuration,
                },
                input: InputType::Bf16,
                chunks: arguments.chunks.clone(),
                seed: arguments.common.seed,
                rows: 16,
                timing: (
                    7,
                    arguments.common.timing().map_or(10, |timing| timing.runs),
                ),
                parts: arguments.parts,
            };
            for outcome in distributed_gemm(&devices, &run)? {
                let seconds = outcome.time.as_ref().map_or(f64::NAN, |time| time.median);
                let parts = outcome.parts.map(|parts| parts.map(|part| part.median));
                let row = ProductRow {
                    distribute: parallel.name(),
                    shape: [m, n, k],
                    chunks: outcome.chunks,
                    seconds,
                    parts_seconds: parts,
                    tera_operations_per_second: 2.0 * (m * n) as f64 * k as f64 / seconds * 1e-12,
                    relative_frobenius: outcome.difference.relative,
                    right: outcome.right(),
                    kernels: outcome.kernels,
                };
                products.push(row);
            }
        }
    }
    let right = collectives.iter().all(|row| row.right) && products.iter().all(|row| row.right);
    let report = DistributedBench {
        devices: devices.iter().map(ToString::to_string).collect(),
        connected_by,
        collectives,
        products,
        verdict: Verdict::of(right),
    };
    output::print(&report, arguments.common.json)
}
