//! `cp.async.bulk.tensor` with `.cta_group::2`: a load whose bytes count on an mbarrier of either
//! CTA of a pair.
//!
//! ```text
//!   CTA 0    box ─► its shared memory ─┐
//!                                      ├─ bytes of both on one mbarrier of CTA 0
//!   CTA 1    box ─► its shared memory ─┘
//! ```
//!
//! Law: the law of [`copy_sm90_tma`](super::copy_sm90_tma) holds, with the box in the CTA's own
//! shared memory and the mbarrier in the CTA's shared memory or in its peer's.
//!
//! No GPU has run these instructions: `ptxas` assembles them for `sm_100a`, and the emulator
//! executes them.
//!
//! Source: PTX ISA, *cp.async.bulk.tensor*, `.cta_group`; CuTe `cute/arch/copy_sm100_tma.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::copy_sm90_tma::TensorMap;
use super::ptx;

macro_rules! dimensions {
    ($($d:literal: $($i:literal)+, $c:literal, $load:ident $one:ident;)+) => {$(
        #[doc = concat!("`cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2`: the box at")]
        #[doc = concat!("`coordinate` to `shared`, its bytes counted on `barrier`. CuTe's `SM100_TMA_2SM_LOAD_", $d, "D`.")]
        ///
        /// # Safety
        #[doc = concat!("As of [`", stringify!($one), "`](super::copy_sm90_tma::", stringify!($one), "), but for `barrier`, which is an address of the cluster's")]
        /// shared window and names an initialised mbarrier of the CTA or of the other CTA of its
        /// pair, which has not ended.
        #[inline(always)]
        pub unsafe fn $load(shared: u32, map: *const TensorMap, coordinate: [i32; $d], barrier: u32) {
            // SAFETY: the caller guarantees that `map` is a tensor map, that `shared` is aligned
            // memory for the box, and that `barrier` is initialised in a CTA of the pair.
            unsafe {
                ptx!(concat!("cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [{s}], [{m}, {{", $c, "}}], [{b}];"),
                    $(in(reg32) coordinate[$i],)+ s = in(reg32) shared, m = in(reg64) map, b = in(reg32) barrier, options(nostack, preserves_flags))
            };
        }
    )+};
}
dimensions! {
    1: 0, "{0}", tma_load_2sm_1d tma_load_1d;
    2: 0 1, "{0}, {1}", tma_load_2sm_2d tma_load_2d;
    3: 0 1 2, "{0}, {1}, {2}", tma_load_2sm_3d tma_load_3d;
    4: 0 1 2 3, "{0}, {1}, {2}, {3}", tma_load_2sm_4d tma_load_4d;
    5: 0 1 2 3 4, "{0}, {1}, {2}, {3}, {4}", tma_load_2sm_5d tma_load_5d;
}
