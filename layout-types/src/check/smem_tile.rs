//! A tile of shared memory as the tensor memory accelerator and `wgmma` see it: two modes, stages, and one of four swizzles.
//!
//! ```text
//!   Sw<3,3,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192)) of f16
//!     mode 0  (8,16):(128,1024) bytes     mode 1  64:2 bytes     stages  4:16384 bytes     128-byte swizzle
//! ```
//!
//! Law: the byte of element (i, j, stage) is `base + S(m0(i) + m1(j) + m2(stage))`, `S` the swizzle, where the base is a multiple
//! of the swizzle's period.
//!
//! Source: PTX ISA, *Shared Memory Matrix Layout*, *Swizzling Modes*; CuTe `cute/atom/mma_traits_sm90_gmma.hpp`.

use super::function::swizzle_of;
use super::sentence::sentence;
use super::text::Text;
use super::value::{Node, Value};
use crate::dynamic::rules::Flat;

/// What the hardware exclusive-ors into bits 4 to 6 of an address of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzling {
    /// Nothing.
    None,
    /// Bit 7 into bit 4.
    B32,
    /// Bits 7 and 8 into bits 4 and 5.
    B64,
    /// Bits 7 to 9 into bits 4 to 6.
    B128,
}

impl Swizzling {
    /// The bytes of a line: what is contiguous before the next row begins.
    #[must_use]
    pub const fn bytes(self) -> i64 {
        16 << self.bits()
    }

    /// After so many bytes the pattern begins again; a base is a multiple of it.
    #[must_use]
    pub const fn period(self) -> i64 {
        match self {
            Self::None => 128,
            swizzled => swizzled.bytes() * 8,
        }
    }

    /// B of CuTe's `Sw<B,4,3>` on bytes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::None => 0,
            Self::B32 => 1,
            Self::B64 => 2,
            Self::B128 => 3,
        }
    }

    /// The address that the hardware takes for `address`.
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
}

impl SmemTile {
    /// Reads a layout of elements of `bits` bits.
    pub const fn read(layout: &Value, bits: i64) -> Result<Self, Text> {
        let mut text = Text::new();
        text.say("the tile ")
            .text(&layout.notation())
            .say(" of ")
            .number(bits)
            .say("-bit elements ");
        if bits < 8 || bits > 64 || bits.count_ones() != 1 {
            return Err(*text.say("has elements that are not 1, 2, 4 or 8 bytes"));
        }
        let bytes = bits / 8;
        let swizzle = match read_swizzle(layout, bytes) {
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
                if modes[i]
                    .push(flat.shape(k), flat.stride(k) * bytes, 0)
                    .is_err()
                {
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
        Ok(Self { modes, swizzle })
    }

    /// The extent of mode 0 or 1.
    pub const fn extent(&self, mode: usize) -> i64 {
        match self.modes[mode].size() {
            Some(size) => size,
            None => 0,
        }
    }

    /// The bytes from the base to element `i` of a mode, before the swizzle.
    pub const fn at(&self, mode: usize, i: i64) -> i64 {
        self.modes[mode].at(i as i128, 0) as i64
    }
}

/// "a 128-byte swizzle begins every 1024 bytes".
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

/// The swizzle of a layout on bytes.
const fn read_swizzle(layout: &Value, bytes: i64) -> Option<Swizzling> {
    let Node::Composed = layout.root() else {
        return Some(Swizzling::None);
    };
    if layout.child(1).integer() != 0 || !matches!(layout.child(2).root(), Node::Layout) {
        return None;
    }
    let Ok(swizzle) = swizzle_of(&layout.child(0)) else {
        return None;
    };
    if swizzle.is_identity() {
        return Some(Swizzling::None);
    }
    let base = swizzle.base() + bytes.trailing_zeros();
    match (swizzle.bits(), base, swizzle.shift()) {
        (1, 4, 3) => Some(Swizzling::B32),
        (2, 4, 3) => Some(Swizzling::B64),
        (3, 4, 3) => Some(Swizzling::B128),
        _ => None,
    }
}
