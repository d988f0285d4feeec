//! Runs a launch file's kernel on the emulator.
//!
//! ```text
//!   case ──► buffers filled ──► launch ──► Report ──► outputs: bytes, hash, compared
//! ```
//!
//! Law: each case runs on a new device, so the result depends only on the files, the case and the
//! configuration.

use super::data::{array, contents, each_chunk, is_npy, opened};
use super::error::LaunchFileErrorKind as Kind;
use super::{Case, Fill, LaunchFile, LaunchFileError, Output, ScalarType, npy, read};
use emulator::{
    Config, Emulator, LaunchAttributes, LaunchError, LoadError, MemoryError, NotEmulated, Program,
    PtxError, Report, counted,
};
use std::path::PathBuf;
use thiserror::Error;

/// The reason why a case has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The launch file is not valid.
    #[error(transparent)]
    File(#[from] LaunchFileError),
    /// A file that the launch file names cannot be used.
    #[error("{}: {problem}", file.display())]
    Data {
        /// The file.
        file: PathBuf,
        /// The problem of the file.
        problem: String,
    },
    /// The PTX is not valid.
    #[error("{}:{error}", file.display())]
    Ptx {
        /// The PTX file.
        file: PathBuf,
        /// The error in the file.
        error: Box<PtxError>,
    },
    /// The kernel reaches an instruction that the emulator does not know.
    #[error("{}: {refusal}", file.display())]
    NotEmulated {
        /// The PTX file.
        file: PathBuf,
        /// The kernel and the instruction.
        refusal: Box<NotEmulated>,
    },
    /// The device cannot load the module.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The buffers cannot be allocated or accessed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A tensor map is not valid.
    #[error(transparent)]
    TensorMap(#[from] emulator::TensorMapError),
    /// The launch was refused, or a fault ended it.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// A case that ran to its end.
#[derive(Debug)]
pub struct Ran {
    /// The emulator's counts for each launch.
    pub reports: Vec<Report>,
    /// The buffers that have an `output`, in order, and then the variables.
    pub outputs: Vec<OutputBytes>,
}

/// A buffer after the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputBytes {
    /// The buffer's or variable's name.
    pub name: String,
    /// The type of its elements.
    pub element: ScalarType,
    /// The buffer's bytes.
    pub bytes: Vec<u8>,
    /// The use of the bytes that the file states.
    pub output: Output,
}

/// The difference between an output and the expected output.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// The hash differs.
    Hash {
        /// The output's hash.
        found: u64,
        /// The hash in the launch file.
        expected: u64,
    },
    /// The number of bytes differs.
    Length {
        /// The output's number of bytes.
        found: usize,
        /// The file's number of bytes.
        expected: usize,
    },
    /// Elements differ by more than the tolerance.
    Elements {
        /// The number of such elements.
        count: usize,
        /// The index of the first one.
        first: usize,
        /// The value of the first one.
        found: f64,
        /// The expected value of the first one.
        expected: f64,
    },
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hash { found, expected } => {
                write!(f, "hash {found:016x}, expected {expected:016x}")
            }
            Self::Length { found, expected } => {
                write!(f, "{}, expected {expected}", counted(found, "byte"))
            }
            Self::Elements {
                count,
                first,
                found,
                expected,
            } => write!(
                f,
                "{} differ{}, the first is [{first}]: {found}, expected {expected}",
                counted(count, "element"),
                if *count == 1 { "s" } else { "" },
            ),
        }
    }
}

impl LaunchFile {
    /// Reads the PTX file.
    ///
    /// # Errors
    /// Returns [`RunError::Data`] if the file cannot be read, [`RunError::Ptx`] if it is not PTX,
    /// and [`RunError::NotEmulated`] if one of its kernels reaches an instruction that the emulator
    /// does not know.
    pub fn program(&self) -> Result<Program, RunError> {
        let text = contents(&self.ptx, read::MOST_PTX)?;
        let text = String::from_utf8(text).map_err(|error| RunError::Data {
            file: self.ptx.clone(),
            problem: error.to_string(),
        })?;
        let program = Program::parse(&text).map_err(|error| RunError::Ptx {
            file: self.ptx.clone(),
            error: Box::new(error),
        })?;
        let mut refusals = self
            .launches
            .iter()
            .filter_map(|launch| program.not_emulated(&launch.entry));
        match refusals.next() {
            Some(refusal) => Err(RunError::NotEmulated {
                file: self.ptx.clone(),
                refusal: Box::new(refusal.clone()),
            }),
            None => Ok(program),
        }
    }

