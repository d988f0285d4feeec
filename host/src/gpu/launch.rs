//! A checked launch, handed to the driver and waited for.

use super::driver::{self, check};
use super::{Function, Gpu};
use crate::error::{DriverError, Error};
use crate::launch::Launch;
use std::ffi::{c_int, c_void};
use std::sync::PoisonError;

impl Gpu {
    /// Starts `function`. The launch was checked against the signature, the limits and the contract.
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
        self.raise_shared(function, fixed_shared, launch.dynamic_shared)?;
        Ok(self.enqueue(function, launch, arguments))
    }

    /// Starts `function` on the stream without waiting.
    pub(super) fn enqueue(
        &self,
        function: &Function,
        launch: &Launch,
        arguments: &[Vec<u8>],
    ) -> Result<(), DriverError> {
        let mut pointers: Vec<*mut c_void> = arguments
            .iter()
            .map(|bytes| bytes.as_ptr().cast_mut().cast())
            .collect();
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
                self.stream(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", code)
    }

    /// Raises the function's limit of dynamic shared memory where the launch needs more than a
    /// block has by default.
    pub(super) fn raise_shared(
        &self,
        function: &Function,
        fixed: usize,
        dynamic: usize,
    ) -> Result<(), Error> {
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
            // SAFETY: the `Function`'s kernel keeps its module loaded; `enter` made its context current.
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
