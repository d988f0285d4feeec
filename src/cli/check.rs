//! `cutlet check`: runs every check of the emulator over a set of sizes.
//!
//! ```text
//!   vecadd          16 launches   215,040 warp instructions   no finding
//!   reduce           3 launches                               1 finding
//!     n = 1000: race on shared memory: read after thread (33,0,0) wrote it
//!       in kernel `reduce`, PTX line 42: ld.shared.u32 %r3, [%r2];
//! ```

use super::Failure;
use super::output::{self, Verdict};
use super::progress::Heartbeat;
use clap::{Args, ValueEnum};
use cutlet::check::{self, Checked, Effort, Finding};
use cutlet::launch_file::{LaunchFile, RunError};
use emulator::{
    Acceptance, CodePlace, Config, Fault, FindingKind, Inlined, Schedule, counted, demangle,
};
use serde::Serialize;
use std::path::Path;

/// Runs kernels on the emulator with every check, at many sizes: exit status 1 where anything is
/// found
///
/// Out of bounds and use after free, misaligned accesses, reads of what nothing wrote, races in
/// shared and in global memory, cp.async read too early, divergent barriers, deadlocks, endless
/// loops. A kernel is one of this program by name, or any in a PTX file with a launch file (TOML)
/// that says how it is launched.
#[derive(Args)]
#[command(after_long_help = FindingKind::in_short())]
pub struct CheckArguments {
    /// Kernels by name, `attention` for all of attention's, or launch files (*.toml); every kernel
    /// of this program where none is given
    #[arg(value_name = "KERNEL | FILE.toml")]
    kernels: Vec<String>,
    /// How many sizes the own kernels are checked at
    #[arg(long, value_enum, default_value_t = Sizes::Usual)]
    sizes: Sizes,
    /// A size of the launch files, in place of theirs: n=1000; may be repeated, each size once
    #[arg(long = "size", value_name = "NAME=VALUE")]
    size: Vec<String>,
    /// Use of local memory is a finding: kernels that are to keep everything in registers
    #[arg(long)]
    no_local_memory: bool,
    /// Reads of local memory that nothing wrote are none: compilers copy values with their padding
    #[arg(long)]
    ignore_uninitialised_local: bool,
    /// Accesses of another variable or buffer than the address was computed from are none
    #[arg(long)]
    ignore_provenance: bool,
    /// Every read of a register that nothing wrote is a finding, not only those whose value reaches
    /// memory, an address or a branch: compilers make them where the value does not matter
    #[arg(long, conflicts_with = "ignore_uninitialised_registers")]
    uninitialised_registers: bool,
    /// What reaches memory, an address or a branch from a register that nothing wrote is none
    #[arg(long)]
    ignore_uninitialised_registers: bool,
    /// Findings that are accepted, so that kernels go on from them: a kind, or some of kind=,
    /// line=, instruction= and kernel= with commas between (race,line=tile.cuh:40); may be repeated
    #[arg(long, value_name = "RULE")]
    accept: Vec<Acceptance>,
    /// When bulk copies and wgmma happen: early, late or seeded:NUMBER; a right program passes
    /// under all [default: early, late and seeded:1, one after the other, where a kernel has any of
    /// them]
    #[arg(long)]
    schedule: Option<Schedule>,
    /// Blackwell's products and copies of a thread (tcgen05.mma, tcgen05.cp) are in order only as
    /// PTX states it, not all in the order of their issue
    #[arg(long)]
    strict_tensor_order: bool,
    /// Warp instructions that a block may execute
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 32, value_parser = clap::value_parser!(u64).range(1..))]
    budget: u64,
    /// Warp instructions that all blocks of a launch may execute together
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 40, value_parser = clap::value_parser!(u64).range(1..))]
    launch_budget: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sizes {
    Few,
    Usual,
    Many,
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> Result<Verdict, Failure> {
    let config = Config {
        allow_local_memory: !arguments.no_local_memory,
        check_local_initialised: !arguments.ignore_uninitialised_local,
        check_provenance: !arguments.ignore_provenance,
        check_registers: arguments.uninitialised_registers,
        check_undefined: !arguments.ignore_uninitialised_registers,
        accept: arguments.accept.clone(),
        strict_tensor_order: arguments.strict_tensor_order,
        max_instructions_per_block: arguments.budget,
        max_instructions_per_launch: arguments.launch_budget,
        ..check::every_check()
    };
    let schedules = match &arguments.schedule {
        Some(one) => std::slice::from_ref(one),
        None => &check::SCHEDULES[..],
    };
    let effort = match arguments.sizes {
        Sizes::Few => Effort::Few,
        Sizes::Usual => Effort::Usual,
        Sizes::Many => Effort::Many,
    };
    let known = check::kernels();
    let names: Vec<String> = if arguments.kernels.is_empty() {
        let usual = check::usual_kernels().into_iter();
        usual.map(str::to_owned).collect()
    } else {
        // A name of several kernels is replaced by their names. A launch file or an unknown name
        // stays.
        let means = |name: &String| match check::named(name) {
            kernels if kernels.is_empty() => vec![name.clone()],
            kernels => kernels.into_iter().map(str::to_owned).collect(),
        };
        arguments.kernels.iter().flat_map(means).collect()
    };
    let is_file = |name: &str| Path::new(name).extension().is_some_and(|end| end == "toml");
    if let Some(name) = names
        .iter()
        .find(|name| !is_file(name) && !known.contains(&name.as_str()))
    {
        return Err(Failure::Usage(format!(
            "no kernel `{name}`, and no launch file (*.toml); the kernels are {}",
            known.join(", ")
        )));
    }
    if !arguments.size.is_empty() && !names.iter().any(|name| is_file(name)) {
        return Err(Failure::Usage("--size is for launch files".into()));
    }
    let mut report = CheckReport::default();
    let heartbeat = Heartbeat::start("check");
    for name in &names {
        heartbeat.title(name);
        let checked = if is_file(name) {
            {
                let watch = |sizes: &str, done, blocks| heartbeat.blocks(sizes, done, blocks);
                of_file(Path::new(name), &arguments.size, &config, schedules, &watch)?
            }
        } else {
            check::own_under(name, effort, &config, schedules)?
        };
        report.add(&checked);
    }
    drop(heartbeat);
    report.verdict = if report.findings == 0 {
        "clean"
    } else {
        "findings"
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| {
            Failure::Run(format!("the report cannot be written as JSON: {error}"))
        })?;
        output::write(&(text + "\n"))?;
    } else {
        output::write(&report.text())?;
    }
    Ok(Verdict::of(report.findings == 0))
}

