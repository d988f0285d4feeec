//! Measures time on the GPU by the GPU's own clock.

use super::{Function, Gpu, TimedEvent};
use crate::error::Error;
use crate::launch::Launch;
use cuda_driver::calls::cuMemcpyDtoDAsync_v2;
use cuda_driver::{DriverError, check};

impl Gpu {
    /// Returns how many seconds each of `runs` executions of `work` takes, measured by CUDA events
    /// around each execution. `work` enqueues on the stream. `warmup` executions come first and are
    /// not counted.
    ///
    /// The outer error is one of the host, and the inner error is one of `work`.
    pub(crate) fn time<E: From<DriverError>>(
        &self,
        warmup: usize,
        runs: usize,
        mut work: impl FnMut() -> Result<(), E>,
    ) -> Result<Result<Vec<f64>, E>, Error> {
        let _entered = self.enter()?;
        let event = || TimedEvent::timed(&self.context);
        let mut pairs = Vec::with_capacity(runs);
        for _ in 0..runs {
            pairs.push((event()?, event()?));
        }
        Ok((|| {
            for _ in 0..warmup {
                work()?;
            }
            self.synchronize()?;
            for (start, end) in &pairs {
                start.record(&self.stream)?;
                work()?;
                end.record(&self.stream)?;
            }
            self.synchronize()?;
            pairs
                .iter()
                .map(|(start, end)| Ok(end.seconds_since(start)?))
                .collect()
        })())
    }

    /// Returns how many seconds `executions` executions of `work` take together, measured by a CUDA
    /// event before the first and another after the last. `work` enqueues on the stream.
    pub(crate) fn sample(
        &self,
        executions: usize,
        work: &dyn Fn() -> Result<(), Error>,
    ) -> Result<f64, Error> {
        let _entered = self.enter()?;
        let event = || TimedEvent::timed(&self.context);
        let (start, end) = (event()?, event()?);
        start.record(&self.stream)?;
        for _ in 0..executions {
            work()?;
        }
        end.record(&self.stream)?;
        self.synchronize()
            .inspect_err(|error| self.lose_to("a timed execution", error))?;
        Ok(end.seconds_since(&start)?)
    }

    /// Measures a checked launch as [`time`](Self::time) does.
    pub(crate) fn time_launch(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
        arguments: &[Vec<u8>],
        (warmup, runs): (usize, usize),
    ) -> Result<Result<Vec<f64>, DriverError>, Error> {
        let _entered = self.enter()?;
        self.raise_limits(function, fixed_shared, launch)?;
        self.time(warmup, runs, || {
            self.enqueue(function, launch, arguments, self.stream())
        })
    }

    /// Measures copies of `bytes` bytes within the device's memory as [`time`](Self::time) does.
    pub(crate) fn time_copy(
        &self,
        (to, from, bytes): (u64, u64, usize),
        (warmup, runs): (usize, usize),
    ) -> Result<Vec<f64>, Error> {
        self.time(warmup, runs, || {
            // SAFETY: the caller, `Buffer::time_copy_from_buffer`, borrows both buffers until this
            // function returns, and each has at least `bytes` bytes. `time` waits for the stream.
            let code = unsafe { cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream()) };
            check("cuMemcpyDtoDAsync", code)
        })?
        .map_err(Error::from)
    }
}
