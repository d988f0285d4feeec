//! A sequence on a GPU, in somebody else's process: the device's primary context, a stream of the
//! caller's, kernels that the driver compiles at their first use.
//!
//! ```text
//!   CudaDevice::get(0) ──► primary context, traits of the device      once a process
//!   sequence.enqueue(device, stream, addresses)
//!        push context ─► clear, launch, launch ─► pop context          nothing allocated, nothing waited for
//! ```
//!
//! Law: a call leaves the thread's context as it was. The first use of a kernel compiles it, which
//! a stream under capture does not allow: [`CudaDevice::load`] compiles it before the capture.
//!
//! Source: CUDA Driver API, *Primary Context Management*, *Module Management*, *Execution Control*,
//! *Tensor Map Object Management*.

use crate::driver::{
    CAPABILITY_MAJOR, CAPABILITY_MINOR, CLUSTER_DIMENSION, DEFAULT_SHARED, ERROR_LOG,
    ERROR_LOG_SIZE, Functions, Handle, LaunchAttribute, LaunchConfig, MAX_DYNAMIC_SHARED,
    MULTIPROCESSORS, PROGRAMMATIC, SHARED_OPT_IN, TensorMapBytes, encode_tiled, functions,
    launch_ex,
};
use crate::sequence::{KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{GpuTraits, OpsError};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// A kernel that the driver has compiled.
#[derive(Clone, Copy)]
struct Function(Handle);

// SAFETY: a function's handle may be used from any thread in which its context is current, and
// `Current` makes it so around every use.
unsafe impl Send for Function {}

/// A GPU of this process, by its primary context, as torch and candle use it. Never released: the
/// process has few, and others hold them too.
pub struct CudaDevice {
    functions: &'static Functions,
    context: Handle,
    name: String,
    compute_capability: (u32, u32),
    multiprocessors: u32,
    shared_bytes: usize,
    driver_version: c_int,
    kernels: Mutex<HashMap<&'static str, (Function, usize)>>,
}

// SAFETY: a context's handle may be used from any thread: `Current` pushes it onto the thread's
// stack. The other fields are plain, or behind a mutex.
unsafe impl Send for CudaDevice {}
// SAFETY: `Current` pushes the context onto the stack of each thread that uses it, and the driver
// serialises calls on a context from several threads (CUDA driver API, thread safety).
unsafe impl Sync for CudaDevice {}

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CudaDevice").field(&self.traits()).finish()
    }
}

/// The device's context, current in this thread until it is dropped.
struct Current<'a>(&'a CudaDevice, PhantomData<*const ()>);

impl<'a> Current<'a> {
    fn enter(device: &'a CudaDevice) -> Result<Self, OpsError> {
        // SAFETY: the context was retained for the process's lifetime.
        let code = unsafe { (device.functions.push)(device.context) };
        device.functions.check("cuCtxPushCurrent", code)?;
        Ok(Self(device, PhantomData))
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: `enter` pushed the context onto this thread's stack: `Current` is not `Send`, by
        // its marker.
        let _ = unsafe { (self.0.functions.pop)(&raw mut popped) };
    }
}

