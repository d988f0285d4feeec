//! A GPU, with one context and one stream. The result of every driver call is checked.
//!
//! ```text
//!   Gpu::open(0) ─────► the primary context, shared by all who open GPU 0 ─┬─► stream ─► launches, in order
//!   Gpu::of_current() ─► the thread's context, which its maker keeps ─────────────┘
//! ```
//!
//! Each call that needs the context makes it current, so any thread may use a device. The primary
//! context then stays current on the thread, as after a call of the runtime API. After a call in
//! the caller's context, the thread's previous context is current again.
//! [`Kernel::launch`](crate::Kernel::launch) waits for its kernel, and so returns the kernel's
//! fault as its own error.

#[cfg(feature = "cust")]
mod by_cust;
#[cfg(not(feature = "cust"))]
mod by_driver;
mod launch;
mod module;
mod queue;
mod tensor_map;
mod timing;

use crate::device::{Limits, max_cluster};
use crate::error::{Error, NoGpu};
#[cfg(feature = "cust")]
use by_cust::{Stream, TimedEvent, init, primary};
#[cfg(not(feature = "cust"))]
use by_driver::{Stream, TimedEvent, init, primary};
use cuda_driver::{
    Context, Device, DriverError, DriverVersion, Entered, calls, check, device_count,
    driver_version,
};
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

pub use module::Resources;
pub(crate) use module::{Function, GpuModule};
pub(crate) use queue::{GpuEvent, GpuStream};

/// The properties of a device that the driver reports.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub name: String,
    pub compute_capability: (u32, u32),
    pub limits: Limits,
    pub driver: String,
    /// The driver's CUDA version, such as 13010 for 13.1.
    pub driver_version: i32,
}

pub(crate) struct Gpu {
    stream: Stream,
    context: Context,
    /// Whether the context is the caller's. If so, the caller keeps the context alive, and calls
    /// restore the thread's previous context.
    is_callers: bool,
    about: About,
    lost: OnceLock<String>,
}

/// Initialises the driver and counts its devices.
pub(crate) fn count() -> Result<u32, NoGpu> {
    let driver = cuda_driver::status();
    if !driver.is_loaded() {
        return Err(NoGpu::NoDriver(driver.clone()));
    }
    let unusable = |error: DriverError| match error.name.as_str() {
        "CUDA_ERROR_NO_DEVICE" => NoGpu::NoDevice(error),
        _ => NoGpu::Unusable(error.to_string()),
    };
    init().map_err(unusable)?;
    let count = device_count().map_err(unusable)?;
    if count == 0 {
        return Err(NoGpu::NoDevice(DriverError::new("cuDeviceGetCount", 100)));
    }
    Ok(count)
}

impl Gpu {
    pub(crate) fn open(index: u32) -> Result<Self, Error> {
        let count = count()?;
        if index >= count {
            return Err(Error::NoSuchGpu { index, count });
        }
        let about = about(Device::get(index)?)?;
        let context = primary(index)?;
        Self::new(context, false, about)
    }

    /// Opens the GPU of the context that is current on this thread. Also returns the GPU's index if
    /// the context is the primary one.
    ///
    /// # Safety
    /// The maker of the context keeps it alive as long as this value lives.
    pub(crate) unsafe fn of_current() -> Result<(Option<u32>, Self), Error> {
        count()?;
        // SAFETY: the caller of `of_current` keeps the context alive as long as the `Gpu`, which
        // holds this value.
        let context = unsafe { Context::current() }?.ok_or(Error::NoContext)?;
        let device = context.device()?;
        let is_primary = context.is_primary_of(device)?;
        let gpu = Self::new(context, true, about(device)?)?;
        Ok((is_primary.then(|| device.ordinal()).transpose()?, gpu))
    }

    fn new(context: Context, is_callers: bool, about: About) -> Result<Self, Error> {
        Ok(Self {
            // Copies use the default stream; an ordered stream keeps launches in order with them.
            stream: Stream::ordered(&context)?,
            context,
            is_callers,
            about,
            lost: OnceLock::new(),
        })
    }

    /// Returns the context's address, which identifies it among the living contexts.
    pub(crate) fn context_address(&self) -> usize {
        self.context.raw().addr()
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Returns the stream, for a library that launches on it.
    pub(crate) fn stream(&self) -> *mut c_void {
        self.stream.raw()
    }

    /// Returns an error if the device had a fault.
    fn refuse_if_lost(&self) -> Result<(), Error> {
        let Some(first) = self.lost.get() else {
            return Ok(());
        };
        Err(Error::Lost {
            device: self.about.name.clone(),
            first: first.clone(),
        })
    }

    /// Makes the context current on this thread, unless a fault has ended the context. For a
    /// caller's context it returns a guard, whose drop restores the previous context. A primary
    /// context stays current.
    pub(crate) fn enter(&self) -> Result<Option<Entered<'_>>, Error> {
        self.refuse_if_lost()?;
        let entered = self.enter_callers()?;
        if entered.is_none() {
            self.context.stay()?;
        }
        Ok(entered)
    }

