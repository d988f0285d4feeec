//! The modules of the own kernels, as the emulator reads them.

use crate::{CutletError, kernels as built};
use emulator::Program;
use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The module that a kernel is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelModule {
    Every,
    Hopper,
}

/// So many kernels of a module that was left to the program are built one by one; who checks more waits for the module.
const ALONE: usize = 4;

impl KernelModule {
    /// A module with this kernel, as the emulator reads it: the whole, unless that would have to be built for a few.
    pub(super) fn program_with(self, kernel: &str) -> Result<Cow<'static, Program>, CutletError> {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let state = match self {
            Self::Every => built::ptx_state(),
            Self::Hopper => built::sm90a_state(),
        };
        if state == built::ModuleState::Deferred
            && ASKED.fetch_add(1, Ordering::Relaxed) < ALONE
            && let Some(ptx) = built::alone(kernel)?
        {
            return Ok(Cow::Owned(Program::parse(&ptx).map_err(host::Error::from)?));
        }
        self.program().map(Cow::Borrowed)
    }

    /// The module as the emulator reads it, once.
    fn program(self) -> Result<&'static Program, CutletError> {
        static EVERY: OnceLock<Program> = OnceLock::new();
        static HOPPER: OnceLock<Program> = OnceLock::new();
        let (program, ptx): (_, fn() -> _) = match self {
            Self::Every => (&EVERY, built::ptx),
            Self::Hopper => (&HOPPER, built::sm90a),
        };
        if let Some(program) = program.get() {
            return Ok(program);
        }
        let parsed = Program::parse(ptx()?).map_err(host::Error::from)?;
        Ok(program.get_or_init(|| parsed))
    }
}
