//! The entry points of the collective, one for each configuration.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, params)
//! ```
//!
//! Law: D is the result that [`kernel_abi::gemm`] defines. [`super::Configuration::plan`] gives the
//! launches.

use super::config::GemmConfig;
use super::configurations::*;
use kernel_abi::gemm::Configuration;

/// Defines this crate's kernels and their table. A kernel that reads the majors from its parameters
/// has one row in the table for each combination of majors.
macro_rules! entries {
    ($(#[$cfg:meta] $name:ident: $configuration:ty $(, also $($majors:ident)+)?;)+) => {
        $($crate::gemm_kernel! { #[$cfg] $name: $configuration })+
        /// The configurations of all kernels of the collective.
        pub static CONFIGURATIONS: &[Configuration] = &[$(
            #[$cfg]
            <$configuration as GemmConfig>::CONFIGURATION,
            $($(
                #[$cfg]
                <$configuration as GemmConfig>::CONFIGURATION.with_majors(kernel_abi::gemm::Majors::$majors),
            )+)?
        )+];
    };
}

entries! {
    #[cfg(feature = "reference")] gemm_f16_f16_tn_128x128x32_s3: Reference;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_256x256x64_s3: f16_f16::Square;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_128x256x64_s3_p: f16_f16::Persistent;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_64x64x64_s4: f16_f16::Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s3_p: f16_f32::Persistent;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s4: f16_f32::Wide;
    #[cfg(feature = "gemm-f16-small")] gemm_f16_f32_tn_64x64x64_s4: f16_f32::Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nn_128x128x64_s3: f16_f32::Nn;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tt_128x128x64_s3: f16_f32::Tt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nt_128x128x64_s3: f16_f32::Nt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_any_128x64x32_s3: f16_f32::Any, also Nn Tt Nt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s3_p: bf16_f32::Persistent;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s4: bf16_f32::Wide;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_64x64x64_s4: bf16_f32::Small;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nn_128x128x64_s3: bf16_f32::Nn;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tt_128x128x64_s3: bf16_f32::Tt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nt_128x128x64_s3: bf16_f32::Nt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_any_128x64x32_s3: bf16_f32::Any, also Nn Tt Nt;
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_tn_128x128x32_s3: Tf32Square;
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_any_64x64x32_s3: Tf32Any, also Nn Tt Nt;
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_tn_128x128x64_s4: S8Square;
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_any_64x64x64_s3: S8Any, also Nn Tt Nt;
}
