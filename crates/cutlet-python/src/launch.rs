//! Parses PTX modules, and launches their kernels on the emulator.

use crate::{fault, raise};
use emulator::{
    Config, Emulator, Launch, LaunchAttributes, LaunchError, LineReport, MemoryCounts, Program,
    Report, Schedule, TensorShape,
};
use host::TensorMapSpec;
use launch_file::{
    CaseTensorMap, CaseValue, LaunchFileErrorKind, TENSOR_MAP_BYTES, tensor_element,
    tensor_fill_nan, tensor_swizzle,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// A parsed PTX module.
#[pyclass(frozen, module = "cutlet._native")]
pub struct Module(Arc<Program>);

/// A kernel's name, and for each parameter the name, the number of bytes and the type.
type Signature = (String, Vec<(String, usize, String)>);

/// A report or a fault, and the bytes of each buffer after the launch.
type Results<'py> = (
    Option<Bound<'py, PyDict>>,
    Option<Bound<'py, PyDict>>,
    Vec<Bound<'py, PyBytes>>,
);

/// The argument for a kernel's parameter.
#[derive(FromPyObject)]
enum Argument {
    /// The bytes of a scalar or a struct.
    Scalar(PyBackedBytes),
    /// The address of the buffer with this index.
    Buffer(usize),
    /// A tensor map of a buffer.
    TensorMap(MapArgument),
}

/// The values of a tensor map, as in a launch file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct MapArgument {
    /// The argument and its parameter, for messages.
    place: String,
    /// The index of the buffer.
    buffer: usize,
    offset: u64,
    element: String,
    extents: Vec<u64>,
    strides: Vec<u64>,
    #[pyo3(item("box"))]
    box_extents: Vec<u32>,
    element_strides: Option<Vec<u32>>,
    /// The bytes of a row, or `None` for no swizzle.
    swizzle: Option<i128>,
    oob_fill: String,
}

impl MapArgument {
    /// Returns the map for a buffer of `bytes` bytes, or why the chip `target` has no such map.
    fn value(&self, bytes: usize, target: (u32, u32)) -> Result<CaseValue, String> {
        let at = |problem: &dyn std::fmt::Display| format!("{}: {problem}", self.place);
        let wrong = |key: &str, expected: String, found: String| {
            at(&LaunchFileErrorKind::Value {
                key: format!("`{key}`"),
                expected,
                found,
            })
        };
        let quoted = |text: &str| format!("\"{text}\"");
        let swizzle = tensor_swizzle(self.swizzle).map_err(|allowed| {
            let found = self
                .swizzle
                .map_or("\"none\"".to_owned(), |n| n.to_string());
            wrong("swizzle", allowed.to_owned(), found)
        })?;
        let spec = TensorMapSpec {
            element: tensor_element(&self.element)
                .map_err(|allowed| wrong("element", allowed, quoted(&self.element)))?,
            extents: self.extents.clone(),
            strides: self.strides.clone(),
            box_extents: self.box_extents.clone(),
            element_strides: match &self.element_strides {
                Some(strides) => strides.clone(),
                None => vec![1; self.extents.len()],
            },
            swizzle,
            fill_nan: tensor_fill_nan(&self.oob_fill)
                .map_err(|allowed| wrong("oob_fill", allowed.into(), quoted(&self.oob_fill)))?,
        };
        let map = CaseTensorMap {
            at: 0,
            buffer: self.buffer,
            offset: self.offset,
            spec,
        };
        map.check(bytes, Some(target)).map_err(|error| at(&error))?;
        Ok(CaseValue {
            bytes: vec![0; TENSOR_MAP_BYTES],
            pointers: Vec::new(),
            maps: vec![map],
        })
    }
}

/// A buffer of global memory.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Buffer {
    bytes: PyBackedBytes,
    extents: Vec<u64>,
    strides: Vec<u64>,
    element_bytes: usize,
    initialised: bool,
}

