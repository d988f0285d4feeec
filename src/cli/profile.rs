//! `cutlet profile`: counts what a kernel does, instruction by instruction.

use super::output::{self, Verdict};
use super::progress::Heartbeat;
use super::{Failure, device, gemm};
use clap::Args;
use cutlet::attention::{
    self, AttentionConfiguration, AttentionMask, AttentionProblem, AttentionType,
    DecodeConfiguration,
};
use cutlet::gemm::{CONFIGURATIONS, Configuration, GemmProblem, InputType, Library, OutputType};
use cutlet::kernels::Modules;
use cutlet::launch_file::LaunchFile;
use cutlet::profile::{self, LaunchProfile, Ptxas, SortKey, Subject};
use cutlet::run::{
    self, AttentionRun, DecodeRun, GemmRun, Latent, RunOptions, RunOutcome, ScoreRun,
    TransposeProblem, VecaddProblem, Width,
};
use emulator::profile::{CHIPS, Chip};
use emulator::{Acceptance, Config, Launch, Program, Report, Schedule};
use host::Device;
use std::path::{Path, PathBuf};

/// Counts what a kernel does: executions, lanes, bank conflicts, sectors, operations, by
/// instruction and line
///
/// The kernel is one of this program, gemm, attention, transpose, vecadd, or any that a launch file
/// (.toml) describes. Counts are the emulator's, wavefronts, conflicts, requests and sectors as an
/// H200 counts them; there are no times.
#[derive(Args)]
pub struct ProfileArguments {
    /// gemm (or one of its kernels by name, such as gemm_f16_f16_tn_128x128x32_s3), attention (or
    /// one of its kernels by name), transpose (or transpose_b16), vecadd, or a launch file
    #[arg(default_value = "gemm")]
    kernel: String,
    /// An extent, as --size m=256: m, n, k of gemm; queries, keys of attention; rows, cols of
    /// transpose; n of vecadd; the sizes of a launch file
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = size)]
    sizes: Vec<(String, i128)>,
    /// Of a launch file with several launches the one that is shown, from 1 [default: the last]
    #[arg(long, value_name = "NUMBER")]
    launch: Option<usize>,
    /// The chip that occupancy and roofline are about: sm_80, sm_86, sm_89, sm_90, sm_100
    #[arg(long, default_value = "sm_90", value_parser = chip)]
    chip: &'static Chip,
    /// The ptxas that says how many registers the kernel takes [default: the one in PATH; where
    /// there is none, the PTX says how many it needs]
    #[arg(long, value_name = "FILE")]
    ptxas: Option<PathBuf>,
    /// Writes one HTML page: source and PTX beside their counters, a heat map of banks, a roofline
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Rows of each table
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    top: usize,
    /// What the tables are ordered by: executed, wavefronts, conflicts, sectors, flops, line
    #[arg(long, default_value = "executed", value_name = "COUNTER")]
    by: SortKey,
    /// Where to run: emulator
    #[arg(long, default_value = "emulator", value_name = "DEVICE")]
    device: device::DeviceChoice,
    /// When bulk copies and wgmma happen: early, late or seeded:NUMBER
    #[arg(long, default_value_t)]
    schedule: Schedule,
    /// Blackwell's products and copies of a thread (tcgen05.mma, tcgen05.cp) are in order only as
    /// PTX states it, not all in the order of their issue
    #[arg(long)]
    strict_tensor_order: bool,
    /// Warp instructions that a block may execute
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 32, value_parser = clap::value_parser!(u64).range(1..))]
    budget: u64,
    /// Warp instructions that all blocks of the launch may execute together
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 40, value_parser = clap::value_parser!(u64).range(1..))]
    launch_budget: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn size(text: &str) -> Result<(String, i128), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("it is a name, an equals sign and a number")?;
    let value = value
        .parse()
        .map_err(|_| format!("`{value}` is no number"))?;
    Ok((name.to_owned(), value))
}

fn chip(text: &str) -> Result<&'static Chip, String> {
    Chip::of(text).ok_or_else(|| {
        let known: Vec<&str> = CHIPS.iter().map(|chip| chip.target).collect();
        format!("it is one of {}", known.join(", "))
    })
}

/// The counters of a launch, with its kernel.
struct Counted {
    ptx: String,
    kernel: String,
    problem: String,
    launch: Launch,
    report: Report,
    accept: Vec<Acceptance>,
    verdict: Verdict,
}

