//! Prefill from pages: the keys and values are in pages of a cache. The queries belong to sequences
//! of one length, or are packed.
//!
//! ```text
//!   cache    K, V (pages, page size, key heads, D), or any other strides
//!   table    sequence 0: 7 2 9     sequence 1: 0 4       lengths 40 17 on the device, pages of 16
//!   queries  at a sequence's last keys: query i of s has the position of key i + length - s
//! ```
//!
//! Law: a sequence's O is attention of its queries to the first `length` keys of its pages. The
//! sequence's last query and last key lie on one diagonal. Rows after a sequence's last key may
//! contain anything. A length beyond the table's pages counts as all pages of the table, and a page
//! that the cache does not have has rows of zeros. Sequences may name the same pages: a shared
//! prefix is read, not copied.

use super::plan::map;
use super::problem::stride_names;
use super::{
    AttentionArgument, AttentionConfiguration, AttentionKernel, AttentionLoads, AttentionMapPlan,
    AttentionParams, AttentionParts, AttentionProblem, KernelSequences, MAX_ROWS, MIN_PAGE, flags,
};
use crate::{KernelArguments, LaunchSpec, ProblemError};

/// A kernel's argument by value: pages have `1 << page_log2` keys, and each sequence has
/// `table_pages` entries in the page table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PageParams {
    /// The logarithm to base 2 of the number of keys of a page.
    pub page_log2: u32,
    /// The most pages that a sequence may have.
    pub table_pages: u32,
}

impl PageParams {
    /// Returns the most keys that a sequence may have.
    #[must_use]
    pub const fn most_keys(self) -> u32 {
        self.table_pages << self.page_log2
    }

    /// Returns the structure's bytes as 32-bit numbers.
    #[must_use]
    pub const fn to_u32s(self) -> [u32; 2] {
        [self.page_log2, self.table_pages]
    }
}

/// Attention of queries to keys in pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagedAttentionProblem {
    /// The queries: `batches` batches of one length, or, if they are packed, one batch with the
    /// rows of all sequences. `keys` is the number of keys of a page, and a batch of K and V is a
    /// page, so its strides are the strides of a page.
    pub of: AttentionProblem,
    /// The number of sequences.
    pub sequences: u32,
    /// Whether the queries are packed.
    pub packed: bool,
    /// The number of pages of the cache.
    pub pages: u32,
    /// The most pages that a sequence may have: the columns of the page table.
    pub table_pages: u32,
}

impl PagedAttentionProblem {
    /// Returns the cache as a problem whose batches are pages.
    const fn cache(&self) -> AttentionProblem {
        AttentionProblem {
            batches: self.pages,
            ..self.of
        }
    }

    /// Returns the kernel's argument about pages.
    #[must_use]
    pub const fn params(&self) -> PageParams {
        PageParams {
            page_log2: self.of.keys.trailing_zeros(),
            table_pages: self.table_pages,
        }
    }

    /// Checks that the problem has no number that every kernel must refuse.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        let extent = |name, given, max| crate::checked_extent(name, given, max).map(|_| ());
        let [q, k, v, o] = self.of.strides;
        // K and V are compact in this problem. The strides of the cache are checked below.
        let one = |dim| super::AttentionStrides::compact(self.of.key_heads, self.of.keys, dim);
        AttentionProblem {
            strides: [q, one(self.of.dim), one(self.of.dim_v), o],
            ..self.of
        }
        .check()?;
        extent("the number of sequences", self.sequences, 1 << 20)?;
        let batches = if self.packed { 1 } else { self.sequences };
        if self.of.batches != batches {
            return Err(ProblemError::TooLarge {
                what: "the number of batches of queries",
                given: self.of.batches.into(),
                max: batches.into(),
            });
        }
        if !self.of.keys.is_power_of_two() || self.of.keys < MIN_PAGE {
            return Err(ProblemError::NotPowerOfTwo {
                what: "the page size",
                given: self.of.keys.into(),
                min: MIN_PAGE.into(),
            });
        }
        extent("the number of pages", self.pages, MAX_ROWS)?;
        extent(
            "the number of pages of a sequence",
            self.table_pages,
            MAX_ROWS,
        )?;
        let most = u64::from(self.table_pages) * u64::from(self.of.keys);
        if most > MAX_ROWS.into() {
            return Err(ProblemError::TooLarge {
                what: "the number of keys of a sequence",
                given: most,
                max: MAX_ROWS.into(),
            });
        }
        let keys = (self.of.keys, self.of.key_heads);
        self.cache().check_strides(&k, keys, stride_names!("K"))?;
        self.cache()
            .of_values()
            .check_strides(&v, keys, stride_names!("V"))
    }
}

