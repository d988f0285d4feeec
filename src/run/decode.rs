//! Runs decoding on a device, compares it with the float64 reference, and on a GPU compares its
//! rate with the device's own copy.
//!
//! ```text
//!   seed ─► Q, cache, random pages ────┬─► two kernels ─► poisoned O and log-sum-exp ──┬─► compared ─► DecodeOutcome
//!                                      └─► float64, row by row, of gathered keys ──────┘
//! ```

use super::attention::{ExpectedRow, Results};
use super::{AttentionOutcome, RunOptions, RunOutcome, RunPhase, poisoned};
use crate::CutletError;
use crate::attention::{
    AttentionElement, AttentionMask, AttentionProblem, AttentionType, CacheElement, CacheScales,
    CachedElement, DecodeOperands, DecodeProblem, HeadTensor, HeadTensorMut, Heads, PagedKeys,
    decode_plan, default_scale, page_table, prepare_decode, prepare_decode_soft_cap,
    soft_cap_decode_plan,
};
use crate::kernels::Modules;
use half::{bf16, f16};
use host::reference::{self, Element, Random};
use host::{Buffer, Clock, Kind, Time, Timing, time_interleaved};
use layout_types::atom::element::FloatE4M3;
use std::time::Instant;

/// The parameters of latent attention (MLA, absorbed): V is the first columns of K, and a sequence
/// may have several queries, whose mask is causal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latent {
    /// The columns of V and O.
    pub dim_v: u32,
    /// The queries of a sequence, which are its last positions.
    pub queries: u32,
}

/// Decoding to run and to validate. Q, K and V are uniform in [-1, 1) and depend on `seed`, and so
/// do the pages of each sequence. Rows of the cache after a sequence's last key are NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodeRun {
    /// The type of Q and O, and of K and V if `cache` is [`CacheElement::OfQueries`].
    pub element: AttentionType,
    /// The element type of K and V. A cache in e4m3 has scales from 1/4 to 2, by the seed.
    pub cache: CacheElement,
    /// For a cache in e4m3, whether each key head has its own scales. Otherwise all share one scale
    /// of K and one of V.
    pub scales_of_heads: bool,
    /// The keys of each sequence.
    pub lengths: Vec<u32>,
    /// The number of heads of Q and O, and of K and V.
    pub heads: [u32; 2],
    /// The head dimension: the columns of Q and K.
    pub dim: u32,
    /// The parameters of latent attention, if the attention is latent. There is then one head of
    /// keys.
    pub latent: Option<Latent>,
    /// The keys of a page.
    pub page_size: u32,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The CTAs over which the keys are split. The default is one per multiprocessor.
    pub ctas: Option<u32>,
    /// Replaces each score by `cap tanh(score / cap)`.
    pub soft_cap: Option<f32>,
    /// The seed of the data.
    pub seed: u64,
    /// The largest number of rows of O that are compared.
    pub rows: usize,
}

impl DecodeRun {
    /// Returns the problem, with compact tensors and as many pages as the sequences have.
    #[must_use]
    pub fn problem(&self) -> DecodeProblem {
        let pages_of = |length: &u32| length.div_ceil(self.page_size.max(1));
        let pages: u64 = self.lengths.iter().map(pages_of).map(u64::from).sum();
        let most = self.lengths.iter().map(pages_of).max().unwrap_or(0);
        // A number that does not fit into 32 bits becomes the largest one, which every plan
        // refuses.
        let pages = u32::try_from(pages).unwrap_or(u32::MAX);
        let sequences = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let problem = DecodeProblem::new(
            self.element,
            (sequences, self.heads, self.dim),
            (self.page_size, pages.max(1), most.max(1)),
            self.scale.unwrap_or_else(|| default_scale(self.dim)),
        )
        .with_lse();
        let problem = match self.latent {
            None => problem,
            Some(of) => problem.with_latent(of.dim_v, of.queries),
        };
        match self.cache {
            CacheElement::OfQueries => problem,
            CacheElement::E4m3 => problem.with_e4m3(self.scales_of_heads),
        }
    }

