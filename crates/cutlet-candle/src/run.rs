//! Runs a launch sequence on candle's storages: with the emulator if they are on the CPU, and on
//! candle's stream if they are on a CUDA device.
//!
//! ```text
//!   plan(traits of the device) ─► LaunchSequence ─ inputs, new outputs and scratch ─► storages of the outputs
//! ```

use crate::operands::{Lent, Operand};
use crate::refused;
use candle::{CpuStorage, DType, Result, Storage};
use cutlet_ops::{BufferRole, EMULATED_GPU, GpuTraits, LaunchSequence, OpsError};
use half::{bf16, f16};

/// Returns the bytes of a storage from element `start` on.
fn bytes_of(storage: &CpuStorage, start: usize) -> Result<Vec<u8>> {
    macro_rules! bytes {
        ($of:expr) => {
            $of[start..]
                .iter()
                .flat_map(|of| of.to_le_bytes())
                .collect()
        };
    }
    Ok(match storage {
        CpuStorage::F16(of) => bytes!(of),
        CpuStorage::BF16(of) => bytes!(of),
        CpuStorage::F32(of) => bytes!(of),
        CpuStorage::U32(of) => bytes!(of),
        CpuStorage::I32(of) => bytes!(of),
        _ => candle::bail!("no buffer of a kernel has this type"),
    })
}

/// Makes a storage with these bytes.
fn storage_of(bytes: &[u8], dtype: DType) -> CpuStorage {
    let halves = || bytes.chunks_exact(2).map(|of| [of[0], of[1]]);
    match dtype {
        DType::F16 => CpuStorage::F16(halves().map(f16::from_le_bytes).collect()),
        DType::BF16 => CpuStorage::BF16(halves().map(bf16::from_le_bytes).collect()),
        _ => {
            let words = bytes.chunks_exact(4).map(|of| [of[0], of[1], of[2], of[3]]);
            CpuStorage::F32(words.map(f32::from_le_bytes).collect())
        }
    }
}

/// Returns the type of an output: f32 for the log-sum-exp, and the tensors' type for the other
/// outputs.
fn dtype_of(name: &str, dtype: DType) -> DType {
    if name == "LSE" { DType::F32 } else { dtype }
}

