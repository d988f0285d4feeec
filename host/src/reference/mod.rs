//! Computes the kernels' expected results in float64 on the processor, and the distance of a
//! kernel's result from them.
//!
//! ```text
//!   seed ──► Random ──► inputs ──┬──► kernel ──────► D  (f16, bf16, f32)
//!                                └──► reference ──► C  (f64)      ‖D − C‖ / ‖C‖, max |D − C|
//! ```
//!
//! This module uses no code of the kernels: the references are plain loops that follow the
//! definitions.

mod allowance;
mod attention;
mod element;
mod gemm;
mod loops;
mod norm;
mod random;
mod rounding;
mod score;

pub use allowance::{Agreement, Allowance};
pub use attention::{
    add_attention_gradients, add_attention_gradients_scored, add_attention_gradients_with,
    attention_gradients_of_key, attention_row, attention_row_by_blocks, attention_row_scored,
    attention_row_with,
};
pub use element::Element;
pub use gemm::{ShapeError, gemm, gemm_rows};
pub use norm::{Difference, GemmTolerance, difference};
pub use random::{Random, fill, fill_bits, sample};
pub use rounding::{
    Products, RowAllowance, add_gradient_allowances, attention_row_allowance,
    attention_row_allowance_in,
};
pub use score::HeadScore;

/// Computes `c[i] = a[i] + b[i]` in float32, rounded once to nearest even. Every correct `vecadd`
/// kernel gives the same bits.
///
/// The result is as long as the shorter input.
///
/// ```
/// assert_eq!(host::reference::vecadd(&[1.0, 2.0], &[0.5, 0.25]), [1.5, 2.25]);
/// ```
#[must_use]
pub fn vecadd(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Computes `dst[c, r] = src[r, c]`, both row-major: `src` is `(rows, columns)`, `dst` is
/// `(columns, rows)`.
///
/// ```
/// assert_eq!(host::reference::transpose(&[1, 2, 3, 4, 5, 6], 2, 3), Ok(vec![1, 4, 2, 5, 3, 6]));
/// ```
///
/// # Errors
/// Returns a [`ShapeError`] unless `src` has `rows * columns` elements.
pub fn transpose<T: Copy>(src: &[T], rows: usize, columns: usize) -> Result<Vec<T>, ShapeError> {
    gemm::check_shape("src", src.len(), rows, columns)?;
    let mut dst = Vec::with_capacity(src.len());
    for column in 0..columns {
        dst.extend((0..rows).map(|row| src[row * columns + column]));
    }
    Ok(dst)
}
