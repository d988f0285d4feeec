//! Devices, contexts, streams and events, each released by its last owner.
//!
//! ```text
//!   init ─► Device::get(0) ─► Context::primary ─► Stream::ordered, Event::timed       each refers to the context
//!                     thread's own ─► Context::current    the caller keeps it alive
//!   context.enter() ─► Entered: current until dropped; its drop restores the previous context
//! ```
//!
//! Law: a stream or an event keeps its context alive, and its drop makes that context current
//! before it destroys the handle. [`Context::stay`] is the only function that changes the thread's
//! current context and does not restore it.
//!
//! Source: CUDA Driver API, *Device Management*, *Primary Context Management*, *Context
//! Management*, *Stream Management*, *Event Management*.

use crate::calls::{self, Handle, SUCCESS};
use crate::error::{DriverError, check};
use core::ffi::{CStr, c_int, c_uint};
use core::marker::PhantomData;
use core::ptr;
use std::any::Any;
use std::sync::Arc;

/// Initialises the driver. Further calls do nothing.
///
/// # Errors
/// Returns the driver's errors, and `CUDA_ERROR_NO_DEVICE` without a driver.
pub fn init() -> Result<(), DriverError> {
    // SAFETY: `cuInit` takes no pointer, and may be called again.
    check("cuInit", unsafe { calls::cuInit(0) })
}

/// Returns the number of devices that the driver sees. Call [`init`] first.
///
/// # Errors
/// Returns the driver's errors.
pub fn device_count() -> Result<u32, DriverError> {
    let mut count = 0;
    // SAFETY: `count` is a local that outlives the call.
    check("cuDeviceGetCount", unsafe {
        calls::cuDeviceGetCount(&raw mut count)
    })?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// Returns the CUDA version that the driver supports, such as 13010 for 13.1.
///
/// # Errors
/// Returns the driver's errors.
pub fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: `version` is a local that outlives the call.
    let code = unsafe { calls::cuDriverGetVersion(&raw mut version) };
    check("cuDriverGetVersion", code)?;
    Ok(version)
}

/// A device of the driver: a `CUdevice`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device(c_int);

impl Device {
    /// Returns the device with this number, as the driver counts them.
    ///
    /// # Errors
    /// Returns the driver's errors, and `CUDA_ERROR_INVALID_DEVICE` if there are fewer devices.
    pub fn get(ordinal: u32) -> Result<Self, DriverError> {
        let mut device = 0;
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: `device` is a local that outlives the call.
        check("cuDeviceGet", unsafe {
            calls::cuDeviceGet(&raw mut device, ordinal)
        })?;
        Ok(Self(device))
    }

    /// Returns the number that [`get`](Self::get) takes.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn ordinal(self) -> Result<u32, DriverError> {
        let count = device_count()?;
        for ordinal in 0..count {
            if Self::get(ordinal)? == self {
                return Ok(ordinal);
            }
        }
        Err(DriverError::new("cuDeviceGet", 101))
    }

    /// Returns the value of a `CU_DEVICE_ATTRIBUTE_*`, or 0 if the value is negative.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn attribute(self, attribute: c_int) -> Result<u32, DriverError> {
        let mut value = 0;
        // SAFETY: `value` is a local that outlives the call. The driver returned the device's
        // number.
        let code = unsafe { calls::cuDeviceGetAttribute(&raw mut value, attribute, self.0) };
        check("cuDeviceGetAttribute", code)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Returns the device's name.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn name(self) -> Result<String, DriverError> {
        let mut name = [0_u8; 256];
        // SAFETY: `name` is writable for its 256 bytes. The driver terminates the name with a zero.
        let code = unsafe { calls::cuDeviceGetName(name.as_mut_ptr().cast(), 256, self.0) };
        check("cuDeviceGetName", code)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Returns the size of the device's memory, in bytes.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn memory(self) -> Result<usize, DriverError> {
        let mut bytes = 0;
        // SAFETY: `bytes` is a local that outlives the call. The driver returned the device's
        // number.
        let code = unsafe { calls::cuDeviceTotalMem_v2(&raw mut bytes, self.0) };
        check("cuDeviceTotalMem", code)?;
        Ok(bytes)
    }
}

