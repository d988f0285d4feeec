//! Decoding in one call: one query per head and sequence (more for latent attention), with keys and
//! values in pages of a cache.
//!
//! ```text
//!   q, o (sequences, heads, 1, D), k, v (pages, key heads, page size, D) ─┬─► attention_decode(&device, ..) ─► two launches for all
//!   PagedKeys { lengths, table } ─────────────────────────────────────────┘
//! ```

use super::{HeadTensor, HeadTensorMut, default_scale, distinct, soft_cap};
use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::attention::{
    AttentionElement, CacheScales, CachedElement, DecodeOperands, PagedKeys, PreparedDecode,
};
use host::{ByValue, Device, Kernel, Run, ViewMut, Workspace};
use kernel_abi::attention::{DecodeConfiguration, DecodePlan, DecodeProblem};

pub use gpu_kernels_sm90::attention::{
    DECODE_CONFIGURATIONS, E4M3_DECODE_CONFIGURATIONS, LATENT_DECODE_CONFIGURATIONS,
    SOFT_CAP_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
};

/// What decoding takes besides its tensors.
#[derive(Debug, Default)]
pub struct DecodeOptions<'a> {
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The destination of the log-sum-exp of each row, (sequences, heads).
    pub lse: Option<ViewMut<'a, f32>>,
    /// The CTAs over which the keys of all sequences are split. The default is one per
    /// multiprocessor.
    pub ctas: Option<u32>,
    /// Replaces each score by `cap tanh(score / cap)`. The cap is above 0 and at most
    /// [`MOST_SOFT_CAP`](super::MOST_SOFT_CAP); the kernels are those of
    /// [`SOFT_CAP_DECODE_CONFIGURATIONS`] and [`SOFT_CAP_E4M3_DECODE_CONFIGURATIONS`].
    pub soft_cap: Option<f32>,
    /// The factors of K's and V's elements in an e4m3 cache. Any other cache has no factors.
    pub scales: Option<CacheScales<'a>>,
}

/// Returns the kernels of decoding without a soft cap, or those with one: for a cache in 16 bits,
/// then for one in e4m3, then for latent attention.
///
/// ```
/// use cutlet::attention::decode_configurations;
/// assert!(decode_configurations(false).any(|of| of.attention.dim_v != of.attention.dim));
/// assert!(decode_configurations(true).all(|of| of.attention.parts.soft_cap));
/// ```
pub fn decode_configurations(
    soft_cap: bool,
) -> impl Iterator<Item = &'static DecodeConfiguration> + Clone {
    let tables: [&'static [DecodeConfiguration]; 3] = match soft_cap {
        false => [
            DECODE_CONFIGURATIONS,
            E4M3_DECODE_CONFIGURATIONS,
            LATENT_DECODE_CONFIGURATIONS,
        ],
        // Latent attention has no soft cap.
        true => [
            SOFT_CAP_DECODE_CONFIGURATIONS,
            SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
            &[],
        ],
    };
    tables.into_iter().flatten()
}

/// Plans a problem on a device with the kernels of its element type and head dimension, over `ctas`
/// CTAs, or by default one per multiprocessor.
///
/// # Errors
/// Returns [`CutletError::NoAttention`] if there are no such kernels, and [`CutletError::Problem`]
/// if no launch covers the problem.
pub fn decode_plan(
    device: &Device,
    problem: &DecodeProblem,
    ctas: Option<u32>,
) -> Result<DecodePlan, CutletError> {
    plan_of(false, device, problem, ctas)
}

/// Plans a problem with a soft cap on a device, as [`decode_plan`] does without one.
///
/// # Errors
/// Returns the errors of [`decode_plan`].
pub fn soft_cap_decode_plan(
    device: &Device,
    problem: &DecodeProblem,
    ctas: Option<u32>,
) -> Result<DecodePlan, CutletError> {
    plan_of(true, device, problem, ctas)
}

