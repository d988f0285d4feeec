//! The kernels with scale factors that are compiled.
//!
//! ```text
//!   gemm_mxfp8_bf16_tn_128x128x128_s6_umma         types of A and B and of D, majors, tile of a CTA, stages
//!   gemm_nvfp4_bf16_tn_128x128x256_s7_umma_2sm     a pair of CTAs multiplies 256 x 128
//! ```

use super::collective::{Mxfp8, Nvfp4, ScaledCollective};
use super::plan::ScaledConfiguration;
use super::products::check;
use crate::scaled_kernel;
use cuda_std::for_kernel;
use half::{bf16, f16};
use layout_types::atom::tmem::fragment::{OneSm, TwoSm};
use layout_types::int;

/// Defines kernels, one on each line: the names of the configuration and of the kernel, the types
/// of A and B and of D, the stages, and the CTAs that multiply together.
macro_rules! kernels {
    ($($name:ident $kernel:ident: $kind:ty, $d:ty, $stages:literal, $group:ident;)+) => {
        $(
            #[doc = concat!("The configuration of [`", stringify!($kernel), "`].")]
            pub type $name = ScaledCollective<$kind, $d, int!(128), int!($stages), $group>;

            #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
            #[for_kernel($kernel)]
            const _: () = check::<$name>();

            #[cfg(feature = "kernels")]
            scaled_kernel! { $kernel: $name }
        )+

        /// The configurations of all kernels with scale factors.
        #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
        #[for_kernel()]
        pub static CONFIGURATIONS: &[ScaledConfiguration] = &[
            $($name::configuration(stringify!($kernel)),)+
        ];
    };
}
kernels! {
    Mxfp8Bf16 gemm_mxfp8_bf16_tn_128x128x128_s6_umma: Mxfp8, bf16, 6, OneSm;
    Mxfp8F16 gemm_mxfp8_f16_tn_128x128x128_s6_umma: Mxfp8, f16, 6, OneSm;
    Mxfp8Bf16Pair gemm_mxfp8_bf16_tn_128x128x128_s8_umma_2sm: Mxfp8, bf16, 8, TwoSm;
    Nvfp4Bf16 gemm_nvfp4_bf16_tn_128x128x256_s5_umma: Nvfp4, bf16, 5, OneSm;
    Nvfp4F16 gemm_nvfp4_f16_tn_128x128x256_s5_umma: Nvfp4, f16, 5, OneSm;
    Nvfp4Bf16Pair gemm_nvfp4_bf16_tn_128x128x256_s7_umma_2sm: Nvfp4, bf16, 7, TwoSm;
}
