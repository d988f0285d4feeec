//! Decoding: attention of one query per head to the keys of its sequence, which are in pages of a
//! cache. Latent attention has one or more queries per head.
//!
//! ```text
//!   K, V    (pages, key heads, page size, D), each with its own strides
//!   table   (sequences, pages of a sequence at most) u32        key j of sequence b: row j % page size of page table[b, j / page size]
//!   lengths (sequences) u32                                     keys of each; 0 is one
//!
//!   latent attention (MLA, absorbed)    one key head of 576 columns, whose first 512 are V     rows: (query, head), heads fastest
//! ```
//!
//! Law: a head's row of O is attention of its query to only the first `length` keys of the
//! sequence's pages. A sequence without keys has zeros, and -inf for its log-sum-exp. A length
//! beyond the table's pages counts as all pages of the table. A page that the cache does not have
//! has rows of zeros. The contents of the cache after a sequence's last key have no effect. In
//! latent attention, query `i` of `n` sees the first `length - (n - 1 - i)` keys.

use super::plan::{map, map_of};
use super::problem::{multiple_of, stride_names};
use super::{
    AttentionArgument, AttentionConfiguration, AttentionKernel, AttentionMapPlan, AttentionMask,
    AttentionParams, AttentionParts, AttentionProblem, AttentionStrides, AttentionType, MAX_ROWS,
    flags,
};
use crate::{BufferSpec, KernelArguments, LaunchSpec, ProblemError};

/// The least page size, in keys. The swizzle's pattern has eight rows, so every box begins where
/// the pattern begins.
pub const MIN_PAGE: u32 = 8;
/// The most query heads that may share a key head, since they are the rows of one tile.
pub const MAX_GROUP: u32 = 64;
/// The most rows that a sequence of latent attention may have (heads times queries), since the
/// number of tiles of 64 rows is a grid's second extent.
pub const MAX_LATENT_ROWS: u32 = 1 << 20;
/// The number of threads in a CTA of the kernel that combines the partial results.
pub const COMBINE_THREADS: u32 = 128;

/// The element of K and V in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheElement {
    /// The element of Q and O.
    #[default]
    OfQueries,
    /// The elements are e4m3, each multiplied by a scale. K and V have one scale each, or each of
    /// their heads has its own.
    E4m3,
}

impl CacheElement {
    /// Returns the size of an element in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::OfQueries => 2,
            Self::E4m3 => 1,
        }
    }

    /// Returns the number of columns that a row of shared memory has, and so a box, for heads of
    /// `dim` columns. If a row of the head has a multiple of 128 bytes, the columns fill 128 bytes.
    /// Otherwise, 16-bit elements fill 64 bytes, and e4m3 elements fill a whole row of the head,
    /// since a box of fewer bytes takes as long as one of 128.
    ///
    /// ```
    /// use kernel_abi::attention::CacheElement::{E4m3, OfQueries};
    /// assert_eq!([64, 96, 128, 192, 256].map(|dim| OfQueries.columns_of_box(dim)), [64, 32, 64, 64, 64]);
    /// assert_eq!([64, 96, 128, 192, 256].map(|dim| E4m3.columns_of_box(dim)), [64, 96, 128, 192, 128]);
    /// ```
    #[must_use]
    pub const fn columns_of_box(self, dim: u32) -> u32 {
        let line = 128 / self.bytes();
        match self {
            _ if dim % line == 0 => line,
            Self::OfQueries => line / 2,
            Self::E4m3 => dim,
        }
    }
}

/// Attention of one query per head and sequence to keys in pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeProblem {
    /// The type of Q and O, and also of K and V if `cache` is [`CacheElement::OfQueries`].
    pub element: AttentionType,
    /// The element of K and V.
    pub cache: CacheElement,
    /// Whether each key head of a cache in e4m3 has scales of its own. Otherwise K has one scale
    /// and V has one.
    pub scales_of_heads: bool,
    /// The number of sequences.
    pub sequences: u32,
    /// The number of heads of Q and O.
    pub heads: u32,
    /// The number of heads of K and V, a divisor of `heads`: neighbouring heads of Q share one.
    pub key_heads: u32,
    /// The head dimension: the number of columns of Q and K, and also of V and O unless attention
    /// is latent.
    pub dim: u32,
    /// The number of columns of V and O. It is less than `dim` for latent attention, where V is the
    /// first columns of K.
    pub dim_v: u32,
    /// The number of queries of a sequence: 1 unless attention is latent.
    pub queries: u32,
    /// The number of keys of a page, a power of two.
    pub page_size: u32,
    /// The number of pages of the cache.
    pub pages: u32,
    /// The most pages that a sequence may have: the columns of the page table.
    pub table_pages: u32,
    /// The factor of the scores, which is above 0.
    pub scale: f32,
    /// Whether the kernels also write the log-sum-exp of each row.
    pub lse: bool,
    /// The strides of Q, K, V and O. A batch of K and V is a page, and a row of Q and O is a query.
    pub strides: [AttentionStrides; 4],
}

