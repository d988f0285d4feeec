//! Kernels whose V has another head dimension than Q and K: one line for each pair of dimensions
//! and element type.
//!
//! ```text
//!   attention_bf16_d192v128_128x128_s2      element, D of Q and K, D of V and O, queries and keys of a tile, stages of K and of V
//!   attention_soft_cap_sinks_bf16_d192v128_128x128_s2
//! ```
//!
//! Law: each line defines a configuration, and a kernel for each composition of `each_score!`,
//! which takes sequences of one length and packed sequences. A build of all kernels does not
//! include these: the program builds each of them at its first use.

// The build chooses the kernels, so some of these items may be unused.
#![cfg_attr(not(doc), allow(dead_code, unused_imports))]

use super::config::{AttentionConfig, is_run_by};
use super::configurations::{configuration, shared_bytes};
use super::kernel::run;
use super::score::{Identity, With};
use super::score_parts::score_parts;
use super::sequences::{Packed, PackedSequences, Uniform};
use cuda_std::{for_kernel, kernel};
use gpu_kernels::each_score;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionType};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::U32;

/// Defines configurations of two head dimensions, which are multiples of 64, their kernels and
/// their tables.
macro_rules! value_dims {
    ($($name:ident $tile:literal { $variant:ident $element:ident $kind:ident, d $d:literal v $d_v:literal, stages of q $q_stages:literal })+) => {
        $(
            each_score! {
                all configuration @types $tile, $name concat!("attention_", $tile), {
                    $variant $element $kind, d $d v $d_v, atoms LayoutSw128Atom, tile 128 x 128, stages 2,
                    stages of q $q_stages, groups 2, warps 8, threads 384, lazy false, under scores true, under products true, speed 100,
                    sequences Uniform
                }
            }
        )+

        each_score! {
            all score_parts
            /// All kernels of two head dimensions, for packed sequences and for sequences of one
            /// length: a table for each composition of score parts.
            VALUE_DIM_CONFIGURATIONS { $($name $tile $element, keys 128, stages of q $q_stages;)+ }
        }
    };
}

value_dims! {
    F16D64V128 "f16_d64v128_128x128_s2" { F16 f16 F32F16F16, d 64 v 128, stages of q 2 }
    F16D128V64 "f16_d128v64_128x128_s2" { F16 f16 F32F16F16, d 128 v 64, stages of q 2 }
    F16D192V128 "f16_d192v128_128x128_s2" { F16 f16 F32F16F16, d 192 v 128, stages of q 1 }
    Bf16D64V128 "bf16_d64v128_128x128_s2" { Bf16 bf16 F32BF16BF16, d 64 v 128, stages of q 2 }
    Bf16D128V64 "bf16_d128v64_128x128_s2" { Bf16 bf16 F32BF16BF16, d 128 v 64, stages of q 2 }
    Bf16D192V128 "bf16_d192v128_128x128_s2" { Bf16 bf16 F32BF16BF16, d 192 v 128, stages of q 1 }
}
