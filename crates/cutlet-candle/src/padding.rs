//! Makes tensors that the kernels take: pads a head dimension that no kernel has with zeros, and
//! copies rows that do not begin at multiples of 16 bytes.
//!
//! ```text
//!   (.., 8) ──zeros──► (.., 16) ──kernel──► (.., 16) ──narrow──► (.., 8)
//! ```
//!
//! Law: columns of zeros add nothing to a score and are cut from the result; the scale is the
//! caller's.

use crate::problem::element;
use candle::{D, Device, Result, Tensor};
pub use cutlet_ops::kernel_abi::attention::KernelSequences as Sequences;
use cutlet_ops::{AttentionScores, EMULATED_GPU, attention_dims};

/// Elements of 16 bytes.
const VECTOR: usize = 8;

/// The least head dimension of a kernel on q's device that has `dim` columns or more.
fn dim_of_kernel(
    q: &Tensor,
    scores: AttentionScores,
    sequences: Sequences,
    dim: usize,
) -> Result<usize> {
    let element = element(q.dtype())?;
    let dims = match q.device() {
        #[cfg(feature = "cuda")]
        Device::Cuda(device) => {
            let number = device.cuda_stream().context().ordinal() as u32;
            let device = cutlet_ops::CudaDevice::get(number).map_err(crate::refused)?;
            attention_dims(&device.traits(), element, scores, sequences)
        }
        Device::Cpu => attention_dims(&EMULATED_GPU, element, scores, sequences),
        device => candle::bail!("flash-attn is for CUDA devices and the CPU, not {device:?}"),
    };
    let enough = dims.into_iter().map(|of| of as usize).find(|of| *of >= dim);
    // If there is none, the choice of the kernel is refused with the dimensions that there are.
    Ok(enough.unwrap_or(dim))
}

/// The tensor, or a contiguous copy if its rows do not begin at multiples of 16 bytes.
fn aligned(of: Tensor) -> Result<Tensor> {
    let (_, layout) = of.storage_and_layout();
    let (last, outer) = layout.stride().split_last().unwrap_or((&1, &[]));
    let fits = outer.iter().all(|by| by % VECTOR == 0) && layout.start_offset() % VECTOR == 0;
    // A last dimension that is not contiguous is refused, as candle-flash-attn does.
    if fits || *last != 1 {
        return Ok(of.clone());
    }
    // `contiguous` copies nothing of a tensor that is contiguous and begins in a vector's middle.
    of.force_contiguous()
}

/// Calls `compute` with tensors that the kernels take, and cuts its result.
pub fn padded(
    [q, k, v]: [&Tensor; 3],
    (scores, sequences): (AttentionScores, Sequences),
    compute: impl FnOnce([Tensor; 3]) -> Result<Tensor>,
) -> Result<Tensor> {
    let dim = q.dim(D::Minus1)?;
    let of_kernel = dim_of_kernel(q, scores, sequences, dim)?;
    let pad = |of: &Tensor| match of_kernel - dim {
        0 => aligned(of.clone()),
        more => of.pad_with_zeros(D::Minus1, 0, more)?.contiguous(),
    };
    let o = compute([pad(q)?, pad(k)?, pad(v)?])?;
    match of_kernel == dim {
        true => Ok(o),
        false => o.narrow(D::Minus1, 0, dim)?.contiguous(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle::DType;

    #[test]
    fn a_tensor_that_begins_inside_a_vector_is_copied() -> Result<()> {
        let all = Tensor::zeros(3 + 2 * 64, DType::F16, &Device::Cpu)?;
        let of = all.narrow(0, 3, 2 * 64)?.reshape((1, 2, 1, 64))?;
        assert!(of.is_contiguous() && of.layout().start_offset() == 3);
        assert_eq!(aligned(of)?.layout().start_offset(), 0);
        let of = all.narrow(0, 0, 2 * 64)?.reshape((1, 2, 1, 64))?;
        assert_eq!(aligned(of.clone())?.id(), of.id());
        Ok(())
    }
}
