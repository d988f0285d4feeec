//! An MMA, a single atom or tiled: A, B and C arranged as CuTe's `print_latex` arranges them.
//!
//! ```text
//!                    n ->
//!              k  +--------+
//!                 |   B    |        row m of A and column n of B meet in cell (m,n) of C
//!      k ->       +--------+
//!   +--------+    +--------+
//! m |   A    |  m |   C    |
//!   +--------+    +--------+
//! ```

use super::thread_value::{by_warp, key_of_threads, key_of_warps, owners_grid};
use crate::error::Result;
use crate::grid::Picture;
use crate::options::Options;
use layout_types::dynamic::{AnyLayout, IntTuple};

/// The content of an MMA's picture: its shape, and the values that each thread holds.
#[derive(Clone, Debug, PartialEq)]
pub struct MmaOperands {
    /// The name of the MMA.
    pub name: String,
    /// M, N and K.
    pub shape: [i64; 3],
    /// Maps (thread, value) to the column-major index in (M,K).
    pub a: AnyLayout,
    /// Maps (thread, value) to the column-major index in (N,K).
    pub b: AnyLayout,
    /// Maps (thread, value) to the column-major index in (M,N).
    pub c: AnyLayout,
}

/// Draws the three operands of an MMA; K of B runs downwards.
///
/// # Errors
/// Returns the errors of [`thread_value`](super::thread_value) for each operand.
pub fn mma(operands: &MmaOperands, options: &Options) -> Result<Picture> {
    let [m, n, k] = operands.shape;
    let tile = |rows: i64, columns: i64| IntTuple::from([rows, columns]);
    let by_warp = by_warp(&operands.c);
    let a = owners_grid("A", &operands.a, &tile(m, k), ["m", "k"], false, by_warp)?;
    let b = owners_grid("B", &operands.b, &tile(n, k), ["n", "k"], true, by_warp)?;
    let c = owners_grid("C", &operands.c, &tile(m, n), ["m", "n"], false, by_warp)?;
    Ok(Picture {
        title: options
            .title
            .clone()
            .unwrap_or_else(|| operands.name.clone()),
        notes: vec![
            format!("M {m} x N {n} x K {k}; {}", key_of_threads(by_warp)),
            format!("A {}", operands.a),
            format!("B {}", operands.b),
            format!("C {}", operands.c),
        ],
        panels: vec![vec![None, Some(b)], vec![Some(a), Some(c)]],
        key: if by_warp {
            key_of_warps(&[&operands.a, &operands.b, &operands.c])?
        } else {
            Vec::new()
        },
    })
}
