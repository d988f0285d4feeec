//! The table of fused kernels.
//!
//! ```text
//!   attention_backward_fused_rows_bf16_d128           element, head dimension
//!   attention_backward_fused_bf16_d128_128x64_s2      also keys of a tile, queries of a block, stages of the blocks
//!   attention_backward_fused_dq_bf16_d128
//! ```
//!
//! The library for the host has the table. The kernels are compiled only for the GPU and for
//! documentation.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports, unused_macros)
)]

use super::super::super::sequences::Uniform;
use super::super::configurations::{
    Bf16D64Keys, Bf16D128Keys, CONSUMERS, F16D64Keys, F16D128Keys, THREADS, shared_bytes,
};
use super::super::rows;
use super::config::{FusedConfig, is_run_by};
use super::staging::{GROUP_BYTES, Staging};
use super::{kernel, round};
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardParams, AttentionType, FusedBackwardConfiguration, GradientKernel,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::MajorMn;
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::{U16, U32};

/// Returns the bytes of shared memory: both stages of dS, a block of dQ, the shared memory of the
/// kernel of dK and dV, and the barriers of dQ.
const fn fused_shared_bytes(m: u32, n: u32, d: u32) -> u32 {
    2 * 2 * m * n + 2 * GROUP_BYTES + shared_bytes(m, n, d, true) + Staging::BARRIER_BYTES
}

/// Defines the kernels of each type and the table.
macro_rules! fused_configurations {
    ($(
        $variant:ident $name:ident $element:ident $kind:ident, d $d:literal, rows $rows:ident,
        gradients $kernel:ident tile $m:literal x $n:literal, dq $dq:ident groups $groups:tt;
    )+) => {
        $(
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel($kernel)]
            impl FusedConfig for $name {
                type DqAtom = Wgmma<$kind, int!(64), Shared, MajorMn, MajorMn>;
                type Dq = TiledMma<Self::DqAtom, layout!($groups)>;
                type SmemDs = TileToShape<LayoutSw128Atom<$element, MajorMn>, shape!(($n, $m, 2))>;
                type SmemKt =
                    TileToShape<LayoutSw128Atom<$element, MajorMn>, shape!(($d, $m, 1)), shape!((2, 1, 3))>;
                type TileDq = layout!(($n,$d):(1@0,1@1));
                type BlocksOf16 = <int!($n) as Nat>::Over<U16>;
                type DqBlock = PartitionFragmentOf<Self::Dq, OperandC, Self::TileDq>;
            }
            #[cfg(all(target_arch = "nvptx64", feature = "kernels"))]
            #[for_kernel($kernel)]
            const _: () = {
                layout_types::assert_shared_memory!(<$name as FusedConfig>::FUSED_SHARED_BYTES);
                is_run_by::<$name>(CONSUMERS / 32);
                assert!(<$name as FusedConfig>::FUSED_SHARED_BYTES == fused_shared_bytes($m, $n, $d));
            };

            /// Computes the values of the rows and clears the sums of dQ.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 128)]
            pub unsafe fn $rows(
                o: *const $element,
                d_o: *const $element,
                lse: *const f32,
                values: *mut f32,
                params: AttentionBackwardParams,
                sums: *mut f32,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe {
                    rows::run::<$element, <int!($d) as Nat>::Over<U32>, $d>([o, d_o], lse, values, (&params, Uniform));
                    round::clear::<$d>(sums, &params);
                }
            }

            /// Computes dK, dV and the sums of dQ, as [`kernel_abi::attention`] defines them, on
            /// Hopper.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                dk: *mut $element,
                dv: *mut $element,
                values: *const f32,
                params: AttentionBackwardParams,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_do: &TensorMap,
                sums: *mut f32,
            ) {
                let maps = [map_k, map_v, map_q, map_do];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { kernel::run::<$name, CONSUMERS>((dk, dv), (values, sums), (&params, Uniform), maps) }
            }

            /// Scales and rounds dQ.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 128)]
            pub unsafe fn $dq(dq: *mut $element, sums: *const f32, params: AttentionBackwardParams) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { round::run::<_, $d>(dq, sums, &params) }
            }
        )+

        /// The configurations of all types, for head dimensions 64 and 128.
        pub static FUSED_BACKWARD_CONFIGURATIONS: &[FusedBackwardConfiguration] = &[$(
            FusedBackwardConfiguration {
                element: AttentionType::$variant,
                dim: $d,
                rows: stringify!($rows),
                gradients: GradientKernel {
                    kernel: stringify!($kernel),
                    base: $name::BASE,
                    tile: [$m, $n],
                    threads: THREADS,
                    shared_bytes: fused_shared_bytes($m, $n, $d),
                },
                dq: stringify!($dq),
            },
        )+];
    };
}

fused_configurations! {
    F16 F16D64Keys f16 F32F16F16, d 64, rows attention_backward_fused_rows_f16_d64,
    gradients attention_backward_fused_f16_d64_128x128_s2 tile 128 x 128, dq attention_backward_fused_dq_f16_d64 groups (2, 1, 1);

    F16 F16D128Keys f16 F32F16F16, d 128, rows attention_backward_fused_rows_f16_d128,
    gradients attention_backward_fused_f16_d128_128x64_s2 tile 128 x 64, dq attention_backward_fused_dq_f16_d128 groups (1, 2, 1);

    Bf16 Bf16D64Keys bf16 F32BF16BF16, d 64, rows attention_backward_fused_rows_bf16_d64,
    gradients attention_backward_fused_bf16_d64_128x128_s2 tile 128 x 128, dq attention_backward_fused_dq_bf16_d64 groups (2, 1, 1);

    Bf16 Bf16D128Keys bf16 F32BF16BF16, d 128, rows attention_backward_fused_rows_bf16_d128,
    gradients attention_backward_fused_bf16_d128_128x64_s2 tile 128 x 64, dq attention_backward_fused_dq_bf16_d128 groups (1, 2, 1);
}