    /// Returns `config` with the compute capability that the file names, if it names one, and with
    /// the strict order of tensor operations if the file asks for it.
    #[must_use]
    pub fn config(&self, config: Config) -> Config {
        Config {
            compute_capability: self.target.unwrap_or(config.compute_capability),
            strict_tensor_order: self.strict_tensor_order || config.strict_tensor_order,
            ..config
        }
    }

    /// Returns the contents of each buffer before the kernel runs, or `None` for a buffer that is
    /// not filled.
    ///
    /// # Errors
    /// Returns [`RunError::Data`] for a file that cannot be read, has another type or is too short.
    pub fn fill(&self, case: &Case) -> Result<Vec<Option<Vec<u8>>>, RunError> {
        let filled = self.buffers.iter().zip(&case.lengths);
        let filled = filled.map(|(buffer, &length)| {
            if !matches!(buffer.fill, Fill::File(_)) {
                return Ok(buffer.fill.bytes(buffer.element, length));
            }
            let mut bytes = Vec::new();
            each_chunk(
                &buffer.fill,
                buffer.element,
                length,
                &buffer.name,
                &mut |chunk| {
                    bytes.extend_from_slice(chunk);
                    Ok(())
                },
            )?;
            Ok(Some(bytes))
        });
        filled.collect()
    }

    /// Runs a case on a new emulated device.
    ///
    /// # Errors
    /// Returns a [`RunError`]; a finding of the emulator is [`RunError::Launch`] with
    /// [`LaunchError::Fault`].
    pub fn run(&self, program: &Program, case: &Case, config: &Config) -> Result<Ran, RunError> {
        self.run_watched(program, case, config, None)
    }

