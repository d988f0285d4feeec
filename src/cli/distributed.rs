//! `cutlet gemm --gpus 4 --distribute column`: computes a product on several devices, and compares
//! it with a reference.

use super::device::DeviceChoice;
use super::gemm::KernelArguments;
use super::output::{self, Report, Verdict};
use super::{Common, Failure};
use clap::{Args, ValueEnum};
use cutlet::gemm::distributed::{DistributedProblem, Parallel};
use cutlet::gemm::{InputType, Named};
use cutlet::run::{DistributedOutcome, DistributedRun, distributed_gemm};
use host::{Device, Kind};
use serde::Serialize;

/// Several devices.
#[derive(Args, Clone)]
pub struct DistributeArguments {
    /// Compute on so many GPUs, the first ones; with --device emulator, or where there is no GPU,
    /// on so many emulated devices
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=64),
        conflicts_with_all = ["batches", "groups", "padding", "alpha", "beta", "bias", "activation"])]
    gpus: Option<u32>,
    /// What each device holds, of several
    #[arg(long, value_enum, default_value_t = Distribute::Column, requires = "gpus")]
    distribute: Distribute,
    /// Pieces of a device's rows, which are copied while others are computed
    #[arg(long, value_name = "NUMBER", default_value_t = 2, requires = "gpus", value_parser = clap::value_parser!(u32).range(1..=64))]
    chunks: u32,
}

/// How a product is distributed.
#[derive(Clone, Copy, ValueEnum)]
pub enum Distribute {
    /// Rows of A, gathered; columns of B and D
    Column,
    /// Columns of A, rows of B; partial sums are added and D scattered by rows
    Row,
    /// The same, and all of D everywhere, as gradients are
    Data,
}

impl Distribute {
    /// Returns the library's name of the distribution.
    pub fn parallel(self) -> Parallel {
        match self {
            Self::Column => Parallel::Column,
            Self::Row => Parallel::Row,
            Self::Data => Parallel::Data,
        }
    }
}

/// Opens the first `count` GPUs, or as many emulated devices.
///
/// # Errors
/// Returns an error if there are fewer GPUs, or if `--device` names one of them, such as `gpu:1`.
pub fn devices(choice: DeviceChoice, count: u32) -> Result<Vec<Device>, Failure> {
    let emulated = || (0..count).map(|_| Device::emulator()).collect();
    match choice {
        DeviceChoice::Emulator => Ok(emulated()),
        DeviceChoice::Best if Device::gpu_count().is_err() => Ok(emulated()),
        DeviceChoice::Best | DeviceChoice::Gpu(0) => {
            let devices: Result<_, _> = (0..count).map(Device::gpu).collect();
            Ok(devices?)
        }
        DeviceChoice::Gpu(index) => Err(Failure::Usage(format!(
            "--gpus takes the first GPUs, and --device names GPU {index}: set CUDA_VISIBLE_DEVICES for others"
        ))),
    }
}

#[derive(Serialize)]
struct DistributedReport {
    m: usize,
    n: usize,
    k: usize,
    dtype: &'static str,
    distribute: &'static str,
    chunks: usize,
    devices: Vec<String>,
    emulated: bool,
    kernels: Vec<&'static str>,
    time_seconds: Option<f64>,
    #[serde(skip)]
    time: String,
    relative_frobenius: f64,
    relative_frobenius_allowed: f64,
    rows_compared: usize,
    verdict: Verdict,
}

impl Report for DistributedReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self {
            m,
            n,
            k,
            dtype,
            distribute,
            chunks,
            ..
        } = self;
        vec![
            (
                "problem",
                format!(
                    "D = A·B, {m}×{n}×{k} (M×N×K), {dtype}, {distribute} parallel, {chunks} pieces of a device's rows"
                ),
            ),
            (
                "devices",
                format!("{}: {}", self.devices.len(), self.devices.join(", ")),
            ),
            ("kernels", self.kernels.join(", ")),
            ("time", self.time.clone()),
            (
                "error",
                format!(
                    "relative {:.2e} (allowed {:.2e}): {} rows against float64",
                    self.relative_frobenius, self.relative_frobenius_allowed, self.rows_compared
                ),
            ),
            ("verdict", self.verdict.name().into()),
        ]
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the product on several devices, or returns `None` if the user does not give `--gpus`.
pub fn run(
    arguments: &DistributeArguments,
    (m, n, k): (u32, u32, u32),
    input: InputType,
    kernel: &KernelArguments,
    common: &Common,
) -> Option<Result<Verdict, Failure>> {
    let count = arguments.gpus?;
    let [m, n, k] = [m, n, k].map(|extent| extent as usize);
    let run = || {
        let devices = devices(common.device, count)?;
        let timing = common.timing().map_or(20, |timing| timing.runs);
        let run = DistributedRun {
            problem: DistributedProblem {
                m,
                n,
                k,
                parallel: arguments.distribute.parallel(),
                chunks: arguments.chunks as usize,
                configuration: kernel.request()?.configuration,
            },
            input,
            chunks: vec![arguments.chunks as usize],
            seed: common.seed,
            rows: 256,
            timing: (5, timing),
            parts: false,
        };
        let outcomes = distributed_gemm(&devices, &run)?;
        let Some(outcome) = outcomes.first() else {
            return Err(Failure::Run("the product has no outcome".into()));
        };
        output::print(&report(&run, &devices, outcome), common.json)
    };
    Some(run())
}

fn report(
    run: &DistributedRun,
    devices: &[Device],
    outcome: &DistributedOutcome,
) -> DistributedReport {
    let DistributedProblem {
        m, n, k, parallel, ..
    } = run.problem;
    let operations = 2.0 * m as f64 * n as f64 * k as f64;
    DistributedReport {
        m,
        n,
        k,
        dtype: run.input.name(),
        distribute: parallel.name(),
        chunks: outcome.chunks,
        devices: devices.iter().map(ToString::to_string).collect(),
        emulated: devices.iter().any(|device| device.kind() == Kind::Emulator),
        kernels: outcome.kernels.clone(),
        time_seconds: outcome.time.as_ref().map(|time| time.median),
        time: outcome.time.as_ref().map_or_else(
            || "not taken: a time on emulated devices says nothing about GPUs".into(),
            |time| format!("{time}, {}", output::rate(operations / time.median)),
        ),
        relative_frobenius: outcome.difference.relative,
        relative_frobenius_allowed: outcome.tolerance.relative,
        rows_compared: run.rows.min(m),
        verdict: Verdict::of(outcome.right()),
    }
}
