//! Products of many tokens with weights of few bits. Decoded weights are operand A of `wgmma`, in
//! registers. The tokens are the columns of the product, and the accumulator is D transposed.
//!
//! ```text
//!   producer   box of packed codes ─────────┐  a stage: 128 rows by 128 of k, the records of
//!              box of records ──────────────┤  their groups, and the same 128 of k of X
//!              half of X's box, multicast ──┤
//!   consumer   16 bytes per thread ─ decode, × scale ─► A of a tile of 64 of k ──► 4 wgmma ─ commit ┐
//!              while they run, the next tile of 64 is decoded ◄─────────────────────────────────────┘
//! ```
//!
//! The two CTAs of a cluster multiply neighbouring blocks of rows by the same tokens, and each
//! loads half of X's tile into both CTAs. For 64 tokens a stage has 16 KiB of X and 8 KiB of codes.
//!
//! Law: D is the sum over k of X times the weights. A weight is the code's number less its zero,
//! times the group's scale, less the group's minimum, rounded once to the activations' type; scale
//! and minimum are rounded to this type before. If a row has one scale, a weight is the code's
//! number, and the row's sum is multiplied by the scale.
//!
//! Clusters share the tiles that would not fill the GPU ([`stream_k`](super::stream_k)).
//!
//! The packed order is the same as for the kernels of few rows ([`gpu_kernels::weights`]), because
//! a warp of `wgmma` holds its 16 rows in the same way as `mma.sync`.

use super::stream_k::Tiles;
use crate::warp_group::{consumer_group, is_elected_of_warp, thread_in_group};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::sync_warp;
use gpu_kernels::weights::config::{Activation, UNIT, packed_layout};
use gpu_kernels::weights::epilogue;
use gpu_kernels::weights::format::{BlockCodes, Decode, WeightFormat, scaled_block};
use gpu_kernels::weights::kernel::Arguments;
use gpu_kernels::weights::scaling::GroupScaling;
use kernel_abi::weights::{Body, PackedLayout, WeightsConfiguration};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::cluster_sm90::cluster_sync_relaxed;
use layout_types::arch::copy::{load_shared_b32, load_shared_b64, load_shared_b128};
use layout_types::arch::copy_sm90_tma::{
    TensorMap, prefetch_tma_descriptor, tma_load_3d, tma_load_multicast_3d,
};
use layout_types::arch::grid_dependency_control::{
    launch_dependent_grids, wait_on_dependent_grids,
};
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_fence_operand, warpgroup_wait,
};
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::MmaAtom;
use layout_types::atom::mma::{MajorK, WgmmaOp};
use layout_types::atom::smem_operand::{GmmaDescriptor, Operand, TmaTile};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::Nat;
use layout_types::typenum::Unsigned;
use layout_types::unroll::unroll;

/// The number of rows of W in a CTA's tile: 64 for each consumer group.
pub const ROWS: u32 = 128;
/// The number of blocks of 16 rows in a CTA's tile. Weights are packed in such blocks.
const BLOCKS: u32 = ROWS / 16;
/// The number of CTAs in a cluster. They have neighbouring blocks of rows.
pub const CTAS: u32 = 2;
/// The number of registers of a producer thread, and of a consumer thread.
pub const REGISTERS: [u32; 2] = [40, 232];

/// A kernel's types and numbers.
pub trait ManyRows: 'static {
    /// The weights.
    type Format: Decode<Self::Element>;
    /// The activations.
    type Element: Activation;
    /// The number of tokens in a tile, which are the columns of the product.
    type Tokens: Nat;
    /// The instruction, with A in registers.
    type Atom: WgmmaOp<AOperand = [u32; 4], BOperand = GmmaDescriptor<Self::Element, MajorK, Self::Tokens>>;
    /// X's stages: (tokens, [`UNIT`], stages).
    type SmemX: LayoutFn + Reflect;
    /// The number of stages.
    const STAGES: u32;

    /// How the weights are packed.
    const PACKED: &'static PackedLayout = &packed_layout::<Self::Format>();
    /// The number of bytes of X in a stage.
    const BYTES_X: u32 = TmaTile::<Self::SmemX, Self::Element>::BYTES;
    /// The number of bytes that the codes of a unit take in a block of 16 rows.
    const CODE_BYTES: u32 = 2 * Self::Format::BITS * UNIT;
    /// The number of bytes in a record: the scales, zeros and minima of a thread's two rows for a
    /// unit.
    const RECORD_BYTES: u32 = 4 * <Self::Format as WeightFormat>::Scaling::WORDS as u32;
    /// The number of bytes that the records of a unit take for a block of 16 rows. Each two rows
    /// share a record.
    const BLOCK_RECORDS: u32 = 8 * Self::RECORD_BYTES;
    /// Offset of the codes' stages in shared memory; X's are at 0.
    const CODES_OFFSET: u32 = Self::STAGES * Self::BYTES_X;
    /// Offset of the records' stages.
    const RECORDS_OFFSET: u32 = Self::CODES_OFFSET + Self::STAGES * BLOCKS * Self::CODE_BYTES;
    /// Offset of the barriers.
    const BARRIER_OFFSET: u32 = Self::RECORDS_OFFSET + Self::STAGES * BLOCKS * Self::BLOCK_RECORDS;
    /// Bytes of shared memory.
    const SHARED_BYTES: u32 = Self::BARRIER_OFFSET + 16 * Self::STAGES;
}

