//! Initialisation, the primary context, the device's own stream and timed events, implemented with
//! `cust`. Without the feature `cust`, the module `by_driver` defines the same names.

use cuda_driver::{Context, DriverError};
use cust::context::Context as Retained;
use cust::device::Device;
use cust::error::CudaError;
use cust::event::{Event, EventFlags};
use cust::stream::{Stream as CustStream, StreamFlags};
use std::ffi::c_void;
use std::mem::ManuallyDrop;

/// Returns a function that makes a [`DriverError`] from the error of a call through `cust`, whose
/// codes are those of CUDA 11.
fn failed(call: &'static str) -> impl FnOnce(CudaError) -> DriverError {
    move |error| DriverError::new(call, error as i32)
}

pub(crate) fn init() -> Result<(), DriverError> {
    cust::init(cust::CudaFlags::empty()).map_err(failed("cuInit"))
}

/// Retains the primary context of a device, and leaves it current on this thread.
pub(crate) fn primary(index: u32) -> Result<Context, DriverError> {
    let device = Device::get_device(index).map_err(failed("cuDeviceGet"))?;
    let retained = Retained::new(device).map_err(failed("cuDevicePrimaryCtxRetain"))?;
    // SAFETY: `retained` holds a reference to the primary context, so the handle is valid as long
    // as `retained`, its owner.
    Ok(unsafe { Context::kept_by(retained.as_raw().cast(), retained) })
}

/// A stream that synchronises with the default stream, in both directions.
pub(crate) struct Stream {
    stream: ManuallyDrop<CustStream>,
    context: Context,
}

impl Stream {
    pub(crate) fn ordered(context: &Context) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let stream = CustStream::new(StreamFlags::DEFAULT, None)
            .map_err(failed("cuStreamCreateWithPriority"))?;
        Ok(Self {
            stream: ManuallyDrop::new(stream),
            context: context.clone(),
        })
    }

    pub(crate) fn raw(&self) -> *mut c_void {
        self.stream.as_inner().cast()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this is the only drop of the field. It runs once, and nothing uses the field
        // afterwards.
        unsafe { ManuallyDrop::drop(&mut self.stream) };
    }
}

/// An event that records its time. Its users keep the event's context current from the call of
/// `timed` to the drop.
pub(crate) struct TimedEvent(Event);

impl TimedEvent {
    pub(crate) fn timed(_context: &Context) -> Result<Self, DriverError> {
        let event = Event::new(EventFlags::DEFAULT).map_err(failed("cuEventCreate"))?;
        Ok(Self(event))
    }

    pub(crate) fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        self.0
            .record(&stream.stream)
            .map_err(failed("cuEventRecord"))
    }

    pub(crate) fn seconds_since(&self, start: &Self) -> Result<f64, DriverError> {
        let milliseconds = self.0.elapsed_time_f32(&start.0);
        let milliseconds = milliseconds.map_err(failed("cuEventElapsedTime"))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}
