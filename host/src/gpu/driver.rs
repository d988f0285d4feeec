//! The driver calls that `cust` does not wrap, or wraps with less than we need.
//!
//! `cust_raw` declares a call's result as a Rust enum of the codes that CUDA 11 had. A newer driver
//! may answer with a code that is not among them, and such an enum value would be undefined
//! behaviour; `cust` itself folds every code that it does not list into "unknown error". So calls
//! whose failure matters are declared here, with the result as the integer that it is, and every
//! code is given its name and meaning by the driver itself.
//!
//! Source: CUDA driver API reference (`cuModuleLoadDataEx`, `cuLaunchKernel`, `cuFuncSetAttribute`,
//! `cuGetErrorName`, `cuGetErrorString`).

use crate::error::DriverError;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

// The symbols that this module declares come from there.
use cuda_driver as _;

pub(super) type Code = c_int;
pub(super) type Handle = *mut c_void;

pub(super) const SUCCESS: Code = 0;
pub(super) const OUT_OF_MEMORY: Code = 2;

/// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`
pub(super) const MAX_SHARED_OPT_IN: c_int = 97;

/// `CU_FUNC_ATTRIBUTE_*`
pub(super) const FUNCTION_MAX_THREADS: c_int = 0;
pub(super) const FUNCTION_STATIC_SHARED: c_int = 1;
pub(super) const FUNCTION_LOCAL_BYTES: c_int = 3;
pub(super) const FUNCTION_REGISTERS: c_int = 4;
pub(super) const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;

/// `CU_JIT_*`
pub(super) const JIT_INFO_LOG: c_int = 3;
pub(super) const JIT_INFO_LOG_SIZE: c_int = 4;
pub(super) const JIT_ERROR_LOG: c_int = 5;
pub(super) const JIT_ERROR_LOG_SIZE: c_int = 6;

unsafe extern "C" {
    pub(super) fn cuGetErrorName(code: Code, name: *mut *const c_char) -> Code;
    pub(super) fn cuGetErrorString(code: Code, text: *mut *const c_char) -> Code;
    pub(super) fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> Code;
    pub(super) fn cuCtxSetCurrent(context: Handle) -> Code;
    pub(super) fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Code;
    pub(super) fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Code;
    pub(super) fn cuMemFree_v2(address: u64) -> Code;
    pub(super) fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> Code;
    pub(super) fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> Code;
    pub(super) fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) -> Code;
    pub(super) fn cuMemsetD8_v2(address: u64, value: u8, bytes: usize) -> Code;
    pub(super) fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        options: c_uint,
        names: *mut c_int,
        values: *mut *mut c_void,
    ) -> Code;
    pub(super) fn cuModuleUnload(module: Handle) -> Code;
    pub(super) fn cuModuleGetFunction(
        function: *mut Handle,
        module: Handle,
        name: *const c_char,
    ) -> Code;
    pub(super) fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle)
    -> Code;
    pub(super) fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) -> Code;
    pub(super) fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> Code;
    pub(super) fn cuStreamSynchronize(stream: Handle) -> Code;
}

/// The error that a call's code stands for, if it is one.
pub(super) fn check(call: &'static str, code: Code) -> Result<(), DriverError> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(describe(call, code))
    }
}

/// A code with the driver's own name and words for it.
pub(crate) fn describe(call: &'static str, code: Code) -> DriverError {
    let ask = |function: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
        let mut text = ptr::null();
        // SAFETY: both functions only write a pointer to a constant string of the driver's, or null.
        let answer = unsafe { function(code, &raw mut text) };
        if answer != SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: a non-null answer points to a zero-terminated string that lives as long as the driver.
        let text = unsafe { CStr::from_ptr(text) };
        Some(text.to_string_lossy().into_owned())
    };
    DriverError {
        call,
        code,
        name: ask(cuGetErrorName).unwrap_or_else(|| "an error without a name".into()),
        meaning: ask(cuGetErrorString)
            .unwrap_or_else(|| format!("the driver has no words for the code {code}")),
    }
}

/// The error of a call that went through `cust`.
pub(super) fn from_cust(call: &'static str, error: cust::error::CudaError) -> DriverError {
    describe(call, error as i32)
}
