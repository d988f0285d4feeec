//! Arrays, and the texture and surface objects through which kernels use them.
//!
//! ```text
//! Emulator::array ──► ArrayHandle ──texture(TextureDesc)──► u64    tex.2d.v4.f32.f32 {..}, [handle, {x, y}]
//!                                └──surface──────────────► u64    sust.b.2d.b32.trap [handle, {4 x, y}], {..}
//! ```
//!
//! Law: any number of objects may use the same array, and textures read what surfaces wrote. An
//! array consists of its texels without gaps, x first, then y, then z or the layer; a texel
//! consists of its channels. Source: CUDA C++ Programming Guide, "Texture and Surface Memory",
//! "Texture Fetching".

use crate::error::MemoryError;

/// The dimensions of an array, as PTX names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayShape {
    /// `.1d`: a row, which instructions with integer coordinates also treat as linear memory.
    D1,
    /// `.2d`: rows.
    D2,
    /// `.3d`: slices of rows.
    D3,
    /// `.a1d`: layers, each with one row.
    A1d,
    /// `.a2d`: layers, each with rows.
    A2d,
}

impl ArrayShape {
    /// Returns the modifier that names the shape, without its dot.
    pub fn name(self) -> &'static str {
        match self {
            ArrayShape::D1 => "1d",
            ArrayShape::D2 => "2d",
            ArrayShape::D3 => "3d",
            ArrayShape::A1d => "a1d",
            ArrayShape::A2d => "a2d",
        }
    }

    /// Whether the shape has layers.
    pub fn is_layered(self) -> bool {
        matches!(self, ArrayShape::A1d | ArrayShape::A2d)
    }

    /// Returns the number of coordinates of a texel, without the layer.
    pub(crate) fn dimensions(self) -> usize {
        match self {
            ArrayShape::D1 | ArrayShape::A1d => 1,
            ArrayShape::D2 | ArrayShape::A2d => 2,
            ArrayShape::D3 => 3,
        }
    }

    /// Returns the largest extents on a device of compute capability 9.0.
    fn limits(self) -> [u32; 3] {
        match self {
            ArrayShape::D1 => [1 << 28, 1, 1],
            ArrayShape::D2 => [131_072, 65_536, 1],
            ArrayShape::D3 => [16_384; 3],
            ArrayShape::A1d => [32_768, 1, 2048],
            ArrayShape::A2d => [32_768, 32_768, 2048],
        }
    }
}

/// The format of a texel's channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TexelFormat {
    U8,
    U16,
    U32,
    S8,
    S16,
    S32,
    F16,
    F32,
}

impl TexelFormat {
    /// Returns the number of bytes of a channel.
    pub fn bytes(self) -> usize {
        match self {
            TexelFormat::U8 | TexelFormat::S8 => 1,
            TexelFormat::U16 | TexelFormat::S16 | TexelFormat::F16 => 2,
            TexelFormat::U32 | TexelFormat::S32 | TexelFormat::F32 => 4,
        }
    }

    /// Whether the channel is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, TexelFormat::F16 | TexelFormat::F32)
    }
}

/// The description of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayDesc {
    /// The dimensions of the array.
    pub shape: ArrayShape,
    /// The number of texels in x, y and z; for a layered shape, the last extent is the number of
    /// layers. An extent that the shape does not use is 1.
    pub extents: [u32; 3],
    /// The number of channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// The format of each channel.
    pub format: TexelFormat,
}

impl ArrayDesc {
    /// Returns the number of bytes of a texel.
    pub fn texel_bytes(&self) -> usize {
        self.channels as usize * self.format.bytes()
    }

    /// Returns the number of bytes of the array, saturated at `usize::MAX`.
    pub fn bytes(&self) -> usize {
        let texels = self.extents.iter().map(|&n| n as usize);
        texels.fold(self.texel_bytes(), usize::saturating_mul)
    }

    pub(crate) fn check(&self) -> Result<(), TextureError> {
        let limits = self.shape.limits();
        for (axis, (&found, limit)) in self.extents.iter().zip(limits).enumerate() {
            if !(1..=limit).contains(&found) {
                return Err(TextureError::Extent {
                    shape: self.shape.name(),
                    axis,
                    found,
                    limit,
                });
            }
        }
        match self.channels {
            1 | 2 | 4 => Ok(()),
            found => Err(TextureError::Channels { found }),
        }
    }
}

/// The handle of an array of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArrayHandle(pub(crate) u64);

/// The treatment of a coordinate outside of the texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texture repeats; with coordinates that are not normalised the mode is the same as
    /// `Clamp`.
    Wrap,
    /// The coordinate becomes that of the nearest texel.
    Clamp,
    /// The texture repeats, every second time reversed; with coordinates that are not normalised
    /// the mode is the same as `Clamp`.
    Mirror,
    /// Texels outside of the texture are zeros.
    Border,
}

/// How a texture is read between its texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterMode {
    /// The texel in which the coordinates lie.
    Point,
    /// Interpolates between the centres of the nearest texels, with weights of 8 fraction bits.
    Linear,
}

/// How a texture converts a texel's channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// The channels are not converted.
    Element,
    /// An integer of 8 or 16 bits becomes a float from 0 or -1 to 1; floats are not converted.
    NormalizedFloat,
}

/// The description of a texture object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureDesc {
    /// The array that the texture reads.
    pub array: ArrayHandle,
    /// The address modes of x, y and z.
    pub address: [AddressMode; 3],
    /// The filter of fetches with floating-point coordinates.
    pub filter: FilterMode,
    /// The conversion of the channels.
    pub read: ReadMode,
    /// Whether coordinates go from 0 to 1 instead of from 0 to the extent.
    pub normalized: bool,
}

/// An invalid description of an array or a texture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// An extent of 0, beyond the device's limit, or of a dimension that the shape does not have.
    #[error("extent {axis} of a .{shape} array is {found}, which is not within 1..={limit}")]
    Extent {
        /// The shape's modifier.
        shape: &'static str,
        /// The axis: 0 for x, 1 for y, 2 for z or layers.
        axis: usize,
        /// The extent given.
        found: u32,
        /// The largest extent.
        limit: u32,
    },
    /// The number of channels is not 1, 2 or 4.
    #[error("a texel has 1, 2 or 4 channels, not {found}")]
    Channels {
        /// The number given.
        found: u32,
    },
    /// Integers of 32 bits cannot be read as normalised floats.
    #[error("{format:?} cannot be read as a normalised float, integers of 8 and 16 bits can")]
    ReadMode {
        /// The array's format.
        format: TexelFormat,
    },
    /// Linear filtering of a texture that is not read as floats.
    #[error("linear filtering needs reads of floats, {format:?} is read as it is")]
    Filter {
        /// The array's format.
        format: TexelFormat,
    },
    /// There is no array with that handle, or it was freed.
    #[error("{handle:#x} is no array of this device")]
    NoArray {
        /// The handle given.
        handle: u64,
    },
    /// More or fewer bytes than the array has.
    #[error("the array has {expected} bytes, {found} given")]
    Length {
        /// The array's bytes.
        expected: usize,
        /// The bytes given.
        found: usize,
    },
    /// The array does not fit into the device's memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}
