//! Attention with your own score functions: a bias of coordinates, a mask that a band cannot
//! express, and a soft cap. Each is compared with float64.
//!
//! ```console
//! cargo run --release --example 10_attention_scores
//! ```
//!
//! The kernels: `examples/hopper-kernels/src/attention.rs`; the story: `docs/attention.md`.

#[path = "common/mod.rs"]
mod common;

use bytemuck::Pod;
use common::{Outcome, ensure, size};
use example_hopper_kernels::attention::{ALIBI, Alibi, DOCUMENTS, Documents, SOFT_CAP};
use gpu_kernels_sm90::attention::score::SoftCap;
use half::{bf16, f16};
use host::attention::{AttentionElement, AttentionOperands, HeadTensor, HeadTensorMut, Heads};
use host::reference::{Element, attention_row_with, difference, fill};
use host::{ByValue, Device, Module};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionMask, AttentionProblem, AttentionType,
};
use std::error::Error;

/// The distance of a kernel's result from float64.
#[derive(Clone, Copy, Debug, Default)]
pub struct Distance {
    /// The error of O, relative to the largest error that rounding P and O can cause.
    pub of_o: f64,
    /// The largest error of a log-sum-exp.
    pub of_lse: f64,
}

impl Distance {
    /// Whether rounding explains the distance.
    pub fn is_right(&self) -> bool {
        self.of_o <= 1.0 && self.of_lse <= 1e-4
    }
}

/// Launches a kernel with its score function's value, and compares the result with float64 by
/// `function` of (score, [head, query, key]).
pub fn distance<T: AttentionElement + Element, S: Pod>(
    module: &Module,
    of: &AttentionConfiguration,
    problem: &AttentionProblem,
    score: ByValue<S>,
    function: impl Fn(f64, [usize; 3]) -> f64,
) -> Result<Distance, Box<dyn Error>> {
    let device = module.device();
    let queries = Heads {
        batches: problem.batches,
        heads: problem.heads,
        rows: problem.queries,
        columns: problem.dim,
    };
    let keys = Heads {
        heads: problem.key_heads,
        rows: problem.keys,
        ..queries
    };
    let elements = |of: Heads| (of.batches * of.heads * of.rows * of.columns) as usize;
    let dim = problem.dim as usize;
    let q = fill::<T>(1, elements(queries));
    let [k, v] = [2, 3].map(|seed| fill::<T>(seed, elements(keys)));
    let (on_q, on_k, on_v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let mut o = device.alloc::<T>(elements(queries))?;
    let mut lse = device.alloc::<f32>(elements(queries) / dim)?;
    let plan = of.plan(problem, device.limits().multiprocessors)?;
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_q, queries),
        k: HeadTensor::new(&on_k, keys),
        v: HeadTensor::new(&on_v, keys),
        o: HeadTensorMut::new(&mut o, queries),
        lse: Some(lse.all_mut()),
    };
    let kernel = module.kernel(of.kernel)?;
    operands.prepare_with(&kernel, &plan, score)?.run(None)?;

    let (o, lse) = (o.to_vec()?, lse.to_vec()?);
    let mut expected = Vec::new();
    let mut of_lse = 0.0_f64;
    for (row, (q, &by_kernel)) in q.chunks_exact(dim).zip(&lse).enumerate() {
        let (head, query) = (
            row / problem.queries as usize,
            row % problem.queries as usize,
        );
        let (batch, head) = (head / problem.heads as usize, head % problem.heads as usize);
        let key_head = head / (problem.heads / problem.key_heads) as usize;
        let of_keys = problem.keys as usize * dim;
        let at = (batch * problem.key_heads as usize + key_head) * of_keys;
        let of_head = (q, &k[at..at + of_keys], &v[at..at + of_keys]);
        let (row, by_definition) = attention_row_with(problem, query, of_head, |score, key| {
            function(score, [head, query, key])
        });
        expected.extend(row);
        // Two equal infinities belong to a row without keys.
        if f64::from(by_kernel) != by_definition {
            of_lse = of_lse.max((f64::from(by_kernel) - by_definition).abs());
        }
    }
    let found = difference(&o, &expected)?;
    let unit = T::UNIT_ROUNDOFF;
    let of_o = (found.relative / (2.0 * unit)).max(found.max_absolute / (4.0 * unit));
    Ok(Distance {
        of_o: if found.not_finite == 0 {
            of_o
        } else {
            f64::INFINITY
        },
        of_lse: if of_lse.is_nan() {
            f64::INFINITY
        } else {
            of_lse
        },
    })
}

/// Returns the distance of [`ALIBI`]'s result.
pub fn alibi(module: &Module, problem: &AttentionProblem) -> Result<Distance, Box<dyn Error>> {
    let score = Alibi::new(problem.heads);
    let value = ByValue([score.log2_ratio]);
    let ratio = f64::from(score.log2_ratio);
    distance::<bf16, _>(
        module,
        &ALIBI,
        problem,
        value,
        |score, [head, query, key]| {
            let own = query + problem.keys as usize - problem.queries as usize;
            score - (ratio * (head + 1) as f64).exp2() * own.abs_diff(key) as f64
        },
    )
}

/// Returns the distance of [`DOCUMENTS`]' result, for documents of 2^`log2_length` places.
pub fn documents(
    module: &Module,
    problem: &AttentionProblem,
    log2_length: u32,
) -> Result<Distance, Box<dyn Error>> {
    let Documents { log2_length } = Documents { log2_length };
    distance::<bf16, _>(
        module,
        &DOCUMENTS,
        problem,
        ByValue([log2_length]),
        |score, [_, query, key]| {
            if query >> log2_length == key >> log2_length {
                score
            } else {
                f64::NEG_INFINITY
            }
        },
    )
}

/// Returns the distance of [`SOFT_CAP`] at the cap `cap` from the definition at `expected`.
pub fn soft_cap(
    module: &Module,
    problem: &AttentionProblem,
    cap: f32,
    expected: f32,
) -> Result<Distance, Box<dyn Error>> {
    let score = SoftCap::new(cap).ok_or_else(|| format!("{cap} is no cap"))?;
    let expected = f64::from(expected);
    let value = ByValue(score.to_f32s());
    distance::<f16, _>(module, &SOFT_CAP, problem, value, |score, _| {
        expected * (score / expected).tanh()
    })
}

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = Device::best_for(example_ptx::hopper()?)?;
    println!("{}", device.where_it_ran());
    let rows = size(&device, 200, 1000);
    let problem = |element, dim, mask| {
        AttentionProblem::new(element, (1, 4, rows, dim), mask, 0.5)
            .with_keys(rows, 2)
            .with_lse()
    };
    let causal = problem(AttentionType::Bf16, 128, AttentionMask::Causal);
    let full = problem(AttentionType::Bf16, 64, AttentionMask::Full);
    let of_f16 = problem(AttentionType::F16, 64, AttentionMask::Causal);
    for (what, found) in [
        ("ALiBi, causal", alibi(&module, &causal)?),
        ("documents of 64", documents(&module, &full, 6)?),
        (
            "soft cap of 2, causal",
            soft_cap(&module, &of_f16, 2.0, 2.0)?,
        ),
    ] {
        println!(
            "{what:24} O {:.2} of what rounding explains, log-sum-exp within {:.1e}",
            found.of_o, found.of_lse
        );
        ensure(found.is_right(), || format!("{what} is wrong: {found:?}"))?;
    }
    Ok(())
}
