//! All errors between the host and a device, each with the values found and the values allowed.
//!
//! ```text
//!   no device ─ NoGpu, NoSuchGpu, NoContext        memory ─ TooLarge, OutOfMemory, Length, Range, Memory, Scratch
//!   queue ─ OtherQueue
//!   PTX ─ NotATarget, Ptx, Target, Jit, NoSuchKernel
//!   tensor map ─ TensorMap, EmulatedTensorMap
//!   arguments by name ─ ArgumentValues, NoSuchArgument
//!   launch ─ Refused (before the kernel starts), Fault (while it runs), Lost (after a fault)
//!   the driver's own ─ Driver (with the name and meaning of its code)
//! ```

use crate::device::Kind;
use crate::refusal::Refusal;
use crate::target::Target;
use cuda_driver::DriverError;
use std::fmt;
use thiserror::Error;

/// Any failure of this crate. `Debug` writes the same as `Display`, because a test that returns the
/// error prints its `Debug` form.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no GPU to use.
    #[error("no GPU to use: {0}")]
    NoGpu(#[from] NoGpu),

    /// The machine has GPUs, but not the requested one.
    #[error("there is no GPU {index}: this machine has {count}, counted from 0")]
    NoSuchGpu {
        /// The index of the GPU that was requested.
        index: u32,
        /// The number of GPUs.
        count: u32,
    },

    /// No context is current on the thread.
    #[error(
        "no CUDA context is current on this thread: make one current first, or take the GPU by its index"
    )]
    NoContext,

    /// A CUDA driver call failed.
    #[error(transparent)]
    Driver(#[from] DriverError),

    /// The GPU faulted earlier, and every later call fails.
    #[error(
        "{device} cannot be used any more in this process: {first}; a GPU's context does not survive a fault, so start the program again"
    )]
    Lost {
        /// The device's name.
        device: String,
        /// The fault that ended it.
        first: String,
    },

    /// A buffer is larger than an address can count.
    #[error(
        "a buffer of {} of {} each is more than any address reaches",
        emulator::counted(elements, "element"),
        emulator::counted(element_size, "byte")
    )]
    TooLarge {
        /// The number of elements that were requested.
        elements: usize,
        /// The size of an element, in bytes.
        element_size: usize,
    },

    /// The device does not have enough free memory for a buffer.
    #[error("{device} has no room for {}{}", emulator::counted(bytes, "byte"), .free.map(|free| format!(": {free} are free")).unwrap_or_default())]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// The number of bytes that were requested.
        bytes: usize,
        /// The number of free bytes, if the device can report it.
        free: Option<usize>,
    },

    /// The two sides of a copy have different lengths.
    #[error(
        "the host's slice has {host} elements, the device's buffer {device}: they must be equal"
    )]
    Length {
        /// The number of elements on the host.
        host: usize,
        /// The number of elements on the device.
        device: usize,
    },

    /// A view is outside its buffer.
    #[error(
        "the range {start}..{end} is not within a buffer of {}",
        emulator::counted(len, "element")
    )]
    Range {
        /// The start of the range.
        start: usize,
        /// The end of the range, which is not part of it.
        end: usize,
        /// The number of elements of the buffer.
        len: usize,
    },

    /// An address cannot be the address of a buffer.
    #[error(
        "{address:#x} is no address of {} of {element_size} bytes: it has to be a multiple of {element_size}, and not null",
        emulator::counted(elements, "element")
    )]
    RawAddress {
        /// The address that was given.
        address: u64,
        /// The number of elements of the buffer.
        elements: usize,
        /// The size of an element, in bytes.
        element_size: usize,
    },

    /// A program tried to enqueue work of one device on a queue of another device.
    #[error("the queue is one of {queue}, the work one of {device}: they must be of one device")]
    OtherQueue {
        /// The queue's device.
        queue: String,
        /// The work's device.
        device: String,
    },

    /// The scratch that the caller supplied is too small for a launch.
    #[error(
        "the scratch has {}; the launch needs {needed}, as its plan says",
        emulator::counted(found, "byte")
    )]
    Scratch {
        /// The size of the scratch, in bytes.
        found: usize,
        /// The size that the plan states, in bytes.
        needed: usize,
    },

    /// The scratch that the caller supplied is on another device.
    #[error(
        "the scratch lies on {scratch}, the launch is one of {device}: they must be one device"
    )]
    ScratchElsewhere {
        /// The scratch's device.
        scratch: String,
        /// The launch's device.
        device: String,
    },

    /// The emulator refused an access of the host to its memory.
    #[error("the emulator's memory: {0}")]
    Memory(#[source] Box<emulator::MemoryError>),

    /// A string does not name a PTX target.
    #[error("`{text}` is not a PTX target such as sm_80, sm_90a or sm_100f")]
    NotATarget {
        /// The text.
        text: String,
    },

    /// The PTX does not parse.
    #[error("the PTX is not understood: {0}")]
    Ptx(#[source] Box<emulator::PtxError>),

    /// The PTX is for another architecture.
    #[error(
        "the PTX is for {target}, this device ({device}) is sm_{}{}: {}",
        .compute_capability.0, .compute_capability.1, .target.rule()
    )]
    Target {
        /// The target of the PTX.
        target: Target,
        /// The device's name.
        device: String,
        /// The device's compute capability.
        compute_capability: (u32, u32),
    },

    /// The emulator could not load a module that parsed.
    #[error("the emulator cannot load the PTX: {0}")]
    Load(#[source] Box<emulator::LoadError>),

    /// The driver's compiler refused the PTX.
    #[error("the driver cannot compile the PTX: {source}{}", log_lines(.log))]
    Jit {
        /// The driver's error.
        source: DriverError,
        /// The output of the driver's compiler.
        log: String,
    },

    /// A tensor map is not valid.
    #[error("tensor map: {0}")]
    TensorMap(#[from] crate::tensor_map::TensorMapError),

    /// The emulator does not support a tensor map that a driver would accept.
    #[error("the emulator's {0}")]
    EmulatedTensorMap(#[from] emulator::TensorMapError),

    /// The module has no kernel with this name.
    #[error("{0}")]
    NoSuchKernel(Box<NoSuchKernel>),

    /// An argument of a kernel's list has no value, or several.
    #[error("the kernel's argument `{name}` has {values} values; it needs 1")]
    ArgumentValues {
        /// The name of the argument.
        name: &'static str,
        /// The number of values given.
        values: usize,
    },

    /// A value has a name that is not in the kernel's list of arguments.
    #[error("the kernel has no argument `{name}`")]
    NoSuchArgument {
        /// The name of the value.
        name: &'static str,
    },

    /// The launch was refused before the kernel started.
    #[error("kernel `{kernel}`: {reason}")]
    Refused {
        /// The kernel.
        kernel: String,
        /// What is wrong with the launch.
        reason: Box<Refusal>,
    },

    /// The kernel started and failed.
    #[error(transparent)]
    Fault(Box<Fault>),

    /// A collective of several devices failed.
    #[error(transparent)]
    Collective(#[from] crate::collective::CollectiveError),

    /// cuBLAS was not found, or it failed.
    #[error(transparent)]
    Cublas(#[from] crate::cublas::CublasError),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<emulator::PtxError> for Error {
    fn from(error: emulator::PtxError) -> Self {
        Self::Ptx(Box::new(error))
    }
}

impl From<emulator::MemoryError> for Error {
    fn from(error: emulator::MemoryError) -> Self {
        Self::Memory(Box::new(error))
    }
}

impl Error {
    /// Returns the error for an allocation that the emulator refused. A lack of memory gives the
    /// same error as on a GPU.
    pub(crate) fn no_room(device: &str, error: emulator::MemoryError) -> Self {
        match error {
            emulator::MemoryError::OutOfMemory {
                requested, free, ..
            } => Self::OutOfMemory {
                device: device.into(),
                bytes: requested,
                free: Some(free),
            },
            other => other.into(),
        }
    }
}

impl From<emulator::LoadError> for Error {
    fn from(error: emulator::LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

fn log_lines(log: &str) -> String {
    let log = log.trim();
    if log.is_empty() {
        String::new()
    } else {
        format!("\n{log}")
    }
}

/// Why no GPU can be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoGpu {
    /// The CUDA driver is not installed, cannot be opened, or must not be used.
    #[error("{}", first_attempt(.0))]
    NoDriver(cuda_driver::DriverStatus),
    /// The driver is installed, but sees no device.
    #[error("the CUDA driver sees no device ({0})")]
    NoDevice(DriverError),
    /// The driver, or its first device, cannot be used.
    #[error("the first GPU cannot be used: {0}")]
    Unusable(String),
}

/// Returns why there is no driver, in one short line: the result for the first name that was tried.
fn first_attempt(status: &cuda_driver::DriverStatus) -> String {
    match status {
        cuda_driver::DriverStatus::Missing { tried } => match tried.first() {
            Some(attempt) => {
                let name = attempt.library.display().to_string();
                let error = attempt.error.trim_start_matches(&format!("{name}: "));
                format!("no CUDA driver ({name}: {error})")
            }
            None => status.to_string(),
        },
        _ => status.to_string(),
    }
}

/// No kernel of the module has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchKernel {
    /// The name that was requested.
    pub name: String,
    /// The names of the existing kernels, sorted.
    pub available: Vec<String>,
    /// The name in `available` that is closest to the requested name, if one is close enough.
    pub nearest: Option<String>,
}

impl fmt::Display for NoSuchKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the module has no kernel `{}`", self.name)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean `{nearest}`?")?;
        }
        if self.available.is_empty() {
            write!(f, " It has no kernels at all.")
        } else {
            write!(f, " It has: {}", self.available.join(", "))
        }
    }
}

/// The failure of a kernel that had started.
#[derive(Debug)]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// The kind of the device.
    pub kind: Kind,
    /// The launch, as text.
    pub launch: String,
    /// What happened: the driver's code with its meaning, or the emulator's report of the
    /// instruction, block, thread and address.
    pub cause: FaultCause,
}

/// The cause of a kernel's failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum FaultCause {
    /// The GPU's error, which names no instruction.
    Gpu(DriverError),
    /// The emulator's error, which names the instruction.
    Emulator(Box<emulator::LaunchError>),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            device,
            launch,
            ..
        } = self;
        write!(f, "kernel `{kernel}` failed on {device} ({launch}): ")?;
        match &self.cause {
            FaultCause::Gpu(error) => write!(
                f,
                "{error}; the emulator names the instruction, the thread and the address"
            ),
            FaultCause::Emulator(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            FaultCause::Gpu(error) => Some(error),
            FaultCause::Emulator(error) => Some(error.as_ref()),
        }
    }
}
