//! The driver calls that `cust` does not wrap, or wraps with less than we need.
//!
//! `cust_raw` declares a call's result as a Rust enum of the codes that CUDA 11 had. A newer driver
//! may answer with a code that is not among them, and such an enum value would be undefined
//! behaviour; `cust` itself folds every code that it does not list into "unknown error". So calls
//! whose failure matters are declared here, with the result as the integer that it is, and every
//! code is given its name and meaning by the driver itself.
//!
//! Source: CUDA driver API reference (`cuModuleLoadDataEx`, `cuLaunchKernel`, `cuFuncSetAttribute`,
//! `cuTensorMapEncodeTiled`, `cuLaunchKernelEx`, `cuOccupancyMaxActiveClusters`, `cuGetErrorName`,
//! `cuGetErrorString`).

use crate::error::DriverError;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

// The symbols that this module declares come from there.
use cuda_driver as _;

pub(super) type DriverStatus = c_int;
pub(super) type DriverHandle = *mut c_void;

pub(super) const SUCCESS: DriverStatus = 0;
pub(super) const OUT_OF_MEMORY: DriverStatus = 2;
pub(super) const NOT_READY: DriverStatus = 600;
pub(super) const PEER_ACCESS_ALREADY_ENABLED: DriverStatus = 704;
/// `cuda_driver`'s answer for a function that the driver does not have.
pub(super) const NOT_FOUND: DriverStatus = 500;

/// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`
pub(super) const MAX_SHARED_OPT_IN: c_int = 97;

/// `CU_FUNC_ATTRIBUTE_*`
pub(super) const FUNCTION_MAX_THREADS: c_int = 0;
pub(super) const FUNCTION_STATIC_SHARED: c_int = 1;
pub(super) const FUNCTION_LOCAL_BYTES: c_int = 3;
pub(super) const FUNCTION_REGISTERS: c_int = 4;
pub(super) const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;

pub(super) const FUNCTION_NON_PORTABLE_CLUSTER: c_int = 14;

/// `CU_LAUNCH_ATTRIBUTE_*`
const CLUSTER_DIMENSION: c_uint = 4;
const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;

/// `CUlaunchAttribute`: a number, and a value of 64 bytes at offset 8.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct LaunchAttribute {
    id: c_uint,
    pad: c_uint,
    value: [u32; 16],
}

impl LaunchAttribute {
    fn new(id: c_uint, value: &[u32]) -> Self {
        let mut all = [0; 16];
        all[..value.len()].copy_from_slice(value);
        Self {
            id,
            pad: 0,
            value: all,
        }
    }

    /// Blocks of a cluster.
    pub(super) fn cluster(extents: [u32; 3]) -> Self {
        Self::new(CLUSTER_DIMENSION, &extents)
    }

    /// Programmatic dependent launch.
    pub(super) fn programmatic() -> Self {
        Self::new(PROGRAMMATIC_STREAM_SERIALIZATION, &[1])
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
pub(super) struct LaunchConfig {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) dynamic_shared: c_uint,
    pub(super) stream: DriverHandle,
    pub(super) attributes: *const LaunchAttribute,
    pub(super) attribute_count: c_uint,
}

// The driver's header (`cuda.h` of CUDA 12 and 13) lays them out so.
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && size_of::<LaunchConfig>() == 56);

/// `CU_JIT_*`
pub(super) const JIT_INFO_LOG: c_int = 3;
pub(super) const JIT_INFO_LOG_SIZE: c_int = 4;
pub(super) const JIT_ERROR_LOG: c_int = 5;
pub(super) const JIT_ERROR_LOG_SIZE: c_int = 6;

/// One side of a copy of rows: `CUDA_MEMCPY2D` has it twice.
#[repr(C)]
pub(super) struct CopySide {
    x_in_bytes: usize,
    y: usize,
    memory_type: c_uint,
    host: *mut c_void,
    device: u64,
    array: *mut c_void,
    pitch: usize,
}

impl CopySide {
    /// Rows of a device's memory, so many bytes apart.
    pub(super) fn device(address: u64, pitch: usize) -> Self {
        Self {
            x_in_bytes: 0,
            y: 0,
            memory_type: MEMORY_TYPE_DEVICE,
            host: ptr::null_mut(),
            device: address,
            array: ptr::null_mut(),
            pitch,
        }
    }
}

/// `CU_MEMORYTYPE_DEVICE`.
const MEMORY_TYPE_DEVICE: c_uint = 2;

/// `CUDA_MEMCPY2D`: so many bytes of so many rows.
#[repr(C)]
pub(super) struct Copy2d {
    pub(super) from: CopySide,
    pub(super) to: CopySide,
    pub(super) bytes: usize,
    pub(super) rows: usize,
}