    /// Makes the context current until the guard is dropped, if the context is the caller's.
    /// Otherwise does nothing.
    fn enter_callers(&self) -> Result<Option<Entered<'_>>, DriverError> {
        (self.is_callers.then(|| self.context.enter())).transpose()
    }

    /// Makes the context current until the guard is dropped, which restores the previous context.
    /// The thread may belong to another library, which then continues on its own device.
    pub(crate) fn enter_for_now(&self) -> Result<Entered<'_>, Error> {
        self.refuse_if_lost()?;
        Ok(self.context.enter()?)
    }

    /// Records the first fault, after which every call on the context fails.
    pub(crate) fn lose(&self, what: &str) {
        let _ = self.lost.set(what.into());
    }

    /// Records a fault of `what`, if the fault ends the context.
    pub(crate) fn lose_to(&self, what: &str, error: &DriverError) {
        // Errors with codes from 700 on (`CUDA_ERROR_ILLEGAL_ADDRESS`, ...) leave the context
        // inconsistent, except 701 (`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`), which is a refusal.
        if (700..800).contains(&error.code) && error.code != 701 {
            self.lose(&format!("{what} failed with {}", error.name));
        }
    }

    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        let _entered = self.enter_callers()?;
        // SAFETY: `self` owns the stream, and the context in which it was made.
        let code = unsafe { calls::cuStreamSynchronize(self.stream()) };
        check("cuStreamSynchronize", code)
    }

    /// Whether all work on the stream has ended.
    pub(crate) fn is_idle(&self) -> Result<bool, Error> {
        let _entered = self.enter_callers()?;
        // SAFETY: `self` owns the stream, and the context in which it was made.
        let code = unsafe { calls::cuStreamQuery(self.stream()) };
        if code == calls::NOT_READY {
            return Ok(false);
        }
        check("cuStreamQuery", code).inspect_err(|error| self.lose_to("a collective", error))?;
        Ok(true)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<u64, Error> {
        let _entered = self.enter()?;
        let mut address = 0;
        // SAFETY: `enter` above made the context current. `address` is a local that outlives the
        // call.
        let code = unsafe { calls::cuMemAlloc_v2(&raw mut address, bytes) };
        if code == calls::OUT_OF_MEMORY {
            return Err(Error::OutOfMemory {
                device: self.about.name.clone(),
                bytes,
                free: self.free_memory(),
            });
        }
        check("cuMemAlloc", code)?;
        Ok(address)
    }

    fn free_memory(&self) -> Option<usize> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: `free` and `total` are locals that outlive the call. `allocate`, the only caller,
        // made the context current.
        let code = unsafe { calls::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        (code == calls::SUCCESS).then_some(free)
    }

    pub(crate) fn deallocate(&self, address: u64) -> Result<(), Error> {
        let _entered = self.enter()?;
        // SAFETY: `Buffer` calls this once, in its drop, with an address that `allocate` returned.
        // The call waits for the context's work, so no enqueued launch uses the memory any more.
        let code = unsafe { calls::cuMemFree_v2(address) };
        Ok(check("cuMemFree", code)?)
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let _entered = self.enter()?;
        // SAFETY: `enter` made the context current. A slice is readable for its length. `Buffer`
        // keeps the range within its allocation.
        let code = unsafe { calls::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        Ok(check("cuMemcpyHtoD", code)?)
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let _entered = self.enter()?;
        // SAFETY: `enter` made the context current. A `&mut` slice is writable for its length.
        // `Buffer` keeps the range within its allocation.
        let code =
            unsafe { calls::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        Ok(check("cuMemcpyDtoH", code)?)
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, value: u8) -> Result<(), Error> {
        let _entered = self.enter()?;
        // SAFETY: `enter` made the context current. `Buffer` keeps the range within its allocation.
        let code = unsafe { calls::cuMemsetD8_v2(address, value, bytes) };
        check("cuMemsetD8", code)?;
        // The call may return before the memory is set.
        Ok(self.synchronize_context()?)
    }

    /// Waits for the default stream. Later work on our stream is then ordered after it.
    fn synchronize_context(&self) -> Result<(), DriverError> {
        // SAFETY: the null handle is the default stream of the current context, which `fill`, the
        // only caller, has made ours.
        let code = unsafe { calls::cuStreamSynchronize(ptr::null_mut()) };
        check("cuStreamSynchronize", code)
    }
}

/// `CU_DEVICE_ATTRIBUTE_*`
mod attribute {
    pub const MAX_THREADS_PER_BLOCK: i32 = 1;
    pub const MAX_BLOCK: [i32; 3] = [2, 3, 4];
    pub const MAX_GRID: [i32; 3] = [5, 6, 7];
    pub const MAX_SHARED: i32 = 8;
    pub const MULTIPROCESSORS: i32 = 16;
    pub const CAPABILITY_MAJOR: i32 = 75;
    pub const CAPABILITY_MINOR: i32 = 76;
    pub const MAX_SHARED_OPT_IN: i32 = 97;
}

fn about(device: Device) -> Result<About, DriverError> {
    let of = |which| device.attribute(which);
    let along = |[x, y, z]: [i32; 3]| Ok::<_, DriverError>([of(x)?, of(y)?, of(z)?]);
    let compute_capability = (
        of(attribute::CAPABILITY_MAJOR)?,
        of(attribute::CAPABILITY_MINOR)?,
    );
    let limits = Limits {
        max_grid: along(attribute::MAX_GRID)?,
        max_block: along(attribute::MAX_BLOCK)?,
        max_threads_per_block: of(attribute::MAX_THREADS_PER_BLOCK)?,
        max_cluster: max_cluster(compute_capability),
        default_shared: of(attribute::MAX_SHARED)? as usize,
        max_shared: of(attribute::MAX_SHARED_OPT_IN)? as usize,
        multiprocessors: of(attribute::MULTIPROCESSORS)?,
        memory: device.memory()?,
    };
    let driver_version = driver_version()?;
    let version = DriverVersion::from_number(u32::try_from(driver_version).unwrap_or(0));
    Ok(About {
        name: device.name()?,
        compute_capability,
        limits,
        driver: version.to_string(),
        driver_version,
    })
}
