//! The output of a command: lines for people, one JSON object for programs, from the same data.

use super::Failure;
use cutlet::run::{ExactOutcome, RunOutcome};
use emulator::counted;
use host::Device;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// The verdict of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The result is right.
    Right,
    /// The result is wrong.
    Wrong,
    /// The result is right, but a competitor's result is wrong or missing.
    #[serde(rename = "not compared")]
    NotCompared,
}

impl Verdict {
    pub fn of(right: bool) -> Self {
        if right { Self::Right } else { Self::Wrong }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "WRONG",
            Self::NotCompared => "not compared",
        }
    }
}

/// A report of a command.
pub trait Report: Serialize {
    /// Returns the lines for people: pairs of a name and a text.
    fn lines(&self) -> Vec<(&'static str, String)>;
    /// Returns the verdict of the command.
    fn verdict(&self) -> Verdict;
}

/// Prints a report, as JSON if `json` is set.
pub fn print(report: &impl Report, json: bool) -> Result<Verdict, Failure> {
    let text = if json {
        let mut text = serde_json::to_string_pretty(report).map_err(|error| {
            Failure::Run(format!("the report cannot be written as JSON: {error}"))
        })?;
        text.push('\n');
        text
    } else {
        let lines = report.lines();
        let width = lines
            .iter()
            .map(|(label, _)| label.len())
            .max()
            .unwrap_or(0);
        lines
            .iter()
            .map(|(label, text)| format!("{label:width$}  {text}\n"))
            .collect()
    };
    write(&text)?;
    Ok(report.verdict())
}

/// Writes to stdout. It is not an error if the reader has gone away.
pub fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Run(format!(
            "the output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Serialises the value, or an object with the single field `error`. It is for `serialize_with`.
pub fn found_or_error<T: Serialize, S: serde::Serializer>(
    result: &Result<T, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Missing<'a> {
        error: &'a str,
    }
    match result {
        Ok(found) => found.serialize(serializer),
        Err(error) => Missing { error }.serialize(serializer),
    }
}

/// The device, as it appears in every report.
#[derive(Serialize)]
pub struct DeviceReport {
    kind: &'static str,
    name: String,
    compute_capability: String,
    driver: Option<String>,
    /// Why there is no GPU, if a GPU would have been used.
    why_not_gpu: Option<String>,
}

impl DeviceReport {
    pub fn new(device: &Device) -> Self {
        let (major, minor) = device.compute_capability();
        Self {
            kind: match device.kind() {
                host::Kind::Gpu => "gpu",
                host::Kind::Emulator => "emulator",
            },
            name: device.name().into(),
            compute_capability: format!("{major}.{minor}"),
            driver: device.driver().map(str::to_string),
            why_not_gpu: device.why_not_gpu().map(ToString::to_string),
        }
    }

    pub fn line(&self) -> String {
        let mut line = match self.kind {
            "gpu" => format!(
                "{} (GPU, compute capability {})",
                self.name, self.compute_capability
            ),
            _ => format!("{} (on this machine's processor)", self.name),
        };
        if let Some(driver) = &self.driver {
            line += &format!(", driver for CUDA {driver}");
        }
        if let Some(why) = &self.why_not_gpu {
            line += &format!("; no GPU: {why}");
        }
        line
    }
}

/// A launch, as it appears in every report.
#[derive(Serialize)]
pub struct LaunchReport {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: usize,
    time_seconds: f64,
    time_runs: usize,
    time_by: String,
    #[serde(skip)]
    text: [String; 3],
    emulated: Option<Emulated>,
}

/// The emulator's counts.
#[derive(Serialize)]
struct Emulated {
    warp_instructions: u64,
    blocks: u64,
    bank_conflicts: u64,
    shared_wavefronts: u64,
    global_sectors: u64,
}

impl LaunchReport {
    pub fn new(outcome: &RunOutcome) -> Self {
        Self {
            kernel: outcome.kernel.clone(),
            grid: outcome.launch.grid.0,
            block: outcome.launch.block.0,
            dynamic_shared_bytes: outcome.launch.dynamic_shared,
            time_seconds: outcome.time.median,
            time_runs: outcome.time.runs,
            time_by: outcome.time.clock.to_string(),
            text: [
                outcome.kernel.clone(),
                outcome.launch.to_string(),
                outcome.time.to_string(),
            ],
            emulated: outcome.emulated.as_ref().map(|report| Emulated {
                warp_instructions: report.instructions,
                blocks: report.blocks,
                bank_conflicts: report.memory.bank_conflicts,
                shared_wavefronts: report.memory.shared_wavefronts,
                global_sectors: report.memory.global_sectors,
            }),
        }
    }

    /// Returns the lines for people. `rate` describes the speed.
    pub fn lines(&self, rate: &str) -> Vec<(&'static str, String)> {
        let [kernel, launch, time] = self.text.clone();
        let mut lines = vec![
            ("kernel", kernel),
            ("launch", launch),
            ("time", format!("{time}, {rate}")),
        ];
        if let Some(emulated) = &self.emulated {
            let line = format!(
                "{} in {}, {} in {} of shared memory, {} of global memory",
                counted(emulated.warp_instructions, "warp instruction"),
                counted(emulated.blocks, "block"),
                counted(emulated.bank_conflicts, "bank conflict"),
                counted(emulated.shared_wavefronts, "wavefront"),
                counted(emulated.global_sectors, "sector")
            );
            lines.push(("emulated", line));
        }
        lines
    }
}

/// An exact comparison, as it appears in the reports of `transpose` and `vecadd`.
#[derive(Serialize)]
pub struct ExactReport {
    elements_compared: usize,
    elements_wrong: usize,
    first_wrong: Option<usize>,
    guard_intact: bool,
    bytes_per_second: f64,
}

impl ExactReport {
    pub fn new(outcome: &ExactOutcome) -> Self {
        Self {
            elements_compared: outcome.elements,
            elements_wrong: outcome.wrong,
            first_wrong: outcome.first_wrong,
            guard_intact: outcome.guard_intact,
            bytes_per_second: outcome.bytes as f64 / outcome.launched.time.median,
        }
    }

    pub fn rate(&self) -> String {
        format!("{:.3} GB/s read and written", self.bytes_per_second * 1e-9)
    }

    pub fn line(&self) -> String {
        let mut line = match self.first_wrong {
            None => format!(
                "all {} elements equal the reference bit for bit",
                self.elements_compared
            ),
            Some(first) => format!(
                "{} of {} elements differ from the reference, the first is element {first}",
                self.elements_wrong, self.elements_compared
            ),
        };
        line += guard(self.guard_intact);
        line
    }
}

/// Formats operations per second, in the appropriate unit.
pub fn rate(per_second: f64) -> String {
    if per_second < 1e11 {
        format!("{:.3} GFLOP/s", per_second * 1e-9)
    } else {
        format!("{:.3} TFLOP/s", per_second * 1e-12)
    }
}

/// Returns the text about the memory after an output: empty if it is intact.
pub fn guard(intact: bool) -> &'static str {
    if intact {
        ""
    } else {
        "; memory behind the output was written to"
    }
}
