//! Prefill from pages, and the table of its kernels. Queries belong to sequences of one length or
//! to packed sequences. Keys and values are in pages of a cache.
//!
//! ```text
//!   attention_paged_sinks_bf16_d128_128x128_s2      the configuration, with score parts or without, its keys in pages
//!
//!   a block of keys     ├ page ┼ page ┼ page ┤      a box for each, or for a part of one; pages by the table of the tile's sequence
//! ```
//!
//! Law: the keys of a sequence are the first `lengths[sequence]` keys of its pages, and at most as
//! many as the pages in the table hold. Rows after them may hold anything: as keys they are masked,
//! and rows of V are cleared in shared memory. A build of all kernels does not include these: the
//! program builds each of them at its first use.

// The build chooses the kernels, so some of these items may be unused.
#![cfg_attr(not(doc), allow(dead_code, unused_imports))]

use super::composed::Composed;
use super::configurations::rows_of_8_warps;
use super::configurations::{Bf16D64Short, Bf16D96, Bf16D128, Bf16D192, Bf16D256Narrow};
use super::configurations::{F16D64Short, F16D96, F16D128, F16D192, F16D256Narrow};
use super::decode::pages::{Lengths, Pages, columns_of_box};
use super::kernel::run;
use super::sequences::{PackedScheduler, PackedSequences, Place, Sequences};
use super::tile_scheduler::TileAt;
use super::tiles::{OperandTiles, Smem};
use super::value_dims::{Bf16D64V128, Bf16D128V64, Bf16D192V128};
use super::value_dims::{F16D64V128, F16D128V64, F16D192V128};
use cuda_std::kernel;
use gpu_kernels::attention::sequences::{moved_bound, queries_of};
use gpu_kernels::each_score;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, PageParams};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Sequences whose keys are in pages, in blocks of `BLOCK` keys. Their queries are packed if the
/// parameters' flags say so. Otherwise the sequences have one number of queries.
#[derive(Clone, Copy)]
pub struct PagedPrefill<const BLOCK: u32> {
    /// The first query of each sequence, and the end of the last sequence; null if sequences have
    /// one length.
    pub queries: *const u32,
    /// The number of keys of each sequence.
    pub lengths: *const u32,
    /// The pages of each sequence.
    pub table: *const u32,
    /// The size of a page, and the number of pages that a sequence has.
    pub pages: PageParams,
}

impl<const BLOCK: u32> PagedPrefill<BLOCK> {
    /// Returns the pages of the sequences' keys.
    #[inline(always)]
    fn pages(self) -> Pages<BLOCK> {
        let most = self.pages.most_keys();
        Pages {
            lengths: Lengths {
                of: self.lengths,
                most,
            },
            table: self.table,
            page_log2: self.pages.page_log2,
            table_pages: self.pages.table_pages,
        }
    }
}

impl<const BLOCK: u32> Sequences for PagedPrefill<BLOCK> {
    type Scheduler = PackedScheduler;
    type Params<'a> = AttentionParams;
    type Part = ();
    const ANY_BEHIND: bool = true;
    const WIDE_LOADS: bool = true;

    #[inline(always)]
    fn next(
        self,
        scheduler: &mut PackedScheduler,
        params: &AttentionParams,
        tile: u32,
    ) -> Option<TileAt> {
        let rows_of = |sequence| queries_of(self.queries, params, sequence).1;
        scheduler.next_tile(params, tile, rows_of)
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt) -> AttentionParams {
        let (_, queries) = queries_of(self.queries, params, tile.batch);
        let keys = self.pages().lengths.keys(tile.batch);
        let own = keys as i32 - queries as i32;
        AttentionParams {
            queries,
            keys,
            lower: moved_bound(params.lower, own),
            upper: moved_bound(params.upper, own),
            ..*params
        }
    }
    #[inline(always)]
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place {
        let (first, _) = queries_of(self.queries, params, tile.batch);
        let batch = if PackedSequences::<true>::are_uniform(params) {
            tile.batch
        } else {
            0
        };
        ([first, 0], batch)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        let ([first, _], batch) = self.place(params, tile);
        let of_rows = u64::from(first) * params.row_o + u64::from(batch) * params.batch_o;
        (of_rows + u64::from(tile.head) * params.head_o) as usize
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        let ([first, _], batch) = self.place(params, tile);
        let head = u64::from(batch) * u64::from(params.heads) + u64::from(tile.head);
        (head * u64::from(params.queries) + u64::from(first)) as usize
    }

