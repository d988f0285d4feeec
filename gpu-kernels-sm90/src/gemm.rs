//! `D (m,n) = A (m,k) B (n,k)ᵀ`, f16 with an f32 accumulator, A and B contiguous along k: a persistent, warp-specialised GEMM.
//!
//! ```text
//!   128 threads   producer     TMA ─► 4 stages of A (128,64) and B (256,64), 128-byte swizzle          40 registers
//!   2 x 128       consumers    wait ─ 4 wgmma m64n256k16 ─ commit ─ release the stage before           232 registers
//! ```
//!
//! CTA i computes tiles i, i + CTAs, ...; eight rows of tiles share a band (rasterization along N within it). Box, swizzle, bytes
//! expected and descriptors all come from [`SmemA`] and [`SmemB`].
//!
//! Law: elements outside A and B read as zero, elements outside D are not stored. The accumulator's 64 × 256 × 16 products are added
//! in ascending k.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use half::f16;
use kernel_abi::{BufferSpec, LaunchSpec, ProblemError, checked_extent, const_try};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::algorithm::warpgroup::InFlight;
use layout_types::arch::convert::f16x2_from_f32;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::copy::Sm90_TMA_LOAD;
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::{MajorK, MmaAtom, Sm90_64x256x16_F32F16F16_SS as Atom};
use layout_types::atom::smem_operand::Operand;
use layout_types::prelude::*;
use layout_types::typenum::{U64, U256};
use layout_types::{assert_register_budget, assert_shared_memory, assert_tma_box};

/// The kernel's name in the PTX.
pub const KERNEL: &str = "gemm_f16_f32_tn_128x256x64_s4_wgmma";

/// Rows of A and of B in a tile, and its extent along k.
pub const TILE: [u32; 3] = [128, 256, 64];
const STAGES: u32 = 4;
const THREADS: u32 = 384;
/// Rows of tiles in a band.
const BAND: u32 = 8;
const PRODUCER_REGISTERS: u32 = 40;
const CONSUMER_REGISTERS: u32 = 232;

/// A's tiles in shared memory: (M, K, stages).
pub type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 4))>;
/// B's tiles in shared memory: (N, K, stages).
pub type SmemB = TileToShape<LayoutKSw128Atom<f16>, shape!((256, 64, 4))>;
type LoadA = Sm90_TMA_LOAD<SmemA, f16>;
type LoadB = Sm90_TMA_LOAD<SmemB, f16>;
type OperandA = Operand<SmemA, f16, MajorK, U64>;
type OperandB = Operand<SmemB, f16, MajorK, U256>;
/// Each warp of the two consumer groups releases a stage: a warp reads shared memory by itself.
type Pipeline = PipelineTmaAsync<STAGES, 8>;
type State = PipelineState<STAGES>;

const STAGE_BYTES: u32 = LoadA::BYTES + LoadB::BYTES;
/// Offsets in shared memory: A's stages, B's, the barriers.
const B_OFFSET: u32 = STAGES * LoadA::BYTES;
const BARRIER_OFFSET: u32 = STAGES * STAGE_BYTES;
const SHARED_BYTES: u32 = BARRIER_OFFSET + Pipeline::BYTES;

assert_tma_box!(SmemA, f16, 16384);
assert_tma_box!(SmemB, f16, 32768);
assert_register_budget!(
    PRODUCER_REGISTERS as i64,
    CONSUMER_REGISTERS as i64,
    CONSUMER_REGISTERS as i64
);
assert_shared_memory!(SHARED_BYTES);

/// Tiles of D along m and n.
#[derive(Clone, Copy)]
struct Tiles {
    rows: u32,
    columns: u32,
}

