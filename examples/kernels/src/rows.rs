//! Distributes the elements of a row: a thread has four neighbouring elements, 16 bytes, as often
//! as the tile needs.
//!
//! ```text
//!   tile of 4096    thread t:  [4t, 4t + 4)   1024 + [4t, 4t + 4)   2048 + ..   3072 + ..
//! ```
//!
//! Law: a tile of `1024 R` elements is covered once by 256 threads; `load` and `store` access only
//! elements that the matrix has, and element `i` of a thread's part is in register `i`, whether
//! they move 16 bytes at a time or 4.

use cuda_std::thread::thread_idx_x;
use layout_types::algorithm::{copy_if, fill, reduce, transform};
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Global, ReadOnly, ReadWrite, UnitStride};
use layout_types::tiled::MakeTiledCopy;

/// The number of threads in a block.
pub const THREADS: u32 = 256;

/// A copy of 16 bytes at a time, for rows whose length is a multiple of 4.
pub type By16 = MakeTiledCopy<UniversalCopy<u128>, f32, layout!((1,256):(256,1)), layout!((1, 4))>;
/// A copy of 4 bytes at a time, with the same elements for the same threads.
pub type By4 = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((1,256):(256,1)), layout!((1, 4))>;
assert_covers!(copy By16);
assert_covers!(copy By4);

/// A matrix of floats in global memory, to read.
pub type Source = Tensor<Global<f32, ReadOnly, 2, UnitStride<int!(1)>>, RaggedIdentity<int!(2)>>;
/// A matrix of floats in global memory, to write.
pub type Target = Tensor<Global<f32, ReadWrite, 2, UnitStride<int!(1)>>, RaggedIdentity<int!(2)>>;

/// Defines tiles of one row, with a thread's part of them.
macro_rules! tiles {
    ($($(#[$doc:meta])* $name:ident: $tile:ty, $part:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            held: Fragment<f32, $part>,
        }
        impl $name {
            /// The number of elements in a tile.
            pub const ELEMENTS: u32 = <$part as LayoutFn>::SIZE as u32 * THREADS;

            /// Loads this thread's part of tile `at`, `(row, tile along the row)`. Elements that
            /// the matrix does not have are `otherwise`.
            ///
            /// # Safety
            /// The conditions are those of [`Tensor::global`] for `matrix`. The matrix begins at a
            /// multiple of 16 bytes, and its rows follow one another.
            #[inline(always)]
            pub unsafe fn load(matrix: &Source, at: (u32, u32), otherwise: f32) -> Self {
                let held = Fragment::new();
                fill(&held.view(), otherwise);
                let (thread, tile) = (thread_idx_x(), matrix.local_tile::<$tile, _>(at));
                // SAFETY: by `# Safety` the matrix is readable, and its rows, one after the other,
                // begin at multiples of 16 bytes if their length is a multiple of 4; `atoms_inside`
                // omits elements that the matrix does not have.
                unsafe {
                    if matrix.size::<1>().is_multiple_of(4) {
                        let src = By16::get_slice(thread).partition_s(&tile);
                        copy_if(By16::default(), src.atoms_inside(), &src, &held.view());
                    } else {
                        let by = By4::get_slice(thread);
                        let src = by.partition_s(&tile);
                        copy_if(By4::default(), src.atoms_inside(), &src, &by.retile_d(&held.view()));
                    }
                }
                Self { held }
            }

            /// Writes the part to tile `at`.
            ///
            /// # Safety
            /// The conditions are those of [`load`](Self::load). Nothing else has these elements.
            #[inline(always)]
            pub unsafe fn store(&self, matrix: &Target, at: (u32, u32)) {
                let (thread, tile) = (thread_idx_x(), matrix.local_tile::<$tile, _>(at));
                // SAFETY: by `# Safety` the matrix is writable, only this thread accesses these
                // elements, and the rows, one after the other, begin at multiples of 16 bytes if
                // their length is a multiple of 4; `atoms_inside` omits elements that the matrix
                // does not have.
                unsafe {
                    if matrix.size::<1>().is_multiple_of(4) {
                        let dst = By16::get_slice(thread).partition_d(&tile);
                        copy_if(By16::default(), dst.atoms_inside(), &self.held.view(), &dst);
                    } else {
                        let by = By4::get_slice(thread);
                        let dst = by.partition_d(&tile);
                        copy_if(By4::default(), dst.atoms_inside(), &by.retile_s(&self.held.view()), &dst);
                    }
                }
            }

            /// Combines all elements into one, in the order of the registers.
            #[inline(always)]
            pub fn reduce(&self, start: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
                reduce(&self.held.view(), start, f)
            }

            /// Replaces each element by a function of it.
            #[inline(always)]
            pub fn map(&self, f: impl Fn(f32) -> f32) {
                transform(&self.held.view(), &self.held.view(), f);
            }
        }
    )*};
}
tiles! {
    /// A tile of 1024 elements of a row, 4 per thread.
    Tile1024: tile!(1, 1024), layout!(((4,1),1,1):((1,0),0,0));
    /// A tile of 4096 elements of a row, 16 per thread.
    Tile4096: tile!(1, 4096), layout!(((4,1),1,4):((1,0),0,4));
    /// A tile of 8192 elements of a row, 32 per thread.
    Tile8192: tile!(1, 8192), layout!(((4,1),1,8):((1,0),0,4));
}