/// Runs the kernel, with `ACC` registers of an accumulator and `WORDS` words of a thread's record.
///
/// # Safety
/// The launch is the plan's: it has 384 threads, `SHARED_BYTES` of dynamic shared memory aligned to
/// 1024, and clusters of `CTAS`. `maps` are the map of X with boxes of a CTA's share of `SmemX`'s
/// tokens, and the maps of codes and records with boxes of one unit and a CTA's blocks of rows. W
/// is packed for this format, in whole tiles.
#[inline(always)]
pub unsafe fn run<C, const STAGES: u32, const ACC: usize, const WORDS: usize>(
    of: &Arguments,
    maps: [&TensorMap; 3],
) where
    C: ManyRows<Atom: WgmmaOp<Accumulator = [f32; ACC]>>,
    [f32; ACC]: FenceOperand,
{
    const {
        assert!(STAGES == C::STAGES && WORDS == C::RECORD_BYTES as usize / 4);
    }
    let shared = dynamic_shared_offset();
    let tiles = Tiles::<C>::of(of);
    // SAFETY: the barriers have their own part of shared memory, and are used only after the
    // cluster's barrier. Each warp group has one role as a whole.
    unsafe {
        let pipeline = PipelineTmaAsync::<STAGES, { 8 * CTAS }>::at(shared + C::BARRIER_OFFSET);
        launch_dependent_grids();
        if thread_idx_x() == 0 {
            pipeline.init();
            unroll::<3>(|i| prefetch_tma_descriptor(maps[i]));
        }
        // The barriers of both CTAs are initialised before either CTA loads into the other.
        cluster_sync_relaxed();
        if thread_idx_x() < 128 {
            warpgroup_reg_dealloc::<{ REGISTERS[0] }>();
            if is_elected_of_warp(0) {
                // A previous launch may write X, but it writes no weights.
                wait_on_dependent_grids();
                produce::<C, STAGES>(maps, shared, pipeline, &tiles);
            }
        } else {
            warpgroup_reg_alloc::<{ REGISTERS[1] }>();
            // The previous launch may read D.
            wait_on_dependent_grids();
            let mut state = PipelineState::consumer();
            // A tile's first products overwrite `sums`.
            let mut sums = [0f32; ACC];
            let mut index = 0;
            while let Some(part) = tiles.part(index) {
                let (row, token) = tiles.at(part.tile);
                sums = multiply::<C, STAGES, ACC, WORDS>(
                    shared, pipeline, &mut state, sums, part.count,
                );
                let is_whole = tiles.fix_up(of.buffers.workspace, &part, &mut sums);
                // The rows of the cluster's second CTA may be after the last row, where there are
                // no scales.
                if is_whole && row < of.params.n {
                    store::<C, ACC>(of, &sums, row, token);
                }
                index += 1;
            }
        }
    }
}

