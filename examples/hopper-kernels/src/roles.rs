//! Steps 3 to 9: one warp group loads, two warp groups multiply and store.

use crate::STAGED_BYTES;
use crate::tiles::{ROW_BYTES, TILE_K, products, store_boxes, store_pairs};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use half::f16;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::arch::cluster_sm90::{block_rank_in_cluster, cluster_sync};
use layout_types::arch::copy_sm90_bulk::tma_store_wait;
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_load_2d, tma_load_multicast_2d};
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::sm90::{F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, WgmmaOp};
use layout_types::atom::smem_operand::GmmaDescriptor;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::typenum::{U1, U2, U4, U64, U128, U256};
use layout_types::unroll::{Unroll, unroll};

/// The ideas that a step has.
trait Idea {
    /// Step 4: the producer gives up registers, and the consumers take them.
    const REGISTERS: bool = true;
    /// Step 5: a CTA computes tile after tile.
    const PERSISTENT: bool = true;
    /// Step 6: tiles are in bands of 12 rows, and go down a band first.
    const BANDS: bool = true;
    /// Step 7: the number of CTAs of a cluster along m. They share B's tile.
    const CLUSTER: u32 = 2;
    /// Step 8: D goes through shared memory.
    const STORES_BOXES: bool = false;
    /// Step 9: each consumer group has tiles of its own.
    const PINGPONG: bool = false;
}

/// The tile of a step.
trait Tiles {
    /// The numbers of rows and columns in the tile.
    const SIZE: [u32; 2];
    /// The number of stages.
    const STAGES: u32;
    /// The layouts of A's stages and of B's.
    type SmemA: LayoutFn + Reflect;
    type SmemB: LayoutFn + Reflect;
    /// The number of columns.
    type N: Nat;
    /// The instruction.
    type Op: WgmmaOp<
            AOperand = GmmaDescriptor<f16, MajorK, U64>,
            BOperand = GmmaDescriptor<f16, MajorK, Self::N>,
        >;

    /// The number of blocks that a consumer group has, each with 64 rows.
    type Atoms: Unroll;

    /// The numbers of bytes that A and B have in a stage.
    const BYTES: [u32; 2] = [Self::SIZE[0] * ROW_BYTES, Self::SIZE[1] * ROW_BYTES];
}

/// A tile of 128 × 256 in four stages. Each consumer group has 64 rows.
struct Wide;
impl Tiles for Wide {
    const SIZE: [u32; 2] = [128, 256];
    const STAGES: u32 = 4;
    type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 4))>;
    type SmemB = TileToShape<LayoutKSw128Atom<f16>, shape!((256, 64, 4))>;
    type N = U256;
    type Op = Wgmma<F32F16F16, U256, Shared>;
    type Atoms = U1;
}

/// A tile of 128 × 128 in six stages. Each consumer group has all rows.
struct Square;
impl Tiles for Square {
    const SIZE: [u32; 2] = [128, 128];
    const STAGES: u32 = 6;
    type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 6))>;
    type SmemB = Self::SmemA;
    type N = U128;
    type Op = Wgmma<F32F16F16, U128, Shared>;
    type Atoms = U2;
}

/// The number of rows of tiles in a band.
const BAND: u32 = 12;
/// The named barriers that pass the tensor cores between the consumer groups of step 9.
const ORDER_BARRIER: u32 = 1;

/// Returns the first row and column of tile `index` in a grid with `rows` × `columns` tiles.
#[inline(always)]
fn tile<I: Idea, T: Tiles>(index: u32, rows: u32, columns: u32) -> (u32, u32) {
    let (row, column) = if const { I::BANDS } {
        let band = index / (BAND * columns.max(1));
        let height = (rows - BAND * band).clamp(1, BAND);
        let within = index - band * BAND * columns;
        (BAND * band + within % height, within / height)
    } else {
        (index / columns.max(1), index % columns.max(1))
    };
    (row * T::SIZE[0] * I::CLUSTER, column * T::SIZE[1])
}

