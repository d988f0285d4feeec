//! Chunks of a tile of D: which of a CTA's threads stores which elements, and how they lie in shared memory until then.
//!
//! ```text
//!   (32,32)   thread 0 0 0 0 0 0 0 0  1 1 1 ..      eight neighbours each, a row by four threads
//!             thread 4 4 ..
//! ```
//!
//! Law: each element of a chunk has one thread, in each of the three orders; the swizzles keep the vectors of 16 bytes together.
//!
//! Source: CUTLASS `cutlass/epilogue/threadblock/output_tile_thread_map.h`.

use crate::algebra::compose::Composition;
use crate::algebra::shape_tiling::TileToShape;
use crate::algebra::swizzle::Swizzle;
use crate::layout::LayoutFn;

/// What all threads of a CTA store together, eight neighbouring elements each.
///
/// ```
/// use layout_types::algorithm::chunk_shape::{Chunk32x32, ChunkShape};
/// assert_eq!(Chunk32x32::EXTENTS, [32, 32]);
/// // Element by element, warp 1 has row 1, and a row further down for each element.
/// assert_eq!((Chunk32x32::place(32, 0), Chunk32x32::place(35, 2)), ([1, 0], [9, 3]));
/// ```
pub trait ChunkShape {
    /// Rows and columns.
    const EXTENTS: [u32; 2];
    /// The tiler of them.
    type Tile;
    /// `(thread, value)` of eight neighbours.
    type Narrow;
    /// `(thread, value)` of two vectors of four 32-bit elements: neighbouring threads fill the sectors of D together.
    type Wide;
    /// The shape of `Chunks` of them in shared memory, `(rows, columns, chunk)`.
    type Shape<Chunks>;
    /// A chunk of 16-bit elements in shared memory.
    type Halves;
    /// A chunk of 32-bit elements in shared memory.
    type Words;
    /// Returns row and column of a thread's element where elements are stored one by one.
    fn place(thread: u32, element: u32) -> [u32; 2];
}
/// `Count` chunks of the shape `Chunk` in shared memory, each of the layout `One`.
pub type ChunksOf<Chunk, One, Count> = TileToShape<One, <Chunk as ChunkShape>::Shape<Count>>;
/// Chunks of (32, 32) by 128 threads.
pub struct Chunk32x32;
impl ChunkShape for Chunk32x32 {
    const EXTENTS: [u32; 2] = [32, 32];
    type Tile = crate::tile!(32, 32);
    type Narrow = crate::layout!(((4,32),8):((256,1),32));
    type Wide = crate::layout!(((4,32),(4,2)):((128,1),(32,512)));
    type Shape<Chunks> = crate::shape!((32, 32, Chunks));
    type Halves = Composition<Swizzle<2, 3, 3>, crate::layout!((32,32):(32,1))>;
    type Words = Composition<Swizzle<2, 3, 2>, crate::layout!((32,32):(32,1))>;
    #[inline(always)]
    fn place(thread: u32, element: u32) -> [u32; 2] {
        <crate::layout!(((32,4),8):((1@1,1@0),4@0))>::coordinate::<u32, _, 2>((thread, element))
    }
}
/// Chunks of (32, 64) by 256 threads.
pub struct Chunk32x64;
impl ChunkShape for Chunk32x64 {
    const EXTENTS: [u32; 2] = [32, 64];
    type Tile = crate::tile!(32, 64);
    type Narrow = crate::layout!(((8,32),8):((256,1),32));
    type Wide = crate::layout!(((8,32),(4,2)):((128,1),(32,1024)));
    type Shape<Chunks> = crate::shape!((32, 64, Chunks));
    type Halves = Composition<Swizzle<3, 3, 3>, crate::layout!((32,64):(64,1))>;
    type Words = Composition<Swizzle<2, 3, 3>, crate::layout!((32,64):(64,1))>;
    #[inline(always)]
    fn place(thread: u32, element: u32) -> [u32; 2] {
        <crate::layout!(((64,4),8):((1@1,1@0),4@0))>::coordinate::<u32, _, 2>((thread, element))
    }
}

const _: () = {
    crate::assert_covers!(<Chunk32x32 as ChunkShape>::Narrow, (32, 32));
    crate::assert_covers!(<Chunk32x32 as ChunkShape>::Wide, (32, 32));
    crate::assert_covers!(<Chunk32x64 as ChunkShape>::Narrow, (32, 64));
    crate::assert_covers!(<Chunk32x64 as ChunkShape>::Wide, (32, 64));
};