    #[inline(always)]
    unsafe fn load_k<C: OperandTiles>(
        self,
        map: &TensorMap,
        block: (TileAt, Place, u32),
        smem: &Smem<C>,
        stage: (u32, u32),
    ) {
        let to = (&smem.k, [0, C::DIM], columns_of_box::<C>());
        // SAFETY: the map is K's, and the stage's barrier counts a block's bytes, by the function's
        // contract.
        unsafe {
            self.pages()
                .load(map, block, to, stage, |key, column| (key, column));
        }
    }
    #[inline(always)]
    unsafe fn load_v<C: OperandTiles>(
        self,
        map: &TensorMap,
        block: (TileAt, Place, u32),
        smem: &Smem<C>,
        stage: (u32, u32),
    ) {
        let to = (&smem.v, [0, C::DIM_V], columns_of_box::<C>());
        // SAFETY: the map is V's, and the stage's barrier counts a block's bytes, by the function's
        // contract.
        unsafe {
            self.pages()
                .load(map, block, to, stage, |key, column| (column, key));
        }
    }
}

/// Defines kernels, from configurations with 8 consumer warps, and their tables.
macro_rules! paged {
    ([$($of:tt)+] $lines:tt) => {
        $(paged! { @kernels $of $lines })+

        /// All kernels for keys in pages, for packed queries and for queries of one length: a table
        /// for each composition of score parts.
        pub static PAGED_CONFIGURATIONS: &[&[AttentionConfiguration]] = &[$(paged!(@table $of $lines)),+];
    };
    (@table { $parts:expr, $prefix:literal, $($with:tt)+ } { $($name:ident $tile:literal $element:ident, keys $n:literal, stages of q $q_stages:literal;)+ }) => {
        &[$(
            AttentionConfiguration {
                kernel: concat!("attention_paged_", $prefix, $tile),
                base: None,
                parts: $parts.paged(),
                ..$name::CONFIGURATION
            },
        )+]
    };
    (@kernels { $parts:expr, $prefix:literal, $arguments:tt, $score:ty, $value:expr } { $($name:ident $tile:literal $element:ident, keys $n:literal, stages of q $q_stages:literal;)+ }) => {
        $(paged! { @kernel $prefix, $arguments, $score, $value, $name $tile $element $n $q_stages })+
    };
    (@kernel $prefix:literal, ($($argument:ident: $type:ty),*), $score:ty, $value:expr, $name:ident $tile:literal $element:ident $n:literal $q_stages:literal) => {
        #[doc = concat!("[`", stringify!($name), "`] of keys in pages: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is the one that the plan for pages gives.
        #[cfg(all(feature = "attention-score-parts", target_arch = "nvptx64"))]
        #[kernel(name = concat!("attention_paged_", $prefix, $tile), threads = 384, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn attention(
            o: *mut $element,
            lse: *mut f32,
            params: AttentionParams,
            #[grid_constant] map_q: &TensorMap,
            #[grid_constant] map_k: &TensorMap,
            #[grid_constant] map_v: &TensorMap,
            queries: *const u32,
            lengths: *const u32,
            table: *const u32,
            pages: PageParams,
            $($argument: $type),*
        ) {
            let sequences = PagedPrefill::<$n> { queries, lengths, table, pages };
            let maps = [map_q, map_k, map_v];
            // SAFETY: the launch is the plan's by the function's contract. A buffer that a part
            // reads per head has an element for each head.
            unsafe {
                run::<Composed<$name, $score, PagedPrefill<$n>>, $q_stages, 8, 2>((o, lse), &params, maps, ($value, sequences))
            }
        }
    };
}

