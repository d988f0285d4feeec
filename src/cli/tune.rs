//! `cutlet tune`: finds the fastest kernel for each product on this machine's GPU.
//!
//! ```text
//!   types, shapes ─► candidates: that compute it, and can launch here ─► right? ─► time ─► a point of the table
//!                                                                                           written after each product
//! ```
//!
//! [`cutlet::gemm`] chooses kernels by this table.
//!
//! Law: at every moment the file holds a complete table of the products that are finished, so that
//! an interrupted run continues where it stopped. A kernel that is wrong or cannot launch is in no
//! table.

use super::output::{self, DeviceReport, Report, Verdict};
use super::random_shapes::random_shapes;
use super::shape::Shape;
use super::{Common, Failure};
use clap::Args;
use cutlet::gemm::fit::{Measurement, fit, regret};
use cutlet::gemm::model::{CONSTANTS, Model};
use cutlet::gemm::{
    AccumulatorType, Configuration, GemmProblem, InputType, KernelRequest, Library, Majors, Named,
    OutputType, Point, Table, cache_file,
};
use cutlet::run::{self, GemmRun, LaunchTrial};
use host::{Device, Kind, Timing};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Finds the fastest kernel for each kind of product on this GPU, for `gemm` to choose by
///
/// Every kernel's result is compared with the float64 reference before it is timed; one that is
/// wrong, or that the device has not the shared memory, the registers or the room for, is never
/// chosen. The best are timed alternately. Results are written as they come, and kept: Ctrl-C loses
/// no product that was finished, and the next run goes on behind it. A product is measured again
/// where there are other kernels for it than there were.
#[derive(Args)]
pub struct TuneArguments {
    /// The file to write [default: the cache folder's, which `gemm` reads]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure again what was measured
    #[arg(long)]
    again: bool,
    /// Only products of these types
    #[arg(long, value_delimiter = ',', value_name = "TYPES", value_parser = InputType::read)]
    dtype: Vec<InputType>,
    /// Only products with this accumulator type
    #[arg(long, value_name = "TYPE", value_parser = AccumulatorType::read)]
    accumulator: Option<AccumulatorType>,
    /// Only products of A and B in these orders
    #[arg(long, value_delimiter = ',', value_name = "ORDERS", value_parser = Majors::read)]
    layout: Vec<Majors>,
    /// The products' shapes, M×N×K each [default: square, tall, wide, flat, deep and small ones]
    #[arg(long, value_delimiter = ',', num_args = 1.., value_name = "MxNxK")]
    shapes: Vec<Shape>,
    /// So many random shapes in their place: M of 1 to 16384, N and K of 64 to 32768, log-uniform,
    /// of 10^8 to 10^13 operations
    #[arg(long, value_name = "NUMBER", conflicts_with = "shapes", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    random: Option<u32>,
    /// One product of your own, in the place of a table's: the best launches by the choice's
    /// ranking are measured, and the fastest is what `gemm` takes for it on this GPU from now on
    #[arg(long, value_name = "MxNxK", conflicts_with_all = ["shapes", "random", "fit"])]
    shape: Option<Shape>,
    /// Measure only so many launches of each product, those that the choice ranks first [default:
    /// 20 with --shape, else all]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    best: Option<u32>,
    /// What the random shapes are drawn from
    #[arg(long, default_value_t = 0, value_name = "NUMBER", requires = "random", value_parser = super::natural)]
    random_seed: u64,
    /// Append the time of every launch that was right to this file, as CSV; with random shapes the
    /// model of the choice is fitted to all that it holds, and written into the table
    #[arg(long, value_name = "FILE")]
    measurements: Option<PathBuf>,
    /// Measure nothing: fit the model to the file of measurements
    #[arg(long, requires = "measurements")]
    fit: bool,
    /// Compare no result, and write no product into the table: times for the model alone
    #[arg(long, requires_all = ["random", "measurements"])]
    times_alone: bool,
    /// Only products of extents up to this
    #[arg(long, value_name = "NUMBER")]
    most: Option<u32>,
    #[command(flatten)]
    common: Common,
}

