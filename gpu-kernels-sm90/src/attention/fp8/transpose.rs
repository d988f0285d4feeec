//! Transposes V, with its keys in the order of the product.
//!
//! ```text
//!   V (keys, D), D contiguous ─► Vᵀ (D, keys), keys contiguous, by `KeyOrder`, up to a multiple of 128; zeros after the last
//!
//!   a CTA: 128 keys of a head, through shared memory        a warp reads 32 keys, a thread four columns of them, 16 keys at a time
//!                                                           a warp writes four columns, a thread 16 places of a column at a time
//! ```
//!
//! Law: element (d, place) of a head of Vᵀ is element (key of the place, d) of V, or zero if there
//! is no such key.

use super::order::KeyOrder;
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::TransposeParams;
use layout_types::arch::permute::byte_perm;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Shared};
use layout_types::unroll::unroll;

/// The number of columns of a head.
const COLUMNS: u32 = 128;
/// The layout of Vᵀ for 128 keys in shared memory, (16 places,column), where one element is 16
/// places. The swizzle uses every fourth column, since a thread has four columns.
type Tile = Composition<Swizzle<3, 0, 5>, layout!((8,128):(1,8))>;

// Eight threads access at a time: on writes every fourth column of a warp, on reads the places of
// one column.
#[cfg(target_arch = "nvptx64")]
const _: () = {
    layout_types::assert_bank_conflict_free!(layout!((32,1):(32,1)) => Tile, 128 bits, 16 bytes);
    layout_types::assert_bank_conflict_free!(layout!((32,1):(1,1)) => Tile, 128 bits, 16 bytes);
};

/// Transposes four columns of four keys, from one register per key to one register per column.
#[inline(always)]
fn transpose_bytes([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    // Interleaves columns 0 and 1, and columns 2 and 3, of two keys: b1 a1 b0 a0.
    let (ab_low, ab_high) = (byte_perm(a, b, 0x5140), byte_perm(a, b, 0x7362));
    let (cd_low, cd_high) = (byte_perm(c, d, 0x5140), byte_perm(c, d, 0x7362));
    [
        byte_perm(ab_low, cd_low, 0x5410),
        byte_perm(ab_low, cd_low, 0x7632),
        byte_perm(ab_high, cd_high, 0x5410),
        byte_perm(ab_high, cd_high, 0x7632),
    ]
}

/// Transposes a V of 8-bit elements.
///
/// # Safety
/// The launch is the plan's: it has a CTA of 128 threads for each 128 keys of each head; V is
/// readable and Vᵀ writable as the parameters say.
#[cfg(feature = "attention-fp8")]
#[kernel(threads = 128)]
pub unsafe fn attention_transpose_b8(to: *mut u8, from: *const u8, params: TransposeParams) {
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe { transpose(to, from, &params) }
}

/// Transposes the keys of one CTA.
///
/// # Safety
/// The conditions are those of [`attention_transpose_b8`].
#[inline(always)]
unsafe fn transpose(to: *mut u8, from: *const u8, params: &TransposeParams) {
    let (warp, lane) = (thread_idx_x() / 32, thread_idx_x() % 32);
    let (of_all, block) = divide(block_idx_x(), params.places / 128);
    let (batch, head) = divide(of_all, params.heads);
    let (first, column) = (128 * block + 32 * warp, 4 * lane);
    let of_head = u64::from(batch) * params.batch + u64::from(head) * params.head;
    let from = from.wrapping_add((of_head + u64::from(column)) as usize);
    // SAFETY: the plan's launch has 16 KiB of shared memory, which nothing else uses.
    let s_v = unsafe { Tensor::<Shared<u128>, Tile>::shared(dynamic_shared_offset()) }; // (16 places,column)
    unroll::<2>(|half| {
        let rows = Fragment::<u32, layout!((16))>::new(); // (key)
        unroll::<16>(|i| {
            let key = first + 16 * half as u32 + i as u32;
            let row = if key < params.keys {
                // SAFETY: a key below `keys` has a row of 128 elements, which begin at a multiple
                // of 16 bytes.
                unsafe {
                    *from
                        .wrapping_add((u64::from(key) * params.row) as usize)
                        .cast::<u32>()
                }
            } else {
                0
            };
            rows.set(i as u32, row);
        });
        let columns = Fragment::<u32, layout!((4, 4))>::new(); // (four places,column)
        unroll::<4>(|four| {
            let key = |i: usize| rows.get(KeyOrder::index::<u32>((4 * four + i) as u32));
            let of_four = transpose_bytes([key(0), key(1), key(2), key(3)]);
            unroll::<4>(|i| columns.set((four as u32, i as u32), of_four[i]));
        });
        unroll::<4>(|i| {
            let word = |four: u32| u128::from(columns.get((four, i as u32))) << (32 * four);
            let places = word(0) | word(1) | word(2) | word(3);
            s_v.set((2 * warp + half as u32, column + i as u32), places);
        });
    });
    sync_threads();
    // Eight threads write 128 adjacent bytes of a column of V, which is a row of Vᵀ.
    let (place, column) = (thread_idx_x() % 8, thread_idx_x() / 8);
    let of_column = u64::from(of_all * COLUMNS + column) * u64::from(params.places);
    let to = to.wrapping_add((of_column + u64::from(128 * block + 16 * place)) as usize);
    unroll::<8>(|i| {
        let places = s_v.get((place, column + 16 * i as u32));
        let at = 16 * i as u64 * u64::from(params.places);
        // SAFETY: the number of places of a column is a multiple of 128, and Vᵀ begins at a
        // multiple of 16 bytes.
        unsafe { *to.wrapping_add(at as usize).cast::<u128>() = places };
    });
}