impl DecodeProblem {
    /// Returns the problem of compact tensors: Q and O (sequences, heads, D), K and V (pages, page
    /// size, key heads, D).
    #[must_use]
    pub const fn new(
        element: AttentionType,
        (sequences, [heads, key_heads], dim): (u32, [u32; 2], u32),
        (page_size, pages, table_pages): (u32, u32, u32),
        scale: f32,
    ) -> Self {
        let of_queries = AttentionStrides::compact(heads, 1, dim);
        let row = dim as u64 * key_heads as u64;
        let of_cache = AttentionStrides {
            row,
            head: dim as u64,
            batch: row.saturating_mul(page_size as u64),
        };
        Self {
            element,
            cache: CacheElement::OfQueries,
            scales_of_heads: false,
            sequences,
            heads,
            key_heads,
            dim,
            dim_v: dim,
            queries: 1,
            page_size,
            pages,
            table_pages,
            scale,
            lse: false,
            strides: [of_queries, of_cache, of_cache, of_queries],
        }
    }

    /// Returns the same problem with the log-sum-exp of each row as a second result.
    #[must_use]
    pub const fn with_lse(mut self) -> Self {
        self.lse = true;
        self
    }

    /// Returns the same problem with a cache in e4m3. If `scales_of_heads`, each key head has
    /// scales of its own. Otherwise all heads share one scale of K and one of V. With one key head,
    /// both cases are the same.
    #[must_use]
    pub const fn with_e4m3(mut self, scales_of_heads: bool) -> Self {
        self.cache = CacheElement::E4m3;
        self.scales_of_heads = scales_of_heads && self.key_heads > 1;
        self
    }

    /// Returns the same problem as latent attention: V is the first `dim_v` columns of K, and a
    /// sequence has `queries` queries. Q is (sequences, queries, heads, D), O (sequences, queries,
    /// heads, `dim_v`), and the log-sum-exp (sequences, queries, heads). All three are compact.
    ///
    /// ```
    /// use kernel_abi::attention::{AttentionType, DecodeProblem};
    /// // DeepSeek's: 128 heads, 512 columns of the latent vector and 64 of RoPE, pages of 64.
    /// let of_heads = (8, [128, 1], 576);
    /// let problem = DecodeProblem::new(AttentionType::Bf16, of_heads, (64, 1000, 100), 0.1).with_latent(512, 2);
    /// assert!(problem.check().is_ok() && problem.is_latent());
    /// assert_eq!(problem.rows(), 256);
    /// assert_eq!(problem.key_bytes(10), 10 * 576 * 2);
    /// ```
    #[must_use]
    pub const fn with_latent(mut self, dim_v: u32, queries: u32) -> Self {
        const fn of_queries(heads: u32, queries: u32, dim: u32) -> AttentionStrides {
            let row = dim as u64 * heads as u64;
            AttentionStrides {
                row,
                head: dim as u64,
                batch: row.saturating_mul(queries as u64),
            }
        }
        let [_, k, _, _] = self.strides;
        self.strides = [
            of_queries(self.heads, queries, self.dim),
            k,
            k,
            of_queries(self.heads, queries, dim_v),
        ];
        self.dim_v = dim_v;
        self.queries = queries;
        self
    }

    /// Whether attention is latent, so that V is the first columns of K.
    #[must_use]
    pub const fn is_latent(&self) -> bool {
        self.dim_v != self.dim
    }

