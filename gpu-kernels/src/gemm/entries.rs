//! The entry points of the collective, one for each configuration.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, parameters)
//! ```
//!
//! Law: that of [`super::problem`]. Launch them as [`super::Configuration::plan`] says.

use super::abi::Parameters;
use super::config::GemmConfig;
use super::configurations as of;
use super::kernel::{Addresses, run};
use super::problem::Configuration;
use cuda_std::kernel;

macro_rules! entries {
    ($($(#[$cfg:meta])* $name:ident: $configuration:ty;)+) => {
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
                parameters: Parameters,
            ) {
                let addresses = Addresses { d, a, b, c, bias, workspace };
                // SAFETY: the caller's contract.
                unsafe { run::<$configuration>(addresses, parameters) }
            }
        )+
        /// Every kernel of the collective.
        pub const CONFIGURATIONS: &[Configuration] = &[
            $($(#[$cfg])* <$configuration as GemmConfig>::CONFIGURATION),+
        ];
    };
}

entries! {
    gemm_f16_f16_tn_128x128x32_s3: of::Reference;
}
