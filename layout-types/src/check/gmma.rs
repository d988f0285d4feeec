//! A tile of shared memory in the form that `wgmma`, `tcgen05.mma` and TMA use, and the descriptor
//! with which the first two read an operand from it.
//!
//! ```text
//! tile (64,64,stages), 128-byte swizzle   ─►   SmemTile   ─►   GmmaLayout: start, leading and stride offsets
//!                                                         ─►   UmmaLayout: the same for Blackwell
//! ```

use super::chooser::swizzle_of;
use super::text::{Text, sentence};
use super::value::{Node, Value};
use crate::dynamic::rules::Flat;

// -- The tile -------------------------------------------------------------------------------------
//
// A tile of shared memory in the form that the tensor memory accelerator and `wgmma` use: two
// modes, stages, and one of four swizzles.
//
// ```text
//   Sw<3,3,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192)) of f16
//     mode 0  (8,16):(128,1024) bytes     mode 1  64:2 bytes     stages  4:16384 bytes     128-byte swizzle
// ```
//
// Law: the byte of element (i, j, stage) is `base + S(m0(i) + m1(j) + m2(stage))`, where `S` is the
// swizzle and the base is a multiple of the swizzle's period.
//
// Source: PTX ISA, *Shared Memory Matrix Layout*, *Swizzling Modes*; CuTe
// `cute/atom/mma_traits_sm90_gmma.hpp`.

/// The bits that the hardware exclusive-ors into bits 4 to 6 of an address of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzling {
    /// No bit.
    None,
    /// Bit 7 into bit 4.
    B32,
    /// Bits 7 and 8 into bits 4 and 5.
    B64,
    /// Bits 7 to 9 into bits 4 to 6.
    B128,
}

impl Swizzling {
    /// Returns the number of bytes in a line of the swizzle. A line is contiguous, and the next row
    /// begins after it.
    #[must_use]
    pub const fn bytes(self) -> i64 {
        16 << self.bits()
    }

    /// Returns the number of bytes after which the pattern repeats. A tile's base address is a
    /// multiple of this period.
    #[must_use]
    pub const fn period(self) -> i64 {
        match self {
            Self::None => 128,
            swizzled => swizzled.bytes() * 8,
        }
    }

    /// Returns B of CuTe's `Sw<B,4,3>` on bytes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::None => 0,
            Self::B32 => 1,
            Self::B64 => 2,
            Self::B128 => 3,
        }
    }

    /// Returns the address that the hardware accesses for `address`.
    #[must_use]
    pub const fn apply(self, address: u32) -> u32 {
        let mask = (1 << self.bits()) - 1;
        address ^ ((address >> 7 & mask) << 4)
    }
}

/// A tile's modes in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmemTile {
    /// Mode 0, mode 1 and the stages, their strides in bytes.
    pub modes: [Flat; 3],
    /// The swizzle.
    pub swizzle: Swizzling,
    /// Whether the swizzle permutes units of 32 bytes instead of 16.
    wide: bool,
}

/// The instruction that reads an operand.
#[derive(Clone, Copy)]
enum Reader {
    /// `wgmma`, and TMA.
    Hopper,
    /// `tcgen05.mma`: also permits packed floats of 4 bits, and a swizzle of 32-byte units.
    Blackwell,
}

impl SmemTile {
    /// Reads a layout of elements of `bits` bits.
    pub const fn read(layout: &Value, bits: i64) -> Result<Self, Text> {
        Self::read_for(layout, bits, Reader::Hopper)
    }

