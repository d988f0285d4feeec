//! Products of few tokens with weights of 4 and 8 bits, for Hopper: formats, groups, activations
//! and tokens as types.
//!
//! Law: that of [`gpu_kernels::weights::kernel`].

mod nf4;

pub use nf4::Nf4;

use cuda_std::kernel;
use cuda_std::thread::index_1d;
use gpu_kernels::few_rows_kernel;
use gpu_kernels::weights::config::OfCluster;
use gpu_kernels::weights::format::{Decode, Int4, Int8, Mxfp4, UInt4, WeightFormat};
use gpu_kernels_sm90::many_rows_kernel;
use half::{bf16, f16};

few_rows_kernel! {
    /// int4 in groups of 128, bf16, up to 8 tokens.
    weights_int4_g128_bf16_t8: Int4G128Bf16T8 = Int4<bf16>, bf16, OfCluster,
        group 128, tokens 8 * 1, rows 16 * 1, threads 512, warps 16 * 1, depth 4;
    /// int4 in groups of 128, bf16, up to 16 tokens.
    weights_int4_g128_bf16_t16: Int4G128Bf16T16 = Int4<bf16>, bf16, OfCluster,
        group 128, tokens 8 * 2, rows 16 * 1, threads 512, warps 4 * 4, depth 4;
    /// int4 in groups of 128, bf16, up to 32 tokens.
    weights_int4_g128_bf16_t32: Int4G128Bf16T32 = Int4<bf16>, bf16, OfCluster,
        group 128, tokens 8 * 4, rows 16 * 2, threads 256, warps 2 * 4, depth 4;
    /// int4 with zeros in groups of 64, bf16, up to 8 tokens.
    weights_uint4_g64_bf16_t8: UInt4G64Bf16T8 = UInt4<f16>, bf16, OfCluster,
        group 64, tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// MXFP4, bf16, up to 8 tokens.
    weights_mxfp4_bf16_t8: Mxfp4Bf16T8 = Mxfp4, bf16, OfCluster,
        group 32, tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// nf4 in groups of 64, bf16, up to 8 tokens.
    weights_nf4_bf16_t8: Nf4Bf16T8 = Nf4, bf16, OfCluster,
        group 64, tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 4;
    /// int8 in groups of 128, bf16, up to 8 tokens.
    weights_int8_g128_bf16_t8: Int8G128Bf16T8 = Int8<bf16>, bf16, OfCluster,
        group 128, tokens 8 * 1, rows 16 * 1, threads 512, warps 8 * 2, depth 2;
}

many_rows_kernel! {
    /// int4 in groups of 128, bf16, tiles of 64 tokens.
    weights_int4_g128_bf16_m64: Int4G128Bf16M64 = Int4<bf16>, bf16, F32BF16BF16,
        tokens U64 64, group 128, stages 8;
    /// int4 in groups of 128, bf16, tiles of 128 tokens.
    weights_int4_g128_bf16_m128: Int4G128Bf16M128 = Int4<bf16>, bf16, F32BF16BF16,
        tokens U128 128, group 128, stages 5;
    /// int4 with zeros in groups of 64, f16, tiles of 64 tokens.
    weights_uint4_g64_f16_m64: UInt4G64F16M64 = UInt4<f16>, f16, F32F16F16,
        tokens U64 64, group 64, stages 8;
    /// int8 in groups of 128, f16, tiles of 64 tokens.
    weights_int8_g128_f16_m64: Int8G128F16M64 = Int8<f16>, f16, F32F16F16,
        tokens U64 64, group 128, stages 6;
}

macro_rules! decode_kernels {
    ($($(#[$doc:meta])* $name:ident: $format:ty, $element:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As many threads as `registers` has fours of registers and `codes` codes of a block; the
        /// group's record has two words.
        #[kernel]
        pub unsafe fn $name(
            registers: *mut [u32; 4],
            codes: *const <$format as WeightFormat>::Codes,
            record: *const [u32; 2],
        ) {
            let at = index_1d() as usize;
            // SAFETY: the buffers have an element for each thread, by the contract.
            unsafe {
                let zeros = <$format as Decode<$element>>::zeros(&*record, 0);
                *registers.add(at) = <$format as Decode<$element>>::decode(*codes.add(at), zeros);
            }
        }
    )*};
}
decode_kernels! {
    /// Decodes int4 to f16.
    decode_int4_f16: Int4<f16>, f16;
    /// Decodes int4 to bf16.
    decode_int4_bf16: Int4<f16>, bf16;
    /// Decodes int4 with zeros to f16.
    decode_uint4_f16: UInt4<f16>, f16;
    /// Decodes int4 with zeros to bf16.
    decode_uint4_bf16: UInt4<f16>, bf16;
    /// Decodes e2m1 to f16.
    decode_mxfp4_f16: Mxfp4, f16;
    /// Decodes e2m1 to bf16.
    decode_mxfp4_bf16: Mxfp4, bf16;
    /// Decodes nf4 to bf16.
    decode_nf4_bf16: Nf4, bf16;
    /// Decodes int8 to f16.
    decode_int8_f16: Int8<f16>, f16;
    /// Decodes int8 to bf16.
    decode_int8_bf16: Int8<f16>, bf16;
}