/// Runs the sequence that `plan` makes for the inputs' device. Returns the contiguous storages of
/// those outputs that have bytes, in the order of the sequence's buffers. The inputs are in that
/// order too: q, k and v come first.
pub fn run(
    dtype: DType,
    inputs: &[Operand<'_>],
    plan: impl FnOnce(&GpuTraits<'_>) -> std::result::Result<LaunchSequence, OpsError>,
) -> Result<Vec<Storage>> {
    // candle compares the devices of an operator's tensors, but not their types.
    for (name, of) in ["q", "k", "v"].into_iter().zip(inputs) {
        if of.dtype() != dtype {
            candle::bail!("DType mismatch {name} {:?}, expected {dtype:?}", of.dtype())
        }
    }
    match inputs.first().map(|of| of.storage) {
        #[cfg(feature = "cuda")]
        Some(Lent::Cuda(storage)) => cuda::run(storage, dtype, inputs, plan),
        #[cfg(not(feature = "cuda"))]
        Some(Lent::Cuda(_)) => candle::bail!("cutlet-candle was built without its feature cuda"),
        _ => {
            let sequence = plan(&EMULATED_GPU).map_err(refused)?;
            emulate(&sequence, dtype, inputs)
        }
    }
}

fn emulate(
    sequence: &LaunchSequence,
    dtype: DType,
    inputs: &[Operand<'_>],
) -> Result<Vec<Storage>> {
    let mut inputs = inputs.iter();
    let mut buffers = Vec::with_capacity(sequence.buffers().len());
    for of in sequence.buffers() {
        buffers.push(match (of.role, inputs.as_slice().first()) {
            (
                BufferRole::Input,
                Some(Operand {
                    storage: Lent::Cpu(storage),
                    start,
                }),
            ) => {
                inputs.next();
                bytes_of(storage, *start)?
            }
            (BufferRole::Input, _) => candle::bail!("{} is not on the CPU, as q is", of.name),
            (BufferRole::Output, _) => vec![0; of.bytes as usize],
            (BufferRole::Scratch, _) => Vec::new(),
        });
    }
    sequence
        .emulate(EMULATED_GPU.compute_capability, &mut buffers)
        .map_err(refused)?;
    let outputs = sequence.buffers().iter().zip(&buffers);
    let outputs = outputs.filter(|(of, _)| of.role == BufferRole::Output && of.bytes > 0);
    Ok(outputs
        .map(|(of, bytes)| Storage::Cpu(storage_of(bytes, dtype_of(of.name, dtype))))
        .collect())
}

#[cfg(feature = "cuda")]
mod cuda {
    //! Runs a sequence on candle's stream.

    use super::{
        BufferRole, GpuTraits, LaunchSequence, Lent, Operand, OpsError, dtype_of, refused,
    };
    use candle::backend::BackendStorage;
    use candle::cuda_backend::cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, SyncOnDrop};
    use candle::{CudaDevice, CudaStorage, DType, Result, Storage};
    use half::{bf16, f16};
    use std::sync::Arc;

    /// Returns a storage's address, and a guard. When the guard is dropped, candle records that the
    /// stream reads the storage.
    fn address<'a>(
        storage: &'a CudaStorage,
        stream: &'a Arc<CudaStream>,
    ) -> Result<(u64, SyncOnDrop<'a>)> {
        Ok(match storage.dtype() {
            DType::F16 => storage.as_cuda_slice::<f16>()?.device_ptr(stream),
            DType::BF16 => storage.as_cuda_slice::<bf16>()?.device_ptr(stream),
            DType::F32 => storage.as_cuda_slice::<f32>()?.device_ptr(stream),
            DType::U32 => storage.as_cuda_slice::<u32>()?.device_ptr(stream),
            DType::I32 => storage.as_cuda_slice::<i32>()?.device_ptr(stream),
            dtype => candle::bail!("no buffer of a kernel has type {dtype:?}"),
        })
    }

    /// Returns a new storage's address, and a guard. When the guard is dropped, candle records that
    /// the stream writes the storage.
    fn address_mut<'a>(
        storage: &'a mut CudaStorage,
        stream: &'a Arc<CudaStream>,
    ) -> Result<(u64, SyncOnDrop<'a>)> {
        Ok(match storage.dtype() {
            DType::F16 => storage.as_cuda_slice_mut::<f16>()?.device_ptr_mut(stream),
            DType::BF16 => storage.as_cuda_slice_mut::<bf16>()?.device_ptr_mut(stream),
            DType::F32 => storage.as_cuda_slice_mut::<f32>()?.device_ptr_mut(stream),
            _ => storage.as_cuda_slice_mut::<u8>()?.device_ptr_mut(stream),
        })
    }

    /// Allocates an uninitialised storage of `bytes` bytes.
    fn allocate(device: &CudaDevice, dtype: DType, bytes: u64) -> Result<CudaStorage> {
        let elements = bytes as usize / dtype.size_in_bytes();
        macro_rules! storage {
            ($ty:ty) => {{
                // SAFETY: every bit pattern is a value of the type. The kernels write scratch
                // before they read it. They write all elements of an output except rows that belong
                // to no packed sequence, and the caller must not read such rows.
                let slice = unsafe { device.alloc::<$ty>(elements)? };
                CudaStorage::wrap_cuda_slice(slice, device.clone())
            }};
        }
        Ok(match dtype {
            DType::F16 => storage!(f16),
            DType::BF16 => storage!(bf16),
            DType::F32 => storage!(f32),
            _ => storage!(u8),
        })
    }

    pub(super) fn run(
        first: &CudaStorage,
        dtype: DType,
        inputs: &[Operand<'_>],
        plan: impl FnOnce(&GpuTraits<'_>) -> std::result::Result<LaunchSequence, OpsError>,
    ) -> Result<Vec<Storage>> {
        let device = first.device();
        let stream = device.cuda_stream();
        let number = stream.context().ordinal() as u32;
        let gpu = cutlet_ops::CudaDevice::get(number).map_err(refused)?;
        let sequence = plan(&gpu.traits()).map_err(refused)?;
        // The new storages: outputs and scratch, in the order of the buffers.
        let mut made = Vec::new();
        for of in sequence.buffers().iter().filter(|of| of.bytes > 0) {
            match of.role {
                BufferRole::Input => {}
                BufferRole::Output => {
                    made.push(allocate(device, dtype_of(of.name, dtype), of.bytes)?);
                }
                BufferRole::Scratch => made.push(allocate(device, DType::U8, of.bytes)?),
            }
        }
        {
            let (mut inputs, mut new) = (inputs.iter(), made.iter_mut());
            let (mut addresses, mut guards) = (Vec::new(), Vec::new());
            for of in sequence.buffers() {
                let (address, guard) = match of.role {
                    BufferRole::Input => {
                        let Some(Operand {
                            storage: Lent::Cuda(storage),
                            start,
                        }) = inputs.next()
                        else {
                            candle::bail!("{} is not on the device, as q is", of.name)
                        };
                        let on = storage.device().cuda_stream().context().ordinal() as u32;
                        if on != number {
                            candle::bail!("{} is on GPU {on}, and q on GPU {number}", of.name)
                        }
                        let (address, guard) = address(storage, &stream)?;
                        let ahead = start * storage.dtype().size_in_bytes();
                        (address + ahead as u64, guard)
                    }
                    // No kernel accesses this buffer.
                    _ if of.bytes == 0 => {
                        addresses.push(0);
                        continue;
                    }
                    _ => match new.next() {
                        Some(storage) => address_mut(storage, &stream)?,
                        None => candle::bail!("{} was not allocated", of.name),
                    },
                };
                addresses.push(address);
                guards.push(guard);
            }
            let handle = stream.cu_stream().cast();
            // SAFETY: the addresses are those of storages on this device. Candle's allocator keeps
            // the storages until its stream has passed the launches, which the guards record.
            // Outputs and scratch are new storages, so they overlap no other buffer. The plan was
            // made from layouts, which lie within their storages. The stream belongs to candle's
            // context, the device's primary one.
            unsafe { sequence.enqueue(gpu, handle, &addresses) }.map_err(refused)?;
        }
        let buffers = sequence.buffers().iter();
        let new = buffers.filter(|of| of.role != BufferRole::Input && of.bytes > 0);
        let outputs = new
            .zip(made)
            .filter(|(of, _)| of.role == BufferRole::Output);
        Ok(outputs.map(|(_, storage)| Storage::Cuda(storage)).collect())
    }
}