    /// Runs a case as [`run`](Self::run) does. Calls `progress` as each launch starts and after
    /// each of its blocks, from any CPU thread, with the number of completed blocks and the number
    /// of all blocks of the launch.
    ///
    /// # Errors
    /// Returns the errors of [`run`](Self::run).
    pub fn run_watched(
        &self,
        program: &Program,
        case: &Case,
        config: &Config,
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Ran, RunError> {
        self.run_steps(program, case, config, progress)
            .map_err(|(_, error)| error)
    }

    /// Runs a case as [`run_watched`](Self::run_watched) does. An error comes with the number of
    /// the launch to which it belongs.
    pub(crate) fn run_steps(
        &self,
        program: &Program,
        case: &Case,
        config: &Config,
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Ran, (usize, RunError)> {
        let mut config = self.config(config.clone());
        config.accept.extend(self.accept.iter().cloned());
        let device = Emulator::new(config);
        let (addresses, ranges) = self.prepare(&device, program, case).map_err(|e| (0, e))?;
        let mut reports = Vec::new();
        for (number, one) in case.launches.iter().enumerate() {
            let arguments: Vec<Vec<u8>> = one
                .values
                .iter()
                .map(|value| value.with_addresses(&addresses))
                .collect::<Result<_, _>>()
                .map_err(|error| (number, error.into()))?;
            let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
            if let Some(progress) = progress {
                progress(0, one.launch.grid.iter().map(|&n| u64::from(n)).product());
            }
            let behind = case.launches.get(number + 1);
            let attributes = LaunchAttributes {
                cluster: one.cluster,
                programmatic: one.programmatic,
                cooperative: one.cooperative,
                has_dependents: behind.is_some_and(|next| next.programmatic),
            };
            let report = device
                .launch_with(
                    program,
                    &one.entry,
                    &one.launch,
                    &attributes,
                    &arguments,
                    progress,
                )
                .map_err(|error| (number, error.into()))?;
            reports.push(report);
        }
        let last = case.launches.len().saturating_sub(1);
        let outputs = self.outputs(&device, case, &addresses, &ranges);
        let outputs = outputs.map_err(|error| (last, error))?;
        Ok(Ran { reports, outputs })
    }

    /// Loads the module, allocates the buffers, and fills the buffers and the variables. Returns
    /// the buffers' addresses, and the address and bytes of each variable's range.
    fn prepare(
        &self,
        device: &Emulator,
        program: &Program,
        case: &Case,
    ) -> Result<Prepared, RunError> {
        device.load(program)?;
        let ranges = self.variable_ranges(device, program, case)?;
        // All buffers are allocated before any of their contents are made, so that buffers that do
        // not fit are refused first.
        let mut addresses = Vec::new();
        for (buffer, &length) in self.buffers.iter().zip(&case.lengths) {
            addresses.push(device.alloc(length * buffer.element.size())?);
        }
        // Writes piece by piece, so that the contents of a buffer take no second copy in memory.
        let write = |mut at: u64, fill: &Fill, element: ScalarType, length, name: &str| {
            each_chunk(fill, element, length, name, &mut |chunk| {
                device.write(at, chunk)?;
                at += chunk.len() as u64;
                Ok(())
            })
        };
        let buffers = self.buffers.iter().zip(&case.lengths).zip(&addresses);
        for ((buffer, &length), &address) in buffers {
            write(address, &buffer.fill, buffer.element, length, &buffer.name)?;
        }
        for (variable, &(address, bytes)) in self.variables.iter().zip(&ranges) {
            let Some(contents) = &variable.fill else {
                continue;
            };
            let length = bytes / variable.element.size();
            write(address, contents, variable.element, length, &variable.name)?;
        }
        Ok((addresses, ranges))
    }

    /// Returns the address and the number of bytes of each variable's range.
    fn variable_ranges(
        &self,
        device: &Emulator,
        program: &Program,
        case: &Case,
    ) -> Result<Vec<(u64, usize)>, RunError> {
        let mut found = Vec::new();
        for (variable, &(offset, length)) in self.variables.iter().zip(&case.ranges) {
            let error = |kind| LaunchFileError::at(&self.file, &self.text, variable.at, kind);
            let name = variable.name.clone();
            let Some((address, size)) = device.variable(program, &name) else {
                let available = match &program.variables()[..] {
                    [] => "none".to_owned(),
                    names => names.join(", "),
                };
                return Err(error(Kind::NoVariable { name, available }).into());
            };
            let element = variable.element.size();
            let rest = size.saturating_sub(offset) / element * element;
            let bytes = length.map_or(rest, |length| length * element);
            if offset > size || bytes > size - offset {
                let (size, offset, bytes) = (
                    counted(size, "byte"),
                    counted(offset, "byte"),
                    counted(bytes, "byte"),
                );
                return Err(error(Kind::VariableBounds {
                    name,
                    size,
                    offset,
                    bytes,
                })
                .into());
            }
            found.push((address + offset as u64, bytes));
        }
        Ok(found)
    }

    /// Reads back the buffers and variables that have an output.
    fn outputs(
        &self,
        device: &Emulator,
        case: &Case,
        addresses: &[u64],
        ranges: &[(u64, usize)],
    ) -> Result<Vec<OutputBytes>, RunError> {
        let buffers = self.buffers.iter().zip(&case.lengths).zip(addresses);
        let buffers = buffers.map(|((buffer, &length), &address)| {
            let bytes = length * buffer.element.size();
            let range = (address, bytes);
            (&buffer.name, buffer.element, &buffer.output, range)
        });
        let variables = self.variables.iter().zip(ranges);
        let variables = variables
            .map(|(variable, &range)| (&variable.name, variable.element, &variable.output, range));
        let mut outputs = Vec::new();
        for (name, element, output, (address, length)) in buffers.chain(variables) {
            let Some(output) = output else { continue };
            let mut bytes = Vec::new();
            let reserved = bytes.try_reserve_exact(length);
            reserved.map_err(|_| MemoryError::Host { requested: length })?;
            bytes.resize(length, 0);
            if length > 0 {
                device.read(address, &mut bytes)?;
            }
            outputs.push(OutputBytes {
                name: name.clone(),
                element,
                bytes,
                output: output.clone(),
            });
        }
        Ok(outputs)
    }
}

/// The addresses of the buffers, and of each variable's range the address and the number of bytes.
type Prepared = (Vec<u64>, Vec<(u64, usize)>);

impl OutputBytes {
    /// Returns the FNV-1a hash of the bytes, with 64 bits (Fowler, Noll, Vo).
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }

    /// Returns the first `count` values, in brackets.
    #[must_use]
    pub fn values(&self, count: usize) -> String {
        let size = self.element.size();
        let values = self.bytes.chunks_exact(size).take(count);
        let mut shown: Vec<String> = values
            .map(|bytes| self.element.value(bytes).to_string())
            .collect();
        if self.bytes.len() / size > count {
            shown.push("..".into());
        }
        format!("[{}]", shown.join(", "))
    }

    /// Returns the line that the file requests of the output, or `None` if it requests none.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let name = &self.name;
        match &self.output {
            Output::Print(count) => Some(format!("{name} = {}", self.values(*count))),
            Output::Hash(_) => Some(format!("{name}: hash {:016x}", self.hash())),
            Output::Save(file) => Some(format!("{name}: in {}", file.display())),
            Output::Compare { .. } => None,
        }
    }

