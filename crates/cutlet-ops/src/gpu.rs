//! Runs a launch sequence on a GPU inside the process of another program. The launches are made in
//! the device's primary context, on the caller's stream. The driver compiles each kernel at its
//! first use.
//!
//! ```text
//!   CudaDevice::get(0) ──► primary context, traits of the device      once per process
//!   sequence.enqueue(device, stream, addresses)
//!        push context ─► clear, launch, launch ─► pop context          no allocation, no wait
//! ```
//!
//! Law: a call leaves the thread's context as it was. A kernel is compiled at its first use, which
//! is not allowed while a stream is captured. [`CudaDevice::load`] compiles kernels before a
//! capture.
//!
//! Source: CUDA Driver API, *Primary Context Management*, *Module Management*, *Execution Control*,
//! *Tensor Map Object Management*.

use crate::sequence::{KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{GpuTraits, OpsError};
use cuda_driver::calls::{self, Handle};
use cuda_driver::{
    Context, Device, JitError, LaunchShape, TensorMapBytes, TiledTensor, check, driver_version,
    init, load_module, module_function,
};
use std::collections::HashMap;
use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// The numbers of `CU_DEVICE_ATTRIBUTE_*`.
const MULTIPROCESSORS: c_int = 16;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
const SHARED_OPT_IN: c_int = 97;
/// The number of `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MAX_DYNAMIC_SHARED: c_int = 8;
/// The dynamic shared memory that a CTA may have without `cuFuncSetAttribute`, in bytes.
const DEFAULT_SHARED: usize = 48 << 10;

/// A kernel that the driver has compiled.
#[derive(Clone, Copy)]
struct Function(Handle);

// SAFETY: a function's handle may be used from any thread on which the function's context is
// current, and `Context::enter` makes that context current around every use.
unsafe impl Send for Function {}

/// A GPU of this process with its primary context, which torch and candle use too. The context is
/// never released: the process has few GPUs, and torch and candle retain their primary contexts as
/// well.
pub struct CudaDevice {
    context: Context,
    name: String,
    compute_capability: (u32, u32),
    multiprocessors: u32,
    shared_bytes: usize,
    driver_version: c_int,
    kernels: Mutex<HashMap<&'static str, (Function, usize)>>,
}

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CudaDevice").field(&self.traits()).finish()
    }
}