/// The default shapes: square, tall, wide, flat, deep and small.
const SHAPES: [[u32; 3]; 27] = [
    [512, 512, 512],
    [1000, 1000, 1000],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [4096, 4096, 4096],
    [8192, 8192, 8192],
    [16_384, 16_384, 16_384],
    [81_920, 256, 256],
    [16_384, 512, 512],
    [8192, 512, 4096],
    [256, 81_920, 256],
    [512, 8192, 4096],
    [4096, 4096, 128],
    [8192, 8192, 64],
    [4096, 4096, 512],
    [256, 256, 16_384],
    [1024, 1024, 8192],
    [128, 128, 65_536],
    [128, 4096, 4096],
    [128, 14_336, 4096],
    [256, 256, 65_536],
    [16, 4096, 4096],
    [64, 4096, 4096],
    [1, 8192, 8192],
    [64, 64, 64],
    [128, 128, 256],
    [256, 256, 256],
];

/// A measured product, with its fastest launch.
#[derive(Serialize)]
struct TunedRow {
    shape: String,
    types: String,
    kernel: String,
    schedule: String,
    tera_operations_per_second: f64,
    tried: usize,
}

#[derive(Serialize)]
struct TuneReport {
    device: DeviceReport,
    file: PathBuf,
    points: usize,
    kept: usize,
    measured: Vec<TunedRow>,
    /// The kernels whose result was wrong.
    wrong: Vec<String>,
    /// The kernels and products for which the memory was too small.
    refused: Vec<String>,
    /// The models that were fitted, each described by a sentence.
    models: Vec<String>,
    verdict: Verdict,
}

