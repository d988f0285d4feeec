//! Checks a launch file's kernels on the emulator with every check on, and reports the findings.
//!
//! ```text
//!   launch file, any PTX ──► launches, one per size and schedule ──► emulator ──► Checked { launches, each with a finding or none }
//! ```
//!
//! Law: [`Checked::clean`] is true if every launch ran to its end, no check found anything, and
//! every output that the launch file compares was as expected. A launch ends with its first
//! finding; if several blocks have findings, with that of the lowest block.

use crate::{Case, LaunchFile, Mismatch, RunError};
use emulator::{Acceptance, Config, Fault, Launch, LaunchError, Program, Report, Schedule};

/// Returns a configuration with every check of the emulator, including those that are off by
/// default, except that local memory is allowed.
///
/// ```
/// let config = launch_file::check::every_check();
/// assert!(config.check_races && config.check_global_races && config.check_initialised);
/// assert!(config.check_local_initialised);
/// ```
#[must_use]
pub fn every_check() -> Config {
    Config {
        check_races: true,
        check_global_races: true,
        check_initialised: true,
        check_local_initialised: true,
        count_memory: false,
        ..Config::default()
    }
}

/// The schedules under which a check runs kernels with bulk copies or `wgmma`: a right kernel
/// passes all of them.
///
/// ```
/// let names: Vec<String> = launch_file::check::SCHEDULES.iter().map(ToString::to_string).collect();
/// assert_eq!(names, ["early", "late", "seeded:1"]);
/// ```
pub const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(1)];

/// Returns the `schedules` under which these kernels can behave differently: only the first if none
/// of the kernels has a bulk copy or `wgmma`.
///
/// ```
/// use launch_file::check::{SCHEDULES, distinct};
///
/// let text = ".version 7.0 .target sm_80 .address_size 64 .visible .entry nothing() { ret; }";
/// let program = emulator::Program::parse(text)?;
/// assert_eq!(distinct(&SCHEDULES, &program, ["nothing"]), &SCHEDULES[..1]);
/// # Ok::<(), emulator::PtxError>(())
/// ```
#[must_use]
pub fn distinct<'s>(
    schedules: &'s [Schedule],
    program: &Program,
    kernels: impl IntoIterator<Item = impl AsRef<str>>,
) -> &'s [Schedule] {
    let mut kernels = kernels.into_iter();
    match kernels.any(|kernel| program.is_asynchronous(kernel.as_ref())) {
        true => schedules,
        false => &schedules[..schedules.len().min(1)],
    }
}

/// A launch and its finding.
#[derive(Debug)]
pub struct LaunchOutcome {
    /// The sizes, such as `n = 31`, or another text that distinguishes the launch. It is empty if
    /// nothing does.
    pub problem: String,
    /// The schedule, if the kernel was run under more than one.
    pub schedule: Option<Schedule>,
    /// Grid, block and dynamic shared memory.
    pub launch: Launch,
    /// The number of warp instructions executed, or 0 if a finding ended the launch.
    pub instructions: u64,
    /// The outputs that the launch file prints, as lines.
    pub outputs: Vec<String>,
    /// The finding, if there is one.
    pub finding: Option<Finding>,
    /// The number of findings that each rule of the configuration, and then of the launch file,
    /// accepted. The list is empty if a finding ended the launch.
    pub accepted: Vec<u64>,
}

/// The finding of a check.
#[derive(Debug)]
#[non_exhaustive]
pub enum Finding {
    /// An instruction's fault, with its place.
    Fault(Box<Fault>),
    /// The launch does not fit the kernel or the device (parameters, extents, shared memory), or
    /// all its blocks together exceeded a limit.
    Refused(LaunchError),
    /// The launch ran to its end, but an output is not what the launch file expects: the output's
    /// name, and how it differs.
    Wrong(String, Mismatch),
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::Refused(
                error @ (LaunchError::Budget { .. }
                | LaunchError::Output { .. }
                | LaunchError::Host { .. }),
            ) => write!(f, "launch ended: {error}"),
            Self::Refused(error) => write!(f, "launch refused: {error}"),
            Self::Wrong(output, mismatch) => write!(f, "wrong result in `{output}`: {mismatch}"),
        }
    }
}

impl LaunchOutcome {
    /// Returns the sizes and the schedule, such as `n = 31, schedule late`, or an empty text if
    /// nothing distinguishes the launch.
    #[must_use]
    pub fn name(&self) -> String {
        match self.schedule {
            None => self.problem.clone(),
            Some(schedule) if self.problem.is_empty() => format!("schedule {schedule}"),
            Some(schedule) => format!("{}, schedule {schedule}", self.problem),
        }
    }
}

/// A kernel with the results of its checks over its sizes.
#[derive(Debug)]
pub struct Checked {
    /// The kernel.
    pub kernel: String,
    /// The launches of the kernel, in order.
    pub launches: Vec<LaunchOutcome>,
    /// The rules by which findings are accepted: those of the configuration, then those of the
    /// launch file.
    pub accept: Vec<Acceptance>,
}