    /// Reads a layout of elements of `bits` bits; two elements of 4 bits share a byte.
    const fn read_for(layout: &Value, bits: i64, reader: Reader) -> Result<Self, Text> {
        let blackwell = matches!(reader, Reader::Blackwell);
        let mut text = Text::new();
        text.say("the tile ")
            .text(&layout.notation())
            .say(" of ")
            .number(bits)
            .say("-bit elements ");
        let packed = blackwell && bits == 4;
        if !packed && (bits < 8 || bits > 64 || bits.count_ones() != 1) {
            return Err(*text.say("has elements that are not 1, 2, 4 or 8 bytes"));
        }
        let (swizzle, wide) = match read_swizzle(layout, bits, blackwell) {
            Some(swizzle) => swizzle,
            None => {
                return Err(*text.say(
                    "has a swizzle that the hardware does not: on bytes it is none, Sw<1,4,3>, Sw<2,4,3> or Sw<3,4,3>, with \
                     offset 0",
                ));
            }
        };
        let rank = layout.rank();
        if rank != 2 && rank != 3 {
            return Err(*text
                .say("has ")
                .count(rank)
                .say(" modes: it needs 2, or 3 with stages"));
        }
        let mut modes = [Flat::new(); 3];
        let mut i = 0;
        while i < rank {
            let flat = match layout.domain().mode(i).flat() {
                Ok(flat) => flat.coalesce(false),
                Err(rule) => return Err(*text.say("is refused: ").text(&sentence(&rule))),
            };
            let mut k = 0;
            while k < flat.len() {
                if flat.basis(k) != 0 || flat.stride(k) < 0 {
                    return Err(*text.say("has a stride that is no number of elements"));
                }
                // Two neighbouring elements of 4 bits count as one place.
                let (shape, stride) = match (packed, flat.stride(k)) {
                    (true, 1) if flat.shape(k) % 2 == 0 => (flat.shape(k) / 2, 1),
                    (true, stride) if stride % 2 != 0 => {
                        return Err(
                            *text.say("has elements of 4 bits that share no byte with a neighbour")
                        );
                    }
                    (_, stride) => (flat.shape(k), stride * bits / 8),
                };
                if modes[i].push(shape, stride, 0).is_err() {
                    return Err(*text.say("has too many modes"));
                }
                k += 1;
            }
            i += 1;
        }
        let mut k = 0;
        while k < modes[2].len() {
            let stride = modes[2].stride(k);
            if modes[2].shape(k) > 1 && stride % swizzle.period() != 0 {
                text.say("has stages ").number(stride).say(" bytes apart: ");
                say_period(&mut text, swizzle);
                return Err(text);
            }
            k += 1;
        }
        Ok(Self {
            modes,
            swizzle,
            wide,
        })
    }

    /// Returns the extent of mode 0 or 1.
    pub const fn extent(&self, mode: usize) -> i64 {
        match self.modes[mode].size() {
            Some(size) => size,
            None => 0,
        }
    }

    /// Returns the number of bytes from the base to element `i` of a mode, before the swizzle.
    pub const fn at(&self, mode: usize, i: i64) -> i64 {
        self.modes[mode].at(i as i128, 0) as i64
    }
}

/// Appends "a 128-byte swizzle begins every 1024 bytes" to `text`, with the numbers of `swizzle`.
const fn say_period(text: &mut Text, swizzle: Swizzling) {
    match swizzle {
        Swizzling::None => text.say("a box begins every 128 bytes"),
        swizzled => text
            .say("a ")
            .number(swizzled.bytes())
            .say("-byte swizzle begins every ")
            .number(swizzled.period())
            .say(" bytes"),
    };
}

/// Returns the swizzle, on bytes, of a layout of elements of `bits` bits, and whether the swizzle
/// permutes units of 32 bytes, which only Blackwell permits.
const fn read_swizzle(layout: &Value, bits: i64, blackwell: bool) -> Option<(Swizzling, bool)> {
    let Node::Composed = layout.root() else {
        return Some((Swizzling::None, false));
    };
    if layout.child(1).integer() != 0 || !matches!(layout.child(2).root(), Node::Layout) {
        return None;
    }
    let Ok(swizzle) = swizzle_of(&layout.child(0)) else {
        return None;
    };
    if swizzle.is_identity() {
        return Some((Swizzling::None, false));
    }
    // The base counts bits; a byte has 2^3 of them.
    let base = swizzle.base() + bits.trailing_zeros();
    match (swizzle.bits(), base, swizzle.shift()) {
        (1, 7, 3) => Some((Swizzling::B32, false)),
        (2, 7, 3) => Some((Swizzling::B64, false)),
        (3, 7, 3) => Some((Swizzling::B128, false)),
        (2, 8, 2) if blackwell => Some((Swizzling::B128, true)),
        _ => None,
    }
}