/// Loads the units of all tiles of the CTA.
///
/// # Safety
/// One thread executes it; the other conditions are those of [`run`].
#[inline(always)]
unsafe fn produce<C: ManyRows, const STAGES: u32>(
    [x, codes, records]: [&TensorMap; 3],
    shared: u32,
    pipeline: PipelineTmaAsync<STAGES, { 8 * CTAS }>,
    tiles: &Tiles<C>,
) {
    let mut state = PipelineState::producer();
    // The first token of this CTA's share of X's tile, and the share's offset in a stage.
    let share = const { <C::Tokens as Unsigned>::U32 / CTAS } * tiles.rank();
    let share_bytes = share * 128;
    let mut index = 0;
    while let Some(part) = tiles.part(index) {
        let (row, token) = tiles.at(part.tile);
        let row = tiles.loaded(row);
        let block = (row / 16) as i32;
        let mut unit = part.first;
        let end = part.first + part.count;
        while unit < end {
            let stage = state.stage();
            let full = pipeline.full(stage);
            // SAFETY: a stage is written after `producer_acquire`, for which the consumers of both
            // CTAs arrive. The expected bytes are those of both CTAs' boxes of X and of this CTA's
            // boxes of W, which is packed in whole tiles.
            unsafe {
                pipeline.producer_acquire(
                    &state,
                    C::BYTES_X + BLOCKS * (C::CODE_BYTES + C::BLOCK_RECORDS),
                );
                // Codes and records have one box each, instead of a copy for each block of rows: a
                // copy takes the TMA unit about 90 cycles, however small it is.
                let to = shared + C::CODES_OFFSET + stage * BLOCKS * C::CODE_BYTES;
                let piece = (const { C::Format::BITS } * unit) as i32;
                tma_load_3d(to, codes, [0, piece, block], full);
                if const { C::BLOCK_RECORDS > 0 } {
                    let to = shared + C::RECORDS_OFFSET + stage * BLOCKS * C::BLOCK_RECORDS;
                    tma_load_3d(to, records, [0, unit as i32, block], full);
                }
                let [down, across] = const { TmaTile::<C::SmemX, C::Element>::BOX.boxes };
                let mut j = 0;
                while j < across {
                    let mut i = 0;
                    while i < down {
                        let [across_x, down_x] = TmaTile::<C::SmemX, C::Element>::coordinate(
                            (i, j),
                            token + share,
                            unit * UNIT,
                        );
                        let to = TmaTile::<C::SmemX, C::Element>::offset((i, j), stage);
                        tma_load_multicast_3d(
                            shared + to + share_bytes,
                            x,
                            [across_x, down_x, 0],
                            full,
                            const { (1 << CTAS) - 1 },
                        );
                        i += 1;
                    }
                    j += 1;
                }
            }
            state.advance();
            unit += 1;
        }
        index += 1;
    }
    // The other CTA's consumers free stages of this CTA until the last one.
    // SAFETY: this thread is the only producer, and fills no stage afterwards.
    unsafe { pipeline.producer_tail(state) };
}

/// Loads the words of a thread's record from shared memory.
///
/// # Safety
/// `from` names `WORDS` words that are written and that nothing writes now. It is aligned to their
/// size, or to 16 bytes if they are longer.
#[inline(always)]
unsafe fn load_record<const WORDS: usize>(from: u32) -> [u32; WORDS] {
    const { assert!(matches!(WORDS, 0 | 1 | 2 | 4 | 8)) }
    let mut words = [0; WORDS];
    // SAFETY: the words are written and aligned for each load, by the function's contract.
    unsafe {
        match WORDS {
            0 => {}
            1 => words[0] = load_shared_b32(from),
            2 => words.copy_from_slice(&load_shared_b64(from)),
            4 => words.copy_from_slice(&load_shared_b128(from)),
            _ => {
                words[..4].copy_from_slice(&load_shared_b128(from));
                words[4..].copy_from_slice(&load_shared_b128(from + 16));
            }
        }
    }
    words
}

/// Decodes and scales the four blocks of a thread's codes to A for a tile of 64 along k.
#[inline(always)]
fn decode<C: ManyRows>(loads: &[[u32; 4]; 2], record: &[u32], tile: usize) -> [[u32; 4]; 4] {
    [0, 1, 2, 3].map(|block| {
        let codes = <C::Format as WeightFormat>::Codes::take(loads, block);
        scaled_block::<C::Format, C::Element>(codes, record, 4 * tile + block)
    })
}

