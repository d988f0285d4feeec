//! Copies from buffer to buffer. The time of the device's own copy is the measure for memory-bound
//! kernels.
//!
//! ```text
//!   same GPU          cuMemcpyDtoDAsync, by CUDA events         read once, written once: 2 · size bytes
//!   anything else     through the host, by its clock
//! ```
//!
//! Law: after the copy the target holds the source's bytes.

use std::time::Instant;

use bytemuck::Pod;

use crate::buffer::Buffer;
use crate::device::Backend;
use crate::error::Error;
use crate::timing::{Clock, Time, Timing};

impl<T: Pod> Buffer<T> {
    /// Overwrites all elements with those of `from`, which may be on another device.
    ///
    /// # Errors
    /// Returns [`Error::Length`] unless the lengths are equal, and the errors of the driver or the
    /// emulator.
    ///
    /// ```
    /// let device = host::Device::emulator();
    /// let from = device.upload(&[1_u32, 2, 3])?;
    /// let mut to = device.alloc(3)?;
    /// to.copy_from_buffer(&from)?;
    /// assert_eq!(to.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), host::Error>(())
    /// ```
    pub fn copy_from_buffer(&mut self, from: &Self) -> Result<(), Error> {
        self.time_copy_from_buffer(from, Timing { warmup: 0, runs: 1 })?;
        Ok(())
    }

    /// Copies as [`copy_from_buffer`](Self::copy_from_buffer) does, `timing.warmup + timing.runs`
    /// times. Returns how long the last `timing.runs` copies took.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from_buffer`](Self::copy_from_buffer).
    pub fn time_copy_from_buffer(&mut self, from: &Self, timing: Timing) -> Result<Time, Error> {
        if from.len() != self.len() {
            return Err(Error::Length {
                host: from.len(),
                device: self.len(),
            });
        }
        let runs = timing.runs.max(1);
        if self.device().id() == from.device().id()
            && let Backend::Gpu(gpu) = self.device().backend()
            && self.size() > 0
        {
            let seconds = gpu.time_copy(
                (self.address(), from.address(), self.size()),
                (timing.warmup, runs),
            )?;
            return Ok(Time::from_samples(Clock::CudaEvents, seconds));
        }
        let mut seconds = Vec::with_capacity(runs);
        for _ in 0..timing.warmup + runs {
            let start = Instant::now();
            self.copy_from(&from.to_vec()?)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        Ok(Time::from_samples(
            Clock::Wall,
            seconds.split_off(timing.warmup),
        ))
    }
}
