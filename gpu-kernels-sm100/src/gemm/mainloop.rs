//! The mainloop: the producer's loads for a tile, and the products that one thread issues.
//!
//! ```text
//!   producer    wait empty ─ expect bytes ─ TMA of A's part and B's part      of a pair both CTAs, counted in the even one
//!               with scale factors: TMA of A's and B's                        the same barrier counts them
//!   MMA         wait full ─ Products: 4 x tcgen05.mma ─ commit: the stage is free when they are done
//! ```
//!
//! Law: a stage is free when the products that read it are complete. The products of a tile are
//! added in ascending k; the first product replaces the previous contents of the accumulator.

use super::config::{GemmConfig, SumOf};
use super::products::{Products, ScaleMaps, StagePlace};
use gpu_kernels_sm90::gemm::mainloop::{Loads, Maps, load_boxes};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::pipeline_umma::PipelineTmaUmmaAsync;
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_load_3d};
use layout_types::arch::copy_sm100_tma::tma_load_2sm_3d;
use layout_types::atom::tmem::fragment::CtaGroup;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::Bool;
use layout_types::tensor::{Tensor, Tmem};

/// Loads the k tiles of a tile: all rows of A that the CTA multiplies, its rows of B, and the scale
/// factors of A's rows and of all of the tile's columns, if there are any.
///
/// # Safety
/// One thread of the CTA executes it, with its own `state`. The maps have the boxes of `PartA` and
/// `PartB`, or boxes with only as many rows as the operand has. The boxes of a k tile together have
/// the loads' bytes, those of scale factors included. `shared` is the CTA's dynamic shared memory
/// of `SHARED_BYTES`, aligned to 1024 bytes. No CTA of the cluster has ended.
#[inline(always)]
pub unsafe fn produce<C: GemmConfig, const STAGES: u32>(
    shared: u32,
    pipeline: PipelineTmaUmmaAsync<STAGES, C::Group>,
    state: &mut PipelineState<STAGES>,
    (maps, scales): (Maps<'_>, ScaleMaps<'_, C>),
    [batch_a, batch_b]: [u32; 2],
    row_b: u32,
    Loads {
        tile,
        k_tiles,
        bytes,
    }: Loads,
) {
    let mut k = k_tiles.first * C::TILE[2];
    let mut left = k_tiles.count;
    while left > 0 {
        let stage = state.stage();
        // SAFETY: a stage is written after `producer_acquire`, which returns the barrier that
        // counts its bytes. The parts of A and B have the bytes that the barrier expects of this
        // CTA.
        let full = unsafe { pipeline.producer_acquire(state, bytes) };
        let copy = |map: &TensorMap, to: u32, at: [i32; 3]| {
            // SAFETY: each box fits the stage, and the map is the operand's, by the function's
            // contract. `full` is a barrier of the pair, or the CTA's own.
            unsafe {
                if const { <<C::Group as CtaGroup>::IsPair as Bool>::VALUE } {
                    tma_load_2sm_3d(to, map, at, full);
                } else {
                    tma_load_3d(to, map, at, full);
                }
            }
        };
        let to_a = shared + stage * C::BYTES_A;
        load_boxes::<C::PartA, C::Element>(to_a, (tile.row, k), batch_a, |to, at| {
            copy(maps.a, to, at);
        });
        let to_b = shared + C::B_OFFSET + stage * C::BYTES_B;
        load_boxes::<C::PartB, C::Element>(to_b, (row_b, k), batch_b, |to, at| {
            copy(maps.b, to, at);
        });
        let to_scales = shared + C::SCALES_OFFSET + stage * C::SCALE_BYTES;
        C::Products::load_scales(scales, &tile, k / C::TILE[2], to_scales, copy);
        state.advance();
        k += k_tiles.step * C::TILE[2];
        left -= 1;
    }
}

/// Issues the products of all k tiles of a tile into the accumulator `d`, and frees their stages.
///
/// # Safety
/// One thread of the leading CTA executes it, elected once for all of its products, with its own
/// `state`. `shared` is the same as for [`produce`]. Nothing reads `d` until a later commit has
/// completed. The columns from `scales` on are allocated and hold nothing but scale factors.
#[inline(always)]
pub unsafe fn multiply<C: GemmConfig, D: LayoutFn + Reflect, const STAGES: u32>(
    shared: u32,
    pipeline: PipelineTmaUmmaAsync<STAGES, C::Group>,
    state: &mut PipelineState<STAGES>,
    d: &Tensor<Tmem<SumOf<C>>, D>,
    scales: u32,
    k_tiles: u32,
) {
    let mut k_tile = 0;
    while k_tile < k_tiles {
        // SAFETY: one thread is here. After `consumer_wait` the stage is full, in both CTAs of a
        // pair, and TMA has written it. The stage is free when the products are complete.
        unsafe {
            pipeline.consumer_wait(state);
            let at = StagePlace {
                shared,
                stage: state.stage(),
                scales,
            };
            C::Products::multiply(at, d, k_tile);
            pipeline.consumer_release(state);
        }
        state.advance();
        k_tile += 1;
    }
}
