//! Evaluates a layout as a function in constants, and chooses a swizzle by evaluating it.
//!
//! ```text
//! Function::at(i)   ─►   offsets of all lanes, for each swizzle   ─►   the one with the fewest conflicts
//! ```

use super::lanes::{Lanes, shared};
use super::text::{Text, sentence};
use super::value::{Node, Value};
use crate::dynamic::rules;
use crate::dynamic::rules::{AccessShape, Flat, MAX_MODES, Rule, Swizzle};

// -- The function ---------------------------------------------------------------------------------
//
// A layout as a function that is cheap enough to be called for every element of a tile while a
// constant is evaluated.
//
// ```text
//   Sw<2,3,3> o 0 o (8,32):(32,1)      13  ->  (5,1)  ->  161  ->  swizzled  ->  offset in memory
// ```
//
// Law: [`Function::at`] equals the type's `index` for every coordinate below the size. rustc counts
// loops and calls in a constant and stops at two million; a call takes one loop per mode of the
// layout.

/// The largest number of swizzles that are applied one after another.
const MAX_SWIZZLES: usize = 4;

/// A layout, ready to be evaluated.
#[derive(Clone, Copy)]
pub struct Function {
    len: usize,
    shape: [i64; MAX_MODES],
    stride: [i64; MAX_MODES],
    swizzles: usize,
    /// For each swizzle, innermost first: the number added before it, its mask and its shift.
    swizzle: [(i64, i64, i32); MAX_SWIZZLES],
    /// A power of two above every bit that some swizzle reads or changes.
    period: i64,
}

impl Function {
    /// Converts a layout to its function.
    ///
    /// # Errors
    /// Returns the errors of [`Value::flat`]; [`Rule::BasisStride`]; [`Rule::Congruence`] if the
    /// value is not a layout; [`Rule::TooManyModes`] for too many swizzles; or the errors of
    /// [`Swizzle::new`].
    pub const fn new(value: &Value) -> Result<Self, Rule> {
        if !value.is_layout() {
            return Err(Rule::Congruence);
        }
        let flat = match value.flat() {
            Ok(flat) => flat,
            Err(rule) => return Err(rule),
        };
        let (mut shape, mut stride) = ([1; MAX_MODES], [0; MAX_MODES]);
        let mut i = 0;
        while i < flat.len() {
            if flat.basis(i) != 0 {
                return Err(Rule::BasisStride);
            }
            shape[i] = flat.shape(i);
            stride[i] = flat.stride(i);
            i += 1;
        }
        let mut out = Self {
            len: flat.len(),
            shape,
            stride,
            swizzles: 0,
            swizzle: [(0, 0, 0); MAX_SWIZZLES],
            period: 1,
        };
        let mut layer = *value;
        while let Node::Composed = layer.root() {
            if out.swizzles == MAX_SWIZZLES {
                return Err(Rule::TooManyModes { most: MAX_SWIZZLES });
            }
            let swizzle = match swizzle_of(&layer.child(0)) {
                Ok(swizzle) => swizzle,
                Err(rule) => return Err(rule),
            };
            // The outermost swizzle comes first: shift the others to make room.
            let mut k = out.swizzles;
            while k > 0 {
                out.swizzle[k] = out.swizzle[k - 1];
                k -= 1;
            }
            out.swizzle[0] = (
                layer.child(1).integer(),
                swizzle.yyy_mask(),
                swizzle.shift(),
            );
            out.swizzles += 1;
            let end = 1 << (swizzle.base() + swizzle.bits() + swizzle.shift().unsigned_abs());
            if !swizzle.is_identity() && end > out.period {
                out.period = end;
            }
            layer = layer.child(2);
        }
        Ok(out)
    }

    /// Returns the offset of the linear coordinate `i`.
    pub const fn at(&self, i: i64) -> i64 {
        let (mut rest, mut offset, mut k) = (i, 0, 0);
        while k < self.len {
            offset += rest % self.shape[k] * self.stride[k];
            rest /= self.shape[k];
            k += 1;
        }
        self.swizzled(offset)
    }

