//! The order of keys within the product with V, in which each thread keeps the probabilities that
//! it computed.
//!
//! ```text
//!   a row's keys           0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//!   C of Q Kᵀ, thread      0  0  1  1  2  2  3  3  0  0  1  1  2  2  3  3      two neighbours of every eight keys
//!   A of P V, thread       0  0  0  0  1  1  1  1  2  2  2  2  3  3  3  3      four neighbours
//!
//!   places in P and Vᵀ     0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//!   keys there             0  1  8  9  2  3 10 11  4  5 12 13  6  7 14 15      KeyOrder
//! ```
//!
//! Law: a sum over keys is the same in any order that P and V share.
//! `assert_retile_c_to_a_permuted!` of the configurations proves that with [`ValueOrder`] and
//! [`KeyOrder`] no value moves to another thread. [`transpose`](super::transpose) writes V's keys
//! in the order [`KeyOrder`].

use super::super::fragments::{Accumulator, OperandElement, RoundScores};
use layout_types::algebra::cast::RecastTo;
use layout_types::algorithm::Walk;
use layout_types::arch::convert::e4m3x2_from_f32;
use layout_types::atom::element::FloatE4M3;
use layout_types::layout;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout};
use layout_types::tiled::OperandA;
use layout_types::typenum::{U8, U32};
use layout_types::unroll::{Unroll, unroll_type};

/// Maps a place to its key, for 128 keys.
pub type KeyOrder = layout!((2,2,4,8):(1,8,2,16));
/// Maps a value of operand A to the value of C, for a row's 128 keys.
pub type ValueOrder = layout!((2,2,2,8):(1,4,2,8));

impl OperandElement for FloatE4M3 {
    const TOP: f32 = 8.0;
}
impl<Scores, Probabilities> RoundScores<Scores, Probabilities> for FloatE4M3
where
    Scores: FragmentLayout + Walk,
    Probabilities: FragmentLayout<Length: Unroll> + RecastTo<U8, U32, Output: Walk>,
{
    #[inline(always)]
    fn round_scores(
        scores: &Accumulator<Scores>, // ((2,2,N/8),1,1)
        probabilities: &Fragment<Self, Probabilities, OperandA>,
    ) {
        let words = probabilities.view().recast::<u32>(); // ((1,2,2),1,N/32)
        unroll_type::<<<Probabilities as RecastTo<U8, U32>>::Output as Walk>::Count>(|word| {
            let value = |byte: usize| {
                let at: u32 = ValueOrder::index((4 * word + byte) as u32);
                scores.view().get(at)
            };
            let low = e4m3x2_from_f32(value(0), value(1));
            let high = e4m3x2_from_f32(value(2), value(3));
            words.set(word as u32, u32::from(low) | u32::from(high) << 16);
        });
    }
}
