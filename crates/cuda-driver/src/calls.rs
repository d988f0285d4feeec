//! The driver's functions under their own names, with typed arguments. Each function looks up its
//! symbol at its first call, so it needs neither the linker nor a feature of this crate.
//!
//! ```text
//!   calls::cuInit(0) ──first call: symbol("cuInit")──► the driver's cuInit(0)
//!                                                 └──► 100 without a driver, 500 without the function
//! ```
//!
//! Law: with a driver, a call calls the driver's function with the same arguments. A call returns
//! `CUDA_ERROR_NO_DEVICE` (100) without a driver, and `CUDA_ERROR_NOT_FOUND` (500) if the driver
//! lacks the function. In both cases the call reads no argument.
//!
//! Results are integers, because a newer driver may return codes that this crate does not know.
//!
//! Source: CUDA Driver API; `cuda.h` of CUDA 12 and 13.

use crate::{library, status};
use core::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use core::mem::transmute;
use std::sync::OnceLock;

/// A context, stream, event, module, function or graph of the driver.
pub type Handle = *mut c_void;
/// A `CUresult`: 0 if the call succeeded.
pub type Code = c_int;

/// `CUDA_SUCCESS`.
pub const SUCCESS: Code = 0;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub const OUT_OF_MEMORY: Code = 2;
/// `CUDA_ERROR_NO_DEVICE`, which every call returns without a driver.
pub const NO_DEVICE: Code = 100;
/// `CUDA_ERROR_NOT_FOUND`, which a call returns if the driver lacks the function.
pub const NOT_FOUND: Code = 500;
/// `CUDA_ERROR_NOT_READY`.
pub const NOT_READY: Code = 600;

/// Returns the result of a call whose function was not found.
fn absent() -> Code {
    if status().is_loaded() {
        NOT_FOUND
    } else {
        NO_DEVICE
    }
}

/// Returns a name that ends with a zero byte as a C string.
const fn terminated(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("the macro ends each name with a zero"),
    }
}

macro_rules! calls {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)+) => {
        /// The functions of this module, by their names.
        pub const NAMES: &[&CStr] = &[$(terminated(concat!(stringify!($name), "\0")),)+];

        $(
            #[doc = concat!("The driver's `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// The arguments satisfy the CUDA Driver API's conditions for this function.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe fn $name($($argument: $type),*) -> Code {
                type Function = unsafe extern "system" fn($($type),*) -> Code;
                static FOUND: OnceLock<Option<Function>> = OnceLock::new();
                let found = FOUND.get_or_init(|| {
                    let address = library::symbol(terminated(concat!(stringify!($name), "\0")))?;
                    // SAFETY: `symbol` returns the driver's function of this name, whose signature
                    // in `cuda.h` is `Function`: addresses and handles are 64 bits, results and
                    // enumerations an int. The driver stays open for the process's lifetime.
                    Some(unsafe { transmute::<*const c_void, Function>(address) })
                });
                match found {
                    // SAFETY: the caller's arguments satisfy the driver's conditions (`# Safety`).
                    Some(function) => unsafe { function($($argument),*) },
                    None => absent(),
                }
            }
        )+
    };
}

