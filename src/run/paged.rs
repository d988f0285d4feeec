//! Runs attention from pages on a device, and compares it with a float64 reference for each
//! sequence by itself.
//!
//! ```text
//!   seed ─► K, V of each sequence ─┬─► scattered into pages of a cache, in random order; NaN after the last key ─► one launch ─► compared
//!                                  └─► float64, row by row
//! ```

use super::attention::{ExpectedRow, Results, launched};
use super::{AttentionOutcome, RunOptions, RunPhase, ScoreRun, poisoned};
use crate::CutletError;
use crate::attention::{
    AttentionElement, AttentionLoads, AttentionMask, AttentionOperands, AttentionProblem,
    AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads, PagedAttentionProblem,
    PagedKeys, SequenceStarts, default_scale, page_table, paged_plan, prepare_request, starts,
};
use crate::kernels::Modules;
use half::{bf16, f16};
use host::reference::{self, Element, Random};

/// Attention from pages to run and to validate. Q, K and V are uniform in [-1, 1) and depend on
/// `seed`; K and V are a cache (pages, page size, key heads, D), in which a sequence has its pages
/// in random order. Rows after a sequence's last key are NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct PagedAttentionRun {
    /// The type of all elements.
    pub element: AttentionType,
    /// The queries and the keys of each sequence: the queries are the last ones of the keys.
    pub lengths: Vec<[u32; 2]>,
    /// Whether the queries are packed; otherwise all sequences have the same number of queries.
    pub packed: bool,
    /// The number of heads of Q and O, and of K and V.
    pub heads: [u32; 2],
    /// The head dimension of Q and K, and of V and O.
    pub dims: [u32; 2],
    /// The keys of a page.
    pub page_size: u32,
    /// The keys that a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The score parts.
    pub score: ScoreRun,
    /// The way in which the kernel loads its tensors. The default is that of the device's kernels.
    pub loads: Option<AttentionLoads>,
    /// Whether the log-sum-exp of each row is stored.
    pub lse: bool,
    /// The seed of the data.
    pub seed: u64,
    /// The largest number of rows of O that are compared.
    pub rows: usize,
}

impl PagedAttentionRun {
    /// Returns the problem of one head of a sequence with these numbers of queries and keys.
    fn of_head(&self, [queries, keys]: [u32; 2]) -> AttentionProblem {
        let [dim, dim_v] = self.dims;
        let scale = self.scale.unwrap_or_else(|| default_scale(dim));
        let extents = (1, 1, queries, dim);
        AttentionProblem::new(self.element, extents, self.mask, scale)
            .with_keys(keys, 1)
            .with_values(dim_v)
    }

    /// Returns the number of pages of each sequence, and of the longest sequence.
    fn pages(&self) -> (Vec<u32>, u32) {
        let of = |&[_, keys]: &[u32; 2]| keys.div_ceil(self.page_size.max(1));
        let pages: Vec<u32> = self.lengths.iter().map(of).collect();
        let most = pages.iter().copied().max().unwrap_or(0).max(1);
        (pages, most)
    }

    /// Returns the number of rows of Q: of all sequences if they are packed, else of each sequence.
    fn rows_of_queries(&self) -> u32 {
        let queries = self.lengths.iter().map(|&[queries, _]| queries);
        match self.packed {
            true => queries.fold(0, u32::saturating_add),
            false => queries.max().unwrap_or(0),
        }
    }