/// A reference to a device's primary context.
struct Retained(Device);

impl Drop for Retained {
    fn drop(&mut self) {
        // SAFETY: `Context::primary` makes each value after one successful retain, which this call
        // releases.
        let _ = unsafe { calls::cuDevicePrimaryCtxRelease_v2(self.0.0) };
    }
}

/// A context and its owner, which keeps it alive. Clones share both.
#[derive(Clone)]
pub struct Context {
    raw: Handle,
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: any thread may use a context's handle, and the owner is `Send`.
unsafe impl Send for Context {}
// SAFETY: the driver serialises calls on a context from several threads (CUDA Driver API, thread
// safety), and the owner is `Sync`.
unsafe impl Sync for Context {}

/// Two values are equal if they have the same handle.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Context {}

impl Context {
    /// Returns the device's primary context, which the runtime API, PyTorch and cudarc use too.
    /// Dropping the last clone releases the context.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn primary(device: Device) -> Result<Self, DriverError> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a local that outlives the call. The driver returned the device's number.
        let code = unsafe { calls::cuDevicePrimaryCtxRetain(&raw mut raw, device.0) };
        check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Self {
            raw,
            _owner: Arc::new(Retained(device)),
        })
    }

    /// Returns a context that `owner` keeps alive. Dropping the last clone drops `owner`.
    ///
    /// # Safety
    /// `raw` is a context of the driver that lives as long as `owner` does.
    pub unsafe fn kept_by(raw: Handle, owner: impl Any + Send + Sync) -> Self {
        Self {
            raw,
            _owner: Arc::new(owner),
        }
    }

    /// Returns the context that is current on this thread, or `None` if there is none.
    ///
    /// # Errors
    /// Returns the driver's errors.
    ///
    /// # Safety
    /// The maker of the context keeps it alive as long as this value, its clones, and every stream
    /// and event made in it live.
    pub unsafe fn current() -> Result<Option<Self>, DriverError> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a local that outlives the call.
        check("cuCtxGetCurrent", unsafe {
            calls::cuCtxGetCurrent(&raw mut raw)
        })?;
        // SAFETY: the caller keeps the context alive (`# Safety`), so no owner has to.
        Ok((!raw.is_null()).then(|| unsafe { Self::kept_by(raw, ()) }))
    }

    /// Returns the `CUcontext`.
    #[must_use]
    pub fn raw(&self) -> Handle {
        self.raw
    }

    /// Returns the context's device.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn device(&self) -> Result<Device, DriverError> {
        let _entered = self.enter()?;
        let mut device = 0;
        // SAFETY: `device` is a local that outlives the call.
        check("cuCtxGetDevice", unsafe {
            calls::cuCtxGetDevice(&raw mut device)
        })?;
        Ok(Device(device))
    }

    /// Whether this is the device's primary context. The call does not create a primary context.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn is_primary_of(&self, device: Device) -> Result<bool, DriverError> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: `flags` and `active` are locals that outlive the call. The driver returned the
        // device's number.
        let code =
            unsafe { calls::cuDevicePrimaryCtxGetState(device.0, &raw mut flags, &raw mut active) };
        check("cuDevicePrimaryCtxGetState", code)?;
        Ok(active != 0 && Self::primary(device)? == *self)
    }

    /// Makes the context current on this thread until the guard is dropped. The drop restores the
    /// previous context. If the context is already current, as it is in programs that use torch,
    /// nothing is pushed, and a launch makes one driver call instead of two.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn enter(&self) -> Result<Entered<'_>, DriverError> {
        let mut current = ptr::null_mut();
        // SAFETY: `current` is a local that outlives the call.
        let code = unsafe { calls::cuCtxGetCurrent(&raw mut current) };
        let is_pushed = code != SUCCESS || current != self.raw;
        if is_pushed {
            // SAFETY: the owner, or the caller of `current`, keeps the context alive.
            let code = unsafe { calls::cuCtxPushCurrent_v2(self.raw) };
            check("cuCtxPushCurrent", code)?;
        }
        Ok(Entered {
            is_pushed,
            context: PhantomData,
        })
    }

    /// Makes the context current on this thread, in place of the previous context, and leaves it
    /// current.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn stay(&self) -> Result<(), DriverError> {
        // SAFETY: the owner, or the caller of `current`, keeps the context alive.
        let code = unsafe { calls::cuCtxSetCurrent(self.raw) };
        check("cuCtxSetCurrent", code)
    }
}

