//! Converts tensors to ones that the kernels take. Heads whose dimension has no kernel are padded
//! with zeros, rows that do not begin at multiples of 16 bytes are copied, and V is split if it has
//! too many columns.
//!
//! ```text
//!   (.., 8) ──zeros──► (.., 16) ──kernel──► (.., 16) ──narrow──► (.., 8)
//!   q, k (.., 512)   v (.., 512) ──narrow──► (.., 256), (.., 256) ──a kernel each──► cat ──► (.., 512)
//! ```
//!
//! Law: columns of zeros add nothing to a score, and `padded` removes them from the result. The
//! caller sets the scale. A column of the result depends on only one column of V.

use crate::problem::element;
use candle::{D, Device, Result, Tensor};
pub use cutlet_ops::kernel_abi::attention::KernelSequences as Sequences;
use cutlet_ops::{AttentionScores, EMULATED_GPU, GpuTraits, attention_dim_pairs, attention_dims};

/// The number of elements in 16 bytes.
const VECTOR: usize = 8;

/// Calls `of` with the traits of q's device.
fn with_traits<T>(q: &Tensor, of: impl FnOnce(&GpuTraits<'_>) -> T) -> Result<T> {
    match q.device() {
        #[cfg(feature = "cuda")]
        Device::Cuda(device) => {
            let number = device.cuda_stream().context().ordinal() as u32;
            let device = cutlet_ops::CudaDevice::get(number).map_err(crate::refused)?;
            Ok(of(&device.traits()))
        }
        Device::Cpu => Ok(of(&EMULATED_GPU)),
        device => candle::bail!("flash-attn is for CUDA devices and the CPU, not {device:?}"),
    }
}

/// Returns `[columns of Q and K, columns of V]` for the kernel that computes heads with `dim`
/// columns on q's device, or `None` if every kernel has fewer than `dim` columns for Q and K.
pub fn dims_of_kernel(
    q: &Tensor,
    (scores, sequences): (AttentionScores, Sequences),
    dim: usize,
) -> Result<Option<[usize; 2]>> {
    let element = element(q.dtype())?;
    with_traits(q, |gpu| {
        let enough = |of: &u32| *of as usize >= dim;
        let mut dims = attention_dims(gpu, element, scores, sequences).into_iter();
        if let Some(dim) = dims.find(enough) {
            return Some([dim as usize; 2]);
        }
        let pairs = attention_dim_pairs(gpu, element, scores, sequences);
        // Chooses the smallest number of columns of Q and K that is at least `dim`, and then the
        // largest number of columns of V, because each part of V computes all scores again.
        let least = pairs.iter().map(|[dim, _]| *dim).find(enough)?;
        let most = pairs.into_iter().rfind(|[dim, _]| *dim == least)?;
        Some(most.map(|of| of as usize))
    })
}

/// Returns the tensor, or a contiguous copy if its rows do not begin at multiples of 16 bytes.
fn aligned(of: Tensor) -> Result<Tensor> {
    let layout = of.layout();
    let (last, outer) = layout.stride().split_last().unwrap_or((&1, &[]));
    let start = layout.start_offset();
    let mut places = outer.iter().chain([&start]);
    let fits = places.all(|by| by.is_multiple_of(VECTOR));
    // A tensor whose last dimension is not contiguous is refused, as by candle-flash-attn.
    if fits || *last != 1 {
        return Ok(of.clone());
    }
    // `contiguous` would not copy a tensor that is contiguous but does not begin at a multiple of
    // 16 bytes.
    of.force_contiguous()
}

/// Calls `compute` with tensors that the kernels take, once for each part of V, and concatenates
/// the results.
pub fn padded(
    [q, k, v]: [&Tensor; 3],
    of_kernel: (AttentionScores, Sequences),
    compute: impl Fn([Tensor; 3]) -> Result<Tensor>,
) -> Result<Tensor> {
    if k.dims() != v.dims() {
        candle::bail!("shape mismatch k {:?} and v {:?}", k.shape(), v.shape())
    }
    let dim = q.dim(D::Minus1)?;
    if k.dim(D::Minus1)? != dim {
        candle::bail!("shape mismatch q {:?} and k {:?}", q.shape(), k.shape())
    }
    // If there is no kernel, the choice in `compute` fails, and its error names the dimensions that
    // have a kernel.
    let [most, most_v] = dims_of_kernel(q, of_kernel, dim)?.unwrap_or([dim; 2]);
    let pad = |of: &Tensor, to: usize| match to - of.dim(D::Minus1)? {
        0 => aligned(of.clone()),
        more => of.pad_with_zeros(D::Minus1, 0, more)?.contiguous(),
    };
    let (q, k) = (pad(q, most)?, pad(k, most)?);
    let parts = (0..dim).step_by(most_v.max(1)).map(|first| {
        let columns = most_v.min(dim - first);
        let part = pad(&v.narrow(D::Minus1, first, columns)?, most_v)?;
        let o = compute([q.clone(), k.clone(), part])?;
        match columns == most_v {
            true => Ok(o),
            false => o.narrow(D::Minus1, 0, columns)?.contiguous(),
        }
    });
    match &parts.collect::<Result<Vec<_>>>()?[..] {
        [o] => Ok(o.clone()),
        parts => Tensor::cat(parts, D::Minus1),
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
