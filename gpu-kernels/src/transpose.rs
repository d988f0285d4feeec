//! dst = srcᵀ, through a tile of shared memory that is swizzled so that neither direction conflicts.
//!
//! ```text
//!   src rows ──► (64, 64) tile, swizzled ──► dst rows
//!   a warp writes half a row of the tile: 32 banks      a warp reads half a column of it: 32 banks
//! ```
//!
//! Law: `dst[c * rows + r] == src[r * cols + c]`, bit for bit, for every r below rows and c below cols; nothing
//! else is written.

use crate::contract::{Buffer, Contract, MOST_BLOCKS_Y, MOST_EXTENT, Refused, const_try, extent};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use layout_types::arch::copy::{
    load_shared_b16, load_shared_b32, store_shared_b16, store_shared_b32,
};
use layout_types::prelude::*;

/// Threads of a block: eight warps.
pub const THREADS: u32 = 256;
/// Rows and columns of a tile.
pub const TILE: u32 = 64;
/// Elements of a tile that a thread moves.
const VALUES: usize = 16;

/// (thread, value) to a place in the tile, `row + 64 * column`: a warp half a row, eight rows at a time, then
/// the other half.
pub type ThreadValue = layout!(((32,8),(8,2)):((64,1),(8,2048)));
/// (thread, value) to (row, column).
type Coordinates = Composition<layout!((64,64):(1@0,1@1)), ThreadValue>;
/// The tile of 32-bit elements as it lies in shared memory, in bytes: element (r, c) in bank `c ^ r` of 32.
pub type SharedTile32 = Composition<Swizzle<5, 2, 6>, layout!((64,64):(256,4))>;
/// The tile of 16-bit elements, in bytes: two neighbours along a row share a bank, so here the row's number
/// goes to the number of the pair.
pub type SharedTile16 = Composition<Swizzle<5, 2, 5>, layout!((64,64):(128,2))>;

/// The width of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 16-bit elements.
    B16,
    /// 32-bit elements.
    B32,
}

/// The launch that transposes a (rows, cols) matrix. Arguments of the kernel, in order: dst, src, rows, cols.
///
/// # Errors
/// [`Refused`] where an extent is 0 or beyond what a grid covers (rows up to 4,194,240, cols up to 2^31).
///
/// ```
/// use gpu_kernels::transpose::{Width, contract};
/// let contract = contract(Width::B32, 65, 128)?;
/// assert_eq!((contract.kernel, contract.grid), ("transpose_b32", [2, 2, 1]));
/// # Ok::<(), gpu_kernels::contract::Refused>(())
/// ```
pub const fn contract(width: Width, rows: u32, cols: u32) -> Result<Contract<2>, Refused> {
    const_try!(extent("rows", rows, MOST_BLOCKS_Y * TILE));
    const_try!(extent("cols", cols, MOST_EXTENT));
    let (kernel, bytes) = match width {
        Width::B16 => ("transpose_b16", 2),
        Width::B32 => ("transpose_b32", 4),
    };
    let elements = rows as u64 * cols as u64;
    Ok(Contract {
        kernel,
        grid: [cols.div_ceil(TILE), rows.div_ceil(TILE), 1],
        block: [THREADS, 1, 1],
        shared_bytes: (TILE * TILE) as usize * bytes,
        buffers: [
            Buffer {
                argument: 0,
                name: "dst",
                elements,
                alignment: bytes,
                written: true,
            },
            Buffer {
                argument: 1,
                name: "src",
                elements,
                alignment: bytes,
                written: false,
            },
        ],
    })
}

/// An element that shared memory can hold.
trait Word: Copy + Default {
    /// The byte of shared memory that element (r, c) of the tile has.
    fn byte(place: [u32; 2]) -> u32;
    /// Reads one.
    ///
    /// # Safety
    /// `address` is aligned, in the block's shared memory, written, and not being written.
    unsafe fn load(address: u32) -> Self;
    /// Writes one.
    ///
    /// # Safety
    /// `address` is aligned, in the block's shared memory, and not being accessed.
    unsafe fn store(address: u32, value: Self);
}

impl Word for u16 {
    #[inline(always)]
    fn byte([r, c]: [u32; 2]) -> u32 {
        SharedTile16::at((r, c))
    }
    #[inline(always)]
    unsafe fn load(address: u32) -> Self {
        // SAFETY: the caller's contract.
        unsafe { load_shared_b16(address) }
    }
    #[inline(always)]
    unsafe fn store(address: u32, value: Self) {
        // SAFETY: the caller's contract.
        unsafe { store_shared_b16(address, value) }
    }
}

impl Word for u32 {
    #[inline(always)]
    fn byte([r, c]: [u32; 2]) -> u32 {
        SharedTile32::at((r, c))
    }
    #[inline(always)]
    unsafe fn load(address: u32) -> Self {
        // SAFETY: the caller's contract.
        unsafe { load_shared_b32(address) }
    }
    #[inline(always)]
    unsafe fn store(address: u32, value: Self) {
        // SAFETY: the caller's contract.
        unsafe { store_shared_b32(address, value) }
    }
}

/// The transpose of one tile.
///
/// # Safety
/// The launch is as [`contract`] says.
#[inline(always)]
unsafe fn transpose<W: Word>(dst: *mut W, src: *const W, rows: u32, cols: u32) {
    let (row, col) = (block_idx_y() * TILE, block_idx_x() * TILE);
    let (tile, thread) = (dynamic_shared_offset(), thread_idx_x());
    let place = |value: usize| Coordinates::coordinate((thread, value as u32));
    // SAFETY: `W::byte` gives each place of the tile bytes of its own, inside the tile; global accesses are
    // inside (rows, cols); every place is written by one thread before the barrier and only read behind it.
    unsafe {
        // All loads before the first store to shared memory, so that they are under way together.
        let mut elements = [W::default(); VALUES];
        unroll::<VALUES>(|value| {
            let [r, c] = place(value);
            if row + r < rows && col + c < cols {
                elements[value] = *src.add((row + r) as usize * cols as usize + (col + c) as usize);
            }
        });
        unroll::<VALUES>(|value| W::store(tile + W::byte(place(value)), elements[value]));
        sync_threads();
        unroll::<VALUES>(|value| {
            let [c, r] = place(value);
            elements[value] = W::load(tile + W::byte([r, c]));
        });
        unroll::<VALUES>(|value| {
            let [c, r] = place(value);
            if row + r < rows && col + c < cols {
                *dst.add((col + c) as usize * rows as usize + (row + r) as usize) = elements[value];
            }
        });
    }
}

/// dst = srcᵀ for 16-bit elements.
///
/// # Safety
/// The launch is as [`contract`] says.
#[kernel]
pub unsafe fn transpose_b16(dst: *mut u16, src: *const u16, rows: u32, cols: u32) {
    // SAFETY: the caller's contract.
    unsafe { transpose(dst, src, rows, cols) }
}

/// dst = srcᵀ for 32-bit elements.
///
/// # Safety
/// The launch is as [`contract`] says.
#[kernel]
pub unsafe fn transpose_b32(dst: *mut u32, src: *const u32, rows: u32, cols: u32) {
    // SAFETY: the caller's contract.
    unsafe { transpose(dst, src, rows, cols) }
}
