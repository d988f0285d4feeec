//! Initialisation, the primary context, the device's own stream and timed events, implemented with
//! `cuda_driver`. With the feature `cust`, the module `by_cust` defines the same names.

use cuda_driver::{Context, Device, DriverError};

pub(crate) use cuda_driver::{Event as TimedEvent, Stream, init};

/// Retains the primary context of a device, and leaves it current on this thread.
pub(crate) fn primary(index: u32) -> Result<Context, DriverError> {
    let context = Context::primary(Device::get(index)?)?;
    context.stay()?;
    Ok(context)
}
