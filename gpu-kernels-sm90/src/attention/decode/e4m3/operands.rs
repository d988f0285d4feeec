//! Loads K and V, which are e4m3 in shared memory, as operand B of `mma.sync` in f16.
//!
//! ```text
//!   ldmatrix         thread 4 g + t:  key g, columns 4 t .. 4 t + 3       ─ cvt ─ cvt ─►  B of K: two pairs of columns of key g
//!
//!   ldmatrix.trans   thread 4 g + t:  keys 2 t, 2 t + 1, columns 2 g, 2 g + 1
//!                    k0 c0, k0 c1, k1 c0, k1 c1  ─ prmt ─►  k0 c0, k1 c0, k0 c1, k1 c1  ─ cvt ─ cvt ─►  B of V: a pair of keys of two columns
//! ```
//!
//! Law: the elements of `ldmatrix` are pairs of bytes. The eight columns of V in an instruction are
//! the even columns of 16, or the odd ones. So the thread that has columns 2 t and 2 t + 1 of both
//! products has four neighbouring columns of O, 4 t .. 4 t + 3.

use super::super::super::smem_tile::SmemTile;
use super::config::KEYS;
use cuda_std::warp::lane_id;
use layout_types::arch::convert::f16x2_from_e4m3x2;
use layout_types::arch::copy_sm75::{ldmatrix_x4, ldmatrix_x4_trans};
use layout_types::arch::permute::byte_perm;
use layout_types::atom::element::FloatE4M3;
use layout_types::tensor::{Shared, Tensor};

/// Converts two pairs of e4m3 to two pairs of f16.
#[inline(always)]
#[must_use]
pub fn widen(four: u32) -> [u32; 2] {
    [
        f16x2_from_e4m3x2(four as u16),
        f16x2_from_e4m3x2((four >> 16) as u16),
    ]
}

/// Reorders two columns of two keys from key by key to column by column.
#[inline(always)]
#[must_use]
pub fn interleave(keys: u32) -> u32 {
    byte_perm(keys, keys, 0x3120)
}

/// Returns the address of this thread's matrix row. It is a row of the 16 keys from `key` on, in
/// the 16 columns from `column` on or, for the second half of the warp, in the next 16 columns.
#[inline(always)]
fn address<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    (key, column, stage): (u32, u32, u32),
) -> u32 {
    let (row, chunk) = (lane_id() % KEYS, lane_id() / KEYS);
    L::address(tile, (key + row, column + 16 * chunk, stage))
}

/// Loads K's words for 16 keys and 32 columns: one word for each eight keys and 16 columns, keys
/// fastest.
///
/// # Safety
/// The whole warp executes it; the stage is full, and nothing writes it.
#[inline(always)]
pub unsafe fn load_keys<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    at: (u32, u32, u32),
) -> [u32; 4] {
    // SAFETY: a row is 16 bytes that begin at a multiple of 16, and a swizzle keeps these bytes
    // together. By the function's contract the whole warp is here, and the stage is full.
    unsafe { ldmatrix_x4(address(tile, at)) }
}

/// Loads V's words for 16 keys and 32 columns: one word for each eight keys and 16 columns, keys
/// fastest.
///
/// # Safety
/// The conditions are those of [`load_keys`].
#[inline(always)]
pub unsafe fn load_values<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    at: (u32, u32, u32),
) -> [u32; 4] {
    // SAFETY: a row is 16 aligned bytes, as in `load_keys`. By the function's contract the whole
    // warp is here, and the stage is full.
    unsafe { ldmatrix_x4_trans(address(tile, at)) }
}

/// Returns masks of the bytes of a thread's words of V whose keys are below `end`: a mask for the
/// first eight keys and one for the second eight. `end` is counted from the first of the 16 keys.
///
/// ```
/// use gpu_kernels_sm90::attention::decode::e4m3::operands::bytes_below;
/// assert_eq!(bytes_below(0, 16), [u32::MAX; 2]);
/// assert_eq!(bytes_below(1, 3), [0x0000_ffff, 0]); // keys 2 and 3, 10 and 11
/// assert_eq!(bytes_below(1, 11), [u32::MAX, 0x0000_ffff]);
/// ```
#[inline(always)]
#[must_use]
pub fn bytes_below(thread_of_row: u32, end: u32) -> [u32; 2] {
    let of = |key: u32| {
        let first = if key < end { 0xffff } else { 0 };
        let second = if key + 1 < end { 0xffff_0000 } else { 0 };
        first | second
    };
    [of(2 * thread_of_row), of(2 * thread_of_row + 8)]
}
