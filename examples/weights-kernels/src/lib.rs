//! Products of few tokens with weights of 4 and 8 bits, for Hopper: formats, groups, activations
//! and tokens as types.
//!
//! Law: the law of [`gpu_kernels::weights::kernel`] holds.

mod fp4;

pub use fp4::TreeFloat4;

use cuda_std::kernel;
use cuda_std::thread::index_1d;
use gpu_kernels::few_rows_kernel;
use gpu_kernels::weights::codebook::{CodebookFormat, Nf4};
use gpu_kernels::weights::config::OfCluster;
use gpu_kernels::weights::format::{
    Decode, E2m1, E4m3, Int4, Int8, UInt4, WeightFormat, scaled_block, zeros_of,
};
use gpu_kernels::weights::scaling::{
    E8m0, GroupScaling, Q4KGroups, Q6KGroups, RowScale, ScaleGroups, Ue4m3, ZeroGroups,
};
use gpu_kernels_sm90::many_rows_kernel;
use half::{bf16, f16};

/// bitsandbytes' FP4 in groups of 64.
pub type Fp4G64 = CodebookFormat<TreeFloat4, ScaleGroups<f32, 64>>;

few_rows_kernel! {
    /// int4 in groups of 128, bf16, up to 8 tokens.
    weights_int4_g128_bf16_t8: Int4G128Bf16T8 = Int4<ScaleGroups<bf16, 128>>, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 16 * 1, depth 4;
    /// int4 in groups of 128, bf16, up to 16 tokens.
    weights_int4_g128_bf16_t16: Int4G128Bf16T16 = Int4<ScaleGroups<bf16, 128>>, bf16, OfCluster,
        tokens 8 * 2, rows 16 * 1, threads 512, warps 4 * 4, depth 4;
    /// int4 in groups of 128, bf16, up to 32 tokens.
    weights_int4_g128_bf16_t32: Int4G128Bf16T32 = Int4<ScaleGroups<bf16, 128>>, bf16, OfCluster,
        tokens 8 * 4, rows 16 * 2, threads 256, warps 2 * 4, depth 4;
    /// int4 with zeros in groups of 64, bf16, up to 8 tokens.
    weights_uint4_g64_bf16_t8: UInt4G64Bf16T8 = UInt4<ZeroGroups<f16, 64>>, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// MXFP4, bf16, up to 8 tokens.
    weights_mxfp4_bf16_t8: Mxfp4Bf16T8 = E2m1<ScaleGroups<E8m0, 32>>, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// NVFP4, bf16, up to 16 tokens.
    weights_nvfp4_bf16_t16: Nvfp4Bf16T16 = E2m1<ScaleGroups<Ue4m3, 16>>, bf16, OfCluster,
        tokens 8 * 2, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// fp4, this crate's format, in groups of 64, bf16, up to 8 tokens.
    weights_fp4_bf16_t8: Fp4Bf16T8 = Fp4G64, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// int8 in groups of 128, bf16, up to 8 tokens.
    weights_int8_g128_bf16_t8: Int8G128Bf16T8 = Int8<ScaleGroups<bf16, 128>>, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 2;
    /// e4m3 with a scale for each row, bf16, up to 8 tokens.
    weights_e4m3_row_bf16_t8: E4m3RowBf16T8 = E4m3<RowScale>, bf16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 2;
    /// q4_K, bf16, up to 32 tokens.
    weights_q4_k_bf16_t32: Q4KBf16T32 = UInt4<Q4KGroups>, bf16, OfCluster,
        tokens 8 * 4, rows 16 * 2, threads 256, warps 8 * 1, depth 2;
    /// q6_K, f16, up to 8 tokens.
    weights_q6_k_f16_t8: Q6KF16T8 = Int8<Q6KGroups>, f16, OfCluster,
        tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 2;
}

