//! The kernels that are launched before or after a product's kernel: Hopper's kernels, compiled for
//! `sm_100a`.
//!
//! ```text
//!   pack_u16 ─► rows that a tensor map takes ─► gemm_.. in slices of k ─► gemm_reduction_bf16 ─► D
//! ```
//!
//! Law: the laws of [`gpu_kernels_sm90::gemm::packing`] and [`gpu_kernels_sm90::gemm::reduction`]
//! hold.

use half::{bf16, f16};
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};

gpu_kernels_sm90::packing_kernels! {
    pack_u8 u8;
    pack_u16 u16;
    pack_u32 u32;
}
gpu_kernels_sm90::reduction_kernels! {
    gemm_reduction_f16 f32, f16;
    gemm_reduction_bf16 f32, bf16;
    gemm_reduction_tf32 f32, TFloat32;
    gemm_reduction_s8 i32, i8;
    gemm_reduction_e4m3 f32, FloatE4M3;
    gemm_reduction_e5m2 f32, FloatE5M2;
}
