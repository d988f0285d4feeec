//! Prefill from pages with ALiBi: a kernel of the example's own crate reads keys and values from
//! pages of a cache. The result is compared with float64, and what does not fit is refused.
//!
//! ```console
//! cargo run --release --example 12_paged_prefill
//! ```
//!
//! The kernel: `examples/hopper-kernels/src/paged.rs`; the story: `docs/guide/own-attention.md`.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure};
use example_hopper_kernels::paged::PagedAlibi;
use half::bf16;
use host::attention::{
    AttentionOperands, HeadTensor, HeadTensorMut, Heads, PagedKeys, PartOperands, page_table,
};
use host::reference::{attention_row_with, difference, fill};
use host::{ByValue, Device};
use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};

const DIM: usize = 128;
const HEADS: u32 = 4;
const KEY_HEADS: u32 = 2;
const QUERIES: u32 = 9;
const PAGE: u32 = 16;
/// The pages of the cache.
const PAGES: u32 = 6;
/// The keys and the pages of each sequence. Both begin with page 3, a shared prefix.
const SEQUENCES: [(u32, &[u32]); 2] = [(44, &[3, 1, 5]), (29, &[3, 0])];

/// Returns the rows of a sequence's keys for a head, from a cache (pages, key heads, rows, D).
fn of_sequence(cache: &[bf16], (keys, pages): (u32, &[u32]), head: u32) -> Vec<bf16> {
    let row = |key: u32| {
        let page = pages[(key / PAGE) as usize];
        let row = (page * KEY_HEADS + head) * PAGE + key % PAGE;
        cache[row as usize * DIM..][..DIM].iter().copied()
    };
    (0..keys).flat_map(row).collect()
}

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = Device::best_for(example_ptx::hopper()?)?;
    println!("{}", device.where_it_ran());
    let queries = Heads {
        batches: SEQUENCES.len() as u32,
        heads: HEADS,
        rows: QUERIES,
        columns: DIM as u32,
    };
    let pages = Heads {
        batches: PAGES,
        heads: KEY_HEADS,
        rows: PAGE,
        ..queries
    };
    let elements = |of: Heads| (of.batches * of.heads * of.rows * of.columns) as usize;
    let q = fill::<bf16>(1, elements(queries));
    let [k, v] = [2, 3].map(|seed| fill::<bf16>(seed, elements(pages)));
    let (on_q, on_k, on_v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let mut o = device.alloc::<bf16>(q.len())?;

    // The table is checked on the host. A page that the cache does not have is refused.
    let refused = page_table(&[(16, &[PAGES])], PAGE, PAGES).map(|_| ());
    println!("refused: {}", refused.unwrap_err());
    let table = page_table(&SEQUENCES, PAGE, PAGES)?;
    let (lengths, table) = (
        device.upload(table.lengths())?,
        device.upload(table.table())?,
    );
    let keys = PagedKeys {
        lengths: lengths.all(),
        table: table.all(),
    };
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_q, queries),
        k: HeadTensor::new(&on_k, pages),
        v: HeadTensor::new(&on_v, pages),
        o: HeadTensorMut::new(&mut o, queries),
        lse: None,
    };
    let (mask, scale) = (AttentionMask::Causal, 0.3);
    let problem = operands.paged_problem(keys, None, (mask, scale))?;

    // The plan refuses pages whose number of rows is no power of two.
    let multiprocessors = device.limits().multiprocessors;
    let mut odd = problem;
    odd.of.keys = 24;
    let refused = PagedAlibi::CONFIGURATION.plan_paged(&odd, multiprocessors);
    println!("refused: {}", refused.map(|_| ()).unwrap_err());
    let plan = PagedAlibi::CONFIGURATION.plan_paged(&problem, multiprocessors)?;
    let log2_ratio = -8.0 / HEADS as f32;
    let kernel = module.kernel(plan.launch().kernel)?;
    let parts = PartOperands {
        pages: Some(keys),
        ..PartOperands::default()
    };
    operands
        .prepare_paged_with(&kernel, &plan, parts, ByValue([log2_ratio]))?
        .run(None)?;

    // Query i of a sequence has the position of key i + length - QUERIES.
    let mut expected = Vec::new();
    for (row, q) in q.chunks_exact(DIM).enumerate() {
        let (head, query) = (row as u32 / QUERIES, row as u32 % QUERIES);
        let (sequence, head) = (SEQUENCES[(head / HEADS) as usize], head % HEADS);
        let (keys, _) = sequence;
        let [k, v] = [&k, &v].map(|of| of_sequence(of, sequence, head * KEY_HEADS / HEADS));
        let extents = (1, 1, QUERIES, DIM as u32);
        let of_head = AttentionProblem::new(AttentionType::Bf16, extents, mask, scale);
        let of_head = of_head.with_keys(keys, 1);
        let slope = (f64::from(log2_ratio) * f64::from(head + 1)).exp2();
        let own = (query + keys - QUERIES) as usize;
        let (row, _) = attention_row_with(
            &of_head,
            query as usize,
            (q, &k[..], &v[..]),
            |score, key| score - slope * own.abs_diff(key) as f64,
        );
        expected.extend(row);
    }
    let found = difference(&o.to_vec()?, &expected)?;
    println!("relative error {:.1e}", found.relative);
    ensure(found.relative < 1.0 / 256.0, || format!("{found:?}"))?;
    ensure(found.not_finite == 0, || "a result is not finite".into())
}
