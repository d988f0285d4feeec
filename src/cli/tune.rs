//! `cutlet tune`: which kernel is fastest for which product, on the GPU that is there.
//!
//! ```text
//!   types, shapes ─► candidates: that compute it, and can launch here ─► right? ─► time ─► a point of the table
//!                                                                                           written after each product
//! ```
//!
//! The table is what [`cutlet::gemm`] chooses by. A run that is interrupted goes on where it was.

use super::output::{self, DeviceReport, Report, Verdict};
use super::{Common, Failure};
use clap::Args;
use cutlet::gemm::{
    Configuration, Gemm, InputType, Library, Majors, Named, OutputType, Point, Schedule,
    Scheduling, SumType, Table, cache_file,
};
use cutlet::run::{self, GemmProblem, Output};
use host::{Kind, Timing};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Finds the fastest kernel for each kind of product on this GPU, for `gemm` to choose by
///
/// Every kernel's result is compared with the float64 reference before it is timed; one that is wrong, or that the device has not
/// the shared memory or registers for, is never chosen. Results are written as they come, and kept: a product that was measured
/// is not measured again.
#[derive(Args)]
pub struct Arguments {
    /// The file to write [default: the cache folder's, which `gemm` reads]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure again what was measured
    #[arg(long)]
    again: bool,
    /// Only products of this type
    #[arg(long, value_name = "TYPE", value_parser = InputType::read)]
    dtype: Option<InputType>,
    /// Only products of extents up to this
    #[arg(long, value_name = "NUMBER")]
    most: Option<u32>,
    #[command(flatten)]
    common: Common,
}

/// Products by shape: square, tall, wide, flat, deep, small.
const SHAPES: [(&str, &[[u32; 3]]); 6] = [
    (
        "square",
        &[
            [512, 512, 512],
            [1024, 1024, 1024],
            [2048, 2048, 2048],
            [4096, 4096, 4096],
            [8192, 8192, 8192],
        ],
    ),
    (
        "tall",
        &[[81_920, 256, 256], [16_384, 512, 512], [8192, 512, 4096]],
    ),
    ("wide", &[[256, 81_920, 256], [512, 8192, 4096]]),
    ("flat", &[[4096, 4096, 128], [8192, 8192, 64]]),
    (
        "deep",
        &[[256, 256, 16_384], [1024, 1024, 8192], [128, 128, 65_536]],
    ),
    ("small", &[[64, 64, 64], [128, 128, 256], [256, 256, 256]]),
];

#[derive(Serialize)]
struct TuneReport {
    device: DeviceReport,
    file: PathBuf,
    points: usize,
    measured: usize,
    candidates: usize,
    wrong: Vec<String>,
    verdict: Verdict,
}

