//! Formats of weights of few bits, as types: the number of each code, and how a GPU decodes eight
//! codes.
//!
//! ```text
//!   format = codes  +  scale, zero, minimum of a group      Int4<ScaleGroups<f16, 128>>, E4m3<RowScale>
//!
//!   w[n, k] = scale (value(code[n, k]) - zero) - minimum     scaling.rs
//!
//!   a register, nibbles 7 .. 0 ──decode──► four registers of A: pair j is (nibble j, nibble j + 4)
//! ```
//!
//! Law: [`Decode::decode`] returns `value(code) - zero`, rounded once to the type of the
//! activations, for every code, zero and place of a code. [`check`] tests this law on the host. All
//! formats here except codebooks need no rounding.
//!
//! A format of your own is a type that implements [`WeightFormat`] and [`Decode`], or a table of 16
//! numbers, a [`Codebook`](super::codebook::Codebook).
//!
//! Source: Marlin's `dequant`, vLLM's `marlin/dequant.h` (the conversions by `lop3`, floats by
//! a shift and a factor); OCP Microscaling Formats 1.0 (e2m1); OCP 8-bit Floating Point 1.0 (e4m3).

use super::config::Activation;
use super::order::{Codes4, Codes8, Packed4, Packed8};
use super::scaling::{GroupScaling, group_of_block};
use half::{bf16, f16};
use layout_types::atom::half_pair::HalfPair;
use layout_types::prelude::*;

/// The codes of a thread's fragment for one block of 16 along k, which the thread loads 16 bytes at
/// a time.
pub trait BlockCodes: Copy + Default {
    /// The loads of 16 bytes that a thread needs for a tile of 64 along k, which has 32 codes per
    /// thread.
    const LOADS: usize;
    /// Returns the codes of block `block`, which is below 4, from the loads of a tile.
    fn take(loads: &[[u32; 4]; 2], block: usize) -> Self;
    /// Returns the code at place `place` of the block.
    fn code(self, place: u32) -> u32;
    /// Returns the codes with `code` in place `place`.
    #[must_use]
    fn with_code(self, place: u32, code: u32) -> Self;
    /// Applies `by` to each word of the codes.
    #[must_use]
    fn map_words(self, by: fn(u32) -> u32) -> Self;
}
/// Eight codes of 4 bits.
impl BlockCodes for u32 {
    const LOADS: usize = 1;
    #[inline(always)]
    fn take(loads: &[[u32; 4]; 2], block: usize) -> u32 {
        loads[0][block]
    }
    fn code(self, place: u32) -> u32 {
        self >> (4 * place) & 15
    }
    fn with_code(self, place: u32, code: u32) -> u32 {
        self & !(15 << (4 * place)) | (code & 15) << (4 * place)
    }
    fn map_words(self, by: fn(u32) -> u32) -> u32 {
        by(self)
    }
}
/// Eight codes of 8 bits.
impl BlockCodes for [u32; 2] {
    const LOADS: usize = 2;
    #[inline(always)]
    fn take(loads: &[[u32; 4]; 2], block: usize) -> [u32; 2] {
        let load = loads[block / 2];
        [load[2 * (block % 2)], load[2 * (block % 2) + 1]]
    }
    fn code(self, place: u32) -> u32 {
        self[place as usize / 4] >> (8 * (place % 4)) & 255
    }
    fn with_code(mut self, place: u32, code: u32) -> [u32; 2] {
        let (of, shift) = (&mut self[place as usize / 4], 8 * (place % 4));
        *of = *of & !(255 << shift) | (code & 255) << shift;
        self
    }
    fn map_words(self, by: fn(u32) -> u32) -> [u32; 2] {
        self.map(by)
    }
}
/// Returns the place, among a thread's codes, of value `value` of a block's fragment. `value` is
/// below 8.
#[must_use]
pub fn place_of<F: WeightFormat>(value: u32) -> u32 {
    F::Places::index(32 * value)
}

