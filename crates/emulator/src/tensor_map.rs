//! Tensor maps: the 128 bytes that describe the tensor of a tensor copy.
//!
//! ```text
//! TensorMap { address, extents, strides, box, swizzle, .. } ──encode──► 128 bytes ──kernel's argument──► decode
//! ```
//!
//! Law: `decode(encode(map)) = map`; `cuTensorMapEncodeTiled` also refuses whatever `encode`
//! refuses. The bytes have the emulator's own format: bytes made by a driver are refused with a
//! message that says so. Source: CUDA driver API, "Tensor Map Object Management"; PTX ISA,
//! "Tensors".

use crate::types::Type;

/// The number of bytes of a map.
pub const TENSOR_MAP_BYTES: usize = 128;
/// The first bytes of a map, in place of the driver's bits.
const MAGIC: [u8; 8] = *b"emu-tma1";

/// The offset at which the dimensions' entries begin: extent, stride, box, element stride.
const ENTRIES: usize = 20;
/// The number of bytes of a dimension's entry.
const ENTRY: usize = 11;
/// The byte that says how elements are interleaved, after the entries of five dimensions.
const INTERLEAVE: usize = ENTRIES + 5 * ENTRY;
/// The byte that says whether the map is for im2col copies; the numbers of [`Im2col`] follow it.
const IM2COL: usize = INTERLEAVE + 1;
const NOT_A_MAP: &str = "these bytes are none that the emulator makes (TensorMap::encode)";

/// The type of a tensor's elements, in the order of `CUtensorMapDataType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TensorElement {
    /// 8 bits.
    U8,
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
    /// 32 bits, signed.
    S32,
    /// 64 bits.
    U64,
    /// 64 bits, signed.
    S64,
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// bfloat16.
    Bf16,
    /// IEEE single; a reduction flushes subnormal operands and sums to zeros of their sign. Copies
    /// leave the bits as they are.
    F32Ftz,
    /// IEEE single that a load rounds to `.tf32` like `cvt.rn.tf32.f32`: to nearest, ties to even,
    /// infinite beyond the largest number, and every NaN to `0x7fffe000`. Stores do not change the
    /// bits, and reductions work as for [`F32`](Self::F32).
    Tf32,
    /// [`Tf32`](Self::Tf32), with reductions as for [`F32Ftz`](Self::F32Ftz).
    Tf32Ftz,
}

impl TensorElement {
    const ALL: [TensorElement; 13] = [
        TensorElement::U8,
        TensorElement::U16,
        TensorElement::U32,
        TensorElement::S32,
        TensorElement::U64,
        TensorElement::S64,
        TensorElement::F16,
        TensorElement::F32,
        TensorElement::F64,
        TensorElement::Bf16,
        TensorElement::F32Ftz,
        TensorElement::Tf32,
        TensorElement::Tf32Ftz,
    ];

    /// Returns the number of bytes of an element.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            TensorElement::U8 => 1,
            TensorElement::U16 | TensorElement::F16 | TensorElement::Bf16 => 2,
            TensorElement::U64 | TensorElement::S64 | TensorElement::F64 => 8,
            TensorElement::U32 | TensorElement::S32 | TensorElement::F32 => 4,
            TensorElement::F32Ftz | TensorElement::Tf32 | TensorElement::Tf32Ftz => 4,
        }
    }

    /// Returns the type's number in `CUtensorMapDataType`.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Whether elements of this type may be filled with NaN.
    #[must_use]
    pub fn is_float(self) -> bool {
        use TensorElement::*;
        matches!(self, F16 | Bf16 | F32 | F64 | F32Ftz | Tf32 | Tf32Ftz)
    }

    /// Returns the type on which a reduction works.
    pub(crate) fn reduced(self) -> Type {
        match self {
            TensorElement::U8 => Type::U8,
            TensorElement::U16 => Type::U16,
            TensorElement::U32 => Type::U32,
            TensorElement::S32 => Type::S32,
            TensorElement::U64 => Type::U64,
            TensorElement::S64 => Type::S64,
            TensorElement::F16 => Type::F16,
            TensorElement::Bf16 => Type::Bf16,
            TensorElement::F64 => Type::F64,
            TensorElement::F32 | TensorElement::F32Ftz => Type::F32,
            TensorElement::Tf32 | TensorElement::Tf32Ftz => Type::F32,
        }
    }

    /// Whether a load rounds each element to `.tf32`.
    pub(crate) fn rounds(self) -> bool {
        matches!(self, TensorElement::Tf32 | TensorElement::Tf32Ftz)
    }

    /// Whether a reduction flushes subnormal numbers.
    pub(crate) fn flushes(self) -> bool {
        matches!(self, TensorElement::F32Ftz | TensorElement::Tf32Ftz)
    }
}