impl Report for TuneReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("device", self.device.line()),
            (
                "table",
                format!("{}: {} points", self.file.display(), self.points),
            ),
            (
                "measured",
                format!(
                    "{} products, {} launches compared and timed",
                    self.measured, self.candidates
                ),
            ),
        ];
        lines.extend(self.wrong.iter().map(|wrong| ("WRONG", wrong.clone())));
        lines.push(("verdict", self.verdict.word().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let (device, module) = arguments.common.open()?;
    let file = match &arguments.out {
        Some(file) => file.clone(),
        None => cache_file(device.name()).ok_or_else(|| {
            Failure::Run(
                "there is no cache folder (neither XDG_CACHE_HOME nor HOME is set): give --out"
                    .into(),
            )
        })?,
    };
    if device.kind() != Kind::Gpu && arguments.out.is_none() {
        return Err(Failure::Run(
            "tune needs a GPU: a time on the emulator says nothing about one (with --out a table of such times is written)"
                .into(),
        ));
    }
    let mut table = if file.is_file() {
        Table::read(&file).map_err(cutlet::Error::from)?
    } else {
        Table::default()
    };
    if table.device != device.name() {
        table = Table {
            device: device.name().into(),
            multiprocessors: device.limits().multiprocessors,
            points: Vec::new(),
        };
    }
    // What was tuned before must not decide what is tried now.
    let library = Library::with(module, Table::default());
    let problems = problems(&library, arguments);
    let bar = ProgressBar::new(problems.len() as u64);
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {msg} {wide_bar} {pos}/{len} products ({elapsed})")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let timing = arguments.common.timing().unwrap_or(Timing {
        warmup: 2,
        runs: 15,
    });
    let (mut measured, mut tried, mut wrong) = (0, 0, Vec::new());
    for (class, problem) in &problems {
        let candidates = candidates(&library, problem);
        let mut point = Point {
            input: problem.input,
            sums: problem.sums.unwrap_or(SumType::F32),
            majors: problem.majors,
            m: problem.m,
            n: problem.n,
            k: problem.k,
            batches: 1,
            kernel: String::new(),
            schedule: Scheduling::Auto,
            tera_operations_per_second: 0.0,
        };
        if candidates.is_empty() || (table.has(&point) && !arguments.again) {
            bar.inc(1);
            continue;
        }
        let name = format!(
            "{class} {}×{}×{} {}",
            problem.m,
            problem.n,
            problem.k,
            problem.input.name()
        );
        let times = run::gemm_candidates(&library, problem, &candidates, timing, &mut |at| {
            bar.set_message(format!("{name}: {} of {}", at + 1, candidates.len()));
        })?;
        for (time, &(kernel, schedule)) in times.iter().zip(&candidates) {
            tried += 1;
            match time {
                None => wrong.push(format!("{kernel}, {schedule}: {name}")),
                Some(time) => {
                    let speed = time.tera_per_second(problem.operations());
                    if speed > point.tera_operations_per_second {
                        point.kernel = kernel.into();
                        point.schedule = schedule;
                        point.tera_operations_per_second = speed;
                    }
                }
            }
        }
        if !point.kernel.is_empty() {
            measured += 1;
            table.insert(point);
            table.write(&file).map_err(cutlet::Error::from)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let report = TuneReport {
        device: DeviceReport::new(&device),
        file,
        points: table.points.len(),
        measured,
        candidates: tried,
        verdict: Verdict::of(wrong.is_empty()),
        wrong,
    };
    output::print(&report, arguments.common.json)
}

/// The products to measure: every shape in every combination of types and orders that there are kernels for.
fn problems(library: &Library, arguments: &Arguments) -> Vec<(&'static str, GemmProblem)> {
    let mut kinds: Vec<(InputType, SumType, Majors)> = Vec::new();
    for configuration in library.configurations() {
        let kind = (
            configuration.input,
            configuration.sums,
            configuration.majors,
        );
        if !kinds.contains(&kind) && arguments.dtype.is_none_or(|dtype| dtype == kind.0) {
            kinds.push(kind);
        }
    }
    let most = arguments.most.unwrap_or(u32::MAX);
    let mut problems = Vec::new();
    for (input, sums, majors) in kinds {
        for (class, shapes) in SHAPES {
            for &[m, n, k] in shapes {
                if m.max(n).max(k) > most {
                    continue;
                }
                let problem = GemmProblem {
                    m,
                    n,
                    k,
                    input,
                    sums: Some(sums),
                    majors,
                    output: if input == InputType::S8 {
                        Output::S32
                    } else {
                        Output::Same
                    },
                    seed: arguments.common.seed,
                    ..GemmProblem::default()
                };
                problems.push((class, problem));
            }
        }
    }
    problems
}

/// The launches worth a try: every kernel that computes the product and fits the device, and what shares out a tile's k where
/// there are few tiles.
fn candidates(library: &Library, problem: &GemmProblem) -> Vec<(&'static str, Scheduling)> {
    let &GemmProblem {
        m,
        n,
        k,
        input,
        output,
        majors,
        sums,
        ..
    } = problem;
    let output = match output {
        Output::S32 => OutputType::S32,
        _ => OutputType::Same,
    };
    let mut gemm = Gemm::new(m, n, k, input, output).with_majors(majors);
    gemm.sums = sums.unwrap_or(gemm.sums);
    let multiprocessors = library.module().device().limits().multiprocessors;
    let fits = |configuration: &&Configuration| configuration.plan(&gemm, Schedule::Tiles).is_ok();
    // Narrow loads only ever cost where wide ones are possible.
    let widest = library
        .configurations()
        .filter(fits)
        .map(|c| c.load_bytes)
        .max();
    let mut all = Vec::new();
    for configuration in library.configurations().filter(fits) {
        if Some(configuration.load_bytes) != widest {
            continue;
        }
        let [tile_m, tile_n, tile_k] = configuration.tile;
        let tiles = m.div_ceil(tile_m) * n.div_ceil(tile_n);
        let steps = k.div_ceil(tile_k);
        all.push((configuration.kernel, Scheduling::Tiles));
        if tiles < 8 * multiprocessors && steps >= 8 {
            all.push((configuration.kernel, Scheduling::StreamK));
        }
        for parts in [2, 4, 8, 16, 32] {
            if tiles * parts <= 4 * multiprocessors && steps >= 4 * parts {
                all.push((configuration.kernel, Scheduling::SplitK(parts)));
            }
        }
    }
    all
}
