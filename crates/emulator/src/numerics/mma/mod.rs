//! `mma.sync`: D = A * B + C on the registers of one warp, the whole dense family in one table.
//!
//! ```text
//!            B: k x n, one column per lane group
//!           +-----+
//!           |     |            registers --unpack by fragment layout--> small matrices
//!           +-----+            multiply, add, round once
//!   +-----+ +-----+            small matrix --pack--> registers
//!   |  A  | |  D  |
//!   +-----+ +-----+
//!   m x k     m x n
//! ```
//!
//! Law: if every product and sum is exact, `D[i][j] = C[i][j] + sum over k of A[i][k] * B[k][j]`.
//! The matrices are distributed over lanes and registers as described in [`fragment`] (PTX ISA,
//! "Matrix multiply-accumulate operation using mma instruction").
//!
//! If the arithmetic is not exact, PTX leaves order and rounding of the sum open, and
//! [`Arithmetic`] selects them:
//! - floating point other than `.f64`: as on a device, to the bit ([`Arithmetic::Sm90`],
//!   [`Arithmetic::Sm80`]), a chain of fused multiply-adds in `.f32` ([`Arithmetic::F32Chain`]), or
//!   the sum in `f64`, rounded once ([`Arithmetic::Exact`], which [`Mma::execute`] uses). With D in
//!   `.f32` all agree, except for the sign of a zero, if products and C are whole multiples of one
//!   power of two and the sum of their magnitudes is at most `2^24` times that power;
//! - `.f64`: one `fma` per step in the order of k, in the instruction's rounding mode, as PTX
//!   defines it;
//! - integers: the exact sum, then wrapped to 32 bits or, with `.satfinite`, clamped.
//!
//! NaN results are canonical, except those of `.f64`. The 13 low bits of a `.tf32` register are
//! ignored.

mod arithmetic;
pub(crate) mod blackwell;
mod float;
pub mod fragment;
mod fused;
mod integer;
#[cfg(target_arch = "x86_64")]
mod integer_vector;
pub(crate) mod narrow;
#[cfg(target_arch = "x86_64")]
mod registers;
mod table;
mod tensor_core;
#[cfg(target_arch = "x86_64")]
mod vector;
mod volta;
mod warpgroup;
pub(crate) mod wmma;

use super::matrix::Lanes;
use super::rounding::Rounding;
pub use arithmetic::{Arithmetic, UnknownArithmetic};
pub use table::{Accumulator, Combine, Element, MmaError, Order, Registers, Shape};

/// One 64-bit register of every lane of a warp.
pub type WideLanes = [u64; 32];

/// One instruction of the `mma.sync` family.
///
/// ```
/// use emulator::numerics::mma::Mma;
/// // 16x8x16, A all ones, B all twos, C zero: every element of D is 32.
/// let mma = Mma::parse("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").unwrap();
/// let (one, two) = (0x3c00_3c00, 0x4000_4000);
/// let mut d = [[0; 32]; 4];
/// mma.execute(&[[one; 32]; 4], &[[two; 32]; 2], &[[0; 32]; 4], &mut d).unwrap();
/// assert_eq!(d, [[32.0f32.to_bits(); 32]; 4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mma {
    /// The sizes of the matrices (for `m8n8k4` with `.f16`, of each of the four).
    pub shape: Shape,
    /// The element type of A.
    pub a: Element,
    /// The element type of B.
    pub b: Element,
    /// The type of C.
    pub c: Accumulator,
    /// The type of D.
    pub d: Accumulator,
    /// How A is stored; an order other than `.row` only occurs in `m8n8k4` with `.f16`.
    pub a_order: Order,
    /// How B is stored; an order other than `.col` only occurs in `m8n8k4` with `.f16`.
    pub b_order: Order,
    /// `.satfinite`: integer sums are clamped instead of wrapped.
    pub satfinite: bool,
    /// Multiplication, or for `.b1` the bit operation before counting ones.
    pub combine: Combine,
    /// The rounding of `.f64`; other types round to nearest even.
    pub rounding: Rounding,
}

/// Returns the registers of an operand, which has at most 8. The remaining entries are the first
/// register again.
pub(crate) fn references<T>(registers: &[T]) -> [&T; 8] {
    std::array::from_fn(|i| registers.get(i).unwrap_or(&registers[0]))
}

impl Mma {
    /// Computes D = A * B + C with A's and B's elements in 32-bit registers. Every slice element is
    /// one register of 32 lanes, in PTX's order of the operand's registers.
    ///
    /// # Errors
    /// [`MmaError::RegisterCount`] if the length of a slice is not that of [`Mma::registers`], and
    /// [`MmaError::RegisterWidth`] for `.f64`, whose registers have 64 bits
    /// ([`Mma::execute_wide`]).
    #[inline]
    pub fn execute(
        &self,
        a: &[Lanes],
        b: &[Lanes],
        c: &[Lanes],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.execute_in(Arithmetic::Exact, a, b, c, d)
    }

