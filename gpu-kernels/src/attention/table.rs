//! The table of kernels by `mma.sync`. It has one line per head dimension, from which everything
//! else follows.
//!
//! ```text
//!   attention_mma_bf16_d128_128x64_s1                   element, head dimension, queries and keys of a tile, stages of K and of V
//!   attention_mma_packed_bf16_d128_128x64_s1            the same with the first row of each sequence
//!   attention_mma_soft_cap_bf16_d128_128x64_s1          the same with S = cap tanh(scale Q Kᵀ / cap)
//!   attention_mma_packed_soft_cap_bf16_d128_128x64_s1   both
//!   attention_mma_alibi_sinks_bf16_d128_128x64_s1       other score parts, for packed sequences and for one length
//!
//!   attention_mma_backward_rows_bf16_d128               the gradients: element, head dimension
//!   attention_mma_backward_keys_bf16_d128_64x32_s2      also keys of a tile, queries of a block, stages of the blocks
//!   attention_mma_backward_queries_bf16_d128_64x32_s2   also queries of a tile, keys of a block, stages of the blocks
//!   attention_mma_packed_backward_rows_bf16_d128        with the first row of each sequence; also of `keys` and `queries`
//!   attention_mma_alibi_backward_keys_bf16_d128_64x32_s2   with score parts other than sinks; also of `queries`
//! ```
//!
//! Law: a variant is its line's configuration [`With`](super::config::With)
//! [`PackedSequences`](super::sequences::PackedSequences), with [`SoftCap`](super::score::SoftCap),
//! or with both. Its last arguments are those of its parts
//! ([`AttentionParts`](kernel_abi::attention::AttentionParts)). Each composition of other score
//! parts has one kernel, which takes packed sequences and sequences of one length. A build of all
//! kernels does not include these kernels; the feature `attention-score-parts` does. The library
//! for the host has the tables. The kernels are compiled only for the GPU.

#![cfg_attr(
    not(all(
        feature = "attention",
        feature = "attention-packed",
        feature = "attention-soft-cap",
        feature = "attention-score-parts",
        feature = "attention-backward",
        feature = "attention-packed-backward",
        target_arch = "nvptx64"
    )),
    allow(unused_imports)
)]

use super::backward;
use super::backward::config::{KeyGradientTile, QueryGradientTile};
use super::backward::gradient_kernel::gradient_kernel;
use super::config::ForwardTile;
use super::scope::*;
use super::score::SoftCap;
use crate::{attention_kernel, each_score};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, GradientKernel, GradientReads,
};

