//! Texture arrays and objects, and which texels a fetch reads with which weights.
//!
//! ```text
//! coordinates ──sampler──► place of up to 8 texels, each with its weight ──► a channel: sum of weight * value
//! linear      b = round(256 (x - 0.5)),  i = b >> 8,  a = b & 255          texels i (256 - a) and i + 1 (a)
//! ```
//!
//! Law: fetches follow the CUDA C++ Programming Guide, "Texture Fetching". Whatever the guide
//! leaves open is as on an H100 (`tests/data/h100_textures.txt`). The weight of a texel in a plane
//! is a b / 256 rounded to 8 fraction bits, and the other three weights follow from it. A
//! one-dimensional array with filtering and a border is a plane of one row, at y = 0. Integer
//! coordinates outside of the array give zeros, and so do layers outside of it that come with
//! integer coordinates; layers with other coordinates are clamped. Channels that an array lacks are
//! 0.

use std::collections::HashMap;
use std::sync::Arc;

use crate::address::{TEXTURE_START, TEXTURE_STEP};
use crate::error::MemoryError;
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::global::HostMemory;
use crate::texture::{
    AddressMode, ArrayDesc, ArrayHandle, ArrayShape, FilterMode, ReadMode, TexelFormat,
    TextureDesc, TextureError,
};

/// An array with its bytes.
#[derive(Debug)]
pub(crate) struct Array {
    pub desc: ArrayDesc,
    pub bytes: Arc<Allocation>,
}

/// The object that a handle refers to: a texture, or a surface if it has no sampler.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub array: Arc<Array>,
    pub sampler: Option<TextureDesc>,
}

/// The arrays and objects of a device.
#[derive(Debug, Clone, Default)]
pub(crate) struct Textures {
    /// A separate memory: no address that a kernel can use lies in an array.
    memory: HostMemory,
    arrays: HashMap<ArrayHandle, Arc<Array>>,
    objects: HashMap<u64, Object>,
    made: u64,
}

impl Textures {
    pub fn allocate(&mut self, desc: ArrayDesc, total: usize) -> Result<ArrayHandle, MemoryError> {
        let bytes = self.memory.allocate(desc.bytes(), 1, Kind::Buffer, total)?;
        let handle = ArrayHandle(bytes.base);
        self.arrays.insert(handle, Arc::new(Array { desc, bytes }));
        Ok(handle)
    }

    pub fn free(&mut self, handle: ArrayHandle) -> Result<(), TextureError> {
        let array = self.array(handle)?.clone();
        self.objects
            .retain(|_, object| !Arc::ptr_eq(&object.array, &array));
        self.arrays.remove(&handle);
        Ok(self.memory.free(handle.0)?)
    }

    pub fn array(&self, handle: ArrayHandle) -> Result<&Arc<Array>, TextureError> {
        self.arrays
            .get(&handle)
            .ok_or(TextureError::NoArray { handle: handle.0 })
    }

    fn whole(&self, handle: ArrayHandle, found: usize) -> Result<(), TextureError> {
        match self.array(handle)?.desc.bytes() {
            expected if expected == found => Ok(()),
            expected => Err(TextureError::Length { expected, found }),
        }
    }

    /// Copies bytes from the host to an array. A launch cannot do this, because it has no `&mut` of
    /// its textures.
    pub fn write(&mut self, handle: ArrayHandle, bytes: &[u8]) -> Result<(), TextureError> {
        self.whole(handle, bytes.len())?;
        Ok(self.memory.write(handle.0, bytes)?)
    }

    /// Copies bytes from an array to the host, under the same condition as [`write`](Self::write).
    pub fn read(&mut self, handle: ArrayHandle, bytes: &mut [u8]) -> Result<(), TextureError> {
        self.whole(handle, bytes.len())?;
        Ok(self.memory.read(handle.0, bytes)?)
    }

    pub fn object(
        &mut self,
        handle: ArrayHandle,
        sampler: Option<TextureDesc>,
    ) -> Result<u64, TextureError> {
        let array = self.array(handle)?.clone();
        let object = TEXTURE_START + self.made * TEXTURE_STEP;
        self.made += 1;
        self.objects.insert(object, Object { array, sampler });
        Ok(object)
    }

    pub fn find(&self, handle: u64) -> Option<&Object> {
        self.objects.get(&handle)
    }

    /// Whether an object had this handle, even if that object has been destroyed.
    pub fn was(&self, handle: u64) -> bool {
        let index = handle.wrapping_sub(TEXTURE_START);
        index.is_multiple_of(TEXTURE_STEP) && index / TEXTURE_STEP < self.made
    }
}

/// The coordinates that a fetch reads at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Coordinates {
    Float([f32; 3]),
    Integer([i32; 3]),
}

/// The texels to read, each with its weight; `None` is a texel of the border.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Taps {
    pub all: [(Option<usize>, f64); 8],
    pub count: usize,
}

/// Maps an index to one in `0..n` as the address mode says, or returns `None` for a texel of the
/// border.
fn inside(index: i64, n: u32, mode: AddressMode) -> Option<u32> {
    let n = i64::from(n);
    let index = match mode {
        AddressMode::Clamp => index.clamp(0, n - 1),
        AddressMode::Wrap => index.rem_euclid(n),
        AddressMode::Mirror => {
            let index = index.rem_euclid(2 * n);
            index.min(2 * n - 1 - index)
        }
        AddressMode::Border => return (0..n).contains(&index).then_some(index as u32),
    };
    Some(index as u32)
}

