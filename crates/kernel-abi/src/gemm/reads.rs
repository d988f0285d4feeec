//! The buffers that a kernel's own epilogue operation reads.
//!
//! ```text
//!   problem ─► parameters ─ OperationReads ─► Reads { c, bias }  ─►  refused if the problem lacks a buffer
//! ```

use super::{GemmParams, flags};
use crate::ProblemError;
use core::fmt;

/// Whether an operation reads C, and whether it reads the bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Whether the operation reads C.
    pub c: bool,
    /// Whether the operation reads the bias.
    pub bias: bool,
}

/// A function from a launch's parameters to the buffers that a kernel's operation reads. The
/// function belongs to the kernel, so any two values compare as equal.
#[derive(Clone, Copy)]
pub struct OperationReads(pub fn(&GemmParams) -> Reads);

impl fmt::Debug for OperationReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperationReads")
    }
}
impl PartialEq for OperationReads {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for OperationReads {}

impl OperationReads {
    /// Refuses parameters without a buffer that the operation of `kernel` reads.
    pub(super) fn check(
        self,
        kernel: &'static str,
        params: &GemmParams,
    ) -> Result<(), ProblemError> {
        let Reads { c, bias } = (self.0)(params);
        for (read, flag, what, setting) in [
            (c, flags::C, "C", "a `beta` other than 0"),
            (bias, flags::BIAS, "a bias", "`bias: true`"),
        ] {
            if read && params.epilogue & flag == 0 {
                return Err(ProblemError::NoBuffer {
                    kernel,
                    what,
                    setting,
                });
            }
        }
        Ok(())
    }
}