/// Runs the roles of a step. `store` stores an accumulator: its arguments are a warp group's
/// registers, the group's number, and the first row and column.
///
/// # Safety
/// The launch is the step's, with its threads, cluster, shared memory and tensor maps. It has a
/// CTA, or a cluster, for each tile, or fewer if the step is persistent.
#[inline(always)]
unsafe fn run<I: Idea, T: Tiles, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>(
    [map_a, map_b]: [&TensorMap; 2],
    [m, n, k]: [u32; 3],
    zero: [<T::Op as WgmmaOp>::Accumulator; ATOMS],
    store: impl Fn(&[<T::Op as WgmmaOp>::Accumulator; ATOMS], u32, (u32, u32)),
) where
    <T::Op as WgmmaOp>::Accumulator: FenceOperand,
{
    const {
        let groups = if I::PINGPONG { 1 } else { 2 };
        assert!(STAGES == T::STAGES && ARRIVALS == 4 * groups * I::CLUSTER);
        assert!(T::SIZE[0] == 64 * ATOMS as u32 * groups);
    }
    let shared = dynamic_shared_offset();
    let [bytes_a, bytes_b] = T::BYTES;
    let [a, b] = [shared, shared + STAGES * bytes_a];
    let thread = thread_idx_x();
    let (rank, cluster, clusters) = if const { I::CLUSTER == 1 } {
        (0, block_idx_x(), grid_dim_x())
    } else {
        (
            block_rank_in_cluster(),
            block_idx_x() / I::CLUSTER,
            grid_dim_x() / I::CLUSTER,
        )
    };
    let (rows, columns) = (m / (T::SIZE[0] * I::CLUSTER), n / T::SIZE[1]);
    let count = if const { I::PERSISTENT } {
        rows * columns
    } else {
        cluster + 1
    };
    let k_tiles = k / TILE_K;
    // SAFETY: stages, staged D and barriers do not overlap in the launch's shared memory. All
    // threads come to the barriers before and after the roles. The pipeline orders the writes of a
    // stage after its release, and the reads after it is full.
    unsafe {
        let staged = if const { I::STORES_BOXES } {
            2 * STAGED_BYTES
        } else {
            0
        };
        let barriers = shared + STAGES * (bytes_a + bytes_b) + staged;
        let pipeline = PipelineTmaAsync::<STAGES, ARRIVALS>::at(barriers);
        if thread == 0 {
            pipeline.init();
        }
        if const { I::CLUSTER == 1 } {
            sync_threads();
        } else {
            cluster_sync();
        }
        if thread < 128 {
            if const { I::REGISTERS } {
                warpgroup_reg_dealloc::<40>();
            }
            if thread == 0 {
                let mut state = PipelineState::producer();
                let mut index = here(cluster);
                while index < count {
                    let (row, column) = tile::<I, T>(index, rows, columns);
                    let row = row + rank * T::SIZE[0];
                    let mut k_tile = 0;
                    while k_tile < k_tiles {
                        let (stage, from) = (state.stage(), (k_tile * TILE_K) as i32);
                        let full = pipeline.full(stage);
                        pipeline.producer_acquire(&state, bytes_a + bytes_b);
                        tma_load_2d(a + stage * bytes_a, map_a, [from, row as i32], full);
                        let to = b + stage * bytes_b;
                        if const { I::CLUSTER == 1 } {
                            tma_load_2d(to, map_b, [from, column as i32], full);
                        } else {
                            // Each CTA loads half of B into both CTAs.
                            let half = T::SIZE[1] / 2;
                            let to = to + rank * half * ROW_BYTES;
                            let at = [from, (column + rank * half) as i32];
                            tma_load_multicast_2d(to, map_b, at, full, 0b11);
                        }
                        state.advance();
                        k_tile += 1;
                    }
                    index += clusters;
                }
            }
        } else {
            if const { I::REGISTERS } {
                warpgroup_reg_alloc::<232>();
            }
            let group = here(thread) / 128 - 1;
            let lane = here(thread) % 32;
            let release = |state: &PipelineState<STAGES>, now: bool| {
                if const { I::CLUSTER == 1 } {
                    pipeline.consumer_release_if(state, u32::from(now & (lane == 0)));
                } else {
                    let now = now & (lane < I::CLUSTER);
                    pipeline.consumer_release_in_cluster_if(state, lane, u32::from(now));
                }
            };
            let mut accumulator = zero;
            let mut state = PipelineState::consumer();
            let mut index = cluster;
            let block = if const { I::PINGPONG } { 0 } else { group };
            if const { I::PINGPONG } && group == 1 {
                state.advance_by(k_tiles);
                index += clusters;
            }
            while index < count {
                if const { I::PINGPONG } && index != cluster {
                    // The other group has issued the products of the previous tile.
                    named_barrier_sync(ORDER_BARRIER + group, 256);
                }
                let mut last = state;
                let mut k_tile = 0;
                while k_tile < k_tiles {
                    pipeline.consumer_wait(&state);
                    accumulator.iter_mut().for_each(FenceOperand::fence);
                    warpgroup_arrive();
                    let add = u32::from(k_tile > 0);
                    products::<T::SmemA, T::SmemB, T::N, T::Op, T::Atoms, ATOMS>(
                        [a, b],
                        state.stage(),
                        block * ATOMS as u32,
                        &mut accumulator,
                        add,
                    );
                    warpgroup_commit_batch();
                    // The previous k tile's products have ended; this tile's products continue.
                    warpgroup_wait::<1>();
                    release(&last, k_tile > 0);
                    last = state;
                    state.advance();
                    k_tile += 1;
                }
                if const { I::PINGPONG } && index + clusters < count {
                    named_barrier_arrive(ORDER_BARRIER + (1 - group), 256);
                    state.advance_by(k_tiles);
                }
                warpgroup_wait::<0>();
                accumulator.iter_mut().for_each(FenceOperand::fence);
                release(&last, true);
                let (row, column) = tile::<I, T>(here(index), rows, columns);
                let row = row + rank * T::SIZE[0] + block * 64 * ATOMS as u32;
                store(&accumulator, group, (row, column));
                index += if const { I::PINGPONG } {
                    2 * clusters
                } else {
                    clusters
                };
            }
            // TMA has to read the staged D before the CTA ends.
            tma_store_wait::<0>();
        }
        if const { I::CLUSTER > 1 } {
            // No CTA ends while the other CTA loads into it.
            cluster_sync();
        }
    }
}