impl Tiles {
    /// (row, column) of the tile that is `index`th in the order of bands.
    ///
    /// # Safety
    /// `index` is below `rows * columns`, and `columns` below 2^29.
    #[inline(always)]
    unsafe fn at(self, index: u32) -> (u32, u32) {
        let band = BAND * self.columns;
        // SAFETY: `index` is below `rows * columns`, so there is a column, and `columns` < 2^29 keeps `8 * columns` from wrapping.
        unsafe { core::hint::assert_unchecked(band > 0) };
        let first = index / band * BAND;
        let height = (self.rows - first).min(BAND);
        // SAFETY: the tile's row is below `rows`, so its band has at least one.
        unsafe { core::hint::assert_unchecked(height > 0) };
        let rest = index % band;
        (first + rest % height, rest / height)
    }
}

/// The kernel: maps of A (m,k) and B (n,k) in boxes of [`SmemA`] and [`SmemB`], D row-major with a leading dimension of n.
///
/// # Safety
/// The launch is [`launch_spec`]'s for `m`, `n` and `k`; `d` has `m * n` elements that nobody else touches.
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn gemm_f16_f32_tn_128x256x64_s4_wgmma(
    #[grid_constant] a: &TensorMap,
    #[grid_constant] b: &TensorMap,
    d: *mut f16,
    m: u32,
    n: u32,
    k: u32,
) {
    let shared = dynamic_shared_offset();
    let thread = thread_idx_x();
    let tiles = Tiles {
        rows: m.div_ceil(TILE[0]),
        columns: n.div_ceil(TILE[1]),
    };
    let k_tiles = k.div_ceil(TILE[2]);
    // SAFETY: `SHARED_BYTES` of dynamic shared memory are the launch's, aligned to 1024 bytes, of which each stage and the barriers
    // have their own part by the offsets above. A stage is written after `producer_acquire` and read between `consumer_wait` and
    // `consumer_release_if`. Tile indices are below `rows * columns`; `columns` < 2^29 since n < 2^32 / 2.
    unsafe {
        let pipeline = Pipeline::at(shared + BARRIER_OFFSET);
        if thread == 0 {
            pipeline.init();
        }
        sync_threads();
        if thread < 128 {
            warpgroup_reg_dealloc::<PRODUCER_REGISTERS>();
            if thread == 0 {
                let mut state = State::producer();
                let mut index = block_idx_x();
                while index < tiles.rows * tiles.columns {
                    let (row, column) = tiles.at(index);
                    let mut k_tile = 0;
                    while k_tile < k_tiles {
                        let (stage, from) = (state.stage(), k_tile * TILE[2]);
                        pipeline.producer_acquire(&state, STAGE_BYTES);
                        let full = pipeline.full(stage);
                        LoadA::load(shared, a, (row * TILE[0], from), stage, full);
                        LoadB::load(shared + B_OFFSET, b, (column * TILE[1], from), stage, full);
                        state.advance();
                        k_tile += 1;
                    }
                    index += grid_dim_x();
                }
            }
        } else {
            warpgroup_reg_alloc::<CONSUMER_REGISTERS>();
            let group = thread / 128 - 1;
            let leader = u32::from(thread.is_multiple_of(32));
            let mut state = State::consumer();
            let mut index = block_idx_x();
            while index < tiles.rows * tiles.columns {
                let mut before = state;
                let mut accumulator = InFlight::<Atom>::arrive([0.0; 128]);
                let mut k_tile = 0;
                while k_tile < k_tiles {
                    pipeline.consumer_wait(&state);
                    accumulator.arrive_again();
                    let mut k_block = 0;
                    while k_block < 4 {
                        let a = OperandA::descriptor(shared, (group, k_block), state.stage());
                        let b =
                            OperandB::descriptor(shared + B_OFFSET, (0, k_block), state.stage());
                        accumulator.fma(&a, &b, 1);
                        k_block += 1;
                    }
                    accumulator.commit();
                    accumulator.wait::<1>();
                    // The wgmma of the stage before have ended: it is free.
                    pipeline.consumer_release_if(&before, if k_tile > 0 { leader } else { 0 });
                    before = state;
                    state.advance();
                    k_tile += 1;
                }
                let values = accumulator.finish();
                pipeline.consumer_release_if(&before, if k_tiles > 0 { leader } else { 0 });
                let (row, column) = tiles.at(index);
                store(
                    d,
                    &values,
                    (row * TILE[0] + group * 64, column * TILE[1]),
                    (m, n),
                );
                index += grid_dim_x();
            }
        }
    }
}

