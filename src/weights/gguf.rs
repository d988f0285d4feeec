//! Weights in the formats of a GGUF file: q4_0, q8_0, q4_K and q6_K, by ggml's definition.
//!
//! ```text
//!   a tensor's bytes   rows of blocks     18 B a 32 │ 34 B a 32 │ 144 B a 256 │ 210 B a 256
//!   GgufTensor         (row, column) ─► code      (row, group) ─► scale, minimum      value = ggml's, bit for bit
//!   upload             ─► packed as int4:32 of f16 │ int8:32 of f16 │ uint4:32 of d sc, dmin m │ int8:16 of d sc
//! ```
//!
//! Law: [`FormatValue::weight`] of a tensor's code, scale and minimum is [`GgufTensor::value`],
//! which is the number that ggml's `dequantize_row_*` gives. Kernels for few rows multiply exactly
//! this number. Kernels for many rows round scale, minimum and weight to the activations' type; for
//! q4_0 and q8_0 with f16 only the weight is rounded.
//!
//! Source: llama.cpp, `ggml-common.h` (blocks) and `ggml-quants.c` (`dequantize_row_q4_0`, `_q8_0`,
//! `_q4_K`, `_q6_K`, `get_scale_min_k4`).

use super::{FormatValue, InputType, Weights, format};
use crate::CutletError;
use half::f16;
use host::Device;

/// A type of tensor, by its number in a GGUF file.
///
/// ```
/// use cutlet::weights::GgufType;
/// let q4_k = GgufType::of_number(12)?;
/// assert_eq!((q4_k, q4_k.name(), q4_k.block(), q4_k.block_bytes()), (GgufType::Q4K, "q4_K", 256, 144));
/// assert_eq!(
///     GgufType::of_number(10).unwrap_err().to_string(),
///     "the tensor's type is 10; kernels multiply 2 (q4_0), 8 (q8_0), 12 (q4_K), 14 (q6_K)"
/// );
/// # Ok::<(), cutlet::CutletError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GgufType {
    /// 4-bit integers minus 8, with an f16 scale per 32.
    Q4_0,
    /// 8-bit integers, with an f16 scale per 32.
    Q8_0,
    /// 4-bit integers, with a 6-bit scale and minimum per 32, and an f16 factor of each per 256.
    Q4K,
    /// 6-bit integers minus 32, with an 8-bit scale per 16, and an f16 factor per 256.
    Q6K,
}

impl GgufType {
    /// All types.
    pub const ALL: [Self; 4] = [Self::Q4_0, Self::Q8_0, Self::Q4K, Self::Q6K];

    /// Returns the type with this number in ggml's `enum ggml_type`.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] with the supported numbers.
    pub fn of_number(number: u32) -> Result<Self, CutletError> {
        let found = Self::ALL.into_iter().find(|of| of.number() == number);
        found.ok_or_else(|| {
            let all = Self::ALL.map(|of| format!("{} ({})", of.number(), of.name()));
            CutletError::Weights(format!(
                "the tensor's type is {number}; kernels multiply {}",
                all.join(", ")
            ))
        })
    }
    /// Returns the type's number in a file.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Q4_0 => 2,
            Self::Q8_0 => 8,
            Self::Q4K => 12,
            Self::Q6K => 14,
        }
    }
    /// Returns the type's name, which is also the name of the [format](format()) in which it is
    /// packed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Q4_0 => "q4_0",
            Self::Q8_0 => "q8_0",
            Self::Q4K => "q4_K",
            Self::Q6K => "q6_K",
        }
    }
    /// Returns the number of elements of a block.
    #[must_use]
    pub fn block(self) -> u32 {
        match self {
            Self::Q4_0 | Self::Q8_0 => 32,
            Self::Q4K | Self::Q6K => 256,
        }
    }
    /// Returns the number of bytes of a block.
    #[must_use]
    pub fn block_bytes(self) -> usize {
        match self {
            Self::Q4_0 => 2 + 16,
            Self::Q8_0 => 2 + 32,
            Self::Q4K => 2 + 2 + 12 + 128,
            Self::Q6K => 128 + 64 + 16 + 2,
        }
    }
    /// Returns the number of columns (k) of a group.
    fn group(self) -> u32 {
        match self {
            Self::Q6K => 16,
            _ => 32,
        }
    }
}

/// A tensor's blocks, W (n, k): rows along k, one row after the other.
///
/// ```
/// use cutlet::weights::{GgufTensor, GgufType};
/// // A row of 32: d = 0.5, and bytes whose lower nibble is 9, upper one 6.
/// let bytes = [&half::f16::from_f32(0.5).to_le_bytes()[..], &[0x69; 16]].concat();
/// let tensor = GgufTensor::new(GgufType::Q4_0, (1, 32), &bytes)?;
/// assert_eq!([0, 15, 16, 31].map(|k| tensor.value(0, k)), [0.5, 0.5, -1.0, -1.0]);
/// # Ok::<(), cutlet::CutletError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GgufTensor<'a> {
    of: GgufType,
    shape: (u32, u32),
    bytes: &'a [u8],
}