    /// Returns the problem. Its number of keys is that of a page.
    #[must_use]
    pub fn problem(&self) -> PagedAttentionProblem {
        let (pages, table_pages) = self.pages();
        let sequences = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let [heads, key_heads] = self.heads;
        let batches = if self.packed { 1 } else { sequences };
        let of = self.of_head([self.rows_of_queries(), self.page_size]);
        let extents = (batches, heads, of.queries, of.dim);
        let of = AttentionProblem {
            lse: self.lse,
            ..AttentionProblem::new(of.element, extents, of.mask, of.scale)
                .with_keys(self.page_size, key_heads)
                .with_values(of.dim_v)
        };
        let [q, _, _, o] = of.strides;
        let [k, v] = self.dims.map(|columns| {
            let page = Heads {
                batches: 1,
                heads: key_heads,
                rows: self.page_size,
                columns,
            };
            page.interleaved()
        });
        PagedAttentionProblem {
            of: AttentionProblem {
                strides: [q, k, v, o],
                ..of
            },
            sequences,
            packed: self.packed,
            // One page belongs to no sequence.
            pages: pages.iter().sum::<u32>() + 1,
            table_pages,
        }
    }

    /// Returns the multiplications and additions of both products, counted for the pairs of a query
    /// and a key that it sees.
    #[must_use]
    pub fn operations(&self) -> f64 {
        let of = |&lengths| self.of_head(lengths).operations() * f64::from(self.heads[0]);
        self.lengths.iter().map(of).sum()
    }

    /// Draws the pages of each sequence in random order, from all pages of the cache except the
    /// last.
    fn table(&self, pages: u32) -> Vec<Vec<u32>> {
        let mut random = Random::new(self.seed ^ 1 << 36);
        let mut free: Vec<u32> = (0..pages - 1).collect();
        let (of, _) = self.pages();
        let mut take = |count: u32| {
            let one = |_| free.swap_remove(random.below(free.len() as u64) as usize);
            (0..count).map(one).collect()
        };
        of.into_iter().map(&mut take).collect()
    }
}

/// Runs attention from pages with loaded kernels and compares its result with the float64
/// reference.
///
/// # Errors
/// Returns the errors of [`packed_attention`](super::packed_attention). A wrong result is not an
/// error.
pub fn paged_attention(
    modules: &Modules,
    run: &PagedAttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    match run.element {
        AttentionType::F16 => typed::<f16>(modules, run, options),
        AttentionType::Bf16 => typed::<bf16>(modules, run, options),
    }
}

/// K or V of all sequences, each (key heads, keys, columns), one sequence after the other, and the
/// same data in pages with NaN wherever there is no key.
struct Cached<T> {
    rows: Vec<T>,
    cache: Vec<T>,
}

impl<T: Element> Cached<T> {
    fn new(
        run: &PagedAttentionRun,
        seed: u64,
        columns: u32,
        (table, pages): (&[Vec<u32>], u32),
    ) -> Self {
        let (heads, page, columns) = (
            run.heads[1] as usize,
            run.page_size as usize,
            columns as usize,
        );
        let keys = run.lengths.iter().map(|&[_, keys]| keys as usize);
        let rows = reference::fill::<T>(seed, keys.clone().sum::<usize>() * heads * columns);
        let mut cache = vec![T::from_f64(f64::NAN); pages as usize * page * heads * columns];
        let mut first = 0;
        for (keys, pages) in keys.zip(table) {
            for (head, key) in (0..heads).flat_map(|head| (0..keys).map(move |key| (head, key))) {
                let from = &rows[(first + head * keys + key) * columns..][..columns];
                let row = pages[key / page] as usize * page + key % page;
                cache[(row * heads + head) * columns..][..columns].copy_from_slice(from);
            }
            first += heads * keys;
        }
        Self { rows, cache }
    }
}

