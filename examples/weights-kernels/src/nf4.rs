//! NF4 of bitsandbytes, as a format of one's own: a table of 16 numbers, looked up by `prmt`.
//!
//! ```text
//!   code 0 .. 15 ─► bytes of the tables: low bytes and high bytes of 16 bf16, four registers each
//! ```
//!
//! Law: a code's number is the table's, rounded to bf16.
//!
//! Source: Dettmers et al., *QLoRA* (2023), appendix E; bitsandbytes `kernels.cu`.

use gpu_kernels::weights::format::{Decode, WeightFormat, byte_perm};
use gpu_kernels::weights::order::{Codes4, Packed4};
use half::bf16;

/// The numbers, by their code.
pub const TABLE: [f32; 16] = [
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

/// NF4, in groups of 64 along k with a scale in bf16.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nf4;

/// The bits of the table's numbers in bf16.
const BITS: [u16; 16] = {
    let mut bits = [0; 16];
    let mut i = 0;
    while i < 16 {
        bits[i] = bf16::from_f32_const(TABLE[i]).to_bits();
        i += 1;
    }
    bits
};

impl WeightFormat for Nf4 {
    const NAME: &'static str = "nf4";
    const BITS: u32 = 4;
    const PADDING: u32 = 7;
    const SCALES: &'static str = "bf16";
    const GROUP_BYTES: u32 = 2;
    type Codes = u32;
    type Places = Codes4;
    type Packed = Packed4;
    type Zeros = ();
    fn value(code: u32) -> f32 {
        f32::from_bits(u32::from(BITS[code as usize & 15]) << 16)
    }
    #[inline(always)]
    fn scales(words: &[u32], group: usize) -> [f32; 2] {
        [words[group] << 16, words[group] & 0xffff_0000].map(f32::from_bits)
    }
}

/// Bytes `shift ..` of four of the table's numbers.
const fn bytes(first: usize, shift: u32) -> u32 {
    let mut word = 0;
    let mut i = 0;
    while i < 4 {
        word |= ((BITS[first + i] >> shift) as u32 & 255) << (8 * i);
        i += 1;
    }
    word
}

/// The bytes of four codes, nibbles 0, 1, 2, 3 of `codes`: of the lower eight numbers and of the
/// upper eight, by bit 3 of each.
#[inline(always)]
fn look_up(codes: u32, shift: u32) -> u32 {
    let select = codes & 0x7777;
    let low = byte_perm(bytes(0, shift), bytes(4, shift), select);
    let high = byte_perm(bytes(8, shift), bytes(12, shift), select);
    // A byte of each, by bit 3 of its code: number 4 beyond its own.
    byte_perm(low, high, 0x3210 | (codes & 0x8888) >> 1)
}

impl Decode<bf16> for Nf4 {
    #[inline(always)]
    fn zeros(_: &[u32], _: usize) {}
    #[inline(always)]
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        // Pair j is nibbles j and j + 4: four low halves, four high ones.
        let halves = [codes, codes >> 16].map(|four| [look_up(four, 0), look_up(four, 8)]);
        let [[a, b], [c, d]] = halves;
        // Number i of a half is byte i of both words.
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
}
