//! The products of `wgmma`: as `mma.sync` of 16 rows and 8 columns, except for 8-bit floats.
//!
//! ```text
//!   .e4m3, .e5m2   32 exact products and C ──► cut to 13 bits below the largest place ──► sum ──► .f32: cut to 13 bits of fraction
//!   all others     what mma.sync gives on sm_90, whose K of one instruction is the same 32 bytes
//! ```
//!
//! Law: a warp's part of a 64xN result is 16 rows, and in each 8 columns its registers are those of
//! `m16n8`. For 8-bit floats, products and C go into one sum, whose terms keep 13 bits; `.f32`
//! results have 13 bits of fraction, `.f16` ones are rounded to nearest. A subnormal number has the
//! place of its own format's smallest normal number. Every bit is equal to an H200's: see the
//! emulator's documentation, and `tests/data/h200_wgmma_elements.txt`. Source of the method:
//! "MMA-Sim", arXiv 2511.10909.

use super::super::half;
use super::super::matrix::Lanes;
use super::float::{decode, starts};
use super::fused::{Core, Formats, Group, Terms};
use super::tensor_core::is_byte;
use super::{Accumulator, Arithmetic, Element, Mma, MmaError, fragment, references};
use std::array::from_fn;

/// The core for 8-bit floats.
const BYTES: Core = Core {
    kept: 13,
    below: 7,
    bytes: 32,
};
/// The digits of an `.f32` beyond 13 bits of fraction.
const BEYOND: u32 = (1 << 10) - 1;

/// Returns the exponent of the smallest normal number.
fn lowest(element: Element) -> i32 {
    match element {
        Element::E4m3 => -6,
        _ => -14,
    }
}

impl Mma {
    /// Computes D like [`Mma::execute_in`], for a `wgmma` of these types: A, B, C and D are the
    /// registers of the 16 rows and 8 columns that a warp has in one step.
    ///
    /// # Errors
    /// As [`Mma::execute`].
    pub fn execute_in_warpgroup(
        &self,
        arithmetic: Arithmetic,
        a: &[Lanes],
        b: &[Lanes],
        c: &[Lanes],
        d: &mut [Lanes],
    ) -> Result<(), MmaError> {
        self.check([a.len(), b.len(), c.len(), d.len()], 32)?;
        let (a, b, c) = (references(a), references(b), references(c));
        let need = self.registers();
        self.execute_warpgroup(arithmetic, [&a[..need.a], &b[..need.b], &c[..need.c]], d);
        Ok(())
    }

    /// Computes D like [`Mma::execute_in_warpgroup`], with the registers of A, B and C at any
    /// place. The number of registers of each operand must be that of the instruction.
    pub(crate) fn execute_warpgroup(
        &self,
        arithmetic: Arithmetic,
        operands: [&[&Lanes]; 3],
        d: &mut [Lanes],
    ) {
        let native = matches!(arithmetic, Arithmetic::Sm80 | Arithmetic::Sm90);
        if native && is_byte(self.a) {
            bytes(self, operands, d);
        } else {
            // The numbers of registers are those of the instruction, and only other numbers are
            // refused.
            let done = self.execute_rows(arithmetic, operands, d);
            debug_assert!(done.is_ok(), "{done:?}");
        }
    }
}

fn bytes(mma: &Mma, [a, b, c]: [&[&Lanes]; 3], d: &mut [Lanes]) {
    let mut left = Terms::<16, 32>::new();
    for (register, lanes) in a.iter().enumerate() {
        let (values, count) = decode(mma.a, lanes);
        let (row, k) = (8 * (register % 2), register / 2 * 4 * count);
        for (e, values) in values[..count].iter().enumerate() {
            left.put(values, lowest(mma.a), |lane| {
                (row + lane / 4, k + lane % 4 * count + e)
            });
        }
    }
    let mut right = Terms::<32, 8>::new();
    for (register, lanes) in b.iter().enumerate() {
        let (values, count) = decode(mma.b, lanes);
        let k = register * 4 * count;
        for (e, values) in values[..count].iter().enumerate() {
            right.put(values, lowest(mma.b), |lane| {
                (k + lane % 4 * count + e, lane / 4)
            });
        }
    }
    let group = Group {
        core: BYTES,
        formats: Formats::of(mma.d),
        a: &left,
        b: &right,
    };
    let sums = group.sum(0..32, &starts(mma, c));
    let sum = |lane: usize, value: usize| {
        let (row, column) = fragment::c(lane, value);
        sums[row][column].to_bits()
    };
    for (register, d) in d.iter_mut().enumerate() {
        *d = from_fn(|lane| match mma.d {
            Accumulator::F16 => {
                let bits = |value| u32::from(half::from_f32_nearest(sum(lane, value)));
                bits(2 * register) | bits(2 * register + 1) << 16
            }
            _ => cut(sum(lane, register)),
        });
    }
}

/// Cuts an `.f32` to 13 bits of fraction; NaN is returned unchanged.
fn cut(bits: u32) -> u32 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return bits;
    }
    let cut = bits & !BEYOND;
    // A zero has no sign.
    if cut << 1 == 0 { 0 } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_bytes_keep_13_bits() {
        let mma = Mma::parse("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32").unwrap();
        // All ones: 32 products of 1, and C.
        let (one, zero) = ([0x3838_3838; 32], [0; 32]);
        let sum = |c: f32, b: &Lanes| {
            let c = [c.to_bits(); 32];
            let mut d = [[7; 32]; 4];
            mma.execute_warpgroup(Arithmetic::Sm90, [&[&one; 4], &[b; 2], &[&c; 4]], &mut d);
            f32::from_bits(d[3][31])
        };
        assert_eq!(sum(0.0, &one), 32.0);
        assert_eq!(sum(1.0, &zero), 1.0);
        // Bits more than 13 places below the largest one are lost, for C as for the products.
        assert_eq!(sum(1.0 + 2f32.powi(-13), &zero), 1.0 + 2f32.powi(-13));
        assert_eq!(sum(1.0 + 2f32.powi(-14), &zero), 1.0);
        assert_eq!(sum(2f32.powi(-14), &one), 32.0);
        assert_eq!(sum(-(1.0 + 2f32.powi(-14)), &zero), -1.0);
    }
}
