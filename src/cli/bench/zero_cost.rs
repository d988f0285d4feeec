//! `cutlet bench zero-cost`: compares the GEMM on layouts with the same GEMM whose indices were
//! worked out by hand.
//!
//! `.ci/zero-cost` counts both kernels' instructions.

use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::progress::RunProgress;
use super::super::{Common, Failure};
use super::needs_gpu;
use clap::Args;
use gpu_kernels::hgemm_by_hand::{ARGUMENTS, HgemmArgument, PAIR, launch_spec};
use half::f16;
use host::reference::{self, Difference, GemmTolerance};
use host::{
    BoundArguments, Buffer, Contract, Enqueue, Kind, Launch, NamedArguments, Time, Timing,
    time_interleaved,
};
use serde::Serialize;

/// Times the reference GEMM on layouts beside the same with its indices worked out by hand
#[derive(Args)]
pub struct ZeroCostArguments {
    /// Sizes: each is M, N and K
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [2048, 4096, 8192],
        value_parser = multiple_of_8)]
    sizes: Vec<u32>,
    #[command(flatten)]
    common: Common,
}

fn multiple_of_8(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(size @ 8..=65_536) if size % 8 == 0 => Ok(size),
        _ => Err("it is a multiple of 8 from 8 to 65536".into()),
    }
}

/// The names of the two kernels.
const ON_LAYOUTS: &str = PAIR[0];
const BY_HAND: &str = PAIR[1];

#[derive(Serialize)]
struct ZeroCost {
    device: DeviceReport,
    sizes: Vec<SizeRow>,
    registers: [u32; 2],
    verdict: Verdict,
}

#[derive(Serialize)]
struct SizeRow {
    size: u32,
    on_layouts_seconds: f64,
    by_hand_seconds: f64,
    /// The time on layouts divided by the time by hand: below 1, layouts are faster.
    ratio: f64,
    samples: usize,
    relative_frobenius: [f64; 2],
    same_bits: bool,
    verdict: Verdict,
}

impl Report for ZeroCost {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let [ours, by_hand] = self.registers;
        let mut lines = vec![
            ("device", self.device.line()),
            (
                "kernels",
                format!("{ON_LAYOUTS} ({ours} registers), {BY_HAND} ({by_hand} registers)"),
            ),
            (
                "",
                format!(
                    "{:>6}  {:>13}  {:>13}  {:>6}  same bits  verdict",
                    "M=N=K", "on layouts", "by hand", "ratio"
                ),
            ),
        ];
        for row in &self.sizes {
            let line = format!(
                "{:>6}  {:>10.2} µs  {:>10.2} µs  {:>6.4}  {:>9}  {}",
                row.size,
                row.on_layouts_seconds * 1e6,
                row.by_hand_seconds * 1e6,
                row.ratio,
                row.same_bits,
                row.verdict.name()
            );
            lines.push(("", line));
        }
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the command.
pub fn run(arguments: &ZeroCostArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    let device = modules.device().clone();
    needs_gpu(&device)?;
    let on_layouts = modules.kernel(ON_LAYOUTS)?;
    let by_hand = modules.kernel(BY_HAND)?;
    let timing = arguments.common.timing().unwrap_or(Timing {
        runs: 100,
        ..Timing::sensible(Kind::Gpu)
    });
    let registers = |name: &str| -> Result<u32, Failure> {
        let resources = modules.kernel(name)?.resources();
        Ok(resources.map_or(0, |resources| resources.registers))
    };
    let registers = [registers(ON_LAYOUTS)?, registers(BY_HAND)?];
    let progress = RunProgress::new();
    let mut sizes = Vec::new();
    for &size in &arguments.sizes {
        progress.title(format!("{size}: "));
        let extent = size as usize;
        let a: Vec<f16> = reference::fill(arguments.common.seed, extent * extent);
        let b: Vec<f16> = reference::fill(!arguments.common.seed, extent * extent);
        let (d_a, d_b) = (device.upload(&a)?, device.upload(&b)?);
        let mut ours = device.alloc::<f16>(extent * extent)?;
        let mut theirs = device.alloc::<f16>(extent * extent)?;
        ours.fill_bytes(0xff)?;
        theirs.fill_bytes(0xff)?;
        let launch = |kernel| -> Result<Launch, Failure> {
            let spec = launch_spec(kernel, size, size, size)?;
            let extents = [HgemmArgument::M, HgemmArgument::N, HgemmArgument::K];
            let contract = extents.into_iter().fold(Contract::from(&spec), |all, of| {
                all.argument(ARGUMENTS, of, size)
            });
            Ok(contract.launch())
        };
        let times = {
            let layouts = product_arguments(&mut ours, [&d_a, &d_b], size)?;
            let layouts = on_layouts.prepare(&launch(ON_LAYOUTS)?, layouts)?;
            let hands = product_arguments(&mut theirs, [&d_a, &d_b], size)?;
            let hands = by_hand.prepare(&launch(BY_HAND)?, hands)?;
            let both: [&dyn Enqueue; 2] = [&layouts, &hands];
            time_interleaved(&both, timing, 200e-6)?
        };
        let [ours, theirs] = [ours.to_vec()?, theirs.to_vec()?];
        let rows = reference::sample(arguments.common.seed, extent, 64);
        let expected = reference::gemm_rows(&a, &b, (extent, extent, extent), &rows)
            .map_err(cutlet::CutletError::from)?;
        let [layouts, hands] = [
            compare(&ours, &rows, &expected)?,
            compare(&theirs, &rows, &expected)?,
        ];
        let tolerance = GemmTolerance::f16_accumulator::<f16>(extent, layouts.rms);
        let [(layouts_time, _), (hands_time, _)]: [(Time, usize); 2] = [times[0], times[1]];
        let same_bits =
            bytemuck::cast_slice::<f16, u8>(&ours) == bytemuck::cast_slice::<f16, u8>(&theirs);
        sizes.push(SizeRow {
            size,
            on_layouts_seconds: layouts_time.median,
            by_hand_seconds: hands_time.median,
            ratio: layouts_time.median / hands_time.median,
            samples: layouts_time.runs,
            relative_frobenius: [layouts.relative, hands.relative],
            same_bits,
            verdict: Verdict::of(
                same_bits && tolerance.admits(&layouts) && tolerance.admits(&hands),
            ),
        });
    }
    drop(progress);
    let report = ZeroCost {
        device: DeviceReport::new(&device),
        registers,
        verdict: Verdict::of(sizes.iter().all(|row| row.verdict == Verdict::Right)),
        sizes,
    };
    output::print(&report, arguments.common.json)
}

/// Returns the arguments of a product of two matrices with `size` rows and columns.
fn product_arguments<'a>(
    d: &'a mut Buffer<f16>,
    [a, b]: [&'a Buffer<f16>; 2],
    size: u32,
) -> Result<BoundArguments<'a>, host::Error> {
    NamedArguments::new(ARGUMENTS)
        .with(HgemmArgument::D, d)
        .with(HgemmArgument::A, a)
        .with(HgemmArgument::B, b)
        .with(HgemmArgument::M, size)
        .with(HgemmArgument::N, size)
        .with(HgemmArgument::K, size)
        .bind()
}

/// Returns the distance of some rows of a result from the expected rows.
fn compare(found: &[f16], rows: &[usize], expected: &[f64]) -> Result<Difference, Failure> {
    let columns = expected.len() / rows.len().max(1);
    let found: Vec<f16> = rows
        .iter()
        .flat_map(|&row| &found[row * columns..][..columns])
        .copied()
        .collect();
    Ok(reference::difference(&found, expected).map_err(cutlet::CutletError::from)?)
}