/// A format of weights: its codes, their numbers, and the scaling of a group.
pub trait WeightFormat: Copy + Default + 'static {
    /// The name: `int4`.
    const NAME: &'static str;
    /// The number of bits of a code, 4 or 8.
    const BITS: u32;
    /// A code whose number is 0. It fills the places beyond the matrix.
    const PADDING: u32;
    /// The scale, zero and minimum of a group.
    type Scaling: GroupScaling;
    /// The codes of a block that one thread holds.
    type Codes: BlockCodes;
    /// Maps (thread, value) to the place of the code.
    type Places: LayoutFn;
    /// Maps `n + 16 k` to the place in the tile of the code of (n, k).
    type Packed: LayoutFn;
    /// The zeros of a thread's two rows, which [`Decode::decode`] subtracts, or `()` if the format
    /// has no zeros.
    type Zeros: Copy;

    /// Returns the number of a code by the format's definition.
    fn value(code: u32) -> f32;
    /// Permutes the bits of a word, in which one code follows the other, to where
    /// [`Decode::decode`] expects them.
    #[must_use]
    fn arrange(word: u32) -> u32 {
        word
    }
    /// Whether a code is valid: the NaNs of e4m3 are not.
    #[must_use]
    fn is_code(code: u32) -> bool {
        code >> Self::BITS == 0
    }
}

/// Decodes a format to pairs of `E`, as operand A of an MMA of 16-bit floats.
pub trait Decode<E: HalfPair>: WeightFormat {
    /// Converts the zeros of rows g and g + 8, in the halves of a word, to the form that
    /// [`decode`](Self::decode) subtracts.
    fn zeros(zeros: u32) -> Self::Zeros;
    /// Returns `value(code) - zero` for a block's eight codes, whose bits [`WeightFormat::arrange`]
    /// permuted. The result is the four registers of A, alternately for rows g and g + 8.
    fn decode(codes: Self::Codes, zeros: Self::Zeros) -> [u32; 4];
}

/// Returns the zeros for block `block` of 16 along k of a unit.
#[inline(always)]
pub fn zeros_of<F: Decode<E>, E: HalfPair>(record: &[u32], block: usize) -> F::Zeros {
    F::zeros(F::Scaling::zeros(
        record,
        group_of_block::<F::Scaling>(block),
    ))
}

/// Returns the weights of block `block` of a unit: the numbers of its eight codes, times the
/// group's scale in `E`, less the group's minimum in `E`, rounded once. If a row has one scale,
/// returns the numbers without scale and minimum.
#[inline(always)]
pub fn scaled_block<F: Decode<E>, E: Activation>(
    codes: F::Codes,
    record: &[u32],
    block: usize,
) -> [u32; 4] {
    let mut a = F::decode(codes, zeros_of::<F, E>(record, block));
    if const { F::Scaling::GROUP.is_some() } {
        let group = group_of_block::<F::Scaling>(block);
        let scales = F::Scaling::scales(record, group).map(|of| E::splat(E::round(of)));
        let minima = F::Scaling::minima(record, group).map(|of| E::splat(E::round(-of)));
        unroll::<4>(|i| {
            a[i] = if const { F::Scaling::MINIMA } {
                E::fma_pair(a[i], scales[i % 2], minima[i % 2])
            } else {
                E::mul_pair(a[i], scales[i % 2])
            }
        });
    }
    a
}

/// 4-bit integers less 8: the symmetric integers of GPTQ and AWQ, Marlin's `u4b8`, GGUF's q4_0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Int4<S>(S);
/// 4-bit integers, less a zero if groups have one: the asymmetric integers of GPTQ and AWQ,
/// Marlin's `u4`, GGUF's q4_K.
#[derive(Clone, Copy, Debug, Default)]
pub struct UInt4<S>(S);
/// e2m1, a float of 4 bits: OCP's MXFP4 with an e8m0 scale per group of 32, NVIDIA's NVFP4 with an
/// e4m3 scale per group of 16.
#[derive(Clone, Copy, Debug, Default)]
pub struct E2m1<S>(S);
/// 8-bit integers, less 128: an i8 `q` is code `q + 128`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Int8<S>(S);
/// e4m3, a float of 8 bits without infinities. Its NaNs, 127 and 255, are not valid codes.
#[derive(Clone, Copy, Debug, Default)]
pub struct E4m3<S>(S);

