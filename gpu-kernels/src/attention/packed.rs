//! The table of kernels of packed sequences.
//!
//! ```text
//!   attention_mma_packed_bf16_d128_128x64_s1      attention_mma_bf16_d128_128x64_s1, and where each sequence begins
//! ```
//!
//! Law: each is its configuration with [`PackedSequences`], whose starts are the kernel's last arguments, and launched as a plan of packed
//! sequences says.

#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

use super::config::With;
use super::configurations::{Bf16D64, Bf16D96, Bf16D128, Bf16D192, Bf16D256};
use super::configurations::{F16D64, F16D96, F16D128, F16D192, F16D256};
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
use super::score::Identity;
use super::sequences::PackedSequences;
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionReads};

/// Defines kernels of packed sequences, of configurations of 128 threads and two CTAs a multiprocessor, and the table.
macro_rules! packed {
    ($($name:ident $kernel:ident { $element:ident, atoms $atoms:literal })+) => {
        $(
            /// An attention kernel of packed sequences of [`kernel_abi::attention`] for every GPU from Ampere on.
            ///
            /// # Safety
            /// The launch is as the plan of packed sequences says.
            #[cfg(target_arch = "nvptx64")]
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
                queries: *const u32,
                keys: *const u32,
            ) {
                let sequences = PackedSequences { queries, keys };
                let inputs = [q, k, v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe {
                    run::<With<$name, Identity, PackedSequences>, $atoms>((o, lse), &params, inputs, &reads, (Identity, sequences))
                }
            }
        )+

        /// Every kernel of packed sequences: one for each type and head dimension.
        pub static PACKED_CONFIGURATIONS: &[AttentionConfiguration] = &[$({
            let of = $name::CONFIGURATION;
            assert!(of.threads == 128 && of.ctas == 2, "the threads and CTAs are the kernel's");
            AttentionConfiguration { kernel: stringify!($kernel), ..of }
        },)+];
    };
}

packed! {
    F16D64 attention_mma_packed_f16_d64_128x64_s2 { f16, atoms 2 }
    F16D96 attention_mma_packed_f16_d96_128x64_s1 { f16, atoms 2 }
    F16D128 attention_mma_packed_f16_d128_128x64_s1 { f16, atoms 2 }
    F16D192 attention_mma_packed_f16_d192_64x64_s1 { f16, atoms 1 }
    F16D256 attention_mma_packed_f16_d256_64x64_s1 { f16, atoms 1 }
    Bf16D64 attention_mma_packed_bf16_d64_128x64_s2 { bf16, atoms 2 }
    Bf16D96 attention_mma_packed_bf16_d96_128x64_s1 { bf16, atoms 2 }
    Bf16D128 attention_mma_packed_bf16_d128_128x64_s1 { bf16, atoms 2 }
    Bf16D192 attention_mma_packed_bf16_d192_64x64_s1 { bf16, atoms 1 }
    Bf16D256 attention_mma_packed_bf16_d256_64x64_s1 { bf16, atoms 1 }
}