/// Guard of [`Context::enter`]: the context is current on this thread until the guard is dropped.
/// It is not `Send`, because only this thread may restore the previous context.
pub struct Entered<'a> {
    /// Whether `enter` pushed the context, because it was not current.
    is_pushed: bool,
    context: PhantomData<(&'a Context, *const ())>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if !self.is_pushed {
            return;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` is a local that outlives the call. `enter` pushed the context on this
        // thread, and the guard's `*const ()` marker keeps the guard on this thread.
        let _ = unsafe { calls::cuCtxPopCurrent_v2(&raw mut popped) };
    }
}

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;

/// A stream of a context.
pub struct Stream {
    raw: Handle,
    context: Context,
}

// SAFETY: any thread may use a stream. `new` and `drop` make the stream's context current.
unsafe impl Send for Stream {}
// SAFETY: several threads may use a stream at once, since the driver locks it.
unsafe impl Sync for Stream {}

impl Stream {
    fn new(context: &Context, flags: c_uint) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a local that outlives the call. `_entered` made the context current.
        let code = unsafe { calls::cuStreamCreate(&raw mut raw, flags) };
        check("cuStreamCreate", code)?;
        Ok(Self {
            raw,
            context: context.clone(),
        })
    }

    /// Makes a stream that synchronises with the default stream, in both directions.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn ordered(context: &Context) -> Result<Self, DriverError> {
        Self::new(context, 0)
    }

    /// Makes a stream that does not synchronise with the default stream.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn independent(context: &Context) -> Result<Self, DriverError> {
        Self::new(context, NON_BLOCKING)
    }

    /// Returns the `CUstream`.
    #[must_use]
    pub fn raw(&self) -> Handle {
        self.raw
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: `new` created the stream, and only this drop destroys it. The driver frees the
        // stream after its enqueued work has completed.
        let _ = unsafe { calls::cuStreamDestroy_v2(self.raw) };
    }
}

/// An event of a context.
pub struct Event {
    raw: Handle,
    context: Context,
}

// SAFETY: any thread may use an event. `new` and `drop` make the event's context current.
unsafe impl Send for Event {}
// SAFETY: several threads may use an event at once, since the driver locks it.
unsafe impl Sync for Event {}

impl Event {
    fn new(context: &Context, flags: c_uint) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a local that outlives the call. `_entered` made the context current.
        let code = unsafe { calls::cuEventCreate(&raw mut raw, flags) };
        check("cuEventCreate", code)?;
        Ok(Self {
            raw,
            context: context.clone(),
        })
    }

    /// Makes an event that records its time.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn timed(context: &Context) -> Result<Self, DriverError> {
        Self::new(context, 0)
    }

    /// Makes an event that only orders work, and records no time.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn untimed(context: &Context) -> Result<Self, DriverError> {
        Self::new(context, DISABLE_TIMING)
    }

    /// Returns the `CUevent`.
    #[must_use]
    pub fn raw(&self) -> Handle {
        self.raw
    }

    /// Records the event on the stream, after the work that is already enqueued there.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        let _entered = self.context.enter()?;
        // SAFETY: both handles are alive as long as their owners, which are borrowed.
        check("cuEventRecord", unsafe {
            calls::cuEventRecord(self.raw, stream.raw)
        })
    }

    /// Returns the seconds from `start` to this event. Both events must have completed.
    ///
    /// # Errors
    /// Returns the driver's errors, and `CUDA_ERROR_NOT_READY` if one of the events has not
    /// completed.
    pub fn seconds_since(&self, start: &Self) -> Result<f64, DriverError> {
        let _entered = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: `milliseconds` is a local that outlives the call. Both handles are alive as long
        // as their owners, which are borrowed.
        let code = unsafe { calls::cuEventElapsedTime(&raw mut milliseconds, start.raw, self.raw) };
        check("cuEventElapsedTime", code)?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: `new` created the event, and only this drop destroys it.
        let _ = unsafe { calls::cuEventDestroy_v2(self.raw) };
    }
}