impl<S: GroupScaling> WeightFormat for Int4<S> {
    const NAME: &'static str = "int4";
    const BITS: u32 = 4;
    const PADDING: u32 = 8;
    type Scaling = S;
    type Codes = u32;
    type Places = Codes4;
    type Packed = Packed4;
    type Zeros = ();
    #[inline(always)]
    fn value(code: u32) -> f32 {
        code as f32 - 8.0
    }
}
impl<S: GroupScaling> WeightFormat for UInt4<S> {
    const NAME: &'static str = "uint4";
    const BITS: u32 = 4;
    const PADDING: u32 = 0;
    type Scaling = S;
    type Codes = u32;
    type Places = Codes4;
    type Packed = Packed4;
    type Zeros = [u32; 2];
    #[inline(always)]
    fn value(code: u32) -> f32 {
        code as f32
    }
}
/// ```text
///   bit   15 14 13 12  11 10  9   8  7  6   5  4  3   2  1  0       of each half
///          s  s  s  s   e  e  m   e  e  m   e  e  m   e  e  m
///   code   0  3  2  1       3         0         1         2
/// ```
impl<S: GroupScaling> WeightFormat for E2m1<S> {
    const NAME: &'static str = "e2m1";
    const BITS: u32 = 4;
    const PADDING: u32 = 0;
    type Scaling = S;
    type Codes = u32;
    type Places = Codes4;
    type Packed = Packed4;
    type Zeros = ();
    #[inline(always)]
    fn value(code: u32) -> f32 {
        let magnitude = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][code as usize & 7];
        if code & 8 == 0 { magnitude } else { -magnitude }
    }
    fn arrange(word: u32) -> u32 {
        (0..8).fold(0, |arranged, i| {
            let (code, half, j) = (word >> (4 * i) & 15, 16 * (i / 4), i as usize % 4);
            let magnitude = (code & 7) << (MAGNITUDES[j] + half);
            arranged | magnitude | (code >> 3) << (SIGNS[j] + half)
        })
    }
}

impl<S: GroupScaling> WeightFormat for Int8<S> {
    const NAME: &'static str = "int8";
    const BITS: u32 = 8;
    const PADDING: u32 = 128;
    type Scaling = S;
    type Codes = [u32; 2];
    type Places = Codes8;
    type Packed = Packed8;
    type Zeros = ();
    #[inline(always)]
    fn value(code: u32) -> f32 {
        code as f32 - 128.0
    }
}
impl<S: GroupScaling> WeightFormat for E4m3<S> {
    const NAME: &'static str = "e4m3";
    const BITS: u32 = 8;
    const PADDING: u32 = 0;
    type Scaling = S;
    type Codes = [u32; 2];
    type Places = Codes8;
    type Packed = Packed8;
    type Zeros = ();
    fn value(code: u32) -> f32 {
        let (exponent, fraction) = (code >> 3 & 15, (code & 7) as f32);
        let magnitude = match exponent {
            0 => fraction / 512.0,
            _ => (8.0 + fraction) * f32::from_bits((exponent + 127 - 10) << 23),
        };
        if code & 128 == 0 {
            magnitude
        } else {
            -magnitude
        }
    }
    fn is_code(code: u32) -> bool {
        code < 256 && code & 127 != 127
    }
}

/// Returns `codes & mask | float` by one `lop3`. For example, it puts a nibble of each half into
/// the last bits of the fraction of a float.
#[inline(always)]
fn masked_or(codes: u32, mask: u32, float: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        layout_types::arch::logic::lop3::<0xea>(codes, mask, float)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        codes & mask | float
    }
}

/// Decodes eight codes of 4 bits to f16. A nibble q in the last four bits of 1024's fraction makes
/// `1024 + q`, and `even`, `-(1024 + zero)`, is added. In the four bits above, the nibble makes
/// `1024 + 16 q`, which is multiplied by 1/16, and `odd`, `-(64 + zero)`, is added.
#[inline(always)]
fn f16_of_u4(codes: u32, [even, odd]: [u32; 2]) -> [u32; 4] {
    let sixteenth = f16::splat(f16::from_bits(0x2c00));
    let pair = |codes: u32| {
        [
            f16::add_pair(masked_or(codes, 0x000f_000f, 0x6400_6400), even),
            f16::fma_pair(masked_or(codes, 0x00f0_00f0, 0x6400_6400), sixteenth, odd),
        ]
    };
    let ([a, b], [c, d]) = (pair(codes), pair(codes >> 8));
    [a, b, c, d]
}
/// Decodes eight codes of 4 bits to bf16. A nibble q in the last four bits of 128's fraction makes
/// `128 + q`; `rows` are `-(128 + zero)`, which is added.
#[inline(always)]
fn bf16_of_u4(codes: u32, rows: [u32; 2]) -> [u32; 4] {
    [0, 1, 2, 3].map(|pair| {
        let codes = masked_or(codes >> (4 * pair), 0x000f_000f, 0x4300_4300);
        bf16::add_pair(codes, rows[pair % 2])
    })
}

