//! The tables of the configurations' variants: kernels of packed sequences, with a soft cap, and of packed sequences with a soft cap.
//!
//! ```text
//!   attention_mma_bf16_d128_128x64_s1                       the configuration
//!   attention_mma_packed_bf16_d128_128x64_s1                and where each sequence begins
//!   attention_mma_soft_cap_bf16_d128_128x64_s1              and S = cap tanh(scale Q Kᵀ / cap)
//!   attention_mma_packed_soft_cap_bf16_d128_128x64_s1       both
//! ```
//!
//! Law: each is its configuration with [`PackedSequences`], with [`SoftCap`], or with both. Its last arguments are the starts of the sequences, then
//! the score function's value, as far as it has them. It is launched as the configuration's plan says, or as that of packed sequences.

#![cfg_attr(
    not(all(
        feature = "attention-packed",
        feature = "attention-soft-cap",
        target_arch = "nvptx64"
    )),
    allow(dead_code, unused_imports)
)]

use super::config::With;
use super::configurations::{Bf16D64, Bf16D96, Bf16D128, Bf16D192, Bf16D256};
use super::configurations::{F16D64, F16D96, F16D128, F16D192, F16D256};
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
use super::score::{Identity, SoftCap};
use super::sequences::{PackedSequences, Uniform};
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionReads};

/// Defines the kernels of the variants, of configurations of 128 threads and two CTAs a multiprocessor, and their tables: of each configuration the
/// kernel of packed sequences, the one with a soft cap, and the one of packed sequences with a soft cap.
macro_rules! variants {
    ($(
        $name:ident { $element:ident, atoms $atoms:literal }
            $packed:ident, $soft_cap:ident, $packed_soft_cap:ident;
    )+) => {
        variants! {
            /// Every kernel of packed sequences: one for each type and head dimension.
            @table PACKED_CONFIGURATIONS if feature = "attention-packed":
                (queries: *const u32, keys: *const u32) => Identity, PackedSequences = (Identity, PackedSequences { queries, keys });
            $($name $packed { $element, atoms $atoms })+
        }
        variants! {
            /// Every kernel with a soft cap: one for each type and head dimension.
            @table SOFT_CAP_CONFIGURATIONS if feature = "attention-soft-cap":
                (score: SoftCap) => SoftCap, Uniform = (score, Uniform);
            $($name $soft_cap { $element, atoms $atoms })+
        }
        variants! {
            /// Every kernel of packed sequences with a soft cap: one for each type and head dimension.
            @table PACKED_SOFT_CAP_CONFIGURATIONS if all(feature = "attention-packed", feature = "attention-soft-cap"):
                (queries: *const u32, keys: *const u32, score: SoftCap) => SoftCap, PackedSequences = (score, PackedSequences { queries, keys });
            $($name $packed_soft_cap { $element, atoms $atoms })+
        }
    };
    (
        $(#[$doc:meta])*
        @table $table:ident if $features:meta: $arguments:tt => $score:ty, $sequences:ty = $values:expr;
        $($name:ident $kernel:ident { $element:ident, atoms $atoms:literal })+
    ) => {
        $(
            #[cfg(all($features, target_arch = "nvptx64"))]
            variants! { @kernel $kernel: $element, $arguments => With<$name, $score, $sequences>, $atoms = $values }
        )+

        $(#[$doc])*
        pub static $table: &[AttentionConfiguration] = &[$({
            let of = $name::CONFIGURATION;
            assert!(of.threads == 128 && of.ctas == 2, "the threads and CTAs are the kernel's");
            AttentionConfiguration { kernel: stringify!($kernel), ..of }
        },)+];
    };
    (@kernel $kernel:ident: $element:ident, ($($argument:ident: $type:ty),+) => $configuration:ty, $atoms:literal = $values:expr) => {
        /// An attention kernel of [`kernel_abi::attention`] for every GPU from Ampere on.
        ///
        /// # Safety
        /// The launch is as the plan, of packed sequences where it has their starts, says.
        #[kernel(threads = 128, min_blocks = 2)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn $kernel(
            o: *mut $element,
            lse: *mut f32,
            params: AttentionParams,
            q: *const $element,
            k: *const $element,
            v: *const $element,
            reads: AttentionReads,
            $($argument: $type),+
        ) {
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe { run::<$configuration, $atoms>((o, lse), &params, [q, k, v], &reads, $values) }
        }
    };
}

variants! {
    F16D64 { f16, atoms 2 }
        attention_mma_packed_f16_d64_128x64_s2, attention_mma_soft_cap_f16_d64_128x64_s2, attention_mma_packed_soft_cap_f16_d64_128x64_s2;
    F16D96 { f16, atoms 2 }
        attention_mma_packed_f16_d96_128x64_s1, attention_mma_soft_cap_f16_d96_128x64_s1, attention_mma_packed_soft_cap_f16_d96_128x64_s1;
    F16D128 { f16, atoms 2 }
        attention_mma_packed_f16_d128_128x64_s1, attention_mma_soft_cap_f16_d128_128x64_s1, attention_mma_packed_soft_cap_f16_d128_128x64_s1;
    F16D192 { f16, atoms 1 }
        attention_mma_packed_f16_d192_64x64_s1, attention_mma_soft_cap_f16_d192_64x64_s1, attention_mma_packed_soft_cap_f16_d192_64x64_s1;
    F16D256 { f16, atoms 1 }
        attention_mma_packed_f16_d256_64x64_s1, attention_mma_soft_cap_f16_d256_64x64_s1, attention_mma_packed_soft_cap_f16_d256_64x64_s1;
    Bf16D64 { bf16, atoms 2 }
        attention_mma_packed_bf16_d64_128x64_s2, attention_mma_soft_cap_bf16_d64_128x64_s2, attention_mma_packed_soft_cap_bf16_d64_128x64_s2;
    Bf16D96 { bf16, atoms 2 }
        attention_mma_packed_bf16_d96_128x64_s1, attention_mma_soft_cap_bf16_d96_128x64_s1, attention_mma_packed_soft_cap_bf16_d96_128x64_s1;
    Bf16D128 { bf16, atoms 2 }
        attention_mma_packed_bf16_d128_128x64_s1, attention_mma_soft_cap_bf16_d128_128x64_s1, attention_mma_packed_soft_cap_bf16_d128_128x64_s1;
    Bf16D192 { bf16, atoms 1 }
        attention_mma_packed_bf16_d192_64x64_s1, attention_mma_soft_cap_bf16_d192_64x64_s1, attention_mma_packed_soft_cap_bf16_d192_64x64_s1;
    Bf16D256 { bf16, atoms 1 }
        attention_mma_packed_bf16_d256_64x64_s1, attention_mma_soft_cap_bf16_d256_64x64_s1, attention_mma_packed_soft_cap_bf16_d256_64x64_s1;
}