/// Computes the products of `units` units: a consumer group's 64 rows of W times the tile's tokens.
///
/// # Safety
/// All warps of a consumer group execute it, each thread with its own `state`. The other conditions
/// are those of [`run`].
#[inline(always)]
unsafe fn multiply<C, const STAGES: u32, const ACC: usize, const WORDS: usize>(
    shared: u32,
    pipeline: PipelineTmaAsync<STAGES, { 8 * CTAS }>,
    state: &mut PipelineState<STAGES>,
    mut sums: [f32; ACC],
    units: u32,
) -> [f32; ACC]
where
    C: ManyRows<Atom: WgmmaOp<Accumulator = [f32; ACC]>>,
    [f32; ACC]: FenceOperand,
{
    let thread = thread_in_group();
    let (warp, lane) = (thread / 32, thread % 32);
    let block = 4 * consumer_group() + warp;
    let codes = shared + C::CODES_OFFSET + block * C::CODE_BYTES + 16 * lane;
    let records = shared
        + C::RECORDS_OFFSET
        + block * C::BLOCK_RECORDS
        + lane / 4 * const { C::RECORD_BYTES };
    let loads = const { <<C::Format as WeightFormat>::Codes as BlockCodes>::LOADS as u32 };
    let mut last = *state;
    // A for even tiles of 64 along k, and A for odd tiles.
    let (mut even, mut odd): ([[u32; 4]; 4], _);
    odd = [[0; 4]; 4];
    let mut unit = 0;
    // There is at least one unit: a loop that might not run would be a branch across products in
    // flight.
    loop {
        // SAFETY: whole warp groups are here. The stage is full after `consumer_wait`, and it is
        // released when its products have ended. A's registers are written again after the wait for
        // the products that read them.
        unsafe {
            pipeline.consumer_wait(state);
            let stage = state.stage();
            let record = load_record::<WORDS>(records + stage * BLOCKS * C::BLOCK_RECORDS);
            let from = codes + stage * BLOCKS * C::CODE_BYTES;
            let load = |i: u32| load_shared_b128(from + 512 * i);
            let b = Operand::<C::SmemX, C::Element, MajorK, C::Tokens>::descriptor(
                shared,
                (0, 0),
                stage,
            );
            let tile_codes = |tile: u32| {
                if loads == 1 {
                    [load(tile), [0; 4]]
                } else {
                    [load(2 * tile), load(2 * tile + 1)]
                }
            };
            let of_tiles = [tile_codes(0), tile_codes(1)];
            // While a tile's products run, the next tile is decoded into the other registers.
            macro_rules! tile {
                ($tile:literal, $a:ident, $other:ident) => {{
                    $a = decode::<C>(&of_tiles[$tile], &record, $tile);
                    unroll::<4>(|i| warpgroup_fence_operand(&mut $a[i]));
                    sums.fence();
                    warpgroup_arrive();
                    unroll::<4>(|i| {
                        let k_block = (4 * $tile + i) as u32;
                        let at = Operand::<C::SmemX, C::Element, MajorK, C::Tokens>::offset(
                            (0, k_block),
                            0,
                        );
                        let adds = u32::from(k_block > 0 || unit > 0);
                        C::Atom::fma(&mut sums, &$a[i], &b.advance(at), adds);
                    });
                    warpgroup_commit_batch();
                    warpgroup_wait::<1>();
                    // The products before these have read their A.
                    unroll::<4>(|i| warpgroup_fence_operand(&mut $other[i]));
                }};
            }
            tile!(0, even, odd);
            // All products of the previous stage have ended, and all lanes have read its codes.
            sync_warp(u32::MAX);
            pipeline.consumer_release_in_cluster_if(
                &last,
                lane,
                u32::from((unit > 0) & (lane < CTAS)),
            );
            tile!(1, odd, even);
        }
        last = *state;
        state.advance();
        unit += 1;
        if unit == units {
            break;
        }
    }
    // SAFETY: whole warp groups are here, and all products have been committed. The last stage is
    // released after the wait for its products.
    unsafe {
        warpgroup_wait::<0>();
        sums.fence();
        sync_warp(u32::MAX);
        pipeline.consumer_release_in_cluster_if(&last, lane, u32::from(lane < CTAS));
    }
    sums
}