impl CudaDevice {
    /// Returns the GPU with this number, as the driver counts them: torch's `cuda:0` is 0.
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
    /// Returns [`OpsError::NoDriver`] if there is no driver, and [`OpsError::Driver`] if the driver
    /// has no such GPU.
    pub fn get(number: u32) -> Result<&'static Self, OpsError> {
        static DEVICES: Mutex<Vec<(u32, &CudaDevice)>> = Mutex::new(Vec::new());
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, device)) = devices.iter().find(|(of, _)| *of == number) {
            return Ok(device);
        }
        // A process has few GPUs, so the value of each GPU is never freed.
        let device: &'static Self = Box::leak(Box::new(Self::open(number)?));
        devices.push((number, device));
        Ok(device)
    }

    fn open(number: u32) -> Result<Self, OpsError> {
        let status = cuda_driver::status();
        if !status.is_loaded() {
            return Err(OpsError::NoDriver(status.to_string()));
        }
        init()?;
        let device = Device::get(number)?;
        let of = |which| device.attribute(which);
        Ok(Self {
            context: Context::primary(device)?,
            name: device.name()?,
            compute_capability: (of(CAPABILITY_MAJOR)?, of(CAPABILITY_MINOR)?),
            multiprocessors: of(MULTIPROCESSORS)?,
            shared_bytes: of(SHARED_OPT_IN)? as usize,
            driver_version: driver_version()?,
            kernels: Mutex::default(),
        })
    }

    /// Returns the traits by which a kernel is chosen.
    #[must_use]
    pub fn traits(&self) -> GpuTraits<'_> {
        GpuTraits {
            name: &self.name,
            compute_capability: self.compute_capability,
            multiprocessors: self.multiprocessors,
            shared_bytes: self.shared_bytes,
        }
    }

    /// Makes the driver compile the kernels of a sequence that it has not compiled yet. Call this
    /// function before a stream is captured.
    ///
    /// # Errors
    /// Returns [`OpsError::Driver`] with the message of the driver's compiler.
    pub fn load(&self, sequence: &LaunchSequence) -> Result<(), OpsError> {
        let _entered = self.context.enter()?;
        sequence.steps.iter().try_for_each(|step| match step {
            Step::Clear { .. } => Ok(()),
            Step::Launch(launch) => self.function(launch).map(drop),
        })
    }

    /// Returns the kernel of a launch, with permission for the launch's shared memory. The caller
    /// has made the context current.
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
            // SAFETY: the function's module is never unloaded, and its context is current.
            let code = unsafe { calls::cuFuncSetAttribute(function.0, MAX_DYNAMIC_SHARED, bytes) };
            let call = format!("cuFuncSetAttribute of {}", launch.kernel);
            check("cuFuncSetAttribute", code).map_err(|error| OpsError::of(call, error))?;
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
        // PTX with a zero byte becomes an empty string, which the driver refuses.
        let image = CString::new(ptx).unwrap_or_default();
        let name = CString::new(kernel).unwrap_or_default();
        let module = load_module(&image).map_err(|JitError { source, log }| {
            let call = format!("cuModuleLoadDataEx of {kernel}: {}", log.trim());
            OpsError::of(call.trim_end_matches([':', ' ']).into(), source)
        })?;
        // SAFETY: the module was loaded above, and is never unloaded.
        let function = unsafe { module_function(module, &name) };
        let call = || format!("cuModuleGetFunction of {kernel}");
        let function = function.map_err(|error| OpsError::of(call(), error))?;
        Ok(Function(function))
    }

    /// Encodes the 128 bytes of a tensor map.
    fn encode(&self, map: &MapValue, address: u64) -> Result<TensorMapBytes, OpsError> {
        let tensor = TiledTensor {
            element: map.format,
            extents: &map.extents,
            strides: &map.strides,
            box_extents: &map.box_extents,
            element_strides: &vec![1; map.extents.len()],
            swizzle: map.swizzle,
            fill_nan: false,
            reach_bytes: map.reach_bytes().into(),
        };
        Ok(tensor.encode(address + map.offset, self.driver_version)?)
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// The context is current. The addresses and the stream satisfy the conditions of
    /// [`LaunchSequence::enqueue`].
    unsafe fn start(
        &self,
        launch: &KernelLaunch,
        stream: Handle,
        addresses: &[u64],
    ) -> Result<(), OpsError> {
        let function = self.function(launch)?;
        // The driver copies the arguments before the launch returns. Until then this call owns the
        // addresses, the sequence owns the bytes of other arguments, and the lock keeps the tensor
        // maps unchanged.
        let mut own: Vec<u64> = Vec::with_capacity(launch.arguments.len());
        let mut encoded = (launch.encoded.0.lock()).unwrap_or_else(PoisonError::into_inner);
        let mut count = 0;
        for argument in &launch.arguments {
            own.push(match argument {
                LaunchValue::Address { buffer, offset } => addresses[*buffer] + offset,
                LaunchValue::Null | LaunchValue::Bytes(_) => 0,
                LaunchValue::Map(map) => {
                    let address = addresses[map.buffer];
                    match encoded.get_mut(count) {
                        Some((of, _)) if *of == address => {}
                        Some(other) => *other = (address, self.encode(map, address)?),
                        None => encoded.push((address, self.encode(map, address)?)),
                    }
                    count += 1;
                    0
                }
            });
        }
        let mut maps = encoded.iter();
        let mut parameters: Vec<*mut c_void> = (launch.arguments.iter())
            .zip(&own)
            .map(|(argument, own)| match argument {
                LaunchValue::Bytes(bytes) => bytes.as_ptr().cast_mut().cast(),
                LaunchValue::Map(_) => maps.next().map_or(ptr::null_mut(), |(_, map)| {
                    ptr::from_ref(map).cast_mut().cast()
                }),
                _ => ptr::from_ref(own).cast_mut().cast(),
            })
            .collect();
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: u32::try_from(launch.shared_bytes).unwrap_or(u32::MAX),
            cluster: launch.cluster,
            programmatic: launch.programmatic,
        };
        // SAFETY: the plan has one argument for each parameter, with the parameter's size;
        // `compile` never unloads the module; the caller guarantees the stream and the buffers, and
        // made their context current.
        let started = unsafe { shape.start(function.0, stream, &mut parameters) };
        started.map_err(|error| OpsError::of(format!("the launch of {}", launch.kernel), error))
    }
}

impl LaunchSequence {
    /// Enqueues the steps on a stream of the device's primary context. Null means the default
    /// stream. The call allocates nothing and waits for nothing, so the stream may be capturing if
    /// [`CudaDevice::load`] was called for the sequence before.
    ///
    /// # Safety
    /// Each address is the start of device memory that has at least as many bytes as
    /// [`buffers`](Self::buffers) states, and that stays allocated until the stream has passed the
    /// launches. Until then nothing else writes a buffer, and nothing else reads an output. Outputs
    /// and scratch do not overlap another buffer. The stream belongs to the primary context of this
    /// device.
    ///
    /// # Errors
    /// Returns [`OpsError::Buffers`] or [`OpsError::Alignment`] before anything is enqueued, and
    /// [`OpsError::Driver`] if a launch fails.
    pub unsafe fn enqueue(
        &self,
        device: &CudaDevice,
        stream: *mut c_void,
        addresses: &[u64],
    ) -> Result<(), OpsError> {
        self.check(addresses)?;
        let _entered = device.context.enter()?;
        for step in &self.steps {
            match step {
                Step::Clear { buffer, bytes } => {
                    let (address, bytes) = (addresses[*buffer], *bytes as usize);
                    // SAFETY: the caller guarantees that the buffer has at least the plan's bytes
                    // of scratch, and that the stream belongs to this device's primary context,
                    // which is current. The plan clears no more bytes than the scratch has.
                    let code = unsafe { calls::cuMemsetD8Async(address, 0, bytes, stream) };
                    check("cuMemsetD8Async", code)?;
                }
                // SAFETY: `_entered` holds the context current; the caller guarantees memory of
                // each buffer's bytes at its address, and that the stream belongs to this context.
                Step::Launch(launch) => unsafe { device.start(launch, stream, addresses)? },
            }
        }
        Ok(())
    }
}
