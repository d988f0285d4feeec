//! Attention of packed sequences in one call: sequences of any lengths, without padding.
//!
//! ```text
//!   q, k, v, o of the rows of all sequences ─┬─► attention_packed(&device, ..) ─► one launch for all of them
//!   SequenceStarts { queries, keys } ────────┘                                 ─► by TMA on Hopper, by cp.async on every other GPU
//! ```

use super::{AttentionOptions, HeadTensor, HeadTensorMut, prepare_request};
use crate::CutletError;
use crate::gemm::Library;
use host::attention::{AttentionElement, SequenceStarts};
use host::{Device, Run};
use kernel_abi::attention::{AttentionConfiguration, AttentionLoads};

pub use gpu_kernels::attention::PACKED_CONFIGURATIONS as MMA_PACKED_CONFIGURATIONS;
pub use gpu_kernels_sm90::attention::PACKED_CONFIGURATIONS;

/// Returns the table of kernels of packed sequences that read Q, K and V in this way.
///
/// ```
/// use cutlet::attention::{AttentionLoads, packed_configurations_by};
/// let of = packed_configurations_by(AttentionLoads::CpAsync)[0];
/// assert_eq!((of.loads, of.threads), (AttentionLoads::CpAsync, 128));
/// ```
#[must_use]
pub const fn packed_configurations_by(loads: AttentionLoads) -> &'static [AttentionConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_PACKED_CONFIGURATIONS,
        AttentionLoads::Tma => PACKED_CONFIGURATIONS,
        AttentionLoads::TmaUmma => &[],
    }
}

/// Computes `o = softmax(scale q kᵀ + mask) v` separately for each sequence and each head. The
/// tensors have one batch with the rows of all sequences.
///
/// ```
/// use cutlet::attention::{
///     AttentionMask, AttentionOptions, HeadTensor, HeadTensorMut, Heads, SequenceStarts, attention_packed, starts,
/// };
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// // Sequences of 3 and of 5 rows: values of 1 in the first, of 2 in the second.
/// let heads = Heads { batches: 1, heads: 1, rows: 8, columns: 64 };
/// let ones = device.upload(&[f16::ONE; 8 * 64])?;
/// let values: Vec<f16> = (0..8 * 64).map(|i| if i < 3 * 64 { f16::ONE } else { f16::from_f32(2.0) }).collect();
/// let v = device.upload(&values)?;
/// let mut o = device.upload(&[f16::ZERO; 8 * 64])?;
/// let of_both = device.upload(&starts(&[3, 5]))?;
/// attention_packed(
///     &device,
///     [HeadTensor::new(&ones, heads), HeadTensor::new(&ones, heads), HeadTensor::new(&v, heads)],
///     HeadTensorMut::new(&mut o, heads),
///     SequenceStarts { queries: of_both.all(), keys: of_both.all() },
///     AttentionOptions { mask: AttentionMask::Causal, ..AttentionOptions::default() },
/// )?;
/// assert_eq!(o.to_vec()?, values);
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns [`CutletError::Attention`] if the tensors do not fit each other or their buffers, or if
/// the starts have different numbers of sequences. Returns [`CutletError::Problem`] if no launch
/// covers the problem, and [`CutletError::NoAttention`] or [`CutletError::NoSoftCap`] if there is
/// no kernel for it. Also returns the device's errors.
pub fn attention_packed<T: AttentionElement>(
    device: &Device,
    [q, k, v]: [HeadTensor<'_, T>; 3],
    o: HeadTensorMut<'_, T>,
    starts: SequenceStarts<'_>,
    options: AttentionOptions<'_>,
) -> Result<Run, CutletError> {
    let library = Library::of(device)?;
    let (operands, request) = options.of([q, k, v], o, Some(starts));
    Ok(prepare_request(library.modules(), operands, &request)?.run(None)?)
}