/// Checks a launch file's kernel at its sizes, or at those of the command line.
fn of_file(
    path: &Path,
    sizes: &[String],
    config: &Config,
    schedules: &[Schedule],
    watch: &(dyn Fn(&str, u64, u64) + Sync),
) -> Result<Checked, Failure> {
    let failed = |error: RunError| Failure::Run(error.to_string());
    let file = LaunchFile::read(path).map_err(|error| failed(error.into()))?;
    if sizes.is_empty() {
        return check::launch_file_watched(&file, None, config, schedules, watch).map_err(failed);
    }
    let mut given = Vec::new();
    for size in sizes {
        let parsed = size.split_once('=');
        let parsed = parsed.and_then(|(name, value)| {
            Some((name.trim().to_owned(), value.trim().parse::<i128>().ok()?))
        });
        given.push(
            parsed.ok_or_else(|| Failure::Usage(format!("--size is NAME=VALUE, not `{size}`")))?,
        );
    }
    let values = file
        .sizes_with(&given)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let case = file.case(&values).map_err(|error| failed(error.into()))?;
    check::launch_file_watched(&file, Some(&[case]), config, schedules, watch).map_err(failed)
}

/// The checks that ran, and their findings.
#[derive(Default, Serialize)]
struct CheckReport {
    kernels: Vec<KernelReport>,
    launches: usize,
    warp_instructions: u64,
    findings: usize,
    verdict: &'static str,
}