/// Runs the command.
pub fn run(arguments: &ProfileArguments) -> Result<Verdict, Failure> {
    if arguments.device != device::DeviceChoice::Emulator {
        return Err(Failure::Usage(
            "only the emulator counts by instruction: on a GPU that is Nsight Compute's work, as in `ncu cutlet gemm \
             --device gpu`"
                .into(),
        ));
    }
    let config = Config {
        profile: true,
        schedule: arguments.schedule,
        strict_tensor_order: arguments.strict_tensor_order,
        max_instructions_per_block: arguments.budget,
        max_instructions_per_launch: arguments.launch_budget,
        // The counters are useful even if the kernel has faults; the findings are reported with
        // them.
        continue_past_findings: true,
        ..Config::default()
    };
    let heartbeat = Heartbeat::start("profile");
    heartbeat.title(&arguments.kernel);
    let counted = if Path::new(&arguments.kernel)
        .extension()
        .is_some_and(|end| end == "toml")
    {
        of_file(arguments, &config, &heartbeat)?
    } else {
        of_ours(arguments, config)?
    };
    drop(heartbeat);
    let program = Program::parse(&counted.ptx).map_err(|error| Failure::Run(error.to_string()))?;
    let signature = program.kernel(&counted.kernel);
    let registers = program.registers(&counted.kernel);
    let registers = registers.ok_or_else(|| unknown(&counted.kernel))?;
    // A module for only one chip cannot be compiled for another.
    let target = match program.target() {
        own if own.suffix.is_some() => own.to_string(),
        _ => arguments.chip.target.to_owned(),
    };
    let compiled = Ptxas(arguments.ptxas.clone()).compile(&counted.ptx, &counted.kernel, &target);
    let profile = LaunchProfile::new(Subject {
        ptx: &counted.ptx,
        kernel: &counted.kernel,
        problem: counted.problem,
        launch: counted.launch,
        static_shared: signature.map_or(0, |signature| signature.static_shared),
        report: &counted.report,
        accept: &counted.accept,
        chip: arguments.chip,
        compiled,
        registers,
    });
    let mut text = if arguments.json {
        let text = serde_json::to_string_pretty(&profile).map_err(|error| {
            Failure::Run(format!("the profile cannot be written as JSON: {error}"))
        })?;
        text + "\n"
    } else {
        profile::table(&profile, arguments.by, arguments.top)
    };
    if let Some(file) = &arguments.html {
        files::write(file, profile::page(&profile))
            .map_err(|error| Failure::Run(format!("{}: {error}", file.display())))?;
        if !arguments.json {
            text += &format!("\n{}: written\n", file.display());
        }
    }
    output::write(&text)?;
    Ok(counted.verdict)
}

/// Runs the launch that a file describes, at the sizes of the command line, or else at the file's
/// first sizes.
fn of_file(
    arguments: &ProfileArguments,
    config: &Config,
    heartbeat: &Heartbeat,
) -> Result<Counted, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Run(error.to_string());
    let file = LaunchFile::read(Path::new(&arguments.kernel)).map_err(|error| failed(&error))?;
    let sizes = file
        .sizes_with(&arguments.sizes)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let case = file.case(&sizes).map_err(|error| failed(&error))?;
    let program = file.program().map_err(|error| failed(&error))?;
    let launches = case.launches.len();
    let number = arguments.launch.unwrap_or(launches);
    if !(1..=launches).contains(&number) {
        return Err(Failure::Usage(format!(
            "{} has the launches 1 to {launches}, no launch {number}",
            arguments.kernel
        )));
    }
    let launched = &case.launches[number - 1];
    let watch = |done, blocks| heartbeat.blocks(&case.name(), done, blocks);
    let mut ran = file
        .run_watched(&program, &case, config, Some(&watch))
        .map_err(|error| failed(&error))?;
    let ptx = files::read_to_string(&file.ptx).map_err(|error| failed(&error))?;
    let named: Vec<String> = sizes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    Ok(Counted {
        ptx,
        kernel: launched.entry.clone(),
        problem: format!("{}: {}", arguments.kernel, named.join(", ")),
        launch: launched.launch,
        report: ran.reports.swap_remove(number - 1),
        accept: file.accept,
        verdict: Verdict::Right,
    })
}

