//! The kernels of weights of few bits: for each format and type of activations, kernels of few rows
//! and of many.
//!
//! ```text
//!   weights_int4_g128_bf16_t8      int4 in groups of 128, bf16 activations, up to 8 tokens: by mma.sync
//!   weights_int4_g128_bf16_m64     the same in tiles of 64 tokens, any number of them: by wgmma
//! ```
//!
//! None is part of a build of all kernels but by the feature `weights`: the program builds each
//! when it is asked for.

use crate::many_rows_kernel;
use gpu_kernels::few_rows_kernel;
#[cfg(not(target_arch = "nvptx64"))]
use gpu_kernels::weights::config::FewRows;
use gpu_kernels::weights::config::OfCluster;
use gpu_kernels::weights::format::{Int4, Int8, Mxfp4, UInt4};
#[cfg(not(target_arch = "nvptx64"))]
use gpu_kernels::weights::pack::FormatValue;
#[cfg(not(target_arch = "nvptx64"))]
use kernel_abi::gemm::InputType;
#[cfg(not(target_arch = "nvptx64"))]
use kernel_abi::weights::WeightsConfiguration;
use pastey::paste;

/// The kernels of a format in groups and of a type of activations.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct Menu {
    /// The format.
    pub format: FormatValue,
    /// Its kernels: those of few rows, then those of many, each by the tokens of a tile.
    pub configurations: &'static [WeightsConfiguration],
}
#[cfg(not(target_arch = "nvptx64"))]
impl Menu {
    /// The type of the activations.
    #[must_use]
    pub fn input(&self) -> InputType {
        self.configurations[0].input
    }
}

/// Defines the kernels of formats, and their table.
///
/// ```text
/// kernels! {
///     4 int4_g128 (Int4 scales) 128;      bits, name, format whose scales have the activations' type, group
/// }
/// ```
macro_rules! kernels {
    // A format's kernels; the stages of tiles of 32, 64 and 128 tokens, as shared memory has room
    // for them. Tiles of 256 tokens take longer than two of 128.
    (@of $element:ty, $kind:ident, $of:ident, $name:ident, $format:ty, $group:literal,
     [$s32:literal $s64:literal $s128:literal] $depth:literal) => { paste! {
        few_rows_kernel! {
            #[doc = concat!("`", stringify!($name), "`, up to 8 tokens.")]
            [<weights_ $name _ $of _t8>]: [<$name:camel $of:camel T8>] = $format, $element, OfCluster,
                group $group, tokens 8 * 1, rows 16 * 1, threads 512, warps 16 * 1, depth $depth;
            #[doc = concat!("`", stringify!($name), "`, up to 16 tokens.")]
            [<weights_ $name _ $of _t16>]: [<$name:camel $of:camel T16>] = $format, $element, OfCluster,
                group $group, tokens 8 * 2, rows 16 * 1, threads 512, warps 8 * 2, depth $depth;
            #[doc = concat!("`", stringify!($name), "`, up to 32 tokens.")]
            [<weights_ $name _ $of _t32>]: [<$name:camel $of:camel T32>] = $format, $element, OfCluster,
                group $group, tokens 8 * 4, rows 16 * 2, threads 256, warps 8 * 1, depth 2;
        }
        many_rows_kernel! {
            #[doc = concat!("`", stringify!($name), "`, tiles of 32 tokens.")]
            [<weights_ $name _ $of _m32>]: [<$name:camel $of:camel M32>] = $format, $element, $kind,
                tokens U32 32, group $group, stages $s32;
            #[doc = concat!("`", stringify!($name), "`, tiles of 64 tokens.")]
            [<weights_ $name _ $of _m64>]: [<$name:camel $of:camel M64>] = $format, $element, $kind,
                tokens U64 64, group $group, stages $s64;
            #[doc = concat!("`", stringify!($name), "`, tiles of 128 tokens.")]
            [<weights_ $name _ $of _m128>]: [<$name:camel $of:camel M128>] = $format, $element, $kind,
                tokens U128 128, group $group, stages $s128;
        }
        #[cfg(not(target_arch = "nvptx64"))]
        static [<$name:upper _ $of:upper>]: Menu = Menu {
            format: FormatValue::new::<$format>(<[<$name:camel $of:camel T8>] as FewRows>::PACKED),
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
    (@line 8 $($rest:tt)+) => { kernels! { @of $($rest)+, [9 7 4] 2 } };
    ($($bits:tt $name:ident $format:tt $group:literal;)+) => { paste! {
        $(
            kernels! { @line $bits half::bf16, F32BF16BF16, bf16, $name, kernels!(@ty $format half::bf16), $group }
            kernels! { @line $bits half::f16, F32F16F16, f16, $name, kernels!(@ty $format half::f16), $group }
        )+
        /// Every kernel, by format, group and type of activations.
        #[cfg(not(target_arch = "nvptx64"))]
        pub static MENUS: &[&Menu] = &[$(&[<$name:upper _BF16>], &[<$name:upper _F16>],)+];
    }};
    // A format's type, and one whose scales have the activations' type.
    (@ty ($format:ident) $element:ty) => { $format };
    (@ty ($format:ident scales) $element:ty) => { $format<$element> };
}

kernels! {
    4 int4_g32 (Int4 scales) 32;
    4 int4_g64 (Int4 scales) 64;
    4 int4_g128 (Int4 scales) 128;
    4 uint4_g32 (UInt4 scales) 32;
    4 uint4_g64 (UInt4 scales) 64;
    4 uint4_g128 (UInt4 scales) 128;
    4 mxfp4_g32 (Mxfp4) 32;
    8 int8_g32 (Int8 scales) 32;
    8 int8_g128 (Int8 scales) 128;
}
