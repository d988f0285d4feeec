//! Attention in one call: `O = softmax(scale Q Kᵀ + mask) V`, for every head of every batch, on a
//! GPU from compute capability 8.0 on, or the emulator.
//!
//! ```text
//!   HeadTensor q, k, v ─┐
//!   HeadTensorMut o ────┼─► attention(&device, ..) ─► kernel of the head dimension ─► launch, once, checked
//!   AttentionOptions ───┘                         └─► CutletError: extents, strides, alignment, in values
//! ```
//!
//! ```
//! use cutlet::attention::{AttentionMask, AttentionOptions, HeadTensor, HeadTensorMut, Heads, attention};
//! use cutlet::prelude::*;
//!
//! let device = Device::emulator();
//! // Two heads of twenty queries; both share one head of keys and values.
//! let queries = Heads { batches: 1, heads: 2, rows: 20, columns: 64 };
//! let keys = Heads { heads: 1, ..queries };
//! let q = device.upload(&vec![f16::ONE; 2 * 20 * 64])?;
//! let k = device.upload(&vec![f16::ONE; 20 * 64])?;
//! let v = device.upload(&vec![f16::from_f32(0.5); 20 * 64])?;
//! let mut o = device.upload(&vec![f16::ZERO; 2 * 20 * 64])?;
//! attention(
//!     &device,
//!     HeadTensor::new(&q, queries),
//!     HeadTensor::new(&k, keys),
//!     HeadTensor::new(&v, keys),
//!     HeadTensorMut::new(&mut o, queries),
//!     AttentionOptions { mask: AttentionMask::Causal, ..AttentionOptions::default() },
//! )?;
//! assert!(o.to_vec()?.iter().all(|&x| x == f16::from_f32(0.5)));
//! # Ok::<(), cutlet::CutletError>(())
//! ```
//!
//! Law: the law of [`kernel_abi::attention`] holds. Every run on the same device gives the same
//! bits, except for dQ with [`BackwardKernels::Fused`].

mod backward;
mod decode;
mod fp8;
mod packed;
mod request;
mod soft_cap;

pub use backward::{
    AttentionBackwardOptions, BACKWARD_CONFIGURATIONS, BackwardKernels,
    FUSED_BACKWARD_CONFIGURATIONS, MMA_BACKWARD_CONFIGURATIONS, MMA_PACKED_BACKWARD_CONFIGURATIONS,
    MMA_SCORE_BACKWARD_CONFIGURATIONS, PACKED_BACKWARD_CONFIGURATIONS,
    PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SCORE_BACKWARD_CONFIGURATIONS, SINK_GRADIENT,
    SOFT_CAP_BACKWARD_CONFIGURATIONS, attention_backward, attention_backward_packed, backward_plan,
    by_fused_kernels, fused_backward_plan, gradient_configuration, gradient_configurations_by,
    packed_backward_plan, prepare_backward, prepare_backward_packed, takes_fused_kernels,
};
pub use decode::{
    DECODE_CONFIGURATIONS, DecodeOptions, E4M3_DECODE_CONFIGURATIONS, LATENT_DECODE_CONFIGURATIONS,
    SOFT_CAP_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS, attention_decode,
    decode_configurations, decode_plan, prepare_decode, prepare_decode_in, prepare_decode_soft_cap,
    soft_cap_decode_plan,
};
pub use fp8::{FP8_CONFIGURATIONS, attention_fp8, fp8_plan, prepare_fp8};
pub use gpu_kernels::attention::CONFIGURATIONS as MMA_CONFIGURATIONS;
pub use gpu_kernels_sm90::attention::CONFIGURATIONS;
pub use gpu_kernels_sm100::attention::CONFIGURATIONS as UMMA_CONFIGURATIONS;
pub use host::attention::{
    AttentionBackwardOperands, AttentionElement, AttentionError, AttentionOperands,
    AttentionScales, CacheScales, CachedElement, DecodeOperands, HeadTensor, HeadTensorMut, Heads,
    PageTable, PagedKeys, PartOperands, PreparedAttention, PreparedAttentionBackward,
    PreparedDecode, SequenceStarts, SinkGradientOperands, page_table, starts,
};
pub use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardPlan, AttentionBackwardProblem,
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionParts, AttentionPlan,
    AttentionProblem, AttentionStrides, AttentionType, CacheElement, DecodeConfiguration,
    DecodePlan, DecodeProblem, Fp8AttentionPlan, Fp8AttentionProblem, FusedBackwardConfiguration,
    FusedBackwardPlan, PackedAttentionPlan, PackedAttentionProblem, PackedBackwardPlan,
    PackedBackwardProblem, PagedAttentionPlan, PagedAttentionProblem, SinkGradientConfiguration,
    SinkGradientPlan, cheapest,
};
pub use packed::{
    MMA_PACKED_CONFIGURATIONS, PACKED_CONFIGURATIONS, attention_packed, packed_configurations_by,
};
pub use request::{
    AttentionRequest, forward_configuration, forward_configurations_by, packed_plan, paged_plan,
    plan_with, prepare_request,
};
pub use soft_cap::{
    MMA_PACKED_SOFT_CAP_CONFIGURATIONS, MMA_SOFT_CAP_CONFIGURATIONS, MOST_SOFT_CAP,
    SOFT_CAP_CONFIGURATIONS,
};

