//! The reference GEMM with every index computed by hand: without layouts, tensors and tiled
//! operations.
//!
//! ```text
//!   element (row, k) of a tile in shared memory       byte 64·row + 2·k, its bits 4 to 6 xor bits 7 to 9
//!   element (m, n) of a (32, 32) tile of D            byte 64·m + 2·n, its bits 4 and 5 xor bits 7 and 8
//! ```
//!
//! It shows that layout types cost nothing in [`gemm`](crate::gemm). Both kernels have the tile
//! (128, 128, 32), four warps, three stages, two k blocks of fragments, and the same instructions
//! in the same order. `.ci/zero-cost` counts the SASS instructions of both kernels, `cutlet bench
//! zero-cost` times them.
//!
//! Law: `D = A·Bᵀ` of f16 with an f16 accumulator, for `N` and `K` multiples of 8. Out-of-bounds
//! elements are read as zero and not written.
//!
//! In [`gemm`](crate::gemm) the layouts derive each of the constants below. Here nothing checks
//! them.
//!
//! Source: PTX ISA, *Warp-level matrix instructions* (the fragments of `m16n8k16` and of
//! `ldmatrix`).

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use half::f16;
use kernel_abi::{
    KernelArguments, LaunchSpec, MAX_EXTENT, ProblemError, argument_names, arguments,
    checked_extent,
};
use layout_types::arch::copy::{load_shared_b128, store_global_b128, store_shared_b32};
use layout_types::arch::copy_sm75::ldmatrix_x4;
use layout_types::arch::copy_sm80::{cp_async_cg_16_if, cp_async_fence, cp_async_wait};
use layout_types::arch::mma_sm80::mma_16x8x16_f16_f16;
use layout_types::arch::mov::thread_here;
use layout_types::unroll::unroll;

/// The number of stages in shared memory.
const STAGES: u32 = 3;
/// The size in bytes of one operand's stage: 128 rows of 32 elements.
const STAGE: u32 = 8192;
/// The dynamic shared memory of a CTA, in bytes: the stages of A and of B.
pub const SHARED_BYTES: u32 = 2 * STAGES * STAGE;

/// The kernel on layouts and the kernel by hand, whose costs are compared.
pub const PAIR: [&str; 2] = ["hgemm_on_layouts", "hgemm_by_hand"];
/// The largest number of rows and of columns: the grid has a CTA along x for each tile of D.
const MAX_MN: u32 = 1 << 22;

argument_names! {
    /// An argument of a kernel of [`PAIR`].
    pub enum HgemmArgument {
        /// D.
        D = "d", "D";
        /// A.
        A = "a", "A";
        /// B.
        B = "b", "B";
        /// The rows of A and D.
        M = "m", "M";
        /// The rows of B, and the columns of D.
        N = "n", "N";
        /// The columns of A and B.
        K = "k", "K";
    }
}

/// The arguments of both kernels of [`PAIR`], in their order.
pub const ARGUMENTS: KernelArguments<HgemmArgument> = KernelArguments::new(
    arguments!(HgemmArgument {
        D: [*mut f16], A: [*const f16], B: [*const f16], M: [u32], N: [u32], K: [u32],
    }),
    "f16",
);

/// Returns the launch of a kernel of [`PAIR`].
///
/// n and k have to be multiples of 8: rows are copied 16 bytes at a time.
///
/// # Errors
/// Returns a [`ProblemError`] if an extent is 0, `m` or `n` is above 2^22, or `k` is above 2^31.
///
/// ```
/// use gpu_kernels::hgemm_by_hand::{PAIR, launch_spec};
/// assert_eq!(launch_spec(PAIR[1], 300, 136, 104)?.grid, [6, 1, 1]);
/// # Ok::<(), kernel_abi::ProblemError>(())
/// ```
pub fn launch_spec(
    kernel: &'static str,
    m: u32,
    n: u32,
    k: u32,
) -> Result<LaunchSpec<3>, ProblemError> {
    let tiles = checked_extent("m", m, MAX_MN)?.div_ceil(128)
        * checked_extent("n", n, MAX_MN)?.div_ceil(128);
    checked_extent("k", k, MAX_EXTENT)?;
    let buffer = |argument, [rows, columns]: [u32; 2]| {
        let elements = u64::from(rows) * u64::from(columns);
        ARGUMENTS.buffer(argument, elements, 16).of_bytes(2)
    };
    Ok(LaunchSpec {
        kernel,
        grid: [tiles, 1, 1],
        block: [128, 1, 1],
        cluster: [1; 3],
        shared_bytes: SHARED_BYTES as usize,
        buffers: [
            buffer(HgemmArgument::D, [m, n]),
            buffer(HgemmArgument::A, [m, k]),
            buffer(HgemmArgument::B, [n, k]),
        ],
    })
}

