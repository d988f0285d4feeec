//! The mainloop of 8-bit floats with a scale for each block of 128 of k, as DeepGEMM has them.
//!
//! ```text
//!   scales of A (K / 128, M)   one for 1 x 128 elements           scales of B (N / 128, K / 128)   one for 128 x 128
//!
//!   for each k tile of 128, for each atom of 64 rows:
//!     products = A_k B_kᵀ           four wgmma; they keep 13 bits of fraction, which is why the sum is not theirs
//!     sum     += products · scale_a(row) · scale_b          f32, once every 128 of k
//! ```
//!
//! Law: `sum = Σ_k scale_a(k, row) scale_b(column / 128, k) (A_k B_kᵀ)`, ascending in k, one rounding of the scales' product and one
//! fused multiplication and addition a k tile. While one consumer group promotes its products the other has the tensor cores.
//!
//! Source: DeepSeek-V3 technical report (arXiv 2412.19437), §3.3.2, "Increasing Accumulation Precision".

use super::config::{AccumulatorPairs, CONSUMER_GROUPS, GemmConfig};
use super::epilogue::Chunk;
use super::mainloop::{InFlight, Mainloop, release};
use super::tile_scheduler::TileAt;
use cuda_std::GpuFloat;
use cuda_std::thread::thread_idx_x;
use gpu_kernels::gemm::params::KernelPointers;
use kernel_abi::gemm::{GemmParams, SCALED_BLOCK, Scaling};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use layout_types::arch::mov::here;
use layout_types::atom::mma::WgmmaOp;
use layout_types::atom::smem_operand::Operand;
use layout_types::prelude::*;
use layout_types::unroll::{unroll, unroll_type};

type A<C> = Operand<
    <C as GemmConfig>::SmemA,
    <C as GemmConfig>::Element,
    <C as GemmConfig>::MajorA,
    typenum::U64,
>;
type B<C> = Operand<
    <C as GemmConfig>::SmemB,
    <C as GemmConfig>::Element,
    <C as GemmConfig>::MajorB,
    <C as GemmConfig>::N,
>;

/// The named barriers by which the consumer groups take turns. Without them both begin a k tile at once, share the tensor cores, and
/// promote at once while nobody uses these.
const TURN_BARRIER: u32 = 4;

/// The mainloop with scales of blocks: tiles of 128 columns, so that one scale of B is all columns'.
pub struct BlockScaled;

/// A thread's scales: the rows of its accumulators, and the tile's columns.
struct Scales<'a> {
    /// A's, of k tile 0.
    a: *const f32,
    /// B's, of the tile's columns and k tile 0.
    b: *const f32,
    /// The thread's first row.
    row: u32,
    k_tiles: u32,
    params: &'a GemmParams,
}

impl<'a> Scales<'a> {
    /// Those of the consumer group's rows from `tile.row` on.
    ///
    /// # Safety
    /// The pointers are the plan's: where it is [`Scaling::Blocks`], the scales of A in the place of the bias, those of B in C's.
    #[inline(always)]
    unsafe fn of(pointers: &KernelPointers, params: &'a GemmParams, tile: TileAt) -> Self {
        let place: u32 = Chunk::at((here(thread_idx_x()) % 128, 0u32));
        let k_tiles = params.k.div_ceil(SCALED_BLOCK);
        // Tiles outside of D have the last columns' scale.
        let last = (params.n - 1) / SCALED_BLOCK;
        let column = (tile.column / SCALED_BLOCK).min(last);
        Self {
            a: pointers.bias,
            // SAFETY: `column` is one of B's blocks of columns, by the minimum.
            b: unsafe { pointers.c.cast::<f32>().add((column * k_tiles) as usize) },
            row: tile.row + place % 64,
            k_tiles,
            params,
        }
    }

    /// The scales of k tile `k_tile`, or of the last one.
    ///
    /// # Safety
    /// There is a k tile.
    #[inline(always)]
    unsafe fn at<const ATOMS: usize>(&self, k_tile: u32) -> ScalesAt<ATOMS> {
        let m = self.params.m;
        let k_tile = k_tile.min(self.k_tiles - 1);
        let mut scales = ScalesAt {
            a: [[0.0; 2]; ATOMS],
            b: 0.0,
        };
        let mut atom = 0;
        // SAFETY: rows and k tiles are in bounds of both arrays, by the minima.
        unsafe {
            while atom < ATOMS {
                unroll::<2>(|below| {
                    // Rows outside of D have the last one's.
                    let row = self.row + 64 * atom as u32 + 8 * below as u32;
                    let at = u64::from(k_tile) * u64::from(m) + u64::from(row.min(m - 1));
                    scales.a[atom][below] = *self.a.add(at as usize);
                });
                atom += 1;
            }
            scales.b = *self.b.add(k_tile as usize);
        }
        scales
    }
}

