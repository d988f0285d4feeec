//! The drivers: what a CTA does with its tiles, by the tile scheduler, the mainloop and the epilogue.
//!
//! ```text
//!   predicated           any extents; one tile per CTA, split-K, stream-K       fixup: adds the partial tiles
//!   unpredicated         tiles in bounds, identity epilogue; else predicated
//!   persistent           CTA i computes tiles i, i + CTAs, ..; a tile's epilogue overlaps the next one's mainloop
//!   persistent_long_k    the same with the epilogue beside the next prologue, for tiles of many k tiles
//! ```

mod fixup;
pub mod persistent;
mod persistent_long_k;
pub mod predicated;
pub mod unpredicated;

use super::config::GemmConfig;
use super::epilogue::is_identity;
use kernel_abi::gemm::GemmParams;

/// Whether no predicate is needed: the epilogue is the identity, and the extents are multiples of the tile's.
#[inline(always)]
fn is_unpredicated<C: GemmConfig>(params: &GemmParams) -> bool {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = params;
    is_identity(params) && m % tile_m == 0 && n % tile_n == 0 && k % tile_k == 0
}