/// A field of a map that a kernel may replace (`tensormap.replace`), named like the fields of
/// [`TensorMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapField {
    Address,
    /// The number of dimensions minus one.
    Rank,
    Box,
    Extent,
    /// The strides in bytes; number 0 is the stride of dimension 1.
    Stride,
    ElementStride,
    Element,
    Interleave,
    Swizzle,
    Fill,
}

/// How the pieces of a box are permuted in shared memory: bits 4 and up of an address, or 5 and up
/// for pieces of 32 bytes, are exclusive-ored with bits 7 and up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TensorSwizzle {
    /// No permutation.
    #[default]
    None,
    /// 1 bit, in patterns of 256 bytes: CuTe's `Sw<1,4,3>` on bytes.
    B32,
    /// 2 bits, in patterns of 512 bytes: `Sw<2,4,3>`.
    B64,
    /// 3 bits, in patterns of 1024 bytes: `Sw<3,4,3>`.
    B128,
    /// Rows of 128 bytes in pieces of 32 (`CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B`): 2 bits, in
    /// patterns of 512 bytes, `Sw<2,5,2>`.
    B128Atom32,
}

impl TensorSwizzle {
    const ALL: [TensorSwizzle; 5] = [
        TensorSwizzle::None,
        TensorSwizzle::B32,
        TensorSwizzle::B64,
        TensorSwizzle::B128,
        TensorSwizzle::B128Atom32,
    ];

    /// Returns the address at which a byte is stored.
    #[must_use]
    pub fn apply(self, address: usize) -> usize {
        let (bits, base) = match self {
            TensorSwizzle::B128Atom32 => (2, 5),
            other => (other as usize, 4),
        };
        let mask = (1 << bits) - 1;
        address ^ (address >> 7 & mask) << base
    }

    /// Returns the largest inner extent of a box in bytes, or `None` without a swizzle.
    fn span(self) -> Option<usize> {
        match self {
            TensorSwizzle::None => None,
            TensorSwizzle::B128Atom32 => Some(128),
            other => Some(16 << other as usize),
        }
    }
}

/// A tensor in global memory, and the box of it that one copy moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorMap {
    /// The type of the tensor's elements.
    pub element: TensorElement,
    /// The address of the first element, a multiple of 16.
    pub address: u64,
    /// The number of elements in each of the 1 to 5 dimensions, innermost first.
    pub extents: Vec<u64>,
    /// The bytes from one element to the next in each dimension except the innermost; multiples of
    /// 16.
    pub strides: Vec<u64>,
    /// The number of elements of the box in each dimension, at most 256.
    pub box_extents: Vec<u32>,
    /// In each dimension, one of every `n` elements is moved; `n` is 1 to 8.
    pub element_strides: Vec<u32>,
    /// The swizzle of the box in shared memory.
    pub swizzle: TensorSwizzle,
    /// Whether elements outside of the tensor read as NaN instead of zero.
    pub fill_nan: bool,
    /// The pixels that an im2col copy moves; the box then counts for nothing. `None` for copies of
    /// boxes.
    pub im2col: Option<Im2col>,
}

