//! PTX compiled by the driver, with what its compiler had to say.

use super::Gpu;
use super::driver::{self, DriverHandle, check};
use crate::error::{DriverError, Error};
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::{Arc, Mutex};

/// A loaded module. Unloaded when dropped, before the context that it keeps.
pub(crate) struct GpuModule {
    handle: DriverHandle,
    gpu: Arc<Gpu>,
}

// SAFETY: a module's handle may be used from any thread in which its context is current, and every
// call here makes it current first.
unsafe impl Send for GpuModule {}
// SAFETY: the driver serialises calls on a module from several threads (CUDA driver API, thread
// safety); no field is mutable.
unsafe impl Sync for GpuModule {}

/// A kernel of a module that is kept alive beside it.
pub(crate) struct Function {
    pub(super) handle: DriverHandle,
    /// The limit of dynamic shared memory that was last set.
    pub(super) raised_to: Mutex<usize>,
}

// SAFETY: a function's handle may be used from any thread in which its context is current;
// `Gpu::enter` precedes every call.
unsafe impl Send for Function {}
// SAFETY: the driver serialises calls on a function from several threads; `raised_to` is behind its
// mutex.
unsafe impl Sync for Function {}

/// What the driver's compiler made of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread in bytes: spills and stack.
    pub local_bytes: u32,
    /// Static shared memory of a block in bytes.
    pub static_shared: u32,
    /// The most threads that a block of this kernel may have.
    pub max_threads: u32,
}

impl GpuModule {
    /// Has the driver compile `ptx` for the device.
    pub(crate) fn load(gpu: &Arc<Gpu>, ptx: &str) -> Result<Self, Error> {
        gpu.enter()?;
        let image = CString::new(ptx).map_err(|error| Error::Jit {
            source: driver::describe("cuModuleLoadDataEx", 218),
            log: format!(
                "the PTX holds a zero byte at offset {}",
                error.nul_position()
            ),
        })?;
        const SIZE: usize = 16 * 1024;
        let mut errors = vec![0_u8; SIZE];
        let mut notes = vec![0_u8; SIZE];
        let mut names = [
            driver::JIT_ERROR_LOG,
            driver::JIT_ERROR_LOG_SIZE,
            driver::JIT_INFO_LOG,
            driver::JIT_INFO_LOG_SIZE,
        ];
        // A value that fits in a pointer is passed in its place.
        let mut values: [*mut c_void; 4] = [
            errors.as_mut_ptr().cast(),
            ptr::without_provenance_mut(SIZE),
            notes.as_mut_ptr().cast(),
            ptr::without_provenance_mut(SIZE),
        ];
        let mut handle = ptr::null_mut();
        // SAFETY: the image is zero-terminated; names and values have the same length, 4; both logs
        // are writable for the sizes that are given with them and outlive the call.
        let code = unsafe {
            driver::cuModuleLoadDataEx(
                &raw mut handle,
                image.as_ptr().cast(),
                4,
                names.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check("cuModuleLoadDataEx", code).map_err(|source| Error::Jit {
            source,
            log: [text(&errors), text(&notes)].join("\n"),
        })?;
        Ok(Self {
            handle,
            gpu: Arc::clone(gpu),
        })
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The kernel `name`; the name was found in the module's signatures.
    pub(crate) fn function(&self, name: &str) -> Result<Function, Error> {
        self.gpu.enter()?;
        let c_name =
            CString::new(name).map_err(|_| driver::describe("cuModuleGetFunction", 500))?;
        let mut handle = ptr::null_mut();
        // SAFETY: `self` keeps the module loaded, a `CString` is zero-terminated, `handle` is a
        // local that outlives the call.
        let code =
            unsafe { driver::cuModuleGetFunction(&raw mut handle, self.handle, c_name.as_ptr()) };
        check("cuModuleGetFunction", code)?;
        Ok(Function {
            handle,
            raised_to: Mutex::new(0),
        })
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        if self.gpu.enter().is_ok() {
            // SAFETY: loaded by `load`, unloaded once, here; kernels hold the module, so none is
            // left.
            let _ = unsafe { driver::cuModuleUnload(self.handle) };
        }
    }
}

impl Function {
    pub(crate) fn resources(&self, gpu: &Gpu) -> Result<Resources, Error> {
        gpu.enter()?;
        let query = |attribute| {
            let mut value = 0;
            // SAFETY: the kernel that owns this function keeps the module loaded; `value` is a
            // local that outlives the call.
            let code =
                unsafe { driver::cuFuncGetAttribute(&raw mut value, attribute, self.handle) };
            check("cuFuncGetAttribute", code)?;
            Ok::<u32, DriverError>(u32::try_from(value).unwrap_or(0))
        };
        Ok(Resources {
            registers: query(driver::FUNCTION_REGISTERS)?,
            local_bytes: query(driver::FUNCTION_LOCAL_BYTES)?,
            static_shared: query(driver::FUNCTION_STATIC_SHARED)?,
            max_threads: query(driver::FUNCTION_MAX_THREADS)?,
        })
    }
}

/// What a log buffer holds up to its first zero.
fn text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_string()
}