    /// Saves or compares the output as the file states. Returns the difference from the expected
    /// output, or `None` if there is none.
    ///
    /// # Errors
    /// Returns [`RunError::Data`] if a file cannot be read or written.
    pub fn settle(&self) -> Result<Option<Mismatch>, RunError> {
        match &self.output {
            Output::Print(_) | Output::Hash(None) => Ok(None),
            Output::Hash(Some(expected)) => {
                let (found, expected) = (self.hash(), *expected);
                Ok((found != expected).then_some(Mismatch::Hash { found, expected }))
            }
            Output::Save(file) => {
                let npy = is_npy(file).then(|| npy::file(self.element, &self.bytes));
                let bytes = npy.as_ref().unwrap_or(&self.bytes);
                files::write(file, bytes).map_err(|error| RunError::Data {
                    file: file.clone(),
                    problem: format!("cannot be written: {error}"),
                })?;
                Ok(None)
            }
            Output::Compare {
                file,
                absolute,
                relative,
            } => {
                let size = self.bytes.len() as u64;
                if is_npy(file) {
                    let expected = array(file, self.element, self.bytes.len())?;
                    return Ok(self.compare(&expected, *absolute, *relative));
                }
                let (_, length) = opened(file)?;
                if length > size {
                    return Ok(Some(Mismatch::Length {
                        found: self.bytes.len(),
                        expected: length as usize,
                    }));
                }
                Ok(self.compare(&contents(file, size)?, *absolute, *relative))
            }
        }
    }

    /// Returns the difference from these bytes beyond `absolute + relative · |expected|`, or `None`
    /// if there is none. Equal bytes count as equal, also if they are NaN.
    #[must_use]
    pub fn compare(&self, expected: &[u8], absolute: f64, relative: f64) -> Option<Mismatch> {
        if self.bytes.len() != expected.len() {
            return Some(Mismatch::Length {
                found: self.bytes.len(),
                expected: expected.len(),
            });
        }
        let size = self.element.size();
        let pairs = self
            .bytes
            .chunks_exact(size)
            .zip(expected.chunks_exact(size));
        let wrong: Vec<(usize, f64, f64)> = pairs
            .enumerate()
            .filter(|(_, (found, expected))| found != expected)
            .map(|(i, (found, expected))| {
                (i, self.element.value(found), self.element.value(expected))
            })
            .filter(|&(_, found, expected)| {
                let both_nan = found.is_nan() && expected.is_nan();
                let near = (found - expected).abs() <= absolute + relative * expected.abs();
                // Without a tolerance, only equal bits count as equal.
                let tolerant = absolute > 0.0 || relative > 0.0;
                !(tolerant && (both_nan || near))
            })
            .collect();
        wrong
            .first()
            .map(|&(first, found, expected)| Mismatch::Elements {
                count: wrong.len(),
                first,
                found,
                expected,
            })
    }
}
