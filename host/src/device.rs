//! A device: a GPU through the CUDA driver, or the emulator on this machine's processor.
//!
//! ```text
//!                    ┌─ Kind::Gpu       the CUDA driver
//!   Device ──────────┤
//!   (cheap to clone) └─ Kind::Emulator  the PTX, executed instruction by instruction
//! ```
//!
//! Law: a program that is written against `Device` runs on both kinds of device. If one kind
//! refuses a launch because of its arguments, the other kind refuses it too.

use crate::buffer::Buffer;
use crate::error::{Error, NoGpu};
use crate::gpu::Gpu;
use crate::module::Module;
use bytemuck::Pod;
use emulator::Emulator;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The two kinds of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A GPU, through the CUDA driver.
    Gpu,
    /// The emulator, on the processor.
    Emulator,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpu => "GPU",
            Self::Emulator => "emulator",
        })
    }
}

/// The memory to which a buffer belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DeviceId {
    /// The GPU with this index, in its primary context. The memory is the same each time the GPU is
    /// opened.
    Gpu(u32),
    /// A context other than a primary context, identified by its address. Such a context has its
    /// own memory.
    Context(usize),
    /// An emulator, identified by its number. Every emulator has its own memory.
    Emulator(u64),
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(index) => write!(f, "GPU {index}"),
            Self::Context(handle) => write!(f, "GPU context {handle:#x}"),
            Self::Emulator(number) => write!(f, "emulator {number}"),
        }
    }
}

/// The limits of a device for launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most blocks along x, y and z.
    pub max_grid: [u32; 3],
    /// The most threads of a block along x, y and z.
    pub max_block: [u32; 3],
    /// The most threads of a block in all.
    pub max_threads_per_block: u32,
    /// The most blocks of a cluster, or 1 if the device has no clusters. Every device with clusters
    /// allows at least 8 blocks in one.
    pub max_cluster: u32,
    /// The shared memory that a block has without requesting more, in bytes.
    pub default_shared: usize,
    /// The most shared memory that a block may have on request, in bytes.
    pub max_shared: usize,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The size of the memory, in bytes.
    pub memory: usize,
}

/// A GPU or an emulator. Clones refer to the same device.
///
/// # What "safe" means here
///
/// Every launch is checked against the PTX and the [`Contract`](crate::Contract). The emulator also
/// checks every access, so no kernel can access memory of the host. On a GPU, a kernel that breaks
/// its contract can overwrite other buffers of the same process, or cause a fault, which is an
/// [`Error`]. Since buffers hold [`Pod`] types, any bytes that a kernel writes are a valid value in
/// Rust. Load PTX on a GPU only if you would run it as a program.
#[derive(Clone)]
pub struct Device(Arc<DeviceState>);

struct DeviceState {
    id: DeviceId,
    name: String,
    compute_capability: (u32, u32),
    limits: Limits,
    driver: Option<String>,
    why_not_gpu: Option<NoGpu>,
    backend: Backend,
}

pub(crate) enum Backend {
    Gpu(Arc<Gpu>),
    Emulator(Arc<Emulator>),
}

impl Device {
    /// Opens the first GPU if it works, otherwise the emulator. [`why_not_gpu`](Self::why_not_gpu)
    /// then returns the reason.
    ///
    /// ```
    /// let device = host::Device::best();
    /// println!("{}", device.where_it_ran());
    /// assert_eq!(device.kind() == host::Kind::Gpu, device.why_not_gpu().is_none());
    /// ```
    #[must_use]
    pub fn best() -> Self {
        match Gpu::open(0) {
            Ok(gpu) => Self::from_gpu(DeviceId::Gpu(0), gpu),
            Err(error) => {
                let why = match error {
                    Error::NoGpu(why) => why,
                    other => NoGpu::Unusable(other.to_string()),
                };
                Self::from_emulator(emulator::Config::default(), Some(why))
            }
        }
    }

    /// Opens the best device that runs `ptx`, and loads the module. If the GPU is too old for the
    /// module, it opens the emulator, as on a machine without a GPU.
    ///
    /// # Errors
    /// Returns the errors of [`load`](Self::load), for a module that is wrong on any device.
    pub fn best_for(ptx: &str) -> Result<(Self, Module), Error> {
        let best = Self::best();
        match best.load(ptx) {
            Err(error @ Error::Target { .. }) if best.kind() == Kind::Gpu => {
                let why = NoGpu::Unusable(error.to_string());
                let emulator = Self::from_emulator(emulator::Config::default(), Some(why));
                let module = emulator.load(ptx)?;
                Ok((emulator, module))
            }
            Err(error) => Err(error),
            Ok(module) => Ok((best, module)),
        }
    }

