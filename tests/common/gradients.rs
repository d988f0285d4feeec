//! Compares the gradients of attention on a device with float64's.
//!
//! ```text
//!   float64: O, LSE ─┬─► O rounded ─► kernels ─► dQ, dK, dV in poison ─┬─► compared
//!                    └─► dQ, dK, dV by their definition ───────────────┘        (host's tests compare these with finite differences)
//! ```
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use cutlet::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionElement, AttentionLoads,
    AttentionMask, AttentionProblem, AttentionType, BackwardKernels, HeadTensor, HeadTensorMut,
    Heads, default_scale, prepare_backward,
};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::Buffer;
use host::reference::{
    Agreement, Allowance, Element, Random, add_attention_gradients_with, add_gradient_allowances,
    attention_row_with, difference, fill,
};

/// The byte that fills a result, and the memory after it, before a launch.
const POISON: u8 = 0xff;
const GUARD: usize = 64;

/// The kernels that compute gradients, and the function that is applied to scores.
#[derive(Clone, Copy, Debug)]
pub struct By {
    /// The kernels.
    pub kernels: BackwardKernels,
    /// The soft cap.
    pub soft_cap: Option<f32>,
    /// Whether the reference includes the soft cap's derivative. A kernel that agrees with the
    /// reference without it has forgotten this factor.
    pub derivative: bool,
    /// How the kernels load their tensors, if not in the device's own way.
    pub loads: Option<AttentionLoads>,
}

impl By {
    /// Selects kernels without a soft cap.
    pub const fn kernels(kernels: BackwardKernels) -> Self {
        Self {
            kernels,
            soft_cap: None,
            derivative: true,
            loads: None,
        }
    }

    /// Selects the kernels by `mma.sync`.
    pub const fn mma() -> Self {
        Self {
            loads: Some(AttentionLoads::CpAsync),
            ..Self::kernels(BackwardKernels::Deterministic)
        }
    }

    /// Selects the deterministic kernels with a soft cap.
    pub const fn soft_cap(cap: f32) -> Self {
        Self {
            soft_cap: Some(cap),
            ..Self::kernels(BackwardKernels::Deterministic)
        }
    }

    /// Returns the value of a score after the soft cap, and the derivative there.
    pub fn of_score(self, score: f64) -> [f64; 2] {
        let Some(cap) = self.soft_cap.map(f64::from) else {
            return [score, 1.0];
        };
        let tanh = (score / cap).tanh();
        let derivative = if self.derivative {
            1.0 - tanh * tanh
        } else {
            1.0
        };
        [cap * tanh, derivative]
    }
}

/// Computes the gradients of a problem and compares them with the reference. Returns their bits if
/// all are right.
pub fn gradients_by(
    modules: &Modules,
    problem: &AttentionProblem,
    by: By,
) -> Result<[Vec<u16>; 3], String> {
    match problem.element {
        AttentionType::F16 => typed::<f16>(modules, problem, by),
        AttentionType::Bf16 => typed::<bf16>(modules, problem, by),
    }
}

