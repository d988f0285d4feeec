//! Runs the launches that a launch file describes on the emulator.
//!
//! ```text
//!   file.toml ──► LaunchFile, Program ──► cases × schedules ──► reports, outputs; or the first finding
//! ```

use crate::{fault, launch, raise};
use emulator::{Config, LaunchError, Program, Schedule, UnknownSchedule};
use launch_file::check::{SCHEDULES, distinct, every_check};
use launch_file::{Case, Ran, RunError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// A launch file with its PTX.
#[pyclass(frozen, module = "cutlet._native")]
pub struct LaunchFile {
    file: launch_file::LaunchFile,
    program: Program,
}

/// The settings of a run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    /// The values of sizes in place of the file's, or `None` for all cases of the file.
    sizes: Option<Vec<(String, i128)>>,
    /// The schedule, or `None` for each schedule under which the kernels can behave differently.
    schedule: Option<String>,
    profile: bool,
    go_on: bool,
    budget: u64,
}

#[pymethods]
impl LaunchFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| {
            let file = launch_file::LaunchFile::read(&path)?;
            let program = file.program()?;
            Ok(Self { file, program })
        })
        .map_err(|error| exception(py, "", &error))
    }

    /// Runs the cases, each under each schedule, and returns a dictionary for each run: `problem`,
    /// `kernels`, `reports`, `outputs` and `wrong`, or `problem` and `fault` for the last one.
    fn run<'py>(&self, py: Python<'py>, settings: Settings) -> PyResult<Bound<'py, PyList>> {
        let found = PyList::empty(py);
        let cases = match &settings.sizes {
            None => self.file.cases(),
            Some(given) => {
                let sizes = self.file.sizes_with(given);
                let sizes =
                    sizes.map_err(|error| raise(py, "LaunchError", (error.to_string(),)))?;
                self.file.case(&sizes).map(|case| vec![case])
            }
        };
        let cases = cases.map_err(|error| exception(py, "", &error.into()))?;
        let schedules = match &settings.schedule {
            None => {
                let entries = self.file.launches.iter().map(|launch| &launch.entry);
                distinct(&SCHEDULES, &self.program, entries).to_vec()
            }
            Some(one) => vec![one.parse().map_err(|error: UnknownSchedule| {
                raise(py, "LaunchError", (error.to_string(),))
            })?],
        };
        let each = |case| schedules.iter().map(move |&schedule| (case, schedule));
        for (case, schedule) in cases.iter().flat_map(each) {
            let problem = problem(case, (schedules.len() > 1).then_some(schedule));
            let config = Config {
                schedule,
                profile: settings.profile,
                count_memory: true,
                continue_past_findings: settings.go_on,
                max_instructions_per_launch: settings.budget,
                max_instructions_per_block: settings.budget,
                ..every_check()
            };
            let run = || self.file.run_watched(&self.program, case, &config, None);
            let ran = match py.detach(run) {
                Ok(ran) => ran,
                Err(RunError::Launch(LaunchError::Fault(fault))) => {
                    let dict = PyDict::new(py);
                    dict.set_item("problem", &problem)?;
                    dict.set_item("fault", fault::fault(py, &fault, &problem)?)?;
                    found.append(dict)?;
                    break;
                }
                Err(error) => return Err(exception(py, &problem, &error)),
            };
            found.append(self.ended(py, case, &ran, &problem, settings.profile)?)?;
        }
        Ok(found)
    }
}

impl LaunchFile {
    /// Converts a run without a fault to a dictionary. A profile saves and compares no output.
    fn ended<'py>(
        &self,
        py: Python<'py>,
        case: &Case,
        ran: &Ran,
        problem: &str,
        profile: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let (mut lines, mut wrong) = (Vec::new(), None);
        for output in ran.outputs.iter().filter(|_| !profile) {
            lines.extend(output.line());
            let mismatch = output
                .settle()
                .map_err(|error| exception(py, problem, &error))?;
            if let (Some(mismatch), None) = (mismatch, &wrong) {
                wrong = Some((output.name.clone(), mismatch.to_string()));
            }
        }
        let reports = ran.reports.iter();
        let reports: PyResult<Vec<_>> = reports
            .map(|report| launch::report(py, report, problem))
            .collect();
        let kernels: Vec<&str> = case.launches.iter().map(|of| of.entry.as_str()).collect();
        dict.set_item("problem", problem)?;
        dict.set_item("fault", py.None())?;
        dict.set_item("kernels", kernels)?;
        dict.set_item("reports", reports?)?;
        dict.set_item("outputs", lines)?;
        dict.set_item("wrong", wrong)?;
        Ok(dict)
    }
}

/// Returns the sizes and the schedule, such as `n = 31, schedule late`.
fn problem(case: &Case, schedule: Option<Schedule>) -> String {
    let schedule = schedule.map(|schedule| format!("schedule {schedule}"));
    let parts = [Some(case.name()), schedule];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|p| !p.is_empty())
        .collect();
    parts.join(", ")
}

/// Makes the exception for a file that has no result.
fn exception(py: Python<'_>, problem: &str, error: &RunError) -> PyErr {
    let message = match problem {
        "" => error.to_string(),
        problem => format!("{problem}: {error}"),
    };
    match error {
        RunError::File(at) => {
            let place = (message, at.file.clone(), at.line, at.column);
            raise(py, "LaunchFileError", place)
        }
        RunError::Ptx { error, .. } => raise(py, "PtxError", (message, error.line, error.column)),
        _ => raise(py, "LaunchError", (message,)),
    }
}
