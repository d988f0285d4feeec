//! Fragment layouts: which element of its matrix each value of a lane is.
//!
//! ```text
//!   A, m x k                                     lane = 4 * group + t
//!
//!             chunk 0: 4E columns   chunk 1      register = chunk * (m/8) + half
//!   rows 0-7  | E E E E           | ...          row = group + 8 * half
//!   rows 8-15 | E E E E           | ...          k   = chunk * 4E + t * E + e
//!               t=0 1 2 3
//! ```
//!
//! where E is the number of elements in a register (64-bit registers for `.f64`), `half` counts the
//! blocks of eight rows, and a lane's *value* `v` is element `e` of register `v / E`. B has the
//! same form with columns for rows: `n = group`, `k = register * 4E + t * E + e`. C and D hold
//! pairs: `row = group + 8 * (v / 2)`, `column = 2 * t + v % 2`.
//!
//! Law: each map from (lane, value) to coordinates is one to one and onto. This one rule gives
//! every table of the PTX ISA's "Matrix fragments for mma.m...", sections m8n8k4 with `.f64` to
//! m16n8k256, because they all consist of the same 8-row, 16-byte blocks. Only m8n8k4 with `.f16`
//! (the first of those sections) differs; it has its own functions below.

use super::{Accumulator, Mma, Order};

/// Returns the coordinates (row of A, k) of `lane`'s value `value` of A. Not for the `m8n8k4` of
/// sm_70 (see [`volta_a`]).
///
/// ```
/// use emulator::numerics::mma::{fragment, Mma};
/// let mma = Mma::parse("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").unwrap();
/// assert_eq!(fragment::a(&mma, 5, 3), (9, 3));
/// assert_eq!(fragment::a(&mma, 5, 4), (1, 10));
/// ```
#[inline]
pub fn a(mma: &Mma, lane: usize, value: usize) -> (usize, usize) {
    let per_register = per_register(mma);
    let halves = mma.shape.m / 8;
    let (register, e) = (value / per_register, value % per_register);
    let row = lane / 4 + 8 * (register % halves);
    (row, (register / halves * 4 + lane % 4) * per_register + e)
}

/// Returns the coordinates (k, column of B) of `lane`'s value `value` of B. Not for the `m8n8k4` of
/// sm_70 (see [`volta_b`]).
#[inline]
pub fn b(mma: &Mma, lane: usize, value: usize) -> (usize, usize) {
    let per_register = per_register(mma);
    let (register, e) = (value / per_register, value % per_register);
    ((register * 4 + lane % 4) * per_register + e, lane / 4)
}

/// Returns the coordinates (row, column) of `lane`'s value `value` of C or D. Not for the `m8n8k4`
/// of sm_70 (see [`volta_c`]).
#[inline]
pub fn c(lane: usize, value: usize) -> (usize, usize) {
    (lane / 4 + 8 * (value / 2), 2 * (lane % 4) + value % 2)
}

/// Returns the number of elements of A or B in one register.
#[inline]
pub fn per_register(mma: &Mma) -> usize {
    (mma.registers().bits / mma.a.bits()) as usize
}

/// Returns which of the four products of `m8n8k4` with `.f16` a lane works on: lanes 0-3 and 16-19
/// on product 0, 4-7 and 20-23 on product 1, and so on (PTX ISA, "Matrix fragments for mma.m8n8k4
/// with .f16 floating point type").
#[inline]
pub fn volta_product(lane: usize) -> usize {
    lane % 16 / 4
}

/// Returns the coordinates (row, k) of `lane`'s value `value` (0..4) in A of its product.
#[inline]
pub fn volta_a(order: Order, lane: usize, value: usize) -> (usize, usize) {
    let upper = 4 * (lane / 16);
    match order {
        Order::Row => (lane % 4 + upper, value),
        Order::Col => (value + upper, lane % 4),
    }
}

/// Returns the coordinates (k, column) of `lane`'s value `value` (0..4) in B of its product.
#[inline]
pub fn volta_b(order: Order, lane: usize, value: usize) -> (usize, usize) {
    let upper = 4 * (lane / 16);
    match order {
        Order::Row => (lane % 4, value + upper),
        Order::Col => (value, lane % 4 + upper),
    }
}

/// Returns the coordinates (row, column) of `lane`'s value `value` (0..8) in C or D of its product:
/// one row per lane for `.f16`; for `.f32` pairs, in blocks of two by two.
#[inline]
pub fn volta_c(kind: Accumulator, lane: usize, value: usize) -> (usize, usize) {
    let upper = 4 * (lane / 16);
    match kind {
        Accumulator::F16 => (lane % 4 + upper, value),
        _ => (
            (lane & 1) + (value & 2) + upper,
            (value & 4) + (lane & 2) + (value & 1),
        ),
    }
}
