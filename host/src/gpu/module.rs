//! PTX that the driver compiles, with the messages of the driver's compiler.

use super::Gpu;
use crate::error::Error;
use cuda_driver::calls::{self, Handle};
use cuda_driver::{DriverError, JitError, check, load_module, module_function};
use std::ffi::{CString, c_int};
use std::sync::{Arc, Mutex};

/// `CU_FUNC_ATTRIBUTE_*`
const MAX_THREADS: c_int = 0;
const STATIC_SHARED: c_int = 1;
const LOCAL_BYTES: c_int = 3;
const REGISTERS: c_int = 4;

/// A loaded module. It is unloaded when dropped, before the context that it keeps.
pub(crate) struct GpuModule {
    handle: Handle,
    gpu: Arc<Gpu>,
}

// SAFETY: any thread in which a module's context is current may use the module's handle, and every
// call here makes the context current first.
unsafe impl Send for GpuModule {}
// SAFETY: the driver serialises calls on a module from several threads (CUDA driver API, thread
// safety), and no field is mutable.
unsafe impl Sync for GpuModule {}

/// A kernel of a module. The owner of the `Function` also keeps the kernel's module loaded.
pub(crate) struct Function {
    pub(super) handle: Handle,
    /// The limit of dynamic shared memory that was last set.
    pub(super) raised_to: Mutex<usize>,
}

// SAFETY: any thread in which a function's context is current may use the function's handle, and
// `Gpu::enter` precedes every call.
unsafe impl Send for Function {}
// SAFETY: the driver serialises calls on a function from several threads, and a mutex guards
// `raised_to`.
unsafe impl Sync for Function {}

/// The resources that a kernel needs, as the driver's compiler determined them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The number of registers of a thread.
    pub registers: u32,
    /// The local memory of a thread, in bytes: spills and stack.
    pub local_bytes: u32,
    /// The static shared memory of a block, in bytes.
    pub static_shared: u32,
    /// The largest number of threads of a block of this kernel.
    pub max_threads: u32,
}

impl GpuModule {
    /// Makes the driver compile `ptx` for the device.
    pub(crate) fn load(gpu: &Arc<Gpu>, ptx: &str) -> Result<Self, Error> {
        let _entered = gpu.enter()?;
        let image = CString::new(ptx).map_err(|error| Error::Jit {
            source: DriverError::new("cuModuleLoadDataEx", 218),
            log: format!(
                "the PTX holds a zero byte at offset {}",
                error.nul_position()
            ),
        })?;
        let refused = |JitError { source, log }| Error::Jit { source, log };
        Ok(Self {
            handle: load_module(&image).map_err(refused)?,
            gpu: Arc::clone(gpu),
        })
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Returns the kernel `name`, which the caller found in the module's signatures.
    pub(crate) fn function(&self, name: &str) -> Result<Function, Error> {
        let _entered = self.gpu.enter()?;
        let name = CString::new(name).map_err(|_| DriverError::new("cuModuleGetFunction", 500))?;
        // SAFETY: `self` keeps the module loaded.
        let handle = unsafe { module_function(self.handle, &name) }?;
        Ok(Function {
            handle,
            raised_to: Mutex::new(0),
        })
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        if let Ok(_entered) = self.gpu.enter() {
            // SAFETY: `load` loaded the module, and only this drop unloads it. Kernels hold the
            // module, so no kernel is left.
            let _ = unsafe { calls::cuModuleUnload(self.handle) };
        }
    }
}

impl Function {
    pub(crate) fn resources(&self, gpu: &Gpu) -> Result<Resources, Error> {
        let _entered = gpu.enter()?;
        let query = |attribute| {
            let mut value = 0;
            // SAFETY: the kernel that owns this function keeps the module loaded. `value` is a
            // local that outlives the call.
            let code = unsafe { calls::cuFuncGetAttribute(&raw mut value, attribute, self.handle) };
            check("cuFuncGetAttribute", code)?;
            Ok::<u32, DriverError>(u32::try_from(value).unwrap_or(0))
        };
        Ok(Resources {
            registers: query(REGISTERS)?,
            local_bytes: query(LOCAL_BYTES)?,
            static_shared: query(STATIC_SHARED)?,
            max_threads: query(MAX_THREADS)?,
        })
    }
}
