//! The table of kernels with a soft cap.
//!
//! ```text
//!   attention_soft_cap_bf16_d128_128x128_s2      attention_bf16_d128_128x128_s2, and S = cap tanh(scale Q Kᵀ / cap)
//! ```
//!
//! Law: each is its configuration with [`SoftCap`], whose value is the kernel's last argument, and is launched as the configuration's plan says.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::configurations::{Bf16D128, F16D128};
use super::kernel::run;
use super::score::{SoftCap, With};
use super::sequences::Uniform;
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Defines kernels with a soft cap, of configurations with two stages of Q and 8 warps of consumers, and the table.
macro_rules! soft_cap {
    ($($name:ident $kernel:ident { $element:ident })+) => {
        $(
            #[doc = concat!("[`", stringify!($name), "`] with a soft cap: see [`kernel_abi::attention`].")]
            ///
            /// # Safety
            /// The launch is as the plan says.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                score: SoftCap,
            ) {
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<With<$name, SoftCap>, 2, 8>((o, lse), &params, maps, (score, Uniform)) }
            }
        )+

        /// Every kernel with a soft cap.
        pub const SOFT_CAP_CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            AttentionConfiguration { kernel: stringify!($kernel), ..$name::CONFIGURATION },
        )+];
    };
}

soft_cap! {
    F16D128 attention_soft_cap_f16_d128_128x128_s2 { f16 }
    Bf16D128 attention_soft_cap_bf16_d128_128x128_s2 { bf16 }
}
