//! The table of kernels with a soft cap.
//!
//! ```text
//!   attention_mma_soft_cap_bf16_d128_128x64_s1      attention_mma_bf16_d128_128x64_s1, and S = cap tanh(scale Q Kᵀ / cap)
//! ```
//!
//! Law: each is its configuration with [`SoftCap`], whose value is the kernel's last argument, and is launched as the configuration's plan says.

#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

use super::config::With;
use super::configurations::{Bf16D64, Bf16D96, Bf16D128, Bf16D192, Bf16D256};
use super::configurations::{F16D64, F16D96, F16D128, F16D192, F16D256};
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
use super::score::SoftCap;
use super::sequences::Uniform;
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionReads};

/// Defines kernels with a soft cap, of configurations of 128 threads and two CTAs a multiprocessor, and the table.
macro_rules! soft_cap {
    ($($name:ident $kernel:ident { $element:ident, atoms $atoms:literal })+) => {
        $(
            /// An attention kernel with a soft cap of [`kernel_abi::attention`] for every GPU from Ampere on.
            ///
            /// # Safety
            /// The launch is as the plan says.
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
                score: SoftCap,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<With<$name, SoftCap>, $atoms>((o, lse), &params, [q, k, v], &reads, (score, Uniform)) }
            }
        )+

        /// Every kernel with a soft cap: one for each type and head dimension.
        pub static SOFT_CAP_CONFIGURATIONS: &[AttentionConfiguration] = &[$({
            let of = $name::CONFIGURATION;
            assert!(of.threads == 128 && of.ctas == 2, "the threads and CTAs are the kernel's");
            AttentionConfiguration { kernel: stringify!($kernel), ..of }
        },)+];
    };
}

soft_cap! {
    F16D64 attention_mma_soft_cap_f16_d64_128x64_s2 { f16, atoms 2 }
    F16D96 attention_mma_soft_cap_f16_d96_128x64_s1 { f16, atoms 2 }
    F16D128 attention_mma_soft_cap_f16_d128_128x64_s1 { f16, atoms 2 }
    F16D192 attention_mma_soft_cap_f16_d192_64x64_s1 { f16, atoms 1 }
    F16D256 attention_mma_soft_cap_f16_d256_64x64_s1 { f16, atoms 1 }
    Bf16D64 attention_mma_soft_cap_bf16_d64_128x64_s2 { bf16, atoms 2 }
    Bf16D96 attention_mma_soft_cap_bf16_d96_128x64_s1 { bf16, atoms 2 }
    Bf16D128 attention_mma_soft_cap_bf16_d128_128x64_s1 { bf16, atoms 2 }
    Bf16D192 attention_mma_soft_cap_bf16_d192_64x64_s1 { bf16, atoms 1 }
    Bf16D256 attention_mma_soft_cap_bf16_d256_64x64_s1 { bf16, atoms 1 }
}
