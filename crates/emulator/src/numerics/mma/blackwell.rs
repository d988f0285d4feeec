//! The products of `tcgen05.mma`: a model, which no card has confirmed here.
//!
//! ```text
//!   .f16 .bf16 .tf32   what `mma.sync` gives on sm_90, with 32 bytes of k
//!   .e4m3 .e5m2        32 products and C, cut to 25 bits ──► sum ──► .f32 cut, .f16 to nearest
//! ```
//!
//! Law: sums of 8-bit floats are exact on terms cut towards zero, as those of 16 bits are. The
//! order of k within one instruction does not matter. Source: "MMA-Sim", arXiv 2511.10909, whose
//! authors had a B200.

use super::super::matrix::Lanes;
use super::fused::Core;
use super::tensor_core::is_byte;
use super::warpgroup;
use super::{Arithmetic, Mma};

/// Of 8-bit floats.
const BYTES: Core = Core {
    kept: 25,
    below: 7,
    bytes: 32,
};

impl Mma {
    /// As [`Mma::execute_rows`] of a `tcgen05.mma` of these types: the 16 rows and 8 columns of a
    /// part of it.
    pub(crate) fn execute_blackwell(
        &self,
        arithmetic: Arithmetic,
        operands: [&[&Lanes]; 3],
        d: &mut [Lanes],
    ) {
        let native = matches!(arithmetic, Arithmetic::Sm80 | Arithmetic::Sm90);
        if native && is_byte(self.a) {
            warpgroup::bytes(BYTES, self, operands, d, |sum| sum);
        } else {
            // The registers are as many as the instruction has: all that can be refused.
            let done = self.execute_rows(arithmetic, operands, d);
            debug_assert!(done.is_ok(), "{done:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_bytes_keep_25_bits() {
        let mma = Mma::parse("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32").unwrap();
        // Ones: 32 products of 1, and C.
        let (one, zero) = ([0x3838_3838; 32], [0; 32]);
        let sum = |c: f32, b: &Lanes| {
            let c = [c.to_bits(); 32];
            let mut d = [[7; 32]; 4];
            mma.execute_blackwell(Arithmetic::Sm90, [&[&one; 4], &[b; 2], &[&c; 4]], &mut d);
            f32::from_bits(d[3][31])
        };
        assert_eq!(sum(0.0, &one), 32.0);
        assert_eq!(sum(1.0, &zero), 1.0);
        assert_eq!(sum(-1.5, &zero), -1.5);
        // Hopper keeps 13 bits here.
        assert_eq!(sum(2f32.powi(-14), &one), 32.0 + 2f32.powi(-14));
        assert_eq!(sum(2f32.powi(-26), &one), 32.0);
    }

    #[test]
    fn a_sum_is_cut_towards_zero_and_may_be_infinite() {
        let mma = Mma::parse("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32").unwrap();
        // 32 products of 448 * 448, or of none of them, and C.
        let sum = |c: f32, b: u32| {
            let (a, b, c) = ([0x7e7e_7e7e; 32], [b; 32], [c.to_bits(); 32]);
            let mut d = [[7; 32]; 4];
            mma.execute_blackwell(Arithmetic::Sm90, [&[&a; 4], &[&b; 2], &[&c; 4]], &mut d);
            f32::from_bits(d[0][0])
        };
        let products = 32.0 * 448.0 * 448.0;
        assert_eq!(sum(0.75, 0x7e7e_7e7e), products + 0.5);
        assert_eq!(sum(-0.75, 0x7e7e_7e7e), products - 1.0);
        assert_eq!(sum(f32::MAX, 0), f32::MAX);
        assert_eq!(sum(f32::INFINITY, 0x7e7e_7e7e), f32::INFINITY);
        assert_eq!(sum(-0.0, 0).to_bits(), 0);
    }
}
