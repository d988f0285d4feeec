//! The reference configuration as a plain product: the same collective, with its options known at
//! compile time.
//!
//! ```text
//!   hgemm_on_layouts    run::<Reference>, D = A·Bᵀ of packed matrices      hgemm_by_hand    the same, without layouts
//! ```
//!
//! The kernel of the table reads its schedule and its epilogue at run time. This kernel has exactly
//! the features of [`hgemm_by_hand`](crate::hgemm_by_hand), so that the difference of the two shows
//! only the cost of layouts.
//!
//! Law: the result equals that of [`hgemm_by_hand`](crate::hgemm_by_hand) in every bit.

use super::configurations::Reference;
use super::kernel::run;
use super::params::KernelPointers;
use cuda_std::kernel;
use half::f16;
use kernel_abi::gemm::{GemmParams, flags};

/// Computes `D = A·Bᵀ`; see [the module](self).
///
/// # Safety
/// The conditions are those of [`hgemm_by_hand`](crate::hgemm_by_hand::hgemm_by_hand).
#[kernel]
pub unsafe fn hgemm_on_layouts(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
    let params = GemmParams {
        m,
        n,
        k,
        k_slices: 1,
        lda: k.into(),
        ldb: k.into(),
        ldc: 0,
        ldd: n.into(),
        batch_a: 0,
        batch_b: 0,
        batch_c: 0,
        batch_d: 0,
        alpha: 1.0,
        beta: 0.0,
        epilogue: flags::VECTORS,
        raster_group: 8,
    };
    let pointers = KernelPointers {
        d: d.cast(),
        a: a.cast(),
        b: b.cast(),
        c: core::ptr::null(),
        bias: core::ptr::null(),
        workspace: core::ptr::null_mut(),
    };
    // SAFETY: the caller launches one CTA per tile, on buffers that hold packed matrices of these
    // extents.
    unsafe { run::<Reference>(pointers, params) }
}