/// A thread's fragment of A for one k block: 4 atoms of 4 registers.
type A = [[u32; 4]; 4];
/// A thread's fragment of B for one k block: 4 pairs of atoms of 2 registers.
type B = [[u32; 4]; 4];

/// Computes `D = A·Bᵀ`; see [the module](self).
///
/// # Safety
/// The launch is as [`launch_spec`] says; the matrices are row-major.
#[kernel]
pub unsafe fn hgemm_by_hand(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
    let thread = thread_idx_x();
    let (lane, warp) = (thread % 32, thread / 32);
    let (warp_m, warp_n) = (warp % 2, warp / 2);
    let (tile_m, tile_n) = tile(block_idx_x(), m.div_ceil(128), n.div_ceil(128));
    let shared_a = dynamic_shared_offset();
    let shared_b = shared_a + STAGES * STAGE;

    // Global to shared: thread t copies the 16 bytes t % 4 of rows t / 4, + 32, + 64, + 96.
    let (row, chunk) = (thread / 4, thread % 4);
    let pitch = u64::from(k) * 2;
    let from = |base: *const f16, tile: u32| {
        let first = u64::from(tile * 128 + row) * pitch;
        let first = base.cast::<u8>().wrapping_add(first as usize);
        [0, 1, 2, 3].map(|i| first.wrapping_add(i * (32 * pitch) as usize))
    };
    let (from_a, from_b) = (from(a, tile_m), from(b, tile_n));
    let to = swizzled(row * 64 + chunk * 16);
    // The predicates of the rows, one bit each. They are the same for all k tiles.
    let (mut rows_a, mut rows_b) = (0, 0);
    unroll::<4>(|i| {
        rows_a |= u32::from(tile_m * 128 + row + i as u32 * 32 < m) << i;
        rows_b |= u32::from(tile_n * 128 + row + i as u32 * 32 < n) << i;
    });
    let load = |k_tile: u32, stage: u32| {
        // The same number is the offset in a row and is compared with the row's end.
        let at = k_tile * 32 + chunk * 8;
        let along_k = u64::from(at) as usize * 2;
        let (rows_a, rows_b) = if at < k { (rows_a, rows_b) } else { (0, 0) };
        unroll::<4>(|i| {
            let target = to + stage * STAGE + i as u32 * 2048;
            // SAFETY: the predicate holds only if the 16 bytes of A are in bounds; `target` is
            // below STAGES * STAGE.
            unsafe {
                cp_async_cg_16_if(
                    shared_a + target,
                    from_a[i].wrapping_add(along_k),
                    rows_a & 1 << i,
                );
            }
        });
        unroll::<4>(|i| {
            let target = to + stage * STAGE + i as u32 * 2048;
            // SAFETY: the predicate holds only if the 16 bytes of B are in bounds; `target` is
            // below STAGES * STAGE.
            unsafe {
                cp_async_cg_16_if(
                    shared_b + target,
                    from_b[i].wrapping_add(along_k),
                    rows_b & 1 << i,
                );
            }
        });
    };

    // Shared to registers: lane l holds the address of row l % 8 of the 8×8 matrix l / 8. The
    // matrices of A are ordered by rows first, those of B by k first. B's second pair of matrices
    // is 16 rows further.
    let at_a = swizzled((warp_m * 16 + lane % 16) * 64 + lane / 16 * 16);
    let at_b = swizzled((warp_n * 8 + lane % 8 + lane / 16 * 16) * 64 + lane / 8 % 2 * 16);
    // The second k block is 32 bytes further before the swizzle. That is bit 5, which no other
    // offset sets.
    let load_fragments = |a: &mut A, b: &mut B, k_block: u32, stage: u32| {
        let (at_a, at_b) = (at_a ^ (k_block * 32), at_b ^ (k_block * 32));
        unroll::<4>(|i| {
            let down = stage * STAGE + i as u32 * 2048;
            // SAFETY: all lanes of each warp are here. The address is in the stage, which the
            // previous wait and barrier completed.
            unsafe { a[i] = ldmatrix_x4(shared_a + at_a + down) };
        });
        unroll::<4>(|i| {
            let down = stage * STAGE + i as u32 * 2048;
            // SAFETY: all lanes of each warp are here. The address is in the stage, which the
            // previous wait and barrier completed.
            unsafe { b[i] = ldmatrix_x4(shared_b + at_b + down) };
        });
    };

    let k_tiles = k.div_ceil(32);
    // The last iteration loads fragments of the next stage, so each stage must be written at least
    // once, even if with zeros.
    let end = k_tiles.max(STAGES);
    let mut next = 0;
    unroll::<{ STAGES as usize - 1 }>(|stage| {
        load(next, stage as u32);
        cp_async_fence();
        next += 1;
    });
    let (mut read, mut write) = (0, STAGES - 1);
    let mut fragments_a: [A; 2] = [[[0; 4]; 4]; 2];
    let mut fragments_b: [B; 2] = [[[0; 4]; 4]; 2];
    let mut accumulator = [[[0_u32; 2]; 8]; 4];
    cp_async_wait::<{ STAGES - 2 }>();
    sync_threads();
    load_fragments(&mut fragments_a[0], &mut fragments_b[0], 0, read);
    for _ in 0..k_tiles {
        unroll::<2>(|k_block| {
            let other = (k_block + 1) % 2;
            if k_block == 1 {
                cp_async_wait::<{ STAGES - 2 }>();
                sync_threads();
                write = read;
                read = if read + 1 == STAGES { 0 } else { read + 1 };
            }
            load_fragments(
                &mut fragments_a[other],
                &mut fragments_b[other],
                other as u32,
                read,
            );
            if k_block == 0 {
                if next < end {
                    load(next, write);
                }
                cp_async_fence();
                next += 1;
            }
            let (a, b) = (&fragments_a[k_block], &fragments_b[k_block]);
            unroll::<4>(|m| {
                unroll::<8>(|n| {
                    let pair = &b[n / 2];
                    let b = if n % 2 == 0 {
                        [pair[0], pair[1]]
                    } else {
                        [pair[2], pair[3]]
                    };
                    // SAFETY: all lanes of each warp are here.
                    unsafe { mma_16x8x16_f16_f16(&mut accumulator[m][n], &a[m], &b) };
                });
            });
        });
    }

    // Drain: the last groups were issued past the last k tile.
    cp_async_wait::<0>();

    // Registers to shared to global, two (32, 32) tiles at a time. The tiles reuse the shared
    // memory of the stages.
    sync_threads();
    // The thread index is read again, so that no register holds it through the mainloop.
    let thread = thread_here();
    let (lane, warp) = (thread % 32, thread / 32);
    let (warp_m, warp_n) = (warp % 2, warp / 2);
    let (row, chunk) = (thread / 4, thread % 4);
    let put = epilogue_swizzled((warp_m * 16 + lane / 4) * 64 + (warp_n * 8 + lane % 4 * 2) * 2);
    let get = epilogue_swizzled(row * 64 + chunk * 16);
    let pitch = u64::from(n) * 2;
    let first = u64::from(tile_m * 128 + row) * pitch + u64::from(tile_n * 256 + chunk * 16);
    let to = d.cast::<u8>().wrapping_add(first as usize);
    unroll::<8>(|pair| {
        if pair != 0 {
            sync_threads();
        }
        unroll::<2>(|half| {
            let (m, n) = ((2 * pair + half) % 4, (2 * pair + half) / 4);
            unroll::<4>(|register| {
                // The registers of an atom are eight rows apart. The second atom is 16 columns
                // further, which is bit 5.
                let (down, right) = (register as u32 % 2, register as u32 / 2);
                let place = (put ^ (right * 32)) + down * 512 + half as u32 * 2048;
                // SAFETY: the address is in the tile. Barriers separate the tile's writers from its
                // readers, and its readers from the next writers.
                unsafe {
                    store_shared_b32(
                        shared_a + place,
                        accumulator[m][2 * n + right as usize][down as usize],
                    )
                };
            });
        });
        sync_threads();
        unroll::<2>(|half| {
            let (i, j) = ((2 * pair + half) % 4, (2 * pair + half) / 4);
            let along = (i as u64 * 32 * pitch) as usize + j * 64;
            if tile_m * 128 + row + i as u32 * 32 < m
                && tile_n * 128 + j as u32 * 32 + chunk * 8 < n
            {
                // SAFETY: the barrier completed the tile; the 16 bytes are in bounds of D, and no
                // other thread writes them.
                unsafe {
                    let vector = load_shared_b128(shared_a + get + half as u32 * 2048);
                    store_global_b128(to.wrapping_add(along), vector);
                }
            }
        });
    });
}

/// Returns the row and column of the tile of CTA `number`. Tiles are ordered in groups of eight
/// rows of tiles, column by column within a group.
#[inline(always)]
fn tile(number: u32, rows: u32, columns: u32) -> (u32, u32) {
    let divide = |number: u32, by: u32| match core::num::NonZeroU32::new(by) {
        Some(by) => (number / by, number % by),
        None => (0, 0),
    };
    let (group, in_group) = divide(number, 8 * columns);
    let first = 8 * group;
    let (column, row) = divide(in_group, (rows - first).min(8));
    (first + row, column)
}

/// Returns a byte's offset in a swizzled tile of A or B: bits 4 to 6 xor bits 7 to 9.
#[inline(always)]
const fn swizzled(byte: u32) -> u32 {
    byte ^ (byte >> 3 & 0x70)
}

/// Returns a byte's offset in a swizzled tile of D: bits 4 and 5 xor bits 7 and 8.
#[inline(always)]
const fn epilogue_swizzled(byte: u32) -> u32 {
    byte ^ (byte >> 3 & 0x30)
}