/// Defines configurations, kernels and tables. A forward tile is `queries x keys`; a tile after
/// `or` is for the plain kernel only. A build of all kernels does not include the kernels of a line
/// `on demand`; the feature `attention-on-demand` does.
macro_rules! attention_table {
    ($(
        d $d:tt $(on $demand:ident)?: forward $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*
        $(; or $om:tt x $on:tt, stages $os:tt $(, $oword:ident($($ovalue:expr)?))*)?
        ; keys $km:tt x $kn:tt, stages $ks:tt $(, $kword:ident($($kvalue:expr)?))*
        ; queries $qm:tt x $qn:tt, stages $qs:tt;
    )+) => {
        $(
            attention_table! {
                @built [$(on $demand)?] @line d $d, forward [tile $m x $n, stages $s $(, $word($($value)?))*]
                $(, or [tile $om x $on, stages $os $(, $oword($($ovalue)?))*])?
                , gradients [keys $km x $kn, stages $ks, [$(, $kword($($kvalue)?))*], queries $qm x $qn, stages $qs]
            }
        )+

        /// The head dimensions whose kernels are built at their first use, and not together with
        /// the other kernels.
        pub static ON_DEMAND: &[u32] = &[$($(attention_table!(@on $demand $d),)?)+];

        /// The configurations of all kernels for sequences of one length without score parts.
        pub static CONFIGURATIONS: &[AttentionConfiguration] = &[
            $($(ForwardTile::<f16, $d, $om, $on, $os>::PLAIN,)? ForwardTile::<f16, $d, $m, $n, $s>::PLAIN,)+
            $($(ForwardTile::<bf16, $d, $om, $on, $os>::PLAIN,)? ForwardTile::<bf16, $d, $m, $n, $s>::PLAIN,)+
        ];
        /// The configurations of all kernels for packed sequences: one for each type and head
        /// dimension.
        pub static PACKED_CONFIGURATIONS: &[AttentionConfiguration] = &[
            $(ForwardTile::<f16, $d, $m, $n, $s>::PACKED,)+
            $(ForwardTile::<bf16, $d, $m, $n, $s>::PACKED,)+
        ];
        /// The configurations of all kernels with a soft cap: one for each type and head dimension.
        pub static SOFT_CAP_CONFIGURATIONS: &[AttentionConfiguration] = &[
            $(ForwardTile::<f16, $d, $m, $n, $s>::SOFT_CAP,)+
            $(ForwardTile::<bf16, $d, $m, $n, $s>::SOFT_CAP,)+
        ];
        /// The configurations of all kernels for packed sequences with a soft cap: one for each
        /// type and head dimension.
        pub static PACKED_SOFT_CAP_CONFIGURATIONS: &[AttentionConfiguration] = &[
            $(ForwardTile::<f16, $d, $m, $n, $s>::PACKED_SOFT_CAP,)+
            $(ForwardTile::<bf16, $d, $m, $n, $s>::PACKED_SOFT_CAP,)+
        ];
        /// All kernels with score parts other than a soft cap alone, for packed sequences and for
        /// sequences of one length: a table for each type and head dimension.
        pub static SCORE_CONFIGURATIONS: &[&[AttentionConfiguration]] = &[
            $(ForwardTile::<f16, $d, $m, $n, $s>::WITH_SCORE,)+
            $(ForwardTile::<bf16, $d, $m, $n, $s>::WITH_SCORE,)+
        ];
        /// The gradient kernels of all types and head dimensions.
        pub static BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[
            $(KeyGradientTile::<f16, $d, $km, $kn, $ks>::PLAIN,)+
            $(KeyGradientTile::<bf16, $d, $km, $kn, $ks>::PLAIN,)+
        ];
        /// The gradient kernels for packed sequences, of all types and head dimensions.
        pub static PACKED_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[
            $(KeyGradientTile::<f16, $d, $km, $kn, $ks>::PACKED,)+
            $(KeyGradientTile::<bf16, $d, $km, $kn, $ks>::PACKED,)+
        ];
        /// The gradient kernels with score parts: a table for each type and head dimension, with
        /// packed sequences and with sequences of one length.
        pub static SCORE_BACKWARD_CONFIGURATIONS: &[&[AttentionBackwardConfiguration]] = &[
            $(KeyGradientTile::<f16, $d, $km, $kn, $ks>::WITH_SCORE,)+
            $(KeyGradientTile::<bf16, $d, $km, $kn, $ks>::WITH_SCORE,)+
        ];
    };

    (@on demand $d:tt) => { $d };
    (@built [] @line $($line:tt)+) => { attention_table! { @line [all()] $($line)+ } };
    (@built [on demand] @line $($line:tt)+) => { attention_table! { @line [feature = "attention-on-demand"] $($line)+ } };
    (@line [$built:meta] d $d:tt, forward [$($forward:tt)+] $(, or [$($or:tt)+])?, gradients [$($gradients:tt)+]) => {
        attention_table! { @forward [$built] f16, d $d, $($forward)+ }
        attention_table! { @forward [$built] bf16, d $d, $($forward)+ }
        $(
            attention_table! { @or [$built] f16, d $d, $($or)+ }
            attention_table! { @or [$built] bf16, d $d, $($or)+ }
        )?
        attention_table! { @gradients [$built] f16, d $d, $($gradients)+ }
        attention_table! { @gradients [$built] bf16, d $d, $($gradients)+ }
    };

    // Kernel names are built from their parts here and below, and nowhere else.
    (@forward [$built:meta] $element:ident, d $d:tt, tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*) => {
        each_score! {
            attention_table @kernels [$built] concat!(stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $s),
            $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
        }
    };
    ([$({ $parts:expr, $prefix:literal, ($($argument:ident: $type:ty),+), $score:ty, $with:expr })+]
     @kernels [$built:meta] $tile:expr, $element:ident, d $d:tt, tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*) => {
        impl ForwardTile<$element, $d, $m, $n, $s> {
            /// The kernel for sequences of one length.
            pub const PLAIN: AttentionConfiguration = attention_kernel!(
                @row concat!("attention_mma_", $tile), $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
            );
            /// The kernel for packed sequences.
            pub const PACKED: AttentionConfiguration = AttentionConfiguration {
                kernel: concat!("attention_mma_packed_", $tile),
                parts: AttentionParts::NONE.packed(),
                ..Self::PLAIN
            };
            /// The kernel with a soft cap.
            pub const SOFT_CAP: AttentionConfiguration = AttentionConfiguration {
                kernel: concat!("attention_mma_soft_cap_", $tile),
                parts: AttentionParts::NONE.soft_cap(),
                ..Self::PLAIN
            };
            /// The kernel for packed sequences with a soft cap.
            pub const PACKED_SOFT_CAP: AttentionConfiguration = AttentionConfiguration {
                kernel: concat!("attention_mma_packed_soft_cap_", $tile),
                parts: AttentionParts::NONE.packed().soft_cap(),
                ..Self::PLAIN
            };
            /// The kernels with other score parts, for packed sequences and for sequences of one
            /// length.
            pub const WITH_SCORE: &[AttentionConfiguration] = &[$(
                AttentionConfiguration {
                    kernel: concat!("attention_mma_", $prefix, $tile),
                    parts: $parts.either(),
                    ..Self::PLAIN
                },
            )+];
        }
        attention_kernel! {
            @config ForwardTile<$element, $d, $m, $n, $s>, of [
                concat!("attention_mma_", $tile),
                concat!("attention_mma_packed_", $tile),
                concat!("attention_mma_soft_cap_", $tile),
                concat!("attention_mma_packed_soft_cap_", $tile),
                $(concat!("attention_mma_", $prefix, $tile)),+
            ], $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
        }
        #[cfg(all(feature = "attention", $built))]
        attention_kernel! {
            @entry concat!("attention_mma_", $tile), $element, ForwardTile<$element, $d, $m, $n, $s>, tile $m,
            () = (Identity, Uniform)
        }
        #[cfg(all(feature = "attention-packed", $built))]
        attention_kernel! {
            @entry concat!("attention_mma_packed_", $tile), $element,
            With<ForwardTile<$element, $d, $m, $n, $s>, Identity, PackedSequences>, tile $m,
            (queries: *const u32, keys: *const u32) = (Identity, PackedSequences { queries, keys })
        }
        #[cfg(all(feature = "attention-soft-cap", $built))]
        attention_kernel! {
            @entry concat!("attention_mma_soft_cap_", $tile), $element,
            With<ForwardTile<$element, $d, $m, $n, $s>, SoftCap>, tile $m,
            (score: SoftCap) = (score, Uniform)
        }
        #[cfg(all(feature = "attention-packed", feature = "attention-soft-cap", $built))]
        attention_kernel! {
            @entry concat!("attention_mma_packed_soft_cap_", $tile), $element,
            With<ForwardTile<$element, $d, $m, $n, $s>, SoftCap, PackedSequences>, tile $m,
            (queries: *const u32, keys: *const u32, score: SoftCap) = (score, PackedSequences { queries, keys })
        }
        $(
            #[cfg(all(feature = "attention-score-parts", $built))]
            attention_kernel! {
                @entry concat!("attention_mma_", $prefix, $tile), $element,
                With<ForwardTile<$element, $d, $m, $n, $s>, $score, PackedSequences<true>>, tile $m,
                (queries: *const u32, keys: *const u32, $($argument: $type),+) = ($with, PackedSequences { queries, keys })
            }
        )+
    };
    (@or [$built:meta] $element:ident, d $d:tt, tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*) => {
        attention_table! {
            @plain [$built] concat!("attention_mma_", stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $s),
            $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
        }
    };
    (@plain [$built:meta] $kernel:expr, $element:ident, d $d:tt, tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*) => {
        impl ForwardTile<$element, $d, $m, $n, $s> {
            /// The kernel for sequences of one length.
            pub const PLAIN: AttentionConfiguration = attention_kernel!(
                @row $kernel, $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
            );
        }
        attention_kernel! {
            @config ForwardTile<$element, $d, $m, $n, $s>, of [$kernel],
            $element, d $d, tile $m x $n, stages $s $(, $word($($value)?))*
        }
        #[cfg(all(feature = "attention", $built))]
        attention_kernel! {
            @entry $kernel, $element, ForwardTile<$element, $d, $m, $n, $s>, tile $m, () = (Identity, Uniform)
        }
    };

    (@gradients [$built:meta] $element:ident, d $d:tt, keys $km:tt x $kn:tt, stages $ks:tt, [$($words:tt)*], queries $qm:tt x $qn:tt, stages $qs:tt) => {
        each_score! {
            gradients attention_table @backward [$built] concat!(stringify!($element), "_d", $d),
            concat!("keys_", stringify!($element), "_d", $d, "_", $km, "x", $kn, "_s", $ks),
            concat!("queries_", stringify!($element), "_d", $d, "_", $qm, "x", $qn, "_s", $qs),
            $element, d $d, keys $km x $kn, stages $ks, [$($words)*], queries $qm x $qn, stages $qs
        }
    };
    ([$({ $parts:expr, $prefix:literal, ($($argument:ident: $type:ty),+), $score:ty, $with:expr })+]
     @backward [$built:meta] $rows:expr, $keys:expr, $queries:expr, $element:ident, d $d:tt, keys $km:tt x $kn:tt, stages $ks:tt, [$($words:tt)*],
     queries $qm:tt x $qn:tt, stages $qs:tt) => {
        impl KeyGradientTile<$element, $d, $km, $kn, $ks> {
            /// The kernels for sequences of one length.
            pub const PLAIN: AttentionBackwardConfiguration = AttentionBackwardConfiguration {
                parts: AttentionParts::NONE,
                element: <$element as MmaElement>::TYPE,
                dim: $d,
                loads: AttentionLoads::CpAsync,
                ctas: [CTAS; 2],
                rows: concat!("attention_mma_backward_rows_", $rows),
                keys: gradient_kernel!(@row concat!("attention_mma_backward_", $keys), d $d, tile $km x $kn, stages $ks),
                queries: gradient_kernel!(@row concat!("attention_mma_backward_", $queries), d $d, tile $qm x $qn, stages $qs),
            };
            /// The kernels for packed sequences.
            pub const PACKED: AttentionBackwardConfiguration = AttentionBackwardConfiguration {
                parts: AttentionParts::NONE.packed(),
                rows: concat!("attention_mma_packed_backward_rows_", $rows),
                keys: GradientKernel {
                    kernel: concat!("attention_mma_packed_backward_", $keys),
                    ..Self::PLAIN.keys
                },
                queries: GradientKernel {
                    kernel: concat!("attention_mma_packed_backward_", $queries),
                    ..Self::PLAIN.queries
                },
                ..Self::PLAIN
            };
            /// The kernels with score parts, for both kinds of sequences. The kernels of the rows
            /// are those without score parts.
            pub const WITH_SCORE: &[AttentionBackwardConfiguration] = &[$(
                Self::PLAIN.with_score($parts, [
                    concat!("attention_mma_", $prefix, "backward_", $keys),
                    concat!("attention_mma_", $prefix, "backward_", $queries),
                ]),
                Self::PACKED.with_score($parts, [
                    concat!("attention_mma_", $prefix, "backward_", $keys),
                    concat!("attention_mma_", $prefix, "backward_", $queries),
                ]),
            )+];
        }
        gradient_kernel! {
            @config KeyGradientTile<$element, $d, $km, $kn, $ks>,
            of [
                concat!("attention_mma_backward_", $keys),
                concat!("attention_mma_packed_backward_", $keys),
                $(concat!("attention_mma_", $prefix, "backward_", $keys)),+
            ],
            $element, d $d, tile $km x $kn, stages $ks, values layout!(($km,$kn):(0,1)), of keys true $($words)*
        }
        gradient_kernel! {
            @config QueryGradientTile<$element, $d, $qm, $qn, $qs>,
            of [
                concat!("attention_mma_backward_", $queries),
                concat!("attention_mma_packed_backward_", $queries),
                $(concat!("attention_mma_", $prefix, "backward_", $queries)),+
            ],
            $element, d $d, tile $qm x $qn, stages $qs, values layout!(($qm,$qn):(1,0)), of keys false
        }
        #[cfg(all(feature = "attention-backward", $built))]
        gradient_kernel! {
            @tiles concat!("attention_mma_backward_", $keys), $element, KeyGradientTile<$element, $d, $km, $kn, $ks>, tile $km, () = (Identity, Uniform)
        }
        #[cfg(all(feature = "attention-backward", $built))]
        gradient_kernel! {
            @tiles concat!("attention_mma_backward_", $queries), $element, QueryGradientTile<$element, $d, $qm, $qn, $qs>, tile $qm, () = (Identity, Uniform)
        }
        #[cfg(all(feature = "attention-backward", $built))]
        gradient_kernel! { @rows concat!("attention_mma_backward_rows_", $rows), $element, d $d, () = () }
        #[cfg(all(feature = "attention-packed-backward", $built))]
        gradient_kernel! {
            @tiles concat!("attention_mma_packed_backward_", $keys), $element,
            With<KeyGradientTile<$element, $d, $km, $kn, $ks>, Identity, PackedSequences>, tile $km,
            (tiles: *const u32, streamed: *const u32) = (Identity, PackedSequences { queries: tiles, keys: streamed })
        }
        #[cfg(all(feature = "attention-packed-backward", $built))]
        gradient_kernel! {
            @tiles concat!("attention_mma_packed_backward_", $queries), $element,
            With<QueryGradientTile<$element, $d, $qm, $qn, $qs>, Identity, PackedSequences>, tile $qm,
            (tiles: *const u32, streamed: *const u32) = (Identity, PackedSequences { queries: tiles, keys: streamed })
        }
        $(
            #[cfg(all(feature = "attention-score-parts", $built))]
            gradient_kernel! {
                @tiles concat!("attention_mma_", $prefix, "backward_", $keys), $element,
                With<KeyGradientTile<$element, $d, $km, $kn, $ks>, $score, PackedSequences<true>>, tile $km,
                (tiles: *const u32, streamed: *const u32, $($argument: $type),+) = ($with, PackedSequences { queries: tiles, keys: streamed })
            }
            #[cfg(all(feature = "attention-score-parts", $built))]
            gradient_kernel! {
                @tiles concat!("attention_mma_", $prefix, "backward_", $queries), $element,
                With<QueryGradientTile<$element, $d, $qm, $qn, $qs>, $score, PackedSequences<true>>, tile $qm,
                (tiles: *const u32, streamed: *const u32, $($argument: $type),+) = ($with, PackedSequences { queries: tiles, keys: streamed })
            }
        )+
        // The kernel of the rows does not read where the keys begin.
        #[cfg(all(feature = "attention-packed-backward", $built))]
        gradient_kernel! {
            @rows concat!("attention_mma_packed_backward_rows_", $rows), $element, d $d,
            (queries: *const u32) = PackedSequences::<false> { queries, keys: queries }
        }
    };
}