/// The launch of attention from pages. [`AttentionConfiguration::plan_paged`] has checked it, and
/// nothing can change it afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagedAttentionPlan {
    problem: PagedAttentionProblem,
    launch: LaunchSpec<2>,
    params: AttentionParams,
    parts: AttentionParts,
    maps: [AttentionMapPlan; 3],
}

impl PagedAttentionPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &PagedAttentionProblem {
        &self.problem
    }
    /// Returns the kernel, its grid and its own buffers: O and the log-sum-exp.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<2> {
        &self.launch
    }
    /// Returns the kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Forward(AttentionLoads::Tma, self.parts).arguments(self.problem.of.element)
    }
    /// Returns the kernel's parameters: `batches` is the number of sequences, the band is that of a
    /// mask over as many queries as keys, and `keys` is the most keys that the page table can list.
    #[must_use]
    pub const fn params(&self) -> &AttentionParams {
        &self.params
    }
    /// Returns the kernel's parts.
    #[must_use]
    pub const fn parts(&self) -> AttentionParts {
        self.parts
    }
    /// Returns the maps of Q, K and V. The fourth dimension of the maps of K and V is the page.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 3] {
        &self.maps
    }
}

/// Returns the number of rows of a box: the rows of a page, or the largest power of two that
/// divides a block of keys if that is less.
#[must_use]
pub const fn rows_of_box(page: u32, block: u32) -> u32 {
    let most = 1 << block.trailing_zeros();
    if page < most { page } else { most }
}

impl AttentionConfiguration {
    /// Plans the launch of attention from pages on a device with this number of multiprocessors.
    /// The kernel must be one for pages.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan_paged(
        &self,
        problem: &PagedAttentionProblem,
        multiprocessors: u32,
    ) -> Result<PagedAttentionPlan, ProblemError> {
        problem.check()?;
        let (first, second) = ("pages", "loads by cp.async");
        if self.loads != AttentionLoads::Tma || self.parts.sequences != KernelSequences::Paged {
            return Err(ProblemError::NotTogether { first, second });
        }
        let [rows, block] = self.tile;
        // The problem with compact keys has the same tiles, and the same extents and strides of the
        // queries.
        let of = problem.of;
        let [q, k, v, o] = of.strides;
        let compact = of.with_keys(problem.params().most_keys(), of.key_heads);
        let all = AttentionProblem {
            strides: [q, compact.strides[1], compact.strides[2], o],
            ..compact
        };
        let plan = self.plan(&all, multiprocessors)?;
        let tiles = if problem.packed {
            let (queries, sequences) = (u64::from(of.queries), u64::from(problem.sequences));
            (queries + sequences * (u64::from(rows) - 1)) / u64::from(rows) * u64::from(of.heads)
        } else {
            u64::from(plan.launch().grid[0])
        };
        let most = u64::from(u32::MAX / 4);
        if tiles > most {
            return Err(ProblemError::TooLarge {
                what: "the number of tiles",
                given: tiles,
                max: most,
            });
        }
        let mut launch = *plan.launch();
        launch.grid = [(tiles as u32).min(multiprocessors.max(1)), 1, 1];
        let (lower, upper) = of.mask.band(0, 0);
        let packed = if problem.packed { flags::PACKED } else { 0 };
        let (keys, box_rows) = ((of.keys, of.key_heads), rows_of_box(of.keys, block));
        let [map_q, _, _] = *plan.maps();
        let cache = problem.cache();
        Ok(PagedAttentionPlan {
            problem: *problem,
            launch,
            params: AttentionParams {
                batches: problem.sequences,
                lower,
                upper,
                flags: plan.params().flags & !flags::SHORT_TILE_FIRST | packed,
                ..*plan.params()
            },
            parts: self.parts,
            maps: [
                map_q,
                map(&cache, keys, k, box_rows),
                map(&cache.of_values(), keys, v, box_rows),
            ],
        })
    }
}

const _: () = assert!(size_of::<PageParams>() == 8 && align_of::<PageParams>() == 4);