// -- The descriptor -------------------------------------------------------------------------------
//
// The descriptor with which `wgmma` reads an operand, derived from the operand's tile.
//
// ```text
//   tile  Sw<3,3,3> o 0 o ((8,16),64):((64,512),1) of f16, K-major        one instruction reads (64,16) of it
//     128-byte swizzle, SBO 1024: eight rows further        start + 32 a step along K, + 8192 for rows 64 to 127
// ```
//
// Law: with the fields and the start of block (i, j), PTX's canonical layout assigns every element
// the same byte as the tile: `start(i, j) + C(m, k) = tile(i M + m, j K + k)` before the swizzle,
// which is the same function of the address on both sides. This is checked for every row and every
// column of the tile; the modes of a layout add up, so it holds for every element.
//
// Source: PTX ISA, *Asynchronous Warpgroup Level Matrix Instructions: Shared Memory Matrix Layout,
// Strides, Matrix Descriptor Format*; CuTe `cute/atom/mma_traits_sm90_gmma.hpp`, the canonical
// layouts before `make_gmma_desc`.

/// The fields of a descriptor that do not depend on the tile's address, and the arrangement of an
/// instruction's operands in the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GmmaLayout {
    /// The swizzle.
    pub swizzle: Swizzling,
    /// The leading byte offset; 16 if the instruction does not use it, as in CuTe.
    pub leading: u32,
    /// The stride byte offset.
    pub stride: u32,
    /// The number of an instruction's operands in the tile along M or N, and along K.
    pub blocks: (u32, u32),
}

impl GmmaLayout {
    /// Derives the fields from a tile (M or N, K) or (M or N, K, stages) of elements of `bits`
    /// bits, for an instruction that reads `rows` rows and 256 bits along K.
    ///
    /// # Errors
    /// Returns the sentence that names the element which PTX's canonical layout places elsewhere.
    ///
    /// ```
    /// use layout_types::atom::gmma::{LayoutKSw128Atom, LayoutMnSw128Atom};
    /// use layout_types::check::{GmmaLayout, Reflect, Swizzling};
    /// use layout_types::prelude::*;
    /// type A = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>;
    /// let layout = GmmaLayout::derive(&A::VALUE, 16, true, 64).ok().unwrap();
    /// assert_eq!((layout.swizzle, layout.leading, layout.stride), (Swizzling::B128, 16, 1024));
    /// assert_eq!(layout.blocks, (2, 4));
    /// // The same tile is no operand with M contiguous.
    /// assert!(GmmaLayout::derive(&A::VALUE, 16, false, 64).is_err());
    /// ```
    pub const fn derive(layout: &Value, bits: i64, k_major: bool, rows: i64) -> Result<Self, Text> {
        match Self::derive_for(layout, bits, k_major, rows, Reader::Hopper) {
            Ok((layout, _)) => Ok(layout),
            Err(text) => Err(text),
        }
    }

