//! Random matrices, in the kernels' bytes and as numbers.
//!
//! ```text
//!   row 0   x x x x x . .        x  an element, random
//!   row 1   x x x x x . .        .  an element between two rows: NaN, or -128 if elements are bytes
//! ```
//!
//! Law: the decoded numbers are those that the kernel multiplies: TF32's numbers are rounded to
//! nearest. No number is a tie, which `cvt.rna` rounds away from zero and a tensor map's load to
//! even.

use half::{bf16, f16};
use host::reference::Random;
use kernel_abi::gemm::{GemmProblem, InputType, OutputType};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// The representation of an element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    F16,
    Bf16,
    F32,
    /// An f32 that is multiplied as TF32.
    Tf32,
    S8,
    S32,
    E4m3,
    E5m2,
}

impl Kind {
    /// Returns the kind of A's and B's elements.
    pub fn input(gemm: &GemmProblem) -> Self {
        match gemm.input {
            InputType::F16 => Self::F16,
            InputType::Bf16 => Self::Bf16,
            InputType::Tf32 => Self::Tf32,
            InputType::S8 => Self::S8,
            InputType::E4m3 => Self::E4m3,
            InputType::E5m2 => Self::E5m2,
        }
    }
    /// Returns the kind of C's and D's elements.
    pub fn output(gemm: &GemmProblem) -> Self {
        match (gemm.output, Self::input(gemm)) {
            (OutputType::S32, _) => Self::S32,
            (OutputType::Bf16, _) => Self::Bf16,
            (OutputType::F32, _) | (OutputType::Same, Self::Tf32) => Self::F32,
            (OutputType::Same, input) => input,
        }
    }
    pub fn bytes(self) -> usize {
        match self {
            Self::S8 | Self::E4m3 | Self::E5m2 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::Tf32 | Self::S32 => 4,
        }
    }
    /// Returns the number at the start of `bytes`.
    pub fn decode(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F16 => f16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
            Self::Bf16 => bf16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
            Self::F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
            Self::Tf32 => {
                let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                f32::from_bits(bits.wrapping_add(0x1000) & !0x1fff).into()
            }
            Self::S8 => f64::from(bytes[0] as i8),
            Self::E4m3 => FloatE4M3(bytes[0]).to_f32().into(),
            Self::E5m2 => FloatE5M2(bytes[0]).to_f32().into(),
            Self::S32 => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
        }
    }
    /// Writes a random number in [-1, 1), or any integer.
    fn draw(self, bytes: &mut [u8], random: &mut Random) {
        match self {
            Self::F16 => bytes.copy_from_slice(&random.element::<f16>().to_le_bytes()),
            Self::Bf16 => bytes.copy_from_slice(&random.element::<bf16>().to_le_bytes()),
            Self::F32 => bytes.copy_from_slice(&random.element::<f32>().to_le_bytes()),
            Self::Tf32 => {
                let bits = random.element::<f32>().to_bits();
                let is_tie = bits & 0x1fff == 0x1000;
                bytes.copy_from_slice(&(bits | u32::from(is_tie)).to_le_bytes());
            }
            Self::S8 => bytes[0] = random.next_u64() as u8,
            Self::E4m3 => bytes[0] = random.element::<FloatE4M3>().0,
            Self::E5m2 => bytes[0] = random.element::<FloatE5M2>().0,
            Self::S32 => bytes.copy_from_slice(&(random.next_u64() as u32).to_le_bytes()),
        }
    }
    /// Returns the bytes of the elements between rows: NaN, or -128 for integers.
    fn between(self) -> &'static [u8] {
        match self {
            Self::F16 => &[0x01, 0x7e],
            Self::Bf16 => &[0xc1, 0x7f],
            Self::F32 | Self::Tf32 => &[0x01, 0x00, 0xc0, 0x7f],
            Self::S8 => &[0x80],
            Self::E4m3 | Self::E5m2 => &[0x7f],
            Self::S32 => &[0x80, 0x80, 0x80, 0x80],
        }
    }
}

/// A matrix of several batches in memory: `batches` times `rows` rows with `columns` elements,
/// where the elements of a row are neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub kind: Kind,
    pub batches: u32,
    pub rows: u32,
    pub columns: u32,
    pub leading: u64,
    pub batch_stride: u64,
}

impl Place {
    /// Returns the index of an element.
    pub fn at(&self, batch: u32, row: u32, column: u32) -> usize {
        (u64::from(batch) * self.batch_stride + u64::from(row) * self.leading + u64::from(column))
            as usize
    }
    /// Returns `elements` elements. Those of the matrix are random, the others are not numbers.
    pub fn random(&self, elements: u64, random: &mut Random) -> Vec<u8> {
        let size = self.kind.bytes();
        let mut bytes = self.kind.between().repeat(elements as usize);
        if elements > 0 {
            for batch in 0..self.batches {
                for row in 0..self.rows {
                    let start = self.at(batch, row, 0) * size;
                    for element in
                        bytes[start..][..self.columns as usize * size].chunks_exact_mut(size)
                    {
                        self.kind.draw(element, random);
                    }
                }
            }
        }
        bytes
    }
    /// Returns the numbers of batch `batch` row by row or, if `across`, column by column.
    pub fn numbers(&self, bytes: &[u8], batch: u32, across: bool) -> Vec<f64> {
        let (outer, inner) = if across {
            (self.columns, self.rows)
        } else {
            (self.rows, self.columns)
        };
        let mut numbers = Vec::with_capacity(outer as usize * inner as usize);
        for i in 0..outer {
            for j in 0..inner {
                let (row, column) = if across { (j, i) } else { (i, j) };
                let at = self.at(batch, row, column) * self.kind.bytes();
                numbers.push(self.kind.decode(&bytes[at..]));
            }
        }
        numbers
    }
}