calls! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuGetErrorName(code: Code, name: *mut *const c_char);
    fn cuGetErrorString(code: Code, text: *mut *const c_char);

    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int);
    fn cuDevicePrimaryCtxRelease_v2(device: c_int);
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);

    fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, device: c_int);
    fn cuCtxDestroy_v2(context: Handle);
    fn cuCtxGetCurrent(context: *mut Handle);
    fn cuCtxSetCurrent(context: Handle);
    fn cuCtxPushCurrent_v2(context: Handle);
    fn cuCtxPopCurrent_v2(context: *mut Handle);
    fn cuCtxGetDevice(device: *mut c_int);
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint);

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize);
    fn cuMemFree_v2(address: u64);
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle);
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle);
    fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Handle);
    fn cuMemcpyPeerAsync(
        to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize, stream: Handle
    );
    fn cuMemsetD8_v2(address: u64, value: u8, bytes: usize);
    fn cuMemsetD8Async(address: u64, value: u8, bytes: usize, stream: Handle);

    fn cuModuleLoadDataEx(
        module: *mut Handle, image: *const c_void, options: c_uint, names: *mut c_int,
        values: *mut *mut c_void
    );
    fn cuModuleUnload(module: Handle);
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle);
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int);

    fn cuLaunchKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, dynamic_shared: c_uint, stream: Handle,
        parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
    fn cuLaunchKernelEx(
        config: *const LaunchConfig, function: Handle, parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    fn cuOccupancyMaxActiveClusters(
        clusters: *mut c_int, function: Handle, config: *const LaunchConfig
    );
    fn cuTensorMapEncodeTiled(
        map: *mut c_void, data_type: c_uint, rank: c_uint, address: u64, extents: *const u64,
        strides: *const u64, box_extents: *const c_uint, element_strides: *const c_uint,
        interleave: c_uint, swizzle: c_uint, l2_promotion: c_uint, out_of_bounds: c_uint
    );

    fn cuStreamCreate(stream: *mut Handle, flags: c_uint);
    fn cuStreamDestroy_v2(stream: Handle);
    fn cuStreamSynchronize(stream: Handle);
    fn cuStreamQuery(stream: Handle);
    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    fn cuStreamBeginCapture_v2(stream: Handle, mode: c_int);
    fn cuStreamEndCapture(stream: Handle, graph: *mut Handle);
    fn cuGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize);
    fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, flags: c_ulonglong);
    fn cuGraphLaunch(executable: Handle, stream: Handle);

    fn cuEventCreate(event: *mut Handle, flags: c_uint);
    fn cuEventDestroy_v2(event: Handle);
    fn cuEventRecord(event: Handle, stream: Handle);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
}

/// `CUlaunchAttribute`: an identifier, and at offset 8 a value of 64 bytes. The value is a union
/// that contains pointers too, so the structure is aligned to 8 bytes.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
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

    /// Returns `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`: the blocks of a cluster.
    #[must_use]
    pub fn cluster(extents: [u32; 3]) -> Self {
        Self::new(4, &extents)
    }

    /// Returns `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`, for programmatic dependent
    /// launch.
    #[must_use]
    pub fn programmatic() -> Self {
        Self::new(6, &[1])
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct LaunchConfig {
    /// The number of blocks along x, y and z.
    pub grid: [c_uint; 3],
    /// The number of threads of a block along x, y and z.
    pub block: [c_uint; 3],
    /// The dynamic shared memory of a block, in bytes.
    pub dynamic_shared: c_uint,
    /// The stream.
    pub stream: Handle,
    /// The first attribute.
    pub attributes: *const LaunchAttribute,
    /// The number of attributes.
    pub attribute_count: c_uint,
}

// These are the sizes in `cuda.h` of CUDA 12 and 13.
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && align_of::<LaunchAttribute>() == 8);
const _: () = assert!(size_of::<LaunchConfig>() == 56);

/// The source or the destination of a [`Copy2d`].
#[repr(C)]
pub struct CopySide {
    x_in_bytes: usize,
    y: usize,
    memory_type: c_uint,
    host: *mut c_void,
    device: u64,
    array: *mut c_void,
    pitch: usize,
}

impl CopySide {
    /// Returns rows of a device's memory, `pitch` bytes apart.
    #[must_use]
    pub fn device(address: u64, pitch: usize) -> Self {
        /// `CU_MEMORYTYPE_DEVICE`.
        const MEMORY_TYPE_DEVICE: c_uint = 2;
        Self {
            x_in_bytes: 0,
            y: 0,
            memory_type: MEMORY_TYPE_DEVICE,
            host: core::ptr::null_mut(),
            device: address,
            array: core::ptr::null_mut(),
            pitch,
        }
    }
}

/// `CUDA_MEMCPY2D`: `bytes` bytes of each of `rows` rows.
#[repr(C)]
pub struct Copy2d {
    /// The source.
    pub from: CopySide,
    /// The destination.
    pub to: CopySide,
    /// The number of bytes of a row.
    pub bytes: usize,
    /// The number of rows.
    pub rows: usize,
}
