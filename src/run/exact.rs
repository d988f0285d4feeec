//! The outcome of a kernel whose result is known to the bit.

use super::RunOutcome;
use bytemuck::Pod;

/// A result compared bit for bit with the reference.
#[derive(Debug)]
pub struct ExactOutcome {
    /// The launch and its time.
    pub launched: RunOutcome,
    /// Elements compared: all of them.
    pub elements: usize,
    /// Elements whose bits differ.
    pub wrong: usize,
    /// The first of them.
    pub first_wrong: Option<usize>,
    /// Bytes that the kernel reads and writes, at least.
    pub bytes: u64,
    /// Whether the bytes behind the output are unchanged.
    pub guard_intact: bool,
}

impl ExactOutcome {
    pub(super) fn compare<T: Pod>(
        launched: RunOutcome,
        found: &[T],
        expected: &[T],
        guard_intact: bool,
        bytes: u64,
    ) -> Self {
        let differs =
            |(found, expected): (&T, &T)| bytemuck::bytes_of(found) != bytemuck::bytes_of(expected);
        let pairs = || found.iter().zip(expected);
        Self {
            launched,
            elements: expected.len(),
            wrong: pairs().filter(|&pair| differs(pair)).count()
                + expected.len().abs_diff(found.len()),
            first_wrong: pairs().position(differs),
            bytes,
            guard_intact,
        }
    }

    /// Whether every bit is right and nothing else was written.
    #[must_use]
    pub fn right(&self) -> bool {
        self.wrong == 0 && self.guard_intact
    }
}
