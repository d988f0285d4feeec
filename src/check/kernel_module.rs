//! The modules of the own kernels, as the emulator reads them.

use crate::{CutletError, kernels as built};
use emulator::Program;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The module that a kernel is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelModule {
    Every,
    Hopper,
}

/// So many kernels of a module that was left to the program are built one by one; who checks more
/// waits for the module.
const ALONE: usize = 4;

impl KernelModule {
    /// This kernel as the emulator reads it, alone: the counters of a launch are as many as the
    /// program's instructions.
    pub(super) fn program_with(self, kernel: &str) -> Result<Program, CutletError> {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let (state, whole): (_, fn() -> _) = match self {
            Self::Every => (built::ptx_state(), built::ptx),
            Self::Hopper => (built::sm90a_state(), built::sm90a),
        };
        // Of those that are built on demand the module has none.
        if state == built::ModuleState::Deferred
            && !built::is_on_demand(kernel)
            && ASKED.fetch_add(1, Ordering::Relaxed) >= ALONE
        {
            whole()?;
        }
        let alone = built::alone(kernel)?;
        let ptx = match &alone {
            Some(ptx) => ptx,
            None => built::first()?,
        };
        Ok(Program::parse(ptx).map_err(host::Error::from)?)
    }
}
