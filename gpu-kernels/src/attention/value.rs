//! The elements of Q, K, V and O, and the coordinates of a thread's scores, which attention's
//! kernels for all architectures share.
//!
//! ```text
//!   identity tensor (M,N), partitioned as the scores are ─► (query, key) of each of a thread's scores ─► score function, mask
//! ```
//!
//! Law: each trait is implemented for all elements, tiled MMAs and accumulators that fit each
//! other.

use super::mask::{Part, Seen, mask, mask_half};
use super::score::ScoreAt;
use super::softmax::Half;
use crate::gemm::epilogue::element::RoundPairs;
use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::{SameCount, Walk, transform, transform_with};
use layout_types::atom::Element;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::tensor::{
    Fragment, FragmentLayout, GetSlice, PartitionLayout, Plain, ThrMma, identity_tensor,
};
use layout_types::tiled::{OperandC, TiledMmaTraits};
use layout_types::typenum::{U16, Unsigned};

/// An element type of Q, K, V and O.
pub trait AttentionValue: Plain + Element<Bits = U16> {
    /// Rounds two f32 to elements, the first in the lower half.
    fn round(pair: u64) -> u32;
}
impl<T: Plain + Element<Bits = U16>> AttentionValue for T
where
    f32: RoundPairs<T>,
{
    #[inline(always)]
    fn round(pair: u64) -> u32 {
        <f32 as RoundPairs<T>>::round(pair)
    }
}

/// Returns the key on the diagonal of query 0 of a sequence. It is negative if there are fewer keys
/// than queries. The last query and the last key lie on one diagonal.
#[inline(always)]
#[must_use]
pub fn own_key(params: &AttentionParams) -> i32 {
    params.keys.wrapping_sub(params.queries) as i32
}

/// The layout of a thread's part of a tile of coordinates, partitioned as operand C.
type PartOf<Mma, Tile> = <Tile as PartitionLayout<Mma, OperandC>>::Part;

/// A tiled MMA whose accumulators `Scores` are the scores of the tile `TileS` (M,N) of coordinates
/// (query, key).
pub trait ScoreCoordinates<TileS, Scores: FragmentLayout>: TiledMmaTraits {
    /// Replaces each of a thread's scores by `function` of the score and its place. `first_and_own`
    /// is the place of the tile's first score and, for [`ScoreAt::distance`], the key on the
    /// diagonal of query 0.
    fn change(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        first_and_own: (ScoreAt, i32),
        function: impl Fn(f32, ScoreAt) -> f32,
    );
    /// Does what [`change`](Self::change) does with the first number that `function` returns. The
    /// second number goes to the second fragment, the derivatives.
    fn differentiate(
        scores_and_derivatives: [&Fragment<f32, Scores, OperandC>; 2],
        thread: u32,
        first_and_own: (ScoreAt, i32),
        function: impl Fn(f32, ScoreAt) -> [f32; 2],
    );
    /// Masks a thread's scores of a tile whose first score is at `first`, (query, key).
    fn mask(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        params: &AttentionParams,
        first: (u32, u32),
    );
    /// Does what [`mask`](Self::mask) does by halves of the block's `keys`, for a warp group with
    /// the `rows` rows from `group` on. It skips a half if the rows see all of its keys. It also
    /// skips the second half if the rows see none of its keys: then the scores of this half stay
    /// and the result is false.
    fn mask_halves(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        params: &AttentionParams,
        first: (u32, u32),
        rows_and_keys: ([u32; 2], u32),
    ) -> bool;
}
impl<Mma, TileS, Scores> ScoreCoordinates<TileS, Scores> for Mma
where
    Mma: TiledMmaTraits + GetSlice<Thr = ThrMma<Mma>>,
    Scores: FragmentLayout + Walk<Count: Unsigned>,
    TileS: LayoutFn + PartitionLayout<Mma, OperandC, Part: Walk>,
    <Size<Scores> as NatCmp>::Equals<Size<PartOf<Mma, TileS>>>:
        SameCount<Size<Scores>, Size<PartOf<Mma, TileS>>>,
    <Size<Scores> as NatCmp>::Equals<Size<Scores>>: SameCount<Size<Scores>, Size<Scores>>,
{
    #[inline(always)]
    fn change(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        (first, own): (ScoreAt, i32),
        function: impl Fn(f32, ScoreAt) -> f32,
    ) {
        let tile = identity_tensor::<TileS, 2>(); // (M,N)
        let [query, key] = Mma::get_slice(thread).partition_c(&tile).get(0u32);
        let (query, key) = (first.query + query, first.key + key);
        // The distance is rounded once per thread: the offsets of the other scores from the
        // thread's first score are constants.
        let distance = (key.wrapping_sub(query) as i32).wrapping_sub(own) as f32;
        let from_first = Mma::get_slice(0).partition_c(&tile); // (MMA,MMA_M,MMA_N)
        let scores = scores.view();
        transform_with(&scores, &from_first, &scores, |score, [i, j]| {
            let at = ScoreAt {
                query: query + i,
                key: key + j,
                distance: distance + (j as i32 - i as i32) as f32,
                ..first
            };
            function(score, at)
        });
    }
    #[inline(always)]
    fn differentiate(
        [scores, derivatives]: [&Fragment<f32, Scores, OperandC>; 2],
        thread: u32,
        first_and_own: (ScoreAt, i32),
        function: impl Fn(f32, ScoreAt) -> [f32; 2],
    ) {
        // Two passes, so that each writes its registers in their order. The compiler computes
        // common terms once.
        transform(&scores.view(), &derivatives.view(), |score| score);
        let values = |score, at| function(score, at)[0];
        <Mma as ScoreCoordinates<TileS, Scores>>::change(scores, thread, first_and_own, values);
        let of_each = |score, at| function(score, at)[1];
        <Mma as ScoreCoordinates<TileS, Scores>>::change(
            derivatives,
            thread,
            first_and_own,
            of_each,
        );
    }
    #[inline(always)]
    fn mask(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        params: &AttentionParams,
        first: (u32, u32),
    ) {
        let tile = identity_tensor::<TileS, 2>(); // (M,N)
        let [query, key] = Mma::get_slice(thread).partition_c(&tile).get(0u32);
        let seen = Seen::from(params, first.0 + query, first.1 + key);
        let from_first = Mma::get_slice(0).partition_c(&tile); // (MMA,MMA_M,MMA_N)
        mask(&scores.view(), &from_first, seen);
    }
    #[inline(always)]
    fn mask_halves(
        scores: &Fragment<f32, Scores, OperandC>,
        thread: u32,
        params: &AttentionParams,
        first: (u32, u32),
        ([group, rows], keys): ([u32; 2], u32),
    ) -> bool {
        let tile = identity_tensor::<TileS, 2>(); // (M,N)
        let of_group = Seen::from(params, first.0 + group, first.1);
        let [query, key] = Mma::get_slice(thread).partition_c(&tile).get(0u32);
        let seen = Seen::from(params, first.0 + query, first.1 + key);
        let from_first = Mma::get_slice(0).partition_c(&tile); // (MMA,MMA_M,MMA_N)
        if of_group.part(rows, 0, keys / 2) != Part::All {
            mask_half(&scores.view(), &from_first, seen, Half::First);
        }
        let second = of_group.part(rows, keys / 2, keys / 2);
        if second == Part::Some {
            mask_half(&scores.view(), &from_first, seen, Half::Second);
        }
        second != Part::None
    }
}
