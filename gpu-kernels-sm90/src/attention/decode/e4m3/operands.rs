//! K and V as operand B of `mma.sync`, in f16, out of e4m3 in shared memory.
//!
//! ```text
//!   ldmatrix         thread 4 g + t:  key g, columns 4 t .. 4 t + 3       ─ cvt ─ cvt ─►  B of K: two pairs of columns of key g
//!
//!   ldmatrix.trans   thread 4 g + t:  keys 2 t, 2 t + 1, columns 2 g, 2 g + 1
//!                    k0 c0, k0 c1, k1 c0, k1 c1  ─ prmt ─►  k0 c0, k1 c0, k0 c1, k1 c1  ─ cvt ─ cvt ─►  B of V: a pair of keys of two columns
//! ```
//!
//! Law: `ldmatrix` sees pairs of bytes as its elements. An instruction's eight columns of V are the
//! even ones of 16, or the odd ones: the thread that has columns 2 t and 2 t + 1 of both products
//! has four neighbours of O, 4 t .. 4 t + 3.

use super::super::super::smem_tile::SmemTile;
use super::config::KEYS;
use cuda_std::warp::lane_id;
use layout_types::arch::convert::f16x2_from_e4m3x2;
use layout_types::arch::copy_sm75::{ldmatrix_x4, ldmatrix_x4_trans};
use layout_types::arch::permute::byte_perm;
use layout_types::atom::element::FloatE4M3;
use layout_types::tensor::{Shared, Tensor};

/// Two pairs of e4m3 as two pairs of f16.
#[inline(always)]
#[must_use]
pub fn widen(four: u32) -> [u32; 2] {
    [
        f16x2_from_e4m3x2(four as u16),
        f16x2_from_e4m3x2((four >> 16) as u16),
    ]
}

/// Two columns of two keys: from the order key by key to the order column by column.
#[inline(always)]
#[must_use]
pub fn interleave(keys: u32) -> u32 {
    byte_perm(keys, keys, 0x3120)
}

/// The matrix row that this thread addresses: of 16 keys from `key` on, in the 16 columns from
/// `column` on or, for the warp's second half, in the 16 behind them.
#[inline(always)]
fn address<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    (key, column, stage): (u32, u32, u32),
) -> u32 {
    let (row, chunk) = (lane_id() % KEYS, lane_id() / KEYS);
    L::address(tile, (key + row, column + 16 * chunk, stage))
}

/// K's words of 16 keys and 32 columns: one of each eight keys and 16 columns, keys fastest.
///
/// # Safety
/// The whole warp executes it; the stage is full, and nobody writes it.
#[inline(always)]
pub unsafe fn load_keys<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    at: (u32, u32, u32),
) -> [u32; 4] {
    // SAFETY: a row is 16 bytes from a multiple of 16 on, which a swizzle leaves together; by the
    // function's contract the whole warp is here, and the stage is full.
    unsafe { ldmatrix_x4(address(tile, at)) }
}

/// V's words of 16 keys and 32 columns: one of each eight keys and 16 columns, keys fastest.
///
/// # Safety
/// The conditions are those of [`load_keys`].
#[inline(always)]
pub unsafe fn load_values<L: SmemTile>(
    tile: &Tensor<Shared<FloatE4M3>, L>, // (N,D,stages)
    at: (u32, u32, u32),
) -> [u32; 4] {
    // SAFETY: as of `load_keys`.
    unsafe { ldmatrix_x4_trans(address(tile, at)) }
}

/// The bytes of a thread's words of V that are of keys below `end`: of the first eight keys, and of
/// the second. `end` is counted from the first of 16 keys on.
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