/// Plans a problem with the kernels of [`decode_configurations`].
fn plan_of(
    soft_cap: bool,
    device: &Device,
    problem: &DecodeProblem,
    ctas: Option<u32>,
) -> Result<DecodePlan, CutletError> {
    problem.check()?;
    let of_element = || {
        decode_configurations(soft_cap).filter(|of| {
            let is_latent = of.attention.dim_v != of.attention.dim;
            of.attention.element == problem.element
                && of.cache == problem.cache
                && is_latent == problem.is_latent()
        })
    };
    let of = of_element()
        .find(|of| of.computes(problem))
        // Latent attention has one head dimension; the plan reports an error for any other.
        .or_else(|| of_element().find(|_| problem.is_latent()))
        .ok_or_else(|| CutletError::NoAttention {
            element: problem.element.name(),
            dim: problem.dim,
            dims: distinct(of_element().map(|of| of.attention.dim)),
        })?;
    let ctas = ctas.unwrap_or(device.limits().multiprocessors);
    Ok(of.plan(problem, ctas)?)
}

/// Plans decoding of these tensors over `ctas` CTAs, or by default one per multiprocessor, and
/// binds the tensors to the launches.
///
/// # Errors
/// Returns the errors of [`attention_decode`].
pub fn prepare_decode<'a, T: AttentionElement, C: CachedElement<T>>(
    modules: &Modules,
    operands: DecodeOperands<'a, T, C>,
    scale: Option<f32>,
    ctas: Option<u32>,
) -> Result<PreparedDecode<'a>, CutletError> {
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let problem = operands.problem(scale)?;
    let plan = decode_plan(modules.device(), &problem, ctas)?;
    let [attention, combine] = kernels_of(modules, &plan)?;
    Ok(operands.prepare([&attention, &combine], &plan)?)
}

/// Loads the kernels of a plan.
fn kernels_of(modules: &Modules, plan: &DecodePlan) -> Result<[Kernel; 2], CutletError> {
    let attention = modules.kernel(plan.attention().kernel)?;
    Ok([attention, modules.kernel(plan.combine().kernel)?])
}

/// Plans decoding of these tensors as [`prepare_decode`] does, or with a soft cap as
/// [`prepare_decode_soft_cap`] does, with the partial results in the caller's scratch: nothing is
/// allocated. The scratch has the [`scratch_bytes`](DecodePlan::scratch_bytes) of [`decode_plan`]'s
/// plan.
///
/// ```
/// use cutlet::attention::{
///     DecodeOperands, HeadTensor, HeadTensorMut, Heads, PagedKeys, decode_plan, prepare_decode_in,
/// };
/// use cutlet::kernels::Modules;
/// use cutlet::prelude::*;
/// use host::{EnqueueOn, Queue, Workspace};
///
/// let device = Device::emulator();
/// let (queries, cache) = (Heads { batches: 1, heads: 4, rows: 1, columns: 64 }, Heads { batches: 1, heads: 1, rows: 16, columns: 64 });
/// let q = device.upload(&[f16::ZERO; 4 * 64])?;
/// let [k, v] = [f16::ONE, f16::from_f32(3.0)].map(|of| device.upload(&[of; 16 * 64]));
/// let (k, v) = (k?, v?);
/// let mut o = device.alloc(4 * 64)?;
/// let (lengths, table) = (device.upload(&[9_u32])?, device.upload(&[0_u32])?);
/// let operands = DecodeOperands {
///     q: HeadTensor::new(&q, queries),
///     k: HeadTensor::new(&k, cache),
///     v: HeadTensor::new(&v, cache),
///     scales: None,
///     o: HeadTensorMut::new(&mut o, queries),
///     lse: None,
///     keys: PagedKeys { lengths: lengths.all(), table: table.all() },
/// };
/// let plan = decode_plan(&device, &operands.problem(0.125)?, None)?;
/// let mut scratch = Workspace::of(device.alloc(plan.scratch_bytes() as usize)?);
/// let prepared = prepare_decode_in(&Modules::load(&device)?, operands, (Some(0.125), None), None, &mut scratch)?;
/// let queue = Queue::new(&device)?; // or somebody else's stream: Queue::from_raw
/// // SAFETY: the tensors and the scratch live, and nothing else uses them, until `synchronize` has returned.
/// unsafe { prepared.enqueue_on(&queue)? };
/// queue.synchronize()?;
/// drop(prepared);
/// assert!(o.to_vec()?.iter().all(|&x| x == f16::from_f32(3.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the errors of [`attention_decode`], and [`CutletError::Attention`] if the scratch is too
/// small.
pub fn prepare_decode_in<'a, T: AttentionElement, C: CachedElement<T>>(
    modules: &Modules,
    operands: DecodeOperands<'a, T, C>,
    (scale, soft_cap): (Option<f32>, Option<f32>),
    ctas: Option<u32>,
    scratch: &'a mut Workspace,
) -> Result<PreparedDecode<'a>, CutletError> {
    let score = soft_cap.map(soft_cap::score).transpose()?;
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let problem = operands.problem(scale)?;
    let plan = match score {
        None => decode_plan(modules.device(), &problem, ctas)?,
        Some(_) => soft_cap_decode_plan(modules.device(), &problem, ctas)?,
    };
    let [attention, combine] = kernels_of(modules, &plan)?;
    let kernels = [&attention, &combine];
    Ok(match score {
        None => operands.prepare_in(kernels, &plan, scratch)?,
        Some(score) => {
            operands.prepare_with_in(kernels, &plan, ByValue(score.to_f32s()), scratch)?
        }
    })
}