    /// Returns the number of rows of Q and O that share a key head of a sequence: the number of
    /// query heads that share the key head, times the number of queries.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.group().saturating_mul(self.queries)
    }

    /// Returns the number of scales of K, which is also that of V, or 0 if the cache has Q's type.
    #[must_use]
    pub const fn scales(&self) -> u64 {
        match self.cache {
            CacheElement::OfQueries => 0,
            CacheElement::E4m3 if self.scales_of_heads => self.key_heads as u64,
            CacheElement::E4m3 => 1,
        }
    }

    /// Returns the size in bytes of K and V for `keys` keys in all sequences together. A kernel
    /// must read at least these bytes.
    #[must_use]
    pub fn key_bytes(&self, keys: u64) -> u64 {
        let tensors = if self.is_latent() { 1 } else { 2 };
        let of_all = tensors * u64::from(self.cache.bytes());
        of_all * keys * u64::from(self.key_heads) * u64::from(self.dim)
    }

    /// Returns the number of query heads that share a key head.
    const fn group(&self) -> u32 {
        self.heads / self.key_heads
    }

    /// Returns the most keys that a sequence may have.
    fn most_keys(&self) -> u64 {
        u64::from(self.table_pages) * u64::from(self.page_size)
    }

    /// Returns Q and O as a problem: with the sequences' queries, and one key.
    fn queries(&self) -> AttentionProblem {
        let extents = (self.sequences, self.heads, self.queries, self.dim);
        let [q, _, _, o] = self.strides;
        let one = AttentionStrides::compact(self.key_heads, 1, self.dim);
        AttentionProblem {
            strides: [q, one, one, o],
            key_heads: self.key_heads,
            keys: 1,
            dim_v: self.dim_v,
            lse: self.lse,
            ..AttentionProblem::new(self.element, extents, AttentionMask::Full, self.scale)
        }
    }

    /// Returns the cache as a problem whose batches are pages.
    fn pages(&self) -> AttentionProblem {
        AttentionProblem {
            batches: self.pages,
            ..self.queries()
        }
    }

    /// Returns a problem whose queries are the query heads that share a key head, for all queries
    /// of the sequence.
    fn grouped(&self) -> AttentionProblem {
        let of = self.queries();
        let rows = |of: AttentionStrides| AttentionStrides {
            row: of.head,
            head: of.head.saturating_mul(self.group().into()),
            batch: of.batch,
        };
        let [q, k, v, o] = of.strides;
        AttentionProblem {
            heads: self.key_heads,
            queries: self.rows(),
            strides: [rows(q), k, v, rows(o)],
            ..of
        }
    }

    /// Checks that the problem has no number that every kernel must refuse.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        let extent = |name, given, max| crate::checked_extent(name, given, max).map(|_| ());
        let most = |what, given: u64, max: u64| match given > max {
            true => Err(ProblemError::TooLarge { what, given, max }),
            false => Ok(()),
        };
        extent("the number of sequences", self.sequences, 1 << 20)?;
        if self.is_latent() {
            self.check_latent()?;
        } else {
            most("the number of queries", self.queries.into(), 1)?;
        }
        self.queries().check()?;
        if !self.is_latent() {
            most(
                "the number of heads that share a key head",
                self.group().into(),
                MAX_GROUP.into(),
            )?;
        }
        if !self.page_size.is_power_of_two() || self.page_size < MIN_PAGE {
            return Err(ProblemError::NotPowerOfTwo {
                what: "the page size",
                given: self.page_size.into(),
                min: MIN_PAGE.into(),
            });
        }
        extent("the number of pages", self.pages, MAX_ROWS)?;
        extent(
            "the number of pages of a sequence",
            self.table_pages,
            MAX_ROWS,
        )?;
        most(
            "the number of keys of a sequence",
            self.most_keys(),
            MAX_ROWS.into(),
        )?;
        let keys = (self.page_size, self.key_heads);
        let [_, k, v, _] = &self.strides;
        macro_rules! names {
            ($tensor:literal) => {{
                let [row, head, _] = stride_names!($tensor);
                [row, head, concat!("the page stride of ", $tensor)]
            }};
        }
        self.pages().check_strides(k, keys, names!("K"))?;
        self.pages()
            .of_values()
            .check_strides(v, keys, names!("V"))?;
        self.check_sixteen_bytes(k, names!("K"))?;
        self.check_sixteen_bytes(v, names!("V"))
    }

    /// Checks the further requirements of latent attention: one head of keys, V within K, and one
    /// stride between all neighbouring rows of Q and of O, with heads fastest.
    fn check_latent(&self) -> Result<(), ProblemError> {
        let most = |what, given: u64, max: u64| match given > max {
            true => Err(ProblemError::TooLarge { what, given, max }),
            false => Ok(()),
        };
        most("the number of key heads", self.key_heads.into(), 1)?;
        most(
            "the head dimension of V",
            self.dim_v.into(),
            self.dim.into(),
        )?;
        most(
            "the number of rows of a sequence",
            u64::from(self.heads) * u64::from(self.queries),
            MAX_LATENT_ROWS.into(),
        )?;
        let [q, k, v, o] = &self.strides;
        let one_row = |of: &AttentionStrides| u64::from(self.heads).saturating_mul(of.head);
        for (what, found, expected) in [
            ("the row stride of Q", q.row, one_row(q)),
            ("the row stride of O", o.row, one_row(o)),
        ] {
            if self.queries > 1 && found != expected {
                return Err(ProblemError::OtherThan {
                    what,
                    given: found,
                    allowed: expected,
                });
            }
        }
        for (what, given, expected) in [
            ("the row stride of V", v.row, k.row),
            ("the page stride of V", v.batch, k.batch),
        ] {
            if given != expected {
                return Err(ProblemError::OtherThan {
                    what,
                    given,
                    allowed: expected,
                });
            }
        }
        Ok(())
    }

    /// Checks that rows of the cache begin at multiples of 16 bytes, as a tensor map requires.
    fn check_sixteen_bytes(
        &self,
        strides: &AttentionStrides,
        [row, head, page]: [&'static str; 3],
    ) -> Result<(), ProblemError> {
        let of = [
            (row, strides.row, self.page_size),
            (head, strides.head, self.key_heads),
            (page, strides.batch, self.pages),
        ];
        let mut several = of.into_iter().filter(|(_, _, count)| *count > 1);
        several.try_for_each(|(name, stride, _)| {
            multiple_of(name, stride, (16 / self.cache.bytes()).into())
        })
    }
}

