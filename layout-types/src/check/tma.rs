//! The box that the tensor memory accelerator copies, derived from the tile of shared memory that
//! it fills.
//!
//! ```text
//!   tile  Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)) of f16, (M, K)
//!     contiguous: 64 of K, 128 bytes; then 128 of M, 128 bytes each     box (64, 128), inner first, 128-byte swizzle
//!     and then the other half of K: two boxes, the second 16384 bytes after the first
//! ```
//!
//! Law: the elements of a box are contiguous in shared memory, its inner dimension first, and are
//! then swizzled by their address. The boxes of a tile, each at its start, put every element at its
//! place in the tile. This is checked for every row and every column; the offsets of a layout's
//! modes add up, so it holds for every element.
//!
//! Source: PTX ISA, *Tensors: Tiled Mode, Swizzling Modes*; CUDA driver API,
//! `cuTensorMapEncodeTiled`; CuTe `cute/atom/copy_traits_sm90_tma.hpp`, where the same comes from
//! `right_inverse` of the tile composed with the CTA's part.

use super::gmma::{SmemTile, Swizzling};
use super::text::Text;
use super::value::Value;

/// The largest number of elements of a box along a dimension.
pub const MAX_BOX: i64 = 256;

/// The boxes that copy a tile of two modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TmaBox {
    /// The mode of the tile that is contiguous, 0 or 1: the tensor map's first dimension.
    pub inner: usize,
    /// The number of elements of a box along mode 0 and along mode 1.
    pub extents: [u32; 2],
    /// The number of boxes of the tile along mode 0 and along mode 1.
    pub boxes: [u32; 2],
    /// The number of bytes of a box.
    pub bytes: u32,
    /// The swizzle.
    pub swizzle: Swizzling,
}

impl TmaBox {
    /// Derives the box from a tile of two modes, or of two modes and stages, with elements of
    /// `bits` bits.
    ///
    /// # Errors
    /// Returns the sentence that says why no box fills the tile.
    ///
    /// ```
    /// use layout_types::atom::gmma::LayoutKSw128Atom;
    /// use layout_types::check::{Reflect, Swizzling, TmaBox};
    /// use layout_types::prelude::*;
    /// type A = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,128,4))>;
    /// let tma = TmaBox::derive(&A::VALUE, 16).ok().unwrap();
    /// assert_eq!((tma.inner, tma.extents, tma.boxes), (1, [128, 64], [1, 2]));
    /// assert_eq!((tma.bytes, tma.swizzle), (16384, Swizzling::B128));
    /// assert_eq!(tma.tile_bytes(), 32768);
    /// ```
    pub const fn derive(layout: &Value, bits: i64) -> Result<Self, Text> {
        let tile = match SmemTile::read(layout, bits) {
            Ok(tile) => tile,
            Err(text) => return Err(text),
        };
        let bytes = bits / 8;
        let mut text = Text::new();
        text.say("no box of the tensor memory accelerator fills the tile ");
        text.text(&layout.notation())
            .say(" of ")
            .number(bits)
            .say("-bit elements: ");
        let inner = if tile.extent(0) > 1 && tile.at(0, 1) == bytes {
            0
        } else if tile.extent(1) > 1 && tile.at(1, 1) == bytes {
            1
        } else {
            return Err(*text.say("neither mode has neighbours in neighbouring bytes"));
        };
        let outer = 1 - inner;
        let across = run(&tile, inner, bytes);
        let line = across * bytes;
        let down = run(&tile, outer, line);
        let swizzled = !matches!(tile.swizzle, Swizzling::None);
        if swizzled && line != tile.swizzle.bytes() {
            text.say("its contiguous runs have ")
                .number(line)
                .say(" bytes, and a ");
            return Err(*text
                .number(tile.swizzle.bytes())
                .say("-byte swizzle lines of as many"));
        }
        if line % 16 != 0 {
            return Err(*text
                .say("its contiguous runs have ")
                .number(line)
                .say(" bytes, no multiple of 16"));
        }
        if across > MAX_BOX || down > MAX_BOX {
            text.say("the box would be ")
                .number(across)
                .say(" by ")
                .number(down);
            return Err(*text.say(" elements, and has at most 256 along each dimension"));
        }
        let extents = if inner == 0 {
            [across, down]
        } else {
            [down, across]
        };
        let steps = if inner == 0 {
            [bytes, line]
        } else {
            [line, bytes]
        };
        let mut boxes = [1; 2];
        let mut mode = 0;
        while mode < 2 {
            let (extent, whole) = (extents[mode], tile.extent(mode));
            let mut i = 0;
            while i < whole {
                let start = tile.at(mode, i - i % extent);
                if tile.at(mode, i) != start + i % extent * steps[mode] {
                    text.say("element ").number(i).say(" of mode ").count(mode);
                    return Err(*text.say(" lies elsewhere than in a box like the first"));
                }
                if i % extent == 0 && start % tile.swizzle.period() != 0 {
                    text.say("a box begins ")
                        .number(start)
                        .say(" bytes behind the first, no multiple of ");
                    return Err(*text.number(tile.swizzle.period()));
                }
                i += 1;
            }
            boxes[mode] = (whole / extent) as u32;
            mode += 1;
        }
        Ok(Self {
            inner,
            extents: [extents[0] as u32, extents[1] as u32],
            boxes,
            bytes: (across * down * bytes) as u32,
            swizzle: tile.swizzle,
        })
    }

