//! The mainloop for 8-bit floats with a scale for each block of 128 along k, as in DeepGEMM.
//!
//! ```text
//!   scales of A (K / 128, M)   one for 1 x 128 elements           scales of B (N / 128, K / 128)   one for 128 x 128
//!
//!   for each k tile of 128, for each block of 128 columns:
//!     products = A_k B_kᵀ           four wgmma; they keep 13 bits of fraction, so they do not compute the sum
//!     sum     += products · scale_a(row) · scale_b          f32, once every 128 of k
//! ```
//!
//! Law: `sum = Σ_k scale_a(k, row) scale_b(column / 128, k) (A_k B_kᵀ)`, ascending in k, with one
//! rounding of the scales' product and one fused multiply-add per k tile. While one consumer group
//! promotes its products, the other group uses the tensor cores; nothing orders the two groups. The
//! waits for a k tile's barrier and scales overlap with the products of the previous k tile.
//!
//! Source: DeepSeek-V3 technical report (arXiv 2412.19437), §3.3.2, "Increasing Accumulation
//! Precision".

use super::config::{AccumulatorPairs, CollectiveConfig, GemmConfig};
use super::epilogue::Chunk;
use super::mainloop::{InFlight, Mainloop, MainloopParts, Stages, release};
use super::tile_scheduler::TileAt;
use crate::warp_group::thread_in_group;
use cuda_std::GpuFloat;
use gpu_kernels::gemm::params::KernelPointers;
use kernel_abi::gemm::{GemmParams, SCALED_BLOCK, Scaling};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use layout_types::atom::element::FloatE4M3;
use layout_types::atom::mma::sm90::{F32E4M3E4M3, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, WgmmaOp};
use layout_types::atom::smem_operand::Operand;
use layout_types::prelude::*;
use layout_types::typenum::{U1, U2, U64, U128};
use layout_types::unroll::{Unroll, unroll, unroll_type};

type A<C> = Operand<<C as CollectiveConfig>::SmemA, FloatE4M3, MajorK, U64>;
/// The operand of 128 columns of B, which share one scale.
type B<C> = Operand<<C as CollectiveConfig>::SmemB, FloatE4M3, MajorK, U128>;
/// The instruction: 64 rows, and the columns that share a scale of B.
type Atom = Wgmma<F32E4M3E4M3, U128, Shared>;
/// A thread's registers of [`Atom`]'s accumulator.
type BlockProducts = <Atom as WgmmaOp>::Accumulator;

/// The mainloop with block scales, for tiles of one or two blocks of columns and 64 rows per
/// consumer group.
pub struct BlockScaled;

/// The addresses of a thread's scales for the next k tile: the scales of its rows and of the tile's
/// blocks of columns.
struct Scales {
    /// A's scale of row 0.
    a: *const f32,
    /// The thread's rows, at most D's last row.
    rows: [u32; 2],
    /// The stride of A's scales from one k tile to the next: M.
    stride: u32,
    /// B's scale of the tile's first block of columns.
    b: *const f32,
    /// The distance from `b` to the second block's scale, or 0 if D ends before the second block.
    to_second: u32,
    /// The number of k tiles from the next k tile on.
    left: u32,
}

/// The scales of a thread's rows, and of the tile's blocks of columns, of one k tile.
#[derive(Clone, Copy)]
struct ScalesAt {
    a: [f32; 2],
    b: [f32; 2],
}

impl Scales {
    /// Returns the addresses at k tile 0, for the consumer group's rows from `tile.row` on.
    ///
    /// # Safety
    /// The pointers are those of a plan with [`Scaling::Blocks`]: the scales of A take the place of
    /// the bias, the scales of B that of C.
    #[inline(always)]
    unsafe fn of(pointers: &KernelPointers, params: &GemmParams, tile: TileAt) -> Self {
        let place: u32 = Chunk::at((thread_in_group(), 0u32));
        let k_tiles = params.k.div_ceil(SCALED_BLOCK);
        let row = tile.row + place % 64;
        // Tiles outside of D use the scales of the last columns and of the last row.
        let last = (params.n - 1) / SCALED_BLOCK;
        let column = (tile.column / SCALED_BLOCK).min(last);
        Self {
            a: pointers.bias,
            rows: [row, row + 8].map(|row| row.min(params.m - 1)),
            stride: params.m,
            // SAFETY: `column` is one of B's blocks of columns, by the minimum.
            b: unsafe { pointers.c.cast::<f32>().add((column * k_tiles) as usize) },
            to_second: if column < last { k_tiles } else { 0 },
            left: k_tiles,
        }
    }

    /// Returns the scales of the next k tile. After the last k tile, returns those of the last k
    /// tile again.
    ///
    /// # Safety
    /// The kernel has at least one k tile.
    #[inline(always)]
    unsafe fn next(&mut self) -> ScalesAt {
        // SAFETY: the minima in `of` keep rows and columns in bounds; the pointers advance only if
        // another k tile follows.
        unsafe {
            let at = ScalesAt {
                a: self.rows.map(|row| *self.a.add(row as usize)),
                b: [0, self.to_second].map(|to| *self.b.add(to as usize)),
            };
            self.left -= 1;
            let more = u32::from(self.left > 0);
            self.a = self.a.add((self.stride * more) as usize);
            self.b = self.b.add(more as usize);
            at
        }
    }
}

