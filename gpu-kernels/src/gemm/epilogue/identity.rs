//! The identity epilogue for a D of 16-bit elements with aligned rows. It rounds the accumulator
//! two elements at a time.
//!
//! ```text
//!   store          accumulator ─ round ─► R2s ─► chunks, pass after pass ─► S2g, 128 bits ─► D
//!   stage          accumulator ─ round ─► R2s ─► all chunks                          at a tile's end
//!   store_column   chunks ─► S2g, 128 bits ─► D                                      at once, or during the next tile's mainloop
//! ```
//!
//! Law: the law of [`store`](super::store) holds here too.

use super::OutputTile;
use super::element::{EightOf, ElementD, RoundPairs};
use crate::gemm::config::{AccumulatorOf, GemmKernel, TileOf};
use core::marker::PhantomData;
use cuda_std::thread::sync_threads;
use layout_types::algorithm::chunks::{
    ConvertPairs, ReadChunk, StoreChunk, StoreColumn, WriteChunk,
};
use layout_types::arch::mov::thread_here;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::unroll::{Unroll, unroll_type};
use typenum::Unsigned;

/// How a configuration rounds and stores the accumulator if the epilogue is the identity.
pub trait IdentityEpilogue<C: GemmKernel> {
    /// Whether the configuration has an identity epilogue. If not, none of the functions is called.
    const EXISTS: bool = false;
    /// Stores the CTA's tile of D, through shared memory.
    ///
    /// # Safety
    /// The conditions are those of [`store`](super::store::store), with the index of the thread
    /// that calls it.
    #[inline(always)]
    unsafe fn store(_accumulator: &AccumulatorOf<C>, _tile: &OutputTile, _thread: u32) {}
    /// Writes the rounded accumulator to the staging buffer, from `shared` on.
    ///
    /// # Safety
    /// Every thread of the CTA calls it. Nothing else accesses the buffer, and a barrier has passed
    /// since its last access.
    #[inline(always)]
    unsafe fn stage(_accumulator: &AccumulatorOf<C>, _shared: u32) {}
    /// Stores a column of a staged tile, with predicates if `PREDICATED`.
    ///
    /// # Safety
    /// A barrier has passed since [`stage`](Self::stage). D is writable as `params` says, and no
    /// other CTA stores the tile. If not `PREDICATED`, the tile is in bounds of D.
    #[inline(always)]
    unsafe fn store_column<const PREDICATED: bool>(_tile: &OutputTile, _column: u32) {}
}

/// The absence of an identity epilogue, for a D without 16-bit elements.
pub struct NotByPairs;
impl<C: GemmKernel> IdentityEpilogue<C> for NotByPairs {}

/// The identity epilogue by the tiled copy `R2s` to `Chunks`, the chunks of one of `Passes` passes.
/// If tiles are staged, one pass has all chunks.
pub struct ByPairs<R2s, Chunks, ChunksOfPass, Passes>(
    PhantomData<(R2s, Chunks, ChunksOfPass, Passes)>,
);

impl<C, R2s, Chunks, ChunksOfPass, Passes> IdentityEpilogue<C>
    for ByPairs<R2s, Chunks, ChunksOfPass, Passes>
where
    C: GemmKernel<D: ElementD<Bits = u16>, Accumulator: RoundPairs<C::D>>,
    C::VectorsD:
        ReadChunk<u16, Chunks, <u16 as EightOf>::Values> + StoreColumn<u16, TileOf<C>, Chunks>,
    R2s: WriteChunk<u16, C::FragmentC, Chunks>,
    Chunks: LayoutFn,
    ChunksOfPass: Unroll + Unsigned,
    Passes: Unroll,
{
    const EXISTS: bool = true;
    #[inline(always)]
    unsafe fn store(accumulator: &AccumulatorOf<C>, tile: &OutputTile, thread: u32) {
        let rounded = C::FragmentC::convert_pairs(accumulator, C::Accumulator::round);
        // SAFETY: by the plan D is writable within its extents, and shared memory from the driver's
        // `shared` on holds the chunks. By the tile scheduler no other CTA stores the tile.
        // Barriers separate a chunk's writers from its readers.
        unsafe {
            let s_c = Tensor::<Shared<u16>, Chunks>::shared(tile.shared); // (rows, columns, chunk)
            let to = R2s::partition_written(&s_c, thread); // (CPY, CPY_M, CPY_N, chunk)
            let t_sc = C::VectorsD::partition_read(&s_c, thread); // (CPY, CPY_M, CPY_N, chunk)
            let t_gd = C::VectorsD::partition_stored(&tile.d::<C, u16>(), thread).from_here(); // (CPY, chunk)
            unroll_type::<Passes>(|pass| {
                if pass != 0 {
                    sync_threads();
                }
                let chunk = |j| pass as u32 * ChunksOfPass::U32 + j;
                unroll_type::<ChunksOfPass>(|j| {
                    R2s::write_chunk(&rounded, chunk(j as u32), &to, j as u32);
                });
                sync_threads();
                unroll_type::<ChunksOfPass>(|j| {
                    // Shared memory holds the whole chunk, so only the store is predicated.
                    let vector = C::VectorsD::read_chunk(&t_sc, j as u32);
                    C::VectorsD::store_chunk(&vector, &t_gd, chunk(j as u32));
                });
            });
        }
    }
    #[inline(always)]
    unsafe fn stage(accumulator: &AccumulatorOf<C>, shared: u32) {
        let thread = thread_here();
        let rounded = C::FragmentC::convert_pairs(accumulator, C::Accumulator::round);
        // SAFETY: the driver's `staging` buffer is large enough for the chunks, and nothing else
        // accesses it between two of the driver's barriers.
        unsafe {
            let to = R2s::partition_written(&Tensor::shared(shared), thread); // (CPY, CPY_M, CPY_N, chunk)
            unroll_type::<ChunksOfPass>(|chunk| {
                R2s::write_chunk(&rounded, chunk as u32, &to, chunk as u32);
            });
        }
    }
    #[inline(always)]
    unsafe fn store_column<const PREDICATED: bool>(tile: &OutputTile, column: u32) {
        let thread = thread_here();
        // SAFETY: the caller passed a barrier after `stage`. By the plan D is writable within its
        // extents, and by the tile scheduler no other CTA stores the tile. The driver omits
        // predicates only if all tiles are in bounds.
        unsafe {
            let (s_c, d) = (Tensor::shared(tile.shared), tile.d::<C, u16>());
            C::VectorsD::store_column::<PREDICATED>(&s_c, &d, thread, column);
        }
    }
}
