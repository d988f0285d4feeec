//! Compares floating point, comparison, selection and conversion with plain Rust.

mod arithmetic;
#[path = "../common/mod.rs"]
mod common;
mod comparisons;
mod conversions;
mod halves;

use common::lanewise::{lanewise, lanewise_prepared, pairwise};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Returns the bits of a result, in which a NaN is PTX's NaN.
fn out(value: f32) -> u64 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        u64::from(value.to_bits())
    }
}

/// Returns the bits of a result. A NaN becomes the first operand that is NaN, made quiet, or the
/// default NaN.
fn out64(value: f64, operands: &[u64]) -> u64 {
    match operands.iter().find(|&&x| d(x).is_nan()) {
        _ if !value.is_nan() => value.to_bits(),
        Some(nan) => nan | 1 << 51,
        None => 0xfff8_0000_0000_0000,
    }
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}

fn saturate(value: f32) -> f32 {
    // NaN and numbers that are not above 0 become +0.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}