    /// Whether the offset is a sum of non-negative terms, one per mode: there is no swizzle and no
    /// negative stride.
    pub(super) const fn adds_up(&self) -> bool {
        let mut k = 0;
        while k < self.len {
            if self.stride[k] < 0 {
                return false;
            }
            k += 1;
        }
        self.swizzles == 0
    }

    /// Applies the swizzles to an offset.
    pub(super) const fn swizzled(&self, offset: i64) -> i64 {
        let (mut offset, mut k) = (offset, 0);
        while k < self.swizzles {
            let (added, mask, shift) = self.swizzle[k];
            offset += added;
            let read = offset & mask;
            offset ^= if shift >= 0 {
                read >> shift
            } else {
                read << -shift
            };
            k += 1;
        }
        offset
    }

    /// Whether the offset of `i ^ j` is the offset of `i` exclusive-ored with the offset of `j`,
    /// for all `i` and `j`. This holds if shapes and strides are powers of two, no two modes reach
    /// the same bit, and nothing is added before a swizzle.
    pub(super) const fn is_linear(&self) -> bool {
        self.adds_nothing() && self.linear_bits().is_some()
    }

    /// Whether nothing is added before a swizzle: a swizzle by itself is linear over exclusive or.
    pub(super) const fn adds_nothing(&self) -> bool {
        let mut k = 0;
        while k < self.swizzles {
            if self.swizzle[k].0 != 0 {
                return false;
            }
            k += 1;
        }
        true
    }

    /// Returns the bits that the modes reach, or `None` if a shape or a stride is not a power of
    /// two or two modes reach the same bit.
    pub(super) const fn linear_bits(&self) -> Option<i64> {
        let (mut taken, mut k) = (0i64, 0);
        while k < self.len {
            let (shape, stride) = (self.shape[k], self.stride[k]);
            if shape > 1 && stride != 0 {
                let bits = (shape - 1).saturating_mul(stride);
                if stride < 1 || stride.count_ones() != 1 || bits & taken != 0 {
                    return None;
                }
                taken |= bits;
            }
            if shape.count_ones() != 1 {
                return None;
            }
            k += 1;
        }
        Some(taken)
    }

    /// Returns the period: adding a multiple of it to the offset before the swizzles adds the same
    /// multiple to the result.
    pub(super) const fn period(&self) -> i64 {
        self.period
    }
}

/// Converts a node to a swizzle.
///
/// # Errors
/// Returns the errors of [`Swizzle::new`].
pub(super) const fn swizzle_of(value: &Value) -> Result<Swizzle, Rule> {
    match value.root() {
        Node::Swizzle { bits: 0, .. } => Ok(Swizzle::IDENTITY),
        Node::Swizzle { bits, base, shift } => Swizzle::new(bits as u32, base as u32, shift as i32),
        _ => Err(Rule::Congruence),
    }
}

/// Walks over the offsets of a layout in the order of its coordinates; a step takes one or two
/// additions.
pub(super) struct Walk {
    flat: Flat,
    digit: [i64; MAX_MODES],
    /// The offset at the walk's current coordinate.
    pub(super) offset: i64,
}

impl Walk {
    /// Creates a walk that starts at coordinate 0.
    pub(super) const fn new(flat: &Flat) -> Self {
        Self {
            flat: *flat,
            digit: [0; MAX_MODES],
            offset: 0,
        }
    }