#[derive(Serialize)]
struct KernelReport {
    kernel: String,
    launches: Vec<CheckedLaunch>,
    findings: usize,
    accepted: Vec<AcceptedReport>,
}

#[derive(Serialize)]
struct CheckedLaunch {
    problem: String,
    /// The schedule, if the kernel was run under more than one.
    schedule: Option<String>,
    #[serde(skip)]
    name: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: usize,
    warp_instructions: u64,
    outputs: Vec<String>,
    finding: Option<FindingReport>,
}

/// The fields of a finding. A field that the finding does not have is null.
#[derive(Default, Serialize)]
struct FindingReport {
    /// The kind: `Race`, `OutOfBounds`, ..., `Refused`, `Wrong`.
    kind: String,
    what: String,
    /// The whole finding as text.
    message: String,
    /// The rule that accepts the finding, or why no rule can.
    acceptance: Option<String>,
    /// The kernel's name in the PTX, and its name in the source.
    kernel: Option<String>,
    kernel_name: Option<String>,
    function: Option<String>,
    instruction: Option<String>,
    ptx_line: Option<usize>,
    source_file: Option<String>,
    source_line: Option<u32>,
    /// The line in the kernel's own crate, as file:line:column.
    own_line: Option<String>,
    /// The calls that were inlined around the instruction. The innermost comes first.
    inlined: Vec<InlinedReport>,
    /// The other access of a conflict.
    earlier: Option<PlaceReport>,
    block: Option<[u32; 3]>,
    thread: Option<[u32; 3]>,
    warp: Option<u32>,
    lanes: Option<String>,
    address: Option<String>,
    buffer: Option<String>,
}

/// An instruction and its place.
#[derive(Serialize)]
struct PlaceReport {
    function: String,
    instruction: String,
    ptx_line: usize,
    source_file: Option<String>,
    source_line: Option<u32>,
    inlined: Vec<InlinedReport>,
}

impl PlaceReport {
    fn new(place: &CodePlace) -> Self {
        let source = place.source_line.clone();
        let (source_file, source_line) = source.unzip();
        Self {
            function: place.function.clone(),
            instruction: place.instruction.clone(),
            ptx_line: place.line,
            source_file,
            source_line,
            inlined: place.inlined.iter().map(InlinedReport::new).collect(),
        }
    }
}

/// A call that the compiler inlined.
#[derive(Serialize)]
struct InlinedReport {
    function: Option<String>,
    file: String,
    line: u32,
    column: u32,
}

impl InlinedReport {
    fn new(call: &Inlined) -> Self {
        let function = call.function.as_deref();
        Self {
            function: function.map(|name| demangle(name).into_owned()),
            file: call.file.clone(),
            line: call.line,
            column: call.column,
        }
    }
}

/// A rule, and the number of findings that it accepted in launches that ran to their end.
#[derive(Serialize)]
struct AcceptedReport {
    rule: String,
    reason: String,
    findings: u64,
}

impl FindingReport {
    fn new(finding: &Finding) -> Self {
        let message = finding.to_string();
        let plain = |kind: &str| Self {
            kind: kind.into(),
            what: message.clone(),
            message: message.clone(),
            ..Self::default()
        };
        match finding {
            Finding::Fault(fault) => Self::fault(fault, message),
            Finding::Wrong(..) => plain("Wrong"),
            _ => plain("Refused"),
        }
    }

    fn fault(fault: &Fault, message: String) -> Self {
        let kind = format!("{:?}", fault.what);
        let end = kind
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(kind.len());
        Self {
            kind: kind[..end].into(),
            what: fault.what.to_string(),
            message,
            acceptance: Some(fault.acceptance()),
            kernel: Some(fault.kernel.clone()),
            kernel_name: Some(demangle(&fault.kernel).into_owned()),
            function: Some(fault.function.clone()),
            instruction: Some(fault.instruction.clone()),
            ptx_line: Some(fault.line),
            source_file: fault.source_line.as_ref().map(|(file, _)| file.clone()),
            source_line: fault.source_line.as_ref().map(|&(_, line)| line),
            own_line: fault.own_line().map(ToString::to_string),
            inlined: fault.inlined.iter().map(InlinedReport::new).collect(),
            earlier: fault.earlier.as_deref().map(PlaceReport::new),
            block: Some(fault.block),
            thread: fault.thread,
            warp: fault.warp,
            lanes: (fault.lanes != 0).then(|| format!("{:#010x}", fault.lanes)),
            address: fault.address.map(|address| format!("{address:#x}")),
            buffer: fault.buffer.as_ref().map(ToString::to_string),
        }
    }
}

