//! The modules of the own kernels, as the emulator reads them.

use crate::{CutletError, kernels as built};
use emulator::Program;
use std::sync::OnceLock;

/// The module that a kernel is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelModule {
    Every,
    Hopper,
}

impl KernelModule {
    /// The module as the emulator reads it, once.
    pub(super) fn program(self) -> Result<&'static Program, CutletError> {
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
