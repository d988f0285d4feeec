//! P and dS of a thread's scores.
//!
//! ```text
//!   S ─ probabilities ─► P = 2^(scale S - LSE)          dP, P ─ gradients ─► dS = P ∘ (dP - δ)
//!   LSE, δ     a value of each query: at each coordinate (i,j) of the tile, by the layout (M,N):(1,0) or (M,N):(0,1)
//! ```
//!
//! Law: it holds for all tiled MMAs, tiles of values and accumulators that fit each other, of
//! Hopper's kernels and of those by `mma.sync`.

use super::super::score::{DifferentiableScore, ScoreAt};
use cuda_std::float::approx::exp2_ftz;
use layout_types::algorithm::{SameCount, Walk, transform, transform_in_place, transform_with};
use layout_types::arch::mma::fma_f32;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::tensor::{
    Fragment, FragmentLayout, GetSlice, PartitionLayout, Read, Tensor, ThrMma,
};
use layout_types::tiled::{OperandC, TiledMmaTraits};

/// A thread's scores, or what becomes of them.
type ScoresOf<L> = Fragment<f32, L, OperandC>;
/// A thread's part of a tile of values.
type PartOf<Mma, Tile> = <Tile as PartitionLayout<Mma, OperandC>>::Part;

/// What makes P and dS of scores, with a value of each score's query at each coordinate of the
/// tile.
pub trait ScoreGradients<TileValues: LayoutFn, Scores: FragmentLayout> {
    /// Replaces the scores by the probabilities, `2^(scale score - value)`.
    fn probabilities<E: Read<Value = f32>>(
        scores: &ScoresOf<Scores>,
        lse: &Tensor<E, TileValues>,
        thread: u32,
        scale: f32,
    );
    /// Replaces the scores, times `scale`, by those of a function, and gives its derivative at
    /// each.
    fn differentiate(
        scores: &ScoresOf<Scores>,
        scale: f32,
        function: impl DifferentiableScore,
    ) -> ScoresOf<Scores>;
    /// Multiplies the probabilities by what [`differentiate`](Self::differentiate) gave: in dS they
    /// stand together.
    fn multiply(derivatives: &ScoresOf<Scores>, probabilities: &ScoresOf<Scores>);
    /// Replaces dP by dS, `P (dP - value)`.
    fn gradients<E: Read<Value = f32>>(
        probabilities: &ScoresOf<Scores>,
        of_p: &ScoresOf<Scores>,
        delta: &Tensor<E, TileValues>,
        thread: u32,
    );
}
impl<Mma, TileValues, Scores> ScoreGradients<TileValues, Scores> for Mma
where
    Mma: TiledMmaTraits + GetSlice<Thr = ThrMma<Mma>>,
    Scores: FragmentLayout + Walk,
    TileValues: LayoutFn + PartitionLayout<Mma, OperandC, Part: Walk>,
    <Size<Scores> as NatCmp>::Equals<Size<PartOf<Mma, TileValues>>>:
        SameCount<Size<Scores>, Size<PartOf<Mma, TileValues>>>,
    <Size<Scores> as NatCmp>::Equals<Size<Scores>>: SameCount<Size<Scores>, Size<Scores>>,
{
    #[inline(always)]
    fn probabilities<E: Read<Value = f32>>(
        scores: &ScoresOf<Scores>,
        lse: &Tensor<E, TileValues>,
        thread: u32,
        scale: f32,
    ) {
        let t_l = Mma::get_slice(thread).partition_c(lse); // (MMA,MMA_M,MMA_N)
        let scores = scores.view();
        transform_with(&scores, &t_l, &scores, |score, lse| {
            exp2_ftz(fma_f32(score, scale, -lse))
        });
    }
    #[inline(always)]
    fn differentiate(
        scores: &ScoresOf<Scores>,
        scale: f32,
        function: impl DifferentiableScore,
    ) -> ScoresOf<Scores> {
        let (scores, derivatives) = (scores.view(), Fragment::new());
        transform_in_place(&scores, |score| {
            function.score(score * scale, ScoreAt::default())
        });
        transform(&scores, &derivatives.view(), |value| {
            function.derivative(value)
        });
        derivatives
    }
    #[inline(always)]
    fn multiply(derivatives: &ScoresOf<Scores>, probabilities: &ScoresOf<Scores>) {
        let probabilities = probabilities.view();
        transform_with(
            &derivatives.view(),
            &probabilities,
            &probabilities,
            |by, p| by * p,
        );
    }
    #[inline(always)]
    fn gradients<E: Read<Value = f32>>(
        probabilities: &ScoresOf<Scores>,
        of_p: &ScoresOf<Scores>,
        delta: &Tensor<E, TileValues>,
        thread: u32,
    ) {
        let t_d = Mma::get_slice(thread).partition_c(delta); // (MMA,MMA_M,MMA_N)
        let of_p = of_p.view();
        transform_with(&of_p, &t_d, &of_p, |of_p, delta| of_p - delta);
        transform_with(&probabilities.view(), &of_p, &of_p, |p, of_p| p * of_p);
    }
}
