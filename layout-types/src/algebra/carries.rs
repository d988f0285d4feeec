//! Determines how the offsets of a layout affect the bits of a sum, for slices of swizzled layouts.
//!
//! ```text
//!   T = (6,3):(1,16)     bits that may be set   11 0111       48 = 11 0000
//!                        below 64               37            48 + 37 carries out of the bits below 64
//! ```
//!
//! Law: the law of `dynamic::rules::part` holds. Every offset of `t` has only bits of `bits_of`. If
//! `no_carry` is true, the sum of `x` and an offset of `t` does not carry out of the bits below the
//! power of two `w`.

use crate::kinds::*;
use crate::num::{Log2, NatBits};
use layout_types_macros::functions;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    /// Returns the lowest set bit of `n`, or 1 if `n` is 0.
    fn lowest_bit(n: Nat) -> Nat {
        <<n as NatBits>::TrailingZeros as Log2>::Exp2
    }
    /// Returns the highest set bit of `n`, or 1 if `n` is 0.
    fn highest_bit(n: Nat) -> Nat {
        <<n as Log2>::Exponent as Log2>::Exp2
    }
    /// Counts the bits of `n` that are set.
    fn ones(n: Nat) -> Nat {
        <n as NatBits>::Ones
    }
    /// Returns the bits of `n` below those of the power of two `w`.
    fn low_bits(n: Nat, w: Nat) -> Nat {
        <n as NatBits>::And::<<<w as NatSub>::Sub<One> as Difference>::OrZero>
    }

    /// Returns the bits that offsets of `t` may have. If two modes can have the same bit, their
    /// sums carry, and then the result is all bits from the lowest to the highest.
    fn bits_of(t: Tree) -> Nat {
        if ones(sum_bits(t)) == sum_bit_count(t) {
            sum_bits(t)
        } else {
            all_bits(sum_unit(t, highest_bit(reach(t))), reach(t))
        }
    }
    /// Whether the sum of `x` and an offset of `t` never carries out of the bits below `w`, a power
    /// of two.
    fn no_carry(t: Tree, x: Nat, w: Nat) -> Bool {
        sum_unit(t, w) >= succ(low_bits(x, w)) || w >= succ(low_bits(x, w) + sum_below(t, w))
    }
    /// Returns all bits from the lowest bit of `from` to the highest bit of `to`.
    fn all_bits(from: Nat, to: Nat) -> Nat {
        minus(highest_bit(to) + highest_bit(to), from)
    }

    // -- All modes together -----------------------------------------------------------------------

    /// Whether no stride is negative or names a mode.
    fn all_rise(t: Tree) -> Bool {
        match t {
            M(s, d) => s == 1 || rises(d),
            Nil => true,
            Cons(h, rest) => all_rise(h) && all_rise(rest),
        }
    }
    /// Returns the sum of all modes' bits.
    fn sum_bits(t: Tree) -> Nat {
        match t {
            M(s, d) => {
                if s == 1 {
                    0
                } else {
                    stride_bits(d, pred(s))
                }
            }
            Nil => 0,
            Cons(h, rest) => sum_bits(h) + sum_bits(rest),
        }
    }
    /// Counts the bits of `sum_bits`, mode by mode.
    fn sum_bit_count(t: Tree) -> Nat {
        match t {
            M(s, d) => ones(sum_bits(M(s, d))),
            Nil => 0,
            Cons(h, rest) => sum_bit_count(h) + sum_bit_count(rest),
        }
    }
    /// Returns the sum of the modes' largest parts below `w`.
    fn sum_below(t: Tree, w: Nat) -> Nat {
        match t {
            M(s, d) => most_below(d, pred(s), w),
            Nil => 0,
            Cons(h, rest) => sum_below(h, w) + sum_below(rest, w),
        }
    }
    /// Returns the lowest bit of all strides of modes with more than one element, or `most` if
    /// `most` is lower.
    fn sum_unit(t: Tree, most: Nat) -> Nat {
        match t {
            M(s, d) => {
                if s == 1 {
                    most
                } else {
                    unit_of(d, most)
                }
            }
            Nil => most,
            Cons(h, rest) => sum_unit(rest, sum_unit(h, most)),
        }
    }

    // -- One stride, taken `steps` times or fewer -------------------------------------------------

    /// Whether the stride is an integer and not negative.
    fn rises(d: Stride) -> Bool {
        match d {
            Null => true,
            Positive(_) => true,
            _ => false,
        }
    }
    /// Returns the bits that some offset sets, and the bits between them.
    fn stride_bits(d: Stride, steps: Nat) -> Nat {
        match d {
            Positive(n) => all_bits(lowest_bit(n), steps * n),
            _ => 0,
        }
    }
    /// Returns the largest part of an offset below the power of two `w`.
    fn most_below(d: Stride, steps: Nat, w: Nat) -> Nat {
        match d {
            Positive(n) => {
                if steps * n >= w {
                    minus(w, lowest_bit(n))
                } else {
                    steps * n
                }
            }
            _ => 0,
        }
    }
    /// Returns the lower one of `most` and the stride's lowest bit.
    fn unit_of(d: Stride, most: Nat) -> Nat {
        match d {
            Positive(n) => least(lowest_bit(n), most),
            _ => most,
        }
    }
}
