//! The scale, zero and minimum of a group of weights, as types.
//!
//! ```text
//!   w[n, k] = scale (value(code[n, k]) - zero) - minimum       indexed by (n, k / GROUP), or by n
//!
//!   ScaleGroups<f16, 32>    a scale for each 32 along k        ZeroGroups<f16, 64>   an integer zero, too
//!   RowScale                an f32 scale for each row          Q4KGroups, Q6KGroups  ggml's scales of scales
//! ```
//!
//! Law: `scales(record)`, `zeros` and `minima` of a packed record return in f32, without rounding,
//! the numbers that the packed bits encode.
//!
//! A record holds the scales, zeros and minima of rows g and g + 8 for a unit of 128 along k. These
//! are the two rows of one thread. The length of a group is a multiple of the k block, 16, and
//! divides a unit; other lengths do not compile:
//!
//! ```compile_fail,E0080
//! use gpu_kernels::weights::scaling::{GroupScaling, ScaleGroups};
//! const GROUP: Option<u32> = ScaleGroups::<half::f16, 24>::GROUP;
//! ```
//!
//! Source: OCP Microscaling Formats 1.0 (e8m0); NVIDIA's NVFP4 (e4m3 scales of 16); ggml's
//! `ggml-common.h` (`block_q4_K`, `block_q6_K`).

use super::config::UNIT;
use super::format::byte_perm;
use half::{bf16, f16};
use layout_types::atom::convert::convert;

/// The length of a block of the product along k, which is the shortest group.
const K_BLOCK: u32 = 16;

/// A type of scale.
pub trait GroupScale: Copy + Default + 'static {
    /// The name: `f16`.
    const NAME: &'static str;
    /// The size in bytes.
    const BYTES: u32;
    /// Decodes the scale that begins at bit `bit` of `word`. `bit` is a multiple of a scale's bits.
    fn at(word: u32, bit: u32) -> f32;
    /// Whether the bits are a valid scale.
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    fn is_number(bits: u32) -> bool {
        bits >> (8 * Self::BYTES - 1) >> 1 == 0
    }
    /// Returns the bits of the scale that is nearest to the positive number `number`.
    #[cfg(not(target_arch = "nvptx64"))]
    fn near(number: f64) -> u32;
}