use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::{Device, Kind, Run, View, ViewMut};

/// What attention takes besides its tensors.
#[derive(Debug)]
pub struct AttentionOptions<'a> {
    /// The mask, which says which keys a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The destination of the log-sum-exp of each row, (batches, heads, queries).
    pub lse: Option<ViewMut<'a, f32>>,
    /// Replaces each score by `cap tanh(score / cap)` before the mask. The cap is above 0 and at
    /// most [`MOST_SOFT_CAP`].
    pub soft_cap: Option<f32>,
    /// ALiBi: a slope for each head of Q. Each score is reduced by the slope for each key between
    /// the query's own place and its key, after the soft cap. The last query's place is the last
    /// key's.
    pub slopes: Option<View<'a, f32>>,
    /// Learnable sinks: a logit for each head of Q, which joins the denominator of the head's rows,
    /// and so the log-sum-exp. A logit of -inf is no sink.
    pub sinks: Option<View<'a, f32>>,
    /// The way in which the kernel reads its tensors. The default is TMA on Hopper and `cp.async`
    /// on every other GPU. 8-bit floats are read only by TMA.
    pub loads: Option<AttentionLoads>,
}

impl Default for AttentionOptions<'_> {
    fn default() -> Self {
        Self {
            mask: AttentionMask::Full,
            scale: None,
            lse: None,
            soft_cap: None,
            slopes: None,
            sinks: None,
            loads: None,
        }
    }
}

impl<'a> AttentionOptions<'a> {
    /// Returns the operands of the tensors and the request.
    fn of<T: AttentionElement>(
        self,
        [q, k, v]: [HeadTensor<'a, T>; 3],
        o: HeadTensorMut<'a, T>,
        starts: Option<SequenceStarts<'a>>,
    ) -> (AttentionOperands<'a, T>, AttentionRequest<'a>) {
        let lse = self.lse;
        let request = AttentionRequest {
            mask: self.mask,
            scale: self.scale,
            starts,
            pages: None,
            soft_cap: self.soft_cap,
            slopes: self.slopes,
            sinks: self.sinks,
            loads: self.loads,
            by: None,
        };
        (AttentionOperands { q, k, v, o, lse }, request)
    }
}

/// Returns the default factor of the scores, `1 / sqrt(D)`.
#[must_use]
pub fn default_scale(dim: u32) -> f32 {
    (1.0 / f64::from(dim).sqrt()) as f32
}

/// Returns the table of a device's kernels: Hopper's read by TMA and multiply by `wgmma`, every
/// other GPU's read by `cp.async` and multiply by `mma.sync`.
///
/// ```
/// use cutlet::attention::{AttentionLoads, configurations};
/// let device = host::Device::emulator();
/// assert_eq!(configurations(&device)[0].loads, AttentionLoads::Tma);
/// ```
#[must_use]
pub fn configurations(device: &Device) -> &'static [AttentionConfiguration] {
    configurations_by(loads_of(device))
}

/// Returns the way in which a device's kernels read their tensors.
fn loads_of(device: &Device) -> AttentionLoads {
    AttentionLoads::of(device.compute_capability())
}

