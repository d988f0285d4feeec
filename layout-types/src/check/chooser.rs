//! The swizzle for a tile, found at compile time.
//!
//! ```text
//!   choose_swizzle!(tile (128,32), f16 16 bits, [rows of 16 bytes, ldmatrix])   ->   B 2, M 3, S 3, no conflict left
//! ```
//!
//! Law: of all swizzles that keep the vectors of the accesses whole, the choice has the fewest bank conflicts over all
//! accesses together, and of those the fewest bits, then the shortest period, then the lowest base. The search is that of
//! [`dynamic::rules::choose_swizzle`](crate::dynamic::rules::choose_swizzle), which `docs/swizzle-chooser.md` explains.

use super::lanes::{Lanes, shared};
use super::sentence::sentence;
use super::text::Text;
use super::value::Value;
use crate::dynamic::rules::{self, AccessShape, Rule};

/// The most accesses that are weighed together.
pub const MAX_ACCESSES: usize = 16;

/// A swizzle chosen, as the parameters of [`Swizzle`](crate::Swizzle), and what the accesses cost behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenSwizzle {
    /// CuTe's B: how many bits are exchanged; 0 where no swizzle is needed or none helps.
    pub b: usize,
    /// CuTe's M: how many low bits stay.
    pub m: usize,
    /// CuTe's S: how far the bits read lie above the bits changed.
    pub s: i32,
    /// Passes of the worst phase; 1 is free of conflicts.
    pub ways: usize,
    /// Passes beyond one a phase, over all phases of all accesses.
    pub extra: usize,
}

/// The smallest swizzle with the fewest bank conflicts for the accesses to a layout; a swizzle that the layout already has
/// is left aside.
///
/// # Errors
/// The sentence that says why the accesses do not fit the tile.
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

/// The smallest swizzle with the fewest bank conflicts, as a [`ChosenSwizzle`](crate::check::ChosenSwizzle), at compile time:
/// `choose_swizzle!(tile TILE, TYPE BITS bits, [ACCESS, ..])`.
///
/// - `TILE` is a shape for rows that are contiguous, a layout in CuTe's notation, or a layout type. Rows run along the mode
///   that is contiguous.
/// - `TYPE` may be left out; the bits of an element count.
/// - `ACCESS` is what a phase of a warp does: `ldmatrix`, `rows of 16 bytes` (consecutive lanes take consecutive vectors of
///   a row), `columns of 4 bytes` (consecutive lanes go down a column), `fragment of 4 bytes` (an `mma.sync` accumulator).
///
/// # Errors
/// A compile error where an access does not fit the tile: vectors that are not contiguous and aligned, phases that do not
/// fill it.
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
        // A padded tile is searched as a whole, which is longer than rustc takes for a loop without end.
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

/// A list of accesses as an array of [`Lanes`].
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