/// The scales of a thread's rows, by atom, and of the tile's columns, of one k tile.
#[derive(Clone, Copy)]
struct ScalesAt<const ATOMS: usize> {
    a: [[f32; 2]; ATOMS],
    b: f32,
}

/// Sums of products that have scales of their own, by rows.
pub trait Promote {
    /// Adds products, each times the scale of its row: the thread's first, or that 8 below.
    fn promote(&mut self, products: &Self, scales: [f32; 2]);
}
impl Promote for [f32; 64] {
    #[inline(always)]
    fn promote(&mut self, products: &Self, scales: [f32; 2]) {
        unroll::<64>(|i| self[i] = GpuFloat::mul_add(scales[i / 2 % 2], products[i], self[i]));
    }
}

impl<C, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>
    Mainloop<C, STAGES, ARRIVALS, ATOMS> for BlockScaled
where
    C: GemmConfig<Registers: Promote>,
{
    const SCALING: Scaling = Scaling::Blocks;

    #[inline(always)]
    unsafe fn multiply(
        shared: u32,
        pipeline: PipelineTmaAsync<STAGES, ARRIVALS>,
        state: &mut PipelineState<STAGES>,
        _registers: [C::Registers; ATOMS],
        block: u32,
        k_tiles: u32,
        (pointers, params, tile): (&KernelPointers, &GemmParams, impl FnOnce() -> TileAt),
    ) -> InFlight<C, STAGES, ATOMS> {
        const {
            assert!(C::TILE[1] == SCALED_BLOCK && C::TILE[2] == SCALED_BLOCK);
            // The groups take turns by the named barriers of the pingpong schedule, and begin at k tile 0.
            assert!(!C::PINGPONG && !C::CLUSTER_SPLIT && CONSUMER_GROUPS == 2);
        }
        // SAFETY: the pointers are the plan's by the function's contract.
        let scales = unsafe { Scales::of(pointers, params, tile()) };
        let mut accumulator = [C::Registers::ZERO; ATOMS];
        let mut products = C::Registers::ZERO;
        // They come from L2, one k tile ahead.
        // SAFETY: there is a k tile.
        let mut next = unsafe { scales.at::<ATOMS>(0) };
        if block == 1 {
            // The first turn is the other group's.
            // SAFETY: all 128 threads of the group are here, and the other group's wait for it.
            unsafe { named_barrier_arrive(TURN_BARRIER, 256) };
        }
        // The operands of stage 0, k block 0: what a product needs of them in the loop is one addition.
        let of_b = B::<C>::descriptor(shared + C::B_OFFSET, (0, 0), 0);
        let mut of_a = [A::<C>::descriptor(shared, (block * ATOMS as u32, 0), 0); ATOMS];
        unroll_type::<C::Atoms>(|atom| {
            of_a[atom] = A::<C>::descriptor(shared, (block * ATOMS as u32 + atom as u32, 0), 0);
        });
        let mut last = *state;
        let mut k_tile = 0;
        while k_tile < k_tiles {
            // SAFETY: whole warp groups are here; the stage is full behind `consumer_wait`, and released once its products have ended.
            unsafe {
                pipeline.consumer_wait(state);
                let stage = state.stage();
                let now = next;
                next = scales.at::<ATOMS>(k_tile + 1);
                named_barrier_sync(TURN_BARRIER + block, 256);
                unroll_type::<C::Atoms>(|atom| {
                    products.fence();
                    warpgroup_arrive();
                    unroll::<4>(|k_block| {
                        let at = (0, k_block as u32);
                        let a = of_a[atom].advance(A::<C>::offset(at, 0) + stage * C::BYTES_A);
                        let b = of_b.advance(B::<C>::offset(at, 0) + stage * C::BYTES_B);
                        C::Atom::fma(&mut products, &a, &b, u32::from(k_block > 0));
                    });
                    warpgroup_commit_batch();
                    warpgroup_wait::<0>();
                    products.fence();
                    if atom == 0 && (block == 0 || k_tile + 1 < k_tiles) {
                        named_barrier_arrive(TURN_BARRIER + (1 - block), 256);
                    }
                    accumulator[atom].promote(&products, now.a[atom].map(|a| a * now.b));
                });
                release::<C, STAGES, ARRIVALS>(pipeline, state, k_tile + 1 < k_tiles);
            }
            last = *state;
            state.advance();
            k_tile += 1;
        }
        InFlight::new(accumulator, last)
    }
}