macro_rules! direct {
    ($($doc:literal $kernel:ident $idea:ident { $($what:tt)* } $arrivals:literal;)+) => {$(
        struct $idea;
        impl Idea for $idea { $($what)* }

        #[doc = $doc]
        ///
        /// # Safety
        /// The launch is [`STEPS`](crate::STEPS)'; the matrices are as [the crate](crate) says.
        #[kernel(threads = 384, min_blocks = 1)]
        pub unsafe fn $kernel(
            d: *mut f16,
            #[grid_constant] map_a: &TensorMap,
            #[grid_constant] map_b: &TensorMap,
            m: u32,
            n: u32,
            k: u32,
        ) {
            // SAFETY: the launch has the threads, cluster, shared memory and maps of the step in
            // `STEPS`, as `run` requires, by the function's contract. Each tile belongs to one
            // group and lies in D, because m and n are whole tiles.
            unsafe {
                run::<$idea, Wide, 4, $arrivals, 1>([map_a, map_b], [m, n, k], [[0.0; 128]], |[sums], _, at| {
                    store_pairs::<U64, 128>(sums, d, n, at);
                });
            }
        }
    )+};
}
direct! {
    "Step 3: one thread loads, two warp groups multiply 64 rows each; a pipeline of barriers in both directions is all that they share."
    hopper_3_roles Roles {
        const REGISTERS: bool = false;
        const PERSISTENT: bool = false;
        const BANDS: bool = false;
        const CLUSTER: u32 = 1;
    } 8;
    "Step 4: `setmaxnreg`: the producer's group gives registers away, the consumers take them."
    hopper_4_registers Registers {
        const PERSISTENT: bool = false;
        const BANDS: bool = false;
        const CLUSTER: u32 = 1;
    } 8;
    "Step 5: as many CTAs as multiprocessors, each with tile after tile: the producer loads the next one while the last is stored."
    hopper_5_persistent Persistent {
        const BANDS: bool = false;
        const CLUSTER: u32 = 1;
    } 8;
    "Step 6: tiles in bands, so that what a wave of CTAs reads of A and of B stays in the L2 cache."
    hopper_6_order Order {
        const CLUSTER: u32 = 1;
    } 8;
    "Step 7: clusters of two along m: each CTA loads half of B's tile into both."
    hopper_7_cluster Cluster {
    } 16;
}

struct Store;
impl Idea for Store {
    const STORES_BOXES: bool = true;
}
struct Pingpong;
impl Idea for Pingpong {
    const STORES_BOXES: bool = true;
    const PINGPONG: bool = true;
}

/// Step 8: stores the accumulator through shared memory, swizzled, by `stmatrix`, and then by TMA,
/// while the next tile is multiplied.
///
/// # Safety
/// The launch is [`STEPS`](crate::STEPS)'; the matrices are as [the crate](crate) says.
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn hopper_8_store(
    #[grid_constant] map_d: &TensorMap,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    m: u32,
    n: u32,
    k: u32,
) {
    let staged = dynamic_shared_offset() + 4 * (Wide::BYTES[0] + Wide::BYTES[1]);
    // SAFETY: the launch has the threads, cluster, shared memory and maps of the step in `STEPS`,
    // as `run` requires, by the function's contract. Each tile belongs to one group, and so does
    // its part of the staged D, which follows the stages.
    unsafe {
        run::<Store, Wide, 4, 16, 1>(
            [map_a, map_b],
            [m, n, k],
            [[0.0; 128]],
            |[sums], group, at| {
                store_boxes::<U4, 128>(sums, map_d, staged + group * STAGED_BYTES, at);
            },
        );
    }
}

/// Step 9: gives each consumer group tiles of its own. One group stores while the other multiplies.
///
/// # Safety
/// The conditions are those of [`hopper_8_store`].
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn hopper_9_pingpong(
    #[grid_constant] map_d: &TensorMap,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    m: u32,
    n: u32,
    k: u32,
) {
    let staged = dynamic_shared_offset() + 6 * (Square::BYTES[0] + Square::BYTES[1]);
    // SAFETY: the launch has the threads, shared memory and maps of the step in `STEPS`, as `run`
    // requires, by the function's contract. Each tile belongs to one group, and so does its part of
    // the staged D, which follows the stages.
    unsafe {
        run::<Pingpong, Square, 6, 8, 2>(
            [map_a, map_b],
            [m, n, k],
            [[0.0; 64]; 2],
            |sums, group, (row, column)| {
                unroll::<2>(|atom| {
                    let at = (row + 64 * atom as u32, column);
                    store_boxes::<U2, 64>(&sums[atom], map_d, staged + group * STAGED_BYTES, at);
                });
            },
        );
    }
}
