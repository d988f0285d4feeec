//! What an epilogue operation of a kernel's own reads.
//!
//! ```text
//!   problem ─► parameters ─ OperationReads ─► Reads { c, bias }  ─►  refused where the problem has none of it
//! ```

use super::{GemmParams, flags};
use crate::ProblemError;
use core::fmt;

/// Whether an operation reads C, and the bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// C.
    pub c: bool,
    /// The bias.
    pub bias: bool,
}

/// What a kernel's operation reads of a launch with given parameters. It belongs to the kernel, so
/// that any two are equal.
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
    /// Refuses parameters that have no buffer of what the operation of `kernel` reads.
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