fn typed<T: AttentionElement + Element>(
    modules: &Modules,
    of: &AttentionProblem,
    by: By,
) -> Result<[Vec<u16>; 3], String> {
    let device = modules.device();
    let queries = Heads {
        batches: of.batches,
        heads: of.heads,
        rows: of.queries,
        columns: of.dim,
    };
    let keys = Heads {
        heads: of.key_heads,
        rows: of.keys,
        ..queries
    };
    let size = |of: Heads| (of.batches * of.heads * of.rows * of.columns) as usize;
    let seed = u64::from(of.queries) << 20 | u64::from(of.keys);
    let q = fill::<T>(seed, size(queries));
    let k = fill::<T>(seed ^ 1 << 40, size(keys));
    let v = fill::<T>(seed ^ 1 << 41, size(keys));
    let d_o = fill::<T>(seed ^ 1 << 42, size(queries));
    let dim = of.dim as usize;
    let (mut o, mut lse) = (Vec::new(), Vec::new());
    let mut expected = [q.len(), k.len(), v.len()].map(|len| vec![0.0; len]);
    let mut allowed = expected.each_ref().map(|of| Allowance::none(of.len()));
    let [dq, dk, dv] = &mut expected;
    let [of_dq, of_dk, of_dv] = &mut allowed;
    for row in 0..q.len() / dim {
        let head = row / of.queries as usize;
        let (batch, head) = (head / of.heads as usize, head % of.heads as usize);
        let key_head = batch * of.key_heads as usize + head / (of.heads / of.key_heads) as usize;
        let of_head = key_head * of.keys as usize * dim..(key_head + 1) * of.keys as usize * dim;
        let at = row * dim..(row + 1) * dim;
        let query = row % of.queries as usize;
        let (k, v) = (&k[of_head.clone()], &v[of_head.clone()]);
        let (of_row, log) = attention_row_with(of, query, (&q[at.clone()], k, v), |score, _| {
            by.of_score(score)[0]
        });
        o.extend(of_row.into_iter().map(T::from_f64));
        lse.push(log as f32);
        let mut of_sink = Allowance::none(1);
        add_gradient_allowances(
            of,
            query,
            (&q[at.clone()], &d_o[at.clone()]),
            (k, v),
            by.soft_cap,
            [
                (&mut *of_dq, at.start),
                (&mut *of_dk, of_head.start),
                (&mut *of_dv, of_head.start),
                (&mut of_sink, 0),
            ],
        );
        add_attention_gradients_with(
            of,
            query,
            (&q[at.clone()], &d_o[at.clone()]),
            (k, v),
            (&mut dq[at], &mut dk[of_head.clone()], &mut dv[of_head]),
            |score| by.of_score(score),
        );
    }
    let upload = |of: &[T]| device.upload(of).unwrap();
    let (q, k, v, o, d_o) = (upload(&q), upload(&k), upload(&v), upload(&o), upload(&d_o));
    let lse = device.upload(&lse).unwrap();
    let mut results: [Buffer<T>; 3] = [queries, keys, keys].map(|of| {
        let mut buffer = device.alloc(size(of) + GUARD).unwrap();
        buffer.fill_bytes(POISON).unwrap();
        buffer
    });
    let [dq, dk, dv] = &mut results;
    let prepared = prepare_backward(
        modules,
        AttentionBackwardOperands {
            q: HeadTensor::new(&q, queries),
            k: HeadTensor::new(&k, keys),
            v: HeadTensor::new(&v, keys),
            o: HeadTensor::new(&o, queries),
            lse: lse.all(),
            d_o: HeadTensor::new(&d_o, queries),
            dq: HeadTensorMut::new(dq, queries),
            dk: HeadTensorMut::new(dk, keys),
            dv: HeadTensorMut::new(dv, keys),
        },
        AttentionBackwardOptions {
            mask: of.mask,
            scale: Some(of.scale),
            kernels: by.kernels,
            soft_cap: by.soft_cap,
            loads: by.loads,
            ..AttentionBackwardOptions::default()
        },
    )
    .map_err(|error| error.to_string())?;
    let ran = prepared.run(None);
    drop(prepared);
    ran.map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let expected = expected.iter().zip(&allowed);
    for ((name, buffer), (expected, allowed)) in
        ["dQ", "dK", "dV"].into_iter().zip(&results).zip(expected)
    {
        let all = buffer.to_vec().unwrap();
        let (values, guard) = all.split_at(expected.len());
        let guard: &[u8] = bytemuck::cast_slice(guard);
        if guard.iter().any(|&byte| byte != POISON) {
            return Err(format!("{of:?}: {name} is written behind its end"));
        }
        let off = difference(values, expected).unwrap();
        let agreement = Agreement::of(values, expected, allowed).unwrap();
        if off.not_finite != 0 || !agreement.holds() {
            return Err(format!("{of:?}, {by:?}: {name}: {off:?}, {agreement:?}"));
        }
        found.push(bytemuck::cast_slice(values).to_vec());
    }
    Ok(found.try_into().unwrap())
}

/// Returns a problem with the default scale.
pub fn problem(
    (element, dim): (AttentionType, u32),
    batches: u32,
    (queries, keys): (u32, u32),
    (heads, key_heads): (u32, u32),
    mask: AttentionMask,
) -> AttentionProblem {
    let extents = (batches, heads, queries, dim);
    AttentionProblem::new(element, extents, mask, default_scale(dim)).with_keys(keys, key_heads)
}

/// Returns a pseudorandom problem.
pub fn by_chance(random: &mut Random, of: (AttentionType, u32), most: u64) -> AttentionProblem {
    let rows = |random: &mut Random| 1 + random.below(most) as u32;
    let sizes = (rows(random), rows(random));
    let heads = [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2)][random.below(5) as usize];
    let batches = 1 + random.below(2) as u32;
    let mask = match random.below(4) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Window {
            before: random.below(100) as u32,
            after: random.below(40) as u32,
        },
        _ => AttentionMask::Causal,
    };
    problem(of, batches, sizes, heads, mask)
}