/// Defines prefill from pages with a score function of your own, on Hopper.
///
/// ```
/// use gpu_kernels_sm90::attention::configurations::Bf16D128;
/// use gpu_kernels_sm90::attention::score::{ScoreAt, ScoreFunction};
///
/// /// Takes from a score what the key is away, times a slope.
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// pub struct Distance {
///     pub slope: f32,
/// }
/// impl ScoreFunction for Distance {
///     #[inline(always)]
///     fn score(self, score: f32, at: ScoreAt) -> f32 {
///         score - self.slope * at.distance.abs()
///     }
/// }
///
/// gpu_kernels_sm90::paged_attention_kernel! {
///     /// Head dimension 128, bf16.
///     pub Distances = attention_paged_distance: Bf16D128 with Distance;
/// }
/// assert_eq!(Distances::CONFIGURATION.dim, 128);
/// ```
///
/// After the kernel's name comes one of the [configurations](crate::attention::configurations) with
/// two consumer groups, that is with tiles of 128 queries: `Bf16D64Short`, `Bf16D96`, `Bf16D128`,
/// `Bf16D192`, `Bf16D256Narrow`, or the same of f16. Element, head dimension, blocks of keys and
/// stages are those of the configuration. A
/// [`ScoreFunction`](crate::attention::score::ScoreFunction) follows `with`. Its value is the
/// kernel's last argument, which the host's `AttentionOperands::prepare_paged_with` passes.
/// `CONFIGURATION.plan_paged` plans the kernel's launches. A crate that defines a kernel depends on
/// `cuda_std`, too.
#[macro_export]
macro_rules! paged_attention_kernel {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $kernel:ident: $of:ident with $score:ty;)+) => {$(
        $(#[$doc])*
        $vis struct $name;
        impl $name {
            /// The kernel's row of a table, which plans launches.
            pub const CONFIGURATION: $crate::attention::scope::AttentionConfiguration =
                $crate::attention::scope::AttentionConfiguration {
                    kernel: stringify!($kernel),
                    base: None,
                    parts: $crate::attention::scope::AttentionParts::NONE.paged(),
                    ..$of::CONFIGURATION
                };
        }
        $crate::paged_attention_kernel! {
            @entry stringify!($kernel), $crate::attention::scope::PagedPrefill<
                { <$of as $crate::attention::scope::AttentionConfig>::TILE[1] }
            >, $of, $score
        }
    )+};
    (@entry $kernel:expr, $sequences:ty, $of:ident, $score:ty) => {
        /// Computes attention of queries to keys in pages, as [`kernel_abi::attention`] defines it.
        ///
        /// # Safety
        /// The launch is the one that `CONFIGURATION.plan_paged` gives.
        #[cfg(target_arch = "nvptx64")]
        #[$crate::attention::scope::kernel(name = $kernel, threads = 384, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn attention(
            o: *mut <$of as $crate::attention::scope::AttentionConfig>::OutputElement,
            lse: *mut f32,
            params: $crate::attention::scope::AttentionParams,
            #[grid_constant] map_q: &$crate::attention::scope::TensorMap,
            #[grid_constant] map_k: &$crate::attention::scope::TensorMap,
            #[grid_constant] map_v: &$crate::attention::scope::TensorMap,
            queries: *const u32,
            lengths: *const u32,
            table: *const u32,
            pages: $crate::attention::scope::PageParams,
            score: $score,
        ) {
            use $crate::attention::scope::{AttentionConfig, Composed, run};
            let sequences: $sequences =
                $crate::attention::scope::PagedPrefill { queries, lengths, table, pages };
            let maps = [map_q, map_k, map_v];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                run::<
                    Composed<$of, $score, $sequences>,
                    { <$of as AttentionConfig>::Q_STAGES },
                    8,
                    { <$of as AttentionConfig>::STAGES },
                >((o, lse), &params, maps, (score, sequences))
            }
        }
    };
}

rows_of_8_warps! {
    [
        F16D64V128 "f16_d64v128_128x128_s2" f16, keys 128, stages of q 2;
        F16D128V64 "f16_d128v64_128x128_s2" f16, keys 128, stages of q 2;
        F16D192V128 "f16_d192v128_128x128_s2" f16, keys 128, stages of q 1;
        Bf16D64V128 "bf16_d64v128_128x128_s2" bf16, keys 128, stages of q 2;
        Bf16D128V64 "bf16_d128v64_128x128_s2" bf16, keys 128, stages of q 2;
        Bf16D192V128 "bf16_d192v128_128x128_s2" bf16, keys 128, stages of q 1;
    ]
    each_score all paged
}