/// Returns the number of the texel at these indices.
fn texel(desc: &ArrayDesc, [x, y, z]: [u32; 3]) -> usize {
    let [width, height, _] = desc.extents.map(|n| n as usize);
    (z as usize * height + y as usize) * width + x as usize
}

/// Computes which texels a fetch reads, with their weights.
pub(crate) fn taps(desc: &ArrayDesc, sampler: &TextureDesc, layer: u32, at: Coordinates) -> Taps {
    let mut taps = Taps {
        all: [(None, 1.0); 8],
        count: 1,
    };
    let layered = desc.shape.is_layered();
    let dimensions = desc.shape.dimensions();
    let last = desc.extents[2] - 1;
    let with_layer = |mut index: [u32; 3]| {
        if layered {
            index[2] = layer.min(last);
        }
        texel(desc, index)
    };
    let at = match at {
        Coordinates::Integer(at) => {
            let mut index = [0; 3];
            for axis in 0..dimensions {
                let n = desc.extents[axis];
                match inside(i64::from(at[axis]), n, AddressMode::Border) {
                    Some(i) => index[axis] = i,
                    None => return taps,
                }
            }
            if !layered || layer <= last {
                taps.all[0].0 = Some(with_layer(index));
            }
            return taps;
        }
        Coordinates::Float(at) => at,
    };
    let mode = |axis: usize| match sampler.address[axis] {
        AddressMode::Wrap | AddressMode::Mirror if !sampler.normalized => AddressMode::Clamp,
        mode => mode,
    };
    let scaled: [f64; 3] = std::array::from_fn(|axis| {
        let x = f64::from(at[axis]);
        let x = match mode(axis) {
            // Both modes repeat after 2, so that the largest numbers keep their fraction.
            AddressMode::Wrap | AddressMode::Mirror => x.rem_euclid(2.0),
            _ => x,
        };
        let x = if sampler.normalized {
            x * f64::from(desc.extents[axis])
        } else {
            x
        };
        // The bounds are beyond every array, and small enough for integer arithmetic; NaN becomes
        // 0.
        x.clamp(-1e12, 1e12)
    });
    let places = |corner: usize, first: [i64; 3], planes: usize| {
        let mut index = [0; 3];
        for (axis, place) in index.iter_mut().enumerate().take(planes) {
            // The second axis of a one-dimensional array has one row.
            let n = if axis < dimensions {
                desc.extents[axis]
            } else {
                1
            };
            *place = inside(first[axis] + (corner >> axis & 1) as i64, n, mode(axis))?;
        }
        Some(with_layer(index))
    };
    if sampler.filter == FilterMode::Point {
        taps.all[0].0 = places(0, scaled.map(|x| x.floor() as i64), dimensions);
        return taps;
    }
    let line = desc.shape == ArrayShape::D1 && mode(0) == AddressMode::Border;
    let fixed: [i64; 3] = std::array::from_fn(|axis| {
        let x = if axis < dimensions { scaled[axis] } else { 0.0 };
        ((x - 0.5) * 256.0 + 0.5).floor() as i64
    });
    let axes = if line { 2 } else { dimensions };
    let fraction = fixed.map(|b| b & 255);
    let (a, b) = (fraction[0], if axes > 1 { fraction[1] } else { 0 });
    let both = (a * b + 128) >> 8;
    let plane = [256 - a - b + both, a - both, b - both, both];
    taps.count = 1 << axes;
    for corner in 0..taps.count {
        let depth = match (axes, corner >> 2) {
            (3, 0) => 256 - fraction[2],
            (3, _) => fraction[2],
            _ => 256,
        };
        let weight = (plane[corner & 3] * depth) as f64 / 65536.0;
        // Row -1 lies outside of a one-dimensional array, which has only row 0.
        let place = if line && corner >> 1 == 0 {
            None
        } else if line {
            places(corner & 1, fixed.map(|b| b >> 8), 1)
        } else {
            places(corner, fixed.map(|b| b >> 8), axes)
        };
        taps.all[corner] = (place, weight);
    }
    taps
}

/// Extends a channel's bits to a 32-bit integer.
pub(crate) fn integer(format: TexelFormat, bits: u32) -> u32 {
    match format {
        TexelFormat::S8 => bits as u8 as i8 as u32,
        TexelFormat::S16 => bits as u16 as i16 as u32,
        _ => bits,
    }
}

/// Converts a channel's bits to a float, as the read mode says. Returns `None` for an integer that
/// is read as it is.
pub(crate) fn float(format: TexelFormat, read: ReadMode, bits: u32) -> Option<f32> {
    let parts = |most: f64| {
        let value = f64::from(integer(format, bits) as i32) / most;
        (read == ReadMode::NormalizedFloat).then_some(value.max(-1.0) as f32)
    };
    match format {
        TexelFormat::F32 => Some(f32::from_bits(bits)),
        TexelFormat::F16 => Some(half::f16::from_bits(bits as u16).to_f32()),
        TexelFormat::U8 => parts(255.0),
        TexelFormat::U16 => parts(65535.0),
        TexelFormat::S8 => parts(127.0),
        TexelFormat::S16 => parts(32767.0),
        TexelFormat::U32 | TexelFormat::S32 => None,
    }
}
