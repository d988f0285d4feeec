//! The entry points of the collective, one for each configuration.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, parameters)
//! ```
//!
//! Law: that of [`kernel_abi::gemm`]. Launch them as [`super::Configuration::plan`] says.

use super::config::GemmConfig;
use super::configurations as of;
use super::kernel::{Addresses, run};
#[cfg(any(feature = "gemm-f16", feature = "gemm-bf16"))]
use super::{persistent, straight};
use cuda_std::kernel;
#[cfg(any(
    feature = "gemm-f16",
    feature = "gemm-bf16",
    feature = "gemm-tf32",
    feature = "gemm-s8"
))]
use kernel_abi::gemm::Majors;
use kernel_abi::gemm::{Configuration, GemmParams};

/// The body of a kernel: of one whose blocks stay, or not.
macro_rules! launch {
    (stay $configuration:path, $addresses:ident, $parameters:ident) => {
        persistent::run::<$configuration>($addresses, $parameters)
    };
    (straight $configuration:path, $addresses:ident, $parameters:ident) => {
        straight::run::<$configuration>($addresses, $parameters)
    };
    ($configuration:path, $addresses:ident, $parameters:ident) => {
        run::<$configuration>($addresses, $parameters)
    };
}

macro_rules! entries {
    ($($(#[$cfg:meta])* $name:ident: $configuration:path $(=> $way:ident)? $(, any $feature:literal)?;)+) => {
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
                parameters: GemmParams,
            ) {
                let addresses = Addresses { d, a, b, c, bias, workspace };
                // SAFETY: the caller's contract.
                unsafe { launch!($($way)? $configuration, addresses, parameters) }
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

/// A kernel that learns the majors from its parameters, for other ones.
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
    gemm_f16_f16_tn_128x128x32_s3: of::Reference;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_256x256x64_s3: of::F16F16Square => straight;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_128x256x64_s3_p: of::F16F16Stay => stay;
    #[cfg(feature = "gemm-f16")] gemm_f16_f16_tn_64x64x64_s4: of::F16F16Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s3_p: of::F16Stay => stay;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_128x256x64_s4: of::F16Wide => straight;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tn_64x64x64_s4: of::F16Small;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nn_128x128x64_s3: of::F16Nn;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_tt_128x128x64_s3: of::F16Tt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_nt_128x128x64_s3: of::F16Nt;
    #[cfg(feature = "gemm-f16")] gemm_f16_f32_any_128x64x32_s3: of::F16Any, any "gemm-f16";
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s3_p: of::Bf16Stay => stay;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_128x256x64_s4: of::Bf16Wide => straight;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tn_64x64x64_s4: of::Bf16Small;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nn_128x128x64_s3: of::Bf16Nn;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_tt_128x128x64_s3: of::Bf16Tt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_nt_128x128x64_s3: of::Bf16Nt;
    #[cfg(feature = "gemm-bf16")] gemm_bf16_f32_any_128x64x32_s3: of::Bf16Any, any "gemm-bf16";
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_tn_128x128x32_s3: of::Tf32Square;
    #[cfg(feature = "gemm-tf32")] gemm_tf32_f32_any_64x64x32_s3: of::Tf32Any, any "gemm-tf32";
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_tn_128x128x64_s4: of::S8Square;
    #[cfg(feature = "gemm-s8")] gemm_s8_s32_any_64x64x64_s3: of::S8Any, any "gemm-s8";
}
