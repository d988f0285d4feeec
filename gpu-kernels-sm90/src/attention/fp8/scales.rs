//! The scales of the elements of Q, K and V. Each tensor has one scale, or one for each key head.
//!
//! ```text
//!   S = scale q_scale k_scale Q Kᵀ       O = v_scale P V / l          scales of (batch, key head), if the flag is set
//! ```
//!
//! Law: scales are numbers above 0. Query heads that share a key head also share the scale of Q, as
//! in FlashAttention-3.

use super::super::sequences::{Place, Sequences, Uniform};
use super::super::tile_scheduler::{QueryTiles, TileAt};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::arch::mov::here;

/// Sequences of one length whose Q, K and V have scales.
#[derive(Clone, Copy)]
pub struct Scaled {
    /// The scales of Q.
    pub q: *const f32,
    /// The scales of K.
    pub k: *const f32,
    /// The scales of V.
    pub v: *const f32,
}

impl Scaled {
    /// Returns the scale of a tile from the scales `of`.
    #[inline(always)]
    fn of(of: *const f32, params: &AttentionParams, tile: TileAt) -> f32 {
        let head = if params.flags & flags::SCALES_OF_HEADS != 0 {
            tile.batch * divide(params.heads, params.heads_per_key).0 + tile.key_head
        } else {
            0
        };
        // SAFETY: the plan's launch has one scale or, if the flag is set, one for each key head of
        // each batch.
        unsafe { *here(of).wrapping_add(head as usize) }
    }
}

impl Sequences for Scaled {
    type Scheduler = QueryTiles;
    type Params<'a> = &'a AttentionParams;
    type Part = ();

    #[inline(always)]
    fn next(
        self,
        scheduler: &mut QueryTiles,
        params: &AttentionParams,
        tile: u32,
    ) -> Option<TileAt> {
        Uniform.next(scheduler, params, tile)
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, _: TileAt) -> &AttentionParams {
        params
    }
    #[inline(always)]
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place {
        Uniform.place(params, tile)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_o(params)
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_lse(params)
    }
    #[inline(always)]
    fn scale_log2(self, params: &AttentionParams, tile: TileAt) -> f32 {
        params.scale_log2 * Self::of(self.q, params, tile) * Self::of(self.k, params, tile)
    }
    #[inline(always)]
    fn output_scale(self, params: &AttentionParams, tile: TileAt) -> f32 {
        Self::of(self.v, params, tile)
    }
}
