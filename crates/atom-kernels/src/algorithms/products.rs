//! Products of one tile by tiled MMAs: partition, copy, `gemm`, copy.
//!
//! ```text
//!   A (M,K), B (N,K) row-major ─► shared memory ─► partition_a, partition_b ─► fragments ─► gemm ─► partition_c of D (M,N)
//! ```
//!
//! Law: `D(m, n) += sum over k of A(m, k) B(n, k)`.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::algorithm::{cooperative_copy, copy, gemm};
use layout_types::atom::copy::AutoVectorizingCopy as Auto;
use layout_types::atom::element::TFloat32;
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;

macro_rules! product {
    ($($name:ident: $threads:literal, ($m:literal, $n:literal, $k:literal), $factor:ty => $sum:ty, $mma:ty, $a:ty, $b:ty;)*) => {$(
        /// Computes D += A Bᵀ for one tile.
        ///
        /// # Safety
        /// One block with the tiled MMA's threads executes it; the arrays hold the tile at
        /// multiples of 16 bytes, and shared memory holds A and B.
        #[kernel]
        pub unsafe fn $name(d: *mut $sum, a: *const $factor, b: *const $factor) {
            type Mma = $mma;
            const { assert!($threads == <Mma as layout_types::tiled::TiledMmaTraits>::THREADS) };
            let thread = thread_idx_x();
            // SAFETY: the caller guarantees one block with the tiled MMA's threads, which are whole
            // warps, the tile in each array, 16-byte aligned, and shared memory for A and B. The
            // barrier is between the writes and the reads; each element of D belongs to one thread.
            unsafe {
                let a = Tensor::<_, layout!(($m,$k):($k,1))>::global_static(a);
                let b = Tensor::<_, layout!(($n,$k):($k,1))>::global_static(b);
                let d = Tensor::<_, layout!(($m,$n):($n,1))>::global_static_mut(d);
                type SharedA = Tensor<Shared<$factor>, $a>;
                type SharedB = Tensor<Shared<$factor>, $b>;
                let s_a = SharedA::shared(dynamic_shared_offset());
                let s_b = SharedB::shared(dynamic_shared_offset() + SharedA::BYTES as u32);
                cooperative_copy::<$threads, _, _, _, _>(thread, &a, &s_a);
                cooperative_copy::<$threads, _, _, _, _>(thread, &b, &s_b);
                sync_threads();

                let thr_mma = Mma::get_slice(thread);
                let t_d = thr_mma.partition_c(&d);
                let r_a = thr_mma.partition_fragment_a(&s_a);
                let r_b = thr_mma.partition_fragment_b(&s_b);
                let r_d = thr_mma.partition_fragment_c(&d);
                copy(Auto::default(), &thr_mma.partition_a(&s_a), &r_a.view());
                copy(Auto::default(), &thr_mma.partition_b(&s_b), &r_b.view());
                copy(Auto::default(), &t_d, &r_d.view());
                gemm(Mma::default(), &r_a.view(), &r_b.view(), &r_d.view());
                copy(Auto::default(), &r_d.view(), &t_d);
            }
        }
    )*};
}

layouts! {
    /// Eight rows of 32 halfs, which are read without bank conflicts.
    type HalfAtom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    /// A tile of A or B in halfs.
    type HalfTile = tile_to_shape(HalfAtom, (64,32));
    /// Eight rows of 32 words.
    type WordAtom = composition(Swizzle<3, 2, 3>, (8,32):(32,1));
    /// A tile of words.
    type WordTile = tile_to_shape(WordAtom, (32,32));
}
product! {
    tensor_gemm_f16: 128, (64, 64, 32), half::f16 => f32,
        TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>, HalfTile, HalfTile;
    tensor_gemm_f16_f16: 128, (64, 64, 32), half::f16 => half::f16,
        TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, (2,4,4):(1,8,2), 16)>, HalfTile, HalfTile;
    tensor_gemm_tf32: 64, (32, 32, 32), TFloat32 => f32,
        TiledMma<Sm80_16x8x8_F32TF32TF32F32_TN, layout!((1, 2, 1))>, WordTile, WordTile;
    tensor_gemm_s8: 128, (64, 32, 64), i8 => i32,
        TiledMma<Sm80_16x8x32_S32S8S8S32_TN, layout!((4, 1, 1))>, layout!((64,64):(80,1)), layout!((32,64):(80,1));
    tensor_gemm_f64: 64, (16, 24, 8), f64 => f64,
        TiledMma<Sm80_8x8x4_F64F64F64F64_TN, layout!((2, 1, 1))>, layout!((16,8):(10,1)), layout!((24,8):(10,1));
    tensor_gemm_fma: 32, (16, 24, 5), f32 => f32,
        TiledMma<UniversalFma<f32>, layout!((4, 8, 1))>, layout!((16,5):(1,16)), layout!((24,5):(1,24));
}