/// Plans decoding of these tensors with a soft cap, and binds them to the launches.
///
/// # Errors
/// Returns the errors of [`attention_decode`].
pub fn prepare_decode_soft_cap<'a, T: AttentionElement, C: CachedElement<T>>(
    modules: &Modules,
    operands: DecodeOperands<'a, T, C>,
    scale: Option<f32>,
    cap: f32,
    ctas: Option<u32>,
) -> Result<PreparedDecode<'a>, CutletError> {
    let score = soft_cap::score(cap)?;
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let problem = operands.problem(scale)?;
    let plan = soft_cap_decode_plan(modules.device(), &problem, ctas)?;
    let [attention, combine] = kernels_of(modules, &plan)?;
    let score = ByValue(score.to_f32s());
    Ok(operands.prepare_with([&attention, &combine], &plan, score)?)
}

/// Computes `o = softmax(scale q kᵀ) v` for one query per head and sequence, with keys and values
/// in pages of a cache. The keys and values of sequence `b` are the first `lengths[b]` rows of the
/// pages `table[b]`, in the order of the pages. Runs with the same number of CTAs give the same
/// bits.
///
/// ```
/// use cutlet::attention::{
///     DecodeOptions, HeadTensor, HeadTensorMut, Heads, PagedKeys, attention_decode, page_table,
/// };
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// // Eight heads of queries share one of keys, in a cache of four pages of sixteen keys: page p has values of p.
/// let queries = Heads { batches: 2, heads: 8, rows: 1, columns: 64 };
/// let cache = Heads { batches: 4, heads: 1, rows: 16, columns: 64 };
/// let q = device.upload(&[f16::ZERO; 2 * 8 * 64])?;
/// let k = device.upload(&[f16::ONE; 4 * 16 * 64])?;
/// let values: Vec<f16> = (0..4 * 16 * 64).map(|i| f16::from_f32((i / (16 * 64)) as f32)).collect();
/// let v = device.upload(&values)?;
/// let mut o = device.alloc(2 * 8 * 64)?;
/// // One sequence of 32 keys in the pages 3 and 1, one of five in page 2.
/// let pages = page_table(&[(32, &[3, 1]), (5, &[2])], 16, 4)?;
/// let (lengths, table) = (device.upload(pages.lengths())?, device.upload(pages.table())?);
/// attention_decode(
///     &device,
///     HeadTensor::new(&q, queries),
///     [HeadTensor::new(&k, cache), HeadTensor::new(&v, cache)],
///     HeadTensorMut::new(&mut o, queries),
///     PagedKeys { lengths: lengths.all(), table: table.all() },
///     DecodeOptions::default(),
/// )?;
/// assert!(o.to_vec()?.iter().all(|&x| x == f16::from_f32(2.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// K and V may be in e4m3, with one scale of K and one of V, or one of each for every key head
/// ([`DecodeOptions::scales`]): half the bytes, and so about half the time.
///
/// ```
/// use cutlet::attention::{
///     CacheScales, DecodeOptions, HeadTensor, HeadTensorMut, Heads, PagedKeys, attention_decode,
/// };
/// use cutlet::prelude::*;
/// use layout_types::atom::element::FloatE4M3;
///
/// let device = Device::emulator();
/// let (queries, cache) = (Heads { batches: 1, heads: 8, rows: 1, columns: 64 }, Heads { batches: 1, heads: 2, rows: 16, columns: 64 });
/// let q = device.upload(&[bf16::ONE; 8 * 64])?;
/// // Keys of 1, values of 1.5 times 2 in the first key head and times 4 in the second.
/// let [k, v] = [1.0, 1.5].map(|of| device.upload(&[FloatE4M3::from_f32(of); 16 * 2 * 64]));
/// let (k, v) = (k?, v?);
/// let (k_scales, v_scales) = (device.upload(&[1.0_f32, 0.5])?, device.upload(&[2.0_f32, 4.0])?);
/// let mut o = device.alloc(8 * 64)?;
/// let (lengths, table) = (device.upload(&[9_u32])?, device.upload(&[0_u32])?);
/// attention_decode(
///     &device,
///     HeadTensor::new(&q, queries),
///     [HeadTensor::new(&k, cache), HeadTensor::new(&v, cache)],
///     HeadTensorMut::new(&mut o, queries),
///     PagedKeys { lengths: lengths.all(), table: table.all() },
///     DecodeOptions { scales: Some(CacheScales { k: k_scales.all(), v: v_scales.all() }), ..DecodeOptions::default() },
/// )?;
/// let expected = [3.0, 6.0].map(bf16::from_f32);
/// assert!(o.to_vec()?.iter().enumerate().all(|(i, &x)| x == expected[i / (4 * 64)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns [`CutletError::Attention`] if the tensors do not fit each other or their buffers, if the
/// number of scales is not the one that the cache takes, or if the lengths and the page table have
/// different numbers of sequences. Returns [`CutletError::Problem`] if no launch covers the
/// problem, or if the cap is not above 0 or exceeds [`MOST_SOFT_CAP`](super::MOST_SOFT_CAP).
/// Returns [`CutletError::NoAttention`] if there is no kernel for the problem. Also returns the
/// device's errors.
pub fn attention_decode<T: AttentionElement, C: CachedElement<T>>(
    device: &Device,
    q: HeadTensor<'_, T>,
    [k, v]: [HeadTensor<'_, C>; 2],
    o: HeadTensorMut<'_, T>,
    keys: PagedKeys<'_>,
    options: DecodeOptions<'_>,
) -> Result<[Run; 2], CutletError> {
    let library = Library::of(device)?;
    let DecodeOptions {
        scale,
        lse,
        ctas,
        soft_cap,
        scales,
    } = options;
    let operands = DecodeOperands {
        q,
        k,
        v,
        scales,
        o,
        lse,
        keys,
    };
    let modules = library.modules();
    let prepared = match soft_cap {
        None => prepare_decode(modules, operands, scale, ctas),
        Some(cap) => prepare_decode_soft_cap(modules, operands, scale, cap, ctas),
    };
    Ok(prepared?.run(None)?)
}