/// The numbers that the kernels of decoding read besides [`AttentionParams`], by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DecodeParams {
    /// The logarithm to base 2 of the page size.
    pub page_log2: u32,
    /// The most pages that a sequence may have.
    pub table_pages: u32,
    /// The number of CTAs over which the keys are split.
    pub ctas: u32,
    /// The head dimension of V and O.
    pub dim: u32,
}

impl DecodeParams {
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 16 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 2] {
        [
            self.page_log2 as u64 | (self.table_pages as u64) << 32,
            self.ctas as u64 | (self.dim as u64) << 32,
        ]
    }

    /// Returns the most keys that a sequence may have.
    #[must_use]
    #[inline(always)]
    pub const fn most_keys(&self) -> u32 {
        self.table_pages << self.page_log2
    }
}

const _: () = assert!(size_of::<DecodeParams>() == 16 && align_of::<DecodeParams>() == 4);

/// The two kernels for an element type and a head dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeConfiguration {
    /// The kernel that computes attention to blocks of keys. The rows of its tiles are the query
    /// heads that share a key head.
    pub attention: AttentionConfiguration,
    /// The kernel that combines the partial results of a head.
    pub combine: &'static str,
    /// The element of K and V.
    pub cache: CacheElement,
}

/// The two launches of a problem, in their order. [`DecodeConfiguration::plan`] has checked them,
/// and nothing can change them afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodePlan {
    problem: DecodeProblem,
    parts: AttentionParts,
    attention: LaunchSpec<6>,
    combine: LaunchSpec<5>,
    params: AttentionParams,
    decode: DecodeParams,
    maps: [AttentionMapPlan; 3],
}

