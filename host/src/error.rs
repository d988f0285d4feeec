//! Everything that can go wrong between the host and a device, each with the values found and the
//! values allowed.
//!
//! ```text
//!   no device ─ NoGpu, NoSuchGpu, NoContext        memory ─ TooLarge, OutOfMemory, Length, Range, Memory, Scratch
//!   queue ─ OtherQueue
//!   PTX ─ NotATarget, Ptx, Target, Jit, NoSuchKernel
//!   tensor map ─ TensorMap, EmulatedTensorMap
//!   launch ─ Refused (before the kernel starts), Fault (while it runs), Lost (after a fault)
//!   the driver's own ─ Driver (with the name and meaning of its code)
//! ```

use crate::device::Kind;
use crate::refusal::Refusal;
use crate::target::Target;
use cuda_driver::DriverError;
use std::fmt;
use thiserror::Error;

/// Any failure of this crate. `Debug` prints what `Display` does: it is what a test that returns
/// the error shows.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no GPU to use.
    #[error("no GPU to use: {0}")]
    NoGpu(#[from] NoGpu),

    /// The machine has GPUs, but not this one.
    #[error("there is no GPU {index}: this machine has {count}, counted from 0")]
    NoSuchGpu {
        /// The index of the GPU that was requested.
        index: u32,
        /// How many there are.
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

    /// The GPU faulted earlier and answers nothing since.
    #[error(
        "{device} cannot be used any more in this process: {first}; a GPU's context does not survive a fault, so start the program again"
    )]
    Lost {
        /// The device's name.
        device: String,
        /// The fault that it was lost to.
        first: String,
    },

    /// A buffer larger than an address can count.
    #[error(
        "a buffer of {} of {} each is more than any address reaches",
        emulator::counted(elements, "element"),
        emulator::counted(element_size, "byte")
    )]
    TooLarge {
        /// Elements requested.
        elements: usize,
        /// Size of one, in bytes.
        element_size: usize,
    },

    /// The device has no room for a buffer.
    #[error("{device} has no room for {}{}", emulator::counted(bytes, "byte"), .free.map(|free| format!(": {free} are free")).unwrap_or_default())]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes requested.
        bytes: usize,
        /// Bytes free, where the device can tell.
        free: Option<usize>,
    },

    /// A copy between slices of different lengths.
    #[error(
        "the host's slice has {host} elements, the device's buffer {device}: they must be equal"
    )]
    Length {
        /// Elements on the host.
        host: usize,
        /// Elements on the device.
        device: usize,
    },

    /// A view outside its buffer.
    #[error(
        "the range {start}..{end} is not within a buffer of {}",
        emulator::counted(len, "element")
    )]
    Range {
        /// Start of the range.
        start: usize,
        /// End of the range, excluded.
        end: usize,
        /// Elements of the buffer.
        len: usize,
    },

    /// An address that is no buffer's.
    #[error(
        "{address:#x} is no address of {} of {element_size} bytes: it has to be a multiple of {element_size}, and not null",
        emulator::counted(elements, "element")
    )]
    RawAddress {
        /// What was given.
        address: u64,
        /// Elements that were to be there.
        elements: usize,
        /// Bytes of one.
        element_size: usize,
    },

    /// Work of one device, to be enqueued on another's queue.
    #[error("the queue is one of {queue}, the work one of {device}: they must be of one device")]
    OtherQueue {
        /// The queue's device.
        queue: String,
        /// The work's device.
        device: String,
    },

    /// Scratch that the caller supplied is too small for a launch.
    #[error(
        "the scratch has {}; the launch needs {needed}, as its plan says",
        emulator::counted(found, "byte")
    )]
    Scratch {
        /// Bytes that it has.
        found: usize,
        /// Bytes that the plan states.
        needed: usize,
    },

    /// Scratch that the caller supplied lies on another device.
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

    /// A text that names no PTX target.
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
        /// What the PTX is for.
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
        /// The driver's answer.
        source: DriverError,
        /// What its compiler wrote.
        log: String,
    },

    /// A tensor map that cannot be.
    #[error("tensor map: {0}")]
    TensorMap(#[from] crate::tensor_map::TensorMapError),

    /// The emulator has no tensor map of what a driver would take.
    #[error("the emulator's {0}")]
    EmulatedTensorMap(#[from] emulator::TensorMapError),

    /// The module has no kernel of this name.
    #[error("{0}")]
    NoSuchKernel(Box<NoSuchKernel>),

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

    /// cuBLAS is not there, or failed.
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
    /// An allocation that the emulator refused: where it has no room, as a GPU says it.
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
    /// The CUDA driver is not installed, cannot be opened, or is not to be used.
    #[error("{}", first_attempt(.0))]
    NoDriver(cuda_driver::DriverStatus),
    /// The driver is there and sees no device.
    #[error("the CUDA driver sees no device ({0})")]
    NoDevice(DriverError),
    /// The driver, or its first device, cannot be used.
    #[error("the first GPU cannot be used: {0}")]
    Unusable(String),
}

/// Why there is no driver, in one short line: what the first name that was tried met with.
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

/// A name that no kernel of the module has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchKernel {
    /// The name that was requested.
    pub name: String,
    /// The names that there are, sorted.
    pub available: Vec<String>,
    /// The closest of them, where one is close.
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

/// A kernel that started and failed.
#[derive(Debug)]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// Which kind of device it is.
    pub kind: Kind,
    /// How it was launched.
    pub launch: String,
    /// What happened: the driver's code with its meaning, or the emulator's report of the
    /// instruction, block, thread and address.
    pub cause: FaultCause,
}

/// What a kernel failed of.
#[derive(Debug)]
#[non_exhaustive]
pub enum FaultCause {
    /// The GPU's report, which names no instruction.
    Gpu(DriverError),
    /// The emulator's, which does.
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