    /// Whether the walk repeats an offset: one of the first `modes` modes has stride 0 and is past
    /// its first coordinate.
    pub(super) const fn is_repeat(&self, modes: usize) -> bool {
        let mut i = 0;
        while i < modes {
            if self.flat.stride(i) == 0 && self.digit[i] != 0 {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Moves to the next coordinate.
    pub(super) const fn step(&mut self) {
        let mut i = 0;
        while i < self.flat.len() {
            let (shape, stride) = (self.flat.shape(i), self.flat.stride(i));
            self.digit[i] += 1;
            self.offset += stride;
            if self.digit[i] < shape {
                return;
            }
            self.digit[i] = 0;
            self.offset -= stride * shape;
            i += 1;
        }
    }
}

// -- The choice -----------------------------------------------------------------------------------
//
// Finds the swizzle for a tile at compile time.
//
// ```text
//   choose_swizzle!(tile (128,32), f16 16 bits, [rows of 16 bytes, ldmatrix])   ->   B 2, M 3, S 3, no conflict left
// ```
//
// Law: of all swizzles that keep the vectors of the accesses whole, the choice has the fewest bank
// conflicts, summed over all accesses; among those it has the fewest bits, then the shortest
// period, then the lowest base. The search is that of
// [`dynamic::rules::choose_swizzle`](crate::dynamic::rules::choose_swizzle), which
// `docs/swizzle-chooser.md` explains.

/// The largest number of accesses for which a swizzle can be chosen.
pub const MAX_ACCESSES: usize = 16;

/// The chosen swizzle, as the parameters of [`Swizzle`](crate::Swizzle), and the cost of the
/// accesses with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenSwizzle {
    /// CuTe's B: the number of bits that are changed, or 0 if no swizzle is needed or no swizzle
    /// helps.
    pub b: usize,
    /// CuTe's M: the number of low bits that do not change.
    pub m: usize,
    /// CuTe's S: the distance of the bits that are read above the bits that are changed.
    pub s: i32,
    /// The number of passes of the worst phase; 1 means that there is no conflict.
    pub ways: usize,
    /// The number of passes beyond one per phase, summed over all phases of all accesses.
    pub extra: usize,
}

/// Chooses the smallest swizzle with the fewest bank conflicts for the accesses to a layout. A
/// swizzle that the layout already has is ignored.
///
/// # Errors
/// Returns the sentence that says why the accesses do not fit the tile.
pub const fn choose(
    layout: &Value,
    element_bits: u32,
    accesses: &[Lanes],
) -> Result<ChosenSwizzle, Text> {
    let mut text = Text::new();
    text.say("no swizzle can be chosen for ")
        .text(&layout.notation())
        .say(": ");
    match search(layout, element_bits, accesses) {
        Ok(choice) => Ok(choice),
        Err(rule) => Err(*text.text(&sentence(&rule))),
    }
}

const fn search(layout: &Value, element_bits: u32, lanes: &[Lanes]) -> Result<ChosenSwizzle, Rule> {
    if lanes.len() > MAX_ACCESSES {
        return Err(Rule::RankAbove {
            found: lanes.len(),
            most: MAX_ACCESSES,
        });
    }
    let memory = match shared(&layout.domain(), element_bits) {
        Ok(memory) => memory,
        Err(rule) => return Err(rule),
    };
    let (tile, (part, parts)) = match (memory.tile(), memory.part(lanes)) {
        (Ok(tile), Ok(part)) => (tile, part),
        (Err(rule), _) | (_, Err(rule)) => return Err(rule),
    };
    let mut accesses = [AccessShape::ldmatrix(); MAX_ACCESSES];
    let mut i = 0;
    while i < lanes.len() {
        accesses[i] = match (lanes[i].access(&tile), memory.fits(&lanes[i])) {
            (Ok(access), Ok(())) => access,
            (Err(rule), _) | (_, Err(rule)) => return Err(rule),
        };
        i += 1;
    }
    let (accesses, _) = accesses.split_at(lanes.len());
    match rules::choose_swizzle(&part, accesses) {
        Ok(found) => Ok(ChosenSwizzle {
            b: found.swizzle.bits() as usize,
            m: found.swizzle.base() as usize,
            s: found.swizzle.shift(),
            ways: found.conflicts.ways as usize,
            extra: (found.conflicts.extra * parts) as usize,
        }),
        Err(rule) => Err(rule),
    }
}

/// Chooses the smallest swizzle with the fewest bank conflicts, as a
/// [`ChosenSwizzle`](crate::check::ChosenSwizzle), at compile time:
/// `choose_swizzle!(tile TILE, TYPE BITS bits, [ACCESS, ..])`.
///
/// - `TILE` is a shape with contiguous rows, a layout in CuTe's notation, or a layout type. Rows
///   run along the contiguous mode.
/// - `TYPE` is optional; only the bits of an element matter.
/// - `ACCESS` is the access of one phase of a warp: `ldmatrix`, `rows of 16 bytes` (consecutive
///   lanes take consecutive vectors of a row), `columns of 4 bytes` (consecutive lanes go down a
///   column), `fragment of 4 bytes` (an `mma.sync` accumulator).
///
/// # Errors
/// Does not compile if an access does not fit the tile: its vectors are not contiguous and aligned,
/// or its phases do not fill the tile.
///
/// ```
/// use layout_types::{check::ChosenSwizzle, choose_swizzle, prelude::*};
/// const CHOICE: ChosenSwizzle = choose_swizzle!(tile (128,32), f16 16 bits, [rows of 16 bytes, ldmatrix]);
/// assert_eq!((CHOICE.b, CHOICE.m, CHOICE.s, CHOICE.extra), (2, 3, 3, 0));
///
/// type Atom = Composition<Swizzle<{ CHOICE.b }, { CHOICE.m }, { CHOICE.s }>, layout!((8,32):(32,1))>;
/// type Smem = TileToShape<Atom, shape!((128,32))>;
/// assert_eq!(Smem::default().to_string(), "Sw<2,3,3> o 0 o ((8,16),(32,1)):((32,256),(1,0))");
/// ```
#[macro_export]
macro_rules! choose_swizzle {
    (tile ($($shape:tt)*) : $stride:tt, $($of:ident)? $bits:literal bits, [$($access:tt)*] $(,)?) => {
        $crate::choose_swizzle!(tile $crate::layout!(($($shape)*) : $stride), $bits bits, [$($access)*])
    };
    (tile ($($shape:tt)*), $($of:ident)? $bits:literal bits, [$($access:tt)*] $(,)?) => {
        $crate::choose_swizzle!(
            tile $crate::LayoutRight<$crate::shape!(($($shape)*))>, $bits bits, [$($access)*])
    };
    (tile $tile:ty, $($of:ident)? $bits:literal bits, [$($access:tt)*] $(,)?) => {{
        // A padded tile is searched as a whole, which takes so long that rustc would report an
        // endless loop.
        #[allow(long_running_const_eval)]
        const CHOICE: $crate::check::ChosenSwizzle = match $crate::check::choose(
            &<$tile as $crate::check::Reflect>::VALUE,
            $bits,
            &$crate::__lanes!([] $($access)*),
        ) {
            Ok(choice) => choice,
            Err(text) => panic!("{}", text.as_str()),
        };
        CHOICE
    }};
}

/// Converts a list of accesses to an array of [`Lanes`].
#[doc(hidden)]
#[macro_export]
macro_rules! __lanes {
    ([$($done:expr),*]) => { [$($done),*] };
    ([$($done:expr),*] ldmatrix $(, $($rest:tt)*)?) => {
        $crate::__lanes!([$($done,)* $crate::check::Lanes::Ldmatrix] $($($rest)*)?)
    };
    ([$($done:expr),*] rows of $bytes:literal bytes $(, $($rest:tt)*)?) => {
        $crate::__lanes!([$($done,)* $crate::check::Lanes::Rows($bytes)] $($($rest)*)?)
    };
    ([$($done:expr),*] columns of $bytes:literal bytes $(, $($rest:tt)*)?) => {
        $crate::__lanes!([$($done,)* $crate::check::Lanes::Columns($bytes)] $($($rest)*)?)
    };
    ([$($done:expr),*] fragment of $bytes:literal bytes $(, $($rest:tt)*)?) => {
        $crate::__lanes!([$($done,)* $crate::check::Lanes::Fragment($bytes)] $($($rest)*)?)
    };
    ([$($done:expr),*] $($other:tt)+) => {
        ::core::compile_error!(concat!(
            "an access is `ldmatrix`, `rows of 16 bytes`, `columns of 4 bytes` or `fragment of 4 bytes`, not `",
            stringify!($($other)+),
            "`"
        ))
    };
}