/// The settings of a launch.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
    cluster: Option<[u32; 3]>,
    target: (u32, u32),
    schedule: String,
    profile: bool,
    go_on: bool,
    budget: u64,
}

/// The result of a launch, and the bytes of its buffers.
struct Ended {
    result: Result<Report, LaunchError>,
    buffers: Vec<Vec<u8>>,
}

#[pymethods]
impl Module {
    #[new]
    fn new(py: Python<'_>, ptx: &str) -> PyResult<Self> {
        let program = py.detach(|| Program::parse(ptx)).map_err(|error| {
            raise(
                py,
                "PtxError",
                (error.to_string(), error.line, error.column),
            )
        })?;
        Ok(Self(Arc::new(program)))
    }

    /// Returns the target of the module, such as `sm_90a`.
    #[getter]
    fn target(&self) -> String {
        self.0.target().to_string()
    }

    /// Returns for each kernel its name, and for each parameter the name, the number of bytes and
    /// the type.
    fn kernels(&self) -> Vec<Signature> {
        self.0
            .kernels()
            .map(|kernel| {
                let params = kernel.params.iter();
                let params = params.map(|param| (param.name.clone(), param.size, param.ty.clone()));
                (kernel.name.clone(), params.collect())
            })
            .collect()
    }

    /// Returns the largest number of threads of the kernel's block, or `None` if the PTX does not
    /// state it.
    fn max_threads(&self, kernel: &str) -> Option<u32> {
        self.0.kernel(kernel)?.max_threads
    }

    /// Runs a kernel. Returns its report or its fault as a dictionary, and the bytes of each buffer
    /// after the launch.
    fn launch<'py>(
        &self,
        py: Python<'py>,
        settings: Settings,
        arguments: Vec<Argument>,
        buffers: Vec<Buffer>,
    ) -> PyResult<Results<'py>> {
        let schedule: Schedule = (settings.schedule.parse())
            .map_err(|error: emulator::UnknownSchedule| launch_error(py, &error))?;
        let config = Config {
            compute_capability: settings.target,
            schedule,
            profile: settings.profile,
            continue_past_findings: settings.go_on,
            max_instructions_per_launch: settings.budget,
            max_instructions_per_block: settings.budget,
            ..Config::default()
        };
        let ended = py
            .detach(|| run(&self.0, &settings, config, &arguments, &buffers))
            .map_err(|message| raise(py, "LaunchError", (message,)))?;
        let bytes = ended
            .buffers
            .iter()
            .map(|bytes| PyBytes::new(py, bytes))
            .collect();
        match ended.result {
            Ok(found) => Ok((Some(report(py, &found, "")?), None, bytes)),
            Err(LaunchError::Fault(found)) => {
                Ok((None, Some(fault::fault(py, &found, "")?), bytes))
            }
            Err(error) => Err(launch_error(py, &error)),
        }
    }
}

fn launch_error(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    raise(py, "LaunchError", (error.to_string(),))
}