/// Returns the table of kernels that read Q, K and V in this way.
#[must_use]
pub const fn configurations_by(loads: AttentionLoads) -> &'static [AttentionConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_CONFIGURATIONS,
        AttentionLoads::Tma => CONFIGURATIONS,
        AttentionLoads::TmaUmma => UMMA_CONFIGURATIONS,
    }
}

/// Returns the ways of reading tensors, in the order in which a device's kernels are searched. No
/// card has run Blackwell's kernels: a GPU gets one only if the caller names it, but an emulated
/// Blackwell gets one before all others.
fn ways(
    device: &Device,
    loads: Option<AttentionLoads>,
) -> impl Iterator<Item = AttentionLoads> + Clone + use<> {
    let compute_capability = device.compute_capability();
    let is_emulated_blackwell =
        device.kind() == Kind::Emulator && compute_capability == (10, 0) && loads.is_none();
    let own = is_emulated_blackwell.then_some(AttentionLoads::TmaUmma);
    own.into_iter()
        .chain(AttentionLoads::ways(compute_capability, loads))
}

/// Returns the numbers in ascending order, each once.
fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Returns the kernel of a problem on a device, or `None` if there is none: the cheapest for its
/// element type and its head dimension, of those that read as the device's own do, or else by
/// `cp.async`. Precondition: [`check`](AttentionProblem::check) accepts the problem.
#[must_use]
pub fn configuration(
    device: &Device,
    problem: &AttentionProblem,
) -> Option<&'static AttentionConfiguration> {
    ways(device, None).find_map(|loads| configuration_by(device, problem, loads))
}

/// Returns the kernel as [`configuration`] does, of those kernels that read Q, K and V in this way.
#[must_use]
pub fn configuration_by(
    device: &Device,
    problem: &AttentionProblem,
    loads: AttentionLoads,
) -> Option<&'static AttentionConfiguration> {
    let shared = device.limits().max_shared;
    let all = configurations_by(loads).iter();
    cheapest(all.filter(|of| of.shared_bytes as usize <= shared), problem)
}

/// Plans a problem on a device, with the kernel `by` or by default with that of [`configuration`].
///
/// # Errors
/// Returns [`CutletError::NoAttention`] if there is no such kernel, and [`CutletError::Problem`] if
/// no launch covers the problem, or no launch of `by` does.
pub fn plan(
    device: &Device,
    problem: &AttentionProblem,
    by: Option<&AttentionConfiguration>,
) -> Result<AttentionPlan, CutletError> {
    plan_with(device, problem, AttentionParts::NONE, (by, None))
}

/// Plans attention of these tensors, with the kernel `by` or by default with that of
/// [`configuration`], and binds the tensors to the launch.
///
/// # Errors
/// Returns the errors of [`attention`], and [`CutletError::Problem`] if `by` is for other tensors.
pub fn prepare<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionOperands<'a, T>,
    mask: AttentionMask,
    scale: Option<f32>,
    by: Option<&'a AttentionConfiguration>,
) -> Result<PreparedAttention<'a>, CutletError> {
    let request = AttentionRequest {
        mask,
        scale,
        by,
        ..AttentionRequest::default()
    };
    prepare_request(modules, operands, &request)
}

/// Computes `o = softmax(scale q kᵀ + mask) v` for every head of every batch.
///
/// # Errors
/// Returns [`CutletError::Attention`] if the tensors do not fit each other or their buffers,
/// [`CutletError::Problem`] if no launch covers the problem, and [`CutletError::NoAttention`],
/// [`CutletError::NoSoftCap`] or [`CutletError::NoAttentionWith`] if there is no kernel for it.
/// Also returns the device's errors.
pub fn attention<T: AttentionElement>(
    device: &Device,
    q: HeadTensor<'_, T>,
    k: HeadTensor<'_, T>,
    v: HeadTensor<'_, T>,
    o: HeadTensorMut<'_, T>,
    options: AttentionOptions<'_>,
) -> Result<Run, CutletError> {
    let library = Library::of(device)?;
    let (operands, request) = options.of([q, k, v], o, None);
    Ok(prepare_request(library.modules(), operands, &request)?.run(None)?)
}