impl<S: GroupScaling> Decode<f16> for Int4<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        f16_of_u4(codes, [0xe408_e408, 0xd480_d480]) // -(1024 + 8), -(64 + 8)
    }
}
impl<S: GroupScaling> Decode<bf16> for Int4<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        bf16_of_u4(codes, [0xc308_c308; 2]) // -(128 + 8)
    }
}
/// Returns a register for each of a thread's two rows, with the zero of the row in both halves.
#[inline(always)]
fn splat_zeros(word: u32) -> [u32; 2] {
    let (low, high) = (word & 0xffff, word >> 16);
    [low | low << 16, high | high << 16]
}
impl<S: GroupScaling> Decode<f16> for UInt4<S> {
    #[inline(always)]
    fn zeros(zeros: u32) -> [u32; 2] {
        let [even, odd] = splat_zeros(zeros);
        [even | 0xe400_e400, odd << 4 | 0xd400_d400] // -(1024 + z), -(64 + z)
    }
    #[inline(always)]
    fn decode(codes: u32, zeros: [u32; 2]) -> [u32; 4] {
        f16_of_u4(codes, zeros)
    }
}
impl<S: GroupScaling> Decode<bf16> for UInt4<S> {
    #[inline(always)]
    fn zeros(zeros: u32) -> [u32; 2] {
        splat_zeros(zeros).map(|zero| zero | 0xc300_c300) // -(128 + z)
    }
    #[inline(always)]
    fn decode(codes: u32, zeros: [u32; 2]) -> [u32; 4] {
        bf16_of_u4(codes, zeros)
    }
}

/// The first bit of exponent and fraction of code j of each half, where [`WeightFormat::arrange`]
/// of e2m1 puts them. One shift brings each of them to bit 6 for bf16, or to bit 9 for f16.
const MAGNITUDES: [u32; 4] = [6, 3, 0, 9];
/// The bits of the signs of the four codes. The signs of codes 0 and 1 reach bit 15 by shifts of 0
/// and 3 bits, which the exponent and fraction of some code need, too.
const SIGNS: [u32; 4] = [15, 12, 13, 14];

/// Shifts each code's exponent to the last bits of a 16-bit float's exponent, and its fraction to
/// the first bit of the fraction, which is bit `to`. Multiplies the float by `factor`, 2 to the
/// difference of the exponents' biases.
#[inline(always)]
fn of_e2m1<E: HalfPair>(codes: u32, to: u32, factor: u32) -> [u32; 4] {
    let shifted = |from: u32, to: u32| {
        if from < to {
            codes << (to - from)
        } else {
            codes >> (from - to)
        }
    };
    [0, 1, 2, 3].map(|j| {
        let magnitudes = 0x0007_0007 << to;
        let pair = if MAGNITUDES[j] + 15 == SIGNS[j] + to {
            shifted(SIGNS[j], 15) & (magnitudes | 0x8000_8000)
        } else {
            let magnitude = shifted(MAGNITUDES[j], to) & magnitudes;
            masked_or(shifted(SIGNS[j], 15), 0x8000_8000, magnitude)
        };
        E::mul_pair(pair, factor)
    })
}
impl<S: GroupScaling> Decode<f16> for E2m1<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        of_e2m1::<f16>(codes, 9, 0x7400_7400) // 2^14
    }
}
impl<S: GroupScaling> Decode<bf16> for E2m1<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        of_e2m1::<bf16>(codes, 6, 0x7e80_7e80) // 2^126
    }
}

impl<S: GroupScaling> Decode<f16> for Int8<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    /// Makes 1024 + code by `prmt` and subtracts 1024 + 128.
    #[inline(always)]
    fn decode(codes: [u32; 2], (): ()) -> [u32; 4] {
        [0, 1, 2, 3].map(|pair| {
            let selector = if pair % 2 == 0 { 0x4240 } else { 0x4341 };
            f16::add_pair(
                byte_perm(codes[pair / 2], 0x6464_6464, selector),
                0xe480_e480,
            )
        })
    }
}
impl<S: GroupScaling> Decode<bf16> for Int8<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    /// Adds 16 (128 + high) - (2048 + 256) and 128 + low, because 128's fraction holds only one
    /// nibble. Both terms are exact.
    #[inline(always)]
    fn decode(codes: [u32; 2], (): ()) -> [u32; 4] {
        [0, 1, 2, 3].map(|pair| {
            let word = codes[pair / 2];
            let low = if pair % 2 == 0 { word } else { word >> 8 };
            let high = if pair % 2 == 0 { word >> 4 } else { word >> 12 };
            let [low, high] = [low, high].map(|code| masked_or(code, 0x000f_000f, 0x4300_4300));
            let above = bf16::fma_pair(high, 0x4180_4180, 0xc510_c510); // 16 high - 256
            bf16::add_pair(low, above)
        })
    }
}