/// Runs the launch on a new emulator.
fn run(
    program: &Program,
    settings: &Settings,
    config: Config,
    arguments: &[Argument],
    buffers: &[Buffer],
) -> Result<Ended, String> {
    let device = Emulator::new(config);
    device.load(program).map_err(|error| error.to_string())?;
    let mut addresses = Vec::new();
    for buffer in buffers {
        // An array without elements also needs an address, so at least one byte is allocated.
        let address = device
            .alloc(buffer.bytes.len().max(1))
            .map_err(|error| error.to_string())?;
        device.describe(
            address,
            TensorShape {
                extents: buffer.extents.clone(),
                strides: buffer.strides.clone(),
                element_bytes: buffer.element_bytes,
            },
        );
        if buffer.initialised && !buffer.bytes.is_empty() {
            device
                .write(address, &buffer.bytes)
                .map_err(|error| error.to_string())?;
        }
        addresses.push(address);
    }
    let mut params: Vec<Vec<u8>> = Vec::new();
    for argument in arguments {
        params.push(match argument {
            Argument::Scalar(bytes) => bytes.to_vec(),
            Argument::Buffer(number) => {
                let address = addresses.get(*number).ok_or("there is no such buffer")?;
                address.to_le_bytes().to_vec()
            }
            Argument::TensorMap(map) => {
                let buffer = buffers.get(map.buffer).ok_or("there is no such buffer")?;
                let value = map.value(buffer.bytes.len(), settings.target)?;
                value
                    .with_addresses(&addresses)
                    .map_err(|error| format!("{}: {error}", map.place))?
            }
        });
    }
    let params: Vec<&[u8]> = params.iter().map(Vec::as_slice).collect();
    let launch = Launch {
        grid: settings.grid,
        block: settings.block,
        dynamic_shared: settings.shared,
    };
    let attributes = LaunchAttributes {
        cluster: settings.cluster,
        ..LaunchAttributes::default()
    };
    let result = device.launch_with(
        program,
        &settings.kernel,
        &launch,
        &attributes,
        &params,
        None,
    );
    let mut after = Vec::new();
    for (buffer, address) in buffers.iter().zip(&addresses) {
        let mut bytes = buffer.bytes.to_vec();
        if !bytes.is_empty() {
            device
                .read(*address, &mut bytes)
                .map_err(|error| error.to_string())?;
        }
        after.push(bytes);
    }
    Ok(Ended {
        result,
        buffers: after,
    })
}

fn memory(dict: &Bound<'_, PyDict>, counts: &MemoryCounts) -> PyResult<()> {
    dict.set_item("shared_requests", counts.shared_requests)?;
    dict.set_item("shared_wavefronts", counts.shared_wavefronts)?;
    dict.set_item("bank_conflicts", counts.bank_conflicts)?;
    dict.set_item("shared_bytes", counts.shared_bytes)?;
    dict.set_item("global_requests", counts.global_requests)?;
    dict.set_item("global_sectors", counts.global_sectors)?;
    dict.set_item("global_bytes", counts.global_bytes)?;
    dict.set_item("local_requests", counts.local_requests)
}

/// Converts the counters of an instruction to a dictionary.
fn line<'py>(py: Python<'py>, line: &LineReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("line", line.line)?;
    dict.set_item("instruction", &line.instruction)?;
    dict.set_item("function", &line.function)?;
    dict.set_item("source", line.source_line.clone())?;
    dict.set_item("executed", line.executed)?;
    let lanes = line.profile.as_ref().map(|profile| profile.executing_lanes);
    dict.set_item("lanes", lanes)?;
    let diverged = line.profile.as_ref().map(|profile| profile.diverged);
    dict.set_item("diverged", diverged)?;
    dict.set_item("flops", line.flops().total())?;
    memory(&dict, &line.memory)?;
    Ok(dict)
}

/// Converts the counters of a launch to a dictionary. `problem` distinguishes the launch from
/// others of a launch file, and is empty if nothing does.
pub fn report<'py>(
    py: Python<'py>,
    report: &Report,
    problem: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("instructions", report.instructions)?;
    dict.set_item("blocks", report.blocks)?;
    dict.set_item("warps", report.blocks * u64::from(report.warps_per_block))?;
    dict.set_item("flops", report.flops().total())?;
    memory(&dict, &report.memory)?;
    dict.set_item("opcodes", &report.opcodes)?;
    dict.set_item("output", &report.output)?;
    let found: PyResult<Vec<_>> = report
        .findings
        .iter()
        .map(|noted| fault::noted(py, noted, problem))
        .collect();
    dict.set_item("findings", found?)?;
    let lines: PyResult<Vec<_>> = report.lines.iter().map(|at| line(py, at)).collect();
    dict.set_item("lines", lines?)?;
    Ok(dict)
}