impl Checked {
    /// Whether there are no findings.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.findings().next().is_none()
    }

    /// Returns the number of findings that each rule accepted, counted over the launches that ran
    /// to their end.
    pub fn accepted(&self) -> impl Iterator<Item = (&Acceptance, u64)> {
        let counts = |rule: usize| {
            let of = |launched: &LaunchOutcome| launched.accepted.get(rule).copied().unwrap_or(0);
            self.launches.iter().map(of).sum::<u64>()
        };
        self.accept
            .iter()
            .enumerate()
            .map(move |(rule, acceptance)| (acceptance, counts(rule)))
    }

    /// Returns the findings, each with its launch.
    pub fn findings(&self) -> impl Iterator<Item = (&LaunchOutcome, &Finding)> {
        let found = |launched: &'_ LaunchOutcome| launched.finding.is_some();
        self.launches
            .iter()
            .filter(move |launched| found(launched))
            .filter_map(|launched| Some((launched, launched.finding.as_ref()?)))
    }
}

/// Converts a launch's result to its report or its finding.
///
/// # Errors
/// Returns the finding: the fault that ended the launch, or the reason why the emulator refused it.
pub fn settled(result: Result<Report, LaunchError>) -> Result<Report, Finding> {
    result.map_err(|error| match error {
        LaunchError::Fault(fault) => Finding::Fault(fault),
        error => Finding::Refused(error),
    })
}

/// Checks a launch file's kernel at each of its sizes, or at `cases` if they are given, under the
/// configuration's schedule.
///
/// ```
/// use launch_file::check::{every_check, launch_file};
/// use launch_file::LaunchFile;
///
/// let folder = std::env::temp_dir().join(format!("cutlet-doc-check-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("last.ptx"), "
///     .version 7.0 .target sm_80 .address_size 64
///     .visible .entry last(.param .u64 x, .param .u32 n) {
///       .reg .b64 %a<4>; .reg .b32 %r<4>;
///       ld.param.u64 %a0, [x]; ld.param.u32 %r0, [n];
///       mul.wide.u32 %a1, %r0, 4; add.u64 %a2, %a0, %a1;
///       ld.global.u32 %r1, [%a2];                         // x[n], which is one too far
///       ret; }")?;
/// std::fs::write(folder.join("last.toml"), r#"
///     ptx = "last.ptx"
///     entry = "last"
///     grid = 1
///     block = 1
///     sizes = { n = [1, 7] }
///     parameters = [{ type = "u32", length = "n", fill = "iota" }, { type = "u32", value = "n" }]
/// "#)?;
/// let file = LaunchFile::read(&folder.join("last.toml"))?;
/// let checked = launch_file(&file, None, &every_check())?;
/// assert_eq!(checked.findings().count(), 2);
/// let finding = checked.launches[1].finding.as_ref().unwrap().to_string();
/// assert!(finding.contains("PTX line 7: ld.global.u32 %r1, [%a2];"), "{finding}");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns a [`RunError`] if nothing can be checked: files that cannot be read, text that is not
/// PTX, buffers beyond the memory.
pub fn launch_file(
    file: &LaunchFile,
    cases: Option<&[Case]>,
    config: &Config,
) -> Result<Checked, RunError> {
    launch_file_watched(file, cases, config, &[config.schedule], &|_, _, _| ())
}

/// Checks as [`launch_file()`] does, under each of `schedules` if a kernel has bulk copies or
/// `wgmma`, whose timing the schedule decides, else only under the first. `watch` is called for
/// each launch as it starts and after each of its blocks, from any CPU thread, with the launch's
/// sizes, the number of completed blocks and the number of all blocks.
///
/// # Errors
/// Returns the errors of [`launch_file()`].
pub fn launch_file_watched(
    file: &LaunchFile,
    cases: Option<&[Case]>,
    config: &Config,
    schedules: &[Schedule],
    watch: &(dyn Fn(&str, u64, u64) + Sync),
) -> Result<Checked, RunError> {
    let program = file.program()?;
    let own;
    let cases = match cases {
        Some(cases) => cases,
        None => {
            own = file.cases()?;
            &own
        }
    };
    let entries = file.launches.iter().map(|launch| &launch.entry);
    let schedules = distinct(schedules, &program, entries);
    let each = |case| schedules.iter().map(move |&schedule| (case, schedule));
    let mut launches = Vec::new();
    for (case, schedule) in cases.iter().flat_map(each) {
        let config = Config {
            schedule,
            ..config.clone()
        };
        let mut launched = LaunchOutcome {
            problem: case.name(),
            schedule: (schedules.len() > 1).then_some(schedule),
            launch: case.launches[0].launch,
            instructions: 0,
            outputs: Vec::new(),
            finding: None,
            accepted: Vec::new(),
        };
        let name = launched.name();
        let progress = |done, blocks| watch(&name, done, blocks);
        match file.run_steps(&program, case, &config, Some(&progress)) {
            Ok(ran) => {
                for report in &ran.reports {
                    launched.instructions += report.instructions;
                    launched.accepted.resize(report.accepted.len(), 0);
                    for (sum, count) in launched.accepted.iter_mut().zip(&report.accepted) {
                        *sum += count;
                    }
                }
                for output in &ran.outputs {
                    launched.outputs.extend(output.line());
                    if let Some(mismatch) = output.settle()? {
                        launched
                            .finding
                            .get_or_insert(Finding::Wrong(output.name.clone(), mismatch));
                    }
                }
            }
            Err((number, RunError::Launch(error))) => {
                launched.launch = case.launches[number].launch;
                launched.finding = settled(Err(error)).err();
            }
            Err((_, error)) => return Err(error),
        }
        launches.push(launched);
    }
    Ok(Checked {
        kernel: file.kernels(),
        launches,
        accept: [&config.accept[..], &file.accept].concat(),
    })
}
