//! Scales of e4m3 floats by blocks of 128.
//!
//! ```text
//!   A (m, k)   one scale for elements (i, 128 r .. 128 r + 128)              a[r m + i]
//!   B (k, n)   one scale for rows 128 r .. and columns 128 s ..  of 128 each     b[s ceil(k / 128) + r]
//! ```
//!
//! Law: `D = alpha Σ_r a(r,i) b(s,r) A_r·B_r`: see [`Scaling`](kernel_abi::gemm::Scaling).

use super::GemmError;
use crate::buffer::View;
use kernel_abi::gemm::{GemmProblem, InputType, Scaling};

/// The scales of A and of B.
#[derive(Clone, Copy, Debug)]
pub struct BlockScales<'a> {
    /// The scales of A: `ceil(k / 128)` rows of m numbers.
    pub a: View<'a, f32>,
    /// The scales of B: `ceil(n / 128)` rows of `ceil(k / 128)` numbers.
    pub b: View<'a, f32>,
}

impl BlockScales<'_> {
    /// Checks that the inputs are e4m3, and that there are as many scales as the problem has
    /// blocks.
    pub(super) fn check(&self, problem: &GemmProblem) -> Result<(), GemmError> {
        if problem.input != InputType::E4m3 {
            return Err(GemmError::ScalesOf {
                input: problem.input,
            });
        }
        let [a, b] = Scaling::Blocks.counts(problem);
        for (name, given, expected) in [("A", self.a.len(), a), ("B", self.b.len(), b)] {
            if given as u64 != expected {
                return Err(GemmError::Scales {
                    name,
                    given,
                    expected,
                });
            }
        }
        Ok(())
    }
}
