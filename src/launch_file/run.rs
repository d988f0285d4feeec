//! A launch file's kernel on the emulator.
//!
//! ```text
//!   case ──► buffers filled ──► launch ──► Report ──► outputs: bytes, hash, compared
//! ```
//!
//! Law: a case runs on a device of its own, so that a run is a function of the files, the case and the configuration.

use super::read;
use super::{Argument, Case, CaseValue, ElementType, Fill, LaunchFile, LaunchFileError, Output};
use emulator::{
    Config, Emulator, LaunchError, LoadError, MemoryError, NotEmulated, Program, PtxError, Report,
    counted,
};
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a case has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The launch file.
    #[error(transparent)]
    File(#[from] LaunchFileError),
    /// A file that it names.
    #[error("{}: {problem}", file.display())]
    Data {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The PTX.
    #[error("{}:{error}", file.display())]
    Ptx {
        /// The PTX file.
        file: PathBuf,
        /// What is wrong in it.
        error: Box<PtxError>,
    },
    /// The kernel reaches what the emulator does not know.
    #[error("{}: {refusal}", file.display())]
    NotEmulated {
        /// The PTX file.
        file: PathBuf,
        /// The kernel and the instruction.
        refusal: Box<NotEmulated>,
    },
    /// The device does not take the module.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The buffers.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The launch was refused, or a fault ended it.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// A case that ran to its end.
#[derive(Debug)]
pub struct Ran {
    /// What the emulator counted.
    pub report: Report,
    /// The buffers that have an `output`, in order.
    pub outputs: Vec<OutputBytes>,
}

/// A buffer after the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputBytes {
    /// The parameter's name.
    pub name: String,
    /// The type of its elements.
    pub element: ElementType,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the file says becomes of it.
    pub output: Output,
}

/// How an output differs from what was expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// Another hash.
    Hash {
        /// The output's.
        found: u64,
        /// The one in the launch file.
        expected: u64,
    },
    /// Another number of bytes.
    Length {
        /// The output's.
        found: usize,
        /// The file's.
        expected: usize,
    },
    /// Elements beyond the tolerance.
    Elements {
        /// How many.
        count: usize,
        /// The first.
        first: usize,
        /// Its value.
        found: f64,
        /// What it should be.
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
    /// [`RunError::Data`] where it cannot be read, [`RunError::Ptx`] where it is not PTX, [`RunError::NotEmulated`] where
    /// the file's kernel reaches an instruction that the emulator does not know.
    pub fn program(&self) -> Result<Program, RunError> {
        let text = whole(&self.ptx, read::MOST_PTX)?;
        let text = String::from_utf8(text).map_err(|error| RunError::Data {
            file: self.ptx.clone(),
            problem: error.to_string(),
        })?;
        let program = Program::parse(&text).map_err(|error| RunError::Ptx {
            file: self.ptx.clone(),
            error: Box::new(error),
        })?;
        match program.not_emulated(&self.entry) {
            Some(refusal) => Err(RunError::NotEmulated {
                file: self.ptx.clone(),
                refusal: Box::new(refusal.clone()),
            }),
            None => Ok(program),
        }
    }

    /// `config` with the compute capability that the file asks for.
    #[must_use]
    pub fn config(&self, config: Config) -> Config {
        match self.target {
            Some(compute_capability) => Config {
                compute_capability,
                ..config
            },
            None => config,
        }
    }

    /// What the buffers hold before the kernel, parameter by parameter; none for scalars and for buffers that nothing
    /// writes.
    ///
    /// # Errors
    /// [`RunError::Data`] for a file that cannot be read or is too short.
    pub fn fill(&self, case: &Case) -> Result<Vec<Option<Vec<u8>>>, RunError> {
        let parameters = self.parameters.iter().zip(&case.values);
        let filled = parameters.map(|(parameter, value)| match (&parameter.argument, value) {
            (Argument::Buffer { element, fill, .. }, &CaseValue::Length(length)) => {
                let Fill::File(file) = fill else {
                    return Ok(fill.bytes(*element, length));
                };
                let mut bytes = Vec::new();
                let size = length * element.size();
                from_file(file, size, &parameter.name, &mut |chunk| {
                    bytes.extend_from_slice(chunk);
                    Ok(())
                })?;
                Ok(Some(bytes))
            }
            _ => Ok(None),
        });
        filled.collect()
    }

    /// Runs a case on an emulated device of its own.
    ///
    /// # Errors
    /// [`RunError`]; a finding of the emulator is [`RunError::Launch`] with [`LaunchError::Fault`].
    pub fn run(&self, program: &Program, case: &Case, config: &Config) -> Result<Ran, RunError> {
        self.run_watched(program, case, config, None)
    }

    /// As [`run`](Self::run); `progress` is told after each block, from any CPU thread, how many are done and how many
    /// there are.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(
        &self,
        program: &Program,
        case: &Case,
        config: &Config,
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Ran, RunError> {
        let device = Emulator::new(self.config(config.clone()));
        device.load(program)?;
        // All of it is allocated before anything is made to fill it, so that what does not fit is refused first.
        let mut addresses = Vec::new();
        for (parameter, value) in self.parameters.iter().zip(&case.values) {
            addresses.push(match (&parameter.argument, value) {
                (Argument::Buffer { element, .. }, &CaseValue::Length(length)) => {
                    Some(device.alloc((length * element.size()).max(1))?)
                }
                _ => None,
            });
        }
        // Piece by piece: what a buffer is filled with takes no memory beside it.
        let filled = self.parameters.iter().zip(&case.values).zip(&addresses);
        for ((parameter, value), address) in filled {
            let (Argument::Buffer { element, fill, .. }, &CaseValue::Length(length), &Some(mut at)) =
                (&parameter.argument, value, address)
            else {
                continue;
            };
            let mut write = |chunk: &[u8]| {
                device.write(at, chunk)?;
                at += chunk.len() as u64;
                Ok(())
            };
            match fill {
                Fill::File(file) => {
                    from_file(file, length * element.size(), &parameter.name, &mut write)?;
                }
                fill => fill.each_chunk(*element, length, &mut write)?,
            }
        }
        let arguments: Vec<Vec<u8>> = addresses
            .iter()
            .zip(&case.values)
            .map(|(address, value)| match (address, value) {
                (Some(address), _) => address.to_le_bytes().to_vec(),
                (None, CaseValue::Bytes(bytes)) => bytes.clone(),
                (None, CaseValue::Length(_)) => Vec::new(),
            })
            .collect();
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let report = device.launch(program, &self.entry, &case.launch, &arguments, progress)?;
        let mut outputs = Vec::new();
        for ((parameter, value), address) in self.parameters.iter().zip(&case.values).zip(addresses)
        {
            let (
                Argument::Buffer {
                    element,
                    output: Some(output),
                    ..
                },
                &CaseValue::Length(length),
                Some(address),
            ) = (&parameter.argument, value, address)
            else {
                continue;
            };
            let (mut bytes, requested) = (Vec::new(), length * element.size());
            let reserved = bytes.try_reserve_exact(requested);
            reserved.map_err(|_| MemoryError::Host { requested })?;
            bytes.resize(requested, 0);
            device.read(address, &mut bytes)?;
            outputs.push(OutputBytes {
                name: parameter.name.clone(),
                element: *element,
                bytes,
                output: output.clone(),
            });
        }
        Ok(Ran { report, outputs })
    }
}

impl OutputBytes {
    /// FNV-1a of the bytes, 64 bits (Fowler, Noll, Vo).
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }

    /// The first `count` values, in brackets.
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

    /// What the file wants printed of it: a line, or nothing.
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

    /// Does what the file says: saves or compares. How it differs from what was expected, if it does.
    ///
    /// # Errors
    /// [`RunError::Data`] for a file that cannot be read or written.
    pub fn settle(&self) -> Result<Option<Mismatch>, RunError> {
        match &self.output {
            Output::Print(_) | Output::Hash(None) => Ok(None),
            Output::Hash(Some(expected)) => {
                let (found, expected) = (self.hash(), *expected);
                Ok((found != expected).then_some(Mismatch::Hash { found, expected }))
            }
            Output::Save(file) => {
                std::fs::write(file, &self.bytes).map_err(|error| RunError::Data {
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
                let (_, length) = opened(file)?;
                if length > size {
                    return Ok(Some(Mismatch::Length {
                        found: self.bytes.len(),
                        expected: length as usize,
                    }));
                }
                Ok(self.compare(&whole(file, size)?, *absolute, *relative))
            }
        }
    }

    /// How it differs from these bytes, beyond `absolute + relative · |expected|`. Equal bytes are equal, NaNs too.
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
                // Without a tolerance only equal bits are equal.
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

/// A problem with a file that a launch file names.
fn wrong(file: &Path, problem: String) -> RunError {
    RunError::Data {
        file: file.to_owned(),
        problem,
    }
}

fn whole(file: &Path, limit: u64) -> Result<Vec<u8>, RunError> {
    read::whole(file, limit).map_err(|problem| wrong(file, problem))
}

fn opened(file: &Path) -> Result<(std::fs::File, u64), RunError> {
    read::open(file).map_err(|problem| wrong(file, problem))
}

/// Hands the first `size` bytes of a file to `sink`, piece by piece; `name` is whose they are.
fn from_file(
    file: &Path,
    size: usize,
    name: &str,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let (open, length) = opened(file)?;
    let short = |length| {
        let problem = format!("{}, `{name}` has {size}", counted(length as usize, "byte"));
        wrong(file, problem)
    };
    if length < size as u64 {
        return Err(short(length));
    }
    let mut open = open.take(size as u64);
    let (mut chunk, mut done) = (vec![0; size.min(1 << 20)], 0);
    while done < size {
        let read = open.read(&mut chunk);
        match read.map_err(|error| wrong(file, format!("cannot be read: {error}")))? {
            // It was cut while it was read.
            0 => return Err(short(done as u64)),
            count => sink(&chunk[..count])?,
        }
        done = size - open.limit() as usize;
    }
    Ok(())
}
