//! Initialisation, the primary context, the device's own stream and timed events, by `cuda_driver`:
//! what `by_cust` has, without `cust`.

use cuda_driver::{Context, Device, DriverError};

pub(crate) use cuda_driver::{Event as TimedEvent, Stream, init};

/// The primary context of a device, which is current on this thread afterwards.
pub(crate) fn primary(index: u32) -> Result<Context, DriverError> {
    let context = Context::primary(Device::get(index)?)?;
    context.stay()?;
    Ok(context)
}