    /// Derives the fields like [`derive`](Self::derive), for an instruction of `reader`. Also
    /// returns whether the swizzle permutes units of 32 bytes.
    const fn derive_for(
        layout: &Value,
        bits: i64,
        k_major: bool,
        rows: i64,
        reader: Reader,
    ) -> Result<(Self, bool), Text> {
        let tile = match SmemTile::read_for(layout, bits, reader) {
            Ok(tile) => tile,
            Err(text) => return Err(text),
        };
        // Elements of 4 bits are counted in pairs, as bytes.
        let (bytes, packed) = if bits < 8 {
            (1, 8 / bits)
        } else {
            (bits / 8, 1)
        };
        // The number of elements in 16 bytes, and the number that one instruction reads along K.
        let (unit, columns) = (16 / bytes, 32 / bytes);
        let mut text = Text::new();
        text.say("the tile ").text(&layout.notation()).say(" of ");
        text.number(bits).say("-bit elements is no ");
        text.say(if k_major { "K" } else { "MN" });
        text.say(match reader {
            Reader::Hopper => "-major operand of `wgmma` with ",
            Reader::Blackwell => "-major operand of `tcgen05.mma` with ",
        });
        text.number(rows);
        text.say(" rows and ")
            .number(columns * packed)
            .say(" columns: ");
        let (m, k) = (tile.extent(0), tile.extent(1));
        if m % rows != 0 || k % columns != 0 {
            text.say("it has ").number(m).say(" rows and ");
            return Err(*text.number(k * packed).say(" columns"));
        }
        let wants_wide = matches!(reader, Reader::Blackwell) && !k_major && bits == 32;
        if tile.wide != wants_wide {
            return Err(*text.say(
                "of elements of 32 bits M or N is contiguous in the 128-byte swizzle of 32-byte units, and of no others",
            ));
        }
        let width = tile.swizzle.bytes() / 16;
        if !k_major && rows % (unit * width) != 0 {
            text.say("a line of the swizzle holds ")
                .number(unit * width);
            return Err(*text.say(" rows, and an operand whole lines"));
        }
        // The canonical layout applies its two offsets at these distances. K-major: rows 8 apart
        // and columns 16 bytes apart. MN-major: rows a line of the swizzle apart and columns 8
        // apart, or 4 with units of 32 bytes.
        let (far_row, far_column) = if k_major {
            (8, unit)
        } else {
            (unit * width, if tile.wide { 4 } else { 8 })
        };
        let row_offset = if rows > far_row {
            tile.at(0, far_row)
        } else {
            0
        };
        let column_offset = if columns > far_column {
            tile.at(1, far_column)
        } else {
            0
        };
        let canonical = Canonical {
            k_major,
            unit,
            width,
            bytes,
            lines: far_column,
            row_offset,
            column_offset,
        };
        if let Err(text) = canonical.holds(&tile, 0, rows, 1, text) {
            return Err(text);
        }
        if let Err(text) = canonical.holds(&tile, 1, columns, packed, text) {
            return Err(text);
        }
        // In PTX's terms, major and swizzle determine which offset is the leading one.
        let (leading, stride) = match (k_major, tile.swizzle) {
            (true, Swizzling::None) => (column_offset, row_offset),
            (true, _) => (16, row_offset),
            (false, Swizzling::None) => (column_offset, row_offset),
            (false, _) => (row_offset, column_offset),
        };
        if leading % 16 != 0 || stride % 16 != 0 || leading >> 18 != 0 || stride >> 18 != 0 {
            text.say("the byte offsets ")
                .number(leading)
                .say(" and ")
                .number(stride);
            return Err(*text.say(" are not multiples of 16 below 262144"));
        }
        let (mut block, last) = (0, m / rows * (k / columns));
        while block < last {
            let (i, j) = (block % (m / rows) * rows, block / (m / rows) * columns);
            let start = tile.at(0, i) + tile.at(1, j);
            if start % 16 != 0 {
                text.say("row ")
                    .number(i)
                    .say(", column ")
                    .number(j * packed);
                return Err(*text
                    .say(" begins ")
                    .number(start)
                    .say(" bytes from the base, no multiple of 16"));
            }
            block += 1;
        }
        let fields = Self {
            swizzle: tile.swizzle,
            leading: leading as u32,
            stride: stride as u32,
            blocks: ((m / rows) as u32, (k / columns) as u32),
        };
        Ok((fields, tile.wide))
    }

    /// Returns the bits of the start address and of both offsets. Hopper's and Blackwell's
    /// descriptors have these fields at the same bits.
    const fn offsets(&self, address: u32) -> u64 {
        let fields = ((self.leading >> 4) as u64) << 16 | ((self.stride >> 4) as u64) << 32;
        fields | ((address & 0x3_ffff) >> 4) as u64
    }

    /// Returns the 64-bit descriptor of an operand whose first element, before the swizzle, is at
    /// `address` in the block's shared window: start address in bits 13 to 0, leading byte offset
    /// in bits 29 to 16, stride byte offset in bits 45 to 32, swizzle in bits 63 and 62. Each
    /// address and offset is stored without its four lowest bits.
    #[inline(always)]
    #[must_use]
    pub const fn descriptor(&self, address: u32) -> u64 {
        let swizzle = match self.swizzle {
            Swizzling::None => 0u64,
            Swizzling::B128 => 1,
            Swizzling::B64 => 2,
            Swizzling::B32 => 3,
        };
        self.offsets(address) | swizzle << 62
    }
}

/// The fields of a descriptor with which `tcgen05.mma` reads an operand. They are those of
/// [`GmmaLayout`], since the canonical layouts are Hopper's, and one more swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UmmaLayout {
    /// The offsets, the blocks and the lines of the swizzle.
    pub fields: GmmaLayout,
    /// Whether the swizzle permutes units of 32 bytes instead of 16.
    pub units_of_32: bool,
}