/// Shifts each code's exponent to the last bits of a 16-bit float's exponent, and its fraction to
/// the first bits of the fraction, `shift` bits to the right. Multiplies the float by `factor`, 2
/// to the difference of the exponents' biases.
#[inline(always)]
fn of_e4m3<E: HalfPair>(codes: [u32; 2], shift: u32, factor: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|pair| {
        let word = codes[pair / 2];
        let word = if pair % 2 == 0 { word << 8 } else { word };
        let magnitude = (word & 0x7f00_7f00) >> shift;
        E::mul_pair(masked_or(word, 0x8000_8000, magnitude), factor)
    })
}
impl<S: GroupScaling> Decode<f16> for E4m3<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: [u32; 2], (): ()) -> [u32; 4] {
        of_e4m3::<f16>(codes, 1, 0x5c00_5c00) // 2^8
    }
}
impl<S: GroupScaling> Decode<bf16> for E4m3<S> {
    #[inline(always)]
    fn zeros(_: u32) {}
    #[inline(always)]
    fn decode(codes: [u32; 2], (): ()) -> [u32; 4] {
        of_e4m3::<bf16>(codes, 4, 0x7b80_7b80) // 2^120
    }
}

/// Does what `prmt` does, also on a host: the digits of `selector` choose the bytes of the result.
/// Bytes 0 to 3 are those of `low`, bytes 4 to 7 those of `high`.
#[inline(always)]
#[must_use]
pub fn byte_perm(low: u32, high: u32, selector: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        layout_types::arch::permute::byte_perm(low, high, selector)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let all = u64::from(low) | u64::from(high) << 32;
        (0..4).fold(0, |word, i| {
            let digit = selector >> (4 * i) & 15;
            let byte = (all >> (8 * (digit & 7))) as u8;
            // A digit above 7 repeats the byte's highest bit eight times.
            let byte = if digit > 7 {
                (byte as i8 >> 7) as u8
            } else {
                byte
            };
            word | u32::from(byte) << (8 * i)
        })
    }
}

/// Compares a format's decoding with its definition for every code at every place of a block. The
/// other places hold, one after the other, 16 different codes, which for 4 bits are all codes.
/// `zeros` are the zeros of the two rows.
///
/// ```
/// use gpu_kernels::weights::format::{E4m3, Int4, check};
/// use gpu_kernels::weights::scaling::{RowScale, ScaleGroups};
/// use half::{bf16, f16};
/// check::<Int4<ScaleGroups<f16, 128>>, f16>([0, 0])?;
/// check::<E4m3<RowScale>, bf16>([0, 0])?;
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Returns the first place at which the decoding differs from the definition.
#[cfg(not(target_arch = "nvptx64"))]
pub fn check<F, E>(zeros: [u16; 2]) -> Result<(), String>
where
    F: Decode<E>,
    E: Activation,
{
    let all = || (0..1u32 << F::BITS).filter(|&code| F::is_code(code));
    let word = u32::from(zeros[0]) | u32::from(zeros[1]) << 16;
    for other in all().step_by(1 << (F::BITS - 4)) {
        let filled = (0..8).fold(F::Codes::default(), |codes, at| codes.with_code(at, other));
        for (code, value) in all().flat_map(|code| (0..8).map(move |value| (code, value))) {
            let codes = filled.with_code(place_of::<F>(value), code);
            let registers = F::decode(codes.map_words(F::arrange), F::zeros(word));
            for at in 0..8u32 {
                // Half h of register j is value 2 j + h of the fragment. It belongs to row g + 8 if
                // j is odd, else to row g.
                let register = at as usize / 2;
                let found = (registers[register] >> (16 * (at % 2))) as u16;
                let code = codes.code(place_of::<F>(at));
                let expected = E::round(F::value(code) - f32::from(zeros[register % 2]));
                if found != expected.bits() {
                    return Err(format!(
                        "{} to {}: code {code} at value {at} beside {other} decodes to {found:#06x}, not {:#06x}",
                        F::NAME,
                        E::NAME,
                        expected.bits()
                    ));
                }
            }
        }
    }
    Ok(())
}
