//! The configurations for 16-bit inputs: one table for f16 and bf16, and further configurations
//! with f16 accumulators.

use crate::gemm::layouts::*;
use crate::{gemm_config, operand};
use layout_types::prelude::*;

operand! {
    /// 64 rows, 64 deep, four stages, by 128 threads.
    K64x64x4: u16, tile tile!(64, 64), stages K64<int!(64), int!(4)>, CpAsyncRows 16 by Rows64By128;
}

#[cfg(any(feature = "gemm-f16", feature = "gemm-bf16"))]
operand! {
    /// 128 rows, 64 deep, four stages, by 256 threads.
    K128x64x4By256: u16, tile tile!(128, 64), stages K64<int!(128), int!(4)>, CpAsyncRows 16 by Rows64By256;
    /// 256 rows, 64 deep, four stages, by 256 threads.
    K256x64x4By256: u16, tile tile!(256, 64), stages K64<int!(256), int!(4)>, CpAsyncRows 16 by Rows64By256;
    /// 128 rows, 64 deep, three stages, by 256 threads.
    K128x64x3By256: u16, tile tile!(128, 64), stages K64<int!(128), int!(3)>, CpAsyncRowsRecompute 16 by Rows64By256;
    /// 256 rows, 64 deep, three stages, by 256 threads.
    K256x64x3By256: u16, tile tile!(256, 64), stages K64<int!(256), int!(3)>, CpAsyncRowsRecompute 16 by Rows64By256;
    /// 128 rows, 64 deep, three stages, by 128 threads.
    K128x64x3: u16, tile tile!(128, 64), stages K64<int!(128), int!(3)>, CpAsyncRows 16 by Rows64By128;
    /// 128 columns of m or n, 64 deep, three stages, by 128 threads.
    Mn128x64x3: u16, tile tile!(128, 64), stages Mn64<int!(128), int!(3)>, CpAsync 16 by Columns64By128;
    /// 128 rows, 32 deep, three stages, element by element.
    Any128x32x3: u16, tile tile!(128, 32), stages K32<int!(128), int!(3)>,
        ThroughRegisters 2 by ElementWiseU16<u16>, through ElementWiseU16<u32>, fragment layout!(((1,2),16,1):((0,1),2,0));
    /// 64 rows, 32 deep, three stages, element by element.
    Any64x32x3: u16, tile tile!(64, 32), stages K32<int!(64), int!(3)>,
        ThroughRegisters 2 by ElementWiseU16<u16>, through ElementWiseU16<u32>, fragment layout!(((1,2),8,1):((0,1),2,0));
}

