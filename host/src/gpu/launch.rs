//! A checked launch, handed to the driver and waited for.

use super::driver::{
    self, DriverHandle, DriverStatus, LaunchAttribute, LaunchConfig, NOT_FOUND, check,
};
use super::{Function, Gpu, GpuStream};
use crate::error::{DriverError, Error};
use crate::launch::{Dim3, Launch};
use std::ffi::{c_int, c_void};
use std::sync::PoisonError;

impl Gpu {
    /// Starts `function`. The launch was checked against the signature, the limits and the
    /// contract.
    ///
    /// The outer error is the host's, before the kernel starts; the inner one the kernel's.
    pub(crate) fn launch(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
        arguments: &[Vec<u8>],
    ) -> Result<Result<(), DriverError>, Error> {
        self.enter()?;
        self.raise_limits(function, fixed_shared, launch)?;
        Ok(self.enqueue(function, launch, arguments, self.stream()))
    }

    /// Starts `function` on a stream of the device, which may be somebody else's and may be
    /// capturing: nothing is allocated, waited for or set besides. The launch was checked, and its
    /// limits were raised, before.
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
        self.enter()?;
        self.raise_limits(function, fixed_shared, launch)
    }

    /// The most clusters of a launch that the device runs at a time.
    pub(crate) fn max_active_clusters(
        &self,
        function: &Function,
        fixed_shared: usize,
        launch: &Launch,
        cluster: Dim3,
    ) -> Result<u32, Error> {
        self.enter()?;
        self.raise_limits(function, fixed_shared, launch)?;
        let mut clusters = 0;
        let attributes = [LaunchAttribute::cluster(cluster.0)];
        let config = config(launch, &attributes, self.stream());
        // SAFETY: `clusters` is a local that outlives the call, as do `config` and the attributes
        // that it points to; the `Function`'s kernel keeps its module loaded, and `enter` made its
        // context current.
        let code = unsafe {
            driver::cuOccupancyMaxActiveClusters(&raw mut clusters, function.handle, &config)
        };
        self.known("cuOccupancyMaxActiveClusters", code)?;
        Ok(u32::try_from(clusters).unwrap_or(0))
    }

    /// As [`check`], with advice where the driver does not have the function.
    fn known(&self, call: &'static str, code: DriverStatus) -> Result<(), DriverError> {
        check(call, code).map_err(|mut error| {
            if code == NOT_FOUND {
                error.meaning = format!(
                    "the CUDA driver ({}) does not have it: install one for CUDA 12.0 or newer (525 or later), or use the emulator",
                    self.about.driver
                );
            }
            error
        })
    }

    /// Starts `function` with attributes, of which the launch has some.
    fn enqueue_with(
        &self,
        function: &Function,
        launch: &Launch,
        attributes: &[LaunchAttribute],
        pointers: &mut [*mut c_void],
        stream: DriverHandle,
    ) -> Result<(), DriverError> {
        let config = config(launch, attributes, stream);
        // SAFETY: `enqueue`, the only caller, has one pointer per parameter, each to as many bytes
        // as the parameter has, which the driver copies before it returns; `config` and its
        // attributes outlive the call. The function's module and the stream are alive and of the
        // current context.
        let code = unsafe {
            driver::cuLaunchKernelEx(
                &config,
                function.handle,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.known("cuLaunchKernelEx", code)
    }

    /// Starts `function` on a stream of the context, which is current, without waiting.
    pub(super) fn enqueue(
        &self,
        function: &Function,
        launch: &Launch,
        arguments: &[Vec<u8>],
        stream: DriverHandle,
    ) -> Result<(), DriverError> {
        let mut pointers: Vec<*mut c_void> = arguments
            .iter()
            .map(|bytes| bytes.as_ptr().cast_mut().cast())
            .collect();
        // A device without clusters has no such attribute, not even for clusters of one block.
        let cluster = launch
            .cluster
            .filter(|cluster| cluster.count() > 1)
            .map(|cluster| LaunchAttribute::cluster(cluster.0));
        let programmatic = launch.programmatic.then(LaunchAttribute::programmatic);
        let attributes: Vec<LaunchAttribute> = cluster.into_iter().chain(programmatic).collect();
        if !attributes.is_empty() {
            return self.enqueue_with(function, launch, &attributes, &mut pointers, stream);
        }
        let [grid, block] = [launch.grid.0, launch.block.0];
        let shared = u32::try_from(launch.dynamic_shared).unwrap_or(u32::MAX);
        // SAFETY: `Rules::check` proved that there is one pointer per parameter and that
        // each points at as many bytes as the parameter has; the driver copies them before it
        // returns. The function's module and the stream are alive and of the current context.
        let code = unsafe {
            driver::cuLaunchKernel(
                function.handle,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared,
                stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", code)
    }

    /// Raises the function's limits of dynamic shared memory and of the cluster where the launch
    /// needs more than every device has.
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
        // SAFETY: the `Function`'s kernel keeps its module loaded; `enter` made its context
        // current.
        let code = unsafe {
            driver::cuFuncSetAttribute(function.handle, driver::FUNCTION_NON_PORTABLE_CLUSTER, 1)
        };
        Ok(check("cuFuncSetAttribute", code)?)
    }

    /// Raises the function's limit of dynamic shared memory where the launch needs more than a
    /// block has by default.
    fn raise_shared(&self, function: &Function, fixed: usize, dynamic: usize) -> Result<(), Error> {
        let needed = fixed + dynamic > self.about.limits.default_shared;
        if !needed {
            return Ok(());
        }
        // Held over the call: a launch in another thread must not lower the limit again.
        let mut raised_to = function
            .raised_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *raised_to < dynamic {
            let bytes = c_int::try_from(dynamic).unwrap_or(c_int::MAX);
            // SAFETY: the `Function`'s kernel keeps its module loaded; `enter` made its context
            // current.
            let code = unsafe {
                driver::cuFuncSetAttribute(
                    function.handle,
                    driver::FUNCTION_MAX_DYNAMIC_SHARED,
                    bytes,
                )
            };
            check("cuFuncSetAttribute", code)?;
            *raised_to = dynamic;
        }
        Ok(())
    }
}

/// A launch with attributes on a stream, as the driver takes it; it points to the attributes.
fn config(launch: &Launch, attributes: &[LaunchAttribute], stream: DriverHandle) -> LaunchConfig {
    LaunchConfig {
        grid: launch.grid.0,
        block: launch.block.0,
        dynamic_shared: u32::try_from(launch.dynamic_shared).unwrap_or(u32::MAX),
        stream,
        attributes: attributes.as_ptr(),
        attribute_count: attributes.len() as u32,
    }
}