/// Stores a consumer group's rows of D transposed to D.
///
/// # Safety
/// D has the extents that `of` gives, and `row` is below N. All threads of the group call it.
#[inline(always)]
unsafe fn store<C, const ACC: usize>(of: &Arguments, sums: &[f32; ACC], row: u32, token: u32)
where
    C: ManyRows<Atom: WgmmaOp<Accumulator = [f32; ACC]>>,
{
    // C's thread-value layout maps to row + 64 token. Value 4 j + 2 v1 + v0 is 8 j + v0 tokens and
    // 8 v1 rows after the first value.
    let place: u32 = <C::Atom as MmaAtom>::CLayout::index(thread_in_group());
    let n = row + 64 * consumer_group() + place % 64;
    let m = token + place / 64;
    // SAFETY: `row` is below N by the function's contract, and W's rows, which have scales, are
    // padded to whole tiles.
    let scales = [n, n + 8].map(|n| unsafe {
        epilogue::row_scale::<<C::Format as WeightFormat>::Scaling>(&of.buffers, n)
    });
    let mut i = 0;
    while i < ACC {
        let (tokens, rows) = (8 * (i / 4) + i % 2, 8 * (i / 2 % 2));
        let (m, n) = (m + tokens as u32, n + rows as u32);
        let sum = sums[i] * scales[i / 2 % 2];
        // SAFETY: only one thread stores each element, and D is as the plan says.
        unsafe { epilogue::store::<C::Element>(&of.buffers, &of.params, m, n, sum) };
        i += 1;
    }
}

/// Returns the description of a kernel for a host.
#[must_use]
pub const fn configuration<C: ManyRows>(kernel: &'static str) -> WeightsConfiguration {
    let tokens = <C::Tokens as Unsigned>::U32;
    const {
        let [rows, columns] = TmaTile::<C::SmemX, C::Element>::BOX.extents;
        assert!(
            rows == <C::Tokens as Unsigned>::U32 && columns == 64,
            "X's tensor map is the plan's: boxes of a CTA's share of the tokens and 64 of k"
        );
        assert!(
            C::SHARED_BYTES <= 227 * 1024,
            "the stages exceed a CTA's 232448 bytes of shared memory"
        );
    }
    WeightsConfiguration {
        kernel,
        packed: C::PACKED,
        input: <C::Element as Activation>::INPUT,
        tokens,
        rows: ROWS,
        threads: 384,
        body: Body::ManyRows {
            shared_bytes: C::SHARED_BYTES,
            ctas: CTAS,
        },
    }
}

/// Defines entry points: `name: type = format, activations, kind of wgmma, tokens, stages`.
#[macro_export]
macro_rules! many_rows_kernel {
    ($($(#[$doc:meta])* $name:ident: $config:ident = $format:ty, $element:ty, $kind:ident,
       tokens $tokens:ident $count:literal, stages $stages:literal;)*) => {$(
        $(#[$doc])*
        pub struct $config;
        #[$crate::weights::scope::for_kernel($name)]
        impl $crate::weights::ManyRows for $config {
            type Format = $format;
            type Element = $element;
            type Tokens = $crate::weights::scope::typenum::$tokens;
            type Atom = $crate::weights::scope::Wgmma<
                $crate::weights::scope::$kind,
                $crate::weights::scope::typenum::$tokens,
                $crate::weights::scope::Registers,
            >;
            type SmemX = $crate::weights::scope::TileToShape<
                $crate::weights::scope::LayoutKSw128Atom<$element>,
                $crate::weights::scope::shape!(($count, 128, $stages)),
            >;
            const STAGES: u32 = $stages;
        }
        #[$crate::weights::scope::for_kernel($name)]
        impl $config {
            /// The description of the kernel for a host.
            pub const CONFIGURATION: $crate::weights::scope::WeightsConfiguration =
                $crate::weights::configuration::<$config>(stringify!($name));
        }
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch is the one that the configuration's plan gives.
        #[$crate::weights::scope::kernel(threads = 384, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's parameters")]
        pub unsafe fn $name(
            d: *mut u8, x: *const u8, codes: *const u8, groups: *const u8,
            c: *const u8, bias: *const f32, workspace: *mut u8, params: $crate::weights::scope::GemmParams,
            #[grid_constant] map_x: &$crate::weights::scope::TensorMap,
            #[grid_constant] map_codes: &$crate::weights::scope::TensorMap,
            #[grid_constant] map_records: &$crate::weights::scope::TensorMap,
        ) {
            let buffers = $crate::weights::scope::Pointers { d, x, codes, groups, c, bias, workspace };
            let of = $crate::weights::scope::Arguments { buffers, params };
            // SAFETY: the launch is the plan's, by the entry's contract.
            unsafe {
                $crate::weights::run::<
                    $config,
                    $stages,
                    { $count / 2 },
                    { <$config as $crate::weights::ManyRows>::RECORD_BYTES as usize / 4 },
                >(&of, [map_x, map_codes, map_records]);
            }
        }
    )*};
}
