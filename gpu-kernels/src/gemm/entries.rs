//! The entry points of the collective, one for each configuration.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, params)
//! ```
//!
//! Law: that of [`kernel_abi::gemm`]. Launch them as [`super::Configuration::plan`] says.

use super::config::GemmConfig;
use super::configurations::*;
use super::kernel::predicated;
#[cfg(any(feature = "gemm-f16", feature = "gemm-bf16"))]
use super::kernel::{persistent, unpredicated};
use super::params::KernelPointers;
use cuda_std::kernel;
#[cfg(any(
    feature = "gemm-f16",
    feature = "gemm-bf16",
    feature = "gemm-tf32",
    feature = "gemm-s8"
))]
use kernel_abi::gemm::Majors;
use kernel_abi::gemm::{Configuration, GemmParams};

macro_rules! entries {
    ($($(#[$cfg:meta])* $name:ident: $driver:ident of $configuration:ident $(, any $feature:literal)?;)+) => {
        $(
            /// `D = act(alpha A B + beta C + bias)`; see [the module](super).
            ///
            /// # Safety
            /// The launch is as [`Configuration::plan`] says.
            $(#[$cfg])*
            #[kernel]
            pub unsafe fn $name(
                d: *mut u8,
                a: *const u8,
                b: *const u8,
                c: *const u8,
                bias: *const f32,
                workspace: *mut u8,
                params: GemmParams,
            ) {
                let pointers = KernelPointers { d, a, b, c, bias, workspace };
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { $driver::run::<$configuration>(pointers, params) }
            }
        )+
        /// Every kernel of the collective.
        pub const CONFIGURATIONS: &[Configuration] = &[
            $(
                $(#[$cfg])* <$configuration as GemmConfig>::CONFIGURATION,
                $(
                    #[cfg(feature = $feature)]
                    any::<$configuration>(Majors::Nn),
                    #[cfg(feature = $feature)]
                    any::<$configuration>(Majors::Tt),
                    #[cfg(feature = $feature)]
                    any::<$configuration>(Majors::Nt),
                )?
            )+
        ];
    };
}

/// Returns the configuration for other majors, which the kernel reads from its parameters.
#[cfg(any(
    feature = "gemm-f16",
    feature = "gemm-bf16",
    feature = "gemm-tf32",
    feature = "gemm-s8"
))]
const fn any<C: GemmConfig>(majors: Majors) -> Configuration {
    C::CONFIGURATION.with_majors(majors)
}

entries! {
    gemm_f16_f16_tn_128x128x32_s3: predicated of Reference;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_256x256x64_s3: unpredicated of F16F16Square;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_128x256x64_s3_p: persistent of F16F16Persistent;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_64x64x64_s4: predicated of F16F16Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s3_p: persistent of F16Persistent;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s4: unpredicated of F16Wide;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_64x64x64_s4: predicated of F16Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nn_128x128x64_s3: predicated of F16Nn;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tt_128x128x64_s3: predicated of F16Tt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nt_128x128x64_s3: predicated of F16Nt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_any_128x64x32_s3: predicated of F16Any, any "gemm-f16";
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s3_p: persistent of Bf16Persistent;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s4: unpredicated of Bf16Wide;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_64x64x64_s4: predicated of Bf16Small;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nn_128x128x64_s3: predicated of Bf16Nn;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tt_128x128x64_s3: predicated of Bf16Tt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nt_128x128x64_s3: predicated of Bf16Nt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_any_128x64x32_s3: predicated of Bf16Any, any "gemm-bf16";
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_tn_128x128x32_s3: predicated of Tf32Square;
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_any_64x64x32_s3: predicated of Tf32Any, any "gemm-tf32";
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_tn_128x128x64_s4: predicated of S8Square;
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_any_64x64x64_s3: predicated of S8Any, any "gemm-s8";
}