/// What an im2col copy moves: some channels of the pixels of a column. The dimensions of the
/// tensor are the channels, then width, height and depth as far as there are, then the images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Im2col {
    /// In width, height and depth the least coordinate of a filter's corner.
    pub lower: Vec<i32>,
    /// In width, height and depth what is added to the largest coordinate of the image for the
    /// largest one of a filter's corner.
    pub upper: Vec<i32>,
    /// The number of channels of a pixel, at most 256.
    pub channels: u32,
    /// The number of pixels of a column, at most 1024.
    pub pixels: u32,
}

/// The error of an invalid tensor map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tensor map: {0}")]
pub struct TensorMapError(pub String);

fn refuse<T>(problem: String) -> Result<T, TensorMapError> {
    Err(TensorMapError(problem))
}

impl Im2col {
    /// Returns the least and the largest coordinate of a filter's corner in spatial dimension `d`
    /// (0 is the width) of a tensor.
    pub(crate) fn corners(&self, extents: &[u64], d: usize) -> (i64, i64) {
        let last = extents[d + 1] as i64 - 1;
        (self.lower[d].into(), last + i64::from(self.upper[d]))
    }

    fn check(&self, extents: &[u64]) -> Result<(), TensorMapError> {
        let rank = extents.len();
        let half = match rank {
            3 => 1 << 15,
            4 => 1 << 7,
            5 => 1 << 4,
            _ => return refuse(format!("3 to 5 dimensions for im2col, not {rank}")),
        };
        for (what, corners) in [("lower", &self.lower), ("upper", &self.upper)] {
            let (found, wanted) = (corners.len(), rank - 2);
            if found != wanted {
                return refuse(format!(
                    "{wanted} coordinates of the {what} corner, not {found}"
                ));
            }
            if let Some(at) = corners.iter().find(|at| !(-half..half).contains(*at)) {
                let last = half - 1;
                return refuse(format!(
                    "the {what} corner is within -{half}..={last}, not {at}"
                ));
            }
        }
        for d in 0..rank - 2 {
            let (low, high) = self.corners(extents, d);
            if low > high {
                return refuse(format!(
                    "the corners of spatial dimension {d} leave {low}..={high}"
                ));
            }
        }
        if !(1..=256).contains(&self.channels) {
            return refuse(format!("1 to 256 channels a pixel, not {}", self.channels));
        }
        if !(1..=1024).contains(&self.pixels) {
            return refuse(format!("1 to 1024 pixels a column, not {}", self.pixels));
        }
        Ok(())
    }
}

impl TensorMap {
    /// Creates a map of a tensor with these extents and strides. Every element of a box is moved,
    /// there is no swizzle, and elements outside of the tensor are zeros.
    #[must_use]
    pub fn new(
        element: TensorElement,
        address: u64,
        extents: &[u64],
        strides: &[u64],
        box_extents: &[u32],
    ) -> TensorMap {
        TensorMap {
            element,
            address,
            extents: extents.to_vec(),
            strides: strides.to_vec(),
            box_extents: box_extents.to_vec(),
            element_strides: vec![1; extents.len()],
            swizzle: TensorSwizzle::None,
            fill_nan: false,
            im2col: None,
        }
    }