impl<'a> GgufTensor<'a> {
    /// Makes the tensor (n, k) from its data in the file, `bytes`. GGUF's dimension 0 is k.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] if an extent is 0, if k ends inside a block, or if the
    /// number of bytes is wrong.
    pub fn new(of: GgufType, (n, k): (u32, u32), bytes: &'a [u8]) -> Result<Self, CutletError> {
        let (name, block) = (of.name(), of.block());
        if n == 0 || k == 0 || !k.is_multiple_of(block) {
            return Err(CutletError::Weights(format!(
                "a tensor of {n} rows and {k} columns of {name}: both are at least 1, and the columns a multiple of {block}"
            )));
        }
        let expected = u64::from(n) * u64::from(k / block) * of.block_bytes() as u64;
        if bytes.len() as u64 != expected {
            return Err(CutletError::Weights(format!(
                "a tensor of {n} rows and {k} columns of {name} is {expected} bytes; these are {}",
                bytes.len()
            )));
        }
        Ok(Self {
            of,
            shape: (n, k),
            bytes,
        })
    }
    /// Returns the tensor's type.
    #[must_use]
    pub fn of(&self) -> GgufType {
        self.of
    }
    /// Returns the numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (u32, u32) {
        self.shape
    }

    /// Returns the block that holds a column, and the column's index in the block.
    fn block(&self, row: u32, column: u32) -> (&'a [u8], usize) {
        let block = self.of.block();
        let at = u64::from(row) * u64::from(self.shape.1 / block) + u64::from(column / block);
        let size = self.of.block_bytes();
        let at = at as usize * size;
        (&self.bytes[at..at + size], (column % block) as usize)
    }

    /// Returns the code of (row, column) in the format in which the tensor is packed.
    ///
    /// # Panics
    /// Panics if the row is beyond the tensor.
    #[must_use]
    pub fn code(&self, row: u32, column: u32) -> u32 {
        let (block, i) = self.block(row, column);
        let code = match self.of {
            // Byte j has elements j and j + 16.
            GgufType::Q4_0 => block[2 + i % 16] >> (4 * (i / 16)) & 15,
            GgufType::Q8_0 => block[2 + i] ^ 128,
            // Byte j of 32 has elements j and j + 32 of 64.
            GgufType::Q4K => block[16 + i / 64 * 32 + i % 32] >> (4 * (i / 32 % 2)) & 15,
            GgufType::Q6K => {
                // Elements j, j + 32, j + 64, j + 96 of 128: their lower four bits are the lower
                // halves of bytes j and j + 32, then the upper halves of the same bytes. Their
                // upper two bits each come from one further byte.
                let (half, quarter, j) = (i / 128, i / 32 % 4, i % 32);
                let low = block[64 * half + 32 * (quarter % 2) + j] >> (4 * (quarter / 2)) & 15;
                let high = block[128 + 32 * half + j] >> (2 * quarter) & 3;
                // The number minus 32, expressed as an integer minus 128.
                (high << 4 | low) + (128 - 32)
            }
        };
        code.into()
    }

    /// Returns the bits of the scale of a group: an f16. For q4_K and q6_K the integer is in the
    /// upper half.
    ///
    /// # Panics
    /// Panics if the row is beyond the tensor.
    #[must_use]
    pub fn scale(&self, row: u32, group: u32) -> u32 {
        let (block, i) = self.block(row, group * self.of.group());
        match self.of {
            GgufType::Q4_0 | GgufType::Q8_0 => half_at(block, 0),
            GgufType::Q4K => half_at(block, 0) | u32::from(k4(&block[4..16], i / 32)[0]) << 16,
            GgufType::Q6K => half_at(block, 208) | u32::from(block[192 + i / 16] ^ 128) << 16,
        }
    }

    /// Returns the bits of the minimum of a group of q4_K, in the format of a scale, or 0 for the
    /// other types.
    ///
    /// # Panics
    /// Panics if the row is beyond the tensor.
    #[must_use]
    pub fn minimum(&self, row: u32, group: u32) -> u32 {
        let (block, i) = self.block(row, group * self.of.group());
        match self.of {
            GgufType::Q4K => half_at(block, 2) | u32::from(k4(&block[4..16], i / 32)[1]) << 16,
            _ => 0,
        }
    }

    /// Returns the number at (row, column), as ggml computes it in f32.
    ///
    /// # Panics
    /// Panics if the row is beyond the tensor.
    #[must_use]
    pub fn value(&self, row: u32, column: u32) -> f32 {
        let group = column / self.of.group();
        let code = self.code(row, column) as f32;
        let number = |bits: u32| f16::from_bits(bits as u16).to_f32();
        let (scale, minimum) = (self.scale(row, group), self.minimum(row, group));
        let integer = |bits: u32| (bits >> 16) as f32;
        match self.of {
            GgufType::Q4_0 => (code - 8.0) * number(scale),
            GgufType::Q8_0 => (code - 128.0) * number(scale),
            GgufType::Q4K => {
                number(scale) * integer(scale) * code - number(minimum) * integer(minimum)
            }
            GgufType::Q6K => number(scale) * (integer(scale) - 128.0) * (code - 128.0),
        }
    }

    /// Packs the tensor for activations of this type.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] for activations that are neither f16 nor bf16, and the
    /// device's errors.
    pub fn upload(&self, device: &Device, input: InputType) -> Result<Weights, CutletError> {
        let format: &FormatValue = format(self.of.name(), input)?;
        Weights::upload(
            device,
            format,
            self.shape,
            |row, column| self.code(row, column),
            |row, group| self.scale(row, group),
            |row, group| self.minimum(row, group),
        )
    }
}

/// Returns the bits of the f16 at byte `at`.
fn half_at(block: &[u8], at: usize) -> u32 {
    u16::from_le_bytes([block[at], block[at + 1]]).into()
}

/// Returns scale and minimum `j` of eight, which have six bits each, as ggml's `get_scale_min_k4`
/// does.
fn k4(scales: &[u8], j: usize) -> [u8; 2] {
    if j < 4 {
        [scales[j] & 63, scales[j + 4] & 63]
    } else {
        [
            scales[j + 4] & 15 | scales[j - 4] >> 6 << 4,
            scales[j + 4] >> 4 | scales[j] >> 6 << 4,
        ]
    }
}