/// Sums of products that are scaled row by row, in the registers of one or two blocks of columns.
pub trait Promote {
    /// The number of blocks of columns.
    type Blocks: Unroll;
    /// Adds products to the sums of block `block`, each times the scale of its row. `scales` are
    /// those of the thread's first row and of the row 8 below.
    fn promote(&mut self, block: usize, products: &BlockProducts, scales: [f32; 2]);
}
macro_rules! promote {
    ($($count:literal $blocks:ty;)*) => {$(
        impl Promote for [f32; $count] {
            type Blocks = $blocks;
            #[inline(always)]
            fn promote(&mut self, block: usize, products: &BlockProducts, scales: [f32; 2]) {
                unroll::<64>(|i| {
                    let sum = &mut self[64 * block + i];
                    *sum = GpuFloat::mul_add(scales[i / 2 % 2], products[i], *sum);
                });
            }
        }
    )*};
}
promote! {
    64 U1;
    128 U2;
}

impl MainloopParts for BlockScaled {
    const SCALING: Scaling = Scaling::Blocks;
}
impl<C, const STAGES: u32, const ARRIVALS: u32> Mainloop<C, STAGES, ARRIVALS, 1> for BlockScaled
where
    C: GemmConfig<Element = FloatE4M3, MajorA = MajorK, MajorB = MajorK, Registers: Promote>,
{
    #[inline(always)]
    unsafe fn multiply(
        shared: u32,
        stages: Stages<STAGES, ARRIVALS>,
        state: &mut PipelineState<STAGES>,
        _registers: [C::Registers; 1],
        block: u32,
        k_tiles: u32,
        (pointers, params, tile): (&KernelPointers, &GemmParams, impl FnOnce() -> TileAt),
    ) -> InFlight<C, STAGES, 1> {
        const {
            assert!(C::TILE[1].is_multiple_of(SCALED_BLOCK) && C::TILE[2] == SCALED_BLOCK);
            // A tile begins at k tile 0, and the groups multiply at the same time.
            assert!(!C::PINGPONG && !C::CLUSTER_SPLIT);
        }
        // SAFETY: the kernel's pointers are the plan's by the function's contract, and point to the
        // scales of all rows and blocks.
        let mut scales = unsafe { Scales::of(pointers, params, tile()) };
        let mut accumulator = C::Registers::ZERO;
        let mut products = BlockProducts::ZERO;
        // SAFETY: the caller's `k_tiles` is at least 1.
        let mut next = unsafe { scales.next() };
        // The descriptors of stage 0, k block 0: in the loop a product adds only an offset to them.
        let of_a = A::<C>::descriptor(shared, (block, 0), 0);
        let of_b = B::<C>::descriptor(shared + C::B_OFFSET, (0, 0), 0);
        // SAFETY: the state is this thread's own.
        unsafe { stages.pipeline.consumer_wait(state) };
        let mut last = *state;
        let mut k_tile = 0;
        while k_tile < k_tiles {
            let now = next;
            let stage = state.stage();
            let is_last = k_tile + 1 == k_tiles;
            unroll_type::<<C::Registers as Promote>::Blocks>(|columns| {
                // SAFETY: whole warp groups are here. The stage is full after `consumer_wait`, and
                // it is released when its products have ended.
                unsafe {
                    products.fence();
                    warpgroup_arrive();
                    unroll::<4>(|k_block| {
                        let k_block = k_block as u32;
                        let to_a = A::<C>::offset((0, k_block), 0) + stage * C::BYTES_A;
                        let to_b =
                            B::<C>::offset((columns as u32, k_block), 0) + stage * C::BYTES_B;
                        let (a, b) = (of_a.advance(to_a), of_b.advance(to_b));
                        Atom::fma(&mut products, &a, &b, u32::from(k_block > 0));
                    });
                    warpgroup_commit_batch();
                    let is_end = columns + 1 == const { C::TILE[1] / SCALED_BLOCK } as usize;
                    if is_end {
                        next = scales.next();
                        last = *state;
                        state.advance();
                        if !is_last {
                            stages.pipeline.consumer_wait(state);
                        }
                    }
                    warpgroup_wait::<0>();
                    products.fence();
                    if is_end {
                        release::<C, STAGES, ARRIVALS>(stages, &last, !is_last);
                    }
                }
                let scales = now.a.map(|a| a * now.b[columns]);
                accumulator.promote(columns, &products, scales);
                // The fence keeps the additions here: otherwise the next block's products would
                // need registers of their own, and a thread does not have enough.
                accumulator.fence();
            });
            k_tile += 1;
        }
        InFlight::new([accumulator], last)
    }
}
