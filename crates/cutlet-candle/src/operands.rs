//! Converts candle's storages to the buffers of a launch sequence, on the CPU or on a CUDA device.
//!
//! ```text
//!   (Storage, Layout) ──► Operand { storage, start }       a tensor's view begins at its layout's start offset
//! ```

use crate::refused;
use candle::backend::BackendStorage;
use candle::op::BackpropOp;
use candle::{CpuStorage, CudaStorage, DType, Device, Layout, Result, Shape, Storage, Tensor};

/// A borrowed storage.
#[derive(Clone, Copy)]
pub enum Lent<'a> {
    /// On the CPU.
    Cpu(&'a CpuStorage),
    /// On a CUDA device.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Cuda(&'a CudaStorage),
}

/// An input: a storage, and the element at which the tensor begins.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    /// The storage.
    pub storage: Lent<'a>,
    /// The number of elements of the storage before the tensor's first element.
    pub start: usize,
}

impl<'a> Operand<'a> {
    /// Returns the type of the elements.
    pub fn dtype(&self) -> DType {
        match self.storage {
            Lent::Cpu(storage) => storage.dtype(),
            Lent::Cuda(storage) => storage.dtype(),
        }
    }

    /// Makes the operand of a tensor on the CPU.
    pub fn cpu(storage: &'a CpuStorage, layout: &Layout) -> Self {
        let storage = Lent::Cpu(storage);
        let start = layout.start_offset();
        Self { storage, start }
    }

    /// Makes the operand of a tensor on a CUDA device.
    #[cfg(feature = "cuda")]
    pub fn cuda(storage: &'a CudaStorage, layout: &Layout) -> Self {
        let storage = Lent::Cuda(storage);
        let start = layout.start_offset();
        Self { storage, start }
    }

    /// Makes the operand of a tensor on the CPU or on a CUDA device. The operand borrows the
    /// tensor's storage.
    pub fn of(storage: &'a Storage, layout: &Layout) -> Result<Self> {
        let start = layout.start_offset();
        let storage = match storage {
            Storage::Cpu(storage) => Lent::Cpu(storage),
            Storage::Cuda(storage) => Lent::Cuda(storage),
            Storage::Metal(_) => candle::bail!("flash-attn is for CUDA devices and the CPU"),
        };
        Ok(Self { storage, start })
    }
}

/// Makes the contiguous tensor with this storage.
pub fn tensor(storage: Storage, shape: &Shape) -> Tensor {
    Tensor::from_storage(storage, shape.clone(), BackpropOp::none(), false)
}

/// Returns the tensor on q's device. candle may have several devices for one GPU, each with its own
/// stream, and candle's operators refuse to mix devices. If the tensor is on another of candle's
/// devices for q's GPU, the host copies it.
///
/// # Errors
/// Returns an error if the tensor is on another GPU than q, or if only one of the two is on a GPU.
pub fn on_device_of(q: &Tensor, name: &str, of: &Tensor) -> Result<Tensor> {
    let (device, own) = (q.device(), of.device());
    if own.same_device(device) {
        return Ok(of.clone());
    }
    let (expected, found) = (device.location(), own.location());
    if found != expected {
        candle::bail!("{name} is on {found:?}; it must be on q's {expected:?}")
    }
    of.to_device(&Device::Cpu)?.to_device(device)
}

/// Converts the integers to u32. candle has no CUDA kernel that converts i32, so the host converts
/// them and waits for the stream.
pub fn unsigned(of: &Tensor) -> Result<Tensor> {
    match of.dtype() {
        DType::U32 => Ok(of.clone()),
        _ => {
            let on_host = of.to_device(&Device::Cpu)?;
            on_host.to_dtype(DType::U32)?.to_device(of.device())
        }
    }
}

/// Refuses a tensor unless it is f32, contiguous, and has one number for each head.
pub fn check_of_heads(name: &str, of: &Tensor, heads: u32) -> Result<()> {
    if of.dtype() != DType::F32 {
        candle::bail!(
            "DType mismatch {name} {:?}, expected {:?}",
            of.dtype(),
            DType::F32
        )
    }
    if of.dims() != [heads as usize] || !of.is_contiguous() {
        candle::bail!(
            "shape mismatch {name} {:?}, expected ({heads},), contiguous",
            of.shape()
        )
    }
    Ok(())
}

/// Refuses a tensor whose numbers are not integers of 32 bits.
pub fn check_integers(name: &str, of: &Tensor) -> Result<()> {
    match of.dtype() {
        DType::U32 | DType::I32 => Ok(()),
        dtype => candle::bail!("{name} is of {dtype:?}; it must be of u32 or i32"),
    }
}

/// Returns the number of sequences in a list of starts.
pub fn sequences(name: &str, of: &Tensor) -> Result<u32> {
    check_integers(name, of)?;
    if !of.is_contiguous() || of.dims().len() != 1 || of.elem_count() < 2 {
        candle::bail!(
            "{name} has to be contiguous, of one dimension and at least 2 elements: {:?}",
            of.shape()
        )
    }
    u32::try_from(of.elem_count() - 1).map_err(refused)
}
