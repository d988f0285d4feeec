//! Why a tensor has no tensor map.

use emulator::counted;
use thiserror::Error;

/// What is wrong with a tensor map: the values found and the values allowed.
///
/// Dimensions are counted from 0, the innermost.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// A device without a tensor memory accelerator.
    #[error(
        "tensor maps need compute capability 9.0 (Hopper); {device} has {}.{}",
        .compute_capability.0, .compute_capability.1
    )]
    ComputeCapability {
        /// The device's name.
        device: String,
        /// Its compute capability.
        compute_capability: (u32, u32),
    },
    /// A driver that cannot encode one.
    #[error(
        "the CUDA driver ({driver}) has no cuTensorMapEncodeTiled: install one for CUDA 12.0 or newer (525 or later), or use the emulator"
    )]
    NoEntryPoint {
        /// The CUDA version of the driver.
        driver: String,
    },
    /// Too many or too few dimensions.
    #[error(
        "the tensor has {}; a tensor map has 1 to 5",
        counted(found, "dimension")
    )]
    Rank {
        /// Dimensions given.
        found: usize,
    },
    /// A list that is longer or shorter than the tensor's dimensions ask for.
    #[error(
        "{found} {what} were given for {}; {wanted} are needed",
        counted(rank, "dimension")
    )]
    Length {
        /// What is listed.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many there must be.
        wanted: usize,
        /// Dimensions of the tensor.
        rank: usize,
    },
    /// A tensor that does not begin on a boundary of 16 bytes.
    #[error("the tensor begins at {address:#x}, which is no multiple of 16")]
    Address {
        /// Its address.
        address: u64,
    },
    /// An extent of 0 or beyond what 32 bits count.
    #[error("extent {dimension} of the tensor is {found}; it must be from 1 to 2^32")]
    Extent {
        /// Which dimension.
        dimension: usize,
        /// Its extent, in elements.
        found: u64,
    },
    /// A stride that is off 16 bytes, or too long.
    #[error(
        "stride {dimension} of the tensor is {}; it must be a multiple of 16 below 2^40",
        counted(found, "byte")
    )]
    Stride {
        /// Which dimension.
        dimension: usize,
        /// Its stride, in bytes.
        found: u64,
    },
    /// A mode that is contiguous in the tile and not in the tensor.
    #[error(
        "mode {mode} is contiguous in shared memory; in the tensor its stride is {found}, and must be 1"
    )]
    Major {
        /// The mode.
        mode: usize,
        /// Its stride in the tensor, in elements.
        found: u64,
    },
    /// An extent of the box that is 0 or too large.
    #[error("extent {dimension} of the box is {found}; it must be from 1 to 256")]
    Box {
        /// Which dimension.
        dimension: usize,
        /// Its extent, in elements.
        found: u32,
    },
    /// Rows of the box that are no whole pieces of 16 bytes.
    #[error(
        "a row of the box has {}; it must be a multiple of 16",
        counted(found, "byte")
    )]
    BoxRow {
        /// Bytes of a row.
        found: usize,
    },
    /// Rows of the box that are longer than the swizzle's lines.
    #[error("a row of the box has {found} bytes; a {max}-byte swizzle takes at most {max}")]
    SwizzleRow {
        /// Bytes of a row.
        found: usize,
        /// The swizzle's.
        max: usize,
    },
    /// A step between the elements of a box that no copy takes.
    #[error("element stride {dimension} is {found}; it must be {}", if *.dimension == 0 { "1" } else { "from 1 to 8" })]
    ElementStride {
        /// Which dimension.
        dimension: usize,
        /// The step, in elements.
        found: u32,
    },
    /// NaN outside a tensor of integers.
    #[error("{element} has no NaN to fill with")]
    Fill {
        /// The type of the elements.
        element: String,
    },
    /// Elements of another size than the buffer's.
    #[error(
        "the map is of {} each; the buffer's elements have {buffer}",
        counted(element, "byte")
    )]
    ElementSize {
        /// Bytes of an element of the map.
        element: usize,
        /// Bytes of an element of the buffer.
        buffer: usize,
    },
    /// A tensor that reaches beyond its buffer.
    #[error(
        "the tensor spans {needed} bytes{}; the buffer has {found}",
        if *.written { ", its last row rounded up to 16 bytes, as stores write it" } else { "" }
    )]
    Reach {
        /// Bytes from the tensor's first to its last.
        needed: u128,
        /// Bytes of the buffer.
        found: usize,
        /// Whether the map is one to write through.
        written: bool,
    },
}

/// As `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for TensorMapError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