    /// Computes D like [`Mma::execute`], with sums of floats in the given arithmetic.
    ///
    /// # Errors
    /// As [`Mma::execute`].
    ///
    /// ```
    /// use emulator::numerics::mma::{Arithmetic, Mma};
    /// // 1 + 8 * 2^-14 * 2^-12: each product lies below the 25 bits that the device keeps.
    /// let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32").unwrap();
    /// let (a, b, one) = (0x0400_0400, 0x0c00_0c00, 1.0f32.to_bits());
    /// let sum = |arithmetic| {
    ///     let mut d = [[0; 32]; 4];
    ///     mma.execute_in(arithmetic, &[[a; 32]; 2], &[[b; 32]], &[[one; 32]; 4], &mut d).unwrap();
    ///     f32::from_bits(d[0][0])
    /// };
    /// assert_eq!(sum(Arithmetic::Exact), 1.0 + 2f32.powi(-23));
    /// assert_eq!(sum(Arithmetic::Sm90), 1.0);
    /// ```
    #[inline]
    pub fn execute_in(
        &self,
        arithmetic: Arithmetic,
        a: &[Lanes],
        b: &[Lanes],
        c: &[Lanes],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.execute_on::<false>(arithmetic, [a, b, c], d)
    }

    /// Computes D like [`Mma::execute_in`], with the registers of A, B and C at any place.
    pub(crate) fn execute_rows(
        &self,
        arithmetic: Arithmetic,
        [a, b, c]: [&[&Lanes]; 3],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.check([a.len(), b.len(), c.len(), d.len()], 32)?;
        self.execute_checked::<false>(arithmetic, [a, b, c], d);
        Ok(())
    }

    /// Computes the same bits as [`Mma::execute_in`], without the vector instructions that this CPU
    /// may have.
    ///
    /// # Errors
    /// As [`Mma::execute`].
    pub fn execute_portably(
        &self,
        arithmetic: Arithmetic,
        a: &[Lanes],
        b: &[Lanes],
        c: &[Lanes],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.execute_on::<true>(arithmetic, [a, b, c], d)
    }

    /// Computes D from consecutive registers; with `PORTABLY` without vector instructions.
    #[inline]
    fn execute_on<const PORTABLY: bool>(
        &self,
        arithmetic: Arithmetic,
        [a, b, c]: [&[Lanes]; 3],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.check([a.len(), b.len(), c.len(), d.len()], 32)?;
        let (a, b, c) = (references(a), references(b), references(c));
        let need = self.registers();
        let rows = [&a[..need.a], &b[..need.b], &c[..need.c]];
        self.execute_checked::<PORTABLY>(arithmetic, rows, d);
        Ok(())
    }

    /// Computes D from registers that [`check`](Self::check) has counted.
    fn execute_checked<const PORTABLY: bool>(
        &self,
        arithmetic: Arithmetic,
        [a, b, c]: [&[&Lanes]; 3],
        d: &mut [Lanes],
    ) {
        let device = match (self.d, arithmetic) {
            (Accumulator::S32, _) if PORTABLY => return integer::execute_any(self, a, b, c, d),
            (Accumulator::S32, _) => return integer::execute(self, a, b, c, d),
            (_, Arithmetic::Exact) => return float::execute::<false>(self, a, b, c, d),
            (_, Arithmetic::F32Chain) => return float::execute::<true>(self, a, b, c, d),
            (_, Arithmetic::Sm80) => tensor_core::SM80,
            (_, Arithmetic::Sm90) => tensor_core::SM90,
        };
        // Volta's instructions have no vector code.
        if PORTABLY && !self.is_volta() {
            tensor_core::execute_any(device, self, a, b, c, d);
        } else {
            tensor_core::execute(device, self, a, b, c, d);
        }
    }

    /// Computes D = A * B + C for `.f64`, whose registers have 64 bits.
    ///
    /// # Errors
    /// As [`Mma::execute`], with the widths exchanged.
    pub fn execute_wide(
        &self,
        a: &[WideLanes],
        b: &[WideLanes],
        c: &[WideLanes],
        d: &mut [WideLanes],
    ) -> Result<(), MmaError> {
        self.check([a.len(), b.len(), c.len(), d.len()], 64)?;
        float::execute_f64(self, a, b, c, d);
        Ok(())
    }

    fn check(&self, found: [usize; 4], width: u32) -> Result<(), MmaError> {
        let need = self.registers();
        if need.bits != width {
            return Err(MmaError::RegisterWidth {
                name: self.to_string(),
                bits: need.bits,
            });
        }
        let wanted = [need.a, need.b, need.c, need.d];
        match (0..4).find(|&i| found[i] != wanted[i]) {
            None => Ok(()),
            Some(i) => Err(MmaError::RegisterCount {
                name: self.to_string(),
                operand: ["a", "b", "c", "d"][i],
                found: found[i],
                wanted: wanted[i],
            }),
        }
    }
}
