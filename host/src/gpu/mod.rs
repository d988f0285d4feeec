//! A GPU: one primary context, one stream, everything checked.
//!
//! ```text
//!   Gpu::open(0) ─► context (shared by everyone who opens GPU 0) ─► stream ─► launches, in order
//! ```
//!
//! The context is made current before every call, so a device may be used from any thread.
//! Launches are waited for, so a fault is reported by the launch that caused it.

mod driver;
mod launch;
mod module;
mod queue;
mod tensor_map;
mod timing;

use crate::device::{Limits, max_cluster};
use crate::error::{DriverError, Error, NoGpu};
use cust::context::Context;
use cust::device::{Device, DeviceAttribute};
use cust::stream::{Stream, StreamFlags};
use driver::{check, from_cust};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

pub(crate) use driver::describe;
pub use module::Resources;
pub(crate) use module::{Function, GpuModule};
pub(crate) use queue::{GpuEvent, GpuStream};

/// What the driver says about a device.
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
    // Dropped in this order: the stream belongs to the context.
    stream: Stream,
    context: Context,
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
    cust::init(cust::CudaFlags::empty()).map_err(|error| unusable(from_cust("cuInit", error)))?;
    let count =
        Device::num_devices().map_err(|error| unusable(from_cust("cuDeviceGetCount", error)))?;
    if count == 0 {
        return Err(NoGpu::NoDevice(describe("cuDeviceGetCount", 100)));
    }
    Ok(count)
}

impl Gpu {
    pub(crate) fn open(index: u32) -> Result<Self, Error> {
        let count = count()?;
        if index >= count {
            return Err(Error::NoSuchGpu { index, count });
        }
        let device = Device::get_device(index).map_err(|error| from_cust("cuDeviceGet", error))?;
        let about = about(device)?;
        let context =
            Context::new(device).map_err(|error| from_cust("cuDevicePrimaryCtxRetain", error))?;
        // A stream that waits for the default stream and is waited for by it, so that copies,
        // which go through the default stream, and launches are in order.
        let stream = Stream::new(StreamFlags::DEFAULT, None)
            .map_err(|error| from_cust("cuStreamCreateWithPriority", error))?;
        Ok(Self {
            stream,
            context,
            about,
            lost: OnceLock::new(),
        })
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// The stream, for a library that launches on it.
    pub(crate) fn stream(&self) -> *mut c_void {
        self.stream.as_inner().cast()
    }

    /// Refuses a device that a fault has ended.
    fn refuse_if_lost(&self) -> Result<(), Error> {
        let Some(first) = self.lost.get() else {
            return Ok(());
        };
        Err(Error::Lost {
            device: self.about.name.clone(),
            first: first.clone(),
        })
    }

    /// Makes the context current on this thread, unless a fault has ended it.
    pub(crate) fn enter(&self) -> Result<(), Error> {
        self.refuse_if_lost()?;
        // SAFETY: `self.context` holds a reference to the primary context, so the handle is alive.
        let code = unsafe { driver::cuCtxSetCurrent(self.context.as_raw().cast()) };
        Ok(check("cuCtxSetCurrent", code)?)
    }

    /// Makes the context current until the guard is dropped, and the one before it again then: the
    /// thread may be one of somebody else's, on whose device it goes on.
    pub(crate) fn enter_for_now(&self) -> Result<Entered<'_>, Error> {
        self.refuse_if_lost()?;
        // SAFETY: `self.context` holds a reference to the primary context, so the handle is alive.
        let code = unsafe { driver::cuCtxPushCurrent_v2(self.context.as_raw().cast()) };
        check("cuCtxPushCurrent", code)?;
        Ok(Entered(PhantomData))
    }

    /// Remembers the first fault, after which the context answers nothing.
    pub(crate) fn lose(&self, what: &str) {
        let _ = self.lost.set(what.into());
    }

