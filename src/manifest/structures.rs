//! The structures that kernels take by value, field by field, with the offsets that the compiler
//! chose.

use super::{Field, Flag, Structure};
use gpu_kernels_sm90::attention::score::SoftCap;
use kernel_abi::attention::{
    self, AttentionBackwardParams, AttentionParams, AttentionReads, AttentionStrides, DecodeParams,
    GradientReads, PageParams, TransposeParams,
};
use kernel_abi::gemm::{self, GemmParams};
use std::mem::offset_of;

macro_rules! structure {
    ($name:ident: $meaning:literal { $($field:ident: $ty:ident $what:literal;)* } flags $flags:path { $($flag:ident $says:literal;)* }) => {
        Structure {
            name: stringify!($name),
            bytes: size_of::<$name>(),
            alignment: align_of::<$name>(),
            meaning: $meaning,
            fields: vec![$(Field {
                name: stringify!($field),
                // Reads the field as this type, so that another type does not compile.
                ty: { let _: fn(&$name) -> $ty = |of| of.$field; stringify!($ty) },
                offset: offset_of!($name, $field),
                meaning: $what,
            }),*],
            flags: { #[allow(unused_imports)] use $flags as flags; vec![$(Flag { name: stringify!($flag), value: flags::$flag, meaning: $says }),*] },
        }
    };
}

/// Returns every structure.
pub(super) fn all() -> Vec<Structure> {
    vec![
        structure! {
            GemmParams: "A GEMM's extents, strides in elements, and epilogue" {
                m: u32 "rows of A and D";
                n: u32 "columns of B and D";
                k: u32 "columns of A, rows of B";
                k_slices: u32 "1 for one CTA a tile and for a persistent kernel; s for split-K in s slices; 0 for stream-K over the grid";
                lda: u64 "A's leading dimension";
                ldb: u64 "B's leading dimension";
                ldc: u64 "C's leading dimension";
                ldd: u64 "D's leading dimension";
                batch_a: u64 "A's batch stride; 0 where all batches have one A";
                batch_b: u64 "B's batch stride; 0 where all batches have one B";
                batch_c: u64 "C's batch stride";
                batch_d: u64 "D's batch stride";
                alpha: f32 "the factor of the accumulator; read where GENERAL is set";
                beta: f32 "the factor of C; read where C is set";
                epilogue: u32 "flags; for kernels of any cluster, bits 13 and 14 are the binary logarithm of a cluster's tiles along m, 15 and 16 along n";
                raster_group: u32 "rows of tiles in a group of the rasterization, at least 1; 8 suits large products";
            } flags gemm::flags {
                WIDE "D and C are f32; otherwise they have the inputs' type, or another flag names theirs";
                INTEGER "D is the integer accumulator as it is";
                GENERAL "the epilogue is not the identity: alpha, or a flag below";
                C "beta C is added";
                BIAS "the bias is added";
                RELU "the activation is ReLU";
                GELU "the activation is GELU, in the form with the hyperbolic tangent";
                VECTORS "rows of D, and of C, begin at multiples of 16 bytes and have a multiple of 16 bytes";
                A_MN "A is column-major; read by kernels `any` alone";
                B_MN "B is row-major; read by kernels `any` alone";
                CLUSTER_SPLIT "the slices of k are those of a cluster's CTAs";
                BF16 "D and C are bf16, and the inputs 8-bit floats";
                REDUCE "the accumulator, rounded to D's type, is added to what D holds; of kernels that store D by TMA";
            }
        },
        structure! {
            AttentionParams: "The extents of attention, its mask, and O's strides in elements" {
                queries: u32 "queries of a head";
                keys: u32 "keys of a head";
                heads: u32 "query heads of a batch";
                heads_per_key: u32 "query heads that share a head of K and V";
                batches: u32 "batches";
                section: u32 "heads, of all batches, that are gone through together; at least 1";
                lower: i32 "the least j - i of a key j that query i sees; -2^31 for none";
                upper: i32 "the largest j - i: 0 for causal of as many keys as queries; 2^31 - 1 for none";
                scale_log2: f32 "the scale of the scores times log2(e)";
                flags: u32 "flags";
                row_o: u64 "elements between rows of O";
                head_o: u64 "elements between heads of O";
                batch_o: u64 "elements between batches of O";
            } flags attention::flags {
                LSE "the log-sum-exp of each row is stored";
                SCALES_OF_HEADS "each head of keys of each batch has scales of its own, of 8-bit floats";
                PACKED "sequences are packed, by their starts: said to kernels that compute those of one length, too";
                SHORT_TILE_FIRST "tiles of 192 queries end with the last one, the first is not full; queries are a multiple of 64";
            }
        },
        structure! {
            TransposeParams: "The extents of V, and its strides in elements" {
                keys: u32 "keys of a head";
                places: u32 "places of a head in V transposed: keys up to a multiple of 128";
                heads: u32 "heads of a batch";
                reserved: u32 "0";
                row: u64 "elements between rows of V, a multiple of 16";
                head: u64 "elements between heads of V, a multiple of 16";
                batch: u64 "elements between batches of V, a multiple of 16";
            } flags attention::flags {}
        },
        structure! {
            AttentionReads: "The strides of Q, K and V in elements, of attention's kernels that read them by their addresses" {
                row_q: u64 "elements between rows of Q";
                head_q: u64 "elements between heads of Q";
                batch_q: u64 "elements between batches of Q";
                row_k: u64 "elements between rows of K";
                head_k: u64 "elements between heads of K";
                batch_k: u64 "elements between batches of K";
                row_v: u64 "elements between rows of V";
                head_v: u64 "elements between heads of V";
                batch_v: u64 "elements between batches of V";
            } flags attention::flags {}
        },
        structure! {
            AttentionBackwardParams: "The tiles of a kernel of attention's gradients" {
                of: AttentionParams "the tiles; the strides are those of the kernel's first tensor";
                streamed_heads: u32 "streamed heads of a tile: query heads that share a head of keys for dK and dV, else 1";
                value_rows: u32 "rows of a head in the buffer of values";
                value_heads: u32 "heads of all batches there: its second half begins behind them";
                scale: f32 "the scale of the scores";
                row_second: u64 "elements between rows of the second tensor";
                head_second: u64 "elements between heads of it";
                batch_second: u64 "elements between batches of it";
            } flags attention::flags {}
        },
        structure! {
            AttentionStrides: "The strides of a tensor, in elements" {
                row: u64 "elements between rows";
                head: u64 "elements between heads";
                batch: u64 "elements between batches";
            } flags attention::flags {}
        },
        structure! {
            GradientReads: "The strides of the tensors of a kernel of attention's gradients that reads them by their addresses" {
                x_0: AttentionStrides "of K, or Q: of the tile";
                x_1: AttentionStrides "of V, or dO: of the tile";
                y_0: AttentionStrides "of Q, or K: streamed";
                y_1: AttentionStrides "of dO, or V: streamed";
            } flags attention::flags {}
        },
        structure! {
            DecodeParams: "The pages of decoding, and how its keys are split" {
                page_log2: u32 "the page size, in keys, is 2 to this";
                table_pages: u32 "pages of a sequence at most: columns of the page table";
                ctas: u32 "CTAs of the grid that the keys are split over";
                dim: u32 "the head dimension";
            } flags attention::flags {}
        },
        structure! {
            PageParams: "The pages of a cache" {
                page_log2: u32 "the page size, in keys, is 2 to this";
                table_pages: u32 "pages of a sequence at most: columns of the page table";
            } flags attention::flags {}
        },
        structure! {
            SoftCap: "The soft cap of scores, cap tanh(score / cap)" {
                cap: f32 "the cap, above 0";
                twice_log2: f32 "2 log2(e) / cap";
            } flags attention::flags {}
        },
        Structure {
            name: "TensorMap",
            bytes: 128,
            alignment: 64,
            meaning: "what cuTensorMapEncodeTiled of the driver makes: opaque, and passed by value",
            fields: Vec::new(),
            flags: Vec::new(),
        },
    ]
}