/// Runs a kernel of this program, and validates its result.
fn of_ours(arguments: &ProfileArguments, config: Config) -> Result<Counted, Failure> {
    let configuration_of = |name: &str| {
        (attention::CONFIGURATIONS.iter())
            .chain(attention::MMA_CONFIGURATIONS)
            .find(|of| of.kernel == name)
    };
    let modules = Modules::load(&Device::emulator_with(config))?;
    let name = arguments.kernel.as_str();
    let configuration = configuration_of(name);
    let product = CONFIGURATIONS.iter().find(|of| of.name == name);
    let decoding = of_decoding(name);
    let (launched, problem, right) = match name {
        _ if name == "attention" || configuration.is_some() => {
            of_attention(arguments, &modules, configuration)?
        }
        _ if name == "gemm" || product.is_some() => of_gemm(arguments, &modules, product)?,
        "transpose_b16" => of_transpose(arguments, &modules, Width::B16)?,
        "transpose" | "transpose_b32" => of_transpose(arguments, &modules, Width::B32)?,
        "vecadd" => of_vecadd(arguments, &modules)?,
        _ => match decoding {
            Some(of) => of_decode(arguments, &modules, of)?,
            None => return Err(unknown(name)),
        },
    };
    let report = launched
        .emulated
        .ok_or_else(|| Failure::Run("the device has counted nothing".into()))?;
    let said = if right { "right" } else { "WRONG" };
    // The counters refer to lines of the module with which the kernel was loaded.
    let text = modules.text(&launched.kernel)?;
    Ok(Counted {
        ptx: text.ok_or_else(|| unknown(&launched.kernel))?,
        kernel: launched.kernel,
        problem: format!("{problem}; the result is {said}"),
        launch: Launch {
            grid: launched.launch.grid.0,
            block: launched.launch.block.0,
            dynamic_shared: launched.launch.dynamic_shared,
        },
        report,
        accept: Vec::new(),
        verdict: Verdict::of(right),
    })
}

/// Returns the extents with these names. An extent that the command line does not set is 512.
fn extents(arguments: &ProfileArguments, names: &[&str]) -> Result<Vec<u32>, Failure> {
    let known = |name: &String| names.contains(&name.as_str());
    if let Some((name, _)) = arguments.sizes.iter().find(|(name, _)| !known(name)) {
        return Err(Failure::Usage(format!(
            "{} has no size `{name}`; it has {}",
            arguments.kernel,
            names.join(", ")
        )));
    }
    let value = |name: &&str| {
        let given = arguments.sizes.iter().rfind(|(given, _)| given == name);
        let value = given.map_or(512, |(_, value)| *value);
        u32::try_from(value).map_err(|_| Failure::Usage(format!("{name} = {value} is no extent")))
    };
    names.iter().map(value).collect()
}

/// A launch, its problem as text, and whether its result is right.
type Validated = (RunOutcome, String, bool);

/// Runs attention by a kernel of the table, or by the kernel that is chosen for the problem.
fn of_attention(
    arguments: &ProfileArguments,
    modules: &Modules,
    configuration: Option<&'static AttentionConfiguration>,
) -> Result<Validated, Failure> {
    let extents = extents(arguments, &["queries", "keys"])?;
    let (element, dim) =
        configuration.map_or((AttentionType::Bf16, 128), |of| (of.element, of.dim));
    let (queries, keys) = (extents[0], extents[1]);
    let scale = attention::default_scale(dim);
    let problem = AttentionProblem::new(element, (1, 1, queries, dim), AttentionMask::Full, scale)
        .with_keys(keys, 1);
    let run = AttentionRun {
        problem,
        score: ScoreRun::default(),
        configuration,
        seed: 0,
        rows: 64,
    };
    let outcome = run::attention(modules, &run, &RunOptions::default())?;
    let right = outcome.right();
    let what = format!("O = softmax(scale Q·Kᵀ)·V, one head of {queries}×{dim}, {keys} keys");
    Ok((outcome.launched, what, right))
}