    /// Returns the number of bytes of all boxes, which a barrier expects for the tile.
    #[must_use]
    pub const fn tile_bytes(&self) -> u32 {
        self.bytes * self.boxes[0] * self.boxes[1]
    }

    /// Checks that a barrier that expects `bytes` waits for all boxes of the tile and for nothing
    /// else.
    ///
    /// # Errors
    /// Returns the sentence that names both numbers of bytes.
    pub const fn expects(&self, bytes: u32) -> Result<(), Text> {
        if bytes == self.tile_bytes() {
            return Ok(());
        }
        let mut text = Text::new();
        text.say("a barrier that expects ").number(bytes as i64);
        text.say(" bytes of a tile whose boxes bring ");
        Err(*text.number(self.tile_bytes() as i64))
    }
}

/// Returns the number of elements of a mode, a divisor of its extent, that lie `step` bytes apart,
/// beginning with the first element.
const fn run(tile: &SmemTile, mode: usize, step: i64) -> i64 {
    let whole = tile.extent(mode);
    let mut count = 1;
    while count < whole && tile.at(mode, count) == count * step {
        count += 1;
    }
    while whole % count != 0 {
        count -= 1;
    }
    count
}

/// Checks that the strides of a global tensor that are known at compile time are valid for a tensor
/// map: one is 1, and the others are multiples of 16 bytes.
///
/// # Errors
/// Returns the sentence that names the stride.
///
/// ```
/// use layout_types::{check::{Reflect, tma_strides}, prelude::*};
/// assert!(tma_strides(&<layout!((100,64):(64,1))>::VALUE, 16).is_ok());
/// let refused = tma_strides(&<layout!((100,60):(60,1))>::VALUE, 16).unwrap_err();
/// assert!(refused.as_str().ends_with("stride 60 is 120 bytes, no multiple of 16"));
/// ```
pub const fn tma_strides(layout: &Value, bits: i64) -> Result<(), Text> {
    let mut text = Text::new();
    text.say("no tensor map describes ")
        .text(&layout.notation());
    text.say(" of ").number(bits).say("-bit elements: ");
    let flat = match layout.flat() {
        Ok(flat) => flat,
        Err(rule) => return Err(*text.text(&super::sentence(&rule))),
    };
    let (mut i, mut ones) = (0, 0);
    while i < flat.len() {
        let stride = flat.stride(i);
        if stride == 1 {
            ones += 1;
        } else if flat.shape(i) > 1 && (stride <= 0 || stride * bits % 128 != 0) {
            text.say("stride ")
                .number(stride)
                .say(" is ")
                .number(stride * bits / 8);
            return Err(*text.say(" bytes, no multiple of 16"));
        }
        i += 1;
    }
    if ones != 1 {
        return Err(*text.count(ones).say(" of its strides are 1: it needs one"));
    }
    Ok(())
}