impl DecodePlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &DecodeProblem {
        &self.problem
    }

    /// Returns the first kernel, its grid and its own buffers: O, the log-sum-exp, the lengths, the
    /// page table, the partial results for O and their log-sum-exps.
    #[must_use]
    pub const fn attention(&self) -> &LaunchSpec<6> {
        &self.attention
    }

    /// Returns the arguments of the first kernel.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Decode(self.problem.cache, self.parts).arguments(self.problem.element)
    }

    /// Returns the second kernel, its grid and its buffers: O, the log-sum-exp, the partial results
    /// for O, their log-sum-exps and the lengths.
    #[must_use]
    pub const fn combine(&self) -> &LaunchSpec<5> {
        &self.combine
    }

    /// Returns the arguments of the second kernel.
    #[must_use]
    pub const fn combine_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Combine.arguments(self.problem.element)
    }

    /// Returns the parameters of both kernels. In these parameters, `heads` counts the key heads,
    /// and `queries` counts the query heads that share a key head, for all queries of a sequence.
    #[must_use]
    pub const fn params(&self) -> &AttentionParams {
        &self.params
    }

    /// Returns how both kernels find pages and share the keys.
    #[must_use]
    pub const fn decode(&self) -> &DecodeParams {
        &self.decode
    }

    /// Returns the scales of K and of V that the first kernel reads, or `None` if the cache has Q's
    /// type.
    #[must_use]
    pub fn scales(&self) -> Option<[BufferSpec; 2]> {
        let count = self.problem.scales();
        let scales = |(argument, name)| self.arguments().buffer(argument, count, 4).named(name);
        (count > 0).then(|| {
            [
                (AttentionArgument::ScalesOfK, "the scales of K"),
                (AttentionArgument::ScalesOfV, "the scales of V"),
            ]
            .map(scales)
        })
    }

    /// Returns the maps of Q, K and V for the first kernel.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 3] {
        &self.maps
    }

    /// Returns the number of elements in the partial results for O and in their log-sum-exps. Each
    /// CTA has two partial results.
    #[must_use]
    pub const fn partials(&self) -> [u64; 2] {
        let [_, _, _, _, o, lse] = &self.attention.buffers;
        [o.elements, lse.elements]
    }

    /// Returns the offset in bytes of the partial results' log-sum-exps in a scratch buffer that
    /// begins with the partial results for O: a multiple of 256.
    #[must_use]
    pub const fn lse_offset(&self) -> u64 {
        (4 * self.partials()[0]).next_multiple_of(256)
    }

    /// Returns the size in bytes of the scratch buffer for the partial results and their
    /// log-sum-exps.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u64 {
        self.lse_offset() + 4 * self.partials()[1]
    }
}