/// Implements [`GroupScale`] for floats of 16 or 32 bits.
macro_rules! float_scales {
    ($($t:ty, $name:literal, $bytes:literal, |$word:ident, $bit:ident| $at:expr, |$number:ident| $near:expr;)*) => {$(
        impl GroupScale for $t {
            const NAME: &'static str = $name;
            const BYTES: u32 = $bytes;
            #[inline(always)]
            fn at($word: u32, $bit: u32) -> f32 {
                $at
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn near($number: f64) -> u32 {
                $near
            }
        }
    )*};
}
float_scales! {
    f16, "f16", 2, |word, bit| convert(f16::from_bits((word >> bit) as u16)), |x| f16::from_f64(x).to_bits().into();
    bf16, "bf16", 2, |word, bit| convert(bf16::from_bits((word >> bit) as u16)), |x| bf16::from_f64(x).to_bits().into();
    f32, "f32", 4, |word, bit| f32::from_bits(word >> bit), |x| (x as f32).to_bits();
}

/// OCP's e8m0: the scale is `2^(e - 127)`. 255 is NaN and not a valid scale.
#[derive(Clone, Copy, Debug, Default)]
pub struct E8m0;
impl GroupScale for E8m0 {
    const NAME: &'static str = "e8m0";
    const BYTES: u32 = 1;
    /// Shifts e to the exponent of an f32. This is right for all e but 0, whose scale is a
    /// subnormal f32: the maximum gives its bits.
    #[inline(always)]
    fn at(word: u32, bit: u32) -> f32 {
        let exponent = shifted(word, bit, 23);
        f32::from_bits(u32::max(exponent & 0x7f80_0000, 0x0040_0000))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_number(bits: u32) -> bool {
        bits < 255
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn near(number: f64) -> u32 {
        (number.log2().round() + 127.0).clamp(0.0, 254.0) as u32
    }
}

/// e4m3 without a sign, NVFP4's scale. 127 is NaN and not a valid scale; bits above 127 are not
/// valid either.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ue4m3;
impl GroupScale for Ue4m3 {
    const NAME: &'static str = "e4m3";
    const BYTES: u32 = 1;
    /// Shifts the exponent to the last bits of an f32's exponent and the fraction to the first bits
    /// of its fraction. That f32 is 2^-120 times the scale.
    #[inline(always)]
    fn at(word: u32, bit: u32) -> f32 {
        f32::from_bits(shifted(word, bit, 20) & 0x07f0_0000) * f32::from_bits((127 + 120) << 23)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_number(bits: u32) -> bool {
        bits < 127
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn near(number: f64) -> u32 {
        let distance = |bits: &u32| (f64::from(Self::at(*bits, 0)) - number).abs();
        (0..127)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0)
    }
}

/// Shifts `word` such that bit `bit` becomes bit `to`.
#[inline(always)]
fn shifted(word: u32, bit: u32, to: u32) -> u32 {
    if bit < to {
        word << (to - bit)
    } else {
        word >> (bit - to)
    }
}

/// Maps (group of the unit, 0 for row g or 1 for row g + 8) to the bits of the scale and of the
/// zero or minimum. Returns `None` beyond the matrix.
#[cfg(not(target_arch = "nvptx64"))]
pub type GroupBits<'a> = &'a dyn Fn(u32, usize) -> Option<[u32; 2]>;

/// The scales, zeros and minima of a format's groups.
pub trait GroupScaling: Copy + Default + 'static {
    /// The length of a group along k, or `None` if a group is a whole row.
    const GROUP: Option<u32>;
    /// The name of the scale's type: `f16`.
    const SCALES: &'static str;
    /// Whether a group has a zero, from 0 to 15, which is subtracted from its codes.
    const ZEROS: bool = false;
    /// Whether a group has a minimum, which is subtracted from its scaled numbers.
    const MINIMA: bool = false;
    /// The number of words in a record: 1, 2, 4 or 8, or 0 if a row has one scale.
    const WORDS: usize;

    /// Returns the scales of rows g and g + 8 for group `group` of a unit.
    fn scales(record: &[u32], group: usize) -> [f32; 2];
    /// Returns the zeros of rows g and g + 8 for group `group`, in the lower and upper half of a
    /// word.
    #[inline(always)]
    #[must_use]
    fn zeros(record: &[u32], group: usize) -> u32 {
        let _ = (record, group);
        0
    }
    /// Returns the minima of rows g and g + 8 for group `group`.
    #[inline(always)]
    #[must_use]
    fn minima(record: &[u32], group: usize) -> [f32; 2] {
        let _ = (record, group);
        [0.0; 2]
    }

    /// Decodes the bits of a scale.
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32;
    /// Decodes the bits of a minimum or zero.
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    fn offset(bits: u32) -> f32 {
        bits as f32
    }
    /// Whether the bits are a valid scale.
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    fn is_scale(bits: u32) -> bool;
    /// Returns pseudorandom bits of a scale and of a zero or minimum, made from the number `row` of
    /// the row and the number `group` of the group. They are such that weights of 4-bit codes are
    /// about `size` times the numbers of their codes.
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, group: u32) -> [u32; 2];
    /// Appends a record with the groups that `of` returns.
    ///
    /// # Errors
    /// Returns the reason if a record cannot hold these groups.
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(record: &mut Vec<u8>, of: GroupBits<'_>) -> Result<(), String>;
}

/// Returns the index, among the groups of its unit, of the group of a block of 16 along k.
#[inline(always)]
#[must_use]
pub const fn group_of_block<S: GroupScaling>(block: usize) -> usize {
    match S::GROUP {
        Some(group) => block / (group / K_BLOCK) as usize,
        None => 0,
    }
}

/// Whether a block of 16 along k is the last block of its group.
#[must_use]
pub const fn ends_group<S: GroupScaling>(block: usize) -> bool {
    match S::GROUP {
        Some(group) => (block + 1).is_multiple_of((group / K_BLOCK) as usize),
        None => false,
    }
}

/// Returns the length of a group. Panics if the length is not a multiple of the k block or does not
/// divide a unit.
const fn checked(group: u32) -> Option<u32> {
    assert!(
        group > 0 && group.is_multiple_of(K_BLOCK) && UNIT.is_multiple_of(group),
        "a group is a multiple of the k block, 16, and divides a unit of 128: 16, 32, 64 or 128"
    );
    Some(group)
}

/// Maps a pseudorandom `chance` to a number in [0.7, 1.4).
#[cfg(not(target_arch = "nvptx64"))]
fn about_one(chance: u32) -> f64 {
    (f64::from(chance) / 2f64.powi(32) - 0.5).exp2()
}

/// A scale `S` for each group of `GROUP` along k.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScaleGroups<S, const GROUP: u32>(S);
impl<S: GroupScale, const GROUP: u32> GroupScaling for ScaleGroups<S, GROUP> {
    const GROUP: Option<u32> = checked(GROUP);
    const SCALES: &'static str = S::NAME;
    const WORDS: usize = (2 * S::BYTES * (UNIT / GROUP)) as usize / 4;
    #[inline(always)]
    fn scales(record: &[u32], group: usize) -> [f32; 2] {
        let bits = 8 * S::BYTES;
        [0, 1].map(|half| {
            let bit = bits * (2 * group as u32 + half);
            S::at(record[bit as usize / 32], bit % 32)
        })
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32 {
        S::at(bits, 0)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_scale(bits: u32) -> bool {
        S::is_number(bits)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, group: u32) -> [u32; 2] {
        [S::near(size * about_one(row ^ group)), 0]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(record: &mut Vec<u8>, of: GroupBits<'_>) -> Result<(), String> {
        for group in 0..UNIT / GROUP {
            for half in 0..2 {
                push::<S>(record, of(group, half).unwrap_or_default()[0]);
            }
        }
        Ok(())
    }
}
#[cfg(not(target_arch = "nvptx64"))]
fn push<S: GroupScale>(record: &mut Vec<u8>, bits: u32) {
    record.extend_from_slice(&bits.to_le_bytes()[..S::BYTES as usize]);
}

/// A scale `S` of 16 bits and a zero, an integer of 16 bits, for each group of `GROUP` along k.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroGroups<S, const GROUP: u32>(S);
impl<S: GroupScale, const GROUP: u32> GroupScaling for ZeroGroups<S, GROUP> {
    const GROUP: Option<u32> = checked(GROUP);
    const SCALES: &'static str = S::NAME;
    const ZEROS: bool = true;
    const WORDS: usize = {
        assert!(S::BYTES == 2, "a scale beside a zero is f16 or bf16");
        2 * (UNIT / GROUP) as usize
    };
    #[inline(always)]
    fn scales(record: &[u32], group: usize) -> [f32; 2] {
        [S::at(record[2 * group], 0), S::at(record[2 * group], 16)]
    }
    #[inline(always)]
    fn zeros(record: &[u32], group: usize) -> u32 {
        record[2 * group + 1]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32 {
        S::at(bits, 0)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_scale(bits: u32) -> bool {
        S::is_number(bits)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, group: u32) -> [u32; 2] {
        [S::near(size * about_one(row ^ group)), group % 16]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(record: &mut Vec<u8>, of: GroupBits<'_>) -> Result<(), String> {
        for group in 0..UNIT / GROUP {
            let rows = [0, 1].map(|half| of(group, half).unwrap_or_default());
            for [scale, _] in rows {
                push::<S>(record, scale);
            }
            for [_, zero] in rows {
                if zero > 15 {
                    return Err(format!("a zero is {zero}; it is at most 15"));
                }
                push::<f16>(record, zero);
            }
        }
        Ok(())
    }
}

/// A scale in f32 for each row, which multiplies the sum before the epilogue. The product itself
/// takes the numbers of the codes as weights.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowScale;
impl GroupScaling for RowScale {
    const GROUP: Option<u32> = None;
    const SCALES: &'static str = "f32";
    const WORDS: usize = 0;
    #[inline(always)]
    fn scales(_: &[u32], _: usize) -> [f32; 2] {
        [1.0; 2]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_scale(_: u32) -> bool {
        true
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, _: u32) -> [u32; 2] {
        [f32::near(size * about_one(row)), 0]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(_: &mut Vec<u8>, _: GroupBits<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// Returns byte `i` of `words` less `bias`, as a float. The byte becomes the last bits of 2^23's
/// fraction.
#[inline(always)]
fn small(words: &[u32], i: usize, bias: u32) -> f32 {
    let bits = byte_perm(words[i / 4], 0x4b00_0000, 0x7440 | (i % 4) as u32);
    f32::from_bits(bits) - (8_388_608 + bias) as f32
}

/// Decodes a half of a word as f16.
#[inline(always)]
fn f16_of(word: u32, half: u32) -> f32 {
    f16::at(word, 16 * half)
}

/// Decodes ggml's scale of a scale: an f16 in the lower half, times an integer in the upper half
/// that is packed with `bias` added.
#[cfg(not(target_arch = "nvptx64"))]
fn scaled_scale(bits: u32, bias: i32) -> f32 {
    f16_of(bits, 0) * ((bits >> 16) as i32 - bias) as f32
}

/// Returns the f16 that all groups of a row share within a unit: the lower half of their bits.
/// Fails if they differ.
#[cfg(not(target_arch = "nvptx64"))]
fn shared_f16(groups: u32, of: &dyn Fn(u32) -> Option<u32>) -> Result<u16, String> {
    let mut all = (0..groups).filter_map(|group| Some(of(group)? as u16));
    let first = all.next().unwrap_or_default();
    match all.find(|&d| d != first) {
        None => Ok(first),
        Some(other) => Err(format!(
            "groups of one unit of 128 along k share the f16 of their scales; these have {} and {}",
            f16::from_bits(first),
            f16::from_bits(other)
        )),
    }
}

/// q4_K's scaling: groups of 32 along k with scale `d · sc` and minimum `dmin · m`, where `d` and
/// `dmin` are f16 and `sc` and `m` are integers below 64. The bits of a scale are `d` in the lower
/// half and `sc` in the upper half; the bits of a minimum are `dmin` and `m` likewise.
///
/// ```text
///   record   sc of row g, 4 bytes │ of g + 8 │ m of row g │ of g + 8 │ d, d │ dmin, dmin │ 0 │ 0
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Q4KGroups;
impl GroupScaling for Q4KGroups {
    const GROUP: Option<u32> = checked(32);
    const SCALES: &'static str = "f16 · 6 bits, minima";
    const MINIMA: bool = true;
    const WORDS: usize = 8;
    #[inline(always)]
    fn scales(record: &[u32], group: usize) -> [f32; 2] {
        [0, 1].map(|half| small(record, 4 * half + group, 0) * f16_of(record[4], half as u32))
    }
    #[inline(always)]
    fn minima(record: &[u32], group: usize) -> [f32; 2] {
        [0, 1].map(|half| small(record, 8 + 4 * half + group, 0) * f16_of(record[5], half as u32))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32 {
        scaled_scale(bits, 0)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn offset(bits: u32) -> f32 {
        scaled_scale(bits, 0)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_scale(bits: u32) -> bool {
        bits >> 16 < 64
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, group: u32) -> [u32; 2] {
        let [d, dmin] = [size / 40.0, size / 4.0].map(|d| f16::near(d * about_one(row)));
        [d | (group % 64) << 16, dmin | (group / 64 % 64) << 16]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(record: &mut Vec<u8>, of: GroupBits<'_>) -> Result<(), String> {
        for which in 0..2 {
            for half in 0..2 {
                record.extend(
                    (0..4).map(|group| (of(group, half).unwrap_or_default()[which] >> 16) as u8),
                );
            }
        }
        for which in 0..2 {
            for half in 0..2 {
                let d = shared_f16(4, &|group| of(group, half).map(|bits| bits[which]))?;
                record.extend_from_slice(&d.to_le_bytes());
            }
        }
        record.extend_from_slice(&[0; 8]);
        Ok(())
    }
}

/// [`Q6KGroups`] adds this to the integer of a scale, so that the packed integer has no sign.
const Q6K_BIAS: u32 = 128;

/// q6_K's scaling: groups of 16 along k with scale `d · sc`, where `d` is f16 and `sc` an integer
/// of 8 bits. The bits of a scale are `d` in the lower half and `sc + 128` in the upper half.
///
/// ```text
///   record   sc + 128 of row g, 8 bytes │ of g + 8 │ d, d │ 0 │ 0 │ 0
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Q6KGroups;
impl GroupScaling for Q6KGroups {
    const GROUP: Option<u32> = checked(16);
    const SCALES: &'static str = "f16 · 8 bits";
    const WORDS: usize = 8;
    #[inline(always)]
    fn scales(record: &[u32], group: usize) -> [f32; 2] {
        [0, 1]
            .map(|half| small(record, 8 * half + group, Q6K_BIAS) * f16_of(record[4], half as u32))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn scale(bits: u32) -> f32 {
        scaled_scale(bits, Q6K_BIAS as i32)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn is_scale(bits: u32) -> bool {
        bits >> 16 < 256
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn by_chance(size: f64, row: u32, group: u32) -> [u32; 2] {
        let d = f16::near(size / 64.0 * about_one(row));
        [d | (group % 256) << 16, 0]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn pack(record: &mut Vec<u8>, of: GroupBits<'_>) -> Result<(), String> {
        for half in 0..2 {
            record.extend((0..8).map(|group| (of(group, half).unwrap_or_default()[0] >> 16) as u8));
        }
        for half in 0..2 {
            let d = shared_f16(8, &|group| of(group, half).map(|bits| bits[0]))?;
            record.extend_from_slice(&d.to_le_bytes());
        }
        record.extend_from_slice(&[0; 12]);
        Ok(())
    }
}