/// The configurations of f16 or bf16 with f32 accumulators.
macro_rules! sixteen_bit {
    ($module:ident, $feature:literal, all $all:literal, $input:ident $value:ident, $atom:ident) => {
        #[doc = concat!("Configurations of ", stringify!($value), " with f32 accumulators.")]
        #[cfg(feature = $feature)]
        pub mod $module {
            use super::*;
            use half::$value;
            use layout_types::atom::mma::$atom;
            type Warps2x2 = Warps22<$atom>;
            #[cfg(feature = $all)]
            type Warps2x4 = Warps24<$atom>;
            gemm_config! {
                /// Small products.
                Small {
                    kernel: concat!("gemm_", stringify!($module), "_tn_64x64x64_s4"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Tn,
                    mma: Warps2x2,
                    tile: (64, 64, 64), warps: (2, 2), stages: 4, k_blocks: 4,
                    a: K64x64x4, read by RowsA<Warps2x2>,
                    b: K64x64x4, read by RowsB<Warps2x2>,
                    registers: 32,
                    epilogue: Chunk32x32 4 of 1, 4 of 1
                }
            }
            // These are separate because a first build has only the configuration above.
            #[cfg(feature = $all)]
            gemm_config! {
                /// Short k, or many tiles: persistent.
                Persistent {
                    kernel: concat!("gemm_", stringify!($module), "_tn_128x256x64_s3_p"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Tn,
                    mma: Warps2x4,
                    tile: (128, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
                    a: K128x64x3By256, read by RowsA<Warps2x4>,
                    b: K256x64x3By256, read by RowsB<Warps2x4>,
                    registers: 128,
                    epilogue: Chunk32x64 16 of 1, 8 of 2, overlapped 16
                }
                /// Large products.
                Wide {
                    kernel: concat!("gemm_", stringify!($module), "_tn_128x256x64_s4"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Tn,
                    mma: Warps2x4,
                    tile: (128, 256, 64), warps: (2, 4), stages: 4, k_blocks: 4,
                    a: K128x64x4By256, read by RowsA<Warps2x4>,
                    b: K256x64x4By256, read by RowsB<Warps2x4>,
                    registers: 128,
                    epilogue: Chunk32x64 16 of 1, 16 of 1, staged 16
                }
                /// A column-major, B column-major.
                Nn {
                    kernel: concat!("gemm_", stringify!($module), "_nn_128x128x64_s3"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Nn,
                    mma: Warps2x2,
                    tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
                    a: Mn128x64x3, read by ColumnsA<Warps2x2>,
                    b: K128x64x3, read by RowsB<Warps2x2>,
                    registers: 128,
                    epilogue: Chunk32x32 16 of 1, 16 of 1
                }
                /// A row-major, B row-major.
                Tt {
                    kernel: concat!("gemm_", stringify!($module), "_tt_128x128x64_s3"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Tt,
                    mma: Warps2x2,
                    tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
                    a: K128x64x3, read by RowsA<Warps2x2>,
                    b: Mn128x64x3, read by ColumnsB<Warps2x2>,
                    registers: 128,
                    epilogue: Chunk32x32 16 of 1, 16 of 1
                }
                /// A column-major, B row-major.
                Nt {
                    kernel: concat!("gemm_", stringify!($module), "_nt_128x128x64_s3"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Nt,
                    mma: Warps2x2,
                    tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
                    a: Mn128x64x3, read by ColumnsA<Warps2x2>,
                    b: Mn128x64x3, read by ColumnsB<Warps2x2>,
                    registers: 128,
                    epilogue: Chunk32x32 16 of 1, 16 of 1
                }
                /// Any alignment and majors.
                Any {
                    kernel: concat!("gemm_", stringify!($module), "_any_128x64x32_s3"),
                    input: $input $value, accumulator: F32 f32, output: $value, majors: Tn,
                    mma: Warps2x2,
                    tile: (128, 64, 32), warps: (2, 2), stages: 3, k_blocks: 2,
                    a: Any128x32x3, read by RowsA<Warps2x2>,
                    b: Any64x32x3, read by RowsB<Warps2x2>,
                    registers: 64,
                    epilogue: Chunk32x32 8 of 1, 8 of 1
                }
            }
        }
    };
}
sixteen_bit!(f16_f32, "gemm-f16-small", all "gemm-f16", F16 f16, Sm80_16x8x16_F32F16F16F32_TN);
sixteen_bit!(bf16_f32, "gemm-bf16", all "gemm-bf16", Bf16 bf16, Sm80_16x8x16_F32BF16BF16F32_TN);

/// Configurations of f16 with f16 accumulators.
#[cfg(feature = "gemm-f16")]
pub mod f16_f16 {
    use super::*;
    use half::f16;
    use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
    type Warps2x2 = Warps22<Sm80_16x8x16_F16F16F16F16_TN>;
    type Warps2x4 = Warps24<Sm80_16x8x16_F16F16F16F16_TN>;
    gemm_config! {
        /// Large products.
        Square {
            kernel: "gemm_f16_f16_tn_256x256x64_s3",
            input: F16 f16, accumulator: F16 f16, output: f16, majors: Tn,
            mma: Warps2x4,
            tile: (256, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
            a: K256x64x3By256, read by RowsA<Warps2x4>,
            b: K256x64x3By256, read by RowsB<Warps2x4>,
            registers: 128,
            epilogue: Chunk32x64 32 of 1, 16 of 2, staged 32
        }
        /// Short k, or many tiles: persistent.
        Persistent {
            kernel: "gemm_f16_f16_tn_128x256x64_s3_p",
            input: F16 f16, accumulator: F16 f16, output: f16, majors: Tn,
            mma: Warps2x4,
            tile: (128, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
            a: K128x64x3By256, read by RowsA<Warps2x4>,
            b: K256x64x3By256, read by RowsB<Warps2x4>,
            registers: 64,
            epilogue: Chunk32x64 16 of 1, 8 of 2, overlapped 16
        }
        /// Small products.
        Small {
            kernel: "gemm_f16_f16_tn_64x64x64_s4",
            input: F16 f16, accumulator: F16 f16, output: f16, majors: Tn,
            mma: Warps2x2,
            tile: (64, 64, 64), warps: (2, 2), stages: 4, k_blocks: 4,
            a: K64x64x4, read by RowsA<Warps2x2>,
            b: K64x64x4, read by RowsB<Warps2x2>,
            registers: 16,
            epilogue: Chunk32x32 4 of 1, 4 of 1
        }
    }
}