impl DecodeConfiguration {
    /// Returns the arguments of the kernel of the blocks of keys.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        let of = &self.attention;
        AttentionKernel::Decode(self.cache, of.parts).arguments(of.element)
    }

    /// Whether the kernels compute the problem, which [`check`](DecodeProblem::check) must accept.
    #[must_use]
    pub fn computes(&self, problem: &DecodeProblem) -> bool {
        self.attention.element == problem.element
            && self.cache == problem.cache
            && self.attention.dim == problem.dim
            && self.attention.dim_v == problem.dim_v
            && (problem.is_latent() || problem.group() <= self.attention.tile[0])
    }

    /// Checks that the problem is valid and has the kernel's types, dimensions and heads.
    fn matches(&self, problem: &DecodeProblem) -> Result<(), ProblemError> {
        problem.check()?;
        let of = &self.attention;
        let mismatch = |what| ProblemError::Mismatch {
            kernel: of.kernel,
            what,
        };
        if of.element != problem.element {
            return Err(mismatch("the type of the elements"));
        }
        if of.dim != problem.dim {
            return Err(mismatch("the head dimension"));
        }
        if of.dim_v != problem.dim_v {
            return Err(mismatch("the head dimension of V"));
        }
        if self.cache != problem.cache {
            return Err(mismatch("the type of the cache"));
        }
        let [rows, _] = of.tile;
        if !problem.is_latent() && problem.group() > rows {
            return Err(ProblemError::TooLarge {
                what: "the number of heads that share a key head",
                given: problem.group().into(),
                max: rows.into(),
            });
        }
        Ok(())
    }

    /// Plans the launches of a problem, with the keys split over at most `ctas` CTAs. One CTA per
    /// multiprocessor fills a device.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan(&self, problem: &DecodeProblem, ctas: u32) -> Result<DecodePlan, ProblemError> {
        self.matches(problem)?;
        let of = &self.attention;
        let [rows, block] = of.tile;
        let heads = u64::from(problem.sequences) * u64::from(problem.key_heads);
        let blocks = heads * problem.most_keys().div_ceil(block.into());
        // The kernels count blocks in 32 bits, up to one share beyond that of the last CTA.
        let most = u64::from(u32::MAX / 4);
        if blocks > most {
            return Err(ProblemError::TooLarge {
                what: "the number of blocks of keys",
                given: blocks,
                max: most,
            });
        }
        // Latent attention has several tiles of rows. Each has a CTA for every share of keys.
        let tiles = problem.rows().div_ceil(rows);
        let ctas = (blocks as u32).min((ctas.min(1 << 16) / tiles).max(1));
        let grouped = problem.grouped();
        let [q, _, _, _] = grouped.strides;
        let [_, k, v, o] = problem.strides;
        let of_cache = |strides: AttentionStrides, dim| {
            let pages = [dim, problem.page_size, problem.key_heads, problem.pages];
            let columns = problem.cache.columns_of_box(dim);
            let AttentionStrides { row, head, batch } = strides;
            map_of(
                pages,
                [row, head, batch],
                [columns, problem.page_size.min(block)],
            )
        };
        let parts = 2 * u64::from(ctas) * u64::from(problem.rows());
        let lse = if problem.lse {
            u64::from(problem.sequences) * u64::from(problem.heads) * u64::from(problem.queries)
        } else {
            0
        };
        let of_o = o.reach(problem.sequences, problem.heads, problem.queries, of.dim_v);
        let table = u64::from(problem.sequences) * u64::from(problem.table_pages);
        let buffer = |all: KernelArguments<_>| {
            move |argument| match argument {
                AttentionArgument::O => all.buffer(argument, of_o, 16),
                AttentionArgument::Lse => all.buffer(argument, lse, 4),
                AttentionArgument::KeyLengths => all.buffer(argument, problem.sequences.into(), 4),
                AttentionArgument::PageTable => all.buffer(argument, table, 4),
                AttentionArgument::PartO => all.buffer(argument, parts * u64::from(of.dim_v), 16),
                _ => all.buffer(argument, parts, 4),
            }
        };
        Ok(DecodePlan {
            problem: *problem,
            parts: of.parts,
            attention: LaunchSpec {
                kernel: of.kernel,
                grid: [ctas, tiles, 1],
                block: [of.threads, 1, 1],
                cluster: [1; 3],
                shared_bytes: of.shared_bytes as usize,
                buffers: [
                    AttentionArgument::O,
                    AttentionArgument::Lse,
                    AttentionArgument::KeyLengths,
                    AttentionArgument::PageTable,
                    AttentionArgument::PartO,
                    AttentionArgument::PartLse,
                ]
                .map(buffer(self.arguments())),
            },
            combine: LaunchSpec {
                kernel: self.combine,
                grid: [
                    heads as u32,
                    if problem.is_latent() {
                        problem.rows().div_ceil(COMBINE_THREADS / 32).min(65_535)
                    } else {
                        1
                    },
                    1,
                ],
                block: [COMBINE_THREADS, 1, 1],
                cluster: [1; 3],
                shared_bytes: 0,
                buffers: [
                    AttentionArgument::O,
                    AttentionArgument::Lse,
                    AttentionArgument::PartO,
                    AttentionArgument::PartLse,
                    AttentionArgument::KeyLengths,
                ]
                .map(buffer(AttentionKernel::Combine.arguments(of.element))),
            },
            params: AttentionParams {
                heads_per_key: problem.group(),
                flags: grouped.params(1).flags
                    | if problem.scales() > 1 {
                        flags::SCALES_OF_HEADS
                    } else {
                        0
                    },
                ..grouped.params(1)
            },
            decode: DecodeParams {
                page_log2: problem.page_size.trailing_zeros(),
                table_pages: problem.table_pages,
                ctas,
                dim: of.dim_v,
            },
            maps: [
                map(&grouped, (grouped.queries, problem.key_heads), q, rows),
                of_cache(k, problem.dim),
                of_cache(v, problem.dim_v),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::AttentionLoads;
    use super::*;

    const OF: DecodeConfiguration = DecodeConfiguration {
        attention: AttentionConfiguration {
            kernel: "decode",
            base: None,
            parts: AttentionParts::NONE,
            element: AttentionType::Bf16,
            dim: 128,
            dim_v: 128,
            tile: [64, 128],
            stages: 3,
            loads: AttentionLoads::Tma,
            threads: 256,
            ctas: 1,
            shared_bytes: 1024,
            speed: 100,
        },
        combine: "decode_combine",
        cache: CacheElement::OfQueries,
    };

    fn problem() -> DecodeProblem {
        DecodeProblem::new(AttentionType::Bf16, (5, [32, 4], 128), (16, 1000, 40), 0.1)
    }

    #[test]
    fn a_plan_has_the_groups_as_queries_and_the_pages_as_batches() {
        let plan = OF.plan(&problem().with_lse(), 132).unwrap();
        // 5 sequences have 4 heads with at most 640 keys each: 100 blocks.
        assert_eq!(plan.attention.grid, [100, 1, 1]);
        assert_eq!(OF.plan(&problem(), 7).unwrap().attention.grid, [7, 1, 1]);
        assert_eq!(plan.combine.grid, [20, 1, 1]);
        let [q, k, v] = plan.maps;
        assert_eq!((q.extents, q.strides), ([128, 8, 4, 5], [128, 1024, 4096]));
        assert_eq!(q.box_extents, [64, 64, 1, 1]);
        assert_eq!(
            (k.extents, k.strides),
            ([128, 16, 4, 1000], [512, 128, 8192])
        );
        assert_eq!((k.box_extents, k), ([64, 16, 1, 1], v));
        let params = plan.params;
        assert_eq!((params.queries, params.heads, params.batches), (8, 4, 5));
        assert_eq!(
            (params.row_o, params.head_o, params.batch_o),
            (128, 1024, 4096)
        );
        assert_eq!(plan.decode.most_keys(), 640);
        assert_eq!(plan.partials(), [2 * 100 * 8 * 128, 2 * 100 * 8]);
        assert_eq!(plan.scratch_bytes(), 4 * (2 * 100 * 8 * 129));
        assert_eq!(problem().key_bytes(10), 2 * 2 * 10 * 4 * 128);
        // A block of keys is a part of a page.
        let large = DecodeProblem::new(AttentionType::Bf16, (1, [4, 4], 128), (256, 9, 2), 0.1);
        let plan = OF.plan(&large, 132).unwrap();
        assert_eq!(plan.maps[1].box_extents, [64, 128, 1, 1]);
        assert_eq!(plan.attention.grid, [16, 1, 1]);
    }

    #[test]
    fn a_cache_in_e4m3_has_scales_and_half_the_bytes() {
        let of = DecodeConfiguration {
            attention: AttentionConfiguration {
                tile: [16, 128],
                ..OF.attention
            },
            cache: CacheElement::E4m3,
            ..OF
        };
        let problem = problem().with_e4m3(true);
        assert!(of.computes(&problem) && !OF.computes(&problem));
        let plan = of.plan(&problem, 132).unwrap();
        let [q, k, _] = plan.maps;
        assert_eq!(q.box_extents, [64, 16, 1, 1]);
        assert_eq!((k.box_extents, k.swizzle_bytes(1)), ([128, 16, 1, 1], 128));
        assert_eq!(
            plan.scales().unwrap().map(|of| (of.argument, of.elements)),
            [(11, 4), (12, 4)]
        );
        assert_eq!(plan.params.flags, flags::SCALES_OF_HEADS);
        assert_eq!(problem.key_bytes(10), 2 * 10 * 4 * 128);
        let one = of.plan(&problem.with_e4m3(false), 132).unwrap();
        assert_eq!(
            (one.scales().unwrap()[0].elements, one.params.flags),
            (1, 0)
        );
        assert_eq!(
            OF.plan(&super::tests::problem(), 132).unwrap().scales(),
            None
        );
        let said = |problem: &DecodeProblem| of.plan(problem, 132).unwrap_err().to_string();
        let mut odd = problem;
        odd.strides[1].batch += 8;
        assert_eq!(
            said(&odd),
            "the page stride of K is 8200; it must be a multiple of 16"
        );
        let (of_128, pages) = ((5, [128, 4], 128), (16, 1000, 40));
        let wide = DecodeProblem::new(AttentionType::Bf16, of_128, pages, 0.1).with_e4m3(false);
        assert_eq!(
            said(&wide),
            "the number of heads that share a key head is 32; a launch covers at most 16"
        );
        let plain = super::tests::problem();
        assert_eq!(
            said(&plain),
            "decode is not for this product: the type of the cache differs"
        );
    }

    /// Returns latent attention's kernel, and a problem of eight sequences.
    fn latent(heads: u32, queries: u32) -> (DecodeConfiguration, DecodeProblem) {
        let of = DecodeConfiguration {
            attention: AttentionConfiguration {
                dim: 576,
                dim_v: 512,
                tile: [64, 64],
                ..OF.attention
            },
            ..OF
        };
        let of_heads = (8, [heads, 1], 576);
        let problem = DecodeProblem::new(AttentionType::Bf16, of_heads, (64, 1000, 100), 0.1);
        (of, problem.with_latent(512, queries))
    }

    #[test]
    fn latent_attention_has_a_row_of_ctas_for_each_tile_of_rows() {
        let (of, problem) = latent(128, 3);
        assert!(of.computes(&problem) && !OF.computes(&problem) && !of.computes(&self::problem()));
        let plan = of.plan(&problem.with_lse(), 132).unwrap();
        // 384 rows are six tiles with 22 CTAs each. One warp combines the partial results of each
        // row.
        assert_eq!(plan.attention.grid, [22, 6, 1]);
        assert_eq!(plan.combine.grid, [8, 96, 1]);
        let [q, k, v] = plan.maps;
        assert_eq!(
            (q.extents, q.strides),
            ([576, 384, 1, 8], [576, 576, 3 * 128 * 576])
        );
        assert_eq!(
            (k.extents, k.strides),
            ([576, 64, 1, 1000], [576, 576, 64 * 576])
        );
        assert_eq!((v.extents[0], v.strides[2]), (512, k.strides[2]));
        assert_eq!([q, k, v].map(|of| of.box_extents), [[64, 64, 1, 1]; 3]);
        let params = plan.params;
        assert_eq!((params.queries, params.heads_per_key), (384, 128));
        assert_eq!((params.row_o, params.batch_o), (512, 3 * 128 * 512));
        assert_eq!(plan.partials(), [2 * 22 * 384 * 512, 2 * 22 * 384]);
        let [o, lse, ..] = &plan.attention.buffers;
        assert_eq!((o.elements, lse.elements), (8 * 384 * 512, 8 * 384));
        // There are fewer multiprocessors than tiles, so one CTA per tile has all keys.
        let (of, many) = latent(128, 100);
        assert_eq!(of.plan(&many, 132).unwrap().attention.grid, [1, 200, 1]);
        // One tile of few rows.
        let (of, few) = latent(16, 1);
        assert_eq!(of.plan(&few, 132).unwrap().attention.grid, [132, 1, 1]);
    }

    #[test]
    fn what_is_no_latent_attention_is_said() {
        let said = |change: &dyn Fn(&mut DecodeProblem)| {
            let (of, mut problem) = latent(16, 2);
            change(&mut problem);
            of.plan(&problem, 132).unwrap_err().to_string()
        };
        for (found, expected) in [
            (
                said(&|of| of.dim_v = 256),
                "decode is not for this product: the head dimension of V differs",
            ),
            (
                said(&|of| of.dim_v = 640),
                "the head dimension of V is 640; a launch covers at most 576",
            ),
            (
                said(&|of| of.key_heads = 2),
                "the number of key heads is 2; a launch covers at most 1",
            ),
            (
                said(&|of| of.strides[0].row += 8),
                "the row stride of Q is 9224; it must be 9216",
            ),
            (
                said(&|of| of.strides[3].row += 8),
                "the row stride of O is 8200; it must be 8192",
            ),
            (
                said(&|of| of.strides[2].row += 8),
                "the row stride of V is 584; it must be 576",
            ),
            (
                said(&|of| of.queries = 1 << 20),
                "the number of rows of a sequence is 16777216; a launch covers at most 1048576",
            ),
            (
                said(&|of| of.dim_v = 576),
                "the number of queries is 2; a launch covers at most 1",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let said = |change: &dyn Fn(&mut DecodeProblem)| {
            let mut problem = problem();
            change(&mut problem);
            OF.plan(&problem, 132).unwrap_err().to_string()
        };
        for (found, expected) in [
            (
                said(&|of| of.page_size = 48),
                "the page size is 48; it must be a power of two of at least 8",
            ),
            (
                said(&|of| of.page_size = 4),
                "the page size is 4; it must be a power of two of at least 8",
            ),
            (
                said(&|of| of.key_heads = 5),
                "the number of heads is 32; it must be a multiple of 5",
            ),
            (
                said(&|of| (of.sequences, of.heads, of.key_heads) = (1, 65, 1)),
                "the number of heads that share a key head is 65; a launch covers at most 64",
            ),
            (
                said(&|of| of.sequences = 0),
                "the number of sequences is 0; it must be at least 1",
            ),
            (
                said(&|of| of.table_pages = 0),
                "the number of pages of a sequence is 0; it must be at least 1",
            ),
            (
                said(&|of| of.strides[1].batch = 100),
                "the page stride of K is 100; it must be a multiple of 8",
            ),
            (
                said(&|of| of.scale = 0.0),
                "the scale is 0; it must be above 0 and finite",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
