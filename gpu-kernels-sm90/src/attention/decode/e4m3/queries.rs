//! Loads Q as operand A of `mma.sync`, in f16 for every element type of Q.
//!
//! ```text
//!   columns of 16         0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//!   of thread             0  0  0  0  1  1  1  1  2  2  2  2  3  3  3  3       8 bytes of Q, 4 bytes of K
//!   place in the product  0  1  8  9  2  3 10 11  4  5 12 13  6  7 14 15
//!
//!   bf16 ─► f16    times 2^-s, such that all elements of the warp's rows are below 2^15; scores times 2^s
//! ```
//!
//! Law: a sum over columns is the same in any order that Q and K share, so a thread takes four
//! neighbouring columns of Q and of K. An f16 has three bits of fraction more than a bf16: every
//! element that is at least 2^-31 of the largest is exact, and the error of a smaller one is at
//! most 2^-39 of the largest.

use super::super::super::smem_tile::SmemTile;
use super::super::super::value::AttentionValue;
use super::config::{CacheAttention, QueriesOf, ROWS};
use super::mainloop::lane;
use cuda_std::warp::{WarpReductionOp, warp_reduce};
use half::{bf16, f16};
use layout_types::arch::copy::load_shared_b64;
use layout_types::tensor::{Shared, Tensor};
use layout_types::unroll::{unroll, unroll_type};

/// An element type of Q, and its conversion to f16.
pub trait QueryElement: AttentionValue {
    /// Whether f16 cannot represent some elements, so that they have to be scaled.
    const SCALED: bool;
    /// Converts a pair, times the power of two `factor`, to f16.
    fn narrow(pair: u32, factor: f32) -> u32;
}
impl QueryElement for f16 {
    const SCALED: bool = false;
    #[inline(always)]
    fn narrow(pair: u32, _: f32) -> u32 {
        pair
    }
}
impl QueryElement for bf16 {
    const SCALED: bool = true;
    #[inline(always)]
    fn narrow(pair: u32, factor: f32) -> u32 {
        let low = f32::from_bits(pair << 16) * factor;
        let high = f32::from_bits(pair & 0xffff_0000) * factor;
        <f16 as AttentionValue>::round(u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32)
    }
}

/// The smallest exponent, as f32 and bf16 store it, for which both [`factors`] are normal numbers.
/// Smaller exponents have the factors of this exponent.
const LEAST_EXPONENT: u32 = 15;

/// Returns the factor that brings a bf16 with this exponent to the exponent of 2^14, and the
/// inverse factor.
///
/// ```
/// use gpu_kernels_sm90::attention::decode::e4m3::queries::factors;
/// let exponent = |of: f32| of.to_bits() >> 23;
/// assert_eq!(factors(exponent(1.5)), (16384.0, 1.0 / 16384.0));
/// assert_eq!(factors(exponent(40000.0)), (0.5, 2.0));
/// let (factor, inverse) = factors(exponent(0.0));
/// assert_eq!(factor * inverse, 1.0);
/// ```
#[inline(always)]
#[must_use]
pub fn factors(exponent: u32) -> (f32, f32) {
    let exponent = if exponent < LEAST_EXPONENT {
        LEAST_EXPONENT
    } else {
        exponent
    };
    let power = |biased: u32| f32::from_bits(biased << 23);
    (power(2 * 127 + 14 - exponent), power(exponent - 14))
}

/// Loads a warp's 16 rows of Q, from `row` on, from a stage. Returns them and the factor by which
/// scores have to be multiplied.
///
/// # Safety
/// The whole warp executes it; the stage is full, and nothing writes it.
#[inline(always)]
pub unsafe fn load_queries<C: CacheAttention>(
    s_q: &Tensor<Shared<C::Element>, C::SmemQ>, // (M,D,stages)
    row: u32,
    stage: u32,
) -> (QueriesOf<C>, f32) {
    let queries = QueriesOf::<C>::new(); // (4,D/16)
    let lane = lane();
    let (row, column) = (row + lane / 4, 4 * (lane % 4));
    let mut largest = 0;
    unroll_type::<C::BlocksOf16>(|block| {
        unroll::<2>(|of_row| {
            let at = (row + 8 * of_row as u32, 16 * block as u32 + column, stage);
            // SAFETY: four elements from a multiple of four on are 8 aligned bytes of a chunk of
            // 16, and a swizzle keeps the bytes of a chunk together. The stage is full by the
            // function's contract.
            let pairs = unsafe { load_shared_b64(C::SmemQ::address(s_q, at)) };
            unroll::<2>(|half| {
                let pair = pairs[half];
                queries.set(4 * block as u32 + 2 * half as u32 + of_row as u32, pair);
                if const { C::Element::SCALED } {
                    largest = u32::max(largest, u32::max(pair << 1 & 0xffff, pair >> 15 & 0xfffe));
                }
            });
        });
    });
    if const { !C::Element::SCALED } {
        return (queries, 1.0);
    }
    // SAFETY: the whole warp is here by the function's contract.
    let largest = unsafe { warp_reduce(u32::MAX, largest, WarpReductionOp::Max) };
    let (factor, inverse) = factors(largest >> 8);
    unroll_type::<C::BlocksOf16>(|block| {
        unroll::<4>(|i| {
            let at = 4 * block as u32 + i as u32;
            queries.set(at, C::Element::narrow(queries.get(at), factor));
        });
    });
    (queries, inverse)
}

const _: () = assert!(ROWS == 16, "a thread's rows are eight apart");