    /// Creates a map for im2col copies of a tensor with these extents and strides. One of every
    /// pixel is moved, there is no swizzle, and elements outside of the tensor are zeros.
    #[must_use]
    pub fn for_im2col(
        element: TensorElement,
        address: u64,
        extents: &[u64],
        strides: &[u64],
        im2col: Im2col,
    ) -> TensorMap {
        let sides = vec![1; extents.len()];
        TensorMap {
            im2col: Some(im2col),
            ..TensorMap::new(element, address, extents, strides, &sides)
        }
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Returns the number of elements of the box in shared memory, by dimension. An im2col copy
    /// has two dimensions, the channels and the pixels.
    #[must_use]
    pub fn moved(&self) -> Vec<usize> {
        if let Some(of) = &self.im2col {
            return vec![of.channels as usize, of.pixels as usize];
        }
        let both = self.box_extents.iter().zip(&self.element_strides);
        both.map(|(&n, &step)| n.div_ceil(step.max(1)) as usize)
            .collect()
    }

    /// Returns the number of bytes of the box, which a barrier has to expect for one copy.
    #[must_use]
    pub fn box_bytes(&self) -> usize {
        self.moved().iter().product::<usize>() * self.element.bytes()
    }

    /// Returns the bytes from one row of a box to the next in shared memory: the row's bytes, or
    /// the swizzle's span if there is a swizzle. A row that is narrower than the span leaves some
    /// bytes unchanged.
    ///
    /// ```
    /// use emulator::{TensorElement, TensorMap, TensorSwizzle};
    /// let mut map = TensorMap::new(TensorElement::F16, 0, &[64, 64], &[128], &[16, 8]);
    /// assert_eq!((map.row_pitch(), map.box_span()), (32, 256));
    /// map.swizzle = TensorSwizzle::B128;
    /// assert_eq!((map.row_pitch(), map.box_span(), map.box_bytes()), (128, 1024, 256));
    /// ```
    #[must_use]
    pub fn row_pitch(&self) -> usize {
        let row = self
            .moved()
            .first()
            .map_or(0, |row| row * self.element.bytes());
        self.swizzle.span().unwrap_or(row)
    }

    /// Returns the bytes of shared memory that a box spans: its rows are
    /// [`row_pitch`](Self::row_pitch) apart.
    #[must_use]
    pub fn box_span(&self) -> usize {
        self.moved().iter().skip(1).product::<usize>() * self.row_pitch()
    }

    fn check(&self) -> Result<(), TensorMapError> {
        let rank = self.rank();
        if !(1..=5).contains(&rank) {
            return refuse(format!("1 to 5 dimensions, not {rank}"));
        }
        let wanted = [
            ("strides", self.strides.len(), rank - 1),
            ("extents of the box", self.box_extents.len(), rank),
            ("element strides", self.element_strides.len(), rank),
        ];
        for (what, found, wanted) in wanted {
            if found != wanted {
                return refuse(format!(
                    "{wanted} {what} for {rank} dimensions, not {found}"
                ));
            }
        }
        if !self.address.is_multiple_of(16) {
            return refuse(format!(
                "address {:#x} is not a multiple of 16",
                self.address
            ));
        }
        for (d, &extent) in self.extents.iter().enumerate() {
            if !(1..=1 << 32).contains(&extent) {
                return refuse(format!("extent {d} is within 1..=2^32, not {extent}"));
            }
        }
        for (d, &stride) in self.strides.iter().enumerate() {
            if !stride.is_multiple_of(16) || stride >= 1 << 40 {
                let problem = "a multiple of 16 below 2^40";
                return refuse(format!("stride {} is {problem}, not {stride}", d + 1));
            }
        }
        for (d, &extent) in self.box_extents.iter().enumerate() {
            if !(1..=256).contains(&extent) {
                return refuse(format!(
                    "extent {d} of the box is within 1..=256, not {extent}"
                ));
            }
        }
        for (d, &step) in self.element_strides.iter().enumerate() {
            if !(1..=8).contains(&step) {
                return refuse(format!("element stride {d} is within 1..=8, not {step}"));
            }
        }
        if let Some(of) = &self.im2col {
            of.check(&self.extents)?;
        }
        let inner = self.moved()[0] * self.element.bytes();
        if !inner.is_multiple_of(16) {
            return refuse(format!(
                "the box has {inner} bytes a row, not a multiple of 16"
            ));
        }
        if let Some(span) = self.swizzle.span().filter(|&span| inner > span) {
            return refuse(format!(
                "the box has {inner} bytes a row, the swizzle takes {span}"
            ));
        }
        if self.fill_nan && !self.element.is_float() {
            return refuse(format!("NaN for elements of {:?}", self.element));
        }
        Ok(())
    }

    /// Encodes the map as bytes.
    ///
    /// # Errors
    /// [`TensorMapError`], with the value found and those allowed, if no tensor copy accepts the
    /// map.
    pub fn encode(&self) -> Result<[u8; TENSOR_MAP_BYTES], TensorMapError> {
        self.check()?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.address.to_le_bytes());
        let swizzle = self.swizzle as u8;
        bytes.extend([
            self.rank() as u8,
            self.element as u8,
            swizzle,
            self.fill_nan.into(),
        ]);
        for d in 0..self.rank() {
            // An extent of 2^32 is stored as 0.
            bytes.extend((self.extents[d] as u32).to_le_bytes());
            let stride = d.checked_sub(1).map_or(0, |d| self.strides[d]);
            bytes.extend(&stride.to_le_bytes()[..5]);
            bytes.push((self.box_extents[d] - 1) as u8);
            bytes.push(self.element_strides[d] as u8);
        }
        bytes.resize(IM2COL, 0);
        if let Some(of) = &self.im2col {
            bytes.push(1);
            for number in [of.channels, of.pixels] {
                bytes.extend((number as u16).to_le_bytes());
            }
            for &corner in of.lower.iter().chain(&of.upper) {
                bytes.extend((corner as i16).to_le_bytes());
            }
        }
        bytes.resize(TENSOR_MAP_BYTES, 0);
        let mut out = [0; TENSOR_MAP_BYTES];
        out.copy_from_slice(&bytes);
        Ok(out)
    }