/// Rounds a consumer group's accumulator and stores what is in bounds, two neighbours at a time where they are aligned.
///
/// # Safety
/// `d` has `m * n` elements, of which this group's 64 × 256 from `(row, column)` are its own.
#[inline(always)]
unsafe fn store(d: *mut f16, values: &[f32; 128], (row, column): (u32, u32), (m, n): (u32, u32)) {
    type Values = <Atom as MmaAtom>::CLayout;
    let place: u32 = Values::at((thread_idx_x() % 128, 0u32));
    let (row, column) = (row + place % 64, column + place / 64);
    unroll::<64>(|pair| {
        // Rows and columns of thread and value add up: they are digits of their own of the layout.
        let value: u32 = Values::at((0u32, 2 * pair as u32));
        let (row, column) = (row + value % 64, column + value / 64);
        let halves = f16x2_from_f32(values[2 * pair], values[2 * pair + 1]);
        if row < m && column < n {
            // SAFETY: `(row, column)` is in D, and `(row, column + 1)` where it is stored: by the test, or since n is even and
            // `column` is. With n even, an even offset from D, which is aligned to 4 bytes, is a place of two.
            unsafe {
                let at = d.add(row as usize * n as usize + column as usize);
                if n % 2 == 0 {
                    at.cast::<u32>().write(halves);
                } else {
                    at.write(f16::from_bits(halves as u16));
                    if column + 1 < n {
                        at.add(1).write(f16::from_bits((halves >> 16) as u16));
                    }
                }
            }
        }
    });
}

/// The launch of a product on a device of `multiprocessors`: one CTA each, and no more CTAs than tiles.
///
/// # Errors
/// [`ProblemError`] for an extent of 0, or above 2^31 − 256, where coordinates would not fit 32 bits.
///
/// ```
/// let spec = gpu_kernels_sm90::gemm::launch_spec([300, 520, 64], 132)?;
/// assert_eq!((spec.grid, spec.block), ([9, 1, 1], [384, 1, 1]));
/// # Ok::<(), kernel_abi::ProblemError>(())
/// ```
pub const fn launch_spec(
    [m, n, k]: [u32; 3],
    multiprocessors: u32,
) -> Result<LaunchSpec<3>, ProblemError> {
    const MAX: u32 = (1 << 31) - 256;
    let [rows, columns, depth] = [
        const_try!(checked_extent("M", m, MAX)) as u64,
        const_try!(checked_extent("N", n, MAX)) as u64,
        const_try!(checked_extent("K", k, MAX)) as u64,
    ];
    let tiles = rows.div_ceil(TILE[0] as u64) * columns.div_ceil(TILE[1] as u64);
    const MAX_TILES: u64 = (1 << 32) - (1 << 16);
    if tiles > MAX_TILES {
        return Err(ProblemError::TooLarge {
            what: "the number of tiles",
            given: tiles,
            max: MAX_TILES,
        });
    }
    let ctas = if tiles < multiprocessors as u64 {
        tiles as u32
    } else {
        multiprocessors
    };
    Ok(LaunchSpec {
        kernel: KERNEL,
        grid: [ctas, 1, 1],
        block: [THREADS, 1, 1],
        cluster: [1; 3],
        shared_bytes: SHARED_BYTES as usize,
        buffers: [
            BufferSpec {
                argument: 0,
                name: "A",
                elements: rows * depth,
                alignment: 16,
                written: false,
            },
            BufferSpec {
                argument: 1,
                name: "B",
                elements: columns * depth,
                alignment: 16,
                written: false,
            },
            BufferSpec {
                argument: 2,
                name: "D",
                elements: rows * columns,
                alignment: 4,
                written: true,
            },
        ],
    })
}
