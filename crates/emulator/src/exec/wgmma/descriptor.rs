//! Matrix descriptors: where the elements of A and B lie in shared memory.
//!
//! ```text
//! bit  13..0     29..16        45..32       51..49       63..62
//!      address   leading       stride       base offset  0 none, 1 128 B, 2 64 B, 3 32 B      offsets and address over 16
//! ```
//!
//! Law: the element in row `mn` and column `k` is at the address that the canonical layout of the
//! major-ness and swizzle gives it; this address is then swizzled by its own bits from 7 on, minus
//! the base offset. Source: PTX ISA, "Matrix Descriptor Format", "Strides", "Canonical Layouts".

use crate::frame::Row32;
use std::ops::Range;

/// The 18 bits of an address that a descriptor can express.
pub(crate) const ADDRESS: usize = 0x3ffff;
/// The bytes of a unit, the smallest piece of shared memory that a product reads. A row or column
/// of a core matrix is one unit.
pub(crate) const UNIT: usize = 16;

/// A descriptor's fields, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub start: usize,
    pub leading: usize,
    pub stride: usize,
    pub base_offset: usize,
    /// The width of the swizzle in bytes: 16 means no swizzle; 32, 64 or 128.
    pub width: usize,
}

impl Descriptor {
    /// Decodes the fields of a descriptor of 64 bits.
    pub fn of(bits: u64) -> Descriptor {
        let field = |from: u32| (bits >> from & 0x3fff) as usize * UNIT;
        Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base_offset: (bits >> 49 & 7) as usize,
            width: [16, 128, 64, 32][(bits >> 62) as usize],
        }
    }

    /// Decodes a descriptor as `tcgen05` defines it. Returns a description of the problem if it is
    /// invalid.
    ///
    /// Source: PTX ISA, "tcgen05: Shared memory descriptor".
    pub fn of_blackwell(bits: u64) -> Result<Descriptor, String> {
        let version = bits >> 46 & 7;
        if version != 1 {
            return Err(format!("bits 46 to 48 are {version}, not 1"));
        }
        if bits >> 52 & 0x1ff != 0 {
            return Err("bits 52 to 60 are not 0".to_owned());
        }
        let width = match bits >> 61 {
            0 => 16,
            2 => 128,
            4 => 64,
            6 => 32,
            1 => return Err("128 bytes of atoms of 32 are not emulated".to_owned()),
            other => return Err(format!("there is no swizzle {other}")),
        };
        // The fields up to bit 45 and the base offset are Hopper's.
        let hopper = bits & !(7 << 46) & !(7 << 61);
        Ok(Descriptor {
            width,
            ..Descriptor::of(hopper)
        })
    }

    /// Returns the low bits of the address of an element with `bytes` bytes, from its row (for B:
    /// its column) `mn` and its column `k`. With `transposed`, neighbours in `mn` are contiguous,
    /// otherwise neighbours in `k`.
    pub fn at(&self, mn: usize, k: usize, bytes: usize, transposed: bool) -> usize {
        let per_unit = UNIT / bytes;
        let offset = match (transposed, self.width) {
            (false, UNIT) => {
                mn % 8 * UNIT
                    + mn / 8 * self.stride
                    + k % per_unit * bytes
                    + k / per_unit * self.leading
            }
            (false, width) => mn % 8 * width + mn / 8 * self.stride + k * bytes,
            (true, UNIT) => {
                mn % per_unit * bytes
                    + mn / per_unit * self.stride
                    + k % 8 * UNIT
                    + k / 8 * self.leading
            }
            (true, width) => {
                let row = width / bytes;
                mn % row * bytes + mn / row * self.leading + k % 8 * width + k / 8 * self.stride
            }
        };
        self.swizzled(self.start + offset)
    }

    /// Returns the low bits of the addresses of the units that contain 32 bytes of k of these rows
    /// (for B: columns).
    pub fn units(
        &self,
        rows: Range<usize>,
        bytes: usize,
        transposed: bool,
    ) -> impl Iterator<Item = usize> + '_ {
        let per_unit = UNIT / bytes;
        // A unit contains neighbours in k, or with `transposed` neighbours in the other mode.
        let (of_rows, of_k) = match transposed {
            false => (1, per_unit),
            true => (per_unit, 1),
        };
        rows.step_by(of_rows).flat_map(move |mn| {
            let all = (0..2 * per_unit).step_by(of_k);
            all.map(move |k| self.at(mn, k, bytes, transposed))
        })
    }

    /// Returns the four bytes of row `mn` from element `k` on; `word` reads four bytes at an
    /// address's low bits.
    #[inline(always)]
    pub fn word(
        &self,
        word: impl Fn(usize) -> u32,
        (mn, k): (usize, usize),
        bytes: usize,
        transposed: bool,
    ) -> u32 {
        if !transposed {
            return word(self.at(mn, k, bytes, false));
        }
        let mask = u32::MAX >> (32 - 8 * bytes);
        (0..4 / bytes).fold(0, |whole, i| {
            let low = self.at(mn, k + i, bytes, true);
            let element = word(low & !3) >> (low % 4 * 8) & mask;
            whole | element << (8 * bytes * i)
        })
    }

    fn swizzled(&self, address: usize) -> usize {
        let bits = self.width / UNIT - 1;
        let row = (address >> 7).wrapping_sub(self.base_offset);
        (address ^ (row & bits) << 4) & ADDRESS
    }
}