impl UmmaLayout {
    /// Derives the fields like [`GmmaLayout::derive`], for an instruction of `tcgen05.mma`.
    /// Elements may be packed floats of 4 bits if K-major. MN-major elements of 32 bits must have
    /// the swizzle of 32-byte units (CUTLASS's `Layout_MN_SW128_32B_Atom`).
    ///
    /// # Errors
    /// Returns the sentence that names the element which PTX's canonical layout places elsewhere.
    ///
    /// ```
    /// use layout_types::atom::gmma::LayoutKSw128Atom;
    /// use layout_types::{atom::element::FloatE2M1, check::{Reflect, UmmaLayout}, prelude::*};
    /// type A = TileToShape<LayoutKSw128Atom<FloatE2M1>, shape!((128,256))>;
    /// let layout = UmmaLayout::derive(&A::VALUE, 4, true, 128).ok().unwrap();
    /// assert_eq!((layout.fields.stride, layout.fields.blocks), (1024, (1, 4)));
    /// ```
    pub const fn derive(layout: &Value, bits: i64, k_major: bool, rows: i64) -> Result<Self, Text> {
        match GmmaLayout::derive_for(layout, bits, k_major, rows, Reader::Blackwell) {
            Ok((fields, units_of_32)) => Ok(Self {
                fields,
                units_of_32,
            }),
            Err(text) => Err(text),
        }
    }

    /// Returns the 64-bit descriptor of an operand at `address`, like [`GmmaLayout::descriptor`],
    /// but with version 1 in bits 48 to 46 and the swizzle in bits 63 to 61.
    #[inline(always)]
    #[must_use]
    pub const fn descriptor(&self, address: u32) -> u64 {
        let swizzle = match (self.fields.swizzle, self.units_of_32) {
            (Swizzling::None, _) => 0u64,
            (Swizzling::B128, true) => 1,
            (Swizzling::B128, false) => 2,
            (Swizzling::B64, _) => 4,
            (Swizzling::B32, _) => 6,
        };
        self.fields.offsets(address) | 1 << 46 | swizzle << 61
    }
}

/// PTX's canonical layout of one operand, in bytes. An element's offset is the sum of its row's
/// offset and its column's offset.
struct Canonical {
    k_major: bool,
    /// The number of elements in 16 bytes.
    unit: i64,
    /// The number of units of 16 bytes in a line of the swizzle.
    width: i64,
    bytes: i64,
    /// If MN-major, the number of lines of the swizzle before the column offset.
    lines: i64,
    row_offset: i64,
    column_offset: i64,
}

impl Canonical {
    /// Returns the offset of a row: K-major `(8,m):(16 width, row offset)`; MN-major
    /// `(unit, width, m):(element, 16, row offset)`.
    const fn row(&self, i: i64) -> i64 {
        if self.k_major {
            i % 8 * 16 * self.width + i / 8 * self.row_offset
        } else {
            let line = self.unit * self.width;
            i % line * self.bytes + i / line * self.row_offset
        }
    }

    /// Returns the offset of a column: K-major `(unit,2):(element, 16 or the column offset)`;
    /// MN-major `(lines,k):(16 width, column offset)` with 8 lines, or 4 with units of 32 bytes.
    const fn column(&self, j: i64) -> i64 {
        if !self.k_major {
            return j % self.lines * 16 * self.width + j / self.lines * self.column_offset;
        }
        let next = if self.width == 1 {
            self.column_offset
        } else {
            16
        };
        j % self.unit * self.bytes + j / self.unit * next
    }

    /// Checks that each block of `of_block` rows (if `along` is 0) or columns (if `along` is 1) of
    /// the tile lies as in the canonical layout. `said` is the beginning of the refusal. The
    /// refusal counts `packed` elements per row or column.
    const fn holds(
        &self,
        tile: &SmemTile,
        along: usize,
        of_block: i64,
        packed: i64,
        mut said: Text,
    ) -> Result<(), Text> {
        let name = if along == 0 { "row " } else { "column " };
        let mut i = 0;
        while i < tile.extent(along) {
            let first = i - i % of_block;
            let found = tile.at(along, i) - tile.at(along, first);
            let wanted = if along == 0 {
                self.row(i % of_block)
            } else {
                self.column(i % of_block)
            };
            if found != wanted {
                said.say(name)
                    .number(i * packed)
                    .say(" lies ")
                    .number(found);
                said.say(" bytes behind ").say(name).number(first * packed);
                return Err(*said.say(", where PTX's layout has ").number(wanted));
            }
            i += 1;
        }
        Ok(())
    }
}