many_rows_kernel! {
    /// int4 in groups of 128, bf16, tiles of 64 tokens.
    weights_int4_g128_bf16_m64: Int4G128Bf16M64 = Int4<ScaleGroups<bf16, 128>>, bf16, F32BF16BF16,
        tokens U64 64, stages 8;
    /// int4 in groups of 128, bf16, tiles of 128 tokens.
    weights_int4_g128_bf16_m128: Int4G128Bf16M128 = Int4<ScaleGroups<bf16, 128>>, bf16, F32BF16BF16,
        tokens U128 128, stages 5;
    /// int4 with zeros in groups of 64, f16, tiles of 64 tokens.
    weights_uint4_g64_f16_m64: UInt4G64F16M64 = UInt4<ZeroGroups<f16, 64>>, f16, F32F16F16,
        tokens U64 64, stages 8;
    /// int8 in groups of 128, f16, tiles of 64 tokens.
    weights_int8_g128_f16_m64: Int8G128F16M64 = Int8<ScaleGroups<f16, 128>>, f16, F32F16F16,
        tokens U64 64, stages 6;
    /// int8 with a scale for each row, f16, tiles of 64 tokens.
    weights_int8_row_f16_m64: Int8RowF16M64 = Int8<RowScale>, f16, F32F16F16,
        tokens U64 64, stages 6;
    /// q4_K, bf16, tiles of 64 tokens.
    weights_q4_k_bf16_m64: Q4KBf16M64 = UInt4<Q4KGroups>, bf16, F32BF16BF16,
        tokens U64 64, stages 8;
    /// q6_K, bf16, tiles of 64 tokens.
    weights_q6_k_bf16_m64: Q6KBf16M64 = Int8<Q6KGroups>, bf16, F32BF16BF16,
        tokens U64 64, stages 6;
}

macro_rules! decode_kernels {
    ($($(#[$doc:meta])* $name:ident: $format:ty, $element:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch has as many threads as `registers` has fours of registers and `codes` has
        /// codes of a block. The group's record has two words.
        #[kernel]
        pub unsafe fn $name(
            registers: *mut [u32; 4],
            codes: *const <$format as WeightFormat>::Codes,
            record: *const [u32; 2],
        ) {
            let at = index_1d() as usize;
            // SAFETY: the buffers have an element for each thread, by the contract.
            unsafe {
                let zeros = zeros_of::<$format, $element>(&*record, 0);
                *registers.add(at) = <$format as Decode<$element>>::decode(*codes.add(at), zeros);
            }
        }
    )*};
}
decode_kernels! {
    /// Decodes int4 to f16.
    decode_int4_f16: Int4<RowScale>, f16;
    /// Decodes int4 to bf16.
    decode_int4_bf16: Int4<RowScale>, bf16;
    /// Decodes int4 with zeros to f16.
    decode_uint4_f16: UInt4<ZeroGroups<f16, 128>>, f16;
    /// Decodes int4 with zeros to bf16.
    decode_uint4_bf16: UInt4<ZeroGroups<f16, 128>>, bf16;
    /// Decodes e2m1 to f16.
    decode_e2m1_f16: E2m1<RowScale>, f16;
    /// Decodes e2m1 to bf16.
    decode_e2m1_bf16: E2m1<RowScale>, bf16;
    /// Decodes nf4 to f16.
    decode_nf4_f16: Nf4<RowScale>, f16;
    /// Decodes nf4 to bf16.
    decode_nf4_bf16: Nf4<RowScale>, bf16;
    /// Decodes int8 to f16.
    decode_int8_f16: Int8<RowScale>, f16;
    /// Decodes int8 to bf16.
    decode_int8_bf16: Int8<RowScale>, bf16;
    /// Decodes e4m3 to f16.
    decode_e4m3_f16: E4m3<RowScale>, f16;
    /// Decodes e4m3 to bf16.
    decode_e4m3_bf16: E4m3<RowScale>, bf16;
}

macro_rules! scale_kernels {
    ($($(#[$doc:meta])* $name:ident: $format:ty, $block:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch has as many threads as `weights` has fours of registers, `codes` has codes of
        /// a block and `records` has records.
        #[kernel]
        pub unsafe fn $name(
            weights: *mut [u32; 4],
            codes: *const <$format as WeightFormat>::Codes,
            records: *const [u32; <<$format as WeightFormat>::Scaling as GroupScaling>::WORDS],
        ) {
            let at = index_1d() as usize;
            // SAFETY: the buffers have an element for each thread, by the contract.
            unsafe {
                *weights.add(at) =
                    scaled_block::<$format, bf16>(*codes.add(at), &*records.add(at), $block);
            }
        }
    )*};
}
scale_kernels! {
    /// Decodes and scales block 3 of a unit of int4.
    scale_int4_g128: Int4<ScaleGroups<bf16, 128>>, 3;
    /// Decodes and scales block 3 of a unit of NVFP4.
    scale_nvfp4: E2m1<ScaleGroups<Ue4m3, 16>>, 3;
    /// Decodes and scales block 3 of a unit of q4_K.
    scale_q4_k: UInt4<Q4KGroups>, 3;
    /// Decodes and scales block 3 of a unit of q6_K.
    scale_q6_k: Int8<Q6KGroups>, 3;
}