impl CudaDevice {
    /// The GPU of this number, as the driver counts them: torch's `cuda:0` is 0.
    ///
    /// ```
    /// use cutlet_ops::{CudaDevice, OpsError};
    /// match CudaDevice::get(0) {
    ///     Ok(device) => assert!(device.traits().multiprocessors > 0),
    ///     Err(error) => assert!(matches!(error, OpsError::NoDriver(_) | OpsError::Driver { .. }), "{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`OpsError::NoDriver`] where there is no driver, [`OpsError::Driver`] where it has no such
    /// GPU.
    pub fn get(number: u32) -> Result<&'static Self, OpsError> {
        static DEVICES: Mutex<Vec<(u32, &CudaDevice)>> = Mutex::new(Vec::new());
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, device)) = devices.iter().find(|(of, _)| *of == number) {
            return Ok(device);
        }
        // A process has few GPUs, and keeps what it knows of each.
        let device: &'static Self = Box::leak(Box::new(Self::open(number)?));
        devices.push((number, device));
        Ok(device)
    }

    fn open(number: u32) -> Result<Self, OpsError> {
        let functions = functions()?;
        // SAFETY: `cuInit` takes no pointer, and may be called again.
        functions.check("cuInit", unsafe { (functions.init)(0) })?;
        let (mut device, mut driver_version) = (0, 0);
        let ordinal = c_int::try_from(number).unwrap_or(c_int::MAX);
        // SAFETY: the results are locals that outlive the calls.
        let code = unsafe { (functions.device_get)(&raw mut device, ordinal) };
        functions.check("cuDeviceGet", code)?;
        // SAFETY: the version is written to a local that outlives the call.
        let code = unsafe { (functions.driver_version)(&raw mut driver_version) };
        functions.check("cuDriverGetVersion", code)?;
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: the value is written to a local that outlives the call, and `device` is one
            // that the driver named.
            let code = unsafe { (functions.device_attribute)(&raw mut value, which, device) };
            functions.check("cuDeviceGetAttribute", code)?;
            Ok::<_, OpsError>(u32::try_from(value).unwrap_or(0))
        };
        let mut name = [0_u8; 256];
        // SAFETY: `name` is writable for its 256 bytes; the driver ends what it writes with a zero.
        let code = unsafe { (functions.device_name)(name.as_mut_ptr().cast(), 256, device) };
        functions.check("cuDeviceGetName", code)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        let mut context = ptr::null_mut();
        // SAFETY: `context` is a local that outlives the call.
        let code = unsafe { (functions.retain)(&raw mut context, device) };
        functions.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Self {
            functions,
            context,
            name: name.to_string_lossy().into_owned(),
            compute_capability: (attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?),
            multiprocessors: attribute(MULTIPROCESSORS)?,
            shared_bytes: attribute(SHARED_OPT_IN)? as usize,
            driver_version,
            kernels: Mutex::default(),
        })
    }

    /// The traits by which a kernel is chosen.
    #[must_use]
    pub fn traits(&self) -> GpuTraits<'_> {
        GpuTraits {
            name: &self.name,
            compute_capability: self.compute_capability,
            multiprocessors: self.multiprocessors,
            shared_bytes: self.shared_bytes,
        }
    }

    /// Has the driver compile the kernels of a sequence that it has not compiled yet. The caller
    /// does it before a stream's capture.
    ///
    /// # Errors
    /// [`OpsError::Driver`] with what the driver's compiler said.
    pub fn load(&self, sequence: &LaunchSequence) -> Result<(), OpsError> {
        let _current = Current::enter(self)?;
        sequence.steps.iter().try_for_each(|step| match step {
            Step::Clear { .. } => Ok(()),
            Step::Launch(launch) => self.function(launch).map(drop),
        })
    }

    /// The kernel of a launch, with the permission for the launch's shared memory. The caller has
    /// made the context current.
    fn function(&self, launch: &KernelLaunch) -> Result<Function, OpsError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let (function, allowed) = match kernels.get_mut(launch.kernel) {
            Some(known) => known,
            None => {
                let function = self.compile(launch.kernel)?;
                kernels
                    .entry(launch.kernel)
                    .or_insert((function, DEFAULT_SHARED))
            }
        };
        if launch.shared_bytes > *allowed {
            let bytes = c_int::try_from(launch.shared_bytes).unwrap_or(c_int::MAX);
            let set = self.functions.set_attribute;
            // SAFETY: the function's module is never unloaded, and its context is current.
            let code = unsafe { set(function.0, MAX_DYNAMIC_SHARED, bytes) };
            let call = format!("cuFuncSetAttribute of {}", launch.kernel);
            self.functions.check(&call, code)?;
            *allowed = launch.shared_bytes;
        }
        Ok(*function)
    }

    /// Loads a kernel's PTX. The module stays loaded as long as the context.
    fn compile(&self, kernel: &'static str) -> Result<Function, OpsError> {
        let packed = cutlet_kernels::kernel(kernel)?;
        let ptx = packed.map(|of| of.ptx()).transpose();
        let ptx = ptx
            .map_err(cutlet_kernels::ShippedError::from)?
            .unwrap_or_default();
        // A text with a zero byte becomes an empty one, which the driver refuses.
        let image = CString::new(ptx).unwrap_or_default();
        let name = CString::new(kernel).unwrap_or_default();
        let mut log = vec![0_u8; 8192];
        let mut options = [ERROR_LOG, ERROR_LOG_SIZE];
        // The driver takes the log's size itself in a pointer's place.
        let mut values = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut::<c_void>(log.len()),
        ];
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the image ends with a zero; options and values are two each; the log is writable
        // for the size given and outlives the call; the context is current.
        let code = unsafe {
            (self.functions.load)(
                &raw mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let said = CStr::from_bytes_until_nul(&log).unwrap_or_default();
        let call = format!("cuModuleLoadDataEx of {kernel}: {}", said.to_string_lossy());
        self.functions
            .check(call.trim_end_matches([':', ' ']), code)?;
        // SAFETY: the module was loaded above, the name ends with a zero.
        let code = unsafe { (self.functions.function)(&raw mut function, module, name.as_ptr()) };
        let call = format!("cuModuleGetFunction of {kernel}");
        self.functions.check(&call, code)?;
        Ok(Function(function))
    }

    /// The 128 bytes of a tensor map.
    fn encode(&self, map: &MapValue, address: u64) -> Result<TensorMapBytes, OpsError> {
        let encode = encode_tiled()?;
        let mut bytes = TensorMapBytes([0; 16]);
        let steps = vec![1; map.extents.len()];
        // SAFETY: `bytes` is 128 bytes, aligned to 64; the lists have as many numbers as the map
        // has dimensions, the strides one less, and outlive the call; no address is followed.
        let code = unsafe {
            encode(
                (&raw mut bytes).cast(),
                map.format,
                map.extents.len() as c_uint,
                address + map.offset,
                map.extents.as_ptr(),
                map.strides.as_ptr(),
                map.box_extents.as_ptr(),
                steps.as_ptr(),
                0,
                map.swizzle,
                // `CU_TENSOR_MAP_L2_PROMOTION_L2_128B`
                2,
                0,
            )
        };
        self.functions.check("cuTensorMapEncodeTiled", code)?;
        // As CUTLASS does for drivers up to CUDA 13.1 (`make_tma_copy_desc`): bit 21 of the second
        // word of a tensor of less than 128 KiB is cleared.
        if self.driver_version <= 13_010 && map.reach_bytes() < 131_072 {
            bytes.0[1] &= !(1 << 21);
        }
        Ok(bytes)
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// The context is current. The addresses and the stream are those that
    /// [`LaunchSequence::enqueue`] demands.
    unsafe fn start(
        &self,
        launch: &KernelLaunch,
        stream: Handle,
        addresses: &[u64],
    ) -> Result<(), OpsError> {
        let function = self.function(launch)?;
        // The driver copies the arguments before the launch returns: addresses and maps, which are
        // this call's, and bytes, which are the sequence's.
        let mut own: Vec<u64> = Vec::with_capacity(launch.arguments.len());
        let mut maps: Vec<TensorMapBytes> = Vec::new();
        for argument in &launch.arguments {
            own.push(match argument {
                LaunchValue::Address { buffer, offset } => addresses[*buffer] + offset,
                LaunchValue::Null | LaunchValue::Bytes(_) => 0,
                LaunchValue::Map(map) => {
                    maps.push(self.encode(map, addresses[map.buffer])?);
                    0
                }
            });
        }
        let mut maps = maps.iter();
        let mut parameters: Vec<*mut c_void> = (launch.arguments.iter())
            .zip(&own)
            .map(|(argument, own)| match argument {
                LaunchValue::Bytes(bytes) => bytes.as_ptr().cast_mut().cast(),
                LaunchValue::Map(_) => maps
                    .next()
                    .map_or(ptr::null_mut(), |map| ptr::from_ref(map).cast_mut().cast()),
                _ => ptr::from_ref(own).cast_mut().cast(),
            })
            .collect();
        let shared = c_uint::try_from(launch.shared_bytes).unwrap_or(c_uint::MAX);
        let clusters = launch.cluster != [1; 3];
        let ([x, y, z], [a, b, c]) = (launch.grid, launch.block);
        let code = if clusters || launch.programmatic {
            let mut attributes = Vec::with_capacity(2);
            if clusters {
                attributes.push(LaunchAttribute::new(CLUSTER_DIMENSION, &launch.cluster));
            }
            if launch.programmatic {
                attributes.push(LaunchAttribute::new(PROGRAMMATIC, &[1]));
            }
            let config = LaunchConfig {
                grid: launch.grid,
                block: launch.block,
                shared,
                stream,
                attributes: attributes.as_ptr(),
                count: attributes.len() as c_uint,
            };
            let start = launch_ex()?;
            // SAFETY: the plan has one argument a parameter, each of as many bytes as the parameter
            // has, which the driver copies before it returns; `config` and its attributes outlive
            // the call; the stream is the caller's, of this context.
            unsafe {
                start(
                    &config,
                    function.0,
                    parameters.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }
        } else {
            let parameters = parameters.as_mut_ptr();
            let start = self.functions.launch;
            // SAFETY: the plan has one argument a parameter, each of as many bytes as the parameter
            // has, which the driver copies before it returns; the stream is the caller's, of this
            // context.
            unsafe {
                start(
                    function.0,
                    x,
                    y,
                    z,
                    a,
                    b,
                    c,
                    shared,
                    stream,
                    parameters,
                    ptr::null_mut(),
                )
            }
        };
        self.functions
            .check(&format!("the launch of {}", launch.kernel), code)
    }
}

impl LaunchSequence {
    /// Enqueues the steps on a stream of the device's primary context, null for its default one.
    /// Nothing is allocated and nothing waited for, so that the stream may be capturing, once
    /// [`CudaDevice::load`] has seen the sequence.
    ///
    /// # Safety
    /// Each address is of device memory that has at least the bytes of [`buffers`](Self::buffers)
    /// and stays allocated until the stream has passed the launches. Until then nothing else writes
    /// a buffer, and nothing else reads an output. Outputs and scratch do not overlap another
    /// buffer. The stream is of the primary context of this device.
    ///
    /// # Errors
    /// [`OpsError::Buffers`], [`OpsError::Alignment`] before anything is enqueued;
    /// [`OpsError::Driver`] of a launch.
    pub unsafe fn enqueue(
        &self,
        device: &CudaDevice,
        stream: *mut c_void,
        addresses: &[u64],
    ) -> Result<(), OpsError> {
        self.check(addresses)?;
        let _current = Current::enter(device)?;
        for step in &self.steps {
            match step {
                Step::Clear { buffer, bytes } => {
                    let memset = device.functions.memset;
                    // SAFETY: the caller guarantees that the buffer has at least the plan's bytes
                    // of scratch, and that the stream is of this device's primary context, which is
                    // current. The plan clears no more bytes than the scratch has.
                    let code = unsafe { memset(addresses[*buffer], 0, *bytes as usize, stream) };
                    device.functions.check("cuMemsetD8Async", code)?;
                }
                // SAFETY: `_current` holds the context current; the caller guarantees memory of
                // each buffer's bytes at its address, and a stream of this context.
                Step::Launch(launch) => unsafe { device.start(launch, stream, addresses)? },
            }
        }
        Ok(())
    }
}
