//! Converts a finding of the emulator to a dictionary with the fields of `cutlet.Finding`.

use emulator::{CodePlace, Fault, Frame, Noted, demangle};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the name of a fault's variant in snake case: `global_race` for `GlobalRace { .. }`.
fn kind(fault: &Fault) -> String {
    let text = format!("{:?}", fault.what);
    let name = text
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Returns the file, the line and the column of the first frame in the author's own code, or of the
/// first frame if no frame is in the author's code. Returns `None` if there are no frames.
fn source(frames: &[Frame]) -> Option<(String, u32, u32)> {
    let at = emulator::own_frame(frames)?;
    let frame = &frames[at];
    Some((frame.file.clone(), frame.line, frame.column))
}

fn place<'py>(py: Python<'py>, place: &CodePlace) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("function", demangle(&place.function).to_string())?;
    dict.set_item("instruction", &place.instruction)?;
    dict.set_item("line", place.line)?;
    dict.set_item(
        "source",
        source(&place.frames).or_else(|| plain(place.source_line.as_ref())),
    )?;
    Ok(dict)
}

fn plain(line: Option<&(String, u32)>) -> Option<(String, u32, u32)> {
    line.map(|(file, line)| (file.clone(), *line, 0))
}

/// Converts a fault to a dictionary of its fields. `problem` distinguishes the launch from others
/// of a launch file, and is empty if nothing does.
pub fn fault<'py>(py: Python<'py>, fault: &Fault, problem: &str) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kind", kind(fault))?;
    dict.set_item("what", fault.what.to_string())?;
    let text = match problem {
        "" => fault.to_string(),
        problem => format!("{problem}: {fault}"),
    };
    dict.set_item("text", text)?;
    dict.set_item("problem", problem)?;
    dict.set_item("kernel", demangle(&fault.kernel).to_string())?;
    dict.set_item("function", demangle(&fault.function).to_string())?;
    dict.set_item("instruction", &fault.instruction)?;
    dict.set_item("line", fault.line)?;
    let own = source(&fault.frames).or_else(|| plain(fault.source_line.as_ref()));
    dict.set_item("source", own)?;
    dict.set_item("block", fault.block)?;
    dict.set_item("thread", fault.thread)?;
    dict.set_item("warp", fault.warp)?;
    dict.set_item("address", fault.address)?;
    let buffer = fault.buffer.as_ref();
    dict.set_item("buffer", buffer.and_then(|buffer| buffer.name.clone()))?;
    let offset = buffer
        .zip(fault.address)
        .map(|(buffer, address)| i128::from(address) - i128::from(buffer.base));
    dict.set_item(
        "offset",
        offset.and_then(|offset| i64::try_from(offset).ok()),
    )?;
    dict.set_item("element", fault.element())?;
    let other = fault
        .earlier
        .as_ref()
        .map(|earlier| place(py, earlier))
        .transpose()?;
    dict.set_item("other", other)?;
    dict.set_item("count", 1)?;
    Ok(dict)
}

/// Converts a finding after which the launch continued.
pub fn noted<'py>(py: Python<'py>, noted: &Noted, problem: &str) -> PyResult<Bound<'py, PyDict>> {
    let dict = fault(py, &noted.fault, problem)?;
    dict.set_item("count", noted.count)?;
    Ok(dict)
}
