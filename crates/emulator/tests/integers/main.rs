//! Compares integer arithmetic, logic and bit fields with plain Rust.

mod bits;
#[path = "../common/mod.rs"]
mod common;
mod pack;
mod sums;
mod video;

use common::lanewise::{lanewise, lanewise_prepared, pairwise};

/// Extends the low `bits` bits by their sign.
fn signed(bits: u32, value: u64) -> i128 {
    let shift = 128 - bits;
    ((i128::from(value)) << shift) >> shift
}

fn value(ty: &str, value: u64) -> i128 {
    let bits: u32 = ty[1..].parse().unwrap();
    match &ty[..1] {
        "s" => signed(bits, value),
        _ => i128::from(value),
    }
}

const TYPES: [&str; 6] = ["u16", "s16", "u32", "s32", "u64", "s64"];

fn width(ty: &str) -> u32 {
    ty[1..].parse().unwrap()
}
