//! The kernels for weights of few bits. Each format and type of activations has kernels for few
//! rows and kernels for many rows.
//!
//! ```text
//!   weights_int4_g128_bf16_t8      int4 in groups of 128, bf16 activations, up to 8 tokens: by mma.sync
//!   weights_int4_g128_bf16_m64     the same for any number of tokens, in tiles of 64: by wgmma
//! ```
//!
//! A build of all kernels includes these only with the feature `weights`. Otherwise the program
//! builds each of them at its first use.

use crate::many_rows_kernel;
use gpu_kernels::few_rows_kernel;
use gpu_kernels::weights::codebook::Nf4;
#[cfg(not(target_arch = "nvptx64"))]
use gpu_kernels::weights::config::FewRows;
use gpu_kernels::weights::config::OfCluster;
use gpu_kernels::weights::format::{E2m1, E4m3, Int4, Int8, UInt4};
#[cfg(not(target_arch = "nvptx64"))]
use gpu_kernels::weights::pack::FormatValue;
use gpu_kernels::weights::scaling::{
    E8m0, Q4KGroups, Q6KGroups, RowScale, ScaleGroups, Ue4m3, ZeroGroups,
};
use half::f16;
#[cfg(not(target_arch = "nvptx64"))]
use kernel_abi::gemm::InputType;
#[cfg(not(target_arch = "nvptx64"))]
use kernel_abi::weights::WeightsConfiguration;
use pastey::paste;

/// The kernels for a format and a type of activations.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct Menu {
    /// The format's name: `int4:128`.
    pub name: &'static str,
    /// The format.
    pub format: FormatValue,
    /// The kernels for few rows, then those for many rows, each ordered by the tokens of a tile.
    pub configurations: &'static [WeightsConfiguration],
}
#[cfg(not(target_arch = "nvptx64"))]
impl Menu {
    /// Returns the type of the activations.
    #[must_use]
    pub fn input(&self) -> InputType {
        self.configurations[0].input
    }
}

