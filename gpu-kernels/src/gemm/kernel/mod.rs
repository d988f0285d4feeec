//! Computes a CTA's tiles by the tile scheduler, the mainloop and the epilogue.
//!
//! ```text
//!   driver        chooses a path and computes the CTA's tiles by it
//!   tile_loader   loads the k tiles of these tiles, one after the other
//!   fixup         adds the partial tiles of split-K and stream-K
//! ```

pub mod driver;
mod fixup;
mod tile_loader;

#[cfg(target_arch = "nvptx64")]
pub use driver::run;

/// Replaces [`driver::run`] in the library for the host, which has no kernels.
///
/// # Safety
/// There are no conditions, because it always panics.
#[cfg(not(target_arch = "nvptx64"))]
pub unsafe fn run<C>(_: super::params::KernelPointers, _: kernel_abi::gemm::GemmParams) {
    panic!("a GEMM runs on the GPU only")
}

/// Defines a GEMM kernel: an entry point with this name, for a configuration whose
/// `CONFIGURATION.kernel` is the same name.
///
/// ```text
/// gemm_kernel! { gemm_bf16_f32_tn_64x96x32_s3: Fused }
/// ```
///
/// The kernel's arguments are d, a, b, c, bias, workspace and
/// [`GemmParams`](kernel_abi::gemm::GemmParams). Launch it as
/// [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
#[macro_export]
macro_rules! gemm_kernel {
    ($(#[$attribute:meta])* $name:ident: $configuration:ty) => {
        $(#[$attribute])*
        /// Computes a GEMM as [`kernel_abi::gemm`] defines it.
        ///
        /// # Safety
        /// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
        #[$crate::gemm::scope::kernel]
        pub unsafe fn $name(
            d: *mut u8,
            a: *const u8,
            b: *const u8,
            c: *const u8,
            bias: *const f32,
            workspace: *mut u8,
            params: $crate::gemm::scope::GemmParams,
        ) {
            let pointers = $crate::gemm::params::KernelPointers { d, a, b, c, bias, workspace };
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe { $crate::gemm::kernel::run::<$configuration>(pointers, params) }
        }
        $(#[$attribute])*
        const _: () = {
            use $crate::gemm::scope::*;
            $crate::at_key!($name require(same_name(stringify!($name), <$configuration as GemmConfig>::CONFIGURATION.kernel)));
        };
    };
}
