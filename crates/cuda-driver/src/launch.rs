//! Loads modules of PTX, launches kernels and encodes tensor maps. `cutlet-host` and `cutlet-ops`
//! share these functions.
//!
//! ```text
//!   load_module(PTX) ─► module_function ─► LaunchShape::start(function, stream, parameters)
//!                                            └ attributes? cuLaunchKernelEx : cuLaunchKernel
//!   TiledTensor::encode(address) ─► TensorMapBytes
//! ```
//!
//! Law: a launch with neither clusters nor programmatic dependent launch calls `cuLaunchKernel`,
//! which every driver has.
//!
//! Source: CUDA Driver API, *Module Management*, *Execution Control*, *Occupancy*, *Tensor Map
//! Object Management*.

use crate::calls::{self, Handle, LaunchAttribute, LaunchConfig};
use crate::error::{DriverError, check};
use core::ffi::{CStr, c_uint, c_void};
use core::ptr;

/// `CU_JIT_*`
const INFO_LOG: i32 = 3;
const INFO_LOG_SIZE: i32 = 4;
const ERROR_LOG: i32 = 5;
const ERROR_LOG_SIZE: i32 = 6;

/// The error of PTX that the driver's compiler refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JitError {
    /// The driver's error.
    pub source: DriverError,
    /// The compiler's log: first the errors, and then the notes.
    pub log: String,
}

/// Makes the driver compile PTX for the device of the current context. The caller owns the module,
/// and unloads it or keeps it loaded.
///
/// # Errors
/// Returns a [`JitError`] with the compiler's log.
pub fn load_module(ptx: &CStr) -> Result<Handle, JitError> {
    const SIZE: usize = 16 * 1024;
    let mut errors = vec![0_u8; SIZE];
    let mut notes = vec![0_u8; SIZE];
    let mut names = [ERROR_LOG, ERROR_LOG_SIZE, INFO_LOG, INFO_LOG_SIZE];
    // The driver takes the size of a log by value, as an integer in the place of a pointer.
    let mut values: [*mut c_void; 4] = [
        errors.as_mut_ptr().cast(),
        ptr::without_provenance_mut(SIZE),
        notes.as_mut_ptr().cast(),
        ptr::without_provenance_mut(SIZE),
    ];
    let mut module = ptr::null_mut();
    // SAFETY: a `CStr` is zero-terminated. Names and values have the same length, 4. Both logs are
    // writable for the sizes that are passed with them, and both outlive the call. Without a
    // current context the driver answers with an error.
    let code = unsafe {
        calls::cuModuleLoadDataEx(
            &raw mut module,
            ptx.as_ptr().cast(),
            4,
            names.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    check("cuModuleLoadDataEx", code).map_err(|source| JitError {
        source,
        log: [written(&errors), written(&notes)].join("\n"),
    })?;
    Ok(module)
}

/// Returns the text of a log, up to its first zero byte.
fn written(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_string()
}

/// Returns the kernel with this name.
///
/// # Errors
/// Returns the driver's errors, and `CUDA_ERROR_NOT_FOUND` if the module has no such kernel.
///
/// # Safety
/// `module` is loaded in the current context.
pub unsafe fn module_function(module: Handle, name: &CStr) -> Result<Handle, DriverError> {
    let mut function = ptr::null_mut();
    // SAFETY: the caller keeps the module loaded (`# Safety`). A `CStr` is zero-terminated.
    // `function` is a local that outlives the call.
    let code = unsafe { calls::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) };
    check("cuModuleGetFunction", code)?;
    Ok(function)
}

/// The parameters of a launch other than its kernel, its stream and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// The number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// The number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The dynamic shared memory of a block, in bytes.
    pub dynamic_shared: u32,
    /// The number of blocks of a cluster along x, y and z. With `[1; 3]` the launch has no
    /// clusters.
    pub cluster: [u32; 3],
    /// Whether the launch is a programmatic dependent launch.
    pub programmatic: bool,
}

impl LaunchShape {
    /// Returns the driver's `CUlaunchConfig`, which points to `attributes`.
    fn config(&self, attributes: &[LaunchAttribute], stream: Handle) -> LaunchConfig {
        LaunchConfig {
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            stream,
            attributes: attributes.as_ptr(),
            attribute_count: attributes.len() as c_uint,
        }
    }

    /// Starts a kernel on a stream of the current context. A null stream is the default stream.
    ///
    /// # Errors
    /// Returns the driver's errors for the launch. A later call reports a fault of the kernel.
    ///
    /// # Safety
    /// The kernel's module is loaded, and the stream alive, in the current context. `parameters`
    /// has one pointer for each parameter of the kernel, to at least as many bytes as the parameter
    /// has. The driver copies these bytes before this function returns. Until the kernel completes,
    /// all memory that it accesses is valid.
    pub unsafe fn start(
        &self,
        function: Handle,
        stream: Handle,
        parameters: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let parameters = parameters.as_mut_ptr();
        // A device without clusters refuses the attribute, even for clusters of one block.
        let cluster = (self.cluster != [1; 3]).then(|| LaunchAttribute::cluster(self.cluster));
        let programmatic = self.programmatic.then(LaunchAttribute::programmatic);
        let attributes: Vec<LaunchAttribute> = cluster.into_iter().chain(programmatic).collect();
        if !attributes.is_empty() {
            let config = self.config(&attributes, stream);
            // SAFETY: the caller keeps the module and the stream alive and the parameters valid
            // (`# Safety`). `config` and its attributes outlive the call.
            let code = unsafe {
                calls::cuLaunchKernelEx(&raw const config, function, parameters, ptr::null_mut())
            };
            return check("cuLaunchKernelEx", code);
        }
        let ([x, y, z], [a, b, c]) = (self.grid, self.block);
        let shared = self.dynamic_shared;
        let extra = ptr::null_mut();
        // SAFETY: the caller keeps the module and the stream alive and the parameters valid
        // (`# Safety`).
        let code = unsafe {
            calls::cuLaunchKernel(
                function, x, y, z, a, b, c, shared, stream, parameters, extra,
            )
        };
        check("cuLaunchKernel", code)
    }