impl Report for TuneReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let tried: usize = self.measured.iter().map(|row| row.tried).sum();
        let mut lines = vec![
            ("device", self.device.line()),
            (
                "table",
                format!("{}: {} points", self.file.display(), self.points),
            ),
            (
                "measured",
                format!(
                    "{} products, {tried} launches compared and timed; {} products were measured before",
                    self.measured.len(),
                    self.kept
                ),
            ),
        ];
        lines.extend(self.measured.iter().map(|row| {
            let line = format!(
                "{:>16} {:>11}  {:>6.1} TFLOP/s  {} ({}), of {}",
                row.shape,
                row.types,
                row.tera_operations_per_second,
                row.kernel,
                row.schedule,
                row.tried
            );
            ("", line)
        }));
        let said = |label, all: &[String]| -> Vec<_> {
            all.iter().map(|text| (label, text.clone())).collect()
        };
        lines.extend(said("model", &self.models));
        lines.extend(said("left out", &self.refused));
        lines.extend(said("WRONG", &self.wrong));
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Runs the command.
pub fn run(arguments: &TuneArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    let device = modules.device().clone();
    let file = file(arguments, &device)?;
    let mut table = if arguments.fit && file.is_file() {
        // The measurements are those of the table's device, which may be another one than this.
        Table::read(&file).map_err(cutlet::CutletError::from)?
    } else {
        table(arguments, &file, &device)?
    };
    // The table's points, measured before, must not decide what is tried now. The built-in models
    // rank the launches.
    let ranked_by = Table {
        points: Vec::new(),
        ..Table::built_in_for(device.name())
    };
    let library = Library::with(modules, ranked_by);
    let problems = if arguments.fit {
        Vec::new()
    } else {
        problems(&library, arguments)?
    };
    let bar = progress_bar(problems.len());
    let mut report = TuneReport {
        device: DeviceReport::new(&device),
        file,
        points: 0,
        kept: 0,
        measured: Vec::new(),
        wrong: Vec::new(),
        refused: Vec::new(),
        models: Vec::new(),
        verdict: Verdict::Right,
    };
    for problem in &problems {
        measure(&library, arguments, problem, &bar, &mut table, &mut report)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(file) = &arguments.measurements
        && (arguments.fit || arguments.random.is_some())
    {
        for (model, shipped) in fitted(file, &device)? {
            report.models.push(sentence(&model, shipped));
            table.insert_model(model);
        }
        table
            .write(&report.file)
            .map_err(cutlet::CutletError::from)?;
    }
    report.points = table.points.len();
    report.verdict = Verdict::of(report.wrong.is_empty());
    output::print(&report, arguments.common.json)
}

/// Returns the bar that shows which product is measured now.
fn progress_bar(products: usize) -> ProgressBar {
    let bar = ProgressBar::new(products as u64);
    if let Ok(style) = ProgressStyle::with_template(
        "{spinner} {msg} {wide_bar} {pos}/{len} products ({elapsed}, {eta} left)",
    ) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Measures the candidates of a product, inserts the fastest into the table, and writes the table.
fn measure(
    library: &Library,
    arguments: &TuneArguments,
    problem: &GemmProblem,
    bar: &ProgressBar,
    table: &mut Table,
    report: &mut TuneReport,
) -> Result<(), Failure> {
    let candidates = match (arguments.best, &arguments.shape) {
        (Some(best), _) => library.best_trials(problem, best as usize)?,
        (None, Some(_)) => library.best_trials(problem, run::BEST)?,
        (None, None) => library.trials(problem),
    };
    let point = Point::unmeasured(problem, candidates.len());
    if table.has(&point) && !arguments.again {
        report.kept += 1;
        return Ok(());
    }
    let (shape, types) = (
        format!("{}×{}×{}", problem.m, problem.n, problem.k),
        types_of(&point),
    );
    let found = match trials(
        library,
        arguments,
        problem,
        &candidates,
        bar,
        &shape,
        &types,
    ) {
        Ok(found) => found,
        // The next product may be smaller, or have a smaller K.
        Err(error @ cutlet::CutletError::Memory { .. })
        | Err(error @ cutlet::CutletError::NoVerdict { .. })
        | Err(error @ cutlet::CutletError::Host(host::Error::OutOfMemory { .. })) => {
            report.refused.push(format!("{shape} {types}: {error}"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(file) = &arguments.measurements {
        append(file, problem, &candidates, &found)?;
    }
    let of = |at: usize| {
        let KernelRequest {
            schedule,
            configuration,
        } = candidates[at];
        let kernel = configuration.unwrap_or_default();
        format!("{shape} {types}: {kernel}, {schedule}")
    };
    for (at, candidate) in found.iter().enumerate() {
        match candidate {
            LaunchTrial::Wrong => report.wrong.push(of(at)),
            LaunchTrial::Refused(why) => report.refused.push(format!("{}: {why}", of(at))),
            LaunchTrial::Slower(_) | LaunchTrial::Timed(_) => {}
        }
    }
    if let Some(point) = run::fastest(problem, &candidates, &found) {
        report.measured.push(TunedRow {
            shape,
            types,
            kernel: point.kernel.clone(),
            schedule: point.schedule.to_string(),
            tera_operations_per_second: point.tera_operations_per_second,
            tried: point.tried,
        });
        table.insert(point);
        table
            .write(&report.file)
            .map_err(cutlet::CutletError::from)?;
    }
    Ok(())
}

/// Returns the types and orders of a point's operands, as the table of results shows them.
fn types_of(point: &Point) -> String {
    let accumulator = match point.bytes {
        true => "s8",
        false => point.accumulator.name(),
    };
    format!(
        "{} {accumulator} {}",
        point.input.name(),
        point.majors.name()
    )
}

/// Runs every candidate, and compares its result, or only measures its time.
fn trials(
    library: &Library,
    arguments: &TuneArguments,
    problem: &GemmProblem,
    candidates: &[KernelRequest<'static>],
    bar: &ProgressBar,
    shape: &str,
    types: &str,
) -> Result<Vec<LaunchTrial>, cutlet::CutletError> {
    let timing = arguments.common.timing().unwrap_or(Timing {
        warmup: 2,
        runs: 15,
    });
    let progress = &mut |at| {
        let all = candidates.len();
        bar.set_message(format!("{shape} {types}: {} of {all}", at + 1));
    };
    let run = GemmRun::new(*problem).with_seed(arguments.common.seed);
    if arguments.times_alone {
        run::gemm_times(library, &run, candidates)
    } else {
        run::gemm_candidates(library, &run, candidates, timing, progress)
    }
}

/// Appends the times of a product to a file of measurements, whose first line has the names of the
/// columns.
fn append(
    file: &Path,
    problem: &GemmProblem,
    candidates: &[KernelRequest<'static>],
    found: &[LaunchTrial],
) -> Result<(), Failure> {
    let of = |error: std::io::Error| {
        Failure::Run(format!("{} cannot be written: {error}", file.display()))
    };
    let mut text = String::new();
    if !file.is_file() {
        text = format!("{}\n", Measurement::COLUMNS);
    }
    for (request, trial) in candidates.iter().zip(found) {
        if let LaunchTrial::Slower(time) | LaunchTrial::Timed(time) = trial {
            let measurement = Measurement {
                extents: [problem.m, problem.n, problem.k],
                output: problem.output,
                kernel: request.configuration.unwrap_or_default().into(),
                schedule: request.schedule,
                microseconds: 1e6 * time.median,
            };
            text += &format!("{}\n", measurement.line());
        }
    }
    let mut options = std::fs::OpenOptions::new();
    let mut open = options.create(true).append(true).open(file).map_err(of)?;
    open.write_all(text.as_bytes()).map_err(of)
}

/// Fits a model to each kind of product for which the file has enough measurements. Beside each
/// model is what the built-in model's choices take there, relative to the fastest launches.
fn fitted(file: &Path, device: &Device) -> Result<Vec<(Model, Option<f64>)>, Failure> {
    let wrong = |why: String| Failure::Run(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let lines = text.lines().filter(|line| *line != Measurement::COLUMNS);
    let measurements = lines
        .map(Measurement::of_line)
        .collect::<Result<Vec<_>, _>>()
        .map_err(wrong)?;
    let mut kinds = Vec::new();
    for of in cutlet::gemm::CONFIGURATIONS {
        let kind = (of.input, of.accumulator, of.majors);
        if of.hopper.is_some() && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let multiprocessors = device.limits().multiprocessors;
    let built_in = Table::built_in_for(device.name());
    let shipped = |of: &Model| {
        let kind = |model: &Model| (model.input, model.accumulator, model.majors);
        let mut models = built_in.models.iter();
        let shipped = models.find(|model| kind(model) == kind(of))?;
        regret(shipped, &measurements, multiprocessors)
    };
    let models: Vec<_> = kinds
        .into_iter()
        .filter_map(|kind| fit(kind, &measurements, multiprocessors))
        .map(|model| {
            let shipped = shipped(&model);
            (model, shipped)
        })
        .collect();
    if models.is_empty() {
        return Err(wrong(format!(
            "{} measurements are too few for a fit, at least {} of one kind of products",
            measurements.len(),
            10 * CONSTANTS
        )));
    }
    Ok(models)
}

/// Describes the measurements to which a model was fitted, and the quality of the fit.
fn sentence(model: &Model, shipped: Option<f64>) -> String {
    let shipped = match shipped {
        Some(shipped) => format!("; the built-in model's {:.1} %", 100.0 * (shipped - 1.0)),
        None => String::new(),
    };
    format!(
        "{} {} {}: {} launches, error {:.1} % of those near the fastest, its choices {:.1} % slower than the fastest in the geometric mean, {:.1} % at shapes left out{shipped}",
        model.input.name(),
        model.accumulator.name(),
        model.majors.name(),
        model.launches,
        100.0 * model.error,
        100.0 * (model.regret - 1.0),
        100.0 * (model.left_out - 1.0)
    )
}

/// Returns the path of the file to write.
fn file(arguments: &TuneArguments, device: &Device) -> Result<PathBuf, Failure> {
    if let Some(file) = &arguments.out {
        return Ok(file.clone());
    }
    if device.kind() != Kind::Gpu {
        return Err(Failure::Run(
            "tune needs a GPU: a time on the emulator says nothing about one (with --out a table of such times is written)"
                .into(),
        ));
    }
    cache_file(device.name()).ok_or_else(|| {
        Failure::Run(
            "there is no cache folder (neither XDG_CACHE_HOME nor HOME is set): give --out".into(),
        )
    })
}

/// Returns the table in the file, to which this run adds. If there is no file, the table is empty,
/// or the built-in one if the user tunes one product: `gemm` reads the file in place of the
/// built-in table.
fn table(arguments: &TuneArguments, file: &Path, device: &Device) -> Result<Table, Failure> {
    let empty = Table {
        device: device.name().into(),
        multiprocessors: device.limits().multiprocessors,
        points: Vec::new(),
        models: Vec::new(),
    };
    if !file.is_file() {
        return Ok(match arguments.shape {
            Some(_) => {
                let Table { points, models, .. } = Table::built_in_for(device.name());
                Table {
                    points,
                    models,
                    ..empty
                }
            }
            None => empty,
        });
    }
    let table = Table::read(file).map_err(cutlet::CutletError::from)?;
    if table.device != empty.device && !table.points.is_empty() {
        return Err(Failure::Run(format!(
            "{} is the table of another device, {}; this one is {}: give another file, or remove it",
            file.display(),
            table.device,
            empty.device
        )));
    }
    Ok(Table {
        points: table.points,
        models: table.models,
        ..empty
    })
}

/// Returns the products to measure: every shape in every combination of types and orders for which
/// there are kernels.
fn problems(library: &Library, arguments: &TuneArguments) -> Result<Vec<GemmProblem>, Failure> {
    let wanted = |of: &Configuration| {
        let all = |list: &[Majors]| list.is_empty() || list.contains(&of.majors);
        (arguments.dtype.is_empty() || arguments.dtype.contains(&of.input))
            && arguments
                .accumulator
                .is_none_or(|accumulator| accumulator == of.accumulator)
            && all(&arguments.layout)
    };
    let mut kinds: Vec<(InputType, AccumulatorType, Majors)> = Vec::new();
    for of in library.configurations().filter(|of| wanted(of)) {
        let kind = (of.input, of.accumulator, of.majors);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        return Err(Failure::Usage(
            "there is no kernel of these types and orders".into(),
        ));
    }
    let extents = |&Shape(m, n, k): &Shape| [m, n, k];
    let shapes: Vec<[u32; 3]> = match arguments.random {
        _ if arguments.shape.is_some() => arguments.shape.iter().map(extents).collect(),
        Some(count) => {
            let shapes = random_shapes(count as usize, arguments.random_seed);
            shapes.iter().map(extents).collect()
        }
        None if arguments.shapes.is_empty() => SHAPES.to_vec(),
        None => arguments.shapes.iter().map(extents).collect(),
    };
    let most = arguments.most.unwrap_or(u32::MAX);
    let mut problems = Vec::new();
    // The order is by kind, so that an interrupted run has complete kinds.
    for (input, accumulator, majors) in kinds {
        for &[m, n, k] in shapes.iter().filter(|[m, n, k]| *m.max(n).max(k) <= most) {
            // A D of bytes is stored differently from one of 32 bits.
            let outputs = match input {
                InputType::S8 => vec![OutputType::S32, OutputType::Same],
                input => vec![input.default_output()],
            };
            for output in outputs {
                let problem = GemmProblem::new(m, n, k, input, output)
                    .with_majors(majors)
                    .with_accumulator(accumulator);
                if !library.trials(&problem).is_empty() {
                    problems.push(problem);
                }
            }
        }
    }
    Ok(problems)
}