    /// Returns the multiplications and additions of both products, over the keys that each row
    /// sees.
    #[must_use]
    pub fn operations(&self) -> f64 {
        let problem = self.problem();
        let seen = |&length: &u32| -> f64 {
            (0..problem.queries)
                .map(|query| f64::from(seen_keys(length, problem.queries, query)))
                .sum()
        };
        let pairs: f64 = self.lengths.iter().map(seen).sum();
        let columns = f64::from(problem.dim) + f64::from(problem.dim_v);
        2.0 * pairs * f64::from(problem.heads) * columns
    }

    /// Returns the number of keys of all sequences.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.lengths.iter().copied().map(u64::from).sum()
    }
}

/// The rate at which keys and values were read, the rate of the device's own copy, and the rate of
/// the products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadRate {
    /// The multiplications and additions of both products per second, over the keys that each row
    /// sees.
    pub operations_per_second: f64,
    /// The bytes of K and V that must be read, per second.
    pub bytes_per_second: f64,
    /// The bytes that `cuMemcpyDtoDAsync` of the cache's K reads and writes per second, measured in
    /// the same run.
    pub copied_per_second: f64,
}

impl ReadRate {
    /// Returns the rate of reading divided by the rate of the copy.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.bytes_per_second / self.copied_per_second
    }
}

/// Decoding's result compared with the reference.
#[derive(Debug)]
pub struct DecodeOutcome {
    /// The launches and their time. The kernel and the counts are those of the first launch, and
    /// the time is that of both.
    pub attention: AttentionOutcome,
    /// The rates, on a GPU.
    pub rate: Option<ReadRate>,
}

/// Runs decoding with loaded kernels and compares its result with the float64 reference.
///
/// # Errors
/// Returns [`CutletError::Problem`] and [`CutletError::NoAttention`] for a problem without a
/// launch, and the device's errors. A wrong result is no error.
pub fn decode(
    modules: &Modules,
    run: &DecodeRun,
    options: &RunOptions<'_>,
) -> Result<DecodeOutcome, CutletError> {
    match (run.element, run.cache) {
        (AttentionType::F16, CacheElement::OfQueries) => typed::<f16, f16>(modules, run, options),
        (AttentionType::Bf16, CacheElement::OfQueries) => {
            typed::<bf16, bf16>(modules, run, options)
        }
        (AttentionType::F16, CacheElement::E4m3) => typed::<f16, FloatE4M3>(modules, run, options),
        (AttentionType::Bf16, CacheElement::E4m3) => {
            typed::<bf16, FloatE4M3>(modules, run, options)
        }
    }
}

/// Returns the number of keys that query `query` of `queries` sees in a sequence of `length`: the
/// causal mask has its corner at the bottom right.
fn seen_keys(length: u32, queries: u32, query: u32) -> u32 {
    length.saturating_sub(queries - 1 - query)
}

/// Returns the numbers from 0 to `count - 1` in random order.
fn shuffled(random: &mut Random, count: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..count).collect();
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i as u64 + 1) as usize);
    }
    all
}

/// A random cache (pages, page size, heads, D), its numbers of rows and columns, and the factors of
/// its elements: one, or one for each head.
struct Cache<T> {
    elements: Vec<T>,
    scales: Vec<f32>,
    page_size: usize,
    row: usize,
    dim: usize,
}

impl<T: Element> Cache<T> {
    /// Returns the range of a key's row, with all heads, in the sequence of these pages.
    fn row(&self, pages: &[u32], key: usize) -> std::ops::Range<usize> {
        let page = pages[key / self.page_size] as usize;
        let at = (page * self.page_size + key % self.page_size) * self.row;
        at..at + self.row
    }