impl CheckReport {
    fn add(&mut self, checked: &Checked) {
        let launches = checked.launches.iter().map(|launched| CheckedLaunch {
            problem: launched.problem.clone(),
            schedule: launched.schedule.map(|schedule| schedule.to_string()),
            name: launched.name(),
            grid: launched.launch.grid,
            block: launched.launch.block,
            dynamic_shared_bytes: launched.launch.dynamic_shared,
            warp_instructions: launched.instructions,
            outputs: launched.outputs.clone(),
            finding: launched.finding.as_ref().map(FindingReport::new),
        });
        let kernel = KernelReport {
            kernel: checked.kernel.clone(),
            launches: launches.collect(),
            findings: checked.findings().count(),
            accepted: checked
                .accepted()
                .map(|(rule, findings)| AcceptedReport {
                    rule: rule.to_string(),
                    reason: rule.reason.clone(),
                    findings,
                })
                .collect(),
        };
        self.launches += kernel.launches.len();
        self.warp_instructions += kernel
            .launches
            .iter()
            .map(|launch| launch.warp_instructions)
            .sum::<u64>();
        self.findings += kernel.findings;
        self.kernels.push(kernel);
    }

    fn text(&self) -> String {
        let count = |n: usize, what: &str, plural: &str| {
            format!("{n} {}", if n == 1 { what } else { plural })
        };
        let width = self
            .kernels
            .iter()
            .map(|kernel| kernel.kernel.len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for kernel in &self.kernels {
            let launches = count(kernel.launches.len(), "launch", "launches");
            let findings = match kernel.findings {
                0 => "no finding".into(),
                n => count(n, "finding", "findings"),
            };
            text += &format!("{:width$}  {launches:>12}  {findings}\n", kernel.kernel);
            for launch in &kernel.launches {
                let name = match launch.name.as_str() {
                    "" => "the launch",
                    name => name,
                };
                for line in &launch.outputs {
                    text += &format!("  {name}: {line}\n");
                }
                if let Some(finding) = &launch.finding {
                    let message = finding.message.replace('\n', "\n    ");
                    let ([x, y, z], [a, b, c]) = (launch.grid, launch.block);
                    text += &format!(
                        "  {name}, grid ({x}, {y}, {z}), block ({a}, {b}, {c}):\n    {message}\n"
                    );
                    if let Some(acceptance) = &finding.acceptance {
                        text += &format!("      {acceptance}\n");
                    }
                }
            }
            for AcceptedReport {
                rule,
                reason,
                findings,
            } in &kernel.accepted
            {
                text += &match (findings, kernel.findings) {
                    (0, 0) => format!("  accepted nothing: {rule} ({reason})\n"),
                    (0, _) => format!(
                        "  accepted nothing in the launches that ran to their end: {rule} ({reason})\n"
                    ),
                    (n, _) => {
                        let findings = counted(n, "finding");
                        format!("  accepted {findings}: {rule} ({reason})\n")
                    }
                };
            }
        }
        let findings = match self.findings {
            0 => "no finding".into(),
            n => count(n, "finding", "findings"),
        };
        let all = self.kernels.iter().flat_map(|kernel| &kernel.accepted);
        let findings = match all.map(|rule| rule.findings).sum::<u64>() {
            0 => findings,
            n => format!("{findings}, {n} accepted"),
        };
        text += &format!(
            "{} on the emulator, {}: {findings}\n",
            count(self.launches, "launch", "launches"),
            counted(self.warp_instructions, "warp instruction"),
        );
        text
    }
}
