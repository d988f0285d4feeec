//! Getting a (128, 32) tile of A or B from global into shared memory.
//!
//! ```text
//!   Async16       cp.async, 16 bytes at once          a row's 8 elements are inside the matrix or outside together
//!   Elementwise   one element at a time, zeros outside, then 16 bytes at once to shared memory
//! ```
//!
//! Law: after the copies are waited for, `tile(row, k)` is the matrix's element where row and k lie inside it, and zero where not.

use super::layouts::{G2r, G2s, R2s, SharedTiles, Stages, Tiles, TilesLayout};
use layout_types::algorithm::{copy, copy_if};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Global, PartitionLayout, ReadOnly, Shared};
use layout_types::tiled::{CopyPartitionOf, Destination, Source};

/// A thread's way to fill the stages of A or B.
pub trait Load {
    /// The way of thread `thread`.
    fn new(matrix: &Tiles, stages: &Stages, thread: u32) -> Self;
    /// Copies this thread's share of tile `tile` to stage `stage`.
    ///
    /// # Safety
    /// Nobody else touches the stage before the next wait and barrier.
    unsafe fn load(&self, tile: u32, stage: u32);
}

/// A thread's part of the matrix, by the copy `C`: `(CPY,CPY_M,CPY_K,k)`.
type From<C> = Tensor<Global<u16, ReadOnly, 2>, <TilesLayout as PartitionLayout<C, Source>>::Part>;
/// A thread's part of the stages, by the copy `C`: `(CPY,CPY_M,CPY_K,stage)`.
type To<C> = Tensor<Shared<u16>, CopyPartitionOf<C, Destination, SharedTiles>>;
/// Copies of a thread for a tile.
const COPIES: usize = 4;

/// 16 bytes at once, asynchronously. Needs K a multiple of 8 and a base on a 16-byte boundary.
pub struct Async16 {
    source: From<G2s>,
    target: To<G2s>,
    /// Which rows the matrix has: the same for all tiles.
    rows: [bool; COPIES],
}

impl Load for Async16 {
    #[inline(always)]
    fn new(matrix: &Tiles, stages: &Stages, thread: u32) -> Self {
        let g2s = G2s::get_slice(thread);
        let source = g2s.partition_s(matrix);
        let inside = source.slice((__, __, __, 0u32)).atoms_inside_along::<0>();
        let mut rows = [false; COPIES];
        unroll::<COPIES>(|copy| rows[copy] = inside(copy));
        Self {
            source,
            target: g2s.partition_d(stages),
            rows,
        }
    }
    #[inline(always)]
    unsafe fn load(&self, tile: u32, stage: u32) {
        let source = self.source.slice((__, __, __, tile));
        let target = self.target.slice((__, __, __, stage));
        let inside = source.atoms_inside_along::<1>();
        // SAFETY: each thread copies by itself.
        unsafe {
            copy_if(
                G2s::default(),
                |copy| self.rows[copy] & inside(copy),
                &source,
                &target,
            )
        };
    }
}

/// One element at a time, for any K and any alignment.
pub struct Elementwise {
    source: From<G2r>,
    target: To<R2s>,
    r2s: layout_types::tensor::ThrCopy<R2s>,
}

/// The registers of a thread's part of a tile.
type Part = layout!(((1,8),4,1):((0,1),8,0));

impl Load for Elementwise {
    #[inline(always)]
    fn new(matrix: &Tiles, stages: &Stages, thread: u32) -> Self {
        let r2s = R2s::get_slice(thread);
        Self {
            source: G2r::get_slice(thread).partition_s(matrix),
            target: r2s.partition_d(stages),
            r2s,
        }
    }
    #[inline(always)]
    unsafe fn load(&self, tile: u32, stage: u32) {
        let source = self.source.slice((__, __, __, tile));
        let target = self.target.slice((__, __, __, stage));
        let part = Fragment::<u16, Part>::new();
        // SAFETY: each thread copies by itself.
        unsafe {
            copy_if(G2r::default(), source.atoms_inside(), &source, &part.view());
            copy(R2s::default(), &self.r2s.retile_s(&part.view()), &target);
        }
    }
}
