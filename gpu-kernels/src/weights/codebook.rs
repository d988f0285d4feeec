//! Formats that are a table of 16 numbers: NF4, and tables of your own.
//!
//! ```text
//!   code 0 .. 15 ─► bytes of the tables: lower bytes and upper bytes of 16 numbers, four registers each ─ prmt ─► pairs
//! ```
//!
//! Law: a code decodes to the table's number for it, rounded once to the activations' type.
//!
//! ```
//! use gpu_kernels::weights::codebook::{Codebook, CodebookFormat};
//! use gpu_kernels::weights::format::check;
//! use gpu_kernels::weights::scaling::ScaleGroups;
//!
//! #[derive(Clone, Copy, Debug, Default)]
//! struct Squares;
//! impl Codebook for Squares {
//!     const NAME: &'static str = "squares";
//!     const NUMBERS: [f32; 16] =
//!         [-64., -49., -36., -25., -16., -9., -4., -1., 0., 1., 4., 9., 16., 25., 36., 49.];
//! }
//! check::<CodebookFormat<Squares, ScaleGroups<half::f16, 64>>, half::bf16>([0, 0])?;
//! # Ok::<(), String>(())
//! ```
//!
//! Source: Dettmers et al., *QLoRA* (2023), appendix E; bitsandbytes `kernels.cu`.

use super::format::{Decode, WeightFormat, byte_perm};
use super::order::{Codes4, Packed4};
use super::scaling::GroupScaling;
use half::{bf16, f16};

/// A table of the numbers of 16 codes, one of them 0.
pub trait Codebook: Copy + Default + 'static {
    /// The name.
    const NAME: &'static str;
    /// The numbers, indexed by code.
    const NUMBERS: [f32; 16];
}

/// The format whose numbers are the table `B`, with scaling `S`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodebookFormat<B, S>(B, S);

/// NF4's numbers: bitsandbytes' quantiles of a normal distribution.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormalFloat4;
impl Codebook for NormalFloat4 {
    const NAME: &'static str = "nf4";
    const NUMBERS: [f32; 16] = [
        -1.0,
        -0.696_192_8,
        -0.525_073_05,
        -0.394_917_5,
        -0.284_441_38,
        -0.184_773_43,
        -0.091_050_036,
        0.0,
        0.079_580_3,
        0.160_930_2,
        0.246_112_3,
        0.337_915_24,
        0.440_709_83,
        0.562_617,
        0.722_956_84,
        1.0,
    ];
}
/// NF4.
pub type Nf4<S> = CodebookFormat<NormalFloat4, S>;

impl<B: Codebook, S: GroupScaling> WeightFormat for CodebookFormat<B, S> {
    const NAME: &'static str = B::NAME;
    const BITS: u32 = 4;
    const PADDING: u32 = code_of_0(&B::NUMBERS);
    type Scaling = S;
    type Codes = u32;
    type Places = Codes4;
    type Packed = Packed4;
    type Zeros = ();
    fn value(code: u32) -> f32 {
        B::NUMBERS[code as usize & 15]
    }
}

const fn code_of_0(numbers: &[f32; 16]) -> u32 {
    let mut code = 0;
    while code < 16 {
        if numbers[code as usize] == 0.0 {
            return code;
        }
        code += 1;
    }
    panic!("a table has a code of the number 0, for what lies beyond the matrix")
}

/// Returns byte `which` of each of 16 numbers, four bytes per word.
const fn bytes(bits: [u16; 16], which: u32) -> [u32; 4] {
    let mut words = [0; 4];
    let mut i = 0;
    while i < 16 {
        words[i / 4] |= ((bits[i] >> (8 * which)) as u32 & 255) << (8 * (i % 4));
        i += 1;
    }
    words
}

/// Looks up the table's bytes of four codes, nibbles 0 to 3 of `codes`. Bit 3 of a code selects the
/// first eight numbers or the last eight.
#[inline(always)]
fn look_up(codes: u32, table: [u32; 4]) -> u32 {
    let select = codes & 0x7777;
    let low = byte_perm(table[0], table[1], select);
    let high = byte_perm(table[2], table[3], select);
    // Bit 3 of code i adds 4 to selector i: byte i of `high` instead of byte i of `low`.
    byte_perm(low, high, 0x3210 | (codes & 0x8888) >> 1)
}

/// Decodes eight codes by the bytes of a table: pair j is the numbers of nibbles j and j + 4.
#[inline(always)]
fn by_table(codes: u32, [low, high]: [[u32; 4]; 2]) -> [u32; 4] {
    let [[a, b], [c, d]] =
        [codes, codes >> 16].map(|four| [look_up(four, low), look_up(four, high)]);
    // The number of code i of these four is byte i of both words.
    let (first, second) = (
        [byte_perm(a, b, 0x5140), byte_perm(a, b, 0x7362)],
        [byte_perm(c, d, 0x5140), byte_perm(c, d, 0x7362)],
    );
    [
        byte_perm(first[0], second[0], 0x5410),
        byte_perm(first[0], second[0], 0x7632),
        byte_perm(first[1], second[1], 0x5410),
        byte_perm(first[1], second[1], 0x7632),
    ]
}

/// Implements the decoding to a type by a table that is rounded to this type.
macro_rules! decoded_to {
    ($($t:ty),+) => {$(
        impl<B: Codebook, S: GroupScaling> Decode<$t> for CodebookFormat<B, S> {
            #[inline(always)]
            fn zeros(_: u32) {}
            #[inline(always)]
            fn decode(codes: u32, (): ()) -> [u32; 4] {
                let tables = const {
                    let mut bits = [0; 16];
                    let mut i = 0;
                    while i < 16 {
                        bits[i] = <$t>::from_f32_const(B::NUMBERS[i]).to_bits();
                        i += 1;
                    }
                    [bytes(bits, 0), bytes(bits, 1)]
                };
                by_table(codes, tables)
            }
        }
    )+};
}
decoded_to!(f16, bf16);