attention_table! {
    d 16 on demand: forward 128 x 64, stages 2, q_in_registers(); keys 64 x 64, stages 2; queries 64 x 64, stages 2;
    d 32 on demand: forward 128 x 64, stages 2, q_in_registers(); keys 64 x 64, stages 2; queries 128 x 32, stages 2;
    d 48 on demand: forward 128 x 64, stages 2, q_in_registers(); keys 64 x 64, stages 2; queries 64 x 64, stages 2;
    d 64: forward 128 x 64, stages 2, q_in_registers(); or 128 x 96, stages 2, q_in_registers(), speed(104);
        keys 64 x 64, stages 2; queries 128 x 32, stages 2;
    d 80 on demand: forward 128 x 64, stages 1, lazy(); keys 64 x 64, stages 2; queries 64 x 64, stages 2;
    d 96: forward 128 x 64, stages 1, lazy(); keys 64 x 64, stages 2; queries 64 x 64, stages 2;
    d 112 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 2; queries 64 x 32, stages 2;
    d 128: forward 128 x 64, stages 1, lazy(); keys 64 x 32, stages 2; queries 64 x 32, stages 2;
    d 144 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 2, apart(); queries 64 x 32, stages 2;
    d 160 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 2, apart(); queries 64 x 32, stages 2;
    d 176 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 2, apart(); queries 64 x 32, stages 2;
    d 192: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 2, apart(); queries 64 x 32, stages 2;
    d 208 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 1, apart(); queries 64 x 32, stages 1;
    d 224 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 1, apart(); queries 64 x 32, stages 1;
    d 240 on demand: forward 64 x 64, stages 1, lazy(); keys 64 x 32, stages 1, apart(); queries 64 x 32, stages 1;
    d 256: forward 64 x 64, stages 1, lazy(); keys 64 x 16, stages 2, apart(); queries 64 x 16, stages 2;
}
