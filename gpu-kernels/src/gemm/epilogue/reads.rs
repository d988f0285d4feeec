//! Finds what an epilogue operation reads, by applying it to values that record their reads.
//!
//! ```text
//!   apply(values, params)     values.with_bias(..)  ─►  the bias        values.map(..)  ─►  nothing
//! ```
//!
//! Law: a plan of the operation's configuration has C and a bias if the operation reads them. A
//! problem without them is refused.

use super::op::{EpilogueOp, EpilogueValues};
use kernel_abi::gemm::{GemmParams, OperationReads, Reads};

struct Recorder(Reads);

impl EpilogueValues for Recorder {
    fn map(&mut self, _: impl Fn(f32) -> f32) {}
    fn with_c(&mut self, _: impl Fn(f32, f32) -> f32) {
        self.0.c = true;
    }
    fn with_bias(&mut self, _: impl Fn(f32, f32) -> f32) {
        self.0.bias = true;
    }
}

/// Returns what `Op` reads in a launch with these parameters.
///
/// ```
/// use gpu_kernels::gemm::epilogue::{op::{EpilogueOp, EpilogueValues}, reads::reads};
/// use kernel_abi::gemm::{GemmParams, Reads};
///
/// struct Scaled;
/// impl EpilogueOp for Scaled {
///     fn is_identity(_: &GemmParams) -> bool {
///         false
///     }
///     fn apply(values: &mut impl EpilogueValues, _: &GemmParams) {
///         values.with_bias(|x, scale| x * scale);
///     }
/// }
/// assert_eq!(reads::<Scaled>(&GemmParams::default()), Reads { c: false, bias: true });
/// ```
#[must_use]
pub fn reads<Op: EpilogueOp>(params: &GemmParams) -> Reads {
    let mut recorder = Recorder(Reads::default());
    if !Op::is_identity(params) {
        Op::apply(&mut recorder, params);
    }
    recorder.0
}

/// Returns [`reads`] of `Op` as data of a configuration, or `None` on the GPU, which makes no
/// plans.
#[must_use]
pub const fn of_operation<Op: EpilogueOp>() -> Option<OperationReads> {
    if cfg!(target_arch = "nvptx64") {
        return None;
    }
    Some(OperationReads(reads::<Op>))
}
