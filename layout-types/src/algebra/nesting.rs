//! Decides whether modes nest in the order in which they are written: each stride is greater than
//! the reach of the modes before it, or of the modes after it.
//!
//! ```text
//!   (4,8,2):(1,4,32)     1, 4 > 3, 32 > 31      nests, rising
//!   (2,8,4):(32,4,1)     the same from the end  nests, falling
//!   (4,2,8):(1,32,4)     neither: has to be sorted
//! ```
//!
//! Law: a layout whose modes nest is injective. No sorting is needed, so this is decided for any
//! number of modes.

use super::room::{Room, Width};
use crate::kinds::*;
use crate::tree::phantom;
use layout_types_macros::functions;

phantom! {
    /// The modes nest, and reach up to `R`.
    UpTo<R>
}
/// The modes do not nest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlap;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    /// Whether the modes nest as they are written, rising or falling.
    fn nests_as_written(t: Tree) -> Bool {
        do_nest(rising(t, UpTo(0))) || do_nest(falling(t, UpTo(0)))
    }
    /// Returns the ascent `a` continued by the modes from the first to the last.
    fn rising(t: Tree, a: Ascent) -> Ascent {
        match t {
            M(s, d) => ascended(a, s, magnitude(d)),
            Nil => a,
            Cons(h, rest) => rising(rest, rising(h, a)),
        }
    }
    /// Returns the ascent `a` continued by the modes from the last to the first.
    fn falling(t: Tree, a: Ascent) -> Ascent {
        match t {
            M(s, d) => ascended(a, s, magnitude(d)),
            Nil => a,
            Cons(h, rest) => falling(h, falling(rest, a)),
        }
    }
    /// Returns the ascent continued by the mode `s:d`, which counts only if it has more than one
    /// element.
    fn ascended(a: Ascent, s: Nat, d: Nat) -> Ascent {
        if s == 1 { a } else { raised(a, s, d) }
    }
    fn raised(a: Ascent, s: Nat, d: Nat) -> Ascent {
        match a {
            UpTo(r) => {
                if r >= d {
                    Overlap
                } else {
                    UpTo(pred(s) * d + r)
                }
            }
            Overlap => Overlap,
        }
    }
    fn do_nest(a: Ascent) -> Bool {
        match a {
            UpTo(_) => true,
            Overlap => false,
        }
    }

    // -- Remaining units of room ------------------------------------------------------------------

    #[types_only]
    fn less_one(r: Room) -> Room {
        <r as Room>::Less1
    }
    #[types_only]
    fn less_stride(d: Nat, r: Room) -> Room {
        <<d as Nat>::Width as Width>::Stride::<r>
    }
    /// Returns the room `r` minus one unit for each mode of more than one element.
    #[types_only]
    fn modes_leave(t: Tree, r: Room) -> Room {
        match t {
            M(s, _) => {
                if s == 1 {
                    r
                } else {
                    less_one(r)
                }
            }
            Nil => r,
            Cons(h, rest) => modes_leave(rest, modes_leave(h, r)),
        }
    }
    /// Returns the room `r`, or no room if a stride is above 2^24.
    #[types_only]
    fn strides_leave(t: Tree, r: Room) -> Room {
        match t {
            M(_, d) => less_stride(magnitude(d), r),
            Nil => r,
            Cons(h, rest) => strides_leave(rest, strides_leave(h, r)),
        }
    }
}