    /// Remembers a fault of `what`, if it is one that ends the context.
    pub(crate) fn lose_to(&self, what: &str, error: &DriverError) {
        // Codes 700 and on (`CUDA_ERROR_ILLEGAL_ADDRESS`, ...) leave the context inconsistent; 701
        // (`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`) is a refusal.
        if (700..800).contains(&error.code) && error.code != 701 {
            self.lose(&format!("{what} failed with {}", error.name));
        }
    }

    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: `self` owns the stream, and the context that it was made in.
        let code = unsafe { driver::cuStreamSynchronize(self.stream()) };
        check("cuStreamSynchronize", code)
    }

    /// Whether everything on the stream has ended.
    pub(crate) fn is_idle(&self) -> Result<bool, Error> {
        // SAFETY: `self` owns the stream, and the context that it was made in.
        let code = unsafe { driver::cuStreamQuery(self.stream()) };
        if code == driver::NOT_READY {
            return Ok(false);
        }
        check("cuStreamQuery", code).inspect_err(|error| self.lose_to("a collective", error))?;
        Ok(true)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<u64, Error> {
        self.enter()?;
        let mut address = 0;
        // SAFETY: `enter` above made the context current; `address` is a local that outlives the
        // call.
        let code = unsafe { driver::cuMemAlloc_v2(&raw mut address, bytes) };
        if code == driver::OUT_OF_MEMORY {
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
        // SAFETY: both are locals that outlive the call; `allocate`, the only caller, made the
        // context current.
        let code = unsafe { driver::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        (code == driver::SUCCESS).then_some(free)
    }

    pub(crate) fn deallocate(&self, address: u64) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: `Buffer` calls this once, in its drop, with an address that `allocate` gave;
        // launches are waited for, so nothing uses it any more.
        let code = unsafe { driver::cuMemFree_v2(address) };
        Ok(check("cuMemFree", code)?)
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: `enter` made the context current; a slice is readable for its length; `Buffer`
        // keeps the range within its allocation.
        let code = unsafe { driver::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        Ok(check("cuMemcpyHtoD", code)?)
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: `enter` made the context current; a `&mut` slice is writable for its length;
        // `Buffer` keeps the range within its allocation.
        let code =
            unsafe { driver::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        Ok(check("cuMemcpyDtoH", code)?)
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, value: u8) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: `enter` made the context current; `Buffer` keeps the range within its allocation.
        let code = unsafe { driver::cuMemsetD8_v2(address, value, bytes) };
        check("cuMemsetD8", code)?;
        // The call may return before the memory is set.
        Ok(self.synchronize_context()?)
    }

    /// Waits for the default stream, which our stream is ordered after.
    fn synchronize_context(&self) -> Result<(), DriverError> {
        // SAFETY: the null handle is the default stream of the current context, which `fill`, the
        // only caller, has made ours.
        let code = unsafe { driver::cuStreamSynchronize(std::ptr::null_mut()) };
        check("cuStreamSynchronize", code)
    }
}

/// A context that [`Gpu::enter_for_now`] made current on this thread, which is why the guard does
/// not leave it.
pub(crate) struct Entered<'a>(PhantomData<(&'a Gpu, *const ())>);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` is a local that outlives the call; `enter_for_now` pushed the context
        // on this thread, which the guard does not leave, and guards are dropped in turn.
        let _ = unsafe { driver::cuCtxPopCurrent_v2(&raw mut popped) };
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // The stream is destroyed next, in whatever context is current. A lost device has none,
        // and its stream went with it.
        let _ = self.enter();
    }
}

fn about(device: Device) -> Result<About, DriverError> {
    let attribute = |attribute: DeviceAttribute| {
        let value = device
            .get_attribute(attribute)
            .map_err(|error| from_cust("cuDeviceGetAttribute", error))?;
        Ok::<u32, DriverError>(u32::try_from(value).unwrap_or(0))
    };
    let name = device
        .name()
        .map_err(|error| from_cust("cuDeviceGetName", error))?;
    let version =
        cust::CudaApiVersion::get().map_err(|error| from_cust("cuDriverGetVersion", error))?;
    let mut max_shared = 0;
    // SAFETY: `max_shared` is a local that outlives the call; `device` is one that the driver
    // enumerated.
    let code = unsafe {
        driver::cuDeviceGetAttribute(
            &raw mut max_shared,
            driver::MAX_SHARED_OPT_IN,
            device.as_raw(),
        )
    };
    check("cuDeviceGetAttribute", code)?;
    use DeviceAttribute as A;
    let compute_capability = (
        attribute(A::ComputeCapabilityMajor)?,
        attribute(A::ComputeCapabilityMinor)?,
    );
    let limits = Limits {
        max_grid: [
            attribute(A::MaxGridDimX)?,
            attribute(A::MaxGridDimY)?,
            attribute(A::MaxGridDimZ)?,
        ],
        max_block: [
            attribute(A::MaxBlockDimX)?,
            attribute(A::MaxBlockDimY)?,
            attribute(A::MaxBlockDimZ)?,
        ],
        max_threads_per_block: attribute(A::MaxThreadsPerBlock)?,
        max_cluster: max_cluster(compute_capability),
        default_shared: attribute(A::MaxSharedMemoryPerBlock)? as usize,
        max_shared: usize::try_from(max_shared).unwrap_or(0),
        multiprocessors: attribute(A::MultiprocessorCount)?,
        memory: device
            .total_memory()
            .map_err(|error| from_cust("cuDeviceTotalMem", error))?,
    };
    Ok(About {
        name,
        compute_capability,
        limits,
        driver: format!("{}.{}", version.major(), version.minor()),
        driver_version: version.major() * 1000 + version.minor() * 10,
    })
}