fn typed<T: AttentionElement + Element>(
    modules: &Modules,
    run: &PagedAttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    let problem = run.problem();
    let of = &problem.of;
    let device = modules.device();
    let plan = paged_plan(device, &problem, run.score.parts(), run.loads)?;
    let queries = Heads {
        batches: of.batches,
        heads: of.heads,
        rows: of.queries,
        columns: of.dim,
    };
    let pages = Heads {
        batches: problem.pages,
        heads: of.key_heads,
        rows: of.keys,
        columns: of.dim,
    };
    let [dim, dim_v] = run.dims.map(|dim| dim as usize);
    let rows = (of.batches * of.heads) as usize * of.queries as usize;
    let cached = u128::from(problem.pages) * u128::from(of.keys) * u128::from(of.key_heads);
    let bytes = 2 * (rows as u128 + 2 * cached) * (dim + dim_v) as u128;
    super::memory::check(device, bytes, bytes)?;
    options.report(RunPhase::Inputs);
    let of_sequences = run.table(problem.pages);
    let with_lengths: Vec<(u32, &[u32])> = (run.lengths.iter().zip(&of_sequences))
        .map(|(&[_, keys], pages)| (keys, &pages[..]))
        .collect();
    let table = page_table(&with_lengths, of.keys, problem.pages)?;
    let q = reference::fill::<T>(run.seed, rows * dim);
    let places = (&of_sequences[..], problem.pages);
    let k = Cached::<T>::new(run, run.seed ^ 1 << 32, of.dim, places);
    let v = Cached::<T>::new(run, run.seed ^ 1 << 33, of.dim_v, places);
    let (on_q, on_k, on_v) = (
        device.upload(&q)?,
        device.upload(&k.cache)?,
        device.upload(&v.cache)?,
    );
    let (lengths, on_table) = (
        device.upload(table.lengths())?,
        device.upload(table.table())?,
    );
    let of_queries: Vec<u32> = run.lengths.iter().map(|&[queries, _]| queries).collect();
    let first_queries = starts(&of_queries);
    let on_starts = device.upload(&first_queries)?;
    let score = run.score.of_heads(run.seed, of.heads);
    let score_on_device = score.upload(device)?;
    let mut o = poisoned::<T>(device, rows * dim_v)?;
    let mut lse = poisoned::<f32>(device, if run.lse { rows } else { 0 })?;
    let [_, of_k, of_v, _] = of.strides;
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_q, queries),
        k: HeadTensor::new(&on_k, pages).strides(of_k),
        v: HeadTensor::new(&on_v, pages.of_columns(of.dim_v)).strides(of_v),
        o: HeadTensorMut::new(&mut o, queries.of_columns(of.dim_v)),
        lse: if run.lse {
            Some(lse.view_mut(0..rows)?)
        } else {
            None
        },
    };
    let request = AttentionRequest {
        mask: of.mask,
        scale: Some(of.scale),
        starts: run.packed.then(|| SequenceStarts {
            queries: on_starts.all(),
            keys: on_starts.all(),
        }),
        pages: Some(PagedKeys {
            lengths: lengths.all(),
            table: on_table.all(),
        }),
        loads: run.loads,
        ..score_on_device.request()
    };
    let prepared = prepare_request(modules, operands, &request)?;
    let launched = launched(plan.launch().kernel, &prepared, options)?;
    drop(prepared);
    options.report(RunPhase::Reference);
    let results = Results {
        o: &o,
        lse: run.lse.then_some(&lse),
        rows,
        dim: dim_v,
    };
    let of_keys: Vec<u32> = run.lengths.iter().map(|&[_, keys]| keys).collect();
    let first_keys = starts(&of_keys);
    results.compare(launched, (run.seed, run.rows), |row| {
        let length = of.queries as usize;
        let (head, at) = (row / length, row % length);
        let (batch, head) = (head / of.heads as usize, head % of.heads as usize);
        let (sequence, query) = if run.packed {
            // The last sequence that begins at or before this row: a sequence without rows begins
            // where the next one does.
            let sequence = first_queries.partition_point(|&start| start as usize <= at) - 1;
            (sequence, at - first_queries[sequence] as usize)
        } else {
            (batch, at)
        };
        let keys = of_keys[sequence] as usize;
        let key_head = head / (of.heads / of.key_heads) as usize;
        let first = first_keys[sequence] as usize * of.key_heads as usize + key_head * keys;
        let of_head = (
            &q[row * dim..][..dim],
            &k.rows[first * dim..][..keys * dim],
            &v.rows[first * dim_v..][..keys * dim_v],
        );
        let own = run.of_head(run.lengths[sequence]);
        ExpectedRow::of(&own, query, of_head, &score.of_head(head))
    })
}
