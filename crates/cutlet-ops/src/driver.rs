//! The driver's functions, looked up by their names at run time: nothing here is linked to them.
//!
//! ```text
//!   cuda_driver::symbol("cuInit") ─► Functions { init, .. }      found once a process
//! ```
//!
//! Law: a function has the signature that `cuda.h` gives it; a code that is not 0 is an error with
//! the driver's own words.
//!
//! Source: CUDA Driver API, *Types*, *Error Handling*; `cuda.h` of CUDA 12 and 13.

use crate::OpsError;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

pub type Handle = *mut c_void;
pub type Code = c_int;

/// `CU_DEVICE_ATTRIBUTE_*`
pub const MULTIPROCESSORS: c_int = 16;
pub const CAPABILITY_MAJOR: c_int = 75;
pub const CAPABILITY_MINOR: c_int = 76;
pub const SHARED_OPT_IN: c_int = 97;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
pub const MAX_DYNAMIC_SHARED: c_int = 8;
/// `CU_JIT_ERROR_LOG_BUFFER`, `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`
pub const ERROR_LOG: c_int = 5;
pub const ERROR_LOG_SIZE: c_int = 6;
/// `CU_LAUNCH_ATTRIBUTE_*`
pub const CLUSTER_DIMENSION: c_uint = 4;
pub const PROGRAMMATIC: c_uint = 6;
/// Dynamic shared memory that a CTA may have without `cuFuncSetAttribute`, in bytes.
pub const DEFAULT_SHARED: usize = 48 << 10;

/// `CUlaunchAttribute`, whose value is a union with pointers.
#[repr(C, align(8))]
pub struct LaunchAttribute {
    id: c_uint,
    pad: c_uint,
    value: [u32; 16],
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct LaunchConfig {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub attributes: *const LaunchAttribute,
    pub count: c_uint,
}

// `cuda.h` of CUDA 12 and 13 lays them out so.
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && size_of::<LaunchConfig>() == 56);
const _: () = assert!(align_of::<LaunchAttribute>() == 8);

/// Makes the structure of the driver's functions, and its lookup by name.
macro_rules! functions {
    ($($field:ident = $name:literal ($($argument:ty),*);)+) => {
        pub struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> Code,)+
        }
        impl Functions {
            fn open() -> Result<Self, OpsError> {
                Ok(Self {$(
                    $field: {
                        let address = found($name)?;
                        // SAFETY: `found` gives the driver's function of this name, whose signature
                        // in `cuda.h` is this one: addresses and handles are 64 bits, results and
                        // enumerations an int. The driver stays open for the process's lifetime.
                        unsafe {
                            std::mem::transmute::<*const c_void, unsafe extern "C" fn($($argument),*) -> Code>(address)
                        }
                    },
                )+})
            }
        }
    };
}

functions! {
    init = c"cuInit" (c_uint);
    driver_version = c"cuDriverGetVersion" (*mut c_int);
    device_get = c"cuDeviceGet" (*mut c_int, c_int);
    device_name = c"cuDeviceGetName" (*mut c_char, c_int, c_int);
    device_attribute = c"cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
    retain = c"cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    push = c"cuCtxPushCurrent_v2" (Handle);
    pop = c"cuCtxPopCurrent_v2" (*mut Handle);
    load = c"cuModuleLoadDataEx" (*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    function = c"cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    set_attribute = c"cuFuncSetAttribute" (Handle, c_int, c_int);
    memset = c"cuMemsetD8Async" (u64, u8, usize, Handle);
    launch = c"cuLaunchKernel" (Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
    error_name = c"cuGetErrorName" (Code, *mut *const c_char);
    error_string = c"cuGetErrorString" (Code, *mut *const c_char);
}

pub type LaunchEx =
    unsafe extern "C" fn(*const LaunchConfig, Handle, *mut *mut c_void, *mut *mut c_void) -> Code;
pub type EncodeTiled = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    u64,
    *const u64,
    *const u64,
    *const c_uint,
    *const c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
) -> Code;

/// The driver's function of a name.
pub fn found(name: &CStr) -> Result<*const c_void, OpsError> {
    cuda_driver::symbol(name).ok_or_else(|| {
        let status = cuda_driver::status();
        OpsError::NoDriver(match status.is_loaded() {
            true => format!("the CUDA driver {status} has no {}", name.to_string_lossy()),
            false => status.to_string(),
        })
    })
}

pub fn functions() -> Result<&'static Functions, OpsError> {
    static FUNCTIONS: OnceLock<Result<Functions, OpsError>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(Functions::open);
    functions.as_ref().map_err(Clone::clone)
}

impl Functions {
    pub fn check(&self, call: &str, code: Code) -> Result<(), OpsError> {
        if code == 0 {
            return Ok(());
        }
        let text = |function: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = ptr::null();
            // SAFETY: both functions write a pointer to a constant string of the driver's, or null.
            let answer = unsafe { function(code, &raw mut text) };
            if answer != 0 || text.is_null() {
                return None;
            }
            // SAFETY: it is not null, and so a string of the driver's that ends with a zero.
            let text = unsafe { CStr::from_ptr(text) };
            Some(text.to_string_lossy().into_owned())
        };
        let name = text(self.error_name).unwrap_or_else(|| format!("error {code}"));
        let words = text(self.error_string).unwrap_or_default();
        Err(OpsError::Driver {
            call: call.into(),
            meaning: format!("{name}: {words}"),
        })
    }
}
impl LaunchAttribute {
    pub fn new(id: c_uint, value: &[u32]) -> Self {
        let mut all = [0; 16];
        all[..value.len()].copy_from_slice(value);
        Self {
            id,
            pad: 0,
            value: all,
        }
    }
}

/// `CUtensorMap`.
#[repr(C, align(64))]
pub struct TensorMapBytes(pub [u64; 16]);

pub fn launch_ex() -> Result<LaunchEx, OpsError> {
    static LAUNCH: OnceLock<Result<LaunchEx, OpsError>> = OnceLock::new();
    let launch = LAUNCH.get_or_init(|| {
        let address = found(c"cuLaunchKernelEx")?;
        // SAFETY: the driver's function of this name has this signature (`cuda.h`, CUDA 12).
        Ok(unsafe { std::mem::transmute::<*const c_void, LaunchEx>(address) })
    });
    launch.clone()
}

/// `cuTensorMapEncodeTiled`, which drivers have from CUDA 12.0 on.
pub fn encode_tiled() -> Result<EncodeTiled, OpsError> {
    static ENCODE: OnceLock<Result<EncodeTiled, OpsError>> = OnceLock::new();
    let encode = ENCODE.get_or_init(|| {
        let address = found(c"cuTensorMapEncodeTiled")?;
        // SAFETY: the driver's function of this name has this signature (`cuda.h`, CUDA 12).
        Ok(unsafe { std::mem::transmute::<*const c_void, EncodeTiled>(address) })
    });
    encode.clone()
}
