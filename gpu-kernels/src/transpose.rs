//! dst = srcᵀ, through a tile of shared memory that is swizzled so that neither reads nor writes
//! have bank conflicts.
//!
//! ```text
//!   src rows ──► (64, 64) tile, swizzled ──► dst rows
//!   a warp writes half a row of the tile: 32 banks      a warp reads half a column of it: 32 banks
//! ```
//!
//! Law: `dst[c * rows + r] == src[r * cols + c]`, bit for bit, for every r below rows and c below
//! cols; nothing else is written.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use kernel_abi::{
    KernelArguments, LaunchSpec, MAX_EXTENT, MAX_GRID_Y, ProblemError, argument_names, arguments,
    checked_extent,
};
use layout_types::algorithm::{copy, copy_if};
use layout_types::atom::copy::AutoVectorizingCopy as Auto;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Shared};

/// The number of threads in a CTA: eight warps.
pub const THREADS: u32 = 256;
/// The side of a square tile: its number of rows, and of columns.
pub const TILE: u32 = 64;
/// The tiler of source and destination.
type Tile = tile!(64, 64);
/// Maps (thread, value) to an offset in the tile, `row + 64 * column`. A warp has half a row, and
/// the eight warps have eight rows at a time. The other half of each row follows.
pub type ThreadValue = layout!(((32,8),(8,2)):((64,1),(8,2048)));
/// A thread's fragment of the tile.
type Part = layout!(16:1);
/// The tile with rows and columns exchanged.
type Transposed = layout!((64,64):(64,1));

layouts! {
    /// The tile of 32-bit elements in shared memory: element (r, c) in bank `c ^ r` of 32.
    pub type SharedTile32 = composition(Swizzle<5, 0, 6>, (64,64):(64,1));
    /// The tile of 16-bit elements. Two neighbours along a row share a bank, so the swizzle applies
    /// the row's index to the index of the pair.
    pub type SharedTile16 = composition(Swizzle<5, 1, 5>, (64,64):(64,1));
}

// These assertions are checked when the PTX is built, so they hold for every kernel.
#[cfg(target_arch = "nvptx64")]
const _: () = {
    assert_covers!(ThreadValue, (64, 64));
    assert_bank_conflict_free!(ThreadValue => SharedTile32, 32 bits, 4 bytes);
    assert_bank_conflict_free!(ThreadValue => Composition<SharedTile32, Transposed>, 32 bits, 4 bytes);
    assert_bank_conflict_free!(ThreadValue => SharedTile16, 16 bits, 2 bytes);
    assert_bank_conflict_free!(ThreadValue => Composition<SharedTile16, Transposed>, 16 bits, 2 bytes);
};

/// The width of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 16-bit elements.
    B16,
    /// 32-bit elements.
    B32,
}

argument_names! {
    /// An argument of a kernel that transposes.
    pub enum TransposeArgument {
        /// dst.
        Dst = "dst", "dst";
        /// src.
        Src = "src", "src";
        /// The rows of src.
        Rows = "rows", "rows";
        /// The columns of src.
        Cols = "cols", "cols";
    }
}

impl Width {
    /// Returns the arguments of the kernel for elements of this width, in their order.
    #[must_use]
    pub const fn arguments(self) -> KernelArguments<TransposeArgument> {
        let element = match self {
            Self::B16 => "u16",
            Self::B32 => "u32",
        };
        KernelArguments::new(
            arguments!(TransposeArgument { Dst: [*mut T], Src: [*const T], Rows: [u32], Cols: [u32] }),
            element,
        )
    }
}

/// Returns the launch that transposes a (rows, cols) matrix.
///
/// # Errors
/// Returns a [`ProblemError`] if an extent is 0 or beyond what a grid covers (rows up to 4,194,240,
/// cols up to 2^31).
///
/// ```
/// use gpu_kernels::transpose::{Width, launch_spec};
/// let spec = launch_spec(Width::B32, 65, 128)?;
/// assert_eq!((spec.kernel, spec.grid), ("transpose_b32", [2, 2, 1]));
/// # Ok::<(), kernel_abi::ProblemError>(())
/// ```
pub fn launch_spec(width: Width, rows: u32, cols: u32) -> Result<LaunchSpec<2>, ProblemError> {
    let elements = u64::from(checked_extent("rows", rows, MAX_GRID_Y * TILE)?)
        * u64::from(checked_extent("cols", cols, MAX_EXTENT)?);
    let (kernel, bytes) = match width {
        Width::B16 => ("transpose_b16", 2),
        Width::B32 => ("transpose_b32", 4),
    };
    let buffer = |argument| {
        let buffer = width.arguments().buffer(argument, elements, bytes);
        buffer.of_bytes(bytes)
    };
    Ok(LaunchSpec {
        kernel,
        grid: [cols.div_ceil(TILE), rows.div_ceil(TILE), 1],
        block: [THREADS, 1, 1],
        cluster: [1; 3],
        shared_bytes: (TILE * TILE) as usize * bytes,
        buffers: [TransposeArgument::Dst, TransposeArgument::Src].map(buffer),
    })
}

macro_rules! transpose {
    ($($name:ident, $element:ty, $tile:ty;)*) => {$(
        /// Computes dst = srcᵀ.
        ///
        /// # Safety
        /// The launch is as [`launch_spec`] says.
        #[kernel]
        pub unsafe fn $name(dst: *mut $element, src: *const $element, rows: u32, cols: u32) {
            let (row, col, thread) = (block_idx_y(), block_idx_x(), thread_idx_x());
            // SAFETY: `launch_spec` gives the buffers their extents and the CTA its shared memory.
            // One thread writes each element of the tile before the barrier, and threads only read
            // the tile after it. Each CTA has its own tile of dst.
            unsafe {
                let src = Tensor::global(src, [rows, cols], [cols.into(), 1]);
                let dst = Tensor::global_mut(dst, [cols, rows], [rows.into(), 1]);
                let shared = Tensor::<Shared<$element>, $tile>::shared(dynamic_shared_offset());

                let src = src.local_tile::<Tile, _>((row, col)).compose::<ThreadValue>().slice((thread, __));
                let dst = dst.local_tile::<Tile, _>((col, row)).compose::<ThreadValue>().slice((thread, __));
                let write = shared.compose::<ThreadValue>().slice((thread, __));
                let read = shared.compose::<Transposed>().compose::<ThreadValue>().slice((thread, __));

                // All loads come before the first store to shared memory, so that they are in
                // flight together.
                let held = Fragment::<$element, Part>::new();
                copy_if(Auto::default(), |i| src.inside(i as u32), &src, &held.view());
                copy(Auto::default(), &held.view(), &write);
                sync_threads();
                copy(Auto::default(), &read, &held.view());
                copy_if(Auto::default(), |i| dst.inside(i as u32), &held.view(), &dst);
            }
        }
    )*};
}
transpose! {
    transpose_b16, u16, SharedTile16;
    transpose_b32, u32, SharedTile32;
}
