//! The outcome of a kernel whose result must have the reference's bits.

use super::RunOutcome;
use bytemuck::Pod;

/// A result compared bit for bit with the reference.
#[derive(Debug)]
pub struct ExactOutcome {
    /// The launch and its time.
    pub launched: RunOutcome,
    /// The number of elements that were compared, which is all of them.
    pub elements: usize,
    /// The number of elements whose bits differ.
    pub wrong: usize,
    /// The index of the first such element.
    pub first_wrong: Option<usize>,
    /// The least number of bytes that the kernel reads and writes.
    pub bytes: u64,
    /// Whether the bytes after the output are unchanged.
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
