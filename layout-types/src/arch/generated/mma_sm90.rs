//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/arch/mma_sm90.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "SM90_16x8x4_F64F64F64F64_TN",
    mma_16x8x4_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 2]: reg64, 0 1, b: [f64; 1]: reg64, 0),
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "SM90_16x8x8_F64F64F64F64_TN",
    mma_16x8x8_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 4]: reg64, 0 1 2 3, b: [f64; 2]: reg64, 0 1),
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "SM90_16x8x16_F64F64F64F64_TN",
    mma_16x8x16_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 8]: reg64, 0 1 2 3 4 5 6 7, b: [f64; 4]: reg64, 0 1 2 3),
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}}}, {{{12}, {13}, {14}, {15}}}, {{{0}, {1}, {2}, {3}}};"
}