unsafe extern "C" {
    pub(super) fn cuGetErrorName(code: DriverStatus, name: *mut *const c_char) -> DriverStatus;
    pub(super) fn cuGetErrorString(code: DriverStatus, text: *mut *const c_char) -> DriverStatus;
    pub(super) fn cuDeviceGetAttribute(
        value: *mut c_int,
        attribute: c_int,
        device: c_int,
    ) -> DriverStatus;
    pub(super) fn cuCtxSetCurrent(context: DriverHandle) -> DriverStatus;
    pub(super) fn cuCtxPushCurrent_v2(context: DriverHandle) -> DriverStatus;
    pub(super) fn cuCtxPopCurrent_v2(context: *mut DriverHandle) -> DriverStatus;
    pub(super) fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> DriverStatus;
    pub(super) fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> DriverStatus;
    pub(super) fn cuMemFree_v2(address: u64) -> DriverStatus;
    pub(super) fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> DriverStatus;
    pub(super) fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> DriverStatus;
    pub(super) fn cuMemcpyDtoDAsync_v2(
        to: u64,
        from: u64,
        bytes: usize,
        stream: DriverHandle,
    ) -> DriverStatus;
    pub(super) fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: DriverHandle) -> DriverStatus;
    pub(super) fn cuMemsetD8_v2(address: u64, value: u8, bytes: usize) -> DriverStatus;
    pub(super) fn cuMemsetD8Async(
        address: u64,
        value: u8,
        bytes: usize,
        stream: DriverHandle,
    ) -> DriverStatus;
    pub(super) fn cuModuleLoadDataEx(
        module: *mut DriverHandle,
        image: *const c_void,
        options: c_uint,
        names: *mut c_int,
        values: *mut *mut c_void,
    ) -> DriverStatus;
    pub(super) fn cuModuleUnload(module: DriverHandle) -> DriverStatus;
    pub(super) fn cuModuleGetFunction(
        function: *mut DriverHandle,
        module: DriverHandle,
        name: *const c_char,
    ) -> DriverStatus;
    pub(super) fn cuFuncGetAttribute(
        value: *mut c_int,
        attribute: c_int,
        function: DriverHandle,
    ) -> DriverStatus;
    pub(super) fn cuFuncSetAttribute(
        function: DriverHandle,
        attribute: c_int,
        value: c_int,
    ) -> DriverStatus;
    pub(super) fn cuLaunchKernel(
        function: DriverHandle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: DriverHandle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> DriverStatus;
    pub(super) fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: DriverHandle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> DriverStatus;
    pub(super) fn cuOccupancyMaxActiveClusters(
        clusters: *mut c_int,
        function: DriverHandle,
        config: *const LaunchConfig,
    ) -> DriverStatus;
    pub(super) fn cuTensorMapEncodeTiled(
        map: *mut c_void,
        data_type: c_uint,
        rank: c_uint,
        address: u64,
        extents: *const u64,
        strides: *const u64,
        box_extents: *const c_uint,
        element_strides: *const c_uint,
        interleave: c_uint,
        swizzle: c_uint,
        l2_promotion: c_uint,
        out_of_bounds: c_uint,
    ) -> DriverStatus;
    pub(super) fn cuStreamSynchronize(stream: DriverHandle) -> DriverStatus;
    pub(super) fn cuStreamQuery(stream: DriverHandle) -> DriverStatus;
    pub(super) fn cuStreamCreate(stream: *mut DriverHandle, flags: c_uint) -> DriverStatus;
    pub(super) fn cuStreamDestroy_v2(stream: DriverHandle) -> DriverStatus;
    pub(super) fn cuStreamWaitEvent(
        stream: DriverHandle,
        event: DriverHandle,
        flags: c_uint,
    ) -> DriverStatus;
    pub(super) fn cuEventCreate(event: *mut DriverHandle, flags: c_uint) -> DriverStatus;
    pub(super) fn cuEventDestroy_v2(event: DriverHandle) -> DriverStatus;
    pub(super) fn cuEventRecord(event: DriverHandle, stream: DriverHandle) -> DriverStatus;
    pub(super) fn cuCtxEnablePeerAccess(peer: DriverHandle, flags: c_uint) -> DriverStatus;
    pub(super) fn cuMemcpyPeerAsync(
        to: u64,
        to_context: DriverHandle,
        from: u64,
        from_context: DriverHandle,
        bytes: usize,
        stream: DriverHandle,
    ) -> DriverStatus;
}

/// The error that a call's code stands for, if it is one.
pub(super) fn check(call: &'static str, code: DriverStatus) -> Result<(), DriverError> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(describe(call, code))
    }
}

/// A code with the driver's own name and description of it.
pub(crate) fn describe(call: &'static str, code: DriverStatus) -> DriverError {
    let query =
        |function: unsafe extern "C" fn(DriverStatus, *mut *const c_char) -> DriverStatus| {
            let mut text = ptr::null();
            // SAFETY: both functions only write a pointer to a constant string of the driver's, or
            // null.
            let answer = unsafe { function(code, &raw mut text) };
            if answer != SUCCESS || text.is_null() {
                return None;
            }
            // SAFETY: a non-null answer points to a zero-terminated string that lives as long as
            // the driver.
            let text = unsafe { CStr::from_ptr(text) };
            Some(text.to_string_lossy().into_owned())
        };
    DriverError {
        call,
        code,
        name: query(cuGetErrorName).unwrap_or_else(|| "an error without a name".into()),
        meaning: query(cuGetErrorString)
            .unwrap_or_else(|| format!("the driver has no description of the code {code}")),
    }
}

/// The error of a call that went through `cust`.
pub(super) fn from_cust(call: &'static str, error: cust::error::CudaError) -> DriverError {
    describe(call, error as i32)
}