    /// Opens the GPU with this index, counted from 0 as the driver does.
    ///
    /// # Errors
    /// Returns [`Error::NoGpu`] without a driver or a device, or [`Error::NoSuchGpu`] for a number
    /// beyond the last device.
    pub fn gpu(index: u32) -> Result<Self, Error> {
        Ok(Self::from_gpu(DeviceId::Gpu(index), Gpu::open(index)?))
    }

    /// Opens the GPU of the context that is current on this thread, with everything in that
    /// context. In this way a program that made its own context launches kernels in that context,
    /// together with its own work.
    ///
    /// The context stays the caller's. This value does not destroy it, and no call leaves the
    /// context current on a thread on which it was not current before. The caller keeps the context
    /// alive until the device, its clones, and everything made from them are dropped. If the
    /// context is the primary context, which the runtime API, PyTorch and cudarc use, the device
    /// equals the one that [`gpu`](Self::gpu) returns. For another context it is a separate device,
    /// whose buffers no other device takes.
    ///
    /// ```
    /// use host::{Device, Error};
    /// // SAFETY: a primary context, where there is one, is never released in this process.
    /// match unsafe { Device::from_current_context() } {
    ///     Ok(device) => println!("{device}"),
    ///     // No driver or no GPU; or no context was made current.
    ///     Err(Error::NoGpu(_) | Error::NoContext) => {}
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::NoGpu`] without a driver or a device, [`Error::NoContext`] if no context is
    /// current on the thread, and the errors that the driver reports.
    ///
    /// # Safety
    /// The context lives as long as the device, its clones, and everything made from them: buffers,
    /// modules, kernels, queues, events.
    pub unsafe fn from_current_context() -> Result<Self, Error> {
        // SAFETY: the caller guarantees the context's life (`# Safety`). Everything made from the
        // device holds the `Gpu`.
        let (index, gpu) = unsafe { Gpu::of_current() }?;
        let id = match index {
            Some(index) => DeviceId::Gpu(index),
            None => DeviceId::Context(gpu.context_address()),
        };
        Ok(Self::from_gpu(id, gpu))
    }

    /// Returns the number of GPUs.
    ///
    /// # Errors
    /// Returns why there is no GPU.
    pub fn gpu_count() -> Result<u32, NoGpu> {
        crate::gpu::count()
    }

    /// Returns a new emulated device of compute capability 9.0.
    #[must_use]
    pub fn emulator() -> Self {
        Self::emulator_with(emulator::Config::default())
    }

    /// Returns a new emulated device as `config` describes it.
    #[must_use]
    pub fn emulator_with(config: emulator::Config) -> Self {
        Self::from_emulator(config, None)
    }

    fn from_gpu(id: DeviceId, gpu: Gpu) -> Self {
        let about = gpu.about().clone();
        Self(Arc::new(DeviceState {
            id,
            name: about.name,
            compute_capability: about.compute_capability,
            limits: about.limits,
            driver: Some(about.driver),
            why_not_gpu: None,
            backend: Backend::Gpu(Arc::new(gpu)),
        }))
    }

    fn from_emulator(config: emulator::Config, why_not_gpu: Option<NoGpu>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (major, minor) = config.compute_capability;
        let limits = Limits {
            max_grid: config.max_grid,
            max_block: config.max_block,
            max_threads_per_block: config.max_threads_per_block,
            max_cluster: max_cluster(config.compute_capability),
            default_shared: config.default_shared,
            max_shared: config.max_shared_per_block,
            multiprocessors: config.multiprocessors,
            memory: config.memory,
        };
        Self(Arc::new(DeviceState {
            id: DeviceId::Emulator(NUMBER.fetch_add(1, Ordering::Relaxed)),
            name: format!("emulated sm_{major}{minor}"),
            compute_capability: (major, minor),
            limits,
            driver: None,
            why_not_gpu,
            backend: Backend::Emulator(Arc::new(Emulator::new(config))),
        }))
    }

    /// Returns the device's name: the driver's, or `emulated sm_90`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns whether the device is a GPU or an emulator.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0.backend {
            Backend::Gpu(_) => Kind::Gpu,
            Backend::Emulator(_) => Kind::Emulator,
        }
    }

    /// Returns the compute capability: the major and the minor number, `(9, 0)` for Hopper.
    #[must_use]
    pub fn compute_capability(&self) -> (u32, u32) {
        self.0.compute_capability
    }

    /// Returns the limits for launches.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Returns the CUDA version of the driver, such as `13.0`, or `None` on the emulator.
    #[must_use]
    pub fn driver(&self) -> Option<&str> {
        self.0.driver.as_deref()
    }

    /// Returns why [`best`](Self::best) took the emulator. Returns `None` for a GPU, and for an
    /// emulator that the caller chose.
    #[must_use]
    pub fn why_not_gpu(&self) -> Option<&NoGpu> {
        self.0.why_not_gpu.as_ref()
    }

    /// Returns one line for a test's output that says on which device it ran.
    #[must_use]
    pub fn where_it_ran(&self) -> String {
        match (self.kind(), self.why_not_gpu()) {
            (Kind::Gpu, _) => format!("ran on the GPU ({})", self.name()),
            (Kind::Emulator, None) => format!("ran on the emulator ({})", self.name()),
            (Kind::Emulator, Some(why)) => {
                format!(
                    "no CUDA device: ran on the emulator ({}); {why}",
                    self.name()
                )
            }
        }
    }

    /// Allocates a buffer of `len` elements, with unspecified contents.
    ///
    /// # Errors
    /// Returns [`Error::TooLarge`] if no address reaches that many bytes, and
    /// [`Error::OutOfMemory`] if the device does not have the memory.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::new(self, len)
    }

    /// Copies `host` into a new buffer of the device.
    ///
    /// # Errors
    /// Returns [`Error::OutOfMemory`], and the errors that the driver reports.
    pub fn upload<T: Pod>(&self, host: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = self.alloc(host.len())?;
        buffer.copy_from(host)?;
        Ok(buffer)
    }

    /// Loads a PTX module. On a GPU the driver compiles it.
    ///
    /// # Errors
    /// Returns [`Error::Ptx`] if the PTX does not parse, [`Error::Target`] if it is for another
    /// architecture, or [`Error::Jit`] with the compiler's message if the driver refuses it.
    pub fn load(&self, ptx: &str) -> Result<Module, Error> {
        Module::load(self, ptx)
    }

    pub(crate) fn id(&self) -> DeviceId {
        self.0.id
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0.backend
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<u64, Error> {
        match &self.0.backend {
            Backend::Gpu(gpu) => gpu.allocate(bytes),
            Backend::Emulator(emulator) => emulator
                .alloc(bytes)
                .map_err(|error| Error::no_room(&self.0.name, error)),
        }
    }

    pub(crate) fn deallocate(&self, address: u64) -> Result<(), Error> {
        match &self.0.backend {
            Backend::Gpu(gpu) => gpu.deallocate(address),
            Backend::Emulator(emulator) => Ok(emulator.free(address)?),
        }
    }

    pub(crate) fn describe(&self, address: u64, tensor: emulator::TensorShape) {
        if let Backend::Emulator(emulator) = &self.0.backend {
            emulator.describe(address, tensor);
        }
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        match &self.0.backend {
            Backend::Gpu(gpu) => gpu.write(address, bytes),
            Backend::Emulator(emulator) => Ok(emulator.write(address, bytes)?),
        }
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        match &self.0.backend {
            Backend::Gpu(gpu) => gpu.read(address, bytes),
            Backend::Emulator(emulator) => Ok(emulator.read(address, bytes)?),
        }
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, value: u8) -> Result<(), Error> {
        match &self.0.backend {
            Backend::Gpu(gpu) => gpu.fill(address, bytes, value),
            Backend::Emulator(emulator) => {
                const CHUNK: usize = 1 << 20;
                let chunk = vec![value; bytes.min(CHUNK)];
                for start in (0..bytes).step_by(CHUNK) {
                    let piece = &chunk[..CHUNK.min(bytes - start)];
                    emulator.write(address + start as u64, piece)?;
                }
                Ok(())
            }
        }
    }
}

/// Returns the most blocks of a cluster for a compute capability (CUDA programming guide, *Thread
/// Block Clusters*).
pub(crate) fn max_cluster(compute_capability: (u32, u32)) -> u32 {
    if compute_capability < (9, 0) { 1 } else { 16 }
}

/// Devices are equal if they have the same memory: clones are equal, and so are two devices of one
/// GPU or of one context.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}
impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("kind", &self.kind())
            .field("name", &self.name())
            .field("compute_capability", &self.compute_capability())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Device {
    /// Writes `NVIDIA H200 (GPU, sm_90)`, or `emulated sm_90`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute_capability();
        match self.kind() {
            Kind::Gpu => write!(f, "{} (GPU, sm_{major}{minor})", self.name()),
            Kind::Emulator => f.write_str(self.name()),
        }
    }
}
