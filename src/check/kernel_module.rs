//! The modules of Cutlet's own kernels, parsed for the emulator.

use crate::{CutletError, kernels as built};
use emulator::Program;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The module that contains a kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelModule {
    Every,
    Hopper,
}

/// The number of kernels of a deferred module that are built one by one. A caller that checks more
/// kernels waits for the whole module.
const ALONE: usize = 4;

impl KernelModule {
    /// Parses a program with only this kernel, because a launch has as many counters as the program
    /// has instructions.
    pub(super) fn program_with(self, kernel: &str) -> Result<Program, CutletError> {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let (state, whole): (_, fn() -> _) = match self {
            Self::Every => (built::ptx_state(), built::ptx),
            Self::Hopper => (built::sm90a_state(), built::sm90a),
        };
        // The module does not contain the kernels that are built on demand.
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
