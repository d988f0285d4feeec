//! A 3×3 convolution as a matrix product, without a matrix in memory: the layout names one pixel as
//! often as windows contain it.
//!
//! ```text
//!   activations (18,18,32) NHWC     A: ((Q,P),(C,S,R)) = ((16,16),(32,3,3)):((32,576),(1,32,576))
//!   output pixel (q, p) needs pixel (q + s, p + r): q and s have one stride, and so have p and r
//!
//!   D (256, 64) = A (256, 288) · Bᵀ          filters B: (K,(C,S,R)) = (64,(32,3,3)):(288,(1,32,96))
//! ```
//!
//! Law: `out[n][p][q][k] == sum over r, s, c of act[n][p + r][q + s][c] * filter[k][r][s][c]`, with
//! products of halfs added in f32.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use half::f16;
use layout_types::algorithm::{copy, cp_async_fence, cp_async_wait, gemm};
use layout_types::atom::copy::{
    AutoVectorizingCopy as Auto, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL,
};
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::{MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, TiledMma};

/// The height and the width of the activations.
pub const SIDE: usize = 18;
/// The height and the width of the output.
pub const OUT: usize = 16;
/// The number of input channels.
pub const CHANNELS: usize = 32;
/// The number of output channels.
pub const FILTERS: usize = 64;
/// The number of threads in a block.
pub const THREADS: u32 = 128;
/// The number of bytes of shared memory: a tile of A and one of B.
pub const SHARED_BYTES: u32 = ((128 + 64) * 32 * 2) as u32;

/// One image as the matrix with which the filters are multiplied: (pixel of the output, place in
/// the window).
pub type Windows = layout!(((16,16),(32,3,3)):((32,576),(1,32,576)));
/// The filters: (filter, place in the window).
pub type Filters = layout!((64,(32,3,3)):(288,(1,32,96)));
/// The output of one image: (pixel, filter).
pub type Pixels = layout!(((16,16),64):((64,1024),1));

layouts! {
    type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    /// A tile of the windows: 128 pixels, one place of the window, all its channels.
    pub type SharedA = tile_to_shape(Atom, (128,32));
    /// The filters' values at that place.
    pub type SharedB = tile_to_shape(Atom, (64,32));
}
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
type G2s =
    MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((32,4):(4,1)), layout!((1, 8))>;
type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>;
type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>;
assert_covers!(copy G2s);
assert_covers!(mma Mma);
assert_bank_conflict_free!(write of SharedA by G2s);
assert_bank_conflict_free!(ldmatrix of SharedA by Mma);
assert_bank_conflict_free!(ldmatrix of SharedB by Mma, operand B);

/// Computes the convolution of a batch.
///
/// # Safety
/// The launch has blocks of 128 threads, two along x for each image along y, with 12,288 bytes of
/// dynamic shared memory. The activations `[images][18][18][32]`, the filters `[64][3][3][32]` and
/// the output `[images][16][16][64]` begin at 16-byte boundaries.
#[kernel]
pub unsafe fn convolution(out: *mut f32, activations: *const f16, filters: *const f16) {
    let (half, image, thread) = (block_idx_x(), block_idx_y() as usize, thread_idx_x());
    // SAFETY: the launch has two blocks of 128 threads per image, 12,288 bytes of dynamic shared
    // memory, and activations, filters and output of the layouts' sizes, 16-byte aligned, by the
    // contract. A tile in shared memory is complete after wait and barrier and stays until the next
    // barrier. One thread writes each pixel of the output.
    unsafe {
        let g_a =
            Tensor::<_, Windows>::global_static(activations.add(image * SIDE * SIDE * CHANNELS));
        let g_b = Tensor::<_, Filters>::global_static(filters);
        let g_d = Tensor::<_, Pixels>::global_static_mut(out.add(image * OUT * OUT * FILTERS));
        let s_a = Tensor::<Shared<f16>, SharedA>::shared(dynamic_shared_offset());
        let s_b = Tensor::<Shared<f16>, SharedB>::shared(dynamic_shared_offset() + 128 * 32 * 2);

        let a_tiles = g_a.local_tile::<tile!(128, 32), _>((half, __));
        let b_tiles = g_b.local_tile::<tile!(64, 32), _>((0u32, __));
        let d_tile = g_d.local_tile::<tile!(128, 64), _>((half, 0u32));

        let (mma, g2s) = (Mma::get_slice(thread), G2s::get_slice(thread));
        let (s2r_a, s2r_b) = (S2rA::get_slice(thread), S2rB::get_slice(thread));
        let (from_a, from_b) = (g2s.partition_s(&a_tiles), g2s.partition_s(&b_tiles));
        let (to_a, to_b) = (g2s.partition_d(&s_a), g2s.partition_d(&s_b));
        let (r_a, r_b) = (
            mma.partition_fragment_a(&s_a),
            mma.partition_fragment_b(&s_b),
        );
        let sums = mma.partition_fragment_c(&d_tile);

        for place in 0..9u32 {
            copy(G2s::default(), &from_a.slice((__, __, __, place)), &to_a);
            copy(G2s::default(), &from_b.slice((__, __, __, place)), &to_b);
            cp_async_fence();
            cp_async_wait::<0>();
            sync_threads();
            copy(
                S2rA::default(),
                &s2r_a.partition_s(&s_a),
                &s2r_a.retile_d(&r_a.view()),
            );
            copy(
                S2rB::default(),
                &s2r_b.partition_s(&s_b),
                &s2r_b.retile_d(&r_b.view()),
            );
            gemm(Mma::default(), &r_a.view(), &r_b.view(), &sums.view());
            sync_threads();
        }
        copy(Auto::default(), &sums.view(), &mma.partition_c(&d_tile));
    }
}
