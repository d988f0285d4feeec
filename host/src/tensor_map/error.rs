//! Why a tensor map cannot be made for a tensor.

use emulator::counted;
use thiserror::Error;

/// The fault of a tensor map: the values found and the values allowed.
///
/// Dimensions are counted from 0, and 0 is the innermost one.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// The device has no tensor memory accelerator.
    #[error(
        "tensor maps need compute capability 9.0 (Hopper); {device} has {}.{}",
        .compute_capability.0, .compute_capability.1
    )]
    ComputeCapability {
        /// The device's name.
        device: String,
        /// The device's compute capability.
        compute_capability: (u32, u32),
    },
    /// The driver cannot encode a tensor map.
    #[error(
        "the CUDA driver ({driver}) has no cuTensorMapEncodeTiled: install one for CUDA 12.0 or newer (525 or later), or use the emulator"
    )]
    NoEntryPoint {
        /// The CUDA version of the driver.
        driver: String,
    },
    /// The number of dimensions is not supported.
    #[error(
        "the tensor has {}; a tensor map has 1 to 5",
        counted(found, "dimension")
    )]
    Rank {
        /// The number of dimensions that were given.
        found: usize,
    },
    /// A list is longer or shorter than the tensor's dimensions require.
    #[error(
        "{found} {what} were given for {}; {wanted} are needed",
        counted(rank, "dimension")
    )]
    Length {
        /// The name of the list.
        what: &'static str,
        /// The number of entries that were given.
        found: usize,
        /// The number of entries required.
        wanted: usize,
        /// The number of dimensions of the tensor.
        rank: usize,
    },
    /// The tensor does not begin at a multiple of 16 bytes.
    #[error("the tensor begins at {address:#x}, which is no multiple of 16")]
    Address {
        /// The tensor's address.
        address: u64,
    },
    /// An extent is 0 or beyond 2^32.
    #[error("extent {dimension} of the tensor is {found}; it must be from 1 to 2^32")]
    Extent {
        /// The dimension.
        dimension: usize,
        /// The extent of this dimension, in elements.
        found: u64,
    },
    /// A stride is not a multiple of 16 bytes, or is 2^40 bytes or more.
    #[error(
        "stride {dimension} of the tensor is {}; it must be a multiple of 16 below 2^40",
        counted(found, "byte")
    )]
    Stride {
        /// The dimension.
        dimension: usize,
        /// The stride of this dimension, in bytes.
        found: u64,
    },
    /// A mode is contiguous in the tile, but not in the tensor.
    #[error(
        "mode {mode} is contiguous in shared memory; in the tensor its stride is {found}, and must be 1"
    )]
    Major {
        /// The mode.
        mode: usize,
        /// The stride of this mode in the tensor, in elements.
        found: u64,
    },
    /// An extent of the box is 0 or too large.
    #[error("extent {dimension} of the box is {found}; it must be from 1 to 256")]
    Box {
        /// The dimension.
        dimension: usize,
        /// The extent of this dimension, in elements.
        found: u32,
    },
    /// The rows of the box are not a multiple of 16 bytes.
    #[error(
        "a row of the box has {}; it must be a multiple of 16",
        counted(found, "byte")
    )]
    BoxRow {
        /// The size of a row, in bytes.
        found: usize,
    },
    /// The rows of the box are longer than the swizzle's span.
    #[error("a row of the box has {found} bytes; a {max}-byte swizzle takes at most {max}")]
    SwizzleRow {
        /// The size of a row, in bytes.
        found: usize,
        /// The swizzle's span, in bytes.
        max: usize,
    },
    /// No copy supports this step between the elements of a box.
    #[error("element stride {dimension} is {found}; it must be {}", if *.dimension == 0 { "1" } else { "from 1 to 8" })]
    ElementStride {
        /// The dimension.
        dimension: usize,
        /// The step, in elements.
        found: u32,
    },
    /// NaN was requested outside a tensor of integers, which have no NaN.
    #[error("{element} has no NaN to fill with")]
    Fill {
        /// The type of the elements.
        element: String,
    },
    /// The elements have another size than the buffer's.
    #[error(
        "the map is of {} each; the buffer's elements have {buffer}",
        counted(element, "byte")
    )]
    ElementSize {
        /// The size of an element of the map, in bytes.
        element: usize,
        /// The size of an element of the buffer, in bytes.
        buffer: usize,
    },
    /// The tensor reaches beyond its buffer.
    #[error(
        "the tensor spans {needed} bytes{}; the buffer has {found}",
        if *.written { ", its last row rounded up to 16 bytes, as stores write it" } else { "" }
    )]
    Reach {
        /// The number of bytes from the tensor's first to its last.
        needed: u128,
        /// The size of the buffer, in bytes.
        found: usize,
        /// Whether the map is for writing.
        written: bool,
    },
}

/// Same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for TensorMapError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