    /// Returns the largest number of clusters of the launch that the device can run at the same
    /// time.
    ///
    /// # Errors
    /// Returns the driver's errors.
    ///
    /// # Safety
    /// The kernel's module is loaded, and the stream alive, in the current context.
    pub unsafe fn max_active_clusters(
        &self,
        function: Handle,
        stream: Handle,
    ) -> Result<u32, DriverError> {
        let mut clusters = 0;
        let attributes = [LaunchAttribute::cluster(self.cluster)];
        let config = self.config(&attributes, stream);
        // SAFETY: the caller keeps the module and the stream alive (`# Safety`). `clusters`,
        // `config` and its attributes outlive the call.
        let code = unsafe {
            calls::cuOccupancyMaxActiveClusters(&raw mut clusters, function, &raw const config)
        };
        check("cuOccupancyMaxActiveClusters", code)?;
        Ok(u32::try_from(clusters).unwrap_or(0))
    }
}

/// `CU_TENSOR_MAP_L2_PROMOTION_L2_128B`, CUTLASS's choice.
const L2_PROMOTION_128: c_uint = 2;

/// `CUtensorMap`, aligned to 64 bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapBytes(pub [u64; 16]);

/// The description of a tensor in global memory that TMA copies in boxes, with the fastest mode
/// first.
#[derive(Clone, Copy, Debug)]
pub struct TiledTensor<'a> {
    /// `CUtensorMapDataType`.
    pub element: u32,
    /// The number of elements of each mode.
    pub extents: &'a [u64],
    /// The byte strides of every mode except the first, whose elements are contiguous.
    pub strides: &'a [u64],
    /// The number of elements of a box along each mode.
    pub box_extents: &'a [u32],
    /// The element strides of a box along each mode. A stride of 1 copies every element.
    pub element_strides: &'a [u32],
    /// `CUtensorMapSwizzle`.
    pub swizzle: u32,
    /// Whether elements out of bounds are read as NaN, instead of 0.
    pub fill_nan: bool,
    /// The number of bytes from the start of the tensor to the end of its last element.
    pub reach_bytes: u128,
}

impl TiledTensor<'_> {
    /// Returns the tensor map of the tensor at `address`, for a driver of this
    /// [version](crate::driver_version).
    ///
    /// # Errors
    /// Returns the driver's errors, and `CUDA_ERROR_NOT_FOUND` from drivers before CUDA 12.0.
    ///
    /// # Panics
    /// Panics if the extents, the box and the element strides do not have equal lengths, or if the
    /// number of strides is not one less.
    pub fn encode(&self, address: u64, driver: i32) -> Result<TensorMapBytes, DriverError> {
        let rank = self.extents.len();
        let lengths = [self.box_extents.len(), self.element_strides.len()];
        assert!(lengths == [rank; 2] && self.strides.len() + 1 == rank);
        // The additional element, which the driver does not read, gives an empty list a valid
        // address.
        let strides: Vec<u64> = self.strides.iter().copied().chain([0]).collect();
        let mut map = TensorMapBytes([0; 16]);
        // SAFETY: `map` is 128 bytes, aligned to 64, and outlives the call. By the assertion each
        // list has `rank` numbers, and the strides are `rank - 1` numbers; the driver reads no more
        // than that. It does not dereference `address`.
        let code = unsafe {
            calls::cuTensorMapEncodeTiled(
                (&raw mut map).cast(),
                self.element,
                rank as c_uint,
                address,
                self.extents.as_ptr(),
                strides.as_ptr(),
                self.box_extents.as_ptr(),
                self.element_strides.as_ptr(),
                // `CU_TENSOR_MAP_INTERLEAVE_NONE`
                0,
                self.swizzle,
                L2_PROMOTION_128,
                c_uint::from(self.fill_nan),
            )
        };
        check("cuTensorMapEncodeTiled", code)?;
        correct(&mut map.0, driver, self.reach_bytes);
        Ok(map)
    }
}

/// Clears bit 21 of the map's second word for a tensor of less than 128 KiB, as CUTLASS does for
/// drivers up to CUDA 13.1 (`make_tma_copy_desc`, since its commit b7ecaa605).
fn correct(map: &mut [u64; 16], driver: i32, reach_bytes: u128) {
    if driver <= 13_010 && reach_bytes < 131_072 {
        map[1] &= !(1 << 21);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_small_tensors_are_corrected_for_old_drivers() {
        let corrected = |driver, bytes| {
            let mut map = [u64::MAX; 16];
            correct(&mut map, driver, bytes);
            let others = map
                .iter()
                .enumerate()
                .all(|(i, &word)| i == 1 || word == u64::MAX);
            assert!(others, "one word alone changes");
            map[1] == u64::MAX ^ (1 << 21)
        };
        assert!(corrected(12_040, 131_071) && corrected(13_010, 16));
        assert!(!corrected(13_010, 131_072) && !corrected(13_020, 16));
    }

    #[test]
    fn a_log_ends_at_its_first_zero() {
        assert_eq!(written(b" line 3: error \n\0\0x"), "line 3: error");
        assert_eq!(written(b"all of it"), "all of it");
    }
}