    /// Replaces a field in a map's bytes, for one dimension if the field has dimensions. The other
    /// fields stay, even if they do not fit: once all fields are replaced, [`decode`](Self::decode)
    /// refuses a map that no copy accepts.
    pub(crate) fn replace(
        bytes: &mut [u8; TENSOR_MAP_BYTES],
        field: MapField,
        dimension: usize,
        value: u64,
    ) -> Result<(), TensorMapError> {
        if bytes[..MAGIC.len()] != MAGIC {
            return refuse(NOT_A_MAP.to_owned());
        }
        let within = |what: &str, low: u64, high: u64| match (low..=high).contains(&value) {
            true => Ok(value),
            false => refuse(format!("{what} is within {low}..={high}, not {value}")),
        };
        let of_dimension = |at: usize| ENTRIES + ENTRY * dimension + at;
        let (at, width, value) = match field {
            MapField::Address => (8, 8, value),
            MapField::Rank => (16, 1, within("one less than the dimensions", 0, 4)? + 1),
            MapField::Element => (17, 1, within("the elements' type", 0, 12)?),
            MapField::Swizzle => (18, 1, within("the swizzle", 0, 3)?),
            MapField::Fill => (19, 1, within("the fill mode", 0, 1)?),
            MapField::Extent => (of_dimension(0), 4, value),
            MapField::Stride if dimension == 4 => {
                return refuse("strides 0 to 3 are of dimensions 1 to 4, not 4".to_owned());
            }
            MapField::Stride => {
                let value = within("a stride in bytes", 0, (1 << 40) - 1)?;
                (of_dimension(ENTRY + 4), 5, value)
            }
            MapField::Box => (
                of_dimension(9),
                1,
                within("an extent of the box", 1, 256)? - 1,
            ),
            MapField::ElementStride => (of_dimension(10), 1, within("an element stride", 1, 8)?),
            MapField::Interleave => (INTERLEAVE, 1, value),
        };
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        Ok(())
    }