/// Defines the kernels of formats, and their table.
///
/// ```text
/// kernels! {
///     4 int4_g128 "int4:128" Int4<ScaleGroups<E, 128>>;      bits, part of kernel names, name, format (E: activations' type)
/// }
/// ```
macro_rules! kernels {
    // The kernels of a format. The stages are those that fit shared memory for tiles of 32, 64 and
    // 128 tokens. A tile of 256 tokens takes longer than two tiles of 128.
    (@of $element:ty, $kind:ident, $of:ident, $name:ident $short:literal $format:ty,
     [$s32:literal $s64:literal $s128:literal] $depth:literal) => { paste! {
        mod [<$name _ $of>] {
            use super::*;
            #[allow(dead_code, reason = "not every format depends on the activations")]
            type E = $element;
            pub type Format = $format;
        }
        few_rows_kernel! {
            #[doc = concat!("`", stringify!($name), "`, up to 8 tokens.")]
            [<weights_ $name _ $of _t8>]: [<$name:camel $of:camel T8>] = [<$name _ $of>]::Format, $element, OfCluster,
                tokens 8 * 1, rows 16 * 1, threads 512, warps 16 * 1, depth $depth;
            #[doc = concat!("`", stringify!($name), "`, up to 16 tokens.")]
            [<weights_ $name _ $of _t16>]: [<$name:camel $of:camel T16>] = [<$name _ $of>]::Format, $element, OfCluster,
                tokens 8 * 2, rows 16 * 1, threads 512, warps 8 * 2, depth $depth;
            #[doc = concat!("`", stringify!($name), "`, up to 32 tokens.")]
            [<weights_ $name _ $of _t32>]: [<$name:camel $of:camel T32>] = [<$name _ $of>]::Format, $element, OfCluster,
                tokens 8 * 4, rows 16 * 2, threads 256, warps 8 * 1, depth 2;
        }
        many_rows_kernel! {
            #[doc = concat!("`", stringify!($name), "`, tiles of 32 tokens.")]
            [<weights_ $name _ $of _m32>]: [<$name:camel $of:camel M32>] = [<$name _ $of>]::Format, $element, $kind,
                tokens U32 32, stages $s32;
            #[doc = concat!("`", stringify!($name), "`, tiles of 64 tokens.")]
            [<weights_ $name _ $of _m64>]: [<$name:camel $of:camel M64>] = [<$name _ $of>]::Format, $element, $kind,
                tokens U64 64, stages $s64;
            #[doc = concat!("`", stringify!($name), "`, tiles of 128 tokens.")]
            [<weights_ $name _ $of _m128>]: [<$name:camel $of:camel M128>] = [<$name _ $of>]::Format, $element, $kind,
                tokens U128 128, stages $s128;
        }
        #[cfg(not(target_arch = "nvptx64"))]
        static [<$name:upper _ $of:upper>]: Menu = Menu {
            name: $short,
            format: FormatValue::new::<[<$name _ $of>]::Format>(<[<$name:camel $of:camel T8>] as FewRows>::PACKED),
            configurations: &[
                [<$name:camel $of:camel T8>]::CONFIGURATION,
                [<$name:camel $of:camel T16>]::CONFIGURATION,
                [<$name:camel $of:camel T32>]::CONFIGURATION,
                [<$name:camel $of:camel M32>]::CONFIGURATION,
                [<$name:camel $of:camel M64>]::CONFIGURATION,
                [<$name:camel $of:camel M128>]::CONFIGURATION,
            ],
        };
    }};
    (@line 4 $($rest:tt)+) => { kernels! { @of $($rest)+, [12 8 5] 4 } };
    // Here records are as long as the codes, so four units in flight would spill registers.
    (@line (4 records) $($rest:tt)+) => { kernels! { @of $($rest)+, [12 8 5] 2 } };
    (@line 8 $($rest:tt)+) => { kernels! { @of $($rest)+, [9 7 4] 2 } };
    // Fewer stages fit, since each stage also has the records of small groups.
    (@line (8 records) $($rest:tt)+) => { kernels! { @of $($rest)+, [8 6 4] 2 } };
    ($($bits:tt $name:ident $short:literal $format:ty;)+) => { paste! {
        $(
            kernels! { @line $bits half::bf16, F32BF16BF16, bf16, $name $short $format }
            kernels! { @line $bits half::f16, F32F16F16, f16, $name $short $format }
        )+
        /// All kernels, by format and type of activations.
        #[cfg(not(target_arch = "nvptx64"))]
        pub static MENUS: &[&Menu] = &[$(&[<$name:upper _BF16>], &[<$name:upper _F16>],)+];
    }};
}

kernels! {
    4 int4_g32 "int4:32" Int4<ScaleGroups<E, 32>>;
    4 int4_g64 "int4:64" Int4<ScaleGroups<E, 64>>;
    4 int4_g128 "int4:128" Int4<ScaleGroups<E, 128>>;
    4 uint4_g32 "uint4:32" UInt4<ZeroGroups<E, 32>>;
    4 uint4_g64 "uint4:64" UInt4<ZeroGroups<E, 64>>;
    4 uint4_g128 "uint4:128" UInt4<ZeroGroups<E, 128>>;
    4 mxfp4_g32 "mxfp4:32" E2m1<ScaleGroups<E8m0, 32>>;
    4 nvfp4_g16 "nvfp4:16" E2m1<ScaleGroups<Ue4m3, 16>>;
    4 nf4_g64 "nf4:64" Nf4<ScaleGroups<E, 64>>;
    (8 records) int8_g32 "int8:32" Int8<ScaleGroups<E, 32>>;
    8 int8_g128 "int8:128" Int8<ScaleGroups<E, 128>>;
    8 int8_row "int8:row" Int8<RowScale>;
    8 e4m3_row "e4m3:row" E4m3<RowScale>;
    4 q4_0 "q4_0" Int4<ScaleGroups<f16, 32>>;
    (8 records) q8_0 "q8_0" Int8<ScaleGroups<f16, 32>>;
    (4 records) q4_k "q4_K" UInt4<Q4KGroups>;
    (8 records) q6_k "q6_K" Int8<Q6KGroups>;
}