/// Runs a product by a kernel of the table, or by the kernel that is chosen for the problem.
fn of_gemm(
    arguments: &ProfileArguments,
    modules: &Modules,
    of: Option<&'static Configuration>,
) -> Result<Validated, Failure> {
    let options = RunOptions::default();
    let extents = extents(arguments, &["m", "n", "k"])?;
    let (m, n, k) = (extents[0], extents[1], extents[2]);
    let run = match of {
        None => GemmRun::new(GemmProblem::new(m, n, k, InputType::F16, OutputType::Same)),
        Some(of) => {
            let output = match of.input {
                InputType::S8 => OutputType::S32,
                input => input.default_output(),
            };
            let problem = GemmProblem::new(m, n, k, of.input, output)
                .with_majors(of.majors)
                .with_accumulator(of.accumulator)
                .with_scaling(of.scaling());
            let problem = if of.is_grouped() {
                problem.with_groups(1)
            } else {
                problem
            };
            GemmRun::new(problem).with_kernel(of.name)
        }
    };
    let outcome = if run.problem.groups > 0 {
        run::grouped_gemm(&Library::new(modules)?, &run, &[m], &options)?
    } else {
        run::gemm(modules, &run, &options)?
    };
    let right = outcome.right();
    Ok((outcome.launched, format!("D = A·B, {m}×{n}×{k}"), right))
}

/// Runs a transpose of elements of this width.
fn of_transpose(
    arguments: &ProfileArguments,
    modules: &Modules,
    width: Width,
) -> Result<Validated, Failure> {
    let extents = extents(arguments, &["rows", "cols"])?;
    let problem = TransposeProblem {
        rows: extents[0],
        cols: extents[1],
        width,
        seed: 0,
    };
    problem.launch()?;
    let outcome = run::transpose(modules.base(), &problem, &RunOptions::default())?;
    let (rows, cols) = (problem.rows, problem.cols);
    let right = outcome.right();
    let what = format!("dst = srcᵀ, {rows}×{cols}");
    Ok((outcome.launched, what, right))
}

/// Runs a sum of vectors.
fn of_vecadd(arguments: &ProfileArguments, modules: &Modules) -> Result<Validated, Failure> {
    let n = extents(arguments, &["n"])?[0];
    let problem = VecaddProblem { n, seed: 0 };
    problem.launch()?;
    let outcome = run::vecadd(modules.base(), &problem, &RunOptions::default())?;
    let right = outcome.right();
    Ok((outcome.launched, format!("c = a + b, {n} elements"), right))
}

/// Runs decoding of one sequence by a kernel of the tables.
fn of_decode(
    arguments: &ProfileArguments,
    modules: &Modules,
    of: &DecodeConfiguration,
) -> Result<Validated, Failure> {
    let keys = extents(arguments, &["keys"])?[0];
    let run = decode_run(of, keys);
    let outcome = run::decode(modules, &run, &RunOptions::default())?.attention;
    let right = outcome.right();
    let what = format!(
        "O = softmax(scale Q·Kᵀ)·V, {DECODED_HEADS} heads of {}, {keys} keys in pages of {DECODED_PAGE}, one CTA",
        run.dim
    );
    Ok((outcome.launched, what, right))
}

/// The number of heads in the profile of a decoding kernel, and the number of keys of a page.
const DECODED_HEADS: u32 = 16;
const DECODED_PAGE: u32 = 64;

/// Returns the row of a decoding kernel for a cache of Q's type, without a soft cap.
fn of_decoding(name: &str) -> Option<&'static DecodeConfiguration> {
    (attention::DECODE_CONFIGURATIONS.iter())
        .chain(attention::LATENT_DECODE_CONFIGURATIONS)
        .find(|of| of.attention.kernel == name)
}

/// Returns the run that decodes one sequence by the kernels of a row, in one CTA.
fn decode_run(of: &DecodeConfiguration, keys: u32) -> DecodeRun {
    let AttentionConfiguration { dim, dim_v, .. } = of.attention;
    DecodeRun {
        element: of.attention.element,
        cache: of.cache,
        scales_of_heads: true,
        lengths: vec![keys],
        heads: [DECODED_HEADS, 1],
        dim,
        latent: (dim_v != dim).then_some(Latent { dim_v, queries: 1 }),
        page_size: DECODED_PAGE,
        scale: None,
        ctas: Some(1),
        soft_cap: None,
        seed: 0,
        rows: 16,
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Usage(format!(
        "there is no kernel `{name}`: it is gemm, attention, transpose, transpose_b16, vecadd, a launch file whose name ends in .toml, or \
         one of {}",
        gemm::names().join(", ")
    ))
}