    /// Decodes a map's bytes.
    ///
    /// # Errors
    /// [`TensorMapError`] if `encode` cannot have made the bytes.
    pub fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Result<TensorMap, TensorMapError> {
        let mut rest = &bytes[..];
        let mut take = |n: usize| {
            let (head, tail) = rest.split_at(n);
            rest = tail;
            let mut number = [0; 8];
            number[..n].copy_from_slice(head);
            u64::from_le_bytes(number)
        };
        if take(8) != u64::from_le_bytes(MAGIC) {
            return refuse(NOT_A_MAP.to_owned());
        }
        let address = take(8);
        let (rank, element, swizzle, nan) = (take(1), take(1), take(1), take(1));
        if bytes[INTERLEAVE] != 0 {
            return refuse("interleaved layouts are not emulated".to_owned());
        }
        let (Some(&element), Some(&swizzle), 1..=5) = (
            TensorElement::ALL.get(element as usize),
            TensorSwizzle::ALL.get(swizzle as usize),
            rank,
        ) else {
            return refuse("a map that was changed".to_owned());
        };
        let mut map = TensorMap::new(element, address, &[], &[], &[]);
        (map.swizzle, map.fill_nan) = (swizzle, nan == 1);
        for d in 0..rank {
            let extent = take(4);
            map.extents.push(if extent == 0 { 1 << 32 } else { extent });
            let stride = take(5);
            if d > 0 {
                map.strides.push(stride);
            }
            map.box_extents.push(take(1) as u32 + 1);
            map.element_strides.push(take(1) as u32);
        }
        if bytes[IM2COL] == 1 {
            let mut words = bytes[IM2COL + 1..]
                .chunks_exact(2)
                .map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
            let mut number = || words.next().unwrap_or_default();
            let (channels, pixels) = (number() as u16, number() as u16);
            let spatial = map.rank().saturating_sub(2);
            let mut corner = || (0..spatial).map(|_| number().into()).collect();
            map.im2col = Some(Im2col {
                channels: channels.into(),
                pixels: pixels.into(),
                lower: corner(),
                upper: corner(),
            });
        }
        map.check()?;
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_comes_back_from_its_bytes() {
        let mut map = TensorMap::new(
            TensorElement::Bf16,
            0x7000_0000_0100,
            &[1 << 32, 7, 9, 11, 13],
            &[64, 1 << 30, 16, 48],
            &[64, 256, 1, 2, 3],
        );
        (map.swizzle, map.fill_nan) = (TensorSwizzle::B128, true);
        map.element_strides = vec![1, 8, 2, 1, 3];
        assert_eq!(TensorMap::decode(&map.encode().unwrap()), Ok(map.clone()));
        assert_eq!(map.moved(), [64, 32, 1, 2, 1]);
        let pixels = Im2col {
            lower: vec![-1, 7, -16],
            upper: vec![-2, 15, 0],
            channels: 256,
            pixels: 1024,
        };
        let (extents, strides) = ([256, 14, 9, 17, 2], [512, 1 << 13, 1 << 17, 1 << 22]);
        let mut of_pixels =
            TensorMap::for_im2col(TensorElement::U8, 256, &extents, &strides, pixels);
        of_pixels.element_strides[2] = 2;
        let encoded = of_pixels.encode().unwrap();
        assert_eq!(TensorMap::decode(&encoded), Ok(of_pixels.clone()));
        assert_eq!(of_pixels.box_bytes(), 256 * 1024);
        assert_eq!(map.box_bytes(), 64 * 32 * 2 * 2);
        let mut bytes = map.encode().unwrap();
        bytes[0] ^= 1;
        assert!(TensorMap::decode(&bytes).is_err());
    }

    #[test]
    fn every_field_is_replaced_by_itself() {
        let whole = TensorMap::new(
            TensorElement::F32,
            0x7000_0000_0100,
            &[64, 7, 9],
            &[256, 1 << 20],
            &[16, 2, 3],
        );
        let replaced = |fields: &[(MapField, usize, u64)]| {
            let mut bytes = whole.encode().unwrap();
            for &(field, dimension, value) in fields {
                TensorMap::replace(&mut bytes, field, dimension, value)?;
            }
            TensorMap::decode(&bytes)
        };
        let expected = |change: fn(&mut TensorMap)| {
            let mut map = whole.clone();
            change(&mut map);
            Ok(map)
        };
        for (field, dimension, value, change) in [
            (
                MapField::Address,
                0,
                0x7000_0000_1230,
                (|m| m.address = 0x7000_0000_1230) as fn(&mut TensorMap),
            ),
            (MapField::Box, 1, 256, |m| m.box_extents[1] = 256),
            (MapField::Extent, 2, 1 << 31, |m| m.extents[2] = 1 << 31),
            (MapField::Extent, 0, 0, |m| m.extents[0] = 1 << 32),
            (MapField::Stride, 0, 1 << 39, |m| m.strides[0] = 1 << 39),
            (MapField::Stride, 1, 4096, |m| m.strides[1] = 4096),
            (MapField::ElementStride, 2, 8, |m| m.element_strides[2] = 8),
            (MapField::Element, 0, 11, |m| {
                m.element = TensorElement::Tf32
            }),
            (MapField::Swizzle, 0, 3, |m| m.swizzle = TensorSwizzle::B128),
            (MapField::Fill, 0, 1, |m| m.fill_nan = true),
        ] {
            assert_eq!(
                replaced(&[(field, dimension, value)]),
                expected(change),
                "{field:?}"
            );
        }
        // A dimension is added: its fields are replaced before the rank, or after it.
        let fourth = [
            (MapField::Rank, 0, 3),
            (MapField::Extent, 3, 5),
            (MapField::Stride, 2, 1 << 24),
            (MapField::Box, 3, 4),
            (MapField::ElementStride, 3, 1),
        ];
        let mut four = whole.clone();
        four.extents.push(5);
        four.strides.push(1 << 24);
        four.box_extents.push(4);
        four.element_strides.push(1);
        assert_eq!(replaced(&fourth), Ok(four.clone()));
        assert_eq!(replaced(&[&fourth[1..], &fourth[..1]].concat()), Ok(four));
        for (field, dimension, value, problem) in [
            (MapField::Rank, 0, 5, "0..=4, not 5"),
            (MapField::Box, 0, 0, "1..=256, not 0"),
            (MapField::ElementStride, 0, 9, "1..=8, not 9"),
            (MapField::Stride, 4, 16, "strides 0 to 3"),
            (MapField::Stride, 0, 24, "not 24"),
            (MapField::Address, 0, 8, "not a multiple of 16"),
            (MapField::Interleave, 0, 1, "interleaved"),
        ] {
            let said = replaced(&[(field, dimension, value)])
                .unwrap_err()
                .to_string();
            assert!(said.contains(problem), "{field:?}: {said}");
        }
    }

    #[test]
    fn what_no_copy_takes_is_refused() {
        let map = TensorMap::new(TensorElement::F16, 256, &[64, 64], &[128], &[64, 64]);
        let refused = |change: fn(&mut TensorMap)| {
            let mut wrong = map.clone();
            change(&mut wrong);
            wrong.encode().unwrap_err().0
        };
        assert!(map.encode().is_ok());
        assert!(refused(|m| m.address = 8).contains("0x8 is not a multiple of 16"));
        assert!(refused(|m| m.strides[0] = 24).contains("not 24"));
        assert!(refused(|m| m.box_extents[1] = 257).contains("not 257"));
        assert!(refused(|m| m.box_extents[0] = 4).contains("8 bytes a row"));
        assert!(
            refused(|m| m.swizzle = TensorSwizzle::B64)
                .contains("128 bytes a row, the swizzle takes 64")
        );
        assert!(refused(|m| m.element_strides[0] = 9).contains("not 9"));
        assert!(refused(|m| m.extents.clear()).contains("not 0"));
        assert!(refused(|m| m.strides.clear()).contains("1 strides for 2 dimensions, not 0"));
        assert!(refused(|m| (m.element, m.fill_nan) = (TensorElement::U16, true)).contains("NaN"));
    }

    #[test]
    fn swizzles_are_cutes() {
        // Sw<b, m, s>: b bits from m on are combined with those from m + s = 7 on.
        let of = [(0, 4), (1, 4), (2, 4), (3, 4), (2, 5)];
        for (swizzle, (bits, base)) in TensorSwizzle::ALL.into_iter().zip(of) {
            for address in (0..4096).step_by(16) {
                let y = (address >> 7) & ((1 << bits) - 1);
                assert_eq!(swizzle.apply(address), address ^ (y << base));
            }
        }
    }
}