/// Returns a register of a fragment of `mma.sync`: each lane has four bytes of k of a row. The rows
/// are the 8 from `first` on, and the bytes lie in a chunk of 16 bytes of k. `word` reads the four
/// bytes of a row from an element of k on.
#[inline(always)]
pub(crate) fn register(
    first: usize,
    chunk: usize,
    bytes: usize,
    word: impl Fn((usize, usize)) -> u32,
) -> Row32 {
    let count = 4 / bytes;
    std::array::from_fn(|lane| word((first + lane / 4, (chunk * 4 + lane % 4) * count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(start: usize, leading: usize, stride: usize, mode: u64) -> Descriptor {
        let field = |x: usize| (x as u64 & 0x3ffff) >> 4;
        Descriptor::of(field(start) | field(leading) << 16 | field(stride) << 32 | mode << 62)
    }

    #[test]
    fn fields_come_from_their_bits() {
        let bits = 0x40 | 1 << 16 | 64 << 32 | 5 << 49 | 1 << 62;
        let found = Descriptor::of(bits);
        assert_eq!((found.start, found.leading, found.stride), (1024, 16, 1024));
        assert_eq!((found.base_offset, found.width), (5, 128));
    }

    /// Checks a tile of rows of 128 bytes with `Sw<3,4,3>` on bytes, whose k steps of 32 bytes are
    /// in the start address.
    #[test]
    fn a_tile_of_128_bytes_a_row_is_read_by_its_swizzle() {
        for step in 0..4 {
            let found = encoded(2048 + 32 * step, 16, 1024, 1);
            for (row, k) in (0..64).flat_map(|row| (0..16).map(move |k| (row, k))) {
                let plain = 2048 + 128 * row + 2 * (16 * step + k);
                let wanted = plain ^ (plain >> 7 & 7) << 4;
                assert_eq!(found.at(row, k, 2, false), wanted);
            }
        }
    }

    #[test]
    fn columns_of_a_transposed_tile_are_read_by_its_swizzle() {
        // 128 columns in two atoms of 64, each 16 rows of k of 128 bytes.
        let found = encoded(4096, 8192, 1024, 1);
        for (mn, k) in (0..128).flat_map(|mn| (0..16).map(move |k| (mn, k))) {
            let plain = 4096 + mn / 64 * 8192 + 128 * k + 2 * (mn % 64);
            assert_eq!(found.at(mn, k, 2, true), plain ^ (plain >> 7 & 7) << 4);
        }
    }

    /// Checks that a core matrix is one wavefront: its 8 rows of 16 bytes lie in the 8 groups of
    /// four banks.
    #[test]
    fn core_matrices_have_no_bank_conflicts() {
        let mut seed = 7u64;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..20_000 {
            // The start, the offsets and the base offset are random values that a descriptor can
            // express.
            let descriptor = Descriptor::of(
                random(1 << 14)
                    | random(1 << 14) << 16
                    | random(1 << 14) << 32
                    | random(8) << 49
                    | random(4) << 62,
            );
            let bytes = 1 << random(3);
            let transposed = bytes == 2 && random(2) == 1;
            let per_unit = UNIT / bytes;
            let (outer, inner) = (random(8) as usize, random(2) as usize);
            // K-major: 8 rows of one unit of k; MN-major: 8 columns of k, of one unit of rows.
            let units = (0..8).map(|i| match transposed {
                false => descriptor.at(8 * outer + i, inner * per_unit, bytes, false),
                true => descriptor.at(outer * per_unit, 8 * inner + i, bytes, true),
            });
            let groups = units.fold(0u32, |groups, low| groups | 1 << (low / UNIT % 8));
            assert_eq!(groups, 0xff, "{descriptor:?}");
        }
    }

    #[test]
    fn unswizzled_units_lie_at_their_strides() {
        let found = encoded(1024, 128, 256, 0);
        // tf32: ((8,m),(4,2)):((4,SBO),(1,LBO)) in elements.
        assert_eq!(found.at(9, 5, 4, false), 1024 + 16 + 256 + 4 + 128);
        // bf16: ((8,1,m),(8,k)):((1,8,SBO),(8,LBO)).
        assert_eq!(found.at(9, 11, 2, true), 1024 + 2 + 256 + 48 + 128);
    }
}
