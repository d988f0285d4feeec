//! The launch with which a kernel is correct, in plain numbers.
//!
//! ```text
//!   vecadd::launch_spec(n) ──► LaunchSpec { kernel, grid, block, cluster, .. } ──► host::Contract ──► launch
//! ```
//!
//! Law: take a launch with this grid, block, cluster and shared memory, whose buffers are at least
//! as long and as aligned as stated, and whose written buffers overlap no other buffer. It accesses
//! nothing but these buffers, and computes what the kernel documents.

use crate::ProblemError;

/// The least length and alignment of a buffer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSpec {
    /// The buffer's position among the kernel's arguments, counted from 0.
    pub argument: usize,
    /// The argument's name in messages: `A`, `C`, `dst`.
    pub name: &'static str,
    /// The least length, in elements.
    pub elements: u64,
    /// The alignment of the first element, in bytes.
    pub alignment: usize,
    /// Whether the kernel writes the buffer.
    pub written: bool,
    /// The size of an element in bytes, if the kernel's elements have one type.
    pub element_bytes: Option<usize>,
}

impl BufferSpec {
    /// Returns the same contract for elements of `bytes` bytes. A buffer of other elements is
    /// refused, unless its elements are bytes and there are enough of them.
    ///
    /// ```
    /// use kernel_abi::gemm::{GemmArgument, Reduction};
    /// let d = Reduction::ARGUMENTS.buffer(GemmArgument::D, 100, 16);
    /// assert_eq!(d.of_bytes(2).element_bytes, Some(2));
    /// ```
    #[must_use]
    pub const fn of_bytes(mut self, bytes: usize) -> Self {
        self.element_bytes = Some(bytes);
        self
    }

    /// Returns the same contract with another name in messages.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

/// A launch of one kernel for one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchSpec<const BUFFERS: usize> {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The extents of the grid, in CTAs: x, y, z.
    pub grid: [u32; 3],
    /// The extents of a CTA, in threads: x, y, z.
    pub block: [u32; 3],
    /// The extents of a cluster, in CTAs: x, y, z. A kernel without clusters has clusters of one
    /// CTA.
    pub cluster: [u32; 3],
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: usize,
    /// The kernel's buffers, in the order of its arguments.
    pub buffers: [BufferSpec; BUFFERS],
}

/// The largest extent of any problem. With it, coordinates at a residue tile's far edge still fit
/// in 32 bits.
pub const MAX_EXTENT: u32 = 1 << 31;

/// The most CTAs in a grid's y direction (CUDA programming guide, compute capabilities).
pub const MAX_GRID_Y: u32 = 65_535;

/// The most CTAs in a grid's z direction (CUDA programming guide, compute capabilities).
pub const MAX_GRID_Z: u32 = 65_535;

/// Returns `given` if it is in `1..=max`.
///
/// # Errors
/// Returns [`ProblemError::Empty`] for 0, and [`ProblemError::TooLarge`] above `max`.
pub const fn checked_extent(
    extent: &'static str,
    given: u32,
    max: u32,
) -> Result<u32, ProblemError> {
    if given == 0 {
        return Err(ProblemError::Empty { extent });
    }
    if given > max {
        return Err(ProblemError::TooLarge {
            what: extent,
            given: given as u64,
            max: max as u64,
        });
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_one_to_max() {
        assert_eq!(checked_extent("M", 1, 7), Ok(1));
        assert_eq!(checked_extent("M", 7, 7), Ok(7));
        for (given, message) in [
            (0, "M is 0; it must be at least 1"),
            (8, "M is 8; a launch covers at most 7"),
        ] {
            assert_eq!(
                checked_extent("M", given, 7).unwrap_err().to_string(),
                message
            );
        }
    }
}
