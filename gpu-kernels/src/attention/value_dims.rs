//! Kernels by `mma.sync` whose V has another head dimension than Q and K: one line for each pair of
//! dimensions.
//!
//! ```text
//!   attention_mma_bf16_d192v128_64x64_s1             element, D of Q and K, D of V and O, queries and keys of a tile, stages of K and of V
//!   attention_mma_soft_cap_sinks_bf16_d192v128_64x64_s1
//! ```
//!
//! Law: for both element types, each line defines a configuration, and a kernel for each
//! composition of `each_score!`, which takes sequences of one length and packed sequences. A build
//! of all kernels does not include these: the program builds each of them at its first use.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use super::scope::*;
use crate::{attention_kernel, each_score};
use core::marker::PhantomData;
use half::{bf16, f16};

/// The configuration for elements `T`, head dimension `D` of Q and K, and head dimension `V` of V
/// and O, with tiles of `M` queries and `N` keys.
pub struct ValueDimTile<
    T,
    const D: u32,
    const V: u32,
    const M: u32,
    const N: u32,
    const STAGES: u32,
>(PhantomData<T>);

/// Defines configurations, their kernels and tables.
macro_rules! value_dims {
    ($(d $d:tt v $d_v:tt: tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*;)+) => {
        $(
            value_dims! { @line f16, d $d v $d_v, tile $m x $n, stages $s $(, $word($($value)?))* }
            value_dims! { @line bf16, d $d v $d_v, tile $m x $n, stages $s $(, $word($($value)?))* }
        )+

        /// All kernels of two head dimensions, for packed sequences and for sequences of one
        /// length: a table for each element type and pair of dimensions.
        pub static VALUE_DIM_CONFIGURATIONS: &[&[AttentionConfiguration]] = &[
            $(ValueDimTile::<f16, $d, $d_v, $m, $n, $s>::ALL,)+
            $(ValueDimTile::<bf16, $d, $d_v, $m, $n, $s>::ALL,)+
        ];
    };
    (@line $element:ident, d $d:tt v $d_v:tt, tile $m:tt x $n:tt, stages $s:tt $($rest:tt)*) => {
        each_score! {
            all value_dims @kernels concat!(stringify!($element), "_d", $d, "v", $d_v, "_", $m, "x", $n, "_s", $s),
            $element, d $d v $d_v, tile $m x $n, stages $s $($rest)*
        }
    };
    ([$({ $parts:expr, $prefix:literal, ($($argument:ident: $type:ty),*), $score:ty, $with:expr })+]
     @kernels $tile:expr, $element:ident, d $d:tt v $d_v:tt, tile $m:tt x $n:tt, stages $s:tt $(, $word:ident($($value:expr)?))*) => {
        impl ValueDimTile<$element, $d, $d_v, $m, $n, $s> {
            /// The kernels of each composition of score parts.
            pub const ALL: &[AttentionConfiguration] = &[$(
                AttentionConfiguration {
                    parts: $parts.either(),
                    ..attention_kernel!(
                        @row concat!("attention_mma_", $prefix, $tile), $element, d $d v $d_v, tile $m x $n, stages $s
                    )
                },
            )+];
        }
        attention_kernel! {
            @config ValueDimTile<$element, $d, $d_v, $m, $n, $s>, of [$(concat!("attention_mma_", $prefix, $tile)),+],
            $element, d $d v $d_v, tile $m x $n, stages $s $(, $word($($value)?))*
        }
        $(
            #[cfg(feature = "attention-score-parts")]
            attention_kernel! {
                @entry concat!("attention_mma_", $prefix, $tile), $element,
                With<ValueDimTile<$element, $d, $d_v, $m, $n, $s>, $score, PackedSequences<true>>, tile $m,
                (queries: *const u32, keys: *const u32 $(, $argument: $type)*) = ($with, PackedSequences { queries, keys })
            }
        )+
    };
}

value_dims! {
    d 64 v 128: tile 128 x 64, stages 1, lazy();
    d 128 v 64: tile 128 x 64, stages 1, lazy();
    d 192 v 128: tile 64 x 64, stages 1, lazy();
    d 512 v 256: tile 64 x 32, stages 1, lazy();
}
