//! Attention in one call: `O = softmax(scale Q Kᵀ + mask) V`, of every head of every batch, on a
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
//! Law: that of [`kernel_abi::attention`]; the same bits on every run of the same device, but for
//! dQ of [`BackwardKernels::Fused`].

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

/// What there is to attention besides its tensors.
#[derive(Debug)]
pub struct AttentionOptions<'a> {
    /// Which keys a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores; by default `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// Where the log-sum-exp of each row goes, (batches, heads, queries).
    pub lse: Option<ViewMut<'a, f32>>,
    /// Scores become `cap tanh(score / cap)` before the mask: above 0 and at most
    /// [`MOST_SOFT_CAP`].
    pub soft_cap: Option<f32>,
    /// ALiBi: a slope of each head of Q, by which a score becomes less for each key between the
    /// query's own place and its key, behind a soft cap. The last query's place is the last key's.
    pub slopes: Option<View<'a, f32>>,
    /// Learnable sinks: a logit of each head of Q, which joins the denominator of its rows, and so
    /// the log-sum-exp; -inf is none.
    pub sinks: Option<View<'a, f32>>,
    /// How the kernel reads its tensors; by default Hopper's by TMA, every other GPU's by
    /// `cp.async`. 8-bit floats are read by TMA alone.
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
    /// The tensors' operands and the request.
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

/// The factor of the scores where none is given: `1 / sqrt(D)`.
#[must_use]
pub fn default_scale(dim: u32) -> f32 {
    (1.0 / f64::from(dim).sqrt()) as f32
}

/// The table of a device's kernels: Hopper's by TMA and `wgmma`, every other GPU's by `cp.async`
/// and `mma.sync`.
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

/// How a device's kernels read their tensors.
fn loads_of(device: &Device) -> AttentionLoads {
    AttentionLoads::of(device.compute_capability())
}

/// The table of kernels that read Q, K and V in this way.
#[must_use]
pub const fn configurations_by(loads: AttentionLoads) -> &'static [AttentionConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_CONFIGURATIONS,
        AttentionLoads::Tma => CONFIGURATIONS,
        AttentionLoads::TmaUmma => UMMA_CONFIGURATIONS,
    }
}

/// The ways of reading tensors by which a problem's kernel is looked for on a device. No card has
/// run Blackwell's kernels: a GPU gets one where it is named, an emulated Blackwell before all
/// others.
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

/// Numbers in their order, each once.
fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The kernel of a problem on a device: of its elements and its head dimension, the one that takes
/// the least of those that read as the device's own do, or else by `cp.async`. The problem is one
/// that [`check`](AttentionProblem::check) passes.
#[must_use]
pub fn configuration(
    device: &Device,
    problem: &AttentionProblem,
) -> Option<&'static AttentionConfiguration> {
    ways(device, None).find_map(|loads| configuration_by(device, problem, loads))
}

/// [`configuration`] of those kernels that read Q, K and V in this way.
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

/// The plan of a problem on a device, by the kernel `by` or else by [`configuration`]'s.
///
/// # Errors
/// [`CutletError::NoAttention`] where there is no such kernel, [`CutletError::Problem`] for what no
/// launch covers, or not one of `by`.
pub fn plan(
    device: &Device,
    problem: &AttentionProblem,
    by: Option<&AttentionConfiguration>,
) -> Result<AttentionPlan, CutletError> {
    plan_with(device, problem, AttentionParts::NONE, (by, None))
}

/// Plans attention of these tensors, by the kernel `by` or else by [`configuration`]'s, and binds
/// them to the launch.
///
/// # Errors
/// As of [`attention`], and [`CutletError::Problem`] where `by` is for other tensors.
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

/// `o = softmax(scale q kᵀ + mask) v`, of every head of every batch.
///
/// # Errors
/// [`CutletError::Attention`] for tensors that do not fit each other or their buffers,
/// [`CutletError::Problem`] for a problem that no launch covers, [`CutletError::NoAttention`],
/// [`CutletError::NoSoftCap`] or [`CutletError::NoAttentionWith`] where there is no kernel for it,
/// and what the device reports.
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
