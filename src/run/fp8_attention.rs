//! Runs attention with 8-bit floats on a device, and compares it with float64 in which the
//! probabilities are rounded as the kernel rounds them.
//!
//! ```text
//!   seed ─► Q, K, V in e4m3, scales ─┬─► V transposed, kernel ─────────────────► O and log-sum-exp ──┬─► compared ─► AttentionOutcome
//!                                    └─► float64, block by block, P rounded to e4m3 ─────────────────┘
//! ```

use super::attention::{ExpectedRow, OperandRows, Results, launched};
use super::{AttentionOutcome, RunOptions, RunPhase, poisoned};
use crate::CutletError;
use crate::attention::{
    AttentionConfiguration, AttentionElement, AttentionOperands, AttentionScales, AttentionType,
    Fp8AttentionProblem, HeadTensor, HeadTensorMut, fp8_plan, prepare_fp8,
};
use crate::kernels::Modules;
use gpu_kernels_sm90::attention::tile_scheduler::KeyBlocks;
use half::{bf16, f16};
use host::reference::{self, Element, Products, attention_row_allowance, attention_row_by_blocks};
use kernel_abi::attention::AttentionProblem;
use layout_types::atom::element::FloatE4M3;

/// Attention with 8-bit floats to run and to validate. Q, K and V are compact tensors, uniform in
/// [-1, 1) and rounded to e4m3. Scales lie between 1/2 and 2. All depend on `seed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fp8AttentionRun {
    /// The problem. Its strides are those of compact tensors.
    pub problem: Fp8AttentionProblem,
    /// The kernel. The default is the kernel for O's element type.
    pub configuration: Option<&'static AttentionConfiguration>,
    /// The seed of the data.
    pub seed: u64,
    /// The largest number of rows of O that are compared.
    pub rows: usize,
}

/// The exponent (of 2) of a row's largest probability.
const TOP: i32 = 8;

/// Runs attention of 8-bit floats with loaded kernels, and compares its result with float64 in
/// which the probabilities are rounded as the kernel rounds them.
///
/// # Errors
/// Returns [`CutletError::Problem`] or [`CutletError::NoAttention`] for a problem without a launch,
/// and the device's errors. A wrong result is not an error.
pub fn fp8_attention(
    modules: &Modules,
    run: &Fp8AttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    match run.problem.of.element {
        AttentionType::F16 => typed::<f16>(modules, run, options),
        AttentionType::Bf16 => typed::<bf16>(modules, run, options),
    }
}

/// Returns the scales of a tensor, between 1/2 and 2. Their exponents of 2 are uniform.
fn scales(seed: u64, count: usize) -> Vec<f32> {
    let exponents = reference::fill::<f32>(seed, count);
    exponents.into_iter().map(f32::exp2).collect()
}

fn typed<O: AttentionElement + Element>(
    modules: &Modules,
    run: &Fp8AttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    let problem = &run.problem.of;
    let device = modules.device();
    let plan = fp8_plan(device, &run.problem, run.configuration)?;
    let compact = OperandRows::of(problem);
    let OperandRows { queries, keys } = compact;
    let dim = problem.dim as usize;
    let [rows, key_rows] = compact.counts();
    let bytes = (3 * (rows + key_rows) * dim + 4 * rows) as u128;
    super::memory::check(device, bytes, bytes)?;
    options.report(RunPhase::Inputs);
    let q = reference::fill::<FloatE4M3>(run.seed, rows * dim);
    let k = reference::fill::<FloatE4M3>(run.seed ^ 1 << 32, key_rows * dim);
    let v = reference::fill::<FloatE4M3>(run.seed ^ 1 << 33, key_rows * dim);
    let of_scales =
        [34, 35, 36].map(|bit| scales(run.seed ^ 1 << bit, run.problem.scales() as usize));
    let on_device = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let [on_q, on_k, on_v] = &of_scales;
    let on_device_scales = (
        device.upload(on_q)?,
        device.upload(on_k)?,
        device.upload(on_v)?,
    );
    let mut o = poisoned::<O>(device, rows * dim)?;
    let mut lse = poisoned::<f32>(device, if problem.lse { rows } else { 0 })?;
    let prepared = prepare_fp8(
        modules,
        AttentionOperands {
            q: HeadTensor::new(&on_device.0, queries),
            k: HeadTensor::new(&on_device.1, keys),
            v: HeadTensor::new(&on_device.2, keys),
            o: HeadTensorMut::new(&mut o, queries),
            lse: if problem.lse {
                Some(lse.view_mut(0..rows)?)
            } else {
                None
            },
        },
        AttentionScales {
            q: on_device_scales.0.all(),
            k: on_device_scales.1.all(),
            v: on_device_scales.2.all(),
        },
        problem.mask,
        Some(problem.scale),
        run.configuration,
    )?;
    let launched = launched(plan.launch().kernel, &prepared, options)?;
    drop(prepared);
    options.report(RunPhase::Reference);
    let results = Results {
        o: &o,
        lse: problem.lse.then_some(&lse),
        rows,
        dim,
    };
    let [tile, block] = match run.configuration {
        Some(of) => of.tile,
        None => [128, 128],
    };
    results.compare(launched, (run.seed, run.rows), |row| {
        let (query, key_head, of_head) = compact.seen_by(row);
        let q = &q[row * dim..][..dim];
        let [of_q, of_k, of_v] = of_scales
            .each_ref()
            .map(|of| of[if of.len() == 1 { 0 } else { key_head }]);
        let scaled = AttentionProblem {
            scale: problem.scale * of_q * of_k,
            ..*problem
        };
        // The blocks of keys, in the order in which the row's tile processes them.
        let first = query as u32 / tile * tile;
        let blocks = KeyBlocks::of(plan.params(), first, tile, block);
        let blocks = (0..blocks.count).map(|i| {
            let begin = blocks.key(i, block);
            begin as usize..(begin + block).min(problem.keys) as usize
        });
        let round = |p: f64| FloatE4M3::from_f64(p).to_f64();
        let of = (q, &k[of_head.clone()], &v[of_head]);
        let (mut o, lse) = attention_row_by_blocks(&scaled, query, of, (blocks, TOP), round);
        o.iter_mut().for_each(|o| *o *= f64::from(of_v));
        let mut allowed = attention_row_allowance(&scaled, query, of, None, Products::Fp8);
        allowed.o = allowed.o.scaled(f64::from(of_v));
        ExpectedRow { o, lse, allowed }
    })
}
