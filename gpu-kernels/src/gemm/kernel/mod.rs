//! The drivers: what a CTA does with its tiles, by the tile scheduler, the mainloop and the epilogue.
//!
//! ```text
//!   predicated           any extents; one tile per CTA, split-K, stream-K       fixup: adds the partial tiles
//!   unpredicated         tiles in bounds, identity epilogue; else predicated
//!   persistent           CTA i computes tiles i, i + CTAs, ..; a tile's epilogue overlaps the next one's mainloop
//!   persistent_long_k    the same with the epilogue beside the next prologue, for tiles of many k tiles
//! ```

mod fixup;
pub mod persistent;
mod persistent_long_k;
pub mod predicated;
pub mod unpredicated;

use super::config::GemmConfig;
use super::epilogue::is_identity;
use kernel_abi::gemm::GemmParams;

/// Whether no predicate is needed: the epilogue is the identity, and the extents are multiples of the tile's.
#[inline(always)]
fn is_unpredicated<C: GemmConfig>(params: &GemmParams) -> bool {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = params;
    is_identity::<C::Operation>(params) && m % tile_m == 0 && n % tile_n == 0 && k % tile_k == 0
}

/// Defines a GEMM kernel: an entry point of this name, of a driver and a configuration whose `CONFIGURATION.kernel` is the name.
///
/// ```text
/// gemm_kernel! { gemm_bf16_f32_tn_64x96x32_s3: predicated of Fused }
/// ```
///
/// Arguments: d, a, b, c, bias, workspace, [`GemmParams`]; launch it as
/// [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says. The drivers are [`predicated`], for any schedule but the
/// persistent one, [`unpredicated`], which is the same with a faster path for a configuration that is `staged`, and
/// [`persistent`], for one that is `overlapped`.
#[macro_export]
macro_rules! gemm_kernel {
    ($(#[$attribute:meta])* $name:ident: $driver:ident of $configuration:ty) => {
        $(#[$attribute])*
        /// A GEMM kernel of [`kernel_abi::gemm`].
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
            unsafe { $crate::gemm::kernel::$driver::run::<$configuration>(pointers, params) }
        }
        $(#[$attribute])*
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = assert!($crate::gemm::kernel::is_named(
            <$configuration as $crate::gemm::config::GemmConfig>::CONFIGURATION.kernel,
            stringify!($name),
        ));
    };
}

/// Whether two names are the same.
#[doc(hidden)]
pub const fn is_named(name: &str, other: &str) -> bool {
    let (name, other) = (name.as_bytes(), other.as_bytes());
    let mut i = 0;
    while i < name.len() && i < other.len() && name[i] == other[i] {
        i += 1;
    }
    i == name.len() && i == other.len()
}