    /// Returns the first `columns` columns of the keys of a head, multiplied by the head's scale,
    /// compact.
    fn gather(&self, pages: &[u32], length: u32, (head, columns): (usize, u32)) -> Vec<f64> {
        let columns = columns as usize;
        let mut rows = Vec::with_capacity(length as usize * columns);
        let scale = f64::from(self.scales[head % self.scales.len()]);
        for key in 0..length as usize {
            let row = &self.elements[self.row(pages, key)];
            let of_head = row[head * self.dim..][..columns].iter();
            rows.extend(of_head.map(|of| of.to_f64() * scale));
        }
        rows
    }

    /// Fills the rows after the first `length` keys with NaN.
    fn spoil(&mut self, pages: &[u32], length: u32) {
        for key in length as usize..pages.len() * self.page_size {
            let row = self.row(pages, key);
            self.elements[row].fill(T::from_f64(f64::NAN));
        }
    }
}

fn typed<T: AttentionElement + Element, C: CachedElement<T> + Element>(
    modules: &Modules,
    run: &DecodeRun,
    options: &RunOptions<'_>,
) -> Result<DecodeOutcome, CutletError> {
    let problem = run.problem();
    let device = modules.device();
    let plan = match run.soft_cap {
        None => decode_plan(device, &problem, run.ctas)?,
        Some(_) => soft_cap_decode_plan(device, &problem, run.ctas)?,
    };
    let queries = Heads {
        batches: problem.sequences,
        heads: problem.heads,
        rows: problem.queries,
        columns: problem.dim,
    };
    let of_o = queries.of_columns(problem.dim_v);
    let of_cache = Heads {
        batches: problem.pages,
        heads: problem.key_heads,
        rows: problem.page_size,
        columns: problem.dim,
    };
    let (dim, dim_v) = (problem.dim as usize, problem.dim_v as usize);
    let of_sequence = problem.heads as usize * problem.queries as usize;
    let rows = problem.sequences as usize * of_sequence;
    let row = problem.key_heads as usize * dim;
    let elements = problem.pages as usize * problem.page_size as usize * row;
    let of_cache_bytes = 2 * problem.cache.bytes() as usize * elements;
    let bytes = (2 * rows * (dim + dim_v) + of_cache_bytes) as u128;
    super::memory::check(device, bytes, bytes)?;
    options.report(RunPhase::Inputs);
    let pages = shuffled(&mut Random::new(run.seed ^ 1 << 34), problem.pages);
    let mut left = pages.as_slice();
    let sequences: Vec<(u32, &[u32])> = run
        .lengths
        .iter()
        .map(|&length| {
            let (own, rest) = left.split_at(length.div_ceil(problem.page_size) as usize);
            left = rest;
            (length, own)
        })
        .collect();
    let q = reference::fill::<T>(run.seed, rows * dim);
    let [k, v] = [1 << 32, 1 << 33].map(|of| {
        let scales = match problem.scales() {
            0 => vec![1.0],
            // The scales are from 1/4 to 2.
            count => (reference::fill::<f32>(run.seed ^ of ^ 1, count as usize).iter())
                .map(|of| (1.5 * of).exp2() / 2.0_f32.sqrt())
                .collect(),
        };
        let mut cache = Cache {
            elements: reference::fill::<C>(run.seed ^ of, elements),
            scales,
            page_size: problem.page_size as usize,
            row,
            dim,
        };
        for (length, pages) in &sequences {
            cache.spoil(pages, *length);
        }
        cache
    });
    let table = page_table(&sequences, problem.page_size, problem.pages)?;
    let on_q = device.upload(&q)?;
    let (on_k, mut on_v) = (device.upload(&k.elements)?, device.upload(&v.elements)?);
    let k_of_pages = HeadTensor::new(&on_k, of_cache).strides(of_cache.interleaved());
    let v_of_pages = match problem.is_latent() {
        true => k_of_pages.first_columns(problem.dim_v),
        false => HeadTensor::new(&on_v, of_cache).strides(of_cache.interleaved()),
    };
    let (k_scales, v_scales) = (device.upload(&k.scales)?, device.upload(&v.scales)?);
    let (lengths, on_table) = (
        device.upload(table.lengths())?,
        device.upload(table.table())?,
    );
    let mut o = poisoned::<T>(device, rows * dim_v)?;
    let mut lse = poisoned::<f32>(device, rows)?;
    let operands = DecodeOperands {
        q: HeadTensor::new(&on_q, queries).strides(queries.interleaved()),
        k: k_of_pages,
        v: v_of_pages,
        scales: (problem.scales() > 0).then(|| CacheScales {
            k: k_scales.all(),
            v: v_scales.all(),
        }),
        o: HeadTensorMut::new(&mut o, of_o).strides(of_o.interleaved()),
        lse: Some(lse.view_mut(0..rows)?),
        keys: PagedKeys {
            lengths: lengths.all(),
            table: on_table.all(),
        },
    };
    let scale = Some(problem.scale);
    let prepared = match run.soft_cap {
        None => prepare_decode(modules, operands, scale, run.ctas)?,
        Some(cap) => prepare_decode_soft_cap(modules, operands, scale, cap, run.ctas)?,
    };
    let start = Instant::now();
    let [ran, _] = prepared.run(Some(&|done, total| {
        options.report(RunPhase::Kernel(done, total));
    }))?;
    let seconds = start.elapsed().as_secs_f64();
    let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
    let time = match device.kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![seconds]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            time_interleaved(&[&prepared], timing, 100e-6)?[0].0
        }
    };
    let [launch, _] = prepared.launches();
    let launch = launch.clone();
    drop(prepared);
    let rate = match device.kind() {
        Kind::Emulator => None,
        Kind::Gpu => Some(ReadRate {
            operations_per_second: run.operations() / time.median,
            bytes_per_second: problem.key_bytes(run.keys()) as f64 / time.median,
            copied_per_second: copied_per_second(&on_k, &mut on_v, timing)?,
        }),
    };
    options.report(RunPhase::Reference);
    let launched = RunOutcome {
        kernel: plan.attention().kernel.into(),
        launch,
        time,
        emulated: ran.report,
    };
    let results = Results {
        o: &o,
        lse: Some(&lse),
        rows,
        dim: dim_v,
    };
    let attention = results.compare(launched, (run.seed, run.rows), |row| {
        let (query, head) = (row / problem.heads as usize, row % problem.heads as usize);
        let (length, pages) = sequences[row / of_sequence];
        let query = (query % problem.queries as usize) as u32;
        let length = seen_keys(length, problem.queries, query);
        let key_head = head / (problem.heads / problem.key_heads) as usize;
        let extents = (1, 1, 1, problem.dim);
        let of_head = AttentionProblem::new(T::TYPE, extents, AttentionMask::Full, problem.scale)
            .with_keys(length, 1)
            .with_values(problem.dim_v);
        let of_v = if problem.is_latent() { &k } else { &v };
        let (k, v) = (
            k.gather(pages, length, (key_head, problem.dim)),
            of_v.gather(pages, length, (key_head, problem.dim_v)),
        );
        let q: Vec<f64> = q[row * dim..][..dim].iter().map(|of| of.to_f64()).collect();
        let of_row = (&q[..], &k[..], &v[..]);
        ExpectedRow::of_kernel_in::<T, f64>(&of_head, 0, of_row, &run.soft_cap.into())
    })?;
    Ok(DecodeOutcome { attention, rate })
}

/// Measures the bytes that the device's own copy reads and writes per second.
fn copied_per_second<T: bytemuck::Pod>(
    from: &Buffer<T>,
    to: &mut Buffer<T>,
    timing: Timing,
) -> Result<f64, CutletError> {
    let time = to.time_copy_from_buffer(from, timing)?;
    Ok(2.0 * from.size() as f64 / time.median)
}
