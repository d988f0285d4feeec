//! Passes a checked launch to the driver.

use super::{Function, Gpu, GpuStream};
use crate::error::Error;
use crate::launch::{Dim3, Launch};
use cuda_driver::calls::{self, Handle, NOT_FOUND};
use cuda_driver::{DriverError, LaunchShape, check};
use std::ffi::{c_int, c_void};
use std::sync::PoisonError;

/// `CU_FUNC_ATTRIBUTE_*`
const MAX_DYNAMIC_SHARED: c_int = 8;
const NON_PORTABLE_CLUSTER: c_int = 14;

impl Gpu {
    /// Starts `function`. The caller has checked the launch against the signature, the limits and
    /// the contract.
    ///
    /// The outer error arises on the host before the kernel starts. The inner error is the error of
    /// the launch.
    pub(crate) fn launch(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
        arguments: &[Vec<u8>],
    ) -> Result<Result<(), DriverError>, Error> {
        let _entered = self.enter()?;
        self.raise_limits(function, fixed_shared, launch)?;
        Ok(self.enqueue(function, launch, arguments, self.stream()))
    }

    /// Starts `function` on a stream of the device. The stream may belong to another library and
    /// may be capturing, so this function allocates nothing, waits for nothing, and sets no limit.
    /// The caller has checked the launch and raised its limits.
    pub(crate) fn launch_on(
        &self,
        function: &Function,
        launch: &Launch,
        arguments: &[Vec<u8>],
        stream: &GpuStream,
    ) -> Result<Result<(), DriverError>, Error> {
        let _current = self.enter_for_now()?;
        Ok(self.enqueue(function, launch, arguments, stream.handle()))
    }

    /// Raises the limits of `function` for launches that are enqueued later.
    pub(crate) fn ready(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
    ) -> Result<(), Error> {
        let _entered = self.enter()?;
        self.raise_limits(function, fixed_shared, launch)
    }

    /// Returns the most clusters of a launch that the device can run at the same time.
    pub(crate) fn max_active_clusters(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
        cluster: Dim3,
    ) -> Result<u32, Error> {
        let _entered = self.enter()?;
        self.raise_limits(function, fixed_shared, launch)?;
        let shape = LaunchShape {
            cluster: cluster.0,
            ..shape(launch)
        };
        // SAFETY: the `Function`'s kernel keeps its module loaded, `self` owns the stream, and
        // `enter` made their context current.
        let clusters = unsafe { shape.max_active_clusters(function.handle, self.stream()) };
        Ok(clusters.map_err(|error| self.advised(error))?)
    }

    /// Returns the error. If the driver lacks the function, advice is added.
    fn advised(&self, mut error: DriverError) -> DriverError {
        if error.code == NOT_FOUND {
            error.meaning = format!(
                "the CUDA driver ({}) does not have it: install one for CUDA 12.0 or newer (525 or later), or use the emulator",
                self.about.driver
            );
        }
        error
    }

    /// Starts `function` on a stream of the current context, without waiting.
    pub(super) fn enqueue(
        &self,
        function: &Function,
        launch: &Launch,
        arguments: &[Vec<u8>],
        stream: Handle,
    ) -> Result<(), DriverError> {
        let mut pointers: Vec<*mut c_void> = arguments
            .iter()
            .map(|bytes| bytes.as_ptr().cast_mut().cast())
            .collect();
        // SAFETY: `Rules::check` proved that there is one pointer per parameter, to the parameter's
        // bytes. The `Function`'s kernel keeps its module loaded. The caller keeps the stream alive
        // and made their context current.
        let started = unsafe { shape(launch).start(function.handle, stream, &mut pointers) };
        started.map_err(|error| self.advised(error))
    }

    /// Raises the function's limits of dynamic shared memory and of the cluster size, if the launch
    /// needs more than every device supports.
    pub(super) fn raise_limits(
        &self,
        function: &Function,
        fixed: usize,
        launch: &Launch,
    ) -> Result<(), Error> {
        self.raise_shared(function, fixed, launch.dynamic_shared)?;
        if !launch.non_portable_cluster {
            return Ok(());
        }
        // SAFETY: the `Function`'s kernel keeps its module loaded. `enter` made its context
        // current.
        let code = unsafe { calls::cuFuncSetAttribute(function.handle, NON_PORTABLE_CLUSTER, 1) };
        Ok(check("cuFuncSetAttribute", code)?)
    }

    /// Raises the function's limit of dynamic shared memory, if the launch needs more than a block
    /// has by default.
    fn raise_shared(&self, function: &Function, fixed: usize, dynamic: usize) -> Result<(), Error> {
        let needed = fixed + dynamic > self.about.limits.default_shared;
        if !needed {
            return Ok(());
        }
        // The lock is held during the call, so that a launch in another thread does not lower the
        // limit again.
        let mut raised_to = function
            .raised_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *raised_to < dynamic {
            let bytes = c_int::try_from(dynamic).unwrap_or(c_int::MAX);
            // SAFETY: the `Function`'s kernel keeps its module loaded. `enter` made its context
            // current.
            let code =
                unsafe { calls::cuFuncSetAttribute(function.handle, MAX_DYNAMIC_SHARED, bytes) };
            check("cuFuncSetAttribute", code)?;
            *raised_to = dynamic;
        }
        Ok(())
    }
}

/// Returns the driver's form of the launch.
fn shape(launch: &Launch) -> LaunchShape {
    LaunchShape {
        grid: launch.grid.0,
        block: launch.block.0,
        dynamic_shared: u32::try_from(launch.dynamic_shared).unwrap_or(u32::MAX),
        cluster: launch.cluster.map_or([1; 3], |cluster| cluster.0),
        programmatic: launch.programmatic,
    }
}
